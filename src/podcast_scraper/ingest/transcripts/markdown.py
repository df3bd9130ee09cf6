"""The little of Markdown that transcripts use: emphasis, links, escapes, headings, front matter."""

from __future__ import annotations

import html
import re
from typing import Final

from podcast_scraper.ingest.transcripts.markup import squeeze

_LOOKS: Final = re.compile(
    r"^\s{0,3}(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)|^#{1,6} |\]\(", re.MULTILINE
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{1,2000}\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,2000}?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,2000}?)(?<=[^\s*])\*(?![\w*])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_FIELD = re.compile(r"([A-Za-z][\w-]{0,30}):[ \t]+(\S.*)")
HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(?P<title>\S.*)")
RULE: Final = re.compile(
    r"[ ]{0,3}(?:-[ \t]*){3,}|[ ]{0,3}(?:\*[ \t]*){3,}|[ ]{0,3}(?:_[ \t]*){3,}"
)


def looks_like_markdown(text: str) -> bool:
    """Tell whether a text has bold line openings, headings or links."""
    return _LOOKS.search(text) is not None


def unmarked(text: str) -> str:
    """Return the words of a line of Markdown: links by their text, no emphasis or escapes."""
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\2", text))
    return words_of(_ESCAPE.sub(r"\1", text))


def words_of(text: str) -> str:
    """Return a plain line with character references resolved and white space single."""
    return squeeze(html.unescape(text) if "&" in text else text)


def split_front_matter(lines: list[str]) -> tuple[dict[str, str], int]:
    """Return the scalar fields of a ``---`` block at the top, and the index after the block."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    for index, line in enumerate(lines[1:200], 1):
        if line.strip() in ("---", "..."):
            matches = (_FIELD.fullmatch(field) for field in lines[1:index])
            return {m[1].lower(): m[2].strip().strip("'\"") for m in matches if m}, index + 1
    return {}, 0
