"""Who speaks under which label."""

from __future__ import annotations

from podcast_scraper.artifacts.catalog import CatalogSpeaker
from podcast_scraper.artifacts.quotes import Place
from podcast_scraper.artifacts.records import Segment
from podcast_scraper.artifacts.speakers import Speakers, resolve_labels


def resolve(
    labels: list[str],
    people: dict[str, list[str]],
    speaking: list[str],
    quotes: list[tuple[int, str]] | None = None,
    catalog: list[CatalogSpeaker] | None = None,
) -> Speakers:
    """Each label speaks for ten seconds; quotes are (second, speaker)."""
    segments = [
        Segment(place, 10.0 * place, 10.0 * place + 10, "words", label)
        for place, label in enumerate(labels)
    ]
    places = [
        (Place("time", None, None, second * 1000, second * 1000 + 500), speaker)
        for second, speaker in quotes or []
    ]
    return resolve_labels(segments, people, speaking, places, catalog or [], "e")


PEOPLE = {"person:ada-byron": ["Ada Byron", "Countess"], "person:bo-lund": ["Bo Lund"]}
BOTH = list(PEOPLE)


def test_names_and_aliases() -> None:
    found = resolve(["ADA BYRON", "Countess", "bo  lund"], PEOPLE, BOTH)
    assert set(found.ids.values()) == {"person:ada-byron", "person:bo-lund"}
    assert (found.new, found.aliases) == ({}, [])


def test_quotes_tell_whose_label_it_is() -> None:
    found = resolve(["Aida Biron", "Bo Lund"], PEOPLE, BOTH, [(2, "person:ada-byron")])
    assert found.ids["Aida Biron"] == "person:ada-byron"
    assert found.aliases == [("person:ada-byron", "Aida Biron")]


def test_a_person_with_a_label_of_their_own_gets_no_second_one() -> None:
    found = resolve(["Bo Lund", "Stranger"], PEOPLE, BOTH, [(12, "person:bo-lund")])
    assert found.ids["Stranger"] is None
    assert (found.new, found.aliases) == ({}, [])


def test_the_last_two_are_paired_only_where_they_are_alike() -> None:
    assert resolve(["Bo Lund", "Ada Biron"], PEOPLE, BOTH).ids["Ada Biron"] == "person:ada-byron"
    assert resolve(["Bo Lund", "Zed"], PEOPLE, BOTH).ids["Zed"] is None
    assert resolve(["Ada Biron", "Bo Lunt"], PEOPLE, BOTH).ids == {
        "Ada Biron": None,
        "Bo Lunt": None,
    }


def test_who_nobody_knows_is_new() -> None:
    found = resolve(["Cy Young", "SPEAKER_02", "Unknown", "CY"], PEOPLE, [])
    assert found.ids == {
        "Cy Young": "person:cy-young",
        "SPEAKER_02": "person:speaker-02@e",
        "Unknown": None,
        "CY": None,
    }
    assert found.new == {"person:cy-young": "Cy Young", "person:speaker-02@e": "SPEAKER_02"}


def test_the_catalog_translates_its_own_ids() -> None:
    catalog = [CatalogSpeaker("speaker_1", "Ada Byron", "host")]
    assert resolve(["speaker_1"], PEOPLE, BOTH, catalog=catalog).ids == {
        "speaker_1": "person:ada-byron"
    }


def test_a_name_of_two_people_is_neither() -> None:
    people = {"person:ada-1": ["Ada"], "person:ada-2": ["Ada"]}
    assert resolve(["Ada"], people, list(people)).ids == {"Ada": None}
