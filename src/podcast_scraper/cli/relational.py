"""``podcast-scraper relational``: who said what, with whom, and how it changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podcast_scraper.cli.options import index_dir_option, json_option
from podcast_scraper.cli.output import console, print_json

if TYPE_CHECKING:
    from rich.console import Console


class _QueryGuide(click.Command):
    """Lists the queries below the help, so that nobody has to guess their names."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from podcast_scraper.search.relational_queries import QUERIES

        with formatter.section("Queries (ID)"):
            formatter.write_dl(
                [
                    (f"{q.name} ({q.subject}{f' --other {q.other}' if q.other else ''})", q.help)
                    for q in QUERIES.values()
                ]
            )


@click.command(cls=_QueryGuide)
@click.argument("query")
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("id")
@click.option("--other", metavar="ID", help="The second id, where the query takes two.")
@click.option("--per-show", type=click.IntRange(min=1), metavar="N", help="Rows a show.")
@click.option("-k", "--k", default=20, show_default=True, type=click.IntRange(0, 1000))
@click.option("--offset", default=0, type=click.IntRange(min=0), help="Rows to skip.")
@click.option("--q", metavar="TEXT", help="Order the rows by relevance to TEXT.")
@index_dir_option
@json_option
def relational(
    query: str, corpus: Path, id: str, index_dir: Path | None, as_json: bool, **options: Any
) -> None:
    """Run a relational QUERY over CORPUS, beginning at ID (such as person:ada-lovelace)."""
    from podcast_scraper.corpus import open_corpus

    with open_corpus(corpus, index_dir=index_dir) as opened:
        result = opened.relational.run(query, id, **options)
        answer = opened.relational.to_json(query, result)
    if as_json:
        print_json(answer)
    else:
        _print(answer, console())


def _print(answer: dict[str, Any], out: Console) -> None:
    if answer.get("note"):
        out.print(answer["note"], style="yellow", markup=False)
    for near in answer["suggestions"]:
        out.print(f"did you mean {near['id']} ({near['label']})", markup=False)
    if "profile" in answer:
        _print_profile(answer["profile"], out)
    group = None
    for row in answer["rows"]:
        if row.get("group") and row["group"] != group:
            group = row["group"]
            out.print(group["label"] or group["id"], style="bold", markup=False)
        _print_row(row, out)
    out.print(f"{len(answer['rows'])} of {answer['total']}", style="dim", markup=False)


def _print_profile(profile: dict[str, Any], out: Console) -> None:
    for kind in ("spoke", "mentioned"):
        counts = ", ".join(f"{number} {what}" for what, number in profile[kind].items())
        out.print(f"{kind}: {counts}", markup=False)
    for name in ("topics", "co_speakers"):
        listed = ", ".join(row["text"] for row in profile[name])
        out.print(f"{name.replace('_', '-')}: {listed}", markup=False)


def _print_row(row: dict[str, Any], out: Console) -> None:
    from podcast_scraper.clock import clock

    sides = row.get("pair") or [row]
    for side in sides:
        place = side["episode"] or {}
        show = (side["show"] or {}).get("title")
        when = f"{show} · {place.get('title')} · {place.get('date') or 'date unknown'}"
        out.print(f"  {side['text']}", markup=False)
        out.print(f"    {side['id']}" + (f"  {when}" if place else ""), style="dim", markup=False)
        for quote in side["quotes"]:
            name = quote["speaker"]["name"] if quote["speaker"] else "unnamed"
            time = "" if quote["start_ms"] is None else f" {clock(quote['start_ms'] / 1000)}"
            out.print(f"    {name}{time}: “{quote['text']}”", style="green", markup=False)
