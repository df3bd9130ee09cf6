"""Who the speakers are: full names for first names, voices for labels, hosts and guests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.artifacts.labels import is_nobody, voice_of
from podcast_scraper.identity.canonical import canonical_id
from podcast_scraper.ingest.transcripts.labels import is_voice_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podcast_scraper.ingest.feeds.records import FeedPerson

_EDGES = re.compile(r"^[^\w]+|[^\w.)]+$")
_NOTE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]$")
HOST_SHARE: Final = 0.4
HOST_EPISODES: Final = 3
"""Who speaks in two fifths of a show's episodes, and in three at least, hosts it."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """A speaker of an episode. ``id`` is a person, or a voice of this episode.

    ``role`` is ``host``, ``guest`` or None where nothing tells; ``alias`` is the label in the
    transcript where it differs from the name.
    """

    id: str
    name: str
    role: str | None = None
    alias: str | None = None
    voice: bool = False


def tidy_name(label: str) -> str:
    """Return a label without emoji, notes in brackets and stray marks at its ends.

    >>> tidy_name("Paul Frazee✌"), tidy_name("Ada B. (guest)")
    ('Paul Frazee', 'Ada B.')
    """
    name = _EDGES.sub("", _NOTE.sub("", label.strip()))
    return " ".join(name.split()) or label.strip()


def full_name(name: str, known: Iterable[str]) -> str:
    """Return the one known full name that a single first name (or a written initial) stands for."""
    first, _, rest = name.partition(" ")
    if rest and not re.fullmatch(r"\w\.?", rest):
        return name
    initial = rest[:1].casefold()
    fits = {
        other
        for other in known
        if (words := other.split())
        and len(words) > 1
        and words[0].casefold() == first.casefold()
        and (not initial or words[-1][0].casefold() == initial)
    }
    return fits.pop() if len(fits) == 1 else name


def identify_speakers(
    labels: Iterable[str],
    episode_id: str,
    listed: Iterable[FeedPerson] = (),
    known: Iterable[str] = (),
    show_episodes: int = 0,
    episodes_of: Mapping[str, int] | None = None,
) -> dict[str, Speaker]:
    """Return the speaker of each label.

    ``listed`` are the feed's people of the episode, ``known`` the full names that speak elsewhere
    in the show, and ``episodes_of`` in how many of its ``show_episodes`` each name speaks.
    """
    names = {label: tidy_name(label) for label in labels}
    people = {person.name: person.role for person in listed}
    full = [*people, *(name for name in names.values() if " " in name)]
    speakers: dict[str, Speaker] = {}
    for label, name in names.items():
        if is_voice_label(name) or is_nobody(name):
            voice = voice_of(name, episode_id) or voice_of("speaker-0", episode_id)
            assert voice is not None
            speakers[label] = Speaker(voice, name, voice=True)
            continue
        whole = full_name(name, full)
        whole = full_name(name, known) if whole == name else whole
        role = people.get(whole) or _role(whole, show_episodes, episodes_of or {})
        alias = label if label != whole else None
        speakers[label] = Speaker(canonical_id("person", whole), whole, role, alias)
    return speakers


def _role(name: str, show_episodes: int, episodes_of: Mapping[str, int]) -> str | None:
    if show_episodes < HOST_EPISODES:
        return None
    often = episodes_of.get(name, 0)
    hosts = often >= HOST_EPISODES and often >= HOST_SHARE * show_episodes
    return "host" if hosts else "guest"
