"""Completions and corrections from the words that a corpus really holds."""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final, Protocol

from podcast_scraper.search.analysis import STOP_WORDS, analyze, exact_spans, normal

if TYPE_CHECKING:
    from collections.abc import Callable

MIN_LENGTH: Final = 4
_LONG: Final = 8
_ALPHABET: Final = frozenset(ascii_lowercase)


class TermDictionary(Protocol):
    """The terms of an index, in their exact form."""

    def terms_with_prefix(self, prefix: str, limit: int | None = None) -> list[tuple[str, int]]: ...

    def document_frequency(self, term: str, *, stem: bool = False) -> int: ...


def complete(terms: TermDictionary, text: str, limit: int) -> list[str]:
    """Return ``text`` with its last word finished, the most frequent words first.

    Empty where the text ends between words. Stop words are not offered.
    """
    text = normal(text)
    spans = exact_spans(text)
    if not spans or spans[-1][1][1] != len(text):
        return []
    prefix, (start, _) = spans[-1]
    found = terms.terms_with_prefix(prefix, limit + len(STOP_WORDS))
    return [text[:start] + term for term, _ in found if term not in STOP_WORDS][:limit]


def did_you_mean(terms: TermDictionary, text: str) -> str | None:
    """Return ``text`` with its unknown words replaced by near known ones; None if none is.

    A word is unknown when no document holds it or another form of it. Near means one edit
    (insertion, deletion, substitution or swap of neighbours), two in words of eight letters or
    more. The first letter may only be swapped or one too many; where two edits are needed, that
    holds for the first three. Of equally near words the one in most documents is taken.
    """
    text = normal(text)
    pieces: list[str] = []
    done = 0
    for word, (start, end) in exact_spans(text):
        if not _unknown(terms, word):
            continue
        if (better := _nearest(terms, word)) is not None:
            pieces += [text[done:start], better]
            done = end
    return "".join([*pieces, text[done:]]) if pieces else None


def corrected_query(
    typed: str, words: str, better: str | None, is_word: Callable[[str], bool] = lambda word: False
) -> str | None:
    """Return a query as typed with its corrected words in place; None where nothing changed.

    ``words`` are the query's words alone and ``better`` their correction by :func:`did_you_mean`;
    fields, quotes and exclusions of ``typed`` stay as they are, and so does what ``is_word`` knows:
    a word that nobody spoke is no slip for that.
    """
    if better is None:
        return None
    made = normal(typed)
    pairs = zip(exact_spans(normal(words)), exact_spans(better), strict=False)
    for (old, (start, end)), (new, _) in pairs:
        if old != new and not is_word(old):
            spelled = normal(words)[start:end]
            made = re.sub(rf"(?<!\w){re.escape(spelled)}(?!\w)", new.replace("\\", r"\\"), made)
    return made if made != normal(typed) else None


def _unknown(terms: TermDictionary, word: str) -> bool:
    if len(word) < MIN_LENGTH or not word.isalpha() or terms.document_frequency(word):
        return False
    return not any(terms.document_frequency(stem, stem=True) for stem in analyze(word))


def _nearest(terms: TermDictionary, word: str) -> str | None:
    """Return the known term nearest to a word.

    One edit is tried by looking up every spelling that is one edit away; two by comparing with the
    terms that begin as the word does. Both read a part of the dictionary that hardly grows with it.
    """
    near = [(-n, term) for term in _one_edit_away(word) if (n := terms.document_frequency(term))]
    if near:
        return min(near)[1]
    if len(word) < _LONG:
        return None
    from rapidfuzz.distance import OSA

    ranked = [
        (-frequency, term)
        for prefix in _beginnings(word)
        for term, frequency in terms.terms_with_prefix(prefix)
        if abs(len(term) - len(word)) <= 2 and OSA.distance(word, term, score_cutoff=2) <= 2
    ]
    return min(ranked)[1] if ranked else None


def _one_edit_away(word: str) -> set[str]:
    letters = _ALPHABET.union(word)
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {a + b[1:] for a, b in splits if b}
    found |= {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    found |= {a + letter + b[1:] for a, b in splits if a and b for letter in letters}
    found |= {a + letter + b for a, b in splits if a for letter in letters}
    return found - {word}


def _beginnings(word: str) -> set[str]:
    """Return the first three letters of a word, and what they are once one swap or slip is undone.

    A slip is a letter too many.
    """
    a, b, c, d = tuple(word[:4])
    return {a + b + c, b + a + c, a + c + b, b + c + d, a + c + d, a + b + d}
