"""Annotation without a model: phrases between stop words, names by their capitals.

The weaker path: it sees no name at the start of a sentence, tells people from organisations by
lists alone, and takes verbs for nouns now and then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podcast_scraper.ingest.extract.annotate import Annotation, Mention, Phrase, normal_form
from podcast_scraper.ingest.extract.vocabulary import ORGANISATIONS, STOP_WORDS, first_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"[^\W_][\w+#'’.-]*[\w+#]|[^\W_]")
_CAPITALISED = re.compile(
    r"(?<![.?!…\"“] )(?<!^)\b[A-Z][\w'’&.-]*\w(?: (?:[A-Z][\w'’&.-]*\w|of(?= [A-Z])))*"
)


class PlainAnnotator:
    """Stop-word-delimited phrases (as RAKE has them) and capitalised names."""

    name = "capitals-and-stop-words-1"

    def annotate(self, lines: Sequence[str]) -> Iterator[Annotation]:
        """Yield one annotation a line."""
        for line in lines:
            yield Annotation(tuple(_phrases(line)), tuple(_mentions(line)))


def _phrases(line: str) -> Iterator[Phrase]:
    run: list[re.Match[str]] = []
    for match in _TOKEN.finditer(line):
        joined = bool(run) and line[run[-1].end() : match.start()] in (" ", "-")
        if match[0].lower() in STOP_WORDS or not joined:
            yield from _phrase(line, run)
            run = []
        if match[0].lower() not in STOP_WORDS and len(match[0]) > 1:
            run.append(match)
    yield from _phrase(line, run)


def _phrase(line: str, run: list[re.Match[str]]) -> Iterator[Phrase]:
    if 1 <= len(run) <= 3:
        start, end = run[0].start(), run[-1].end()
        if normal := normal_form(line[start:end]):
            yield Phrase(start, end, normal)


def _mentions(line: str) -> Iterator[Mention]:
    for match in _CAPITALISED.finditer(line):
        name = match[0]
        if name.lower() in ORGANISATIONS:
            yield Mention(match.start(), match.end(), "ORG")
        elif " " in name and name.split()[0].lower() in first_names():
            yield Mention(match.start(), match.end(), "PERSON")
