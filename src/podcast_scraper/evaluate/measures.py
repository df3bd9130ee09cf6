"""Measures by name. Ranking measures are those of ``ir-measures``; the rest describe a ranking.

Scores handed to the library strictly decrease with rank, since its back ends break ties by id. The
ideal DCG comes from all judgements of a query, found or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import EvaluationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podcast_scraper.evaluate.sets import Qrels

DEFAULT_MEASURES: Final = ("nDCG@10", "R@10", "R@100", "RR@10", "P@1", "MAP")
DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class MeasureInput:
    """Rankings of judged ids (best first) with their judgements; one key for each query.

    ``shows`` gives the show of every ranked document, in rank order, where the set knows it.
    """

    rankings: Mapping[str, Sequence[str]]
    qrels: Qrels
    shows: Mapping[str, Sequence[str]]


Values = dict[str, float]

if TYPE_CHECKING:
    MeasureFunction = Callable[[MeasureInput], Values]

_DIAGNOSTICS: dict[str, MeasureFunction] = {}


def register_measure(name: str) -> Callable[[MeasureFunction], MeasureFunction]:
    """Register a function from rankings to one value a query under ``name``."""

    def keep(function: MeasureFunction) -> MeasureFunction:
        if name in _DIAGNOSTICS:
            raise EvaluationError(f"The measure {name} is registered twice.")
        _DIAGNOSTICS[name] = function
        return function

    return keep


def registered_measures() -> list[str]:
    """Names of the measures that are not the library's own."""
    return sorted(_DIAGNOSTICS)


def measure(names: Sequence[str], data: MeasureInput) -> dict[str, Values]:
    """Value of each measure for each query of ``data.qrels``.

    A query without a ranking counts 0 for the library's measures. Raises :class:`UsageError` on an
    unknown name.
    """
    import ir_measures

    library = {}
    for name in names:
        if name not in _DIAGNOSTICS:
            try:
                library[ir_measures.parse_measure(name)] = name
            except (NameError, ValueError, SyntaxError) as error:
                raise UsageError(
                    f"Unknown measure: {name}.",
                    mend="Name one of ir-measures' (nDCG@10, R@100, …) or one of: "
                    f"{', '.join(registered_measures())}.",
                    subject=name,
                ) from error
    values = {name: dict.fromkeys(data.qrels, 0.0) for name in library.values()}
    run = {query: _decreasing(ranked) for query, ranked in data.rankings.items() if ranked}
    judged = {query: grades for query, grades in data.qrels.items() if grades}
    if library and run and judged:
        for metric in ir_measures.iter_calc(list(library), judged, run):
            values[library[metric.measure]][metric.query_id] = float(metric.value)
    for name in names:
        if name in _DIAGNOSTICS:
            values[name] = _DIAGNOSTICS[name](data)
    return {name: values[name] for name in names}


def _decreasing(ranked: Sequence[str]) -> dict[str, float]:
    scores = {doc_id: float(len(ranked) - place) for place, doc_id in enumerate(ranked)}
    if len(scores) < len(ranked):
        raise EvaluationError("A ranking names a document twice.", subject=ranked)
    return scores


@register_measure("unjudged@10")
def unjudged_rate(data: MeasureInput) -> Values:
    """Share of the first ten that nobody judged; 0 where nothing was found."""
    shares: Values = {}
    for query, judged in data.qrels.items():
        top = data.rankings.get(query, ())[:10]
        shares[query] = sum(doc not in judged for doc in top) / max(1, len(top))
    return shares


@register_measure("shows@10")
def distinct_shows(data: MeasureInput) -> Values:
    """Distinct shows among the first ten documents."""
    return {query: float(len(set(data.shows.get(query, ())[:10]))) for query in data.qrels}


@register_measure("oracle-nDCG@10")
def oracle(data: MeasureInput) -> Values:
    """nDCG@10 of the best order of the first 100: what any rescore of them can reach at most."""
    ideal = {
        query: sorted(data.rankings.get(query, ())[:DEPTH], key=lambda doc: -judged.get(doc, 0))
        for query, judged in data.qrels.items()
    }
    return measure(["nDCG@10"], MeasureInput(ideal, data.qrels, {}))["nDCG@10"]
