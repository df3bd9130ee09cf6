"""The Milvus backend over real servers: the contract, and what is its own."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.search.backends.milvus import MilvusBackend
from podcast_scraper.search.backends.milvus_client import MilvusServer, MilvusTarget
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.schema import Base
from tests.engines import LITE_25, LITE_32, OWN_SERVER, lite_25, lite_32, running
from tests.search.backends.contract import DIMENSION, BackendContract, MakeBackend
from tests.search.backends.test_embedded import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    Factory = pytest.TempPathFactory

_NUMBERS = itertools.count(1)


def made_on(url: str, factory: pytest.TempPathFactory) -> Iterator[MakeBackend]:
    """Yield what makes backends on a server, and remove their collections afterwards."""
    made: list[MilvusBackend] = []

    def make() -> MilvusBackend:
        target = MilvusTarget.parse(f"{url}?name=contract{os.getpid()}_{next(_NUMBERS)}")
        engine = open_engine(factory.mktemp("records") / "corpus.sqlite")
        Base.metadata.create_all(engine)
        backend = MilvusBackend.create(engine, MilvusServer(target), DIMENSION, 1)
        made.append(backend)
        return prepare(backend)

    yield make
    for backend in made:
        backend.collections.drop()
        backend.close()


@pytest.fixture(scope="module")
def lite_32_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(lite_32(tmp_path_factory.mktemp("lite32"))) as server:
        yield f"milvus+{server.uri}"


@pytest.fixture(scope="module")
def lite_25_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(lite_25(tmp_path_factory.mktemp("lite25"))) as server:
        yield f"milvus+{server.uri}"


@pytest.mark.engines(LITE_32)
class TestContractOnLite32(BackendContract):
    """A TCP server with partition keys and aliases."""

    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(
        cls, lite_32_url: str, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[MakeBackend]:
        yield from made_on(lite_32_url, tmp_path_factory)


@pytest.mark.engines(LITE_25)
class TestContractOnLite25(BackendContract):
    """The C++ core of Milvus, without partition keys and aliases."""

    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(
        cls, lite_25_url: str, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[MakeBackend]:
        yield from made_on(lite_25_url, tmp_path_factory)


if "MILVUS_URI" in os.environ:

    @pytest.mark.engines(OWN_SERVER)
    class TestContractOnYourServer(BackendContract):
        """A server of your own, of which nothing but new collections is touched."""

        @pytest.fixture(scope="class")
        @classmethod
        def make_backend(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeBackend]:
            yield from made_on(f"milvus+{os.environ['MILVUS_URI']}", tmp_path_factory)

else:

    @pytest.mark.engines(OWN_SERVER)
    def test_contract_on_your_server() -> None:
        pytest.skip("MILVUS_URI (http://host:19530) names no server")
