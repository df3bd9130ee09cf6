"""``podcast-scraper doctor``: is everything here that the product needs?"""

from __future__ import annotations

import importlib.metadata
import platform
import sqlite3
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import click

import podcast_scraper
from podcast_scraper.cli.options import index_dir_option, json_option
from podcast_scraper.cli.output import console, print_json
from podcast_scraper.errors import PodcastScraperError

if TYPE_CHECKING:
    from collections.abc import Callable

from pathlib import Path

PACKAGES: Final = (
    "faiss-cpu",
    "flask",
    "networkx",
    "numpy",
    "onnxruntime",
    "sentence-transformers",
    "sqlalchemy",
    "sqlite-vec",
    "tantivy",
    "tokenizers",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; ``mend`` says what to do where it is not ``ok``."""

    name: str
    ok: bool
    detail: str
    mend: str | None = None


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path), required=False)
@index_dir_option
@click.option("--recall", is_flag=True, help="Measure the dense search against an exact one.")
@json_option
@click.pass_context
def doctor(
    context: click.Context,
    corpus: Path | None,
    index_dir: Path | None,
    recall: bool,
    as_json: bool,
) -> None:
    """Check Python, SQLite, packages and models, and the index of CORPUS where one is named.

    The index is read whole, which takes a second a gigabyte. Exit status 1 when something is wrong.
    """
    checks = [_ourselves(), _checked("SQLite", _sqlite), *_versions(), _checked("model", _model)]
    if corpus is not None:
        checks.append(_checked("index", lambda: _index(corpus, index_dir)))
        if recall:
            checks.append(_checked("recall", lambda: _recall(corpus, index_dir)))
    if as_json:
        print_json({"ok": all(c.ok for c in checks), "checks": [asdict(c) for c in checks]})
    else:
        out = console()
        for check in checks:
            style = "green" if check.ok else "red"
            word = "ok " if check.ok else "BAD"
            out.print(f"{word} {check.name}: {check.detail}", style=style, markup=False)
            if check.mend and not check.ok:
                out.print(f"    {check.mend}", markup=False)
    if not all(check.ok for check in checks):
        context.exit(1)


def _checked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except PodcastScraperError as error:
        return Check(name, False, error.message, error.mend)


def _ourselves() -> Check:
    python = f"Python {platform.python_version()} on {platform.system()}"
    return Check("podcast-scraper", True, f"{podcast_scraper.__version__}, {python}")


def _sqlite() -> str:
    from podcast_scraper.storage.driver import dbapi

    module = dbapi()
    where = "the standard library" if module is sqlite3 else module.__name__
    return f"{module.sqlite_version} from {where}, loads extensions"


def _versions() -> list[Check]:
    checks = []
    for name in PACKAGES:
        try:
            checks.append(Check(name, True, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            checks.append(Check(name, False, "not installed", "Run `python3 tasks.py setup`."))
    return checks


def _model() -> str:
    from podcast_scraper.embed.resolve import open_encoder

    encoder = open_encoder()
    return f"{encoder.fingerprint}, {encoder.dimension} dimensions, {encoder.max_tokens} tokens"


def _index(corpus: Path, index_dir: Path | None) -> str:
    from podcast_scraper.corpus import open_corpus

    with open_corpus(corpus, index_dir=index_dir) as opened:
        health = opened.health()
        opened.index.backend.check()
    documents = ", ".join(f"{n} {tier}" for tier, n in health["documents"].items())
    built = health["index"]
    state = f"degraded: {'; '.join(health['reasons'])}" if health["degraded"] else "healthy"
    return f"generation {built['generation']} of {built['created']}, {documents}, {state}"


def _recall(corpus: Path, index_dir: Path | None) -> str:
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.index.recall import (
        encoded,
        measure_recall,
        pseudo_queries,
        store_recall,
    )
    from podcast_scraper.search.backends.embedded import EmbeddedBackend

    with open_corpus(corpus, index_dir=index_dir) as opened:
        index = opened.index
        backend = index.backend
        if not isinstance(backend, EmbeddedBackend):
            return "not measured: the engines are on a server"
        # Another seed than that of tuning: other documents stand for queries.
        texts = pseudo_queries(backend.engine, seed=1)
        if not texts:
            return "the index holds no documents"
        queries = encoded(texts, lambda text: index.embed(text)[0], backend.dimension)
        found = measure_recall(backend.dense, queries, backend.seal.revision)
        kept = store_recall(index.generation.path, found)
    return (
        f"recall@100 {found.recall:.4f} (worst twentieth {found.recall_p5:.2f}) of the exact search"
        f" on {found.queries} queries, by {found.way}: {found.ms:.1f} ms, exact"
        f" {found.ms_exact:.1f} ms{'' if kept else ' (not stored: read-only)'}"
    )
