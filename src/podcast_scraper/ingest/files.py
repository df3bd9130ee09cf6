"""Transcripts in files and directories as episodes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import IngestError
from podcast_scraper.identity.slugify import slugify
from podcast_scraper.ingest.feeds.dates import parse_date
from podcast_scraper.ingest.records import EpisodeInput, ShowInput
from podcast_scraper.ingest.transcripts import ParsedTranscript, parse_transcript
from podcast_scraper.ingest.transcripts.parse import SIZE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SUFFIXES: Final = frozenset((".vtt", ".srt", ".json", ".html", ".htm", ".txt", ".md", ".markdown"))
_ABOUT: Final = frozenset(
    (
        "readme",
        "license",
        "licence",
        "source",
        "sources",
        "changelog",
        "contributing",
        "notice",
        "authors",
    )
)
COMPARED: Final = 300
AGREEMENT: Final = 0.7
_TRANSLATION = re.compile(r"(?P<base>.+)\.(?P<language>[a-z]{2}(?:-[A-Za-z]{2,4})?)")
_DATE = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")


def transcript_files(path: Path) -> dict[tuple[Path, str], list[Path]]:
    """Return the files of each episode: those of one folder that differ in their suffix only.

    Hidden files, links out of the tree, files that describe the folder (``README.md``) and
    translations beside their original (``talk.es.md`` beside ``talk.md``) are left out.
    """
    if path.is_file():
        return {(path.parent, path.stem): [path]}
    root = path.resolve()
    groups: dict[tuple[Path, str], list[Path]] = defaultdict(list)
    for file in sorted(path.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        if hidden or file.suffix.lower() not in SUFFIXES or file.stem.lower() in _ABOUT:
            continue
        if file.is_file() and file.resolve().is_relative_to(root):
            groups[file.parent, file.stem].append(file)
    return {
        key: files
        for key, files in groups.items()
        if not ((match := _TRANSLATION.fullmatch(key[1])) and (key[0], match["base"]) in groups)
    }


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A transcript file, its bytes, and what they parse to."""

    path: Path
    data: bytes
    parsed: ParsedTranscript

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Timed with speakers is better than timed, and that than text; then the most words."""
        timed = any(cue.start is not None for cue in self.parsed.cues)
        return timed, bool(self.parsed.speakers), self.parsed.words


def read_transcript(path: Path) -> ReadFile:
    """Read and parse one file; raises :class:`IngestError` where it holds no words."""
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise IngestError(f"{path} is over the size limit.", subject=path)
        data = path.read_bytes()
    except OSError as error:
        raise IngestError(f"{path} cannot be read: {error.strerror}.", subject=path) from error
    parsed = parse_transcript(data, path.name)
    if not parsed.words:
        why = "; ".join(map(str, parsed.repairs)) or "no words in it"
        raise IngestError(f"{path} holds no transcript ({why}).", subject=path)
    return ReadFile(path, data, parsed)


def same_episode(one: ParsedTranscript, other: ParsedTranscript) -> bool:
    """Tell whether two transcripts are of one episode: their first words are mostly the same."""
    counts = [
        Counter([w for cue in parsed.cues for w in cue.text.lower().split()][:COMPARED])
        for parsed in (one, other)
    ]
    shared = (counts[0] & counts[1]).total()
    return shared >= AGREEMENT * min(count.total() for count in counts)


def grouped(files: Iterable[ReadFile]) -> list[list[ReadFile]]:
    """Return the forms of each episode, the best first; files may share a name by accident."""
    groups: list[list[ReadFile]] = []
    for file in files:
        for group in groups:
            if same_episode(group[0].parsed, file.parsed):
                group.append(file)
                break
        else:
            groups.append([file])
    return [sorted(group, key=lambda file: file.rank, reverse=True) for group in groups]


def file_episodes(
    path: Path, show: str | None = None
) -> Iterator[tuple[Path, EpisodeInput | IngestError]]:
    """Yield each episode under a path, and each file that cannot be one with the reason.

    The show is ``show`` or the name of the folder; the title and the date are the file's own where
    it states them. Of several forms of an episode the best is taken and the others are noted.
    """
    for (folder, stem), files in transcript_files(path).items():
        title = show or folder.resolve().name or "podcast"
        readable: list[ReadFile] = []
        for file in files:
            try:
                readable.append(read_transcript(file))
            except IngestError as error:
                yield file, error
        groups = grouped(readable)
        for group in groups:
            name = stem if len(groups) == 1 else f"{stem}-{group[0].path.suffix[1:]}"
            yield group[0].path, _episode(group, name, stem, title)


def _episode(group: list[ReadFile], name: str, stem: str, title: str) -> EpisodeInput:
    best = group[0]
    header = best.parsed.header
    slug = slugify(title)
    date = header.get("date") or (m[0] if (m := _DATE.search(stem)) else None)
    return EpisodeInput(
        episode_id=f"{slug}-{slugify(name)}",
        show=ShowInput(slug, title, language=header.get("language")),
        stem=slugify(name),
        title=header.get("title") or " ".join(re.split(r"[-_\s]+", stem)).strip(),
        origin=str(best.path),
        data=best.data,
        published=parse_date(date),
        notes=tuple(f"another form: {other.path}" for other in group[1:]),
    )
