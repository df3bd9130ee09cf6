"""``podcast-scraper resolve``: which person, organisation or topic a name means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from podcast_scraper.cli.options import corpus_argument, index_dir_option, json_option
from podcast_scraper.cli.output import console, print_json

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@corpus_argument
@click.argument("text")
@index_dir_option
@json_option
def resolve(corpus: Path, text: str, index_dir: Path | None, as_json: bool) -> None:
    """Say what TEXT names in CORPUS, and which known names it contains."""
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.identity.resolver import resolution_to_json

    with open_corpus(corpus, index_dir=index_dir) as opened:
        answer = resolution_to_json(opened.index.resolver, text)
    if as_json:
        print_json(answer)
        return
    out = console()
    if answer["id"]:
        out.print(f"{answer['id']}  ({answer['method']}, {answer['score']:.2f})", markup=False)
    else:
        out.print("no single entity", style="yellow")
        for candidate in answer["candidates"]:
            out.print(f"  {candidate['id']}  {candidate['label']}", markup=False)
    for mention in answer["mentions"]:
        ids = ", ".join(candidate["id"] for candidate in mention["candidates"])
        out.print(f"mentions {mention['text']!r}: {ids}", markup=False)
