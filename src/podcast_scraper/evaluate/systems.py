"""Systems by name: each module that offers one registers a factory for it.

A name may carry a parameter after a colon (``fused-graph:0.5``). A factory gets the
:class:`~podcast_scraper.evaluate.workbench.Workbench` of the set and returns a :class:`System`, or
raises :class:`NotApplicable` where the set lacks what the system needs, such as a graph.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from podcast_scraper.errors import EvaluationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from podcast_scraper.evaluate.sets import SetItem
    from podcast_scraper.evaluate.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a system answers to one query.

    ``doc_ids`` are unique, best first. ``timings_ms`` holds one figure a stage. ``rescued`` are the
    documents that only the graph found; ``gate`` is None where no gate was asked.
    """

    doc_ids: tuple[str, ...]
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    rescued: frozenset[str] = frozenset()
    gate: GateOutcome | None = None
    budget_curve: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """Whether the policy gate fired, and why."""

    fired: bool
    reasons: tuple[str, ...] = ()


class System(Protocol):
    """A named configuration of the product. ``k`` is how many documents are wanted."""

    def rank(self, query: SetItem, k: int) -> Ranking: ...


class NotApplicable(EvaluationError):
    """The set lacks what this system needs; the report lists it with the reason."""


if TYPE_CHECKING:
    Factory = Callable[[Workbench, str | None], System]


@dataclass(frozen=True, slots=True)
class Registration:
    """A system that can be named. ``parameter`` says what may follow the colon, if anything."""

    name: str
    summary: str
    factory: Factory
    parameter: str | None = None


_MODULES: Final = ("product_systems", "graph_systems", "proximity_systems")
_REGISTRY: dict[str, Registration] = {}


def register(
    name: str, summary: str, *, parameter: str | None = None
) -> Callable[[Factory], Factory]:
    """Register a factory under ``name``; a name is registered once."""

    def keep(factory: Factory) -> Factory:
        if name in _REGISTRY:
            raise EvaluationError(f"The system {name} is registered twice.")
        _REGISTRY[name] = Registration(name, summary, factory, parameter)
        return factory

    return keep


def load_systems() -> None:
    """Import the modules of the package that register systems."""
    for name in _MODULES:
        importlib.import_module(f"podcast_scraper.evaluate.{name}")


def registered() -> list[Registration]:
    """All systems, by name."""
    return sorted(_REGISTRY.values(), key=lambda registration: registration.name)


def check_names(names: list[str]) -> None:
    """Raise :class:`UsageError` naming every unknown or repeated system and those there are."""
    known = _REGISTRY.keys()
    wrong = [name for name in names if name.partition(":")[0] not in known]
    wrong += [name for name in names if name.partition(":")[2] and not _takes_parameter(name)]
    if wrong or not names:
        raise UsageError(
            f"Unknown systems: {', '.join(wrong)}." if wrong else "Name at least one system.",
            mend=f"There are: {', '.join(known)}.",
            subject=wrong,
        )
    if len(set(names)) < len(names):
        raise UsageError("A system is named twice.", subject=names)


def open_system(name: str, workbench: Workbench) -> System:
    """Build the system ``name``; raises :class:`NotApplicable` where the set cannot serve it."""
    check_names([name])
    base, _, parameter = name.partition(":")
    return _REGISTRY[base].factory(workbench, parameter or None)


def _takes_parameter(name: str) -> bool:
    registration = _REGISTRY.get(name.partition(":")[0])
    return registration is None or registration.parameter is not None
