"""Reading ``*.gi.json``: insights, verbatim quotes and who spoke them, versions 1.0 to 3.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.envelope import LayerFile, read_layer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podcast_scraper.artifacts.report import Issues

VERSIONS: Final = {1: 0, 2: 0, 3: 1}
"""Known major versions with the newest minor one of each."""


def read_gi(document: Mapping[str, Any], *, path: str, issues: Issues) -> LayerFile:
    """Return a GI file in canonical ids.

    Version 1.0's ``Speaker`` nodes are people; ``timestamp_*_ms`` are read as ``start_ms`` and
    ``end_ms``. ``path`` names the file in ``issues``, which collects what was dropped or mended.

    Raises:
        ArtifactError: the major version is unknown.
    """
    return read_layer(document, "gi", VERSIONS, path, issues)
