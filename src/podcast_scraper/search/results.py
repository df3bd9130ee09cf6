"""What a search answers: the records behind ``search --json`` and ``GET /api/search``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from podcast_scraper.search.tail import GateState


@dataclass(frozen=True, slots=True)
class Named:
    """A person, organisation, topic or facet value with its display name."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Titled:
    """A show."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class EpisodeRef:
    """An episode; ``date`` is ``YYYY-MM-DD`` or None, ``duration`` seconds or None."""

    id: str
    title: str
    date: str | None
    duration: float | None = None


@dataclass(frozen=True, slots=True)
class QuoteRef:
    """A verbatim quote: who spoke it, when (milliseconds)."""

    id: str
    text: str
    speaker: Named | None
    start_ms: int | None
    end_ms: int | None


@dataclass(frozen=True, slots=True)
class InsightPart:
    """The insight of a hit."""

    id: str
    text: str
    insight_type: str | None
    grounded: bool | None
    confidence: float | None
    position_hint: float | None
    topics: tuple[Named, ...]
    mentions: tuple[Named, ...]
    quotes: tuple[QuoteRef, ...]


@dataclass(frozen=True, slots=True)
class SegmentPart:
    """The passage of a hit: ``kind`` is speech, ad or music."""

    id: str
    text: str
    start: float | None
    end: float | None
    speaker_share: float | None
    kind: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One result card.

    ``score`` is 1.0 for the best of the query and None for a rescued hit; ``highlights`` are
    character spans of ``text``, ``snippet`` the span worth showing; times are seconds.
    """

    id: str
    rank: int
    tier: str
    score: float | None
    rescued: bool
    text: str
    highlights: tuple[tuple[int, int], ...]
    snippet: tuple[int, int]
    show: Titled
    episode: EpisodeRef
    speakers: tuple[Named, ...]
    start: float | None
    end: float | None
    media_url: str | None
    also_in: tuple[str, ...] = ()
    insight: InsightPart | None = None
    segment: SegmentPart | None = None
    more_insights: tuple[Named, ...] = ()
    explain: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet and how many candidates of the fused set have it."""

    id: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Ignored:
    """A part of the query that had no effect, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """A page of hits with everything that explains it.

    ``total`` counts the cards of the fused set, ``connected`` is the rescued tail (first page
    only, counted in neither ``k`` nor ``total``). ``index_lag`` is how many changes of documents
    the search engines that follow have yet to be told.
    """

    query: str
    intent: str
    gate: GateState
    lanes: Mapping[str, Any]
    hits: tuple[Hit, ...]
    connected: tuple[Hit, ...]
    ignored: tuple[Ignored, ...]
    did_you_mean: str | None
    facets: Mapping[str, tuple[FacetValue, ...]]
    total: int
    timings_ms: Mapping[str, float]
    generation: str
    degraded: bool = False
    index_lag: int = 0
    notes: tuple[str, ...] = ()

    def answer(self) -> dict[str, Any]:
        """Return the shape that scripts rely on, its parts still records."""
        answer = {name: getattr(self, name) for name in _fields(SearchResponse)}
        answer["index"] = {
            "generation": answer.pop("generation"),
            "degraded": answer.pop("degraded"),
            "index_lag": answer.pop("index_lag"),
        }
        return answer

    def to_json(self) -> dict[str, Any]:
        """Return the same in dicts, lists and scalars."""
        shape: dict[str, Any] = plain(self.answer())
        return shape


_SCALARS: Final = frozenset((str, int, float, bool, type(None)))


def plain(value: Any) -> Any:
    """Return records, mappings and sequences as what JSON has: dicts, lists and scalars.

    The same as ``dataclasses.asdict`` but for sequences, which become lists, and an eighth of its
    time: nothing is copied that cannot change.
    """
    kind: Any = type(value)
    if kind in _SCALARS:
        return value
    if names := _fields(kind):
        return {
            name: one if type(one := getattr(value, name)) in _SCALARS else plain(one)
            for name in names
        }
    if isinstance(value, Mapping):
        return {key: one if type(one) in _SCALARS else plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [one if type(one) in _SCALARS else plain(one) for one in value]
    return value


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if hasattr(kind, "__dataclass_fields__") else ()
