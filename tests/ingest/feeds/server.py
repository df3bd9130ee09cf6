"""A local HTTP server whose answers a test scripts, good and bad."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers from the server's table and keeps a record of each request's headers."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        answer = self.server.answers.get(self.path)
        self.close_connection = True
        if answer is None:
            self.give(404, b"nothing here")
        else:
            answer(self)

    def do_POST(self) -> None:
        self.do_GET()

    def give(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Send a whole answer; underscores in header names become hyphens."""
        self.begin(status, **{"Content_Length": str(len(body)), **headers})
        self.wfile.write(body)

    def begin(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


class Server(ThreadingHTTPServer):
    """``answers`` maps paths; ``asked`` records (path, headers); ``over`` is set at the end."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.over = threading.Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def page(self, path: str, body: bytes | str, status: int = 200, **headers: str) -> str:
        """Serve a fixed answer at a path and return its address."""
        data = body.encode() if isinstance(body, str) else body
        self.answers[path] = lambda handler: handler.give(status, data, **headers)
        return self.url(path)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up on a bad answer is what the tests want."""


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
