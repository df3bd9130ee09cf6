"""Feeds: what shows publish, who is who in them, and fetching it."""

from podcast_scraper.ingest.feeds.http import Client, Fetched, Limits
from podcast_scraper.ingest.feeds.opml import parse_opml
from podcast_scraper.ingest.feeds.records import Feed, FeedItem, FeedPerson, TranscriptLink
from podcast_scraper.ingest.feeds.rss import parse_feed

__all__ = [
    "Client",
    "Feed",
    "FeedItem",
    "FeedPerson",
    "Fetched",
    "Limits",
    "TranscriptLink",
    "parse_feed",
    "parse_opml",
]
