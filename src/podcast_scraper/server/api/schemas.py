"""JSON schemas of answers, made from the records that the answers are made of."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from podcast_scraper.search.tail import GateState

_SCALARS: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}

# Names that the record modules import for type checking alone.
_NAMES = {
    "Mapping": Mapping,
    "Sequence": Sequence,
    "GateState": GateState,
    "Path": Path,
    "Any": Any,
}


def schema_of(annotation: Any) -> dict[str, Any]:
    """Return the JSON schema of a record or annotation, as ``dataclasses.asdict`` gives it."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if is_dataclass(annotation):
        hints = typing.get_type_hints(annotation, localns=_NAMES)
        names = [field.name for field in fields(annotation)]
        return record({name: schema_of(hints[name]) for name in names})
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(part) for part in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple and inner[-1] is not Ellipsis:
        return {
            "type": "array",
            "prefixItems": [schema_of(part) for part in inner],
            "minItems": len(inner),
            "maxItems": len(inner),
        }
    if origin in (tuple, list, Sequence):
        return array(schema_of(inner[0]))
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(inner[1])}
    raise TypeError(f"no JSON schema for {annotation!r}")


def array(items: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def record(properties: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of an object that has all of these properties, and may have more."""
    return {"type": "object", "properties": properties, "required": list(properties)}
