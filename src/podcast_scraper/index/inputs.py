"""What an index is made of, and what making it gave."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podcast_scraper.artifacts.reading import CorpusReading
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.index.parallel import Workers
    from podcast_scraper.index.progress import Progress
    from podcast_scraper.storage.generations import Generation


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """The live generation and its report; ``fresh`` if it was made or changed just now."""

    generation: Generation
    report: dict[str, Any]
    fresh: bool


@dataclass(frozen=True)
class Inputs:
    """The files of a corpus, the encoder, what people decided about ids, servers and workers."""

    reading: CorpusReading
    encoder: Encoder
    identity: IdentityMap
    progress: Progress
    search: str | None = None
    workers: Workers | None = None

    @cached_property
    def decisions(self) -> str:
        """Digest of the decisions, as far as they change what is indexed; empty without any."""
        decided = (sorted(self.identity.redirects.items()), sorted(self.identity.scoped.items()))
        return hashlib.sha256(repr(decided).encode()).hexdigest() if any(decided) else ""

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the files and the decisions: an index with the same one is up to date."""
        digest = hashlib.sha256(self.decisions.encode())
        for episode in self.reading.plan:
            digest.update(f"{episode.episode_id}\0{episode.fingerprint}\n".encode())
        return digest.hexdigest()

    def extra(self, *, revision: int) -> dict[str, object]:
        """Return what a manifest keeps besides, of an index in that revision."""
        return {"decisions": self.decisions, "revision": revision}
