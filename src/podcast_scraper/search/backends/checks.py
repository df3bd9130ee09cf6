"""What a document must be, before the engines take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import UsageError
from podcast_scraper.search.backends.lexical_queries import day_number

if TYPE_CHECKING:
    from podcast_scraper.search.documents import Document

MAX_ID_LENGTH: Final = 1000


def check_document(document: Document, tier: str) -> None:
    """Refuse what the engines would store wrongly: ids, dates and text that are none."""
    if document.tier != tier:
        raise UsageError(f"{document.doc_id!r} is of tier {document.tier!r}, not {tier!r}.")
    ids = (document.doc_id, document.show_id, document.episode_id)
    listed = (*document.speakers, *document.topics, *document.mentions, *document.linked)
    for value in (*ids, *listed):
        if not 0 < len(value) <= MAX_ID_LENGTH or min(value) < " ":
            raise UsageError(
                f"{value[:80]!r} cannot be an id.",
                mend=f"Ids have 1 to {MAX_ID_LENGTH} characters and no control characters.",
                subject=document.doc_id,
            )
    try:
        "\n".join((document.text, *ids)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"The text of {document.doc_id!r} holds half a surrogate pair.",
            mend="Replace it (U+FFFD) when the text is read.",
            subject=document.doc_id,
        ) from error
    if document.published is not None:
        day_number(document.published)
