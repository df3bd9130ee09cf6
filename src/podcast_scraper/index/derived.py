"""What describes a whole corpus and is made anew when records have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.search.graph.files import write_graph
from podcast_scraper.search.rescue.calibration import calibrate, probes_of, store_calibration
from podcast_scraper.search.rescue.stored import write_rescue

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import sqlalchemy as sa
    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.search.backend import IndexBackend


def write_derived(directory: Path, engine: sa.Engine, identity: IdentityMap) -> None:
    """Write the graph, and the columns and hyperedges over it, after all records are committed."""
    compiled = write_graph(directory, engine, identity_map=identity)
    write_rescue(directory, engine, compiled)


def write_calibration(directory: Path, backend: IndexBackend, encoder: Encoder) -> None:
    """Measure the corpus' own confidence threshold and write it; a corpus without names has none.

    The documents must be searchable.
    """

    def embed(text: str) -> NDArray[np.float32]:
        return encoder.encode_query(encoder.fit_query(text)[0])

    probes = probes_of(backend.engine)
    if probes:
        store_calibration(directory, calibrate(backend, embed, probes))
