"""Names that an index knows: those who speak in the contract's documents or are mentioned there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.known_names import KnownNames
from tests.search.backends.contract import DIMENSION, fill
from tests.search.backends.test_embedded import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnownNames]:
    backend = prepare(EmbeddedBackend.create(tmp_path_factory.mktemp("index"), DIMENSION))
    yield KnownNames(fill(backend))
    backend.close()


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("Ida", True),
        ("omar", True),
        ("Who is Ómar?", True),
        ("port", True),
        ("person:ida", False),
        ("energy", False),
        ("Ida on ferries", False),
        ("what Ida said about ice", False),
        ("", False),
        ("?", False),
    ],
)
def test_only_a_whole_name_is_known(known: KnownNames, text: str, is_known: bool) -> None:
    assert known(text) is is_known
