"""Names and words longer than what a database can index are kept and found."""

from __future__ import annotations

import json
import random
import string
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.identity.slugify import MOST_BYTES, bounded, slugify
from podcast_scraper.index.build import build_index
from podcast_scraper.settings import STORE_VARIABLE
from tests.corpora import write_episode
from tests.index.encoders import word_encoder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["word_encoder"]

# Drawn at random: PostgreSQL packs what repeats itself.
ENDLESS = "".join(random.Random(4).choices(string.ascii_letters, k=3000))
NAME = " ".join(ENDLESS[n : n + 60] for n in range(0, 3000, 60))


def test_bounded() -> None:
    assert bounded("ä" * 200) == "ä" * 200
    cut = bounded("a" + "ä" * 200)
    assert len(cut.encode()) <= MOST_BYTES
    assert cut.startswith("a" + "ä" * 190)
    assert bounded(cut) == cut
    assert bounded("a" + "ä" * 201) != cut
    assert len(slugify(NAME)) == MOST_BYTES


@pytest.mark.usefixtures("word_encoder")
def test_endless_names_aliases_ids_and_words(
    tiny: Path, store_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STORE_VARIABLE, store_url or "")
    write_episode(tiny, "three", insights={f"insight:{ENDLESS}": f"A {ENDLESS} is no word."})
    for path in (tiny / "feeds").rglob("*.json"):
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for node in document["nodes"]:
            if node["id"] == "person:ada-byron":
                node["properties"] = {"name": NAME, "aliases": [f"The {NAME}", "Ada Byron"]}
                node["id"] = f"person:{ENDLESS}"
        text = json.dumps(document).replace('"person:ada-byron"', f'"person:{ENDLESS}"')
        path.write_text(text, encoding="utf-8")
    build_index(tiny)
    with open_corpus(tiny) as corpus:
        person = bounded(f"person:{ENDLESS}")
        for name in (NAME, f"The {NAME}", "Ada Byron"):
            resolved = corpus.resolve(name)
            assert [one.id for one in resolved.candidates][:1] == [person], resolved
        assert corpus.graph.label(person) == NAME
        (hit,) = corpus.search(ENDLESS).hits[:1]
        assert hit.id == bounded(f"insight:{ENDLESS}")
        assert [one.id for one in hit.speakers] == [person]
