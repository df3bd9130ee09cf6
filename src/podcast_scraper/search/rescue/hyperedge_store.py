"""``graph-hyperedges.kv``: hyperedges in a text file that is checked as a whole when it is read.

::

    podcast-scraper-hyperedges <TAB> version <TAB> count <TAB> SHA-256 of all that follows
    id <TAB> {"documents": […], "kind": "insight", "nodes": […]}

One line a hyperedge, sorted by id (code points), UTF-8. Readers refuse another version, a torn or
altered file, and ids out of order.
"""

from __future__ import annotations

import hashlib
import json
import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import (
    ConfigurationError,
    IndexDamagedError,
    IndexMismatchError,
    IndexMissingError,
)
from podcast_scraper.search.rescue.hyperedges import KIND_WEIGHTS, Hyperedge

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE_NAME: Final = "graph-hyperedges.kv"
VERSION: Final = 1

_MAGIC: Final = "podcast-scraper-hyperedges"
_MEND: Final = "Build the index or the export again."


def write_hyperedges(path: Path, hyperedges: Iterable[Hyperedge]) -> None:
    """Write the store; it appears under its name only when it is whole.

    Raises ConfigurationError for an id that is used twice or holds a tab or a line break.
    """
    ordered = sorted(hyperedges, key=lambda edge: edge.id)
    for before, after in pairwise(ordered):
        if before.id == after.id:
            raise ConfigurationError(f"Hyperedge id {after.id!r} is used twice.", subject=after.id)
    for edge in ordered:
        if not edge.id or len(edge.id.splitlines()) != 1 or "\t" in edge.id:
            raise ConfigurationError(
                f"Hyperedge id {edge.id!r} is empty or holds a tab or a line break.",
                subject=edge.id,
            )
    body = "".join(f"{edge.id}\t{_value(edge)}\n" for edge in ordered).encode()
    header = f"{_MAGIC}\t{VERSION}\t{len(ordered)}\t{hashlib.sha256(body).hexdigest()}\n"
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        file.write(header.encode() + body)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def read_hyperedges(path: Path) -> list[Hyperedge]:
    """Return the hyperedges of a store, by id.

    Raises IndexMissingError, IndexMismatchError (another version) or IndexDamagedError.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise IndexMissingError(
            f"The hyperedge store {path} cannot be read: {error.strerror}.",
            mend="Write it with `podcast-scraper export graph`.",
            subject=path,
        ) from error
    header, _, body = content.partition(b"\n")
    count = _check_header(path, header, body)
    edges = [_edge(path, line) for line in body.decode("utf-8").split("\n")[:-1]]
    if len(edges) != count:
        raise _damaged(path, f"{len(edges)} hyperedges where the header says {count}")
    for before, after in pairwise(edges):
        if before.id >= after.id:
            raise _damaged(path, f"{after.id!r} is out of order")
    return edges


def _check_header(path: Path, header: bytes, body: bytes) -> int:
    cells = header.decode("utf-8", "replace").split("\t")
    if cells[0] != _MAGIC:
        raise _damaged(path, "it does not begin as a hyperedge store")
    if len(cells) != 4 or not cells[1].isdecimal() or not cells[2].isdecimal():
        raise _damaged(path, "its header is torn")
    if int(cells[1]) != VERSION:
        raise IndexMismatchError(
            f"The hyperedge store {path} has version {cells[1]}, not {VERSION}.",
            mend=_MEND,
            subject=path,
        )
    if hashlib.sha256(body).hexdigest() != cells[3]:
        raise _damaged(path, "its checksum does not match")
    return int(cells[2])


def _edge(path: Path, line: str) -> Hyperedge:
    edge_id, _, value = line.partition("\t")
    try:
        fields: Any = json.loads(value)
        kind, nodes, documents = fields["kind"], fields["nodes"], fields["documents"]
    except (ValueError, KeyError, TypeError):
        raise _damaged(path, f"hyperedge {edge_id!r} cannot be read") from None
    lists = all(
        isinstance(ids, list) and all(isinstance(one, str) for one in ids)
        for ids in (nodes, documents)
    )
    if not lists or not nodes or kind not in KIND_WEIGHTS:
        raise _damaged(path, f"hyperedge {edge_id!r} has a wrong value")
    return Hyperedge(edge_id, kind, tuple(nodes), tuple(documents))


def _value(edge: Hyperedge) -> str:
    fields = {"documents": edge.documents, "kind": edge.kind, "nodes": edge.nodes}
    return json.dumps(fields, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def _damaged(path: Path, why: str) -> IndexDamagedError:
    return IndexDamagedError(
        f"The hyperedge store {path} is damaged: {why}.", mend=_MEND, subject=path
    )
