"""One episode's files to its :class:`EpisodeRecord`: merge, derive, check, locate."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from podcast_scraper.artifacts.catalog import Catalog
from podcast_scraper.artifacts.merging import Draft, merge_layers
from podcast_scraper.artifacts.people import finish_people
from podcast_scraper.artifacts.records import AliasRecord, EpisodeRecord, Segment, Transcript
from podcast_scraper.artifacts.statements import attribute_quotes, finish_statements
from podcast_scraper.artifacts.transcripts import align, split_text
from podcast_scraper.artifacts.values import integer, moment, name_of

if TYPE_CHECKING:
    from podcast_scraper.artifacts.catalog import BridgeIdentity
    from podcast_scraper.artifacts.envelope import LayerFile
    from podcast_scraper.artifacts.planning import PlannedEpisode
    from podcast_scraper.artifacts.report import Issues


@dataclass(frozen=True, slots=True)
class EpisodeParts:
    """What the readable files of an episode hold. ``segments`` is None without such a file."""

    kg: LayerFile | None = None
    gi: LayerFile | None = None
    catalog: Catalog = field(default_factory=Catalog)
    bridge: tuple[BridgeIdentity, ...] = ()
    segments: tuple[Segment, ...] | None = None
    text: str = ""


def assemble(
    planned: PlannedEpisode, parts: EpisodeParts, now: datetime, issues: Issues
) -> EpisodeRecord:
    """Return the record of an episode; ``now`` (aware) tells which dates lie in the future."""
    draft = Draft(planned, issues)
    layers = [layer for layer in (parts.kg, parts.gi) if layer is not None]
    bridge = merge_layers(draft, layers, parts.bridge)
    draft.derive_edge("HAS_EPISODE", planned.show.id, draft.episode_node)
    attribute_quotes(draft, parts.catalog)
    segments = _segments(draft, parts)
    duration = _duration(draft, parts, segments)
    places = finish_statements(draft, parts.text, segments, duration)
    segments, label_aliases = finish_people(draft, segments, places, parts.catalog)
    catalog = parts.catalog
    episode = draft.nodes[draft.episode_node].properties
    own_title = name_of(episode.get("title"))
    title = catalog.title or own_title or planned.stem_path.rpartition("/")[2]
    draft.update(draft.episode_node, title=own_title or title)
    return EpisodeRecord(
        episode_id=planned.episode_id,
        show=planned.show,
        title=title,
        stem_path=planned.stem_path,
        fingerprint=planned.fingerprint,
        nodes=tuple(draft.nodes[key] for key in sorted(draft.nodes)),
        edges=tuple(draft.edges[key] for key in sorted(draft.edges)),
        transcript=Transcript(parts.text, segments),
        published=_published(draft, parts, now),
        duration=duration,
        media=planned.media,
        language=catalog.language,
        summary_title=catalog.summary_title,
        summary_bullets=catalog.summary_bullets,
        summary_text=catalog.summary_text,
        aliases=_aliases(draft, bridge, label_aliases),
        times_may_drift=catalog.times_may_drift,
    )


def _segments(draft: Draft, parts: EpisodeParts) -> tuple[Segment, ...]:
    if parts.segments:
        return align(parts.text, parts.segments)
    names = [speaker.name for speaker in parts.catalog.speakers]
    for person in draft.of_type("person"):
        names += [str(person.properties.get("name") or ""), *person.properties.get("aliases", ())]
    return split_text(parts.text, [name for name in names if name], draft.planned.episode_id)


def _duration(draft: Draft, parts: EpisodeParts, segments: tuple[Segment, ...]) -> float | None:
    """Seconds: the catalog's, else the last segment's end, GI's, the last quote's end."""
    where = draft.planned.path_of("metadata")
    episode = draft.nodes[draft.episode_node].properties
    stated_ms = integer(episode.get("duration_ms"))
    graph = stated_ms / 1000 if stated_ms and stated_ms > 0 else None
    ends = [segment.end for segment in segments if segment.end]
    last_segment = max(ends, default=None)
    quote_ends = [
        end / 1000
        for quote in draft.of_type("quote")
        if isinstance(end := quote.properties.get("end_ms"), int) and end > 0
    ]
    stated = parts.catalog.duration
    known = {"metadata": stated, "the last segment": last_segment, "GI": graph}
    values = {name: value for name, value in known.items() if value is not None}
    if len(values) > 1 and max(values.values()) - min(values.values()) > 1:
        listed = ", ".join(f"{value:g} s in {name}" for name, value in values.items())
        draft.issues.warn(where, f"the durations differ: {listed}")
    duration = stated or last_segment or graph or max(quote_ends, default=None)
    if duration is not None and last_segment is not None and last_segment > duration:
        return last_segment
    return duration


def _published(draft: Draft, parts: EpisodeParts, now: datetime) -> datetime | None:
    """Return the date of the catalog, else GI's, else KG's, in UTC."""
    stated: dict[str, object] = {"metadata": parts.catalog.published}
    for layer in (parts.gi, parts.kg):
        if layer is not None:
            dates = [node.properties.get("publish_date") for node in layer.nodes
                     if node.type == "episode"]  # fmt: skip
            stated[layer.layer.upper()] = next((date for date in dates if date), None)
    where = draft.planned.path_of("metadata")
    dates_of: dict[str, datetime] = {}
    naive: list[str] = []
    for name, value in stated.items():
        if value is None:
            continue
        found = moment(value)
        if found is None:
            draft.issues.repair(where, "date", f"{name}: {str(value)[:80]!r} is no date")
            continue
        dates_of[name] = found[0]
        naive += [name] * found[1]
    if naive:
        draft.issues.repair(where, "date", f"without zone, taken as UTC: {', '.join(naive)}")
    if not dates_of:
        draft.issues.warn(where, "the date of the episode is not known")
        return None
    days = {name: date.date().isoformat() for name, date in dates_of.items()}
    if len(set(days.values())) > 1:
        listed = ", ".join(f"{day} in {name}" for name, day in days.items())
        draft.issues.warn(where, f"the dates differ: {listed}")
    published = next(iter(dates_of.values()))
    if published > now.astimezone(UTC) + timedelta(days=1):
        draft.issues.warn(where, f"the date {published.date()} is in the future")
    return published


def _aliases(
    draft: Draft, bridge: tuple[BridgeIdentity, ...], labels: list[tuple[str, str]]
) -> tuple[AliasRecord, ...]:
    found: dict[AliasRecord, None] = {}
    for node in draft.nodes.values():
        if node.type in ("person", "org", "topic"):
            for name in node.properties.get("aliases", ()):
                found[AliasRecord(node.id, name, "property")] = None
    for identity in bridge:
        node_or_none = draft.nodes.get(identity.id)
        if node_or_none is None or node_or_none.type not in ("person", "org", "topic"):
            continue
        properties = node_or_none.properties
        own = properties.get("label") if node_or_none.type == "topic" else properties.get("name")
        for name in identity.names:
            if name != own:
                found[AliasRecord(identity.id, name, "bridge")] = None
    for person, label in labels:
        found[AliasRecord(person, label, "label")] = None
    return tuple(sorted(found, key=lambda alias: (alias.entity_id, alias.origin, alias.name)))
