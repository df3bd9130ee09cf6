"""``podcast-scraper entities``: review who is who, decide, and take decisions back."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Any

import click

from podcast_scraper.cli.options import corpus_argument, index_dir_option, json_option
from podcast_scraper.cli.output import console, print_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from podcast_scraper.identities import Identities
    from podcast_scraper.identity.ledger import Decision


@click.group()
def entities() -> None:
    """Review people, organisations and topics; merge and split them."""


def _signed(function: Callable[..., Any]) -> Callable[..., Any]:
    function = click.option("--reason", default="", metavar="TEXT", help="Why.")(function)
    function = click.option("--by", "author", metavar="NAME", help="Who decides (default: you).")(
        function
    )
    return index_dir_option(json_option(function))


@entities.command()
@corpus_argument
@click.option("-k", default=50, show_default=True, type=click.IntRange(0, 1000))
@click.option("--offset", default=0, type=click.IntRange(min=0))
@index_dir_option
@json_option
def review(corpus: Path, k: int, offset: int, index_dir: Path | None, as_json: bool) -> None:
    """List pairs that may be one, with reasons."""
    from podcast_scraper.corpus import open_corpus

    with open_corpus(corpus, index_dir=index_dir) as opened:
        queue = opened.identities.review(k=k, offset=offset)
    if as_json:
        print_json({"rows": queue.rows, "total": queue.total})
        return
    out = console()
    for row in queue.rows:
        pair = f"{row['subject']['id']} = {row['into']['id']} ?"
        out.print(f"{row['score']:.2f}  {pair}", style="bold", markup=False)
        out.print(f"      {'; '.join(row['reasons'])}", markup=False)
    out.print(f"{len(queue.rows)} of {queue.total}", style="dim", markup=False)


@entities.command()
@corpus_argument
@click.argument("subject")
@click.argument("into")
@_signed
def merge(corpus: Path, subject: str, into: str, **options: Any) -> None:
    """Decide that SUBJECT is INTO."""
    _decide(corpus, lambda who, by: who.merge(subject, into, **by), **options)


@entities.command("not-same")
@corpus_argument
@click.argument("left")
@click.argument("right")
@_signed
def not_same(corpus: Path, left: str, right: str, **options: Any) -> None:
    """Decide that LEFT and RIGHT are different."""
    _decide(corpus, lambda who, by: who.not_same(left, right, **by), **options)


@entities.command()
@corpus_argument
@click.argument("subject")
@click.argument("name")
@_signed
def alias(corpus: Path, subject: str, name: str, **options: Any) -> None:
    """Give SUBJECT the further NAME."""
    _decide(corpus, lambda who, by: who.alias(subject, name, **by), **options)


@entities.command()
@corpus_argument
@click.argument("subject")
@click.option("--episode", "episodes", multiple=True, metavar="ID", help="Where it is another.")
@_signed
def split(corpus: Path, subject: str, episodes: tuple[str, ...], **options: Any) -> None:
    """Take SUBJECT out of its merge, or its occurrences in some episodes out of it."""
    _decide(corpus, lambda who, by: who.split(subject, episodes=episodes, **by), **options)


@entities.command()
@corpus_argument
@click.argument("uid")
@_signed
def undo(corpus: Path, uid: str, **options: Any) -> None:
    """Take the decision UID back."""
    _decide(corpus, lambda who, by: who.undo(uid, **by), **options)


@entities.command()
@corpus_argument
@click.argument("entity", required=False)
@index_dir_option
@json_option
def history(corpus: Path, entity: str | None, index_dir: Path | None, as_json: bool) -> None:
    """List all decisions, or those on ENTITY, oldest first."""
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.identities import decision_to_json

    with open_corpus(corpus, index_dir=index_dir) as opened:
        decisions = opened.identities.history(entity)
    if as_json:
        print_json({"decisions": [decision_to_json(decision) for decision in decisions]})
        return
    for decision in decisions:
        _print(decision)


def _decide(
    corpus: Path,
    act: Callable[[Identities, dict[str, str]], Decision],
    *,
    author: str | None,
    reason: str,
    index_dir: Path | None,
    as_json: bool,
) -> None:
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.identities import decision_to_json

    by = {"author": author or getpass.getuser(), "reason": reason}
    with open_corpus(corpus, index_dir=index_dir) as opened:
        decision = act(opened.identities, by)
    if as_json:
        print_json(decision_to_json(decision))
    else:
        _print(decision)


def _print(decision: Decision) -> None:
    where = f" in {', '.join(decision.episodes)}" if decision.episodes else ""
    what = f"{decision.kind} {decision.subject}{f' · {decision.object}' if decision.object else ''}"
    undone = f" · undone by {decision.undone_by}" if decision.undone_at else ""
    line = f"{decision.uid}  {decision.created[:19]}  {what}{where} · {decision.author}{undone}"
    console().print(line, style="dim" if undone else None, markup=False)
