"""The sample corpus answers alike, whether its records are files or in a database."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.index.build import build_index
from podcast_scraper.search import relational_queries as rq
from podcast_scraper.settings import STORE_VARIABLE
from podcast_scraper.storage.store import FILES, store_at
from tests.index.dumps import dump
from tests.index.encoders import WordEncoder
from tests.postgres import fresh_schemas

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.search.results import Hit

    Pair = tuple[Corpus, Corpus]

pytestmark = pytest.mark.engines("PostgreSQL")

QUERIES = (
    "kelp credits",
    "do price caps backfire",
    "what does Magnus Sorley say about moving the street",
    'speaker:"Magnus Sorley" kelp -rope after:2023',
    "who checks the people who measure",
)


@pytest.fixture(scope="module")
def both(
    sample_path: Path, postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """The corpus over files, and over a database; the encoder costs nothing."""
    with fresh_schemas(postgres_url) as url, pytest.MonkeyPatch.context() as patch:
        for module in ("index.build", "open_index"):
            patch.setattr(f"podcast_scraper.{module}.open_encoder", lambda *_, **__: WordEncoder())
        opened = []
        for name, store in (("files", ""), ("postgres", url)):
            patch.setenv(STORE_VARIABLE, store)
            place = tmp_path_factory.mktemp(name)
            generation = build_index(sample_path, index_dir=place).generation
            opened.append(open_corpus(sample_path, index_dir=place))
            if name == "files":
                held = dump(generation, ("kelp", "price", "street"), FILES)
            else:
                assert dump(generation, ("kelp", "price", "street"), store_at(url)) == held
        yield opened[0], opened[1]
        for corpus in opened:
            corpus.close()


def test_searches(both: Pair) -> None:
    for query in QUERIES:
        for options in ({}, {"graph": "force"}, {"tier": "insight", "since": "2024-01-01"}):
            answers: list[Any] = [corpus.search(query, **options) for corpus in both]
            ours, theirs = ([_exact(hit) for hit in one.hits] for one in answers)
            assert ours == theirs
            scores = [hit.score for hit in answers[0].hits]
            assert [hit.score for hit in answers[1].hits] == pytest.approx(scores, abs=1e-5)
            assert answers[0].connected == answers[1].connected
            assert (answers[0].facets, answers[0].total) == (answers[1].facets, answers[1].total)
            assert answers[0].hits


def _exact(hit: Hit) -> Hit:
    """Leave out scores: the two add up the products of a few vectors in different orders."""
    return replace(hit, score=None, explain={})


def test_relational_queries(both: Pair) -> None:
    kinds = {"person": "person", "topic": "topic", "insight": "insight"}
    graph = both[0].graph
    asked = 0
    for name, query in rq.QUERIES.items():
        kind = query.subject.partition(" ")[0].rstrip(",")
        for subject in graph.nodes_by_type(kinds.get(kind, kind))[:20]:
            other = graph.nodes_by_type(query.other)[0] if query.other else None
            rows = [rq.run(corpus.graph, name, subject, other=other) for corpus in both]
            made = [
                rq.to_json(corpus.graph, name, one) for corpus, one in zip(both, rows, strict=True)
            ]
            assert made[0] == made[1]
            asked += made[0]["total"] > 0
    assert asked > 50


def test_the_resolver(both: Pair) -> None:
    registry = both[0].index.resolver.registry
    names = {name for entry in registry for name in (entry.id, entry.name, *entry.aliases)}
    assert len(names) > 100
    for name in sorted(names):
        assert both[0].resolve(name) == both[1].resolve(name)
        assert both[0].resolve(name[1:]) == both[1].resolve(name[1:])
    sentence = "Did Magnus Sorley answer Winnie about kelp?"
    assert both[0].index.resolver.mentions(sentence) == both[1].index.resolver.mentions(sentence)


def test_decisions(both: Pair) -> None:
    left, right = both[0].graph.nodes_by_type("person")[:2]
    for corpus in both:
        made = corpus.identities.merge(left, right, author="me")
        assert set(corpus.index.identity.members(right)) == {left, right}
        corpus.identities.undo(made.uid, author="me")
    reviews = [corpus.identities.review() for corpus in both]
    assert reviews[0] == reviews[1]
