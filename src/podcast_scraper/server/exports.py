"""Result lists to take away: CSV, NDJSON, and Markdown with citations and time links."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from flask import Response, url_for

from podcast_scraper.clock import clock
from podcast_scraper.errors import UsageError
from podcast_scraper.identity.canonical import bare_episode_id
from podcast_scraper.search.relations.rows import row_to_json
from podcast_scraper.search.request import MAX_PAGE
from podcast_scraper.server.endpoint import Parameter
from podcast_scraper.server.links import entity_path, episode_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from werkzeug.datastructures import MultiDict

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.search.relations.rows import RelatedNode
    from podcast_scraper.search.request import SearchRequest
    from podcast_scraper.search.results import Hit

FORMATS: Final = {
    "csv": "text/csv",
    "ndjson": "application/x-ndjson",
    "md": "text/markdown",
}
PARAMETER: Final = Parameter(
    "format", "Other than json: a file.", {"type": "string", "enum": ["json", *FORMATS]}
)
COLUMNS: Final = (
    "rank",
    "text",
    "quote",
    "speakers",
    "show",
    "episode",
    "date",
    "start",
    "end",
    "link",
    "media_url",
    "id",
)
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>#|!])")


def wanted_format(arguments: MultiDict[str, str]) -> str | None:
    """Return the export format that ``format`` asks for; None is JSON. Raises UsageError."""
    name = arguments.get("format") or "json"
    if name == "json":
        return None
    if name not in FORMATS:
        raise UsageError(
            f"format is {name!r}.",
            mend=f"Choose one of: json, {', '.join(FORMATS)}.",
            subject=name,
        )
    return name


def export_search(corpus: Corpus, wanted: SearchRequest, name: str) -> Response:
    """Return every card of a search, base and rescued, as a file."""
    hits: list[Hit] = []
    connected: tuple[Hit, ...] = ()
    while True:
        found = corpus.run(replace(wanted, k=MAX_PAGE, offset=len(hits)))
        connected = connected or found.connected
        hits += found.hits
        if len(hits) >= min(found.total, 10 * MAX_PAGE) or not found.hits:
            break
    title = wanted.text or "Search"
    every = [*hits, *connected]
    if name == "ndjson":
        return download(ndjson(asdict(hit) for hit in every), title, name)
    return download_rows([_row(hit) for hit in every], title, name)


def export_relation(rows: Sequence[RelatedNode], title: str, name: str) -> Response:
    """Return the rows of a relational query as a file."""
    if name == "ndjson":
        return download(ndjson(row_to_json(row) for row in rows), title, name)
    return download_rows([_related(rank, row) for rank, row in enumerate(rows, 1)], title, name)


def download_rows(rows: Sequence[Mapping[str, Any]], title: str, name: str) -> Response:
    """Return rows with the keys of ``COLUMNS`` as CSV or Markdown."""
    return download(to_csv(rows) if name == "csv" else to_markdown(rows, title), title, name)


def download(text: str, title: str, name: str) -> Response:
    """Return an exported text as an attachment with a name made of its title."""
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "export"
    response = Response(text, mimetype=FORMATS[name])
    response.headers["Content-Disposition"] = f'attachment; filename="{stem}.{name}"'
    return response


def ndjson(records: Any) -> str:
    """Return one JSON object a line."""
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV (RFC 4180) with a header."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    writer.writerows([_cell(row.get(column)) for column in COLUMNS] for row in rows)
    return buffer.getvalue()


def to_markdown(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """Return rows as a list of quotations, each cited with a link to its time."""
    parts = [f"# {_plain(title)}\n"]
    for row in rows:
        cited = ", ".join(
            _plain(row[key]) for key in ("speakers", "show", "episode", "date") if row.get(key)
        )
        at = f" at {clock(row['start'])}" if row.get("start") is not None else ""
        parts.append(f"- {_plain(row['text'])}")
        if row.get("quote"):
            parts.append(f"  > {_plain(row['quote'])}")
        parts.append(f"\n  — [{cited}{at}](<{row['link']}>)\n")
    return "\n".join(parts)


def _row(hit: Hit) -> dict[str, Any]:
    quotes = hit.insight.quotes if hit.insight else ()
    return {
        "rank": hit.rank,
        "text": hit.text,
        "quote": quotes[0].text if quotes else None,
        "speakers": "; ".join(speaker.name for speaker in hit.speakers),
        "show": hit.show.title,
        "episode": hit.episode.title,
        "date": hit.episode.date,
        "start": hit.start,
        "end": hit.end,
        "link": absolute(episode_path(hit.episode.id, hit.start)),
        "media_url": absolute(hit.media_url),
        "id": hit.id,
    }


def _related(rank: int, row: RelatedNode) -> dict[str, Any]:
    quote = row.quotes[0] if row.quotes else None
    start = quote.start_ms / 1000 if quote and quote.start_ms is not None else None
    end = quote.end_ms / 1000 if quote and quote.end_ms is not None else None
    episode = bare_episode_id(row.episode_id) if row.episode_id else None
    return {
        "rank": rank,
        "text": row.text,
        "quote": quote.text if quote else None,
        "speakers": "; ".join(speaker.name for speaker in row.speakers),
        "show": row.show_title,
        "episode": row.episode_title,
        "date": row.date,
        "start": start,
        "end": end,
        "link": absolute(episode_path(episode, start) if episode else entity_path(row.id)),
        "media_url": absolute(quote.media_url if quote else row.media_url),
        "id": row.id,
    }


def absolute(url: str | None) -> str | None:
    """Return a URL of this server with its host, others as they are."""
    if url is None or not url.startswith("/"):
        return url
    return url_for("search.search", _external=True).rstrip("/") + url


def _cell(value: Any) -> Any:
    # A spreadsheet runs a cell that begins like a formula; a quote sign makes it text.
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value


def _plain(value: Any) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(str(value).split()))
