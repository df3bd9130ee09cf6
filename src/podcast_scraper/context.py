"""A ready context for a reader with limited room: passages chosen under a token budget.

The order follows what long contexts are read for: what is grounded in a quote or a transcript comes
first in rank order, then what the graph found, then insights without a quote. What is covered and
what to be careful about comes last.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from podcast_scraper.clock import clock
from podcast_scraper.search.rescue.selectors import Selectors
from podcast_scraper.search.rescue.words import NamedCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.open_index import OpenIndex
    from podcast_scraper.search.request import SearchRequest
    from podcast_scraper.search.rescue.records import Candidate
    from podcast_scraper.search.tail import GateState
    from podcast_scraper.storage.catalog import EpisodeInfo


@dataclass(frozen=True, slots=True)
class Passage:
    """One document of a context. ``start`` and ``end`` are seconds, ``date`` is a day or None."""

    id: str
    text: str
    tokens: int
    rescued: bool
    tier: str
    grounded: bool
    show: dict[str, str]
    episode: dict[str, str | None]
    speakers: tuple[dict[str, str], ...]
    start: float | None
    end: float | None
    media_url: str | None


@dataclass(frozen=True, slots=True)
class Context:
    """What was chosen. ``tokens`` are counted by ``tokenizer``; ``notes`` are the caveats."""

    query: str
    selector: str
    budget: int | None
    tokens: int
    tokenizer: str
    passages: tuple[Passage, ...]
    gate: GateState
    lanes: dict[str, Any]
    coverage: dict[str, Any]
    notes: tuple[str, ...] = field(default=())


def make_context(
    index: OpenIndex,
    request: SearchRequest,
    *,
    selector: str | None = None,
    budget: int | None = None,
) -> Context:
    """Search, choose under a budget, and order for reading.

    Without ``selector`` and ``budget`` the configured ones count. Raises ConfigurationError for a
    budget below 0 or one given to ``none``, QueryError for a query without words.
    """
    found, notes = index.service.retrieve(request)
    assert found.union is not None
    overhead = index.encoder.count_tokens("")
    counter = NamedCounter(
        index.encoder.name, lambda text: index.encoder.count_tokens(text) - overhead
    )
    retrieval = found.union()
    selectors = Selectors(index.rescue.config, counter, has_hypergraph=True)
    chosen = selectors.select(retrieval, selector=selector, budget=budget)
    place = {one.id: number for number, one in enumerate(retrieval.union)}
    ordered = sorted(chosen.candidates, key=lambda one: (_part(one), place[one.id]))
    passages = _passages(index, ordered, counter)
    return Context(
        query=request.text,
        selector=chosen.selector,
        budget=chosen.budget,
        tokens=sum(passage.tokens for passage in passages),
        tokenizer=counter.name,
        passages=passages,
        gate=found.gate,
        lanes=dict(found.lanes),
        coverage=_coverage(passages),
        notes=(*notes, *_caveats(passages)),
    )


def context_to_json(context: Context) -> dict[str, Any]:
    """Return the documented shape, for the command line and the API."""
    return asdict(context)


def to_markdown(context: Context) -> str:
    """Render a context as numbered passages with their sources, coverage and caveats last."""
    lines = [f"# {context.query}", ""]
    for number, passage in enumerate(context.passages, start=1):
        lines += [f"[{number}] {_source(passage)}", "", passage.text, ""]
    coverage = context.coverage
    spent = f"{context.tokens} tokens ({context.tokenizer})"
    lines += [
        "## Coverage",
        "",
        f"{len(context.passages)} passages, {spent}, from {coverage['episodes']} episodes of"
        f" {coverage['shows']} shows{_span(coverage)}.",
        *context.notes,
    ]
    return "\n".join(lines) + "\n"


def _part(candidate: Candidate) -> int:
    if not _grounded(candidate):
        return 2
    return 1 if candidate.rescued else 0


def _grounded(candidate: Candidate) -> bool:
    """A segment is transcript itself; an insight rests on a quote or on nothing."""
    tier, grounded = candidate.metadata.get("tier"), candidate.metadata.get("grounded")
    return tier == "segment" or bool(grounded)


def _passages(
    index: OpenIndex, candidates: Sequence[Candidate], counter: NamedCounter
) -> tuple[Passage, ...]:
    episodes = index.catalog.episodes(
        dict.fromkeys(str(one.metadata["episode_id"]) for one in candidates)
    )
    labels = index.catalog.labels(
        speaker for one in candidates for speaker in one.metadata["speakers"]
    )
    return tuple(
        _passage(index, one, counter(one.text), episodes[one.metadata["episode_id"]], labels)
        for one in candidates
    )


def _passage(
    index: OpenIndex,
    candidate: Candidate,
    tokens: int,
    episode: EpisodeInfo,
    labels: dict[str, str],
) -> Passage:
    metadata = candidate.metadata
    return Passage(
        id=candidate.id,
        text=candidate.text,
        tokens=tokens,
        rescued=candidate.rescued,
        tier=metadata["tier"],
        grounded=_grounded(candidate),
        show={"id": episode.show_id, "title": episode.show_title},
        episode={"id": episode.id, "title": episode.title, "date": episode.date},
        speakers=tuple({"id": one, "name": labels.get(one, one)} for one in metadata["speakers"]),
        start=metadata.get("start"),
        end=metadata.get("end"),
        media_url=index.media.url(episode),
    )


def _coverage(passages: Sequence[Passage]) -> dict[str, Any]:
    days = sorted(day for passage in passages if (day := passage.episode["date"]))
    return {
        "episodes": len({passage.episode["id"] for passage in passages}),
        "shows": len({passage.show["id"] for passage in passages}),
        "from": days[0] if days else None,
        "to": days[-1] if days else None,
        "rescued": sum(passage.rescued for passage in passages),
    }


def _caveats(passages: Sequence[Passage]) -> list[str]:
    ungrounded = sum(not passage.grounded for passage in passages)
    rescued = sum(passage.rescued for passage in passages)
    notes = []
    if rescued:
        notes.append(f"{rescued} passages were found through the graph alone.")
    if ungrounded:
        notes.append(f"{ungrounded} insights rest on no quote.")
    return notes


def _source(passage: Passage) -> str:
    who = ", ".join(speaker["name"] for speaker in passage.speakers)
    episode = passage.episode
    parts = (who, passage.show["title"], episode["title"], episode["date"], clock(passage.start))
    return " · ".join(part for part in parts if part)


def _span(coverage: dict[str, Any]) -> str:
    return f", {coverage['from']} to {coverage['to']}" if coverage["from"] else ""
