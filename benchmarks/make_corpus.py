"""Write a synthetic corpus of any size: artifacts on disk, the same bytes for the same seed.

    python -m benchmarks.make_corpus DIRECTORY [--passages 20000] [--seed 8]

Text is Zipfian (exponent 1) over a vocabulary that grows with the corpus as Heaps' law says, with
the real stop words in front; people, topics and shows are Zipfian too, so there are hosts who speak
everywhere and guests who come once. An episode has 20 windows of transcript by two or three
speakers, 30 insights grounded in it by verbatim quotes, and a date. Episodes are written one at a
time: memory does not grow with the corpus.
"""

from __future__ import annotations

import argparse
import datetime
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.search.analysis import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PASSAGES_AN_EPISODE = 50  # 20 windows and 30 insights
WINDOWS = 20
INSIGHTS = 30
WORDS_A_SENTENCE = 14
SENTENCES_A_WINDOW = 15  # windows overlap by 50 of some 260 words
SECONDS_A_WORD = 0.4
EPISODES_A_SHOW = 40
FIRST_DAY = datetime.date(2010, 1, 1)
DAYS = 5000


@dataclass(frozen=True)
class Episode:
    """One synthetic episode, as plain values."""

    number: int
    show: int
    date: datetime.date
    sentences: list[str]
    speakers: list[int]  # of each sentence
    quoted: list[int]  # sentence of each insight
    topics: list[list[int]]  # of each insight


class Generator:
    """Draws episodes. Everything follows from ``passages`` and ``seed``."""

    def __init__(self, passages: int, seed: int) -> None:
        self.episodes = max(1, passages // PASSAGES_AN_EPISODE)
        self._seed = seed
        vocabulary = int(60 * (passages * 120) ** 0.5)
        stop = sorted(word for word in STOP_WORDS if word.isalpha() and len(word) > 1)
        self.words = [*stop, *(_word(n) for n in range(vocabulary - len(stop)))]
        self._cumulated = _zipf(len(self.words))
        self.people = max(10, self.episodes // 2)
        self.topics = max(10, self.episodes // 5)
        self._person, self._topic = _zipf(self.people), _zipf(self.topics)

    def __iter__(self) -> Iterator[Episode]:
        return (self.episode(number) for number in range(self.episodes))

    def episode(self, number: int) -> Episode:
        """Return one episode, whichever were drawn before."""
        random = np.random.default_rng([self._seed, number])
        count = WINDOWS * SENTENCES_A_WINDOW
        drawn = _draw(random, self._cumulated, (count, WORDS_A_SENTENCE))
        sentences = [" ".join(self.words[w] for w in row).capitalize() + "." for row in drawn]
        voices = np.unique(_draw(random, self._person, (3,)))
        turns = np.repeat(random.choice(voices, count // 5), 5)
        return Episode(
            number,
            number // EPISODES_A_SHOW,
            FIRST_DAY + datetime.timedelta(days=int(random.integers(DAYS))),
            sentences,
            turns.tolist(),
            sorted(random.choice(count, INSIGHTS, replace=False).tolist()),
            [np.unique(row).tolist() for row in _draw(random, self._topic, (INSIGHTS, 2))],
        )


def write(episode: Episode, corpus: Path) -> None:
    """Write the GI, the KG, the segments and the transcript of an episode."""
    stem = f"e{episode.number:06d}"
    folder = corpus / "feeds" / f"show{episode.show:04d}" / "metadata"
    folder.mkdir(parents=True, exist_ok=True)
    layers = {"gi": _gi(episode, stem), "kg": _kg(episode, stem)}
    for layer, content in layers.items():
        (folder / f"{stem}.{layer}.json").write_text(json.dumps(content), encoding="utf-8")
    segments = [
        {
            "start": round(n * WORDS_A_SENTENCE * SECONDS_A_WORD, 2),
            "end": round((n + 1) * WORDS_A_SENTENCE * SECONDS_A_WORD, 2),
            "text": sentence,
            "speaker": _person(speaker)["properties"]["name"],
        }
        for n, (sentence, speaker) in enumerate(
            zip(episode.sentences, episode.speakers, strict=True)
        )
    ]
    (folder / f"{stem}.segments.json").write_text(json.dumps(segments), encoding="utf-8")
    (folder / f"{stem}.txt").write_text(" ".join(episode.sentences), encoding="utf-8")


def _gi(episode: Episode, stem: str) -> dict[str, Any]:
    starts = np.cumsum([0, *(len(sentence) + 1 for sentence in episode.sentences)])
    nodes: list[dict[str, Any]] = [
        _episode(episode, stem),
        *(_person(n) for n in sorted(set(episode.speakers))),
        *(_topic(n) for n in sorted({n for topics in episode.topics for n in topics})),
    ]
    edges: list[dict[str, str]] = []
    for number, (place, topics) in enumerate(zip(episode.quoted, episode.topics, strict=True)):
        insight, quote = f"insight:{stem}-{number}", f"quote:{stem}-{number}"
        text = episode.sentences[place]
        half = text.split()[: WORDS_A_SENTENCE * 3 // 4]
        nodes += [
            _node(insight, "Insight", text=f"They say {' '.join(half).lower()}.", grounded=True,
                  episode_id=stem, insight_type=("claim", "fact", "opinion")[number % 3]),
            _node(quote, "Quote", text=text, episode_id=stem,
                  char_start=int(starts[place]), char_end=int(starts[place]) + len(text),
                  timestamp_start_ms=int(place * WORDS_A_SENTENCE * SECONDS_A_WORD * 1000),
                  timestamp_end_ms=int((place + 1) * WORDS_A_SENTENCE * SECONDS_A_WORD * 1000)),
        ]  # fmt: skip
        edges += [
            _edge("HAS_INSIGHT", f"episode:{stem}", insight),
            _edge("SUPPORTED_BY", insight, quote),
            _edge("SPOKEN_BY", quote, f"person:p{episode.speakers[place]}"),
            *(_edge("ABOUT", insight, f"topic:t{n}") for n in topics),
        ]
    return {"schema_version": "3.1", "episode_id": stem, "nodes": nodes, "edges": edges}


def _kg(episode: Episode, stem: str) -> dict[str, Any]:
    topics = sorted({n for listed in episode.topics for n in listed})
    return {
        "schema_version": "2.0",
        "episode_id": stem,
        "nodes": [_episode(episode, stem), *(_topic(n) for n in topics)],
        "edges": [_edge("MENTIONS", f"episode:{stem}", f"topic:t{n}") for n in topics],
    }


def _episode(episode: Episode, stem: str) -> dict[str, Any]:
    return _node(
        f"episode:{stem}",
        "Episode",
        title=f"Episode {episode.number}",
        podcast_id=f"show{episode.show:04d}",
        publish_date=episode.date.isoformat(),
    )


def _person(number: int) -> dict[str, Any]:
    return _node(f"person:p{number}", "Person", name=f"{_word(number)} {_word(7 * number + 3)}")


def _topic(number: int) -> dict[str, Any]:
    return _node(f"topic:t{number}", "Topic", label=f"{_word(number)} {_word(3 * number + 1)}")


def _node(key: str, kind: str, **properties: Any) -> dict[str, Any]:
    return {"id": key, "type": kind, "properties": properties}


def _edge(kind: str, source: str, target: str) -> dict[str, str]:
    return {"type": kind, "from": source, "to": target}


def _word(number: int) -> str:
    """Return a pronounceable word of two syllables or more, another one for every number."""
    syllables = [c + v for c in "bdfghklmnprstvz" for v in "aeiou"]
    number += len(syllables)
    word = ""
    while number:
        number, place = divmod(number, len(syllables))
        word = syllables[place] + word
    return word


def _zipf(size: int) -> NDArray[np.float64]:
    weights = np.cumsum(1 / np.arange(1, size + 1))
    return np.asarray(weights / weights[-1])


def _draw(
    random: np.random.Generator, cumulated: NDArray[np.float64], shape: tuple[int, ...]
) -> NDArray[np.int64]:
    return np.searchsorted(cumulated, random.random(shape))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=8)
    options = parser.parse_args()
    for episode in Generator(options.passages, options.seed):
        write(episode, options.directory)


if __name__ == "__main__":
    main()
