"""One episode from its record to documents with vectors: the work that takes a build's time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.index.documents import documents_of
from podcast_scraper.index.progress import Stopwatch
from podcast_scraper.index.rows import text_hash
from podcast_scraper.index.vectors import embed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.index.vectors import Donor
    from podcast_scraper.search.documents import Document


@dataclass(frozen=True, slots=True)
class EncodedEpisode:
    """The documents of an episode; ``vectors`` are those of segments, then of insights.

    ``reused`` of them were known before.
    """

    record: EpisodeRecord
    segments: Sequence[Document]
    insights: Sequence[Document]
    vectors: NDArray[np.float32]
    reused: int

    @property
    def of_segments(self) -> NDArray[np.float32]:
        """The vectors of the segments."""
        return self.vectors[: len(self.segments)]

    @property
    def of_insights(self) -> NDArray[np.float32]:
        """The vectors of the insights."""
        return self.vectors[len(self.segments) :]


def encode_episode(
    record: EpisodeRecord,
    encoder: Encoder,
    identity: IdentityMap,
    donors: Sequence[Donor],
    watch: Stopwatch | None = None,
) -> EncodedEpisode:
    """Chunk an episode and embed what no donor has; ``watch`` takes the time of both stages."""
    watch = watch or Stopwatch()
    with watch.stage("chunk"):
        segments, insights = documents_of(record, encoder, identity)
    with watch.stage("embed"):
        texts = [document.text for document in (*segments, *insights)]
        hashes = [text_hash(text) for text in texts]
        vectors, reused = embed(texts, hashes, encoder, donors)
    return EncodedEpisode(record, segments, insights, vectors, reused)
