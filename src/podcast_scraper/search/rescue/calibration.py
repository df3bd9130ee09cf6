"""The corpus' own confidence threshold: how close a query that has an answer comes to it.

``low-confidence`` compares the cosine of the dense top hit with a threshold, and cosines depend on
the encoder and the corpus. Pseudo-queries with a known answer show what is usual: names of topics,
people and organisations, and insights with their own document left out. The threshold is the 10th
percentile of their top cosine.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import sqlalchemy as sa

from podcast_scraper.errors import IndexDamagedError, UsageError
from podcast_scraper.search.backend import SearchQuery
from podcast_scraper.storage.schema import Entity, IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import SearchBackend

PERCENTILE: Final = 10
INSIGHTS: Final = 200
NAMES: Final = 100

_FILE: Final = "calibration.json"
_SEED: Final = 20_240_229


@dataclass(frozen=True, slots=True)
class Probe:
    """A pseudo-query; ``own`` is the document that it was taken from, if any."""

    text: str
    own: str | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """``low_confidence`` is the threshold, over so many ``queries`` of a ``source``.

    ``percentiles`` show the distribution of top cosines.
    """

    low_confidence: float
    queries: int
    source: str
    percentiles: dict[str, float]


def probes_of(engine: sa.Engine) -> list[Probe]:
    """Draw pseudo-queries from an index: at most 100 names a type and 200 insights, seeded."""
    chance = random.Random(_SEED)
    probes: list[Probe] = []
    with engine.connect() as connection:
        for kind in ("topic", "person", "org"):
            named = sa.select(Entity.name).where(Entity.type == kind, ~Entity.voice)
            names = sorted({name for (name,) in connection.execute(named) if name.strip()})
            probes += [Probe(name) for name in chance.sample(names, min(NAMES, len(names)))]
        insight = sa.select(IndexedDocument.doc_id, IndexedDocument.text).where(
            IndexedDocument.tier == "insight"
        )
        insights = sorted((doc_id, text) for doc_id, text in connection.execute(insight))
    drawn = chance.sample(insights, min(INSIGHTS, len(insights)))
    return [*probes, *(Probe(text, doc_id) for doc_id, text in drawn)]


def calibrate(
    backend: SearchBackend,
    embed: Callable[[str], NDArray[np.float32]],
    probes: Sequence[Probe],
    *,
    source: str = "names and insights",
) -> Calibration:
    """Measure the top cosines of probes. Raises UsageError where none finds anything."""
    cosines: list[float] = []
    for probe in probes:
        found = backend.search_vector(SearchQuery(probe.text, embed(probe.text), k=2))
        others = [one.score for one in found if one.doc_id != probe.own]
        cosines += others[:1]
    if not cosines:
        raise UsageError(
            "There is nothing to calibrate with.",
            mend="Give --queries FILE with one query a line.",
            subject=source,
        )
    marks = (1, PERCENTILE, 25, 50, 75, 90)
    values = np.percentile(cosines, marks).tolist()
    percentiles = {f"p{mark}": round(value, 4) for mark, value in zip(marks, values, strict=True)}
    return Calibration(percentiles[f"p{PERCENTILE}"], len(cosines), source, percentiles)


def store_calibration(generation_dir: Path, calibration: Calibration) -> None:
    """Write the threshold into a generation, in place of an earlier one."""
    path = generation_dir / _FILE
    partial = path.with_name(_FILE + ".partial")
    partial.write_text(json.dumps(asdict(calibration), indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def stored_threshold(generation_dir: Path) -> float | None:
    """Return the calibrated threshold of a generation, None where it was not calibrated."""
    path = generation_dir / _FILE
    try:
        stored: Any = json.loads(path.read_text(encoding="utf-8"))
        return float(stored["low_confidence"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexDamagedError(
            f"{path} cannot be read.",
            mend="Run `podcast-scraper calibrate` again.",
            subject=path,
        ) from error
