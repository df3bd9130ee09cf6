"""One episode record to the documents of both tiers, linked to each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from podcast_scraper.index.context import with_context
from podcast_scraper.search.chunker import chunk_transcript
from podcast_scraper.search.insight_documents import insight_documents
from podcast_scraper.search.linking import link_documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.search.documents import Document


def documents_of(
    record: EpisodeRecord, encoder: Encoder, identity: IdentityMap | None = None
) -> tuple[list[Document], list[Document]]:
    """Return the segment and the insight documents of an episode.

    ``identity`` holds what people decided about who is who.
    """
    segments, insights = link_documents(
        chunk_transcript(record, encoder), insight_documents(record), record
    )
    segments, insights = with_context(segments, record), with_context(insights, record)
    if identity is not None and (identity.redirects or identity.scoped):
        segments = [_identified(document, identity) for document in segments]
        insights = [_identified(document, identity) for document in insights]
    return segments, insights


def _identified(document: Document, identity: IdentityMap) -> Document:
    def canonical(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(identity.canonical(i, document.episode_id) for i in ids))

    return replace(
        document,
        speakers=canonical(document.speakers),
        topics=canonical(document.topics),
        mentions=canonical(document.mentions),
    )
