from __future__ import annotations

import pytest

from podcast_scraper.embed.prompts import prompts_for


@pytest.mark.parametrize(
    ("name", "query", "document"),
    [
        ("BAAI/bge-base-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("/models/multilingual-e5-base/", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "", ""),
        ("BAAI/bge-m3", "", ""),
        ("thenlper/gte-small", "", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
    ],
)
def test_families(name: str, query: str, document: str) -> None:
    prompts = prompts_for(name)
    assert (prompts.query, prompts.document) == (query, document)
