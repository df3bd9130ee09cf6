"""The id that a query is asked about: found, of the wrong type, or unknown with suggestions."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz, process

from podcast_scraper.identity.canonical import type_of
from podcast_scraper.search.relations.rows import Named, Relation

if TYPE_CHECKING:
    from podcast_scraper.search.corpus_graph import CorpusGraph

SUGGESTIONS: Final = 5
LIKENESS: Final = 60.0
MAX_ID: Final = 500


def find_subject(graph: CorpusGraph, node_id: str, *types: str) -> int | Relation:
    """Return the node's number, or the empty result that says what is wrong with the id."""
    number = graph.number(node_id)
    if number is None:
        return Relation(
            suggestions=did_you_mean(graph, node_id, *types), note=f"unknown id {node_id[:MAX_ID]}"
        )
    kind = graph.type_at(number)
    if kind not in types:
        wanted = " or ".join(types)
        return Relation(
            subject=named(graph, number), note=f"{node_id} is of type {kind}; {wanted} is needed"
        )
    return number


def did_you_mean(graph: CorpusGraph, node_id: str, *types: str) -> tuple[Named, ...]:
    """Return up to five known ids that are meant, most likely.

    Of an insight that recurs over episodes, these are its occurrences; else entities, episodes or
    shows whose names are spelled alike.
    """
    place = bisect_left(graph.ids, f"{node_id}@")
    occurrences = [
        number
        for number in range(place, min(place + SUGGESTIONS, len(graph)))
        if graph.ids[number].startswith(f"{node_id}@")
    ]
    if occurrences:
        return tuple(named(graph, number) for number in occurrences)
    prefix_type = type_of(node_id)
    wanted = [kind for kind in types if kind == prefix_type] or list(types)
    text = node_id.partition(":")[2] or node_id
    text = text.removeprefix("topic-").replace("-", " ")[:MAX_ID]
    numbers = [int(n) for kind in wanted for n in graph.numbers_by_type(kind)]
    labels = {n: label.lower() for n in numbers if (label := graph.label_at(n))}
    found = process.extract(
        text.lower(), labels, scorer=fuzz.ratio, limit=SUGGESTIONS, score_cutoff=LIKENESS
    )
    found.sort(key=lambda match: (-match[1], match[2]))
    return tuple(named(graph, number) for _, _, number in found)


def named(graph: CorpusGraph, number: int) -> Named:
    """Return a node's id and label."""
    return Named(graph.ids[number], graph.label_at(number))
