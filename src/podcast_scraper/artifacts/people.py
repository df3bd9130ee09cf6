"""People of one episode: their names and roles, and the speakers of the segments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from podcast_scraper.artifacts.speakers import Speakers, name_index, resolve_labels
from podcast_scraper.artifacts.statements import names_of
from podcast_scraper.identity.canonical import is_voice
from podcast_scraper.identity.slugify import slugify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podcast_scraper.artifacts.catalog import Catalog
    from podcast_scraper.artifacts.merging import Draft
    from podcast_scraper.artifacts.quotes import Place
    from podcast_scraper.artifacts.records import Segment


def finish_people(
    draft: Draft,
    segments: tuple[Segment, ...],
    places: Mapping[str, Place],
    catalog: Catalog,
) -> tuple[tuple[Segment, ...], list[tuple[str, str]]]:
    """Name everyone, resolve the speakers of the segments, and fill roles from the catalog.

    Returns the segments with ``speaker_id``, and (person, label) alias candidates. People and
    voices that only the transcript knows become derived nodes that SPOKE_IN the episode.
    """
    _name_nodes(draft)
    people = {node.id: names_of(node) for node in draft.of_type("person")}
    spoken = [(edge.source, edge.target) for edge in draft.of_edge_type("SPOKEN_BY")]
    roles = [
        node.id
        for node in draft.of_type("person")
        if node.properties.get("role") in ("host", "guest") and not is_voice(node.id)
    ]
    speakers = resolve_labels(
        segments,
        people,
        [*(person for _, person in spoken), *roles],
        [(places[quote], person) for quote, person in spoken if quote in places],
        catalog.speakers,
        draft.planned.episode_id,
    )
    for person, name in speakers.new.items():
        draft.derive_node(person, "person", {"name": name})
        draft.derive_edge("SPOKE_IN", person, draft.episode_node)
    _roles(draft, catalog, speakers)
    return tuple(_with_speaker(segment, speakers) for segment in segments), speakers.aliases


def _name_nodes(draft: Draft) -> None:
    """Every entity has a name: where no layer gives one, its id says it."""
    for node_type, key in (("person", "name"), ("org", "name"), ("topic", "label")):
        for node in draft.of_type(node_type):
            if not node.properties.get(key):
                slug = node.id.partition(":")[2].partition("@")[0].removeprefix("topic-")
                name = slug.replace("-", " ")
                draft.update(node.id, **{key: name if node_type == "topic" else name.title()})


def _with_speaker(segment: Segment, speakers: Speakers) -> Segment:
    if segment.kind != "speech" or segment.speaker_label is None or segment.speaker_id:
        return segment
    return replace(segment, speaker_id=speakers.ids.get(segment.speaker_label))


def _roles(draft: Draft, catalog: Catalog, speakers: Speakers) -> None:
    """Fill roles that no layer gives: by the id of a speaker, its label, or its name alone."""
    people = draft.of_type("person")
    by_id = {node.id.partition("@")[0]: node.id for node in people}
    by_name = name_index({node.id: names_of(node) for node in people})
    for speaker in catalog.speakers:
        person = (
            by_id.get(speaker.id or "")
            or speakers.ids.get(speaker.name)
            or by_name.get(slugify(speaker.name))
        )
        node = draft.nodes.get(person or "")
        if node is not None and speaker.role and not node.properties.get("role"):
            draft.update(node.id, role=speaker.role)
