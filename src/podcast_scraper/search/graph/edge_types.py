"""Edge types by class, and the names that RFC-091 gives some of them."""

from __future__ import annotations

from typing import Final

STATES: Final = "STATES"

# What an edge says, as opposed to where something stands or that it co-occurs: centrality and
# communities are computed over these. STATES only repeats two of them.
MEANING_BEARING: Final = (
    "SUPPORTED_BY",
    "SPOKEN_BY",
    "ABOUT",
    "MENTIONS_PERSON",
    "MENTIONS_ORG",
)

KNOWN: Final = (
    *MEANING_BEARING,
    STATES,
    "SPOKE_IN",
    "HAS_INSIGHT",
    "HAS_EPISODE",
    "HOSTS",
    "GUESTS_ON",
    "MENTIONS",
    "RELATED_TO",
    "RELATES_TO",
    "HAS_QUOTE",
)

# RFC-091 name -> (edge types, node types that the two ends must be among, or None for any).
RFC_091: Final[dict[str, tuple[tuple[str, ...], frozenset[str] | None]]] = {
    "SPEAKER_OF": ((STATES,), None),
    "IN_EPISODE": (("HAS_INSIGHT",), None),
    "COVERS": (("MENTIONS", "RELATES_TO"), frozenset({"episode", "topic"})),
    "MENTIONED_IN": (("MENTIONS",), frozenset({"episode", "person", "org"})),
    "FROM_SHOW": (("HAS_EPISODE",), None),
}
