"""Who speaks under a label: a person of the graph, an alias candidate, a voice, a new person."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from podcast_scraper.artifacts.labels import is_nobody, voice_of
from podcast_scraper.identity.canonical import canonical_id
from podcast_scraper.identity.slugify import slugify

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from podcast_scraper.artifacts.catalog import CatalogSpeaker
    from podcast_scraper.artifacts.quotes import Place
    from podcast_scraper.artifacts.records import Segment

_ALIKE: Final = 55.0
"""Least rapidfuzz ratio (0..100) of two names that already are the only ones left to pair."""


@dataclass(slots=True)
class Speakers:
    """``ids`` maps each label to a person, a voice or None. ``new`` are people and voices that no
    layer has, with their names; ``aliases`` are (person, label) pairs to be confirmed.
    """

    ids: dict[str, str | None] = field(default_factory=dict)
    new: dict[str, str] = field(default_factory=dict)
    aliases: list[tuple[str, str]] = field(default_factory=list)


def name_index(people: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Map the slug of every name of the people of an episode to their id; shared names to none."""
    owners: dict[str, set[str]] = defaultdict(set)
    for person, names in people.items():
        for name in (*names, person.partition(":")[2]):
            owners[slugify(name)].add(person)
    return {slug: next(iter(ids)) for slug, ids in owners.items() if len(ids) == 1}


def resolve_labels(
    segments: Sequence[Segment],
    people: Mapping[str, Sequence[str]],
    speaking: Iterable[str],
    quotes: Sequence[tuple[Place, str]],
    catalog: Sequence[CatalogSpeaker],
    episode_id: str,
) -> Speakers:
    """Resolve the labels of an episode's speech.

    ``people`` gives the names of every person of the graph, ``speaking`` those who speak (by
    SPOKEN_BY or their role), ``quotes`` the located quotes with their speaker. A label that names
    nobody is given to the person whose quotes lie in its segments; one label and one speaker that
    are left over are paired where their names are alike. Both make an alias candidate. Where no
    speaker is left over, the label is a new person.
    """
    result = Speakers()
    listed = {speaker.id: speaker.name for speaker in catalog if speaker.id}
    open_labels = _by_names(result, segments, people, listed, episode_id)
    taken = {person for person in result.ids.values() if person}
    _by_quotes(result, open_labels, taken, segments, quotes)
    left = [person for person in dict.fromkeys(speaking) if person not in taken]
    if len(open_labels) == len(left) == 1 and _alike(open_labels[0], people.get(left[0], ())):
        result.ids[open_labels[0]] = left.pop()
        open_labels.clear()
    if not left:
        for label in open_labels:
            person = canonical_id("person", listed.get(label, label))
            result.ids[label] = person
            result.new[person] = listed.get(label, label)
    result.aliases = [
        (person, listed.get(label, label))
        for label, person in result.ids.items()
        if person is not None
        and person in people
        and not _has_name(people[person], listed.get(label, label))
    ]
    return result


def _by_names(
    result: Speakers,
    segments: Sequence[Segment],
    people: Mapping[str, Sequence[str]],
    listed: Mapping[str, str],
    episode_id: str,
) -> list[str]:
    """Resolve the labels that state a person, name one or are a voice; returns the other ones."""
    index = name_index(people)
    open_labels: list[str] = []
    for segment in segments:
        label, stated = segment.speaker_label, segment.speaker_id
        if stated is not None and stated not in people and stated not in result.new:
            slug = stated.partition(":")[2].partition("@")[0]
            result.new[stated] = listed.get(label, label) if label else slug.replace("-", " ")
        if label is None or segment.kind != "speech" or label in result.ids:
            continue
        if stated is not None:
            result.ids[label] = stated
            continue
        name = listed.get(label, label)
        known = index.get(slugify(name))
        voice = None if known else voice_of(name, episode_id)
        result.ids[label] = known or voice
        if voice:
            result.new[voice] = name
        elif known is None and not is_nobody(name):
            open_labels.append(label)
    return open_labels


def _has_name(names: Sequence[str], name: str) -> bool:
    return slugify(name) in {slugify(known) for known in names}


def _by_quotes(
    result: Speakers,
    open_labels: list[str],
    taken: set[str],
    segments: Sequence[Segment],
    quotes: Sequence[tuple[Place, str]],
) -> None:
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for place, person in quotes:
        label = _label_at(place, segments)
        if label is not None:
            votes[label][person] += 1
    for label in list(open_labels):
        ranked = [item for item in votes[label].most_common() if item[0] not in taken]
        if ranked and 2 * ranked[0][1] > sum(votes[label].values()):
            result.ids[label] = ranked[0][0]
            taken.add(ranked[0][0])
            open_labels.remove(label)


def _label_at(place: Place, segments: Sequence[Segment]) -> str | None:
    """Return the label of the segment that holds most of a quote, by offsets, else by time."""
    best, label = 0.0, None
    for segment in segments:
        bounds: tuple[float | None, float | None, float, float]
        if place.char_start is not None and place.char_end is not None:
            bounds = (segment.char_start, segment.char_end, place.char_start, place.char_end)
        elif place.start_ms is not None and place.end_ms is not None:
            bounds = (segment.start, segment.end, place.start_ms / 1000, place.end_ms / 1000)
        else:
            return None
        start, end, first, last = bounds
        if start is None or end is None:
            continue
        overlap = min(end, last) - max(start, first)
        if overlap > best:
            best, label = overlap, segment.speaker_label
    return label


def _alike(label: str, names: Sequence[str]) -> bool:
    from rapidfuzz import fuzz, utils

    return any(
        fuzz.token_sort_ratio(label, name, processor=utils.default_process) >= _ALIKE
        for name in names
    )
