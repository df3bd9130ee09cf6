"""The transcript of an episode of any corpus as cues, ready for one of the published formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.errors import NotFoundError
from podcast_scraper.identity.canonical import bare_episode_id
from podcast_scraper.ingest.transcripts.export import EXPORTS
from podcast_scraper.ingest.transcripts.records import Cue

if TYPE_CHECKING:
    from pathlib import Path


def export_transcript(corpus: Path, episode: str, form: str) -> str:
    """Return the transcript of an episode as ``vtt``, ``srt`` or ``json`` (Podcasting 2.0).

    ``episode`` is its id with or without ``episode:``.

    Raises:
        NotFoundError: no such episode, or one without segments.
        IngestError: a caption format is asked of segments without times.
    """
    return EXPORTS[form](episode_cues(corpus, episode))


def episode_cues(corpus: Path, episode: str) -> list[Cue]:
    """Return one cue a segment; a speaker without a label has the name of the person."""
    wanted = bare_episode_id(episode)
    record = next(open_reading(corpus).episodes(only=(wanted,)), None)
    if record is None or not record.transcript.segments:
        raise NotFoundError(
            f"{corpus} holds no transcript with segments of an episode {wanted}.",
            mend="An empty search with a show lists the ids: podcast-scraper search --json.",
            subject=wanted,
        )
    names = {node.id: node.properties.get("name") for node in record.nodes}
    return [
        Cue(
            segment.text,
            segment.start,
            segment.end,
            segment.speaker_label or names.get(segment.speaker_id or ""),
            kind=segment.kind,
        )
        for segment in record.transcript.segments
    ]
