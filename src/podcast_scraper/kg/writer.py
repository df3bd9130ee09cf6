"""Writing ``*.kg.json`` at the newest version, 2.0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.serialising import envelope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.artifacts.records import Edge, Node

VERSION: Final = "2.0"


def kg_document(
    episode_id: str,
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    *,
    model_version: str,
    extracted_at: str | None = None,
    transcript_ref: str | None = None,
) -> dict[str, Any]:
    """Return the KG document of an episode.

    Takes canonical nodes and edges; which of them belong to the layer is the caller's to say.
    ``extracted_at`` (ISO 8601) is left out by default, so that the same input gives the same bytes.
    """
    extraction = {
        "model_version": model_version,
        "extracted_at": extracted_at,
        "transcript_ref": transcript_ref,
    }
    header = {"extraction": {key: value for key, value in extraction.items() if value is not None}}
    return envelope(VERSION, episode_id, nodes, edges, header)
