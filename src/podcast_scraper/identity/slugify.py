"""The one slug rule (RFC-072): every id that is derived from a name goes through here."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_DROPPED = re.compile(r"[^a-z0-9\s_-]")
_SEPARATORS = re.compile(r"[\s_-]+")


def slugify(text: str) -> str:
    """Return the slug of a name: NFKD, ASCII only, lower case, words joined by single hyphens.

    A name of which nothing is left in ASCII (Chinese, Arabic, emoji) gets ``x`` and the first 12
    hex digits of the SHA-256 of its NFC form instead, so that no node is ever lost to an empty id.
    """
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    slug = _SEPARATORS.sub("-", _DROPPED.sub("", folded)).strip("-")
    if slug:
        return slug
    name = unicodedata.normalize("NFC", text).strip()
    return "x" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
