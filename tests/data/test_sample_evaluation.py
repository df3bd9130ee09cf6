"""The judged queries and the labelled pairs point at what the built corpus holds."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from data.sample_source import build
from data.sample_source.references import References, judgements, labelled_pairs

from tests.data.conftest import DATA

if TYPE_CHECKING:
    from pathlib import Path

    from tests.data.conftest import RawEpisode

EVAL = DATA / "eval"
INTENTS = {
    "entity_lookup",
    "raw_evidence",
    "temporal_tracking",
    "cross_show_synthesis",
    "semantic",
}
SPAN = re.compile(r"([a-z-]+-\d\d)@(\d+)-(\d+)")


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _qrels() -> list[tuple[str, str, int]]:
    lines = (EVAL / "sample" / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    return [(q, d, int(g)) for q, d, g in (line.split("\t") for line in lines)]


def test_queries_have_distinct_ids_and_every_intent() -> None:
    queries = _json_lines(EVAL / "sample" / "queries.jsonl")
    assert len(queries) >= 48
    assert len({q["id"] for q in queries}) == len({q["text"] for q in queries}) == len(queries)
    intents = Counter(q["meta"]["intent"] for q in queries)
    assert set(intents) == INTENTS
    assert min(intents.values()) >= 8


def test_every_judged_document_exists(corpus: list[RawEpisode]) -> None:
    uses = Counter(n["id"] for e in corpus for n in e.nodes("gi", "Insight"))
    once = {insight for insight, n in uses.items() if n == 1}
    ends_ms = {e.id: round(e.segments[-1]["end"] * 1000) for e in corpus}
    for query, document, grade in _qrels():
        assert grade in (0, 1, 2, 3)
        if span := SPAN.fullmatch(document):
            assert 0 <= int(span[2]) < int(span[3]) <= ends_ms[span[1]], (query, document)
        else:
            assert document in once, (query, document)


def test_judgements_are_single_graded_and_named() -> None:
    rows = _qrels()
    assert len({(q, d) for q, d, _ in rows}) == len(rows)
    queries = {q["id"] for q in _json_lines(EVAL / "sample" / "queries.jsonl")}
    assert {q for q, _, _ in rows} <= queries
    answered = {q for q, _, grade in rows if grade == 3}
    unanswered = queries - {q for q, _, grade in rows if grade > 0}
    assert answered | unanswered == queries
    assert 3 <= len(unanswered) <= 8
    assert set(Counter(grade for _, _, grade in rows)) == {0, 1, 2, 3}


def test_a_span_covers_the_words_that_it_was_made_from(corpus: list[RawEpisode]) -> None:
    source = yaml.safe_load((build.SOURCE / "judgements.yaml").read_text(encoding="utf-8"))
    by_id = {e.id: e for e in corpus}
    references = References(build.episodes(), source["codes"])
    checked = 0
    for query in source["queries"]:
        for reference in query["judged"]:
            _, quoted, words = reference.partition('"')
            if not quoted:
                continue
            (document,) = references.documents(reference)
            name, start, end = SPAN.fullmatch(document).groups()  # type: ignore[union-attr]
            said = " ".join(
                s["text"]
                for s in by_id[name].segments
                if s["start"] * 1000 < int(end) and s["end"] * 1000 > int(start)
            )
            assert words[:-1] in said, reference
            checked += 1
    assert checked >= 40


def test_building_again_gives_the_same_judgements(tmp_path: Path) -> None:
    build.write_evaluation(tmp_path, build.episodes())
    for name in ("sample/queries.jsonl", "sample/qrels.tsv", "tensions.jsonl"):
        assert (tmp_path / name).read_bytes() == (EVAL / name).read_bytes(), name


def test_set_names_the_sample_corpus() -> None:
    settings = json.loads((EVAL / "sample" / "set.json").read_text(encoding="utf-8"))
    assert (EVAL / "sample" / settings["corpus"]).resolve() == DATA / "sample"


def test_labelled_pairs_are_balanced_and_of_different_people(corpus: list[RawEpisode]) -> None:
    speakers: dict[str, set[str]] = {}
    topics: dict[str, set[str]] = {}
    for episode in corpus:
        speaker_of = dict(episode.edges("gi", "SPOKEN_BY"))
        for insight, quote in episode.edges("gi", "SUPPORTED_BY"):
            speakers.setdefault(insight, set()).add(speaker_of[quote])
        for insight, topic in episode.edges("gi", "ABOUT"):
            topics.setdefault(insight, set()).add(topic)
    pairs = _json_lines(EVAL / "tensions.jsonl")
    labels = Counter(pair["label"] for pair in pairs)
    assert len(pairs) >= 66
    assert set(labels) == {"opposed", "agreeing", "unrelated"}
    assert max(labels.values()) <= 1.25 * min(labels.values())
    assert len({frozenset((p["a"], p["b"])) for p in pairs}) == len(pairs)
    for pair in pairs:
        assert not speakers[pair["a"]] & speakers[pair["b"]], pair
        assert pair["topic"] in topics[pair["a"]] & topics[pair["b"]], pair


@pytest.mark.parametrize(
    ("reference", "complaint"),
    [
        ("dl-01", "not a reference"),
        ("dl-01#z", "no insight"),
        ('dl-01 "words that nobody says"', "0 turns"),
        ('dl-01 "the"', "turns hold"),
    ],
)
def test_a_reference_to_nothing_is_refused(reference: str, complaint: str) -> None:
    references = References(build.episodes(), {"dl": "desire-lines"})
    with pytest.raises(ValueError, match=complaint):
        references.documents(reference)


def test_a_pair_by_one_person_and_a_double_judgement_are_refused() -> None:
    references = References(build.episodes(), {"dl": "desire-lines"})
    empty: dict[str, Any] = {"agreeing": {}, "unrelated": {}}
    one_person = empty | {"opposed": {"congestion-charging": ["dl-01#a dl-01#c"]}}
    with pytest.raises(ValueError, match="different people"):
        labelled_pairs(references, one_person)
    off_topic = empty | {"opposed": {"kelp-farming": ["dl-01#c dl-01#i"]}}
    with pytest.raises(ValueError, match="not both about"):
        labelled_pairs(references, off_topic)
    quoted = 'dl-01 "A road at eight in the morning is the only scarce thing in this city that we'
    words = quoted + ' give away for free"'
    with pytest.raises(ValueError, match="judged twice"):
        judgements(references, {"dl-01#a": 3, words: 2})
