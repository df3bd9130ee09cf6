"""GI and KG of one episode as one set of nodes and edges, in the ids of the corpus."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.artifacts.envelope import describe, merge_edges, merge_nodes
from podcast_scraper.artifacts.records import Edge, Node
from podcast_scraper.identity.canonical import (
    base_id,
    episode_node_id,
    is_voice,
    occurrence_id,
    type_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from podcast_scraper.artifacts.catalog import BridgeIdentity
    from podcast_scraper.artifacts.envelope import LayerFile
    from podcast_scraper.artifacts.planning import PlannedEpisode
    from podcast_scraper.artifacts.report import Issues


class CorpusIds:
    """Maps the canonical ids of one episode's files to those of the corpus.

    Voices become local to the episode, recurring insights and quotes get ``@episode_id``, all
    podcast ids of the show become one, and the file's own episode id becomes the planned one.
    """

    def __init__(self, planned: PlannedEpisode, layers: Sequence[LayerFile]) -> None:
        self._planned = planned
        show = planned.show
        self._fixed = dict.fromkeys(show.other_ids, show.id)
        own = episode_node_id(planned.episode_id)
        for layer in layers:
            episodes = {node.id for node in layer.nodes if node.type == "episode"}
            if layer.episode_id:
                self._fixed[episode_node_id(layer.episode_id)] = own
            if len(episodes) == 1:  # an episode's file has one Episode node: the episode
                self._fixed[next(iter(episodes))] = own
        self._fixed.pop(own, None)

    def __call__(self, node_id: str) -> str:
        """Return the id in the corpus."""
        fixed = self._fixed.get(node_id)
        if fixed is not None:
            return fixed
        kind = type_of(node_id)
        if kind == "person" and is_voice(node_id):
            return occurrence_id(node_id.partition("@")[0], self._planned.episode_id)
        if kind in ("insight", "quote") and base_id(node_id) in self._planned.recurring:
            return occurrence_id(base_id(node_id), self._planned.episode_id)
        return node_id


@dataclass(slots=True)
class Draft:
    """The graph of one episode while it is put together; ``issues`` gets what is derived."""

    planned: PlannedEpisode
    issues: Issues
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[tuple[str, str, str], Edge] = field(default_factory=dict)

    @property
    def episode_node(self) -> str:
        """Id of the Episode node."""
        return episode_node_id(self.planned.episode_id)

    def of_type(self, node_type: str) -> list[Node]:
        """Return the nodes of one type, sorted by id."""
        found = [node for node in self.nodes.values() if node.type == node_type]
        return sorted(found, key=lambda node: node.id)

    def of_edge_type(self, edge_type: str) -> list[Edge]:
        """Return the edges of one type, in a fixed order."""
        return [self.edges[key] for key in sorted(self.edges) if key[0] == edge_type]

    def derive_node(self, node_id: str, node_type: str, properties: Mapping[str, Any]) -> None:
        """Add a node that no file holds."""
        if node_id not in self.nodes:
            self.nodes[node_id] = Node(node_id, node_type, properties, frozenset({"derived"}))
            self.issues.derived_nodes.add((node_type, node_id))

    def derive_edge(self, edge_type: str, source: str, target: str) -> None:
        """Add an edge that no file holds."""
        key = (edge_type, source, target)
        if key not in self.edges:
            self.edges[key] = Edge(edge_type, source, target, "derived")
            self.issues.derived_edges[edge_type] += 1

    def update(self, node_id: str, **changes: object) -> None:
        """Set properties of a node; None removes one."""
        node = self.nodes[node_id]
        properties = {**node.properties, **changes}
        kept = {key: value for key, value in properties.items() if value is not None}
        self.nodes[node_id] = replace(node, properties=kept)


def merge_layers(
    draft: Draft,
    layers: Sequence[LayerFile],
    bridge: Iterable[BridgeIdentity],
) -> tuple[BridgeIdentity, ...]:
    """Put the layers (KG before GI: GI wins) into the draft, then resolve the edges of both.

    An edge to a node that neither layer has is dropped, unless the bridge knows that identity.
    Returns the identities of the bridge in the ids of the corpus.
    """
    ids = CorpusIds(draft.planned, layers)
    for layer in layers:
        for node in layer.nodes:
            placed = _placed(node, ids(node.id), draft)
            held = draft.nodes.get(placed.id)
            draft.nodes[placed.id] = merge_nodes(placed, held) if held else placed
    draft.derive_node(draft.episode_node, "episode", {})
    show = draft.planned.show
    draft.derive_node(show.id, "podcast", {"title": show.title})
    spelled = {raw: known for layer in layers for raw, known in layer.ids.items()}
    identities = tuple(replace(identity, id=ids(identity.id)) for identity in bridge)
    known_names = {identity.id: identity.names for identity in identities}
    for layer in layers:
        for edge in layer.edges:
            source, target = (
                ids(end) if ids(end) in draft.nodes else ids(spelled.get(end, end))
                for end in (edge.source, edge.target)
            )
            resolved = replace(edge, source=source, target=target)
            for end in (source, target):
                if end not in draft.nodes:
                    _from_bridge(draft, end, known_names)
            missing = [end for end in (source, target) if end not in draft.nodes]
            if missing or source == target:
                reason = f"leads to the missing {missing[0]}" if missing else "leads to itself"
                draft.issues.drop(draft.planned.path_of(layer.layer), describe(resolved), reason)
                continue
            key = (resolved.type, source, target)
            held_edge = draft.edges.get(key)
            draft.edges[key] = merge_edges(resolved, held_edge) if held_edge else resolved
    return identities


def _placed(node: Node, node_id: str, draft: Draft) -> Node:
    if node.type not in ("insight", "quote"):
        return replace(node, id=node_id)
    properties = {**node.properties, "episode_id": draft.planned.episode_id}
    return replace(node, id=node_id, properties=properties)


def _from_bridge(draft: Draft, node_id: str, names: Mapping[str, Sequence[str]]) -> None:
    kind = type_of(node_id)
    if kind in ("person", "org", "topic") and names.get(node_id):
        key = "label" if kind == "topic" else "name"
        draft.derive_node(node_id, kind, {key: names[node_id][0]})
