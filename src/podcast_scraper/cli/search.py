"""``podcast-scraper search``: hits with speaker, time and, when asked, why they rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from podcast_scraper.cli.options import (
    config_option,
    corpus_argument,
    index_dir_option,
    json_option,
)
from podcast_scraper.cli.output import console, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from podcast_scraper.search.results import Hit, SearchResponse


CONNECTED_SHOWN = 5


@click.command()
@corpus_argument
@click.argument("query")
@click.option("-k", default=10, show_default=True, metavar="N", help="Hits to show.")
@click.option("--offset", default=0, metavar="N", help="Hits to skip.")
@click.option("--tier", type=click.Choice(["all", "insight", "segment"]), default="all")
@click.option("--sort", type=click.Choice(["relevance", "date"]), default="relevance")
@click.option("--show", "shows", multiple=True, metavar="ID", help="Only this show.")
@click.option("--person", "persons", multiple=True, metavar="ID", help="Only where they speak.")
@click.option("--mentions", multiple=True, metavar="ID", help="Only where it is mentioned.")
@click.option("--topic", "topics", multiple=True, metavar="ID", help="Only on this topic.")
@click.option("--type", "insight_types", multiple=True, metavar="TYPE", help="Insight type.")
@click.option("--since", metavar="DATE", help="First day, YYYY-MM-DD.")
@click.option("--until", metavar="DATE", help="Last day, YYYY-MM-DD.")
@click.option("--ads", type=click.Choice(["include", "exclude"]), default="include")
@click.option("--graph", type=click.Choice(["off", "auto", "force"]), help="Graph rescue.")
@click.option("--explain", is_flag=True, help="Show why each hit ranks where it does.")
@click.option("--timings", is_flag=True, help="Show where the time went.")
@config_option
@index_dir_option
@json_option
def search(
    corpus: Path,
    query: str,
    explain: bool,
    timings: bool,
    config: Path | None,
    index_dir: Path | None,
    as_json: bool,
    **request: Any,
) -> None:
    """Search CORPUS for QUERY.

    QUERY may hold "exact phrases", -words to leave out, and the fields speaker:, show:, topic:,
    mentions:, before: and after:.
    """
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.search.request import SearchRequest

    with open_corpus(corpus, index_dir=index_dir, settings_file=config) as opened:
        found = opened.run(SearchRequest(text=query, **request))
    if as_json:
        print_json(found.to_json())
        return
    _print(found, console(), explain=explain, timings=timings)


def _print(found: SearchResponse, out: Console, *, explain: bool, timings: bool) -> None:
    for part in found.ignored:
        out.print(f"ignored {part.text!r}: {part.reason}", style="yellow", markup=False)
    for note in found.notes:
        out.print(note, style="yellow", markup=False)
    for hit in found.hits:
        _print_hit(hit, out, explain)
    if found.connected:
        out.print("Also connected", style="bold")
        for hit in found.connected[:CONNECTED_SHOWN]:
            _print_hit(hit, out, explain)
        if (more := len(found.connected) - CONNECTED_SHOWN) > 0:
            out.print(f"     and {more} more (--json lists them)", style="dim", markup=False)
    if not found.hits:
        out.print("Nothing was found.")
    if found.did_you_mean:
        out.print(f"Did you mean: {found.did_you_mean}", markup=False)
    if timings:
        parts = ", ".join(f"{stage} {ms:.1f}" for stage, ms in found.timings_ms.items())
        out.print(f"ms: {parts}", style="dim", markup=False)
    out.print(
        f"{found.total} results · {found.intent} · graph {_gate(found)}", style="dim", markup=False
    )


def _print_hit(hit: Hit, out: Console, explain: bool) -> None:
    from rich.text import Text

    from podcast_scraper.clock import clock

    speakers = ", ".join(person.name for person in hit.speakers)
    head = Text(f"{hit.rank:>3}. ", style="bold")
    head.append(hit.episode.title, style="bold")
    head.append(f"  {hit.show.title} · {hit.episode.date or 'date unknown'}", style="dim")
    if hit.start is not None:
        head.append(f" · {clock(hit.start)}", style="cyan")
    out.print(head)
    low, high = hit.snippet
    body = Text("     " + (f"{speakers}: " if speakers else ""), style="green")
    body.append(Text("… " if low else "", style="default"))
    words = Text(hit.text[low:high].replace("\n", " "), style="default")
    for start, end in hit.highlights:
        words.stylize("bold yellow", max(0, start - low), max(0, end - low))
    out.print(body.append(words).append("" if high >= len(hit.text) else " …"))
    out.print(f"     {hit.id}", style="dim", markup=False)
    if explain:
        for line in _explanation(hit):
            out.print(f"     {line}", style="dim", markup=False)


def _explanation(hit: Hit) -> list[str]:
    lines = []
    for stage in () if hit.rescued else ("bm25", "dense"):
        found = hit.explain.get(stage)
        text = f"rank {found['rank']}, raw {found['score']:.4f}" if found else "not in this list"
        lines.append(f"{stage}: {text}")
    fusion = hit.explain.get("fusion")
    if fusion:
        parts = " + ".join(
            f"{part['signal']} {part['value']:.5f}" for part in fusion["contributions"]
        )
        score = f" → {hit.score:.4f} of the best" if hit.score is not None else ""
        lines.append(f"fusion: {parts} = {fusion['score']:.5f}{score}")
    if again := hit.explain.get("rerank"):
        parts = ", ".join(f"{name} {value:+.2f}" for name, value in again.get("parts", {}).items())
        lines.append(f"rerank: from rank {again['from_rank']}" + (f" by {parts}" if parts else ""))
    if bonus := hit.explain.get("expander"):
        lines.append("expander: " + ", ".join(f"{n} {value:+.3f}" for n, value in bonus.items()))
    if rescue := hit.explain.get("rescue"):
        path = " → ".join(step["label"] for step in rescue["path"])
        lines.append(f"graph: {rescue['lane']}, by way of {path}")
    return lines


def _gate(found: SearchResponse) -> str:
    gate = found.gate
    if gate.fired:
        return "fired: " + ", ".join(gate.reasons)
    return f"not fired ({gate.vetoed_by or 'no trigger'})"
