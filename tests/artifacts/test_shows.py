"""Which podcast ids are one show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.artifacts.shows import ShowClues, join_shows
from tests.artifacts.corpora import edge, edges_of, gi, held, kg, node, read, read_one

if TYPE_CHECKING:
    from pathlib import Path


def ids(*clues: ShowClues) -> list[str]:
    return [show.id for show in join_shows(clues)]


def test_ids_that_share_an_episode_are_one_show() -> None:
    kg_only = ShowClues(("podcast:feed1",))
    gi_only = ShowClues(("podcast:my-show",))
    both = ShowClues(("podcast:feed1", "podcast:my-show"))
    assert ids(kg_only, gi_only) == ["podcast:feed1", "podcast:my-show"]
    assert ids(kg_only, gi_only, both) == ["podcast:feed1"] * 3
    assert join_shows([kg_only, gi_only, both])[0].other_ids == ("podcast:my-show",)


def test_the_catalog_joins_title_and_feed() -> None:
    catalogued = ShowClues((), "podcast:feed1", title="My Show")
    named = ShowClues(("podcast:my-show",))
    assert ids(catalogued, named) == ["podcast:feed1"] * 2


def test_two_feeds_are_never_joined() -> None:
    shared = [
        ShowClues(("podcast:network",), "podcast:feed1", title="News"),
        ShowClues(("podcast:network",), "podcast:feed2", title="News"),
    ]
    assert ids(*shared) == ["podcast:feed1", "podcast:feed2"]
    chain = [
        ShowClues(("podcast:x",), "podcast:feed1"),
        ShowClues(("podcast:x", "podcast:y")),
        ShowClues(("podcast:y",), "podcast:feed2"),
    ]
    first, _, last = ids(*chain)
    assert (first, last) == ("podcast:feed1", "podcast:feed2")


def test_placeholders_join_nothing() -> None:
    clues = [ShowClues(("podcast:unknown", f"podcast:{name}")) for name in "ab"]
    assert ids(*clues) == ["podcast:a", "podcast:b"]
    assert ids(ShowClues(("podcast:unknown",))) == ["podcast:unknown"]


def test_the_folder_is_the_last_resort(tmp_path: Path) -> None:
    episode = gi(None, [], [])
    named = gi("n", [node("episode:n", "Episode", podcast_id="podcast:show-x")], [])
    records, report = read(
        tmp_path,
        {
            "feeds/My Feed/metadata/a.gi.json": episode,
            "feeds/x/metadata/b.gi.json": episode,
            "feeds/x/metadata/n.gi.json": named,
            "flat.gi.json": episode,
        },
    )
    shows = {record.episode_id: record.show.id for record in records}
    assert shows == {
        "a": "podcast:my-feed",
        "b": "podcast:show-x",
        "n": "podcast:show-x",
        "flat": "podcast:unknown",
    }
    assert report.derived_nodes["podcast"] == 3
    assert report.derived_edges == {"HAS_EPISODE": 4}


def test_podcast_nodes_and_their_edges_are_those_of_the_joined_show(tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [node("episode:e", "Episode", podcast_id="My Show")],
                [],
            ),
            "a.kg.json": kg(
                "e",
                [
                    node("podcast:feed1", "Podcast", title="My Show"),
                    node("person:ada", "Person", name="Ada"),
                ],
                [
                    edge("HAS_EPISODE", "podcast:feed1", "episode:e"),
                    edge("HOSTS", "person:ada", "podcast:my-show"),
                ],
            ),
            "a.metadata.json": {"feed": {"feed_id": "feed1", "title": "My Show"}},
        },
    )
    assert record.show.id == "podcast:feed1"
    assert record.show.other_ids == ("podcast:my-show",)
    assert [found.id for found in record.nodes if found.type == "podcast"] == ["podcast:feed1"]
    assert held(record)["podcast:feed1"].layers == {"kg"}
    assert ("HOSTS", "person:ada", "podcast:feed1", "kg") in edges_of(record)
    assert ("HAS_EPISODE", "podcast:feed1", "episode:e", "kg") in edges_of(record)
    assert "HAS_EPISODE" not in report.derived_edges
