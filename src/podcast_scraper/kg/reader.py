"""Reading ``*.kg.json``: people, organisations, topics, show and episode, versions 1.0 to 2.0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.envelope import LayerFile, read_layer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podcast_scraper.artifacts.report import Issues

VERSIONS: Final = {1: 2, 2: 0}
"""Known major versions with the newest minor one of each."""


def read_kg(document: Mapping[str, Any], *, path: str, issues: Issues) -> LayerFile:
    """Return a KG file in canonical ids.

    ``Entity`` nodes of the 1.x versions become people, organisations or topics by their ``kind``
    or ``entity_kind``; without one they stay ``entity``. ``path`` names the file in ``issues``.

    Raises:
        ArtifactError: the major version is unknown.
    """
    return read_layer(document, "kg", VERSIONS, path, issues)
