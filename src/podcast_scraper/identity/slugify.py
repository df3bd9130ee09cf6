"""The one slug rule (RFC-072): every id that is derived from a name goes through here."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

# An index over two ids and a word of ours takes 2 700 bytes in PostgreSQL.
MOST_BYTES: Final = 400
_DIGEST: Final = 16

_DROPPED = re.compile(r"[^a-z0-9\s_-]")
_SEPARATORS = re.compile(r"[\s_-]+")


def slugify(text: str) -> str:
    """Return the slug of a name: NFKD, ASCII only, lower case, words joined by single hyphens.

    A name of which nothing is left in ASCII (Chinese, Arabic, emoji) gets ``x`` and the first 12
    hex digits of the SHA-256 of its NFC form instead, so that no node is ever lost to an empty id.
    The slug of an endless name is :func:`bounded`.
    """
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    slug = _SEPARATORS.sub("-", _DROPPED.sub("", folded)).strip("-")
    if slug:
        return bounded(slug)
    name = unicodedata.normalize("NFC", text).strip()
    return "x" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def bounded(text: str, most: int = MOST_BYTES) -> str:
    """Return a text of at most ``most`` bytes in UTF-8: itself, or its beginning and a digest.

    Databases index only so many bytes. The digest is of the whole text, so two long texts stay two.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= most:
        return text
    digest = hashlib.sha256(encoded).hexdigest()[:_DIGEST]
    return f"{encoded[: most - _DIGEST - 1].decode('utf-8', 'ignore')}-{digest}"
