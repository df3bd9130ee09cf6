"""The analysis of one episode, as it goes through a worker process and the import state."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.records import Segment, Transcript
from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.extract.analysis import Analysis, NameCount, analyse
from podcast_scraper.ingest.extract.annotate import Annotation
from podcast_scraper.ingest.extract.candidates import Candidate
from podcast_scraper.ingest.extract.games import is_game
from podcast_scraper.ingest.extract.layout import Layout, Line, lay_out
from podcast_scraper.ingest.extract.topics import could_be_topic
from podcast_scraper.ingest.feeds.records import FeedPerson
from podcast_scraper.ingest.language import is_english, language_of
from podcast_scraper.ingest.records import EpisodeInput, ShowInput
from podcast_scraper.ingest.transcripts import parse_transcript, require_clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from podcast_scraper.ingest.extract.annotate import Annotator


# An episode is held in memory as a whole; a show that was written into one file is not an episode.
MOST_WORDS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class EpisodeWork:
    """An episode without its bytes, its layout and analysis, and what to report of its file."""

    episode: EpisodeInput
    layout: Layout
    analysis: Analysis
    language: str | None
    report: dict[str, Any]

    @property
    def topic_phrases(self) -> list[str]:
        """The phrases that count for the frequency of topics over the corpus."""
        return [phrase for phrase in self.analysis.phrases if could_be_topic(phrase)]


class _Silent:
    """Annotates nothing: the tools are English, and this transcript is not."""

    name = "none"

    def annotate(self, lines: Sequence[str]) -> Iterator[Annotation]:
        return iter([Annotation((), ())] * len(lines))


def work_on(episode: EpisodeInput, annotator: Annotator, strict: bool = False) -> EpisodeWork:
    """Parse, lay out and analyse an episode.

    Raises :class:`IngestError` for a file without words or with more than :data:`MOST_WORDS`, and
    for one with repairs if ``strict``.
    """
    parsed = parse_transcript(episode.data, episode.origin)
    if strict:
        require_clean(parsed, episode.origin)
    if not parsed.words:
        raise IngestError(f"{episode.origin} holds no transcript.", subject=episode.origin)
    if parsed.words > MOST_WORDS:
        raise IngestError(
            f"{episode.origin} holds {parsed.words:,} words, more than four days of speech.",
            mend="Give each episode a file of its own.",
            subject=episode.origin,
        )
    layout = lay_out(parsed.cues, parsed.marks)
    text = layout.transcript.text
    language = language_of(text, parsed.header.get("language") or episode.show.language)
    english = is_english(language)
    analysis = analyse(layout, annotator if english else _Silent())
    game = is_game(text)
    if game or not english:
        analysis = replace(analysis, candidates=())
    timed = sum(len(c.text.split()) for c in parsed.cues if c.start is not None)
    spoken = sum(len(c.text.split()) for c in parsed.cues if c.speaker)
    report = {
        "path": episode.origin,
        "format": parsed.format,
        "cues": len(parsed.cues),
        "repairs": [str(r) for r in parsed.noted("fixed", "guessed")],
        "dropped": [str(r) for r in parsed.noted("dropped")],
        "notes": [*episode.notes, *(["a game: no insights are taken from it"] if game else [])],
        "speakers": list(parsed.speakers),
        "words": parsed.words,
        "words_with_time": timed,
        "words_with_speaker": spoken,
        "times_estimated": layout.estimated,
        "ad_sentences": len(analysis.ads),
    }
    return EpisodeWork(replace(episode, data=b""), layout, analysis, language, report)


def to_json(work: EpisodeWork) -> dict[str, Any]:
    """Return the work as JSON values; :func:`from_json` gives an equal one (but for its report)."""
    episode = asdict(work.episode)
    del episode["data"]
    published = work.episode.published
    episode["published"] = published.isoformat() if published else None
    return {
        "episode": episode,
        "language": work.language,
        "text": work.layout.transcript.text,
        "estimated": work.layout.estimated,
        "segments": [
            [s.start, s.end, s.speaker_label, s.kind, s.char_start, s.char_end]
            for s in work.layout.transcript.segments
        ],
        "lines": [
            [n.start, n.end, n.speaker, n.kind, n.segments.start, n.segments.stop]
            for n in work.layout.lines
        ],
        "phrases": {
            k: v for k, v in work.analysis.phrases.items() if v[0] > 1 and could_be_topic(k)
        },
        "names": {k: [v.labels, v.cues] for k, v in work.analysis.names.items()},
        "candidates": [list(astuple(c)) for c in work.analysis.candidates],
        "ads": work.analysis.ads,
    }


def from_json(value: dict[str, Any]) -> EpisodeWork:
    """Return the work that :func:`to_json` wrote."""
    stated = dict(value["episode"])
    stated["show"] = ShowInput(**stated["show"])
    stated["people"] = tuple(FeedPerson(**person) for person in stated["people"])
    stated["keys"], stated["notes"] = tuple(stated["keys"]), tuple(stated["notes"])
    if stated["published"]:
        stated["published"] = datetime.fromisoformat(stated["published"])
    text = value["text"]
    segments = tuple(
        Segment(n, start, end, text[first:last], label, None, kind, first, last)
        for n, (start, end, label, kind, first, last) in enumerate(value["segments"])
    )
    lines = tuple(
        Line(start, end, speaker, kind, range(first, last))
        for start, end, speaker, kind, first, last in value["lines"]
    )
    analysis = Analysis(
        {k: (v[0], v[1]) for k, v in value["phrases"].items()},
        {k: NameCount(v[0], v[1]) for k, v in value["names"].items()},
        tuple(
            Candidate(*row[:5], *(tuple(listed) for listed in row[5:]))
            for row in value["candidates"]
        ),
        (),
        tuple((start, end) for start, end in value["ads"]),
    )
    layout = Layout(Transcript(text, segments), lines, value["estimated"])
    return EpisodeWork(EpisodeInput(data=b"", **stated), layout, analysis, value["language"], {})
