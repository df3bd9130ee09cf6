"""What spaCy says of a line is the same whether or not the line had to be cut."""

from __future__ import annotations

import pytest

from podcast_scraper.ingest.extract import spacy_annotator
from podcast_scraper.ingest.extract.spacy_annotator import SpacyAnnotator, model_folder

pytestmark = pytest.mark.skipif(model_folder() is None, reason="the spaCy model is not installed")

SENTENCE = "We spoke with Margaret Hamilton at Microsoft about the open source compiler."


@pytest.fixture(scope="module")
def annotator() -> SpacyAnnotator:
    return SpacyAnnotator()


def test_a_long_line_is_cut_at_spaces_and_its_offsets_are_the_lines(
    annotator: SpacyAnnotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spacy_annotator, "LONGEST", len(SENTENCE) + 10)
    line = " ".join([SENTENCE] * 40)
    short, long, endless = annotator.annotate(["Yeah.", line, "a" * 1_000])
    assert (short.mentions, short.phrases) == ((), ())
    people = [line[m.start : m.end] for m in long.mentions if m.label == "PERSON"]
    assert people.count("Margaret Hamilton") > 30, "a cut loses what it goes through, no more"
    assert all(m.start < m.end <= len(line) for m in long.mentions)
    assert [p.start for p in long.phrases] == sorted(p.start for p in long.phrases)
    assert all(0 <= p.start < p.end <= 1_000 for p in endless.phrases)


@pytest.mark.slow
def test_more_than_spacy_takes_at_once(annotator: SpacyAnnotator) -> None:
    line = " ".join([SENTENCE] * 14_000)
    assert len(line) > 1_000_000, "spaCy refuses a text of this length"
    (found,) = annotator.annotate([line[:1_050_000]])
    assert len(found.mentions) > 20_000
