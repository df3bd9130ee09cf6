"""What else was tried on the ranking over a corpus, each attempt beside the default fusion.

    python -m benchmarks.attempts SETS/insight-quote SETS/musique-100 data/eval/sample …

Every attempt is one more list, min-max normalised and added at each weight to the fusion with its
neighbours, before any rerank: BM25 over unstemmed words, over pairs of stems and over character
n-grams; BM25 with the query expanded from its first five documents (RM3; Abdul-Jaleel and others,
TREC 2004); cosine to the mean vector of the first three (Rocchio); the best score of the episode.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import sqlalchemy as sa
from benchmarks.measured_sets import Candidate, MeasuredSet, difference_of, mean_of
from scipy.sparse import csc_array, csr_array

from podcast_scraper.evaluate.markdown import table
from podcast_scraper.search.analysis import analyze
from podcast_scraper.search.fusion import DEFAULT_FUSION
from podcast_scraper.search.neighbours import OVER_CORPUS
from podcast_scraper.storage import schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podcast_scraper.search.backend import ScoredResult

WEIGHTS = (0.25, 0.5, 1.0)
K1, B = 1.2, 0.75
POOL = 100
_WORDS = re.compile(r"\w+")

Scores = dict[str, float]


class Terms:
    """BM25 over any way to cut a text into terms."""

    def __init__(self, doc_ids: Sequence[str], counts: Sequence[Counter[str]]) -> None:
        self.doc_ids = doc_ids
        self.vocabulary = {t: i for i, t in enumerate(dict.fromkeys(t for c in counts for t in c))}
        rows = np.repeat(np.arange(len(counts)), [len(count) for count in counts])
        columns = np.array([self.vocabulary[term] for count in counts for term in count])
        values = np.array([n for count in counts for n in count.values()], dtype=np.float64)
        self.frequency = csr_array((values, (rows, columns)), (len(counts), len(self.vocabulary)))
        length = np.asarray(self.frequency.sum(axis=1)).ravel()
        holding = np.bincount(columns, minlength=len(self.vocabulary))
        rarity = np.log1p((len(counts) - holding + 0.5) / (holding + 0.5))
        norm = K1 * (1 - B + B * length / length.mean())
        weighed = rarity[columns] * values * (K1 + 1) / (values + norm[rows])
        self.weights = csc_array((weighed, (rows, columns)), self.frequency.shape)

    def search(self, query: Mapping[str, float]) -> Scores:
        """The best hundred documents with their scores."""
        vector = np.zeros(len(self.vocabulary))
        for term, weight in query.items():
            if term in self.vocabulary:
                vector[self.vocabulary[term]] = weight
        scores = self.weights @ vector
        best = [i for i in np.argsort(-scores, kind="stable")[:POOL] if scores[i] > 0]
        return {self.doc_ids[i]: float(scores[i]) for i in best}

    def expanded(self, query: Counter[str], documents: int = 5, terms: int = 20) -> Scores:
        """RM3: three fifths of the weight stay with the query."""
        found = self.search(query)
        places = {doc_id: i for i, doc_id in enumerate(self.doc_ids)}
        model = np.zeros(len(self.vocabulary))
        for doc_id, score in list(found.items())[:documents]:
            row = self.frequency[[places[doc_id]], :]
            model[row.indices] += score * row.data / row.data.sum()
        names = list(self.vocabulary)
        best = np.argsort(-model, kind="stable")[:terms]
        mass = model[best].sum() or 1.0
        mixed = Counter({t: 0.6 * n / query.total() for t, n in query.items()})
        mixed.update({names[i]: 0.4 * model[i] / mass for i in best if model[i] > 0})
        return self.search(mixed)


def characters(text: str, n: int) -> list[str]:
    """Character n-grams over word borders."""
    joined = f" {' '.join(_WORDS.findall(text.lower()))} "
    return [joined[i : i + n] for i in range(len(joined) - n + 1)]


CUTS: dict[str, Callable[[str], list[str]]] = {
    "unstemmed words": lambda text: _WORDS.findall(text.lower()),
    "pairs of stems": lambda text: [" ".join(pair) for pair in pairwise(analyze(text))],
    "characters, 3": lambda text: characters(text, 3),
    "characters, 4": lambda text: characters(text, 4),
}


class Attempts:
    """The further lists of one set: attempt → query → document → score."""

    def __init__(self, one: MeasuredSet, texts: Mapping[str, str]) -> None:
        self.one = one
        self.default = Candidate(DEFAULT_FUSION, 0.5, OVER_CORPUS)
        queries = {query.id: query.text for query in one.queries}
        ids = list(texts)
        self.lists: dict[str, dict[str, Scores]] = {}
        for name, cut in CUTS.items():
            terms = Terms(ids, [Counter(cut(text)) for text in texts.values()])
            self.lists[name] = {q: terms.search(Counter(cut(t))) for q, t in queries.items()}
        stems = Terms(ids, [Counter(analyze(text)) for text in texts.values()])
        self.lists["RM3"] = {q: stems.expanded(Counter(analyze(t))) for q, t in queries.items()}
        fused = {q: self.default.fuse(one.lists[q]) for q in queries}
        vectors = {doc_id: one.bench.backend.vector(doc_id) for doc_id in ids}
        self.lists["Rocchio"] = {
            q: _near(np.sum([vectors[r.doc_id] for r in found[:3]], axis=0), vectors)
            for q, found in fused.items()
        }
        self.lists["best of the episode"] = {q: _episodes(found) for q, found in fused.items()}

    def values(self, name: str, weight: float) -> np.ndarray:
        """nDCG@10 of every query with one more list at a weight."""

        def fuse(query: str) -> list[ScoredResult]:
            known = {r.doc_id: r for both in self.one.lists[query] for r in both}
            extra = self.lists[name][query]
            low, high = min(extra.values(), default=0.0), max(extra.values(), default=0.0)
            added = {
                doc_id: weight * ((score - low) / (high - low) if high > low else 1.0)
                for doc_id, score in extra.items()
                if doc_id in known
            }
            fused = replace(self.default, neighbours=()).fuse(self.one.lists[query])
            summed = [r.moved(r.score + added.get(r.doc_id, 0.0), r.rank) for r in fused]
            return self.default.share(sorted(summed, key=lambda r: (-r.score, r.doc_id)))

        return self.one.values(fuse)


def _near(centre: np.ndarray, vectors: Mapping[str, np.ndarray]) -> Scores:
    scores = {doc_id: float(vector @ centre) for doc_id, vector in vectors.items()}
    return dict(sorted(scores.items(), key=lambda entry: -entry[1])[:POOL])


def _episodes(found: Sequence[ScoredResult]) -> Scores:
    best: dict[str, float] = defaultdict(float)
    for result in found:
        episode = result.payload["episode_id"]
        best[episode] = max(best[episode], result.score)
    return {result.doc_id: best[result.payload["episode_id"]] for result in found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--cache-dir", type=Path)
    options = parser.parse_args()
    rows = []
    for argument in options.sets:
        one = MeasuredSet(argument, options.cache_dir)
        columns = schema.IndexedDocument.doc_id, schema.IndexedDocument.text
        with one.bench.backend.engine.connect() as connection:
            texts = {row.doc_id: row.text for row in connection.execute(sa.select(*columns))}
        attempts = Attempts(one, texts)
        plain = one.of(attempts.default)
        rows.append([one.name, "default", "", mean_of(plain), ""])
        for name in attempts.lists:
            for weight in WEIGHTS:
                values = attempts.values(name, weight)
                cells = [mean_of(values), difference_of(values, plain)]
                rows.append([one.name, name, f"{weight}", *cells])
    print(table(["set", "one more list", "weight", "nDCG@10", "− default"], rows))


if __name__ == "__main__":
    main()
