"""Where an episode's audio is: a URL of its own, or a file under the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.storage.catalog import EpisodeInfo


class Media:
    """The media of one corpus. A relative media path names a file under it, never outside it."""

    def __init__(self, corpus: Path) -> None:
        self._root = corpus.resolve()

    def url(self, episode: EpisodeInfo) -> str | None:
        """Return the URL that plays the episode, or None where no audio is known."""
        return self.url_of(episode.id, episode.media)

    def url_of(self, episode_id: str, media: str | None) -> str | None:
        """Return the URL that plays an episode's media, or None where no audio is known."""
        if media is None or media.startswith(("http://", "https://")):
            return media
        return f"/media/{quote(episode_id, safe='')}" if self._file(media) else None

    def path(self, episode: EpisodeInfo) -> Path | None:
        """Return the local file of an episode, or None."""
        if episode.media is None or episode.media.startswith(("http://", "https://")):
            return None
        return self._file(episode.media)

    def _file(self, media: str) -> Path | None:
        path = (self._root / media.lstrip("/")).resolve()
        return path if path.is_relative_to(self._root) and path.is_file() else None
