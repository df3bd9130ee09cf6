"""Which format a text is in, by its content; names and MIME types only break ties."""

from __future__ import annotations

import re
from typing import Final

from podcast_scraper.ingest.transcripts.cueblocks import timing

_SAMPLE: Final = 65_536
_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"\]])')
_HTML = re.compile(r"<!doctype html|<html|<body|<cite\b|<p\b|<div\b", re.IGNORECASE)


def sniff(text: str, hint: str = "") -> str:
    """Return ``vtt``, ``srt``, ``json``, ``html`` or ``text`` for a decoded file.

    ``hint`` is a file name or MIME type; it decides only between WebVTT and SRT where the text
    has timing lines but no ``WEBVTT`` line.
    """
    sample = text[:_SAMPLE]
    if sample.lstrip().startswith("WEBVTT"):
        return "vtt"
    if _JSON.match(sample):
        return "json"
    if any(timing(line) for line in sample.split("\n")[:400]):
        return "vtt" if "vtt" in hint.lower() else "srt"
    if sample.lstrip().startswith("<") or len(_HTML.findall(sample)) >= 3:
        return "html"
    return "text"


def is_binary(text: str) -> bool:
    """Tell whether a decoded file is no text at all: audio and archives are full of controls."""
    sample = text[:_SAMPLE]
    controls = sum(1 for c in sample if (c < " " and c not in "\n\t\f") or "\x7f" <= c < "\xa0")
    return controls > 0.05 * len(sample) and controls > 3
