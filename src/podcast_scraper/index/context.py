"""The context of a document: words that describe it and are not said in it.

People search for a remark by who made it, what it was about and where it was heard, and in a corpus
without transcripts the words of a quote stand nowhere else. The context makes these findable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from podcast_scraper.search.insight_documents import quotes_of_insights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.search.documents import Document


def with_context(documents: Sequence[Document], record: EpisodeRecord) -> list[Document]:
    """Return the documents with names of their speakers, topics and mentions, and their titles.

    Where the episode has no transcript, an insight also gets its quotes and the names of all that
    the episode mentions: these words stand nowhere else.
    """
    names = {
        node.id: str(node.properties.get("name") or node.properties.get("label") or "")
        for node in record.nodes
        if node.type in ("person", "org", "topic")
    }
    has_transcript = bool(record.transcript.text or record.transcript.segments)
    quotes = {} if has_transcript else quotes_of_insights(record)
    titles = (record.title, record.show.title)
    described = []
    for document in documents:
        ids = (*document.speakers, *document.topics, *document.mentions)
        parts = [names.get(key, "") for key in dict.fromkeys(ids)]
        if not has_transcript:
            parts += [name for key, name in names.items() if key not in ids]
        parts += [
            str(quote.properties.get("text", "")) for quote in quotes.get(document.doc_id, ())
        ]
        # One part a line: a phrase never matches across two of them by chance of neighbourhood in
        # more than the rarest case, and the text stays readable in the database.
        described.append(
            replace(document, context="\n".join(part for part in (*parts, *titles) if part))
        )
    return described
