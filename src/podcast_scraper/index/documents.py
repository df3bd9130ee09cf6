"""One episode record to the documents of both tiers, linked to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.search.chunker import chunk_transcript
from podcast_scraper.search.insight_documents import insight_documents
from podcast_scraper.search.linking import link_documents

if TYPE_CHECKING:
    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.search.documents import Document


def documents_of(record: EpisodeRecord, encoder: Encoder) -> tuple[list[Document], list[Document]]:
    """Return the segment and the insight documents of an episode."""
    return link_documents(chunk_transcript(record, encoder), insight_documents(record), record)
