"""Telling words of a language from slips of the keys, by what an encoder's tokenizer knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from podcast_scraper.embed.encoder import Encoder

_NO_WORD: Final = "qzxvkjw"


def is_word(encoder: Encoder, word: str) -> bool:
    """Tell whether a word is one token: WordPiece keeps common words whole and breaks up others.

    False from a tokenizer that breaks nothing up, since it tells nothing.
    """
    return len(encoder.token_spans(word)) == 1 and len(encoder.token_spans(_NO_WORD)) > 1
