"""``POST /api/context``: a context chosen under a token budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, jsonify, request

from podcast_scraper.context import Context, context_to_json
from podcast_scraper.errors import UsageError
from podcast_scraper.search.rescue.config import GRAPH_MODES, SELECTORS
from podcast_scraper.server.api.schemas import array, schema_of
from podcast_scraper.server.endpoint import endpoint

if TYPE_CHECKING:
    from flask import Response

    from podcast_scraper.corpus import Corpus

_TEXT: Final = {"type": "string"}
_FIELDS: Final[dict[str, dict[str, Any]]] = {
    "q": _TEXT,
    "selector": {"type": "string", "enum": list(SELECTORS)},
    "budget": {"type": "integer", "minimum": 0},
    "graph": {"type": "string", "enum": list(GRAPH_MODES)},
    "tier": {"type": "string", "enum": ["all", "insight", "segment"]},
    "ads": {"type": "string", "enum": ["include", "exclude"]},
    "since": {"type": "string", "format": "date"},
    "until": {"type": "string", "format": "date"},
}
_LISTS: Final = {
    "show": "shows",
    "episode": "episodes",
    "person": "persons",
    "mentions": "mentions",
    "topic": "topics",
    "type": "insight_types",
}
_BODY: Final = {
    "type": "object",
    "properties": {
        **_FIELDS,
        **{name: {"anyOf": [_TEXT, array(_TEXT)]} for name in _LISTS},
    },
    "required": ["q"],
    "additionalProperties": False,
}
_KINDS: Final[dict[str, tuple[type, str]]] = {
    "string": (str, "a string"),
    "integer": (int, "a whole number"),
}


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the route over one corpus."""
    blueprint = Blueprint("api_context", __name__, url_prefix="/api")

    @blueprint.post("/context")
    @endpoint(
        "Choose passages on a query under a budget of tokens, ready to be read",
        answer=schema_of(Context),
        body=_BODY,
    )
    def context() -> Response:
        query, options = _read(request.get_json())
        return jsonify(context_to_json(corpus.context(query, **options)))

    return blueprint


def _read(body: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(body, dict) or not isinstance(body.get("q"), str):
        raise UsageError(
            "The body is not a JSON object with a q.",
            mend='Send {"q": "words", "selector": "packed", "budget": 10000}.',
        )
    unknown = sorted(set(body) - set(_FIELDS) - set(_LISTS))
    if unknown:
        raise UsageError(
            f"Unknown field: {', '.join(unknown)}.",
            mend=f"Known are: {', '.join((*_FIELDS, *_LISTS))}.",
            subject=unknown,
        )
    given = {name: value for name, value in body.items() if value is not None and name != "q"}
    options = {
        _LISTS.get(name, name): _texts(name, value) if name in _LISTS else _one(name, value)
        for name, value in given.items()
    }
    return body["q"], options


def _one(name: str, value: Any) -> Any:
    kind, wanted = _KINDS[_FIELDS[name]["type"]]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise UsageError(f"{name} is {value!r}.", mend=f"Give {wanted}.", subject=value)
    return value


def _texts(name: str, value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise UsageError(
            f"{name} is {value!r}.", mend="Give a string or a list of strings.", subject=value
        )
    return tuple(values)
