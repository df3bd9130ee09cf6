"""Decoration: metadata may be added to candidates, and nothing else may change."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.kg_columns import (
    COLUMNS,
    NODE_IDS,
    CheckedColumns,
    malformed,
    read_columns,
)
from podcast_scraper.search.rescue.redundancy import LexicalRedundancy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from podcast_scraper.search.rescue.records import Candidate


class CandidateDecorator(Protocol):
    """Returns the same candidates with more metadata.

    It runs on the base before the expander and on the union before the selector.
    """

    def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]: ...


def decorated(
    decorate: CandidateDecorator | None, candidates: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """Return the decorated candidates.

    Raises ConfigurationError where a decorator changed an id, the order, a score, a text or the
    mark of the rescued.
    """
    if decorate is None:
        return tuple(candidates)
    after = tuple(decorate(candidates))
    if len(after) != len(candidates):
        raise _refused(f"{len(candidates)} candidates went in and {len(after)} came back", None)
    for old, new in zip(candidates, after, strict=True):
        if new is old or _kept(old) == _kept(new):
            continue
        raise _refused(f"{old.id!r} went from {_kept(old)!r} to {_kept(new)!r}", old.id)
    return after


def _kept(one: Candidate) -> tuple[object, ...]:
    """What a decorator has to leave alone."""
    return one.id, one.score, one.selection_score, one.text, one.rescued


class ReadTogether(Mapping[str, Mapping[str, Any]]):
    """Columns by id of which many are read at once in less time than one by one."""

    @abstractmethod
    def read(self, doc_ids: Iterable[str]) -> None:
        """Make ready what is looked up next; unknown ids are passed over."""


@dataclass(frozen=True, slots=True)
class KgColumnDecorator:
    """Gives each candidate its KG columns by id, so that no engine has to carry them.

    ``columns`` maps ids to columns (:mod:`podcast_scraper.search.rescue.kg_columns`); an id without
    any keeps what it has. With a ``redundancy_key`` every candidate also gets the map of its
    redundancy with the others, by the packer's own words: the same numbers, computed once.
    """

    columns: Mapping[str, Mapping[str, Any]]
    redundancy_key: str | None = None

    def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        if isinstance(self.columns, ReadTogether):
            self.columns.read(one.id for one in candidates)
        enriched = [self._with_columns(candidate) for candidate in candidates]
        if self.redundancy_key is None:
            return enriched
        key = self.redundancy_key
        ids = [one.id for one in enriched]
        lexical = LexicalRedundancy([one.text or "" for one in enriched])
        return [
            one.with_metadata(
                {
                    **one.metadata,
                    key: {
                        other: value
                        for other, value in zip(ids, lexical.row(place).tolist(), strict=True)
                        if other != one.id
                    },
                }
            )
            for place, one in enumerate(enriched)
        ]

    def _with_columns(self, candidate: Candidate) -> Candidate:
        columns = self.columns.get(candidate.id)
        if not columns:
            return candidate
        metadata = candidate.metadata
        # The first column tells nearly always; the others are looked at only where it is the same.
        if metadata.get(NODE_IDS) is columns.get(NODE_IDS) and all(
            metadata.get(name) is value for name, value in columns.items()
        ):
            return candidate  # decorated before
        if not isinstance(columns, CheckedColumns):
            _check(candidate.id, columns)
        return candidate.with_metadata({**metadata, **columns})


def _check(candidate_id: str, columns: Mapping[str, Any]) -> None:
    for name, value in columns.items():
        if name not in COLUMNS:
            raise malformed(candidate_id, name, value, "there is no such column")
    read_columns(candidate_id, columns)


def _refused(what: str, candidate_id: str | None) -> ConfigurationError:
    return ConfigurationError(
        f"A decorator may only add metadata, but {what}.",
        mend="Rerank before the gate, and leave candidates as they are.",
        subject=candidate_id,
    )
