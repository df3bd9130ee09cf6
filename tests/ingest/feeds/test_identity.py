"""The identity ladder."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from podcast_scraper.ingest.feeds.identity import identify
from podcast_scraper.ingest.feeds.records import FeedItem

DAY = datetime(2020, 1, 2, tzinfo=UTC)


def item(guid: str = "", title: str = "T", media: str | None = None) -> FeedItem:
    return FeedItem(guid, title, DAY, media_url=media)


def test_ladder_and_reasons() -> None:
    items = [
        item("a", "One"),
        item("", "Two", "https://cdn.example/2.mp3?session=1"),
        item("same", "Three", "https://cdn.example/3.mp3"),
        item("same", "Four"),
        item("https://x.example/ep5?day=1", "Five"),
        item("", "Twin"),
        item("", "Twin"),
    ]
    found = identify(items)
    assert [identity.key for identity in found] == [
        "guid:a",
        "path:cdn.example/2.mp3",
        "path:cdn.example/3.mp3",
        "title:four|2020-01-02",
        "path:x.example/ep5",
        "title:twin|2020-01-02#1",
        "title:twin|2020-01-02#2",
    ]
    assert [identity.reason for identity in found] == [
        "its own guid",
        "the path of its audio: the item has no guid",
        "the path of its audio: 2 items share the guid",
        "its title and day: 2 items share the guid",
        "the path of its audio: the guid is a URL with a query",
        "nothing of its own; numbered among its like",
        "nothing of its own; numbered among its like",
    ]


def test_a_guid_that_changes_leaves_the_other_keys() -> None:
    before, after = (identify([item(g, "One", "https://c.example/1.mp3?x")])[0] for g in "ab")
    assert before.key != after.key
    assert set(before.keys) & set(after.keys) == {"path:c.example/1.mp3", "title:one|2020-01-02"}


def test_ids_are_stable_and_carry_the_show() -> None:
    (identity,) = identify([item("a")])
    digest = hashlib.sha256(b"guid:a").hexdigest()
    assert identity.episode_id("show") == f"show-{digest[:12]}"
