"""Query sets: what is asked, what may be found, and what was judged relevant.

A set is a directory with ``corpus.jsonl[.gz]`` and ``queries.jsonl[.gz]`` of ``{id, text, meta}``
and ``qrels.tsv`` of query, document and grade (0 not relevant; more is better). A set over an
artifact corpus has no ``corpus.jsonl`` but names the corpus in ``set.json``
(``{"corpus": "../../sample"}``, relative to the set); its judgements may name spans of an episode
(see :mod:`podcast_scraper.evaluate.spans`).
"""

from __future__ import annotations

import gzip
import json
import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import EvaluationError
from podcast_scraper.evaluate.statistics import SEED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Qrels = dict[str, dict[str, int]]

_PROBLEMS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class SetItem:
    """A document or a query of a set."""

    id: str
    text: str
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuerySet:
    """A loaded set. ``documents`` is empty where ``corpus`` (a directory) is searched instead.

    Every query stays in every mean: one that no system answers, or without a relevant judgement,
    counts 0. ``triples`` is the path of ready (subject, relation, object) triples, if any.
    """

    name: str
    path: Path
    documents: tuple[SetItem, ...]
    queries: tuple[SetItem, ...]
    qrels: Qrels
    corpus: Path | None = None
    triples: Path | None = None
    origin: str = "unknown"
    licence: str = "unknown"


def load_set(
    path: Path, *, limit: int | None = None, sample: int | None = None, judged: bool = True
) -> QuerySet:
    """Read the set at ``path``; ``limit`` keeps its first queries, ``sample`` as many at random.

    The sample is drawn with a fixed seed and keeps the order of the file. A set that is not
    ``judged`` yet may lack its qrels.

    Raises :class:`EvaluationError` that names the problems found, not just the first.
    """
    if not path.is_dir():
        raise EvaluationError(
            f"There is no query set at {path}.",
            mend="`podcast-scraper eval sets` lists those at hand.",
            subject=path,
        )
    settings = _settings(path)
    corpus = (path / settings["corpus"]).resolve() if "corpus" in settings else None
    problems: list[str] = []
    documents = () if corpus else _items(path, "corpus", problems)
    queries = _items(path, "queries", problems)
    file = path / "qrels.tsv"
    qrels = _read_qrels(file, problems) if judged or file.is_file() else {}
    problems += _mismatches(documents, queries, qrels)
    if problems:
        shown = "; ".join(problems[:_PROBLEMS_SHOWN])
        more = len(problems) - _PROBLEMS_SHOWN
        raise EvaluationError(
            f"The query set {path} cannot be used: {shown}"
            + (f"; {more} more." if more > 0 else "."),
            mend="A set is corpus.jsonl, queries.jsonl and qrels.tsv (docs/rfc/100-evaluation.md).",
            subject=path,
        )
    kept = queries[:limit] if limit else queries
    if sample is not None and sample < len(kept):
        places = sorted(random.Random(SEED).sample(range(len(kept)), sample))
        kept = tuple(kept[place] for place in places)
    origin, licence = _provenance(path, settings)
    return QuerySet(
        name=path.resolve().name,
        path=path,
        documents=documents,
        queries=kept,
        qrels={query.id: qrels.get(query.id, {}) for query in kept},
        corpus=corpus,
        triples=_either(path, "openie"),
        origin=origin,
        licence=licence,
    )


def per_pair(query_set: QuerySet) -> tuple[Qrels, dict[str, str]]:
    """Make each relevant judgement a query of its own.

    Returns the judgements (one relevant document each, grade 1) and the query that each pair's id
    stands for. Two answers of one query cannot both be first, so 1.0 is out of reach: the ceiling
    is the measure over an ideal ranking.
    """
    pairs: Qrels = {}
    parents: dict[str, str] = {}
    for query in query_set.queries:
        for document, grade in query_set.qrels[query.id].items():
            if grade > 0:
                pair = f"{query.id}|{document}"
                pairs[pair] = {document: 1}
                parents[pair] = query.id
    return pairs, parents


def find_sets(roots: list[Path]) -> list[Path]:
    """Directories under ``roots`` (themselves or one level below) that hold a query set."""
    found: list[Path] = []
    for root in roots:
        if root.is_dir():
            candidates = [root, *sorted(child for child in root.iterdir() if child.is_dir())]
            found += [path for path in candidates if (path / "qrels.tsv").is_file()]
    return list(dict.fromkeys(found))


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of a JSON-lines file, plain or gzip."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, json.loads(line)


def _either(path: Path, stem: str) -> Path | None:
    for suffix in (".jsonl", ".jsonl.gz"):
        if (path / f"{stem}{suffix}").is_file():
            return path / f"{stem}{suffix}"
    return None


def _settings(path: Path) -> dict[str, Any]:
    file = path / "set.json"
    if not file.is_file():
        return {}
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise EvaluationError(f"{file} is not JSON: {error}.", subject=file) from error
    if not isinstance(settings, dict) or not isinstance(settings.get("corpus", ""), str):
        raise EvaluationError(f'{file} should look like {{"corpus": "PATH"}}.', subject=file)
    return settings


def _items(path: Path, stem: str, problems: list[str]) -> tuple[SetItem, ...]:
    file = _either(path, stem)
    if file is None:
        problems.append(f"{stem}.jsonl is missing")
        return ()
    items: dict[str, SetItem] = {}
    try:
        for number, row in read_jsonl(file):
            if not isinstance(row.get("id"), str) or not isinstance(row.get("text"), str):
                problems.append(f"{file.name} line {number} lacks an id or a text")
            elif row["id"] in items:
                problems.append(f"{file.name} line {number} repeats the id {row['id']}")
            else:
                items[row["id"]] = SetItem(row["id"], row["text"], row.get("meta") or {})
    except (OSError, ValueError, EOFError) as error:
        problems.append(f"{file.name} cannot be read: {error}")
    return tuple(items.values())


def _read_qrels(file: Path, problems: list[str]) -> Qrels:
    qrels: Qrels = {}
    if not file.is_file():
        problems.append("qrels.tsv is missing")
        return qrels
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not re.fullmatch(r"-?\d+", cells[2].strip()):
            problems.append(f"qrels.tsv line {number} is not query, document, whole grade")
            continue
        qrels.setdefault(cells[0], {})[cells[1]] = int(cells[2])
    return qrels


def _mismatches(
    documents: tuple[SetItem, ...], queries: tuple[SetItem, ...], qrels: Qrels
) -> list[str]:
    known_queries = {query.id for query in queries}
    known_documents = {document.id for document in documents}
    problems = [f"qrels.tsv judges the unknown query {q}" for q in qrels if q not in known_queries]
    if known_documents:
        unknown = {d for judged in qrels.values() for d in judged} - known_documents
        problems += [f"qrels.tsv judges the unknown document {d}" for d in sorted(unknown)]
    if not queries:
        problems.append("there is no query")
    return problems


def _provenance(path: Path, settings: Mapping[str, Any]) -> tuple[str, str]:
    """Origin and licence as set.json names them, else the set's SOURCE.md or README.md."""
    if "licence" in settings:
        return str(settings.get("judged_by", "unknown")), str(settings["licence"])
    for name in ("SOURCE.md", "README.md"):
        file = path / name
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            origin = re.search(r"^Origin:\s*([^\s,]+)", text, re.MULTILINE | re.IGNORECASE)
            licence = re.search(
                r"\b(MIT|Apache[- ]2\.0|MPL [\d.]+|CC[- ]BY(?:-[A-Z]+)* [\d.]+|CC0)\b", text
            )
            return (
                origin.group(1).rstrip(".;") if origin else "unknown",
                licence.group(1) if licence else "unknown",
            )
    return "unknown", "unknown"
