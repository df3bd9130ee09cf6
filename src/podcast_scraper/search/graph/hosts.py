"""Recurring hosts whose voice an episode leaves unnamed.

A show with exactly one named host in two or more episodes most likely has that host behind its
unnamed host voice too. The attribution is marked as inferred. Co-hosts are never told apart this
way, and guests are never inferred.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.identity.canonical import is_voice

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

RECURRING: Final = 2


@dataclass(frozen=True, slots=True)
class Appearance:
    """An entity in one episode, with the role that the episode gives it, if any."""

    show_id: str
    episode_id: str
    entity_id: str
    role: str | None


def inferred_hosts(
    appearances: Iterable[Appearance], speaking: Set[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    """Return ``{(voice id, episode id): person id}`` for the host voices that can be named.

    ``speaking`` holds the (entity id, episode id) pairs with at least one spoken quote.
    """
    by_show: dict[str, list[Appearance]] = defaultdict(list)
    for seen in appearances:
        if seen.role == "host":
            by_show[seen.show_id].append(seen)
    found: dict[tuple[str, str], str] = {}
    for hosts in by_show.values():
        recurring = _recurring(hosts)
        if len(recurring) == 1:
            found.update(_voices(hosts, recurring[0], speaking))
    return found


def _recurring(hosts: list[Appearance]) -> list[str]:
    episodes: dict[str, set[str]] = defaultdict(set)
    for seen in hosts:
        if not is_voice(seen.entity_id):
            episodes[seen.entity_id].add(seen.episode_id)
    return sorted(person for person, where in episodes.items() if len(where) >= RECURRING)


def _voices(
    hosts: list[Appearance], person: str, speaking: Set[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    voices: dict[str, list[str]] = defaultdict(list)
    named_there = {
        seen.episode_id
        for seen in hosts
        if not is_voice(seen.entity_id) and (seen.entity_id, seen.episode_id) in speaking
    }
    for seen in hosts:
        if is_voice(seen.entity_id):
            voices[seen.episode_id].append(seen.entity_id)
    return {
        (heard[0], episode): person
        for episode, heard in voices.items()
        if len(heard) == 1 and episode not in named_there
    }
