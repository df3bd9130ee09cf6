"""Parquet files of an exported graph, read and written through DuckDB (extra ``duckdb``).

``graph-edges.parquet``: source, type, target (text), weight (double). ``chunks.parquet``: id, tier,
text (text), kg_node_ids, neighbor_node_ids, kg_node_community (lists of text), kg_node_centrality
(list of double); a list that is null is an absent column.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import ColumnError, ConfigurationError, IndexMissingError
from podcast_scraper.search.rescue.kg_columns import CENTRALITY, COLUMNS
from podcast_scraper.search.rescue.records import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from podcast_scraper.search.rescue.activation import TypedEdge

EDGES_FILE: Final = "graph-edges.parquet"
CHUNKS_FILE: Final = "chunks.parquet"

_EDGE_COLUMNS: Final = ("source", "type", "target", "weight")
_CHUNK_COLUMNS: Final = ("id", "tier", "text", *COLUMNS)


def read_edges(path: Path) -> list[TypedEdge]:
    """Return the typed edges of a file."""
    return [
        (str(source), str(kind), str(target), float(weight))
        for source, kind, target, weight in _rows(path, _EDGE_COLUMNS)
    ]


def read_chunks(path: Path) -> list[Candidate]:
    """Return the documents of a file, their KG columns in the metadata."""
    return [
        Candidate(
            doc_id,
            None,
            text or "",
            {
                "tier": tier,
                **{
                    name: value
                    for name, value in zip(COLUMNS, columns, strict=True)
                    if value is not None
                },
            },
        )
        for doc_id, tier, text, *columns in _rows(path, _CHUNK_COLUMNS)
    ]


def write_edges(path: Path, edges: Iterable[TypedEdge]) -> None:
    """Write typed edges, in the order given."""
    rows = (dict(zip(_EDGE_COLUMNS, edge, strict=True)) for edge in edges)
    _write(path, rows, {"source": "TEXT", "type": "TEXT", "target": "TEXT", "weight": "DOUBLE"})


def write_chunks(path: Path, documents: Iterable[Candidate]) -> None:
    """Write documents with their KG columns (communities as text), in the order given."""
    rows = (
        {
            "id": one.id,
            "tier": one.metadata.get("tier"),
            "text": one.text,
            **{name: one.metadata.get(name) for name in COLUMNS},
        }
        for one in documents
    )
    lists = dict.fromkeys(COLUMNS, "TEXT[]") | {CENTRALITY: "DOUBLE[]"}
    _write(path, rows, {"id": "TEXT", "tier": "TEXT", "text": "TEXT", **lists})


def _write(path: Path, rows: Iterable[Mapping[str, Any]], types: Mapping[str, str]) -> None:
    duckdb = _duckdb()
    partial = path.with_name(path.name + ".partial")
    lines = path.with_name(path.name + ".jsonl.partial")
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in types.items())
    try:
        with lines.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=True) + "\n" for row in rows)
        with duckdb.connect(":memory:") as connection:
            connection.execute(
                f"COPY (SELECT * FROM read_json(?, format = 'newline_delimited',"
                f" columns = {{{columns}}})) TO '{_quoted(partial)}' (FORMAT parquet)",
                [str(lines)],
            )
        partial.replace(path)
    finally:
        lines.unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _rows(path: Path, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    duckdb = _duckdb()
    if not path.is_file():
        raise IndexMissingError(
            f"There is no {path}.",
            mend="Write it with `podcast-scraper export graph`.",
            subject=path,
        )
    with duckdb.connect(":memory:") as connection:
        try:
            rows: list[tuple[Any, ...]] = connection.execute(
                f"SELECT {', '.join(columns)} FROM read_parquet(?)", [str(path)]
            ).fetchall()
        except duckdb.Error as error:
            raise ColumnError(
                f"{path} does not hold the columns {', '.join(columns)}: {error}",
                mend="Write it again with `podcast-scraper export graph`.",
                subject={"candidate": None, "column": columns, "value": str(path)},
            ) from error
    return rows


def _duckdb() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "Reading an exported graph needs DuckDB, which is not installed.",
            mend="Install it with `pip install 'podcast-scraper[duckdb]'`.",
            subject="duckdb",
        ) from error
    return duckdb
