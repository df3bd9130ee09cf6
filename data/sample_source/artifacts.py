"""From a script to the artifacts of one episode: GI 3.1, KG 2.0, bridge, metadata, transcript."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data.sample_source.timing import Piece, pieces_of, time_at

from podcast_scraper.identity.canonical import canonical_id, is_voice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data.sample_source.cast import Cast, Entity, Show
    from data.sample_source.script import Insight, Script

Json = dict[str, Any]
_MADE_BY = "authored-sample-v1"


@dataclass(frozen=True, slots=True)
class PlacedQuote:
    """A quote with its place: code points of the transcript, milliseconds of the audio."""

    mark: str
    text: str
    char_start: int
    char_end: int
    start_ms: int
    end_ms: int
    speaker_id: str

    @property
    def id(self) -> str:
        return f"quote:{_hash(self.text)}"


@dataclass(frozen=True, slots=True)
class Episode:
    """A script laid out in text and time; everything else is read off this."""

    script: Script
    show: Show
    text: str
    pieces: tuple[Piece, ...]
    quotes: tuple[PlacedQuote, ...]

    @property
    def node_id(self) -> str:
        return f"episode:{self.script.id}"

    @property
    def duration_ms(self) -> int:
        return self.pieces[-1].end_ms

    @property
    def transcript_ref(self) -> str:
        return f"transcripts/{self.script.stem}.txt"

    @property
    def speakers(self) -> list[str]:
        """Names in the order of their first words; advertisements are no speakers."""
        return list(dict.fromkeys(t.label for t in self.script.turns if not t.is_ad))


def insight_id(insight: Insight) -> str:
    """Return the id of an insight: a hash of its text, so a stock sentence keeps its id."""
    return f"insight:{_hash(insight.text)}"


def person_id(name: str) -> str:
    """Return the person's id; a diarisation label gives the id of a voice."""
    return canonical_id("person", name)


def lay_out(
    script: Script, cast: Cast, measured: Sequence[tuple[int, int]] | None = None
) -> Episode:
    """Place the turns of a script in the transcript's text and in time."""
    pieces = tuple(pieces_of(script.turns, measured))
    lines, quotes, at = [], [], 0
    for n, turn in enumerate(script.turns):
        prefix = f"{turn.label}: "
        for q in turn.quotes:
            base = at + len(prefix)
            quotes.append(
                PlacedQuote(
                    q.mark,
                    turn.text[q.start : q.end],
                    base + q.start,
                    base + q.end,
                    time_at(pieces, turn.text, n, q.start),
                    time_at(pieces, turn.text, n, q.end),
                    person_id(turn.label),
                )
            )
        lines.append(prefix + turn.text + "\n")
        at += len(lines[-1])
    return Episode(script, cast.shows[script.meta["show"]], "".join(lines), pieces, tuple(quotes))


def segments(episode: Episode) -> list[Json]:
    """Return the timed segments, seconds with three decimals at most."""
    turns = episode.script.turns
    return [
        {
            "id": n,
            "start": piece.start_ms / 1000,
            "end": piece.end_ms / 1000,
            "text": turns[piece.turn].text[piece.start : piece.end],
            "speaker_label": turns[piece.turn].label,
        }
        for n, piece in enumerate(episode.pieces)
    ]


def gi(episode: Episode, cast: Cast) -> Json:
    """Return the grounded insight layer."""
    script = episode.script
    nodes = [_episode_node(episode, duration_ms=episode.duration_ms)]
    edges: list[Json] = []
    named = {person_id(name): name for name in episode.speakers}
    for quote in episode.quotes:
        nodes.append(_quote_node(episode, quote))
        edges.append(_edge("SPOKEN_BY", quote.id, quote.speaker_id))
    for insight in script.insights:
        own = [quote for quote in episode.quotes if quote.mark == insight.mark]
        nodes.append(_insight_node(episode, insight, own))
        edges += _insight_edges(episode, insight, own, cast)
    mentioned = [cast.entities[m] for i in script.insights for m in i.mentions]
    nodes += [_node(pid, "Person", name=name) for pid, name in named.items()]
    nodes += [_entity_node(e) for e in _distinct(mentioned) if e.id not in named]
    topics = dict.fromkeys(slug for i in script.insights for slug, _ in i.about)
    nodes += [_node(cast.topics[t].id, "Topic", label=cast.topics[t].label) for t in topics]
    edges += [_edge("SPOKE_IN", pid, episode.node_id) for pid in named]
    return {
        "schema_version": "3.1",
        "model_version": _MADE_BY,
        "prompt_version": "n/a",
        "episode_id": script.id,
        "nodes": nodes,
        "edges": edges,
    }


def kg(episode: Episode, cast: Cast) -> Json:
    """Return the knowledge graph layer: show, episode, people, organisations and topics."""
    show = episode.show
    nodes = [
        _node(show.id, "Podcast", title=show.title, publisher=show.publisher),
        _episode_node(episode),
    ]
    edges = [_edge("HAS_EPISODE", show.id, episode.node_id)]
    for name in episode.speakers:
        pid = person_id(name)
        if is_voice(pid):
            continue
        role = "host" if name in show.hosts else "guest"
        nodes.append(_entity_node(cast.entities[name], role=role))
        edges.append(_edge("HOSTS" if role == "host" else "GUESTS_ON", pid, show.id))
    for entity in only_mentioned(episode, cast):
        extra = {"role": "mentioned"} if entity.type == "person" else {}
        nodes.append(_entity_node(entity, **extra))
        edges.append(_edge("MENTIONS", episode.node_id, entity.id))
    topics = dict.fromkeys(slug for i in episode.script.insights for slug, _ in i.about)
    concepts = {}
    for topic in (cast.topics[slug] for slug in topics):
        nodes.append(_node(topic.id, "Topic", label=topic.label, slug=topic.slug))
        edges.append(_edge("MENTIONS", episode.node_id, topic.id))
        if topic.concept is not None:
            concept = f"concept:topic-{topic.concept}"
            concepts[concept] = cast.concepts[topic.concept]
            edges.append(_edge("RELATED_TO", topic.id, concept))
    nodes += [_node(cid, "Topic", label=label) for cid, label in concepts.items()]
    return {
        "schema_version": "2.0",
        "episode_id": episode.script.id,
        "extraction": {
            "model_version": _MADE_BY,
            "extracted_at": f"{episode.script.date}T18:00:00Z",
            "transcript_ref": episode.transcript_ref,
        },
        "nodes": nodes,
        "edges": edges,
    }


def bridge(episode: Episode, cast: Cast) -> Json:
    """Return the ids that GI and KG share in this episode."""
    layers = [{n["id"]: n for n in layer(episode, cast)["nodes"]} for layer in (gi, kg)]
    shared = [node for nid, node in layers[0].items() if nid in layers[1]]
    return {
        "schema_version": "1",
        "episode_id": episode.script.id,
        "identities": [
            {"id": n["id"], "display_name": n["properties"].get("name") or n["properties"]["label"]}
            for n in shared
            if n["type"] != "Episode"
        ],
    }


def metadata(episode: Episode) -> Json:
    """Return the catalog entry; ``media_url`` is relative to the corpus, null without audio."""
    script, show = episode.script, episode.show
    audio = script.meta.get("audio")
    grounded = [i.text for i in script.insights if i.mark != "-" and i.type != "question"]
    return {
        "schema_version": "1",
        "feed": {
            "feed_id": show.slug,
            "title": show.title,
            "url": f"https://{show.slug}.example/feed.xml",
            "description": show.description,
            "image_url": None,
        },
        "episode": {
            "episode_id": script.id,
            "title": script.meta["title"],
            "published_date": f"{script.date}T06:00:00Z",
            "duration_seconds": episode.duration_ms / 1000,
        },
        "content": {
            "media_url": f"feeds/{show.slug}/{audio}" if audio else None,
            "media_type": "audio/mpeg" if audio else None,
            "language": "en",
            "speakers": [
                {
                    "id": f"speaker_{n}",
                    "name": name,
                    "role": "host" if name in show.hosts else "guest",
                }
                for n, name in enumerate(episode.speakers, start=1)
            ],
            "transcript_file_path": episode.transcript_ref,
            "transcript_source": _MADE_BY,
        },
        "summary": {
            "title": script.meta["title"],
            "bullets": grounded[:4],
            "raw_text": script.meta["summary"],
        },
    }


def only_mentioned(episode: Episode, cast: Cast) -> list[Entity]:
    """Return people and organisations that are talked about and do not speak, once each."""
    script = episode.script
    names = [*(m for i in script.insights for m in i.mentions), *script.meta.get("mentions", ())]
    entities = _distinct(cast.entities[name] for name in names)
    return [e for e in entities if e.name not in episode.speakers]


def _insight_node(episode: Episode, insight: Insight, own: list[PlacedQuote]) -> Json:
    properties: Json = {
        "text": insight.text,
        "episode_id": episode.script.id,
        "grounded": bool(own),
        "insight_type": insight.type,
    }
    if own:
        mean = sum(q.start_ms for q in own) / len(own)
        properties["position_hint"] = round(mean / episode.duration_ms, 3)
    return {"id": insight_id(insight), "type": "Insight", "properties": properties}


def _insight_edges(
    episode: Episode, insight: Insight, own: list[PlacedQuote], cast: Cast
) -> list[Json]:
    iid = insight_id(insight)
    edges = [_edge("HAS_INSIGHT", episode.node_id, iid)]
    edges += [_edge("SUPPORTED_BY", iid, quote.id) for quote in own]
    edges += [
        _edge("ABOUT", iid, cast.topics[slug].id, confidence=confidence)
        for slug, confidence in insight.about
    ]
    for entity in (cast.entities[name] for name in insight.mentions):
        edges.append(_edge(f"MENTIONS_{entity.type.upper()}", iid, entity.id))
    return edges


def _quote_node(episode: Episode, quote: PlacedQuote) -> Json:
    return _node(
        quote.id,
        "Quote",
        text=quote.text,
        episode_id=episode.script.id,
        char_start=quote.char_start,
        char_end=quote.char_end,
        timestamp_start_ms=quote.start_ms,
        timestamp_end_ms=quote.end_ms,
        transcript_ref=episode.transcript_ref,
        speaker_id=quote.speaker_id,
    )


def _episode_node(episode: Episode, **extra: Any) -> Json:
    return _node(
        episode.node_id,
        "Episode",
        title=episode.script.meta["title"],
        podcast_id=episode.show.id,
        feed_id=episode.show.slug,
        publish_date=f"{episode.script.date}T06:00:00Z",
        **extra,
    )


def _entity_node(entity: Entity, **extra: Any) -> Json:
    kind = "Person" if entity.type == "person" else "Organization"
    aliases = {"aliases": list(entity.aliases)} if entity.aliases else {}
    return _node(
        entity.id, kind, name=entity.name, **aliases, **extra, description=entity.description
    )


def _node(node_id: str, node_type: str, **properties: Any) -> Json:
    return {"id": node_id, "type": node_type, "properties": properties}


def _edge(edge_type: str, source: str, target: str, **properties: Any) -> Json:
    edge: Json = {"type": edge_type, "from": source, "to": target}
    return edge | {"properties": properties} if properties else edge


def _distinct(entities: Iterable[Entity]) -> list[Entity]:
    return list({entity.id: entity for entity in entities}.values())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
