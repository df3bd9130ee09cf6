"""What the whole corpus says about names: votes on their types, and who speaks where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podcast_scraper.ingest.extract.names import EntityType


@dataclass(frozen=True, slots=True)
class CorpusView:
    """The statistics of a corpus that one episode is compared with.

    ``frequency`` gives the number of episodes that hold each phrase of the episode, ``types`` the
    type of each of its names, ``first_names`` those that are words for one person, ``repeated`` the
    fingerprints of its sentences that other episodes hold too; ``full_names`` are the speakers of
    the show and ``episodes_of`` how many of its ``show_episodes`` each speaks in.
    """

    episodes: int
    frequency: Mapping[str, int]
    types: Mapping[str, EntityType | None]
    first_names: frozenset[str] = frozenset()
    repeated: frozenset[int] = frozenset()
    full_names: tuple[str, ...] = ()
    show_episodes: int = 1
    episodes_of: Mapping[str, int] = field(default_factory=dict)
