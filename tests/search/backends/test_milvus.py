"""The Milvus backend over real servers: the contract, and what is its own."""

from __future__ import annotations

import itertools
import os
import random
from contextlib import closing
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest

from podcast_scraper.errors import IndexDamagedError
from podcast_scraper.search.backend import SearchQuery
from podcast_scraper.search.backends.milvus import MilvusBackend
from podcast_scraper.search.backends.milvus_client import MilvusServer, MilvusTarget
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.schema import Base
from tests import engines
from tests.engines import LITE_25, LITE_32, OWN_SERVER, lite_25, lite_32, named, remove_collections
from tests.search.backends.contract import (
    DIMENSION,
    BackendContract,
    MakeBackend,
    axis,
    fill,
    segment,
)
from tests.search.backends.test_embedded import prepare
from tests.search.backends.test_sparse_bm25 import reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from podcast_scraper.search.backend import ScoredResult
    from tests.engines import Server


def made(url: str, directory: Path, generation: int = 1) -> MilvusBackend:
    """Make an empty backend over records in a directory."""
    engine = open_engine(directory / f"{generation}.sqlite")
    Base.metadata.create_all(engine)
    server = MilvusServer(MilvusTarget.parse(url))
    return prepare(MilvusBackend.create(engine, server, DIMENSION, generation))


def opened(url: str, directory: Path, *, read_only: bool = True) -> MilvusBackend:
    engine = open_engine(directory / "1.sqlite", read_only=read_only)
    return MilvusBackend.open(engine, MilvusServer(MilvusTarget.parse(url)), read_only=read_only)


class TestContract(BackendContract):
    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(
        cls, milvus_url: str, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[MakeBackend]:
        urls: list[str] = []
        backends: list[MilvusBackend] = []

        def make() -> MilvusBackend:
            urls.append(named(milvus_url))
            backends.append(made(urls[-1], tmp_path_factory.mktemp("records")))
            return backends[-1]

        yield make
        for url, backend in zip(urls, backends, strict=True):
            backend.close()
            remove_collections(url)


@pytest.mark.engines(LITE_32)
class TestContractWithTheEnginesOwnBm25(BackendContract):
    """Other scores, and so another order, of the same documents."""

    EXPLAINS: ClassVar = False

    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(
        cls, lite_32_url: str, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[MakeBackend]:
        backends: list[MilvusBackend] = []

        def make() -> MilvusBackend:
            url = f"{named(lite_32_url)}&bm25=engine"
            backends.append(made(url, tmp_path_factory.mktemp("records")))
            return backends[-1]

        yield make
        for backend in backends:
            backend.close()


@pytest.mark.engines(OWN_SERVER)
def test_a_server_of_your_own_is_named() -> None:
    """What runs for each kind of server runs for it too; nothing but new collections is touched."""
    if "MILVUS_URI" not in os.environ:
        pytest.skip("MILVUS_URI (http://host:19530) names no server")


def test_readers_see_what_was_written_and_need_the_collections(milvus: str, tmp_path: Path) -> None:
    with closing(made(milvus, tmp_path)) as writer:
        fill(writer)
        with closing(opened(milvus, tmp_path)) as reader:
            found = reader.search_bm25(SearchQuery("battery ferries"))
            assert found == writer.search_bm25(SearchQuery("battery ferries"))
        writer.collections.drop()
    with pytest.raises(IndexDamagedError, match="outbox drain"):
        opened(milvus, tmp_path)
    with closing(opened(milvus, tmp_path, read_only=False)) as writer:
        assert writer.catch_up() == 6  # all of them, from the records
        assert writer.search_bm25(SearchQuery("battery ferries")) == found
        assert writer.catch_up() == 0


def test_writers_read_what_they_wrote_and_readers_may_be_moments_behind(
    milvus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels: list[str] = []
    call = MilvusServer.call

    def noting(self: MilvusServer, method: str, *arguments: Any, **options: Any) -> Any:
        levels.extend(options[name] for name in options if name == "consistency_level")
        return call(self, method, *arguments, **options)

    monkeypatch.setattr(MilvusServer, "call", noting)
    query = SearchQuery("ice", axis(0))
    with closing(made(milvus, tmp_path)) as writer:
        fill(writer)
        for url, read_only, level in (
            (milvus, False, "Strong"),
            (milvus, True, "Bounded"),
            (f"{milvus}&consistency=Session", True, "Session"),
        ):
            levels.clear()
            with closing(opened(url, tmp_path, read_only=read_only)) as backend:
                assert backend.search_bm25(query)
                assert backend.search_vector(query)
                assert not backend.health().degraded
            assert set(levels) == {level}


@pytest.mark.engines(LITE_32)
def test_aliases_lead_to_the_live_generation_and_old_ones_go(
    lite_32_url: str, tmp_path: Path
) -> None:
    from pymilvus import MilvusClient

    url = named(lite_32_url)
    name = MilvusTarget.parse(url).name
    client = MilvusClient(MilvusTarget.parse(url).uri)
    for generation in (1, 2, 3):
        backend = made(url, tmp_path, generation)
        fill(backend, [segment(f"d{n}", "ice") for n in range(generation)], _rows(generation))
        backend.publish([generation - 1, generation])
        if generation == 2:  # filled anew, it keeps its alias
            backend.follower.start_over()
            assert backend.catch_up() == 2
        backend.close()
        there = client.query(f"{name}_segment", output_fields=["count(*)"])
        assert there[0]["count(*)"] == generation
        tables = {one for one in client.list_collections() if one.startswith(f"{name}_")}
        kept = {generation - 1, generation} - {0}
        assert tables == {f"{name}_{tier}_g{n}" for n in kept for tier in ("segment", "insight")}
    described = client.describe_collection(f"{name}_segment")
    keys = [one["name"] for one in described["fields"] if one.get("is_partition_key")]
    assert keys == ["show"]
    client.close()
    remove_collections(url)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lite_32, marks=pytest.mark.engines(LITE_32)),
        pytest.param(lite_25, marks=pytest.mark.engines(LITE_25)),
    ],
)
def test_a_server_that_was_killed_has_everything_when_it_is_back(
    make: Callable[[Path], Server], tmp_path: Path
) -> None:
    with engines.running(make(tmp_path)) as server:
        url = f"milvus+{server.uri}"
        backend = made(url, tmp_path)
        documents = [segment(f"d{n:03d}", f"ice w{n % 7} w{n % 11}") for n in range(300)]
        fill(backend, documents, _rows(300))
        backend.delete([f"d{n:03d}" for n in range(0, 300, 10)])
        backend.create_indices()
        queries = [SearchQuery(f"ice w{n}", axis(n, lean=0.3), k=100) for n in range(8)]

        def answers() -> list[object]:
            health = backend.health()
            found = [(backend.search_bm25(q), backend.search_vector(q)) for q in queries]
            return [health, *found]

        before = answers()
        assert backend.health().documents == {"segment": 270, "insight": 0}
        server.kill()
        server.start()
        assert answers() == before
        backend.close()


PLAIN = ("abbey", "boat", "cargo", "dune", "eagle", "fjord", "gale", "harpoon")  # own stems


def test_scores_are_those_of_a_reference_however_many_shards_hold_the_rows(
    milvus: str, tmp_path: Path
) -> None:
    drawn = random.Random(9)
    weights = [1 / rank for rank in range(1, len(PLAIN) + 1)]
    texts = [drawn.choices(PLAIN, weights, k=drawn.randint(1, 40)) for _ in range(150)]
    documents = [segment(f"d{n:03d}", " ".join(words)) for n, words in enumerate(texts)]
    queries = [["boat"], ["dune", "harpoon"], ["abbey", "fjord", "gale"], ["cargo", "glacier"]]
    lists: list[list[list[ScoredResult]]] = []
    for number, layout in enumerate(("shards=1&partitions=1", "shards=2&partitions=16")):
        folder = tmp_path / str(number)
        folder.mkdir()
        with closing(made(f"{milvus}_{number}&{layout}", folder)) as backend:
            fill(backend, documents, _rows(150))
            asked = [SearchQuery(" ".join(query), k=200) for query in queries]
            lists.append([backend.search_bm25(query) for query in asked])
    assert lists[0] == lists[1]
    for query, found in zip(queries, lists[0], strict=True):
        # Stems and exact terms are the same here, so a score is 1.5 times that of one field.
        expected = [round(1.5 * score, 4) for score in reference(texts, query)]
        scores = {documents[n].doc_id: score for n, score in enumerate(expected) if score}
        assert {hit.doc_id: hit.score for hit in found} == pytest.approx(scores, abs=1.01e-4)
        places = [scores[hit.doc_id] for hit in found]
        assert all(after <= before + 1.01e-4 for before, after in itertools.pairwise(places))


def _rows(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    drawn = np.random.default_rng(count).standard_normal((count, DIMENSION)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def lite_32_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with engines.served(LITE_32, tmp_path_factory.mktemp("lite32")) as url:
        yield url
