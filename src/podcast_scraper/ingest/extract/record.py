"""The artifacts of an episode as one record: nodes and edges of both layers, ready to write."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.artifacts.records import (
    AliasRecord,
    Edge,
    EpisodeRecord,
    Node,
    Segment,
    ShowRecord,
    Transcript,
)
from podcast_scraper.identity.canonical import canonical_id, episode_node_id
from podcast_scraper.identity.slugify import slugify
from podcast_scraper.ingest.extract.people import Speaker, full_name, identify_speakers
from podcast_scraper.ingest.extract.select import choose_insights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.ingest.extract.analysis import Analysis
    from podcast_scraper.ingest.extract.candidates import Candidate
    from podcast_scraper.ingest.extract.layout import Layout
    from podcast_scraper.ingest.extract.roster import CorpusView
    from podcast_scraper.ingest.extract.topics import Topic
    from podcast_scraper.ingest.records import EpisodeInput

_BOTH = frozenset(("gi", "kg"))


class _Draft:
    """Collects nodes and edges; a node that is added twice keeps all its layers and properties."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: dict[tuple[str, str, str, str], Edge] = {}

    def node(self, node_id: str, kind: str, layers: frozenset[str], **properties: Any) -> str:
        known = self.nodes.get(node_id)
        present = {key: value for key, value in properties.items() if value is not None}
        if known is not None:
            present = {**present, **known.properties}
            layers = layers | known.layers
        self.nodes[node_id] = Node(node_id, kind, present, layers)
        return node_id

    def edge(self, kind: str, source: str, target: str, layer: str) -> None:
        assert layer in ("gi", "kg")
        made = Edge(kind, source, target, "gi" if layer == "gi" else "kg")
        self.edges[kind, source, target, layer] = made


def build_record(
    episode: EpisodeInput,
    layout: Layout,
    analysis: Analysis,
    view: CorpusView,
    topics: Sequence[Topic],
    concepts: Mapping[str, str],
    language: str | None = None,
) -> EpisodeRecord:
    """Return the record of an episode.

    ``topics`` are those chosen for it, ``concepts`` the concept of each topic that has one (normal
    forms). The result depends on nothing but the arguments.
    """
    speakers = _speakers(episode, layout, view)
    draft = _Draft()
    show = canonical_id("podcast", episode.show.slug)
    node = episode_node_id(episode.episode_id)
    segments = _segments(layout, analysis, speakers)
    duration = episode.duration or next((s.end for s in reversed(segments) if s.end), None)
    _episode_nodes(draft, episode, show, node, duration)
    _people(draft, speakers, show, node)
    topic_ids = _topics(draft, topics, concepts, node)
    entities = _entities(draft, analysis, view, speakers, node)
    words = len(layout.transcript.text.split())
    for candidate in choose_insights(analysis.candidates, set(topic_ids), view.repeated, words):
        _insight(draft, candidate, layout, segments, episode.episode_id, speakers, duration)
        _references(draft, candidate, episode.episode_id, topic_ids, entities)
    return EpisodeRecord(
        episode_id=episode.episode_id,
        show=_show(episode, show),
        title=episode.title,
        stem_path=episode.stem_path,
        fingerprint="",
        nodes=tuple(sorted(draft.nodes.values(), key=lambda made: made.id)),
        edges=tuple(draft.edges[key] for key in sorted(draft.edges)),
        transcript=Transcript(layout.transcript.text, segments),
        published=episode.published,
        duration=duration,
        media=episode.media_url,
        language=language or episode.show.language,
        summary_text=episode.description,
        aliases=_aliases(speakers),
        times_may_drift=layout.estimated,
    )


def _speakers(episode: EpisodeInput, layout: Layout, view: CorpusView) -> dict[str, Speaker]:
    return identify_speakers(
        dict.fromkeys(line.speaker for line in layout.lines if line.speaker),
        episode.episode_id,
        episode.people,
        view.full_names,
        view.show_episodes,
        view.episodes_of,
    )


def _show(episode: EpisodeInput, node_id: str) -> ShowRecord:
    show = episode.show
    return ShowRecord(node_id, show.title, show.description, show.url, show.image, show.publisher)


def _references(
    draft: _Draft,
    candidate: Candidate,
    episode_id: str,
    topic_ids: Mapping[str, str],
    entities: Mapping[str, tuple[str, str]],
) -> None:
    """Add the edges of an insight to the topics, people and organisations that it names."""
    insight = insight_id(episode_id, candidate)
    found = [("ABOUT", topic_ids[p]) for p in candidate.phrases if p in topic_ids]
    for name in candidate.names:
        if name in entities:
            entity, kind = entities[name]
            found.append(("MENTIONS_PERSON" if kind == "person" else "MENTIONS_ORG", entity))
    for kind, target in found:
        _carry(draft, target)
        draft.edge(kind, insight, target, "gi")


def insight_id(episode_id: str, candidate: Candidate) -> str:
    """Return the id of an insight: a hash of its episode and place."""
    return f"insight:{_hash(episode_id, 'insight', candidate.start, candidate.end)}"


def _hash(*parts: object) -> str:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:16]


def _episode_nodes(
    draft: _Draft, episode: EpisodeInput, show: str, node: str, duration: float | None
) -> None:
    date = episode.published.isoformat() if episode.published else None
    draft.node(
        show,
        "podcast",
        frozenset(("kg",)),
        title=episode.show.title,
        publisher=episode.show.publisher,
    )
    draft.node(
        node,
        "episode",
        _BOTH,
        title=episode.title,
        podcast_id=show,
        publish_date=date,
        audio_url=episode.media_url,
        duration_ms=None if duration is None else round(duration * 1000),
    )
    draft.edge("HAS_EPISODE", show, node, "kg")


def _people(draft: _Draft, speakers: Mapping[str, Speaker], show: str, node: str) -> None:
    for speaker in speakers.values():
        draft.node(speaker.id, "person", _BOTH, name=speaker.name, role=speaker.role)
        draft.edge("SPOKE_IN", speaker.id, node, "kg")
        if speaker.role in ("host", "guest"):
            draft.edge("HOSTS" if speaker.role == "host" else "GUESTS_ON", speaker.id, show, "kg")


def _aliases(speakers: Mapping[str, Speaker]) -> tuple[AliasRecord, ...]:
    found = {
        AliasRecord(speaker.id, label, "label")
        for label, speaker in speakers.items()
        if speaker.alias and slugify(label) != slugify(speaker.name)
    }
    return tuple(sorted(found, key=lambda alias: (alias.entity_id, alias.name)))


def _topics(
    draft: _Draft, topics: Sequence[Topic], concepts: Mapping[str, str], node: str
) -> dict[str, str]:
    """Add the topics and their concepts; returns the topic id of each normal form."""
    ids: dict[str, str] = {}
    for topic in topics:
        topic_id = canonical_id("topic", topic.normal)
        ids[topic.normal] = draft.node(topic_id, "topic", frozenset(("kg",)), label=topic.label)
        draft.edge("MENTIONS", node, topic_id, "kg")
        concept = concepts.get(topic.normal)
        if concept is not None:
            concept_id = f"concept:topic-{slugify(concept)}"
            draft.node(concept_id, "topic", frozenset(("kg",)), label=concept)
            draft.edge("RELATED_TO", topic_id, concept_id, "kg")
    return ids


def _entities(
    draft: _Draft,
    analysis: Analysis,
    view: CorpusView,
    speakers: Mapping[str, Speaker],
    node: str,
) -> dict[str, tuple[str, str]]:
    """Add the people and organisations that are spoken of; returns (id, type) by surface form.

    A first name stands for the one speaker who has it.
    """
    people = {speaker.name: speaker.id for speaker in speakers.values() if not speaker.voice}
    found: dict[str, tuple[str, str]] = {}
    for name, count in analysis.names.items():
        kind = view.types.get(name)
        whole = name if " " in name else full_name(name, people)
        if whole in people and (kind == "person" or count.labels.get("PERSON")):
            found[name] = (people[whole], "person")
            continue
        if kind is None or (kind == "person" and " " not in name):
            continue
        entity = canonical_id(kind, name)
        role = "mentioned" if kind == "person" else None
        draft.node(entity, kind, frozenset(("kg",)), name=name, role=role)
        draft.edge("MENTIONS", node, entity, "kg")
        found[name] = (entity, kind)
    return found


def _carry(draft: _Draft, node_id: str) -> None:
    """An entity or topic that an insight points to is a node of the GI layer, too."""
    node = draft.nodes[node_id]
    draft.nodes[node_id] = replace(node, layers=node.layers | {"gi"})


def _segments(
    layout: Layout, analysis: Analysis, speakers: Mapping[str, Speaker]
) -> tuple[Segment, ...]:
    """Return the segments with their speakers; one that is mostly a sponsor read is an ad."""
    segments: list[Segment] = []
    for segment in layout.transcript.segments:
        assert segment.char_start is not None
        assert segment.char_end is not None
        covered = sum(
            max(0, min(end, segment.char_end) - max(start, segment.char_start))
            for start, end in analysis.ads
        )
        is_ad = segment.kind == "ad" or 2 * covered >= segment.char_end - segment.char_start
        speaker = speakers.get(segment.speaker_label or "")
        segments.append(
            replace(
                segment,
                kind="ad" if is_ad else segment.kind,
                speaker_id=speaker.id
                if speaker and not is_ad and segment.kind == "speech"
                else None,
            )
        )
    return tuple(segments)


def _insight(
    draft: _Draft,
    candidate: Candidate,
    layout: Layout,
    segments: Sequence[Segment],
    episode_id: str,
    speakers: Mapping[str, Speaker],
    duration: float | None,
) -> None:
    """Add an insight, the quote that it is, and who said it."""
    text = layout.transcript.text[candidate.start : candidate.end]
    line = layout.lines[candidate.line]
    start, end = _times(candidate, [segments[index] for index in line.segments])
    quote = f"quote:{_hash(episode_id, 'quote', candidate.start, candidate.end)}"
    insight = insight_id(episode_id, candidate)
    middle = None if start is None or not duration else round(min(1.0, start / duration), 4)
    draft.node(
        insight,
        "insight",
        frozenset(("gi",)),
        text=text,
        episode_id=episode_id,
        grounded=True,
        insight_type=candidate.type,
        position_hint=middle,
    )
    draft.node(
        quote,
        "quote",
        frozenset(("gi",)),
        text=text,
        episode_id=episode_id,
        char_start=candidate.start,
        char_end=candidate.end,
        start_ms=None if start is None else round(start * 1000),
        end_ms=None if end is None else round(end * 1000),
    )
    draft.edge("HAS_INSIGHT", episode_node_id(episode_id), insight, "gi")
    draft.edge("SUPPORTED_BY", insight, quote, "gi")
    speaker = speakers.get(line.speaker or "")
    if speaker is not None:
        draft.edge("SPOKEN_BY", quote, speaker.id, "gi")


def _times(candidate: Candidate, segments: Sequence[Segment]) -> tuple[float | None, float | None]:
    """Return the times of a quote: by its place in the segments that hold it, in proportion."""
    inside = [
        segment
        for segment in segments
        if (segment.char_start or 0) < candidate.end and (segment.char_end or 0) > candidate.start
    ]
    if not inside or inside[0].start is None:
        return None, None
    return _at(inside[0], candidate.start), _at(inside[-1], candidate.end)


def _at(segment: Segment, place: int) -> float | None:
    if segment.start is None or segment.end is None:
        return segment.start
    first, last = segment.char_start or 0, segment.char_end or 0
    share = (place - first) / max(1, last - first)
    return segment.start + (segment.end - segment.start) * min(1.0, max(0.0, share))
