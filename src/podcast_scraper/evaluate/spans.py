"""Judgements that outlive re-chunking: relevance is a span of an episode, not a window's id.

A judged id ``EPISODE@START-END`` (milliseconds) is a span. A document answers a span when the two
overlap by at least half of the shorter one; a span counts once, for the first document that
answers it, so that overlapping windows do not collect the same gain twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_SPAN: Final = re.compile(r"(?P<episode>.+)@(?P<start>\d+)-(?P<end>\d+)")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of an episode, in milliseconds, end exclusive."""

    episode_id: str
    start_ms: int
    end_ms: int

    def answered_by(self, other: Span) -> bool:
        """Whether the overlap is at least half of the shorter of the two."""
        if self.episode_id != other.episode_id:
            return False
        overlap = min(self.end_ms, other.end_ms) - max(self.start_ms, other.start_ms)
        shorter = min(self.end_ms - self.start_ms, other.end_ms - other.start_ms)
        return overlap > 0 and 2 * overlap >= shorter


def parse_span(judged_id: str) -> Span | None:
    """Return the span that ``judged_id`` names, or None where it names a document."""
    match = _SPAN.fullmatch(judged_id)
    if match is None or int(match["end"]) <= int(match["start"]):
        return None
    return Span(match["episode"], int(match["start"]), int(match["end"]))


def to_judged_ids(
    ranked: Iterable[str],
    judged: Mapping[str, int],
    span_of: Callable[[str], Span | None],
) -> list[str]:
    """Rename each ranked document to the judgement that it answers, in rank order.

    A document judged by its own id keeps it. Otherwise it takes the open span of the highest grade
    that it answers (ties: the first by id) and closes it. A
    document that answers none keeps its id, which no judgement names.
    """
    spans = {key: span for key in judged if (span := parse_span(key)) is not None}
    best_first = sorted(spans, key=lambda key: (-judged[key], key))
    renamed: list[str] = []
    closed: set[str] = set()
    for doc_id in ranked:
        name = doc_id
        if doc_id not in judged and (own := span_of(doc_id)) is not None:
            for key in best_first:
                if key not in closed and spans[key].answered_by(own):
                    name = key
                    closed.add(key)
                    break
        renamed.append(name)
    return renamed
