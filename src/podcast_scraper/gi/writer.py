"""Writing ``*.gi.json`` at the newest version, 3.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.serialising import envelope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.artifacts.records import Edge, Node

VERSION: Final = "3.1"


def gi_document(
    episode_id: str,
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    *,
    model_version: str,
    prompt_version: str = "n/a",
) -> dict[str, Any]:
    """Return the GI document of an episode.

    Takes canonical nodes and edges with properties as :func:`podcast_scraper.gi.reader.read_gi`
    gives them (``start_ms`` and ``end_ms`` of quotes become ``timestamp_*_ms``); which of them
    belong to the layer is the caller's to say. ``model_version`` says how they were made.
    """
    header = {"model_version": model_version, "prompt_version": prompt_version}
    return envelope(VERSION, episode_id, nodes, edges, header)
