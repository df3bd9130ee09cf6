"""The report of a build: what was read, derived, dropped and made (``index --json``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from podcast_scraper.storage.catalog import Catalog
from podcast_scraper.storage.schema import GraphEdge, OtherNode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.artifacts.planning import PlannedEpisode
    from podcast_scraper.artifacts.report import ReadReport
    from podcast_scraper.search.backend import BackendHealth


def build_report(
    engine: sa.Engine,
    reading: ReadReport,
    health: BackendHealth,
    seconds: Mapping[str, float],
    reused_vectors: int,
) -> dict[str, Any]:
    """Return the report as JSON; ``nodes`` and ``edges`` count the merged graph."""
    counts = Catalog(engine).counts()
    shows, episodes = counts.pop("shows"), counts.pop("episodes")
    nodes = {
        "podcast": shows,
        "episode": episodes,
        "insight": counts.pop("insights"),
        "quote": counts.pop("quotes"),
        **counts,
    }
    with Session(engine) as session:
        others = sa.select(OtherNode.type, sa.func.count(sa.distinct(OtherNode.id)))
        nodes.update(dict(session.execute(others.group_by(OtherNode.type)).all()))
        distinct = sa.select(GraphEdge.type, GraphEdge.source, GraphEdge.target).distinct()
        unique = distinct.subquery()
        by_type = sa.select(unique.c.type, sa.func.count()).group_by(unique.c.type)
        edges: dict[str, int] = dict(session.execute(by_type.order_by(unique.c.type)).all())
    return {
        "episodes": episodes,
        "nodes": {kind: n for kind, n in nodes.items() if n},
        "edges": edges,
        "documents": dict(health.documents),
        "reused_vectors": reused_vectors,
        "seconds": dict(seconds),
        **reading.to_json(),
    }


def carried_over(
    before: Mapping[str, Any],
    fresh: Mapping[str, Any],
    plan: Sequence[PlannedEpisode],
    written: Sequence[str],
) -> dict[str, Any]:
    """Return the report of an update: its own, with what was noted before on unchanged episodes.

    ``derived`` and ``unknown`` count what the update read alone.
    """
    unchanged = {
        path
        for episode in plan
        if episode.episode_id not in written
        for path in (*episode.files.values(), episode.stem_path)
    }
    report = dict(fresh)
    for noted in ("quarantined", "dropped", "repairs", "warnings"):
        known = list(fresh[noted])
        old = [i for i in before.get(noted, ()) if i["path"] in unchanged and i not in known]
        report[noted] = sorted([*old, *known], key=lambda item: str(item["path"]))
    return report
