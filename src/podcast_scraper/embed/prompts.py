"""Prefixes that embedding families were trained with; without them their vectors rank worse."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Prompts:
    """Texts put before a query and before a document, with their trailing space."""

    query: str = ""
    document: str = ""


NO_PROMPTS: Final = Prompts()

_BGE: Final = Prompts(query="Represent this sentence for searching relevant passages: ")
_E5: Final = Prompts(query="query: ", document="passage: ")
_NOMIC: Final = Prompts(query="search_query: ", document="search_document: ")

# Matched in order against the last part of a model's name. bge-m3, the multilingual instruct
# models and gte were trained without these prefixes (gte-Qwen2 carries its own in its folder).
_FAMILIES: Final = (
    (re.compile(r"^bge-m3"), NO_PROMPTS),
    (re.compile(r"^bge-(small|base|large)-en"), _BGE),
    (re.compile(r"^(multilingual-)?e5-(small|base|large)(?!.*instruct)"), _E5),
    (re.compile(r"^snowflake-arctic-embed-"), _BGE),
    (re.compile(r"^mxbai-embed-"), _BGE),
    (re.compile(r"^nomic-embed-text"), _NOMIC),
)


def prompts_for(name: str) -> Prompts:
    """Return the prompts of the family that a hub name or a folder name belongs to, or none."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
    return next((prompts for pattern, prompts in _FAMILIES if pattern.match(last)), NO_PROMPTS)
