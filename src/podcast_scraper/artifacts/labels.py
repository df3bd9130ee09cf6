"""Speaker labels of a transcript: names of people, diarisation voices, advertisements, breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from podcast_scraper.identity.canonical import canonical_id, is_voice, occurrence_id

if TYPE_CHECKING:
    from podcast_scraper.artifacts.records import SegmentKind

_AD_LABELS: Final = frozenset(
    {
        "ad", "ads", "advert", "adverts", "advertisement", "advertisements", "advertiser",
        "advertising", "commercial", "commercials", "commercial break", "ad break", "ad read",
        "sponsor", "sponsors", "sponsor read", "sponsor message", "promo",
    }
)  # fmt: skip
_MUSIC_LABELS: Final = frozenset(
    {
        "break", "music", "music break", "intro music", "outro music", "theme", "theme music",
        "jingle", "interlude", "musical interlude",
    }
)  # fmt: skip
_NOBODY: Final = frozenset({"unknown", "unknown speaker", "speaker", "none", "n/a"})


def _plain(label: str) -> str:
    return " ".join(label.strip().strip("[]()*♪").split()).casefold()


def segment_kind(label: str | None) -> SegmentKind:
    """Return the kind of a segment that its label states; a name is ``speech``."""
    plain = _plain(label or "")
    if plain in _AD_LABELS:
        return "ad"
    return "music" if plain in _MUSIC_LABELS else "speech"


def voice_of(label: str, episode_id: str) -> str | None:
    """Return the episode's own voice id of a diarisation label (``SPEAKER_03``), or None."""
    voice = canonical_id("person", label)
    return occurrence_id(voice, episode_id) if is_voice(voice) else None


def is_nobody(label: str) -> bool:
    """Tell whether a label says that the speaker is not known, or only gives initials."""
    plain = _plain(label)
    return plain in _NOBODY or (len(label) <= 3 and label.isupper())
