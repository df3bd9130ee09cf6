"""Small graphs, engines and strategies that the tests of graph rescue share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from podcast_scraper.search.rescue.graph_retriever import GraphRetriever
from podcast_scraper.search.rescue.hyperedges import Hyperedge
from podcast_scraper.search.rescue.records import Candidate, QueryBundle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True)
class Engine:
    """A first stage that answers every query with the same list."""

    hits: tuple[Candidate, ...]

    def search(self, query: QueryBundle, k: int) -> Sequence[Candidate]:
        return self.hits[:k]


def engine(*hits: tuple[str, float], **metadata: Any) -> Engine:
    return Engine(
        tuple(Candidate(name, score, f"words of {name}", metadata) for name, score in hits)
    )


def document(name: str, *nodes: str, text: str | None = None) -> Candidate:
    """A document on ``nodes``, with a community and a centrality for each."""
    return Candidate(
        name,
        None,
        text if text is not None else f"words of {name} on {' '.join(nodes)}",
        {
            "kg_node_ids": list(nodes),
            "kg_node_community": [len(node) for node in nodes],
            "kg_node_centrality": [1.0 / (1 + place) for place in range(len(nodes))],
        },
    )


def resolver(documents: Sequence[Candidate]) -> Callable[[Sequence[str]], Mapping[str, Candidate]]:
    by_id = {one.id: one for one in documents}
    return lambda doc_ids: {one: by_id[one] for one in doc_ids if one in by_id}


# A person who states two insights on one topic, which a second person's insight is on too.
EDGES = [
    ("person:ada", "STATES", "insight:1", 1.0),
    ("person:ada", "STATES", "insight:2", 1.0),
    ("insight:1", "ABOUT", "topic:chess", 1.0),
    ("insight:2", "ABOUT", "topic:go", 1.0),
    ("person:bob", "STATES", "insight:3", 1.0),
    ("insight:3", "ABOUT", "topic:chess", 1.0),
    ("insight:3", "MENTIONS_ORG", "org:fide", 1.0),
    ("episode:1", "HAS_INSIGHT", "insight:1", 1.0),
]
DOCUMENTS = [
    document("d1", "insight:1", "person:ada", "topic:chess"),
    document("d2", "insight:2", "person:ada", "topic:go"),
    document("d3", "insight:3", "person:bob", "topic:chess", "org:fide"),
    document("d4", "org:fide"),
]
HYPEREDGES = [
    Hyperedge("insight:1", "insight", ("person:ada", "topic:chess"), ("d1",)),
    Hyperedge("insight:2", "insight", ("person:ada", "topic:go"), ("d2",)),
    Hyperedge("insight:3", "insight", ("org:fide", "person:bob", "topic:chess"), ("d3",)),
    Hyperedge("bridge:topic:chess", "bridge", ("person:ada", "topic:chess"), ("d1", "d3")),
]


def retriever() -> GraphRetriever:
    return GraphRetriever.over(EDGES, DOCUMENTS)


NODE_NAMES = [f"n{number}" for number in range(12)]
DOC_NAMES = [f"d{number:02}" for number in range(14)]
_KINDS = ["STATES", "ABOUT", "MENTIONS_PERSON", "HAS_INSIGHT"]

EDGE_LISTS = st.lists(
    st.tuples(
        st.sampled_from(NODE_NAMES),
        st.sampled_from(_KINDS),
        st.sampled_from(NODE_NAMES),
        st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    ),
    max_size=30,
)
NODE_SETS = st.lists(st.sampled_from(NODE_NAMES), max_size=4, unique=True)
DOC_NODES = st.lists(NODE_SETS, min_size=len(DOC_NAMES), max_size=len(DOC_NAMES)).map(
    lambda rows: [document(name, *nodes) for name, nodes in zip(DOC_NAMES, rows, strict=True)]
)
RANKED = st.lists(
    st.tuples(st.sampled_from(DOC_NAMES), st.sampled_from([0.1, 0.2, 0.5, 0.9])),
    max_size=10,
    unique_by=lambda hit: hit[0],
)
HYPEREDGE_LISTS = st.lists(
    st.tuples(
        st.sampled_from(["insight", "bridge"]),
        st.lists(st.sampled_from(NODE_NAMES), min_size=1, max_size=5, unique=True),
        st.lists(st.sampled_from(DOC_NAMES), max_size=3, unique=True),
    ),
    max_size=12,
).map(
    lambda rows: [
        Hyperedge(f"h{place:02}", kind, tuple(nodes), tuple(documents))
        for place, (kind, nodes, documents) in enumerate(rows)
    ]
)
