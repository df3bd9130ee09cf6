"""HTML transcripts: ``<cite>`` and ``<time>`` before each paragraph, or plain paragraphs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from podcast_scraper.ingest.transcripts.clock import parse_clock
from podcast_scraper.ingest.transcripts.labels import kind_of_label
from podcast_scraper.ingest.transcripts.markup import plain
from podcast_scraper.ingest.transcripts.records import Cue, ParsedTranscript, RepairLog
from podcast_scraper.ingest.transcripts.text import parse_text
from podcast_scraper.ingest.transcripts.tidy import inherit_speakers, tidy

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^<>]*>")
_HIDDEN = ("script", "style", "title", "template", "noscript", "svg")
_BLOCK_LIST = "p div br li ul ol tr td h1 h2 h3 h4 h5 h6 section article blockquote cite time dd dt"
_BLOCKS = frozenset(_BLOCK_LIST.split())


def parse_html(text: str, log: RepairLog) -> ParsedTranscript:
    """Return the cues of an HTML transcript.

    Where the page has no ``<cite>``, the text of its blocks is read as a plain transcript.
    """
    pieces = list(_pieces(_visible(text)))
    if not any(tag == "cite" for tag, _ in pieces):
        body = "\n\n".join(words for _, words in pieces)
        return replace(parse_text(body, log, markdown=False), format="html")
    cues: list[Cue] = []
    open_cue = Cue("")
    for tag, words in pieces:
        if tag == "cite":
            label = words.rstrip(":").strip() or None
            kind = kind_of_label(label) if label else None
            open_cue = Cue("", speaker=None if kind else label, kind=kind or "speech")
        elif tag == "time":
            open_cue = replace(open_cue, start=parse_clock(words.strip("[]()")))
        else:
            cues.append(replace(open_cue, text=words))
            open_cue = Cue("")
    return ParsedTranscript(
        "html", tidy(inherit_speakers(cues), log, states_ends=False), log.repairs()
    )


def _visible(text: str) -> str:
    """Cut comments and the elements whose content is not shown; an unclosed one ends the page."""
    text = _cut(text, "<!--", "-->")
    for name in _HIDDEN:
        text = _cut(text, f"<{name}", f"</{name}")
    return text


def _cut(text: str, opening: str, closing: str) -> str:
    lower = (
        text.lower() if text.isascii() else "".join(c.lower() if c.isascii() else c for c in text)
    )
    kept: list[str] = []
    at = 0
    while (start := lower.find(opening, at)) != -1:
        after = lower[start + len(opening) : start + len(opening) + 1]
        if opening != "<!--" and after.isalnum():  # a longer name
            kept.append(text[at : start + len(opening)])
            at = start + len(opening)
            continue
        kept.append(text[at:start])
        end = lower.find(closing, start + len(opening))
        if end == -1:
            return "".join(kept)
        at = end + len(closing)
        if opening != "<!--":
            at = lower.find(">", at) + 1 or len(text)
    return "".join([*kept, text[at:]])


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield (innermost block tag, words) in the order of the page."""
    tag, start, words = "", 0, [""]
    for match in _TAG.finditer(text):
        name = match[2].lower()
        if name not in _BLOCKS:
            continue
        words.append(text[start : match.start()])
        start = match.end()
        if piece := plain("".join(words)):
            yield tag, piece
        words = []
        tag = "" if match[1] else name
    if piece := plain("".join([*words, text[start:]])):
        yield tag, piece
