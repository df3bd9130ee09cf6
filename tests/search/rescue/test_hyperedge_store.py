"""The hyperedge store: what is written is read, and what is torn is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import (
    ConfigurationError,
    IndexDamagedError,
    IndexMismatchError,
    IndexMissingError,
)
from podcast_scraper.search.rescue.hyperedge_store import read_hyperedges, write_hyperedges
from podcast_scraper.search.rescue.hyperedges import Hyperedge
from tests.search.rescue.graphs import HYPEREDGE_LISTS, HYPEREDGES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "graph-hyperedges.kv"
    write_hyperedges(path, HYPEREDGES)
    return path


def test_file_format(store: Path) -> None:
    header, first, *_ = store.read_text().splitlines()
    name, version, count, checksum = header.split("\t")
    assert (name, version, count) == ("podcast-scraper-hyperedges", "1", "4")
    assert len(checksum) == 64
    assert first == (
        'bridge:topic:chess\t{"documents":["d1","d3"],"kind":"bridge",'
        '"nodes":["person:ada","topic:chess"]}'
    )
    assert [path.name for path in store.parent.iterdir()] == [store.name]


def test_reading_gives_what_was_written_by_id(store: Path) -> None:
    assert read_hyperedges(store) == sorted(HYPEREDGES, key=lambda edge: edge.id)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edges=HYPEREDGE_LISTS, name=st.text(min_size=1, max_size=8))
def test_round_trip(tmp_path: Path, edges: list[Hyperedge], name: str) -> None:
    path = tmp_path / "store.kv"
    edges = [*edges, Hyperedge("odd", "insight", (name,), (name,))]
    write_hyperedges(path, edges)
    first = path.read_bytes()
    assert read_hyperedges(path) == sorted(edges, key=lambda edge: edge.id)
    write_hyperedges(path, reversed(edges))
    assert path.read_bytes() == first


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="export graph"):
        read_hyperedges(tmp_path / "none.kv")


def test_another_version(store: Path) -> None:
    store.write_text(store.read_text().replace("\t1\t", "\t2\t", 1))
    with pytest.raises(IndexMismatchError, match="version 2"):
        read_hyperedges(store)


@pytest.mark.parametrize("cut", [0, 5, 30, 60, 200, -1])
def test_a_torn_file(store: Path, cut: int) -> None:
    store.write_bytes(store.read_bytes()[:cut])
    with pytest.raises(IndexDamagedError, match="damaged"):
        read_hyperedges(store)


def test_an_altered_byte(store: Path) -> None:
    store.write_text(store.read_text().replace("person:ada", "person:eve", 1))
    with pytest.raises(IndexDamagedError, match="checksum"):
        read_hyperedges(store)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("b\t{1\na\t{}\n", "cannot be read"),
        ('a\t{"documents":[],"kind":"other","nodes":["n"]}\n', "wrong value"),
        ('a\t{"documents":[],"kind":"insight","nodes":[]}\n', "wrong value"),
        ('a\t{"documents":"d","kind":"insight","nodes":["n"]}\n', "wrong value"),
        (
            'b\t{"documents":[],"kind":"insight","nodes":["n"]}\n'
            'a\t{"documents":[],"kind":"insight","nodes":["n"]}\n',
            "out of order",
        ),
    ],
)
def test_a_wrong_body_under_a_right_checksum(tmp_path: Path, body: str, why: str) -> None:
    import hashlib

    path = tmp_path / "store.kv"
    digest = hashlib.sha256(body.encode()).hexdigest()
    count = body.count("\n")
    path.write_text(f"podcast-scraper-hyperedges\t1\t{count}\t{digest}\n{body}")
    with pytest.raises(IndexDamagedError, match=why):
        read_hyperedges(path)
    path.write_text(f"podcast-scraper-hyperedges\t1\t{count + 1}\t{digest}\n{body}")
    with pytest.raises(IndexDamagedError):
        read_hyperedges(path)


@pytest.mark.parametrize("name", ["", "a\tb", "a\nb", "a\u2028b"])
def test_ids_that_the_format_cannot_hold(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="tab or a line break"):
        write_hyperedges(tmp_path / "s.kv", [Hyperedge(name, "insight", ("n",), ())])


def test_an_id_twice(tmp_path: Path) -> None:
    edge = Hyperedge("a", "insight", ("n",), ())
    with pytest.raises(ConfigurationError, match="twice"):
        write_hyperedges(tmp_path / "s.kv", [edge, edge])
