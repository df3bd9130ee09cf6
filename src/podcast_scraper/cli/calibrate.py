"""``podcast-scraper calibrate``: the corpus' own confidence threshold."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from podcast_scraper.cli.options import corpus_argument, index_dir_option, json_option
from podcast_scraper.cli.output import console, print_json


@click.command()
@corpus_argument
@click.option(
    "--queries",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Real queries, one a line, in place of names and insights.",
)
@index_dir_option
@json_option
def calibrate(corpus: Path, queries: Path | None, index_dir: Path | None, as_json: bool) -> None:
    """Measure how close queries come to their answers in CORPUS and store the threshold.

    Building an index does it too. A query whose best passage is further away than the 10th
    percentile counts as unconfident, and the graph is asked.
    """
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.search.rescue.calibration import (
        Probe,
        probes_of,
        store_calibration,
    )
    from podcast_scraper.search.rescue.calibration import calibrate as measure

    with open_corpus(corpus, index_dir=index_dir) as opened:
        index = opened.index
        if queries is None:
            probes, source = probes_of(index.engine), "names and insights"
        else:
            lines = queries.read_text(encoding="utf-8").splitlines()
            probes, source = [Probe(line.strip()) for line in lines if line.strip()], queries.name
        found = measure(index.backend, lambda text: index.embed(text)[0], probes, source=source)
        store_calibration(index.derived, found)
    if as_json:
        print_json(asdict(found))
        return
    out = console()
    out.print(
        f"low_confidence {found.low_confidence:.4f} from {found.queries} queries", markup=False
    )
    spread = ", ".join(f"{mark} {value:.3f}" for mark, value in found.percentiles.items())
    out.print(f"top cosines: {spread}", style="dim", markup=False)
