"""How text becomes terms: the one analyzer of documents, queries and highlights.

Two forms are made of every text. *Stems* are lower-cased, folded to ASCII where that is possible
(``é`` → ``e``), reduced by the Snowball English stemmer and without stop words: natural questions
do not pay for their small words. *Exact* terms keep every word and its ending, so that quoted
phrases mean what they say. Scripts that are written without spaces (Chinese, Japanese, Thai, …)
become single characters in the exact form; a query looks for pairs of neighbours among them.

The analyzers are tantivy's own objects, so an index and this module cannot disagree. Text is
brought to Unicode NFC first: ``e`` + combining accent and ``é`` are the same letter.
"""

from __future__ import annotations

import functools
import itertools
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Term = TypeVar("Term")

_SMALL_WORDS: Final = """
a about above after again all also am an and any are aren't as at be because been before being
below between both but by can can't could couldn't did didn't do does doesn't doing don't down
during each few for from further had hadn't has hasn't have haven't having he he'd he'll her
here hers him his how i i'd i'll i'm i've if in into is isn't it it'd it'll its just let ll me
more most my no nor not of off on once only or other our ours out over own re s same she she'd
she'll should shouldn't so some such t than that that'd that'll the their theirs them then
there they they'd they'll they're they've this those these through to too under until up ve
very was wasn't we we'd we'll we're we've were weren't what when where which while who whom why
will with won't would wouldn't you you'd you'll you're you've your yours
"""
STOP_WORDS: Final = frozenset(_SMALL_WORDS.split())

_SPACELESS: Final = (
    r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
)
# A possessive 's is its own token (and a stop word), so that `Ann` finds and excludes `Ann's`;
# other contractions stay whole, so that `don't` is not the name Don.
_WORD: Final = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{_SPACELESS}]]+(?:['’](?i:t|re|ve|ll|d|m)\b)?"


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of a query, each once, in the order of its text.

    ``stems`` are looked up in the stemmed form, ``exact`` in the exact form (the same words, or all
    words where the query holds nothing but stop words), ``pairs`` as neighbours in the exact form.
    """

    stems: tuple[str, ...]
    exact: tuple[str, ...]
    pairs: tuple[tuple[str, ...], ...]

    def __bool__(self) -> bool:
        return bool(self.stems or self.exact or self.pairs)


def analyze(text: str) -> list[str]:
    """Return the stems of a text, as the index holds them."""
    return list(stem_analyzer().analyze(normal(text)))


@functools.lru_cache(maxsize=4096)
def analyze_prose(text: str) -> tuple[str, ...]:
    """Return what :func:`analyze` returns, from remembered pieces of text: faster on much prose.

    No term reaches over white space, and a corpus has few distinct pieces between it. The passages
    read last are remembered whole, as many as the records keep in memory.
    """
    return tuple(stem for piece in normal(text).split() for stem in _stems_of(piece))


def exact_terms(text: str) -> list[str]:
    """Return the exact terms of a text, stop words included, as the index holds them."""
    return list(exact_analyzer().analyze(normal(text)))


def neighbour_pairs(text: str) -> list[tuple[str, str]]:
    """Return the neighbours among characters of spaceless scripts in the exact form of a text.

    They are what :attr:`QueryTerms.pairs` finds: terms that follow each other, whatever stood
    between them.
    """
    text = normal(text)
    if text.isascii():
        return []
    single = frozenset(_spaceless_analyzer().analyze(text))
    terms = exact_analyzer().analyze(text) if single else []
    return [(a, b) for a, b in itertools.pairwise(terms) if a in single and b in single]


def exact_spans(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Return the exact terms of a text in NFC, each with its ``(start, end)`` in code points."""
    return list(_spans(exact_analyzer(), text))


@functools.lru_cache(maxsize=256)
def query_terms(text: str) -> QueryTerms:
    """Return what a query looks for. Empty where the text holds no letter and no digit."""
    text = normal(text)
    stems = _unique(stem_analyzer().analyze(text))
    pairs = _unique(_pairs(text))
    words = _word_analyzer().analyze(text)
    exact = _unique(word for word in words if word not in STOP_WORDS)
    if not exact and not pairs:
        exact = _unique(words)
    return QueryTerms(stems, exact, pairs)


def highlight(text: str, query: str, phrases: Sequence[str] = ()) -> list[tuple[int, int]]:
    """Return where a text holds the terms of a query: sorted, disjoint ``(start, end)`` ranges.

    Offsets count code points of ``text``, end exclusive. ``phrases`` are marked as whole runs of
    exact terms.
    """
    composed = normal(text)
    terms = query_terms(query)
    ranges: list[tuple[int, int]] = []
    if terms.stems:
        ranges += _stem_ranges(composed, frozenset(terms.stems))
    runs = [*terms.pairs, *(tuple(exact_terms(phrase)) for phrase in phrases)]
    if not terms.stems:
        runs += [(term,) for term in terms.exact]
    runs = [run for run in runs if run]
    if runs:
        ranges += _runs(exact_spans(composed), runs)
    merged = _merge(ranges)
    return merged if composed == text else _in_original(merged, text)


def normal(text: str) -> str:
    """Return a text in Unicode NFC, the form in which text is analysed."""
    return unicodedata.normalize("NFC", text)


@functools.cache
def stem_analyzer() -> Any:
    """Return tantivy's analyzer of the stemmed form (a ``tantivy.TextAnalyzer``)."""
    import tantivy

    return (
        _folded(_WORD)
        .filter(tantivy.Filter.custom_stopword(sorted(STOP_WORDS)))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


@functools.cache
def exact_analyzer() -> Any:
    """Return tantivy's analyzer of the exact form (a ``tantivy.TextAnalyzer``)."""
    return _folded(f"[{_SPACELESS}]|{_WORD}").build()


@functools.cache
def _word_analyzer() -> Any:
    return _folded(_WORD).build()


@functools.cache
def _spaceless_analyzer() -> Any:
    return _folded(f"[{_SPACELESS}]").build()


def _folded(pattern: str) -> Any:
    import tantivy

    # Folding comes before lower-casing: `İ` in lower case is two characters, folded it is an `I`.
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(pattern))
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.lowercase())
    )


def _spans(analyzer: Any, text: str) -> Iterable[tuple[str, tuple[int, int]]]:
    for token in analyzer.pre_tokenize(text).tokens:
        yield token.text, (token.char_offset_from, token.char_offset_to)


def _stem_ranges(text: str, wanted: frozenset[str]) -> Iterable[tuple[int, int]]:
    """Yield where a text in NFC holds the wanted stems, in no order.

    Remembering what the stems of pieces are takes a fifth of the time that analysing the whole text
    does.
    """
    for piece in set(text.split()):
        if not wanted.isdisjoint(_stems_of(piece)):
            spans = [span for term, span in _spans(stem_analyzer(), piece) if term in wanted]
            for at in _places(text, piece):
                for start, end in spans:
                    yield at + start, at + end


def _places(text: str, piece: str) -> Iterable[int]:
    """Yield where a piece stands in a text between white space."""
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        if (at == 0 or text[at - 1].isspace()) and (end == len(text) or text[end].isspace()):
            yield at
        at = text.find(piece, end)


@functools.lru_cache(maxsize=1 << 16)
def _stems_of(piece: str) -> tuple[str, ...]:
    return tuple(stem_analyzer().analyze(piece))


def _pairs(text: str) -> list[tuple[str, ...]]:
    """Return neighbours among characters of spaceless scripts; a lone one stands for itself."""
    if text.isascii():
        return []
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    last_end = -1
    for term, (start, end) in [*_spans(_spaceless_analyzer(), text), ("", (-2, -2))]:
        if start != last_end and run:
            found += list(itertools.pairwise(run)) or [tuple(run)]
            run = []
        run.append(term)
        last_end = end
    return found


def _runs(
    spans: Sequence[tuple[str, tuple[int, int]]], runs: Iterable[tuple[str, ...]]
) -> list[tuple[int, int]]:
    terms = [term for term, _ in spans]
    positions: dict[str, list[int]] = {}
    for position, term in enumerate(terms):
        positions.setdefault(term, []).append(position)
    return [
        (spans[position][1][0], spans[position + len(run) - 1][1][1])
        for run in runs
        for position in positions.get(run[0], ())
        if tuple(terms[position : position + len(run)]) == run
    ]


def _merge(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _in_original(ranges: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Translate offsets in the NFC form into offsets in ``text`` itself."""
    heads = [index for index, character in enumerate(text) if not _composes(character)]
    starts: list[int] = []
    for start, end in itertools.pairwise([0, *heads[heads[:1] == [0] :], len(text)]):
        starts += [start] * len(unicodedata.normalize("NFC", text[start:end]))
    starts.append(len(text))
    return [(starts[start], starts[end]) for start, end in ranges]


def _composes(character: str) -> bool:
    """Tell whether a character can join the one before it: marks, Hangul vowels and finals."""
    return unicodedata.category(character).startswith("M") or "\u1160" <= character <= "\u11ff"


def _unique(terms: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(terms))
