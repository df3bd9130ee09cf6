"""The built sample corpus as raw JSON, read without the product's own readers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "data"
SAMPLE = DATA / "sample"


@dataclass(frozen=True)
class RawEpisode:
    """All files of one episode, as they lie on disk."""

    stem: str
    gi: dict[str, Any]
    kg: dict[str, Any]
    bridge: dict[str, Any]
    metadata: dict[str, Any]
    segments: list[dict[str, Any]]
    text: str

    @property
    def id(self) -> str:
        return str(self.gi["episode_id"])

    def nodes(self, layer: str, node_type: str) -> list[dict[str, Any]]:
        return [n for n in getattr(self, layer)["nodes"] if n["type"] == node_type]

    def edges(self, layer: str, edge_type: str) -> list[tuple[str, str]]:
        return [
            (e["from"], e["to"]) for e in getattr(self, layer)["edges"] if e["type"] == edge_type
        ]


def read_episode(gi_path: Path) -> RawEpisode:
    stem = gi_path.name.removesuffix(".gi.json")
    transcripts = gi_path.parents[1] / "transcripts"

    def read(path: Path) -> Any:
        return json.loads(path.read_text(encoding="utf-8"))

    return RawEpisode(
        stem,
        read(gi_path),
        *(read(gi_path.with_name(f"{stem}.{layer}.json")) for layer in ("kg", "bridge")),
        metadata=read(gi_path.with_name(f"{stem}.metadata.json")),
        segments=read(transcripts / f"{stem}.segments.json"),
        text=(transcripts / f"{stem}.txt").read_text(encoding="utf-8"),
    )


@pytest.fixture(scope="session")
def corpus() -> list[RawEpisode]:
    return [read_episode(path) for path in sorted(SAMPLE.glob("feeds/*/metadata/*.gi.json"))]
