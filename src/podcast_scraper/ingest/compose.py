"""Topics over the whole corpus, and the artifacts of each waiting episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.artifacts.writing import write_episode
from podcast_scraper.ingest.extract.names import is_first_name, type_of_name
from podcast_scraper.ingest.extract.people import full_name, tidy_name
from podcast_scraper.ingest.extract.record import build_record
from podcast_scraper.ingest.extract.roster import CorpusView
from podcast_scraper.ingest.extract.topics import Topic, choose_topics, concepts
from podcast_scraper.ingest.work import EpisodeWork, from_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.ingest.state import ImportState


def as_it_is(record: EpisodeRecord) -> EpisodeRecord:
    """Refine nothing."""
    return record


def compose(
    corpus: Path,
    state: ImportState,
    method: str,
    progress: Callable[[str], None] = lambda stage: None,
    refine: Callable[[EpisodeRecord], EpisodeRecord] = as_it_is,
) -> int:
    """Write the artifacts of every waiting episode and return how many there were.

    First the topics of all of them are chosen, for the concepts that group them need them all; one
    episode at a time is in memory. ``refine`` may add to a record before it is written.
    """
    waiting = state.waiting()
    speakers = frozenset(tidy_name(label).casefold() for label in state.all_speakers())
    for episode_id in waiting:
        work = from_json(state.work(episode_id))
        view = corpus_view(work, state, speakers)
        state.keep_topics(episode_id, (topic.normal for topic in _topics(work, view)))
        progress("topics")
    groups = concepts(state.topics())
    for episode_id in waiting:
        work = from_json(state.work(episode_id))
        view = corpus_view(work, state, speakers)
        record = build_record(
            work.episode,
            work.layout,
            work.analysis,
            view,
            _topics(work, view),
            groups,
            work.language,
        )
        record = refine(record)
        write_episode(corpus, record, model_version=method)
        state.written(episode_id, _report(record))
        progress("writing")
    return len(waiting)


def corpus_view(work: EpisodeWork, state: ImportState, speakers: frozenset[str]) -> CorpusView:
    """Return what the corpus says of the phrases, names, sentences and speakers of an episode."""
    show = work.episode.show.slug
    names = state.names(work.analysis.names)
    by_label = state.speakers(show)
    by_name: dict[str, int] = {}
    full = tuple(sorted({tidy_name(label) for label in by_label if " " in label}))
    for label, number in by_label.items():
        name = full_name(tidy_name(label), full)
        by_name[name] = by_name.get(name, 0) + number
    marks = {mark for one in work.analysis.candidates for mark in one.fingerprints}
    return CorpusView(
        episodes=state.count_episodes(),
        frequency=state.frequency(work.analysis.phrases),
        types={name: type_of_name(name, count, speakers) for name, count in names.items()},
        first_names=frozenset(name for name, count in names.items() if is_first_name(name, count)),
        repeated=state.repeated(marks),
        full_names=full,
        show_episodes=state.count_episodes(show),
        episodes_of=by_name,
    )


def _topics(work: EpisodeWork, view: CorpusView) -> list[Topic]:
    """Choose the topics; names of people and organisations are entities instead."""
    names = {name.lower() for name, kind in view.types.items() if kind}
    names |= {name.lower() for name in work.analysis.names if name in view.first_names}
    names |= {part.lower() for name in view.full_names for part in name.split()}
    names |= {
        part.lower()
        for line in work.layout.lines
        if line.speaker
        for part in (tidy_name(line.speaker), *tidy_name(line.speaker).split())
    }
    words = len(work.layout.transcript.text.split())
    return choose_topics(work.analysis.phrases, view.frequency, view.episodes, words, names)


def _report(record: EpisodeRecord) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for node in record.nodes:
        counts[node.type] = counts.get(node.type, 0) + 1
    return counts
