"""Taking episodes and shows out of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.errors import NotFoundError
from podcast_scraper.identity.slugify import slugify

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.ingest.state import ImportState, KnownEpisode

_ARTIFACTS = ("gi.json", "kg.json", "bridge.json", "metadata.json")
_TRANSCRIPTS = ("segments.json", "txt")


def artifact_files(corpus: Path, stem_path: str) -> list[Path]:
    """Return the files that an episode's artifacts have, whether they exist or not."""
    stem = corpus / stem_path
    transcripts = stem.parent.parent / "transcripts"
    return [stem.with_name(f"{stem.name}.{suffix}") for suffix in _ARTIFACTS] + [
        transcripts / f"{stem.name}.{suffix}" for suffix in _TRANSCRIPTS
    ]


def remove_artifacts(corpus: Path, stem_path: str) -> None:
    """Delete an episode's files, and the folders that are empty then."""
    for file in artifact_files(corpus, stem_path):
        file.unlink(missing_ok=True)
    show = (corpus / stem_path).parent.parent
    for folder in (show / "metadata", show / "transcripts", show):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def remove(corpus: Path, state: ImportState, name: str) -> list[str]:
    """Take the episode or the show of a name out for good; returns the episode ids.

    ``name`` is an episode id or a show's slug, title or id, with or without its prefix.

    Raises:
        NotFoundError: the import knows neither an episode nor a show of that name.
    """
    chosen = _named(state, name)
    for episode in chosen:
        remove_artifacts(corpus, episode.stem_path)
        state.forget(episode.id, for_good=True)
    return [episode.id for episode in chosen]


def _named(state: ImportState, name: str) -> list[KnownEpisode]:
    episode = state.episode(name.removeprefix("episode:"))
    if episode is not None:
        return [episode]
    found = state.episodes(show=slugify(name.removeprefix("podcast:")))
    if not found:
        raise NotFoundError(
            f"No episode or show {name!r} was imported.",
            mend="The report of import --json lists the episode ids.",
            subject=name,
        )
    return found
