"""The remote client against a real HTTP server on this machine."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from podcast_scraper.embed import remote
from podcast_scraper.embed.http_json import post_json
from podcast_scraper.embed.remote import KEY_VARIABLE, RemoteEncoder
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator


def embedding(text: str) -> list[float]:
    return [float(len(text)), float(text.count("e")), 1.0]


class Endpoint(BaseHTTPRequestHandler):
    """Answers by ``server.mode``; keeps what it was asked in ``server.seen``."""

    protocol_version = "HTTP/1.1"
    server: Any

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers.get("Authorization"), body))
        data = [
            {"object": "embedding", "index": i, "embedding": embedding(text)}
            for i, text in enumerate(body["input"])
        ]
        mode, status = self.server.mode, 200
        answer = json.dumps({"data": data[::-1]}).encode()
        if mode == "missing":
            answer = json.dumps({"data": data[1:]}).encode()
        elif mode == "ragged":
            answer = json.dumps({"data": [{"index": 0, "embedding": [1, "x", None]}]}).encode()
        elif mode == "nan":
            answer = b'{"data": [{"index": 0, "embedding": [NaN, 1, 1]}]}'
        elif mode == "wide":
            answer = b'{"data": [{"index": 0, "embedding": [1, 1, 1, 1]}]}'
        elif mode == "html":
            answer = b"<html>"
        elif mode == "list":
            answer = b"[1, 2]"
        elif mode == "refused":
            status, answer = 401, b'{"error": "bad key"}'
        self.send_response(status)
        if mode == "slow":
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            # One byte at a time, each well within the deadline, all of it far beyond.
            for byte in answer:
                try:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                except OSError:
                    return
                if self.server.stop.wait(0.05):
                    return
            return
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.mode, server.seen, server.stop = "good", [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.stop.set()
    server.shutdown()
    thread.join()
    server.server_close()


def name(server: Any, model: str = "some-model") -> str:
    return f"openai:{model}@http://127.0.0.1:{server.server_port}/v1"


def unit(text: str) -> np.ndarray[Any, Any]:
    row = np.array(embedding(text))
    return row / np.linalg.norm(row)


def test_vectors_come_in_the_order_of_the_texts(server: Any) -> None:
    encoder = open_encoder(name(server))
    assert encoder.dimension == 3
    texts = [f"the {'e' * i}" for i in range(70)]
    done: list[int] = []
    vectors = encoder.encode_documents(texts, done.append)
    np.testing.assert_allclose(vectors, [unit(text) for text in texts], atol=1e-6)
    assert done == [64, 6]
    assert [len(body["input"]) for _, _, body in server.seen] == [1, 64, 6]
    assert {path for path, _, _ in server.seen} == {"/v1/embeddings"}


def test_prompts_of_the_family_are_sent(server: Any) -> None:
    encoder = open_encoder(name(server, "intfloat/e5-small-v2"))
    encoder.encode_query("bees")
    encoder.encode_documents(["hive"])
    assert [body["input"] for _, _, body in server.seen[1:]] == [["query: bees"], ["passage: hive"]]


def test_the_key_is_sent_only_where_there_is_one(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    open_encoder(name(server))
    monkeypatch.setenv(KEY_VARIABLE, "abc")
    open_encoder(name(server))
    assert [key for _, key, _ in server.seen] == [None, "Bearer abc"]


def test_the_fingerprint_tells_models_and_endpoints_apart(server: Any) -> None:
    one, two = open_encoder(name(server)), open_encoder(name(server, "other"))
    assert one.fingerprint == open_encoder(name(server)).fingerprint != two.fingerprint


@pytest.mark.parametrize(
    ("mode", "what"),
    [
        ("missing", "did not answer with 1 embeddings"),
        ("ragged", "did not answer with 1 embeddings"),
        ("list", "did not answer with 1 embeddings"),
        ("html", "did not answer with JSON"),
        ("refused", "answered 401: .*bad key"),
        ("nan", "not finite"),
        ("wide", "not \\(n, 3\\)"),
    ],
)
def test_bad_answers_are_refused(server: Any, mode: str, what: str) -> None:
    encoder = open_encoder(name(server))
    server.mode = mode
    with pytest.raises(ModelError, match=what):
        encoder.encode_query("bees")


def test_the_deadline_covers_an_answer_that_drips(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = open_encoder(name(server))
    monkeypatch.setattr(remote, "_QUERY_SECONDS", 0.3)
    server.mode = "slow"
    with pytest.raises(ModelError, match=r"within 0\.3 s"):
        encoder.encode_query("bees")


def test_nobody_listening_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="cannot be asked"):
        post_json("http://127.0.0.1:9/v1/embeddings", {}, key=None, seconds=2)


def test_texts_over_the_estimated_limit_are_refused_and_queries_can_be_fitted(server: Any) -> None:
    encoder = open_encoder(name(server))
    long = "word " * 600
    with pytest.raises(ModelError, match="Text 1 has 600 tokens"):
        encoder.encode_documents(["x", long])
    fitted, cut = encoder.fit_query(long)
    assert (fitted, cut) == (("word " * 512).rstrip(), True)
    encoder.encode_query(fitted)


def test_a_malformed_name_says_how_to_write_it() -> None:
    with pytest.raises(ModelError, match="openai:MODEL@https://host/v1"):
        RemoteEncoder.from_name("openai:model")
