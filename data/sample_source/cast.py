"""The cast of the sample corpus: its shows, people, organisations and topics, from YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from podcast_scraper.identity.canonical import canonical_id

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Show:
    """A fictional podcast; ``slug`` is its feed id and the folder that its artifacts go to."""

    slug: str
    title: str
    description: str
    publisher: str
    hosts: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"podcast:{self.slug}"


@dataclass(frozen=True, slots=True)
class Entity:
    """A person or an organisation; ``type`` is ``person`` or ``org``."""

    type: str
    name: str
    description: str
    aliases: tuple[str, ...]

    @property
    def id(self) -> str:
        return canonical_id(self.type, self.name)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic and, where several shows share the idea, the concept topic that stands for it."""

    slug: str
    label: str
    concept: str | None

    @property
    def id(self) -> str:
        return f"topic:{self.slug}"


@dataclass(frozen=True, slots=True)
class Cast:
    """Everything that a script may name, by the key that scripts use."""

    shows: dict[str, Show]
    entities: dict[str, Entity]
    topics: dict[str, Topic]
    concepts: dict[str, str]

    @classmethod
    def load(cls, folder: Path) -> Cast:
        """Read ``shows.yaml`` and ``people.yaml`` of the authoring folder."""
        shows = _read(folder / "shows.yaml")
        people = _read(folder / "people.yaml")
        return cls(
            shows={
                slug: Show(slug, s["title"], s["description"], s["publisher"], tuple(s["hosts"]))
                for slug, s in shows["shows"].items()
            },
            entities={
                name: Entity(kind, name, e["description"], tuple(e.get("aliases", ())))
                for kind, section in (("person", "people"), ("org", "organisations"))
                for name, e in people[section].items()
            },
            topics={
                slug: Topic(slug, t["label"], t.get("concept"))
                for slug, t in shows["topics"].items()
            },
            concepts=shows["concepts"],
        )


def _read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded
