from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from podcast_scraper.embed.query_cache import QueryCache
from podcast_scraper.embed.resolve import open_encoder

pytestmark = pytest.mark.model


def test_a_repeated_query_is_the_same_object_until_it_is_the_oldest() -> None:
    cache = QueryCache(open_encoder(), size=2)
    one = cache.encode("one")
    two = cache.encode("two")
    assert cache.encode("one") is one
    cache.encode("three")
    assert cache.encode("one") is one
    assert cache.encode("two") is not two
    np.testing.assert_array_equal(cache.encode("two"), two)


def test_vectors_are_those_of_the_encoder_and_read_only() -> None:
    encoder = open_encoder()
    vector = QueryCache(encoder).encode("bees")
    np.testing.assert_array_equal(vector, encoder.encode_query("bees"))
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


def test_threads_see_right_vectors_while_entries_are_dropped() -> None:
    encoder = open_encoder()
    cache = QueryCache(encoder, size=2)
    queries = [f"query {i % 5}" for i in range(60)]
    expected = {query: encoder.encode_query(query) for query in set(queries)}
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(cache.encode, queries))
    for query, vector in zip(queries, vectors, strict=True):
        np.testing.assert_array_equal(vector, expected[query])
