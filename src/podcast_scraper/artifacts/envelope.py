"""The envelope that GI and KG files share: version, episode, nodes and edges."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from podcast_scraper.artifacts.canon import (
    KNOWN_EDGE_TYPES,
    KNOWN_NODE_TYPES,
    canonical_node,
    canonical_reference,
)
from podcast_scraper.artifacts.properties import canonical_properties, confidence_of
from podcast_scraper.artifacts.records import Edge, Node
from podcast_scraper.artifacts.values import mapping, name_of, shallow, text_of
from podcast_scraper.errors import ArtifactError
from podcast_scraper.identity.canonical import bare_episode_id, type_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from podcast_scraper.artifacts.report import Issues

_VERSION = re.compile(r"v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.\d+)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LayerFile:
    """One GI or KG file in canonical form.

    ``ids`` maps the ids as the file spells them to canonical ones. Edges may still lead to nodes
    that only the other layer has. ``header`` is what else the envelope held.
    """

    layer: Literal["gi", "kg"]
    version: str
    episode_id: str | None
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    header: Mapping[str, Any] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict, compare=False)


def check_version(
    document: Mapping[str, Any], supported: Mapping[int, int], path: str, issues: Issues
) -> str:
    """Return ``major.minor`` of a file.

    ``supported`` maps each known major version to its newest minor one. A newer minor version and
    an absent one are read with a warning.

    Raises:
        ArtifactError: the major version is unknown.
    """
    newest = max(supported)
    raw = document.get("schema_version")
    if raw is None:
        issues.warn(path, f"has no schema_version and was read as {newest}.{supported[newest]}")
        return f"{newest}.{supported[newest]}"
    match = _VERSION.fullmatch(name_of(raw) or "")
    if match is None or int(match[1]) not in supported:
        raise ArtifactError(
            f"has the unknown schema_version {str(raw)[:40]!r}",
            mend=f"Known major versions are {', '.join(map(str, sorted(supported)))}.",
            subject=path,
        )
    major, minor = int(match[1]), int(match[2] or 0)
    if minor > supported[major]:
        issues.warn(path, f"has the newer schema_version {major}.{minor}")
    return f"{major}.{minor}"


def items_of(
    document: Mapping[str, Any], key: str, path: str, issues: Issues
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of one list of the envelope with their places; drop everything else."""
    items = document.get(key)
    if items is None:
        return
    if not isinstance(items, list):
        issues.drop(path, key, "is not a list")
        return
    for place, item in enumerate(items):
        if isinstance(item, dict):
            yield place, item
        else:
            issues.drop(path, f"{key}[{place}]", "is not an object")


def raw_id(value: object) -> str | None:
    """Return an id as text without surrounding white space, or None."""
    text = text_of(value)
    return text.strip() if text else None


def episode_of(document: Mapping[str, Any]) -> str | None:
    """Return the bare episode id: the envelope's, else that of the first Episode node."""
    own = raw_id(document.get("episode_id"))
    if own is not None and (bare := bare_episode_id(canonical_reference(own)).strip()):
        return bare
    nodes = document.get("nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, dict) and (identifier := raw_id(node.get("id"))):
            node_id, node_type = canonical_node(
                identifier, node.get("type"), mapping(node.get("properties"))
            )
            if node_type == "episode":
                return bare_episode_id(node_id)
    return None


def read_layer(
    document: Mapping[str, Any],
    layer: Literal["gi", "kg"],
    supported: Mapping[int, int],
    path: str,
    issues: Issues,
) -> LayerFile:
    """Read an envelope of either layer; what cannot be used is dropped item by item."""
    version = check_version(document, supported, path, issues)
    ids: dict[str, str] = {}
    nodes: dict[str, Node] = {}
    for place, item in items_of(document, "nodes", path, issues):
        node = _node(item, place, layer, path, issues)
        if node is None:
            continue
        ids[str(item["id"]).strip()] = node.id
        if node.id in nodes:
            issues.repair(path, "duplicate node", f"{node.id} was merged")
            node = merge_nodes(nodes[node.id], node)
        nodes[node.id] = node
    edges: dict[tuple[str, str, str], Edge] = {}
    for place, item in items_of(document, "edges", path, issues):
        edge = _edge(item, place, layer, ids, path, issues)
        if edge is None:
            continue
        key = (edge.type, edge.source, edge.target)
        if key in edges:
            issues.repair(path, "duplicate edge", f"{describe(edge)} was merged")
            edge = merge_edges(edges[key], edge)
        edges[key] = edge
    header = {
        key: value
        for key, value in document.items()
        if key not in ("schema_version", "episode_id", "nodes", "edges") and shallow(value)
    }
    return LayerFile(
        layer, version, episode_of(document), tuple(nodes.values()), tuple(edges.values()),
        header, ids,
    )  # fmt: skip


def _node(
    item: Mapping[str, Any], place: int, layer: str, path: str, issues: Issues
) -> Node | None:
    identifier = raw_id(item.get("id"))
    if identifier is None:
        issues.drop(path, f"nodes[{place}]", "has no id")
        return None
    raw = item.get("properties")
    if raw is not None and not isinstance(raw, dict):
        issues.repair(path, "properties", f"those of {identifier[:200]} are no object: left out")
    given = mapping(raw)
    node_id, node_type = canonical_node(identifier, item.get("type"), given)
    if node_type not in KNOWN_NODE_TYPES:
        issues.unknown_nodes[node_type] += 1

    def repair(kind: str, detail: str) -> None:
        issues.repair(path, kind, f"{node_id}: {detail}")

    properties = canonical_properties(node_type, given, repair)
    confidence = confidence_of(item.get("confidence"), properties.pop("confidence", None))
    return Node(node_id, node_type, properties, frozenset({layer}), confidence)


def _edge(
    item: Mapping[str, Any],
    place: int,
    layer: Literal["gi", "kg"],
    ids: Mapping[str, str],
    path: str,
    issues: Issues,
) -> Edge | None:
    source, target = raw_id(item.get("from")), raw_id(item.get("to"))
    if source is None or target is None:
        issues.drop(path, f"edges[{place}]", "lacks an end")
        return None
    source = ids.get(source) or canonical_reference(source)
    target = ids.get(target) or canonical_reference(target)
    edge_type = (name_of(item.get("type")) or "UNKNOWN").upper()
    if edge_type not in KNOWN_EDGE_TYPES:
        issues.unknown_edges[edge_type] += 1
    raw = mapping(item.get("properties"))
    properties = {key: value for key, value in raw.items() if value is not None and shallow(value)}
    confidence = confidence_of(properties.pop("confidence", None), item.get("confidence"))
    if confidence is not None:
        properties["confidence"] = confidence
    edge = Edge(edge_type, source, target, layer, properties)
    if source == target:
        issues.drop(path, describe(edge), "leads to itself")
        return None
    return edge


def describe(edge: Edge) -> str:
    """Return an edge as one line of a report."""
    return f"{edge.type} {edge.source} → {edge.target}"


def merge_nodes(winner: Node, other: Node) -> Node:
    """Return one node of two; ``winner``'s properties win, names that lose become aliases."""
    properties = {**other.properties, **winner.properties}
    key = "label" if winner.type == "topic" else "name"
    if winner.type in ("person", "org", "topic"):
        names = [*winner.properties.get("aliases", ()), *other.properties.get("aliases", ())]
        names += [other.properties[key]] if key in other.properties else []
        aliases = [name for name in dict.fromkeys(names) if name != properties.get(key)]
        if aliases:
            properties["aliases"] = aliases
    confidence = other.confidence if winner.confidence is None else winner.confidence
    layers = winner.layers | other.layers
    return Node(winner.id, winner.type, properties, layers, confidence)


def merge_edges(winner: Edge, other: Edge) -> Edge:
    """Return one edge of two with the same type and ends; ``winner``'s properties win."""
    properties = {**other.properties, **winner.properties}
    return Edge(winner.type, winner.source, winner.target, winner.layer, properties)


def statement_ids(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the canonical ids of the insights and quotes of a file, for the scan of a corpus."""
    nodes = document.get("nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, dict) and (identifier := raw_id(node.get("id"))):
            node_id, node_type = canonical_node(identifier, node.get("type"), {})
            if node_type in ("insight", "quote") and type_of(node_id) == node_type:
                yield node_id
