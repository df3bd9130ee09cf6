"""From the query as typed to the page of hits, over a small real index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.corpus import Corpus, open_corpus
from podcast_scraper.errors import QueryError
from podcast_scraper.index.build import build_index
from tests.corpora import write_episode

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    path = tmp_path_factory.mktemp("service") / "corpus"
    shared = "Thank you for listening to the engine hour."
    write_episode(
        path,
        "one",
        insights={"insight:a1": "Steam gives the loom its strength.", "insight:t": shared},
    )
    write_episode(
        path,
        "two",
        insights={"insight:b1": "Nobody needs a faster loom.", "insight:t": shared},
        speaker="Carl Webb",
        date="2025-02-03",
    )
    write_episode(
        path,
        "three",
        insights={"insight:c1": "A loom hums.", "insight:t": shared},
        date="",
        show="looms",
    )
    build_index(path)
    with open_corpus(path) as opened:
        yield opened


def texts(corpus: Corpus, query: str, **options: object) -> set[str]:
    return {hit.text for hit in corpus.search(query, **options).hits}


def test_fields_restrict_by_who_speaks(corpus: Corpus) -> None:
    found = corpus.search('speaker:"Carl Webb" loom')
    assert {s.id for hit in found.hits for s in hit.speakers} == {"person:carl-webb"}
    assert found.ignored == ()


def test_an_unknown_name_is_listed_and_the_rest_answered(corpus: Corpus) -> None:
    found = corpus.search("speaker:nobody loom")
    assert found.hits
    assert [(part.text, "nobody" in part.text) for part in found.ignored] == [
        ("speaker:nobody", True)
    ]


def test_phrases_and_exclusions_hold_in_both_stages(corpus: Corpus) -> None:
    assert texts(corpus, '"faster loom"', tier="insight") == {"Nobody needs a faster loom."}
    assert "Nobody needs a faster loom." not in texts(corpus, "loom -faster")


def test_a_document_is_found_by_who_said_it(corpus: Corpus) -> None:
    # The name is in no text of the corpus: it is what describes the documents.
    assert corpus.search("Carl Webb", tier="insight").hits[0].speakers[0].id == "person:carl-webb"


def test_what_recurs_is_one_card_that_names_the_other_episodes(corpus: Corpus) -> None:
    hits = corpus.search("thank you for listening", tier="insight").hits
    same = [hit for hit in hits if hit.id.startswith("insight:t@")]
    # Ada says it in two episodes and Carl in one: two statements, each on one card.
    assert sorted(hit.speakers[0].name for hit in same) == ["Ada Byron", "Carl Webb"]
    assert {hit.speakers[0].name: len(hit.also_in) for hit in same} == {
        "Ada Byron": 1,
        "Carl Webb": 0,
    }


def test_unknown_dates_match_no_date_filter_and_are_counted(corpus: Corpus) -> None:
    found = corpus.search("loom", since="2024-01-01")
    assert all(hit.episode.date for hit in found.hits)
    assert found.notes == ("3 without a known date were left out.",)
    assert corpus.search("loom").notes == ()


def test_filters_alone_list_the_newest_first(corpus: Corpus) -> None:
    found = corpus.search("", shows=("podcast:engines",))
    dates = [hit.episode.date for hit in found.hits]
    assert dates == sorted(dates, reverse=True)  # type: ignore[type-var]


def test_nothing_asked_is_told_with_what_was_ignored(corpus: Corpus) -> None:
    with pytest.raises(QueryError, match="speaker:nobody"):
        corpus.search("speaker:nobody")


def test_sorting_by_date_keeps_the_same_hits(corpus: Corpus) -> None:
    by_date = corpus.search("loom", sort="date").hits
    assert {h.id for h in by_date} == {h.id for h in corpus.search("loom").hits}
    known = [h.episode.date for h in by_date if h.episode.date]
    assert known == sorted(known, reverse=True)


def test_facets_count_the_fused_set(corpus: Corpus) -> None:
    found = corpus.search("loom", tier="insight")
    shows = {value.id: value.count for value in found.facets["show"]}
    assert shows == {"podcast:engines": 4, "podcast:looms": 2}  # every insight written above
    assert {value.label for value in found.facets["person"]} >= {"Carl Webb"}


def test_a_query_beyond_the_model_says_so(corpus: Corpus) -> None:
    found = corpus.search("loom antidisestablishmentarianism " * 120)
    assert any("longer than the model takes" in note for note in found.notes)
    assert found.hits
