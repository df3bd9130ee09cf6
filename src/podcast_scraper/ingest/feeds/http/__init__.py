"""Fetching over HTTP within limits, and never from a private network unless allowed."""

from podcast_scraper.ingest.feeds.http.client import Client, Fetched
from podcast_scraper.ingest.feeds.http.connection import Limits

__all__ = ["Client", "Fetched", "Limits"]
