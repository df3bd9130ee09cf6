"""Graph rescue: what the graph found, appended below the base and never fused with it.

One concern a module, in the order of the data's way: ``first_stages`` (the fused base), ``gate``,
``expander``, ``seeds``, ``traversal`` and ``hypergraph`` (the lanes), ``union``, ``packer`` and
``coe`` (the selectors), composed by ``stage`` and ``pipeline``. Everything works over the protocols
of ``lanes``, so that any engine can be used.
"""

from podcast_scraper.search.rescue import coe, kg_columns
from podcast_scraper.search.rescue.decoration import CandidateDecorator, KgColumnDecorator
from podcast_scraper.search.rescue.expander import Expander
from podcast_scraper.search.rescue.graph_retriever import GraphRetriever
from podcast_scraper.search.rescue.packer import Packer
from podcast_scraper.search.rescue.pipeline import GraphRescueRetrieval
from podcast_scraper.search.rescue.records import (
    Candidate,
    QueryBundle,
    RescueResult,
    RescueRetrieval,
)
from podcast_scraper.search.rescue.seeds import AliasQuerySeeder
from podcast_scraper.search.tail import GateState as GateDecision

__all__ = [
    "AliasQuerySeeder",
    "Candidate",
    "CandidateDecorator",
    "Expander",
    "GateDecision",
    "GraphRescueRetrieval",
    "GraphRetriever",
    "KgColumnDecorator",
    "Packer",
    "QueryBundle",
    "RescueResult",
    "RescueRetrieval",
    "coe",
    "kg_columns",
]
