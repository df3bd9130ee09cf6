"""Tags and character references inside cue text. All patterns are linear in their input."""

from __future__ import annotations

import html
import re
from typing import Final

# A tag starts with a letter or is a time (`<00:00:18.400>`); `a < b` and `<3` are text.
TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>|<\d{1,4}:[\d:.,]{1,20}>|</>")
VOICE: Final = re.compile(r"<v(?:\.[^\s<>]*)?[ \t\n]+([^<>]*)>|</v>")
_SPACING_TAG = re.compile(r"<(?:br|/?p|/?div)\b[^<>]*>", re.IGNORECASE)
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200e\u200f\u2060\ufeff\u00ad"))


def plain(text: str) -> str:
    """Return the words of a marked-up text: tags out, references resolved, white space single.

    Tags go before references are resolved, so that an escaped ``&lt;b&gt;`` stays text.
    """
    text = TAG.sub("", _SPACING_TAG.sub(" ", text))
    return squeeze(html.unescape(text) if "&" in text else text)


def squeeze(text: str) -> str:
    """Drop invisible characters and make every run of white space one space."""
    return " ".join(text.translate(_INVISIBLE).split())
