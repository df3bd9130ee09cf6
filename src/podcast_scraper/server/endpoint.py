"""What an API endpoint takes and gives, said once: checked at every call and documented from it."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from flask import request

from podcast_scraper.server.parameters import refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter; ``schema`` is its JSON schema, ``many`` allows it several times."""

    name: str
    description: str
    schema: dict[str, Any] = field(default_factory=lambda: {"type": "string"})
    required: bool = False
    many: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one route. ``answer`` is the JSON schema of a 200, ``body`` of what is sent."""

    summary: str
    answer: dict[str, Any]
    parameters: tuple[Parameter, ...] = ()
    body: dict[str, Any] | None = None
    media_types: tuple[str, ...] = (JSON,)


def endpoint(
    summary: str,
    *parameters: Parameter,
    answer: dict[str, Any] | None = None,
    body: dict[str, Any] | None = None,
    media_types: tuple[str, ...] = (JSON,),
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Document a view function and refuse every query parameter that is not declared."""
    operation = Operation(summary, answer or {"type": "object"}, parameters, body, media_types)
    names = tuple(parameter.name for parameter in parameters)

    def wrap(view: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(view)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            refuse_unknown(request.args, names)
            return view(*args, **kwargs)

        checked.operation = operation  # type: ignore[attr-defined]
        return checked

    return wrap
