"""Hand-made episodes, and an index of them, for the tests of graph and relations."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy.orm import Session

from podcast_scraper.artifacts.records import Edge, EpisodeRecord, Node, ShowRecord, Transcript
from podcast_scraper.identity.canonical import base_id, is_voice, type_of
from podcast_scraper.storage import schema
from podcast_scraper.storage.store import store_at

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import sqlalchemy as sa

GI = frozenset({"gi"})
KG = frozenset({"kg"})


class EpisodeDraft:
    """Collects nodes and edges of one episode in the way that artifacts hold them."""

    def __init__(
        self, episode_id: str, show: str = "a", day: str | None = "2024-01-01", title: str = ""
    ) -> None:
        self.id = episode_id
        self.show = ShowRecord(f"podcast:{show}", f"Show {show.upper()}")
        self.title = title or f"Episode {episode_id}"
        self.day = day
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.add(f"episode:{episode_id}", "episode", GI | KG)
        self.add(self.show.id, "podcast", frozenset())
        self.edge("HAS_EPISODE", self.show.id, f"episode:{episode_id}", "derived")

    def add(
        self, node_id: str, kind: str, layers: frozenset[str] = GI, **properties: object
    ) -> str:
        self.nodes[node_id] = Node(node_id, kind, properties, layers)
        return node_id

    def edge(self, kind: str, source: str, target: str, layer: str = "gi") -> None:
        self.edges.append(Edge(kind, source, target, layer))  # type: ignore[arg-type]

    def person(self, name: str, role: str | None = None) -> str:
        node_id = name if name.startswith("person:") else f"person:{name.lower()}"
        label = name.rpartition(":")[2]
        properties = {"name": label} | ({"role": role} if role else {})
        self.add(node_id, "person", KG, **properties)
        self.edge("MENTIONS", f"episode:{self.id}", node_id, "kg")
        return node_id

    def topic(self, label: str) -> str:
        node_id = f"topic:{label.lower().replace(' ', '-')}"
        self.add(node_id, "topic", KG, label=label)
        self.edge("MENTIONS", f"episode:{self.id}", node_id, "kg")
        return node_id

    def org(self, name: str) -> str:
        self.add(f"org:{name.lower()}", "org", KG, name=name)
        return f"org:{name.lower()}"

    def insight(
        self,
        name: str,
        text: str = "",
        *,
        about: Sequence[str] = (),
        by: Sequence[str] = (),
        mentions: Sequence[str] = (),
        hint: float | None = None,
    ) -> str:
        """Add an insight with one quote for each speaker in ``by``."""
        node_id = f"insight:{name}"
        self.add(
            node_id,
            "insight",
            text=text or f"Insight {name}.",
            episode_id=self.id,
            grounded=bool(by),
            insight_type="claim",
            **({} if hint is None else {"position_hint": hint}),
        )
        self.edge("HAS_INSIGHT", f"episode:{self.id}", node_id)
        for topic in about:
            self.edge("ABOUT", node_id, topic)
        for target in mentions:
            kind = "MENTIONS_ORG" if target.startswith("org:") else "MENTIONS_PERSON"
            self.edge(kind, node_id, target)
        for number, speaker in enumerate(by):
            quote = (
                f"quote:{name}".replace("@", f"-{number}@")
                if "@" in name
                else (f"quote:{name}-{number}")
            )
            self.add(
                quote,
                "quote",
                text=f"Said {name}.",
                episode_id=self.id,
                start_ms=1000 * (number + 1),
                end_ms=1000 * (number + 2),
            )
            self.edge("SUPPORTED_BY", node_id, quote)
            self.edge("SPOKEN_BY", quote, speaker)
        return node_id

    def record(self) -> EpisodeRecord:
        return EpisodeRecord(
            self.id,
            self.show,
            self.title,
            self.id,
            "0" * 64,
            tuple(self.nodes.values()),
            tuple(self.edges),
            Transcript("", ()),
            published=datetime.fromisoformat(self.day).replace(tzinfo=UTC) if self.day else None,
            duration=60.0,
            media=f"https://example.org/{self.id}.mp3",
        )


def write_index(
    path: Path, records: Sequence[EpisodeRecord], store: str | None = None
) -> sa.Engine:
    """Write the records' rows into ``path/corpus.sqlite``, or into a store at a URL.

    Returns an engine over them.
    """
    engine = store_at(store).create_records(path)
    names: dict[str, Counter[str]] = {}
    with Session(engine) as session:
        for show in {record.show.id: record.show for record in records}.values():
            session.add(
                schema.Show(
                    id=show.id,
                    title=show.title,
                    description=None,
                    url=None,
                    image=None,
                    publisher=None,
                    other_ids=[],
                )
            )
        session.flush()
        for record in records:
            session.add(
                schema.Episode(
                    id=record.episode_id,
                    show_id=record.show.id,
                    title=record.title,
                    published=record.published.isoformat() if record.published else None,
                    duration=record.duration,
                    media=record.media,
                    language=None,
                    summary_title=None,
                    summary_bullets=[],
                    summary_text=None,
                    stem_path=record.stem_path,
                    fingerprint=record.fingerprint,
                    times_may_drift=False,
                    transcript="",
                )
            )
            session.flush()
            for node in record.nodes:
                session.add_all(_node_rows(record.episode_id, node))
                if type_of(node.id) in ("person", "org", "topic"):
                    name = str(node.properties.get("name") or node.properties.get("label"))
                    names.setdefault(node.id, Counter())[name] += 1
            session.add_all(
                schema.GraphEdge(
                    episode_id=record.episode_id,
                    type=edge.type,
                    source=edge.source,
                    target=edge.target,
                    layer=edge.layer,
                    confidence=None,
                    properties={},
                )
                for edge in record.edges
            )
        session.add_all(
            schema.Entity(
                id=i,
                type=type_of(i) or "",
                name=n.most_common(1)[0][0],
                description=None,
                voice=is_voice(i),
            )
            for i, n in names.items()
        )
        session.commit()
    return engine


def _node_rows(episode_id: str, node: Node) -> list[schema.Base]:
    properties = dict(node.properties)
    text = str(properties.get("text", ""))
    if node.type in ("person", "org", "topic"):
        return [
            schema.EntityOccurrence(
                episode_id=episode_id,
                entity_id=node.id,
                type=node.type,
                name=str(properties.get("name") or properties.get("label")),
                role=properties.get("role"),
                layers=",".join(sorted(node.layers)),
                properties=properties,
            )
        ]
    if node.type == "insight":
        return [
            schema.Insight(
                id=node.id,
                base_id=base_id(node.id),
                episode_id=episode_id,
                text=text,
                insight_type="claim",
                grounded=bool(properties.get("grounded")),
                position_hint=None,
                confidence=None,
                properties=properties,
            )
        ]
    if node.type == "quote":
        return [
            schema.Quote(
                id=node.id,
                base_id=base_id(node.id),
                episode_id=episode_id,
                text=text,
                char_start=None,
                char_end=None,
                start_ms=None,
                end_ms=None,
                located="none",
                properties=properties,
            )
        ]
    if node.type in ("episode", "podcast"):
        return []
    return [
        schema.OtherNode(episode_id=episode_id, id=node.id, type=node.type, properties=properties)
    ]
