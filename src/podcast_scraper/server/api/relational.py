"""``/api/relational``, ``/api/resolve`` and ``/api/entities``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, jsonify, request

from podcast_scraper.errors import UsageError
from podcast_scraper.identities import decision_to_json
from podcast_scraper.identity.ledger import Decision
from podcast_scraper.identity.resolver import resolution_to_json
from podcast_scraper.search.relational_queries import Profile
from podcast_scraper.server import exports
from podcast_scraper.server.api.schemas import array, record, schema_of
from podcast_scraper.server.endpoint import JSON, Parameter, endpoint
from podcast_scraper.server.parameters import integer

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response

    from podcast_scraper.corpus import Corpus

_WHOLE: Final = {"type": "integer", "minimum": 0}
_K: Final = Parameter("k", "Rows a page.", _WHOLE)
_OFFSET: Final = Parameter("offset", "Rows to skip.", _WHOLE)
_TEXT: Final = {"type": "string"}
_DECISION: Final = schema_of(Decision)
_RELATION: Final = record(
    {
        "query": _TEXT,
        "subject": {"type": ["object", "null"]},
        "rows": array({"type": "object"}),
        "total": _WHOLE,
        "suggestions": array(record({"id": _TEXT, "label": _TEXT})),
    }
)
_RESOLUTION: Final = record(
    {
        "id": {"type": ["string", "null"]},
        "score": {"type": "number"},
        "method": _TEXT,
        "candidates": array({"type": "object"}),
        "mentions": array({"type": "object"}),
    }
)
_MAX_TEXT = 10_000


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the relational and identity API over one corpus."""
    blueprint = Blueprint("relational_api", __name__, url_prefix="/api")
    _add_relations(blueprint, corpus)
    _add_identities(blueprint, corpus)
    _add_decisions(blueprint, corpus)
    return blueprint


def _add_relations(blueprint: Blueprint, corpus: Corpus) -> None:
    @blueprint.get("/relational/<query>")
    @endpoint(
        "A relational query by its name",
        Parameter("id", "Id of the subject.", required=True),
        Parameter("other", "The second id, where the query takes one."),
        Parameter("per_show", "Rows a show (cross-show).", _WHOLE),
        _K,
        _OFFSET,
        Parameter("q", "Text that re-orders the rows by relevance."),
        exports.PARAMETER,
        answer=_RELATION,
        media_types=(JSON, *exports.FORMATS.values()),
    )
    def relational(query: str) -> Response:
        per_show = integer(request.args, "per_show", 0)
        result = corpus.relational.run(
            query,
            _required("id"),
            request.args.get("other") or None,
            per_show=per_show if "per_show" in request.args else None,
            k=integer(request.args, "k", 20),
            offset=integer(request.args, "offset", 0),
            q=request.args.get("q") or None,
        )
        name = exports.wanted_format(request.args)
        if name is not None:
            relation = result.positions if isinstance(result, Profile) else result
            title = f"{query} {relation.subject.label if relation.subject else ''}"
            return exports.export_relation(relation.rows, title, name)
        return jsonify(corpus.relational.to_json(query, result))


def _add_identities(blueprint: Blueprint, corpus: Corpus) -> None:
    @blueprint.get("/resolve")
    @endpoint(
        "What a name means in this corpus",
        Parameter("text", "A name, or a text that holds names.", required=True),
        answer=_RESOLUTION,
    )
    def resolve() -> Response:
        return jsonify(resolution_to_json(corpus.index.resolver, _required("text")))

    @blueprint.get("/entities/review")
    @endpoint(
        "Pairs that may be one entity, the likeliest first",
        _K,
        _OFFSET,
        answer=record({"rows": array({"type": "object"}), "total": _WHOLE}),
    )
    def review() -> Response:
        queue = corpus.identities.review(
            k=integer(request.args, "k", 50), offset=integer(request.args, "offset", 0)
        )
        return jsonify({"rows": queue.rows, "total": queue.total})

    @blueprint.get("/entities/history")
    @endpoint(
        "Decisions about identities, oldest first",
        Parameter("id", "Only those that name this entity."),
        answer=record({"decisions": array(_DECISION)}),
    )
    def history() -> Response:
        decisions = corpus.identities.history(request.args.get("id") or None)
        return jsonify({"decisions": [decision_to_json(decision) for decision in decisions]})


def _add_decisions(blueprint: Blueprint, corpus: Corpus) -> None:
    for action, function, fields in (
        ("merge", corpus.identities.merge, ("subject", "into")),
        ("not-same", corpus.identities.not_same, ("left", "right")),
        ("alias", corpus.identities.alias, ("subject", "name")),
        ("split", corpus.identities.split, ("subject",)),
        ("undo", corpus.identities.undo, ("uid",)),
    ):
        blueprint.add_url_rule(
            f"/entities/{action}",
            action.replace("-", "_"),
            _decision_view(action, function, fields),
            methods=["POST"],
        )


def _decision_view(
    action: str, function: Callable[..., Decision], fields: tuple[str, ...]
) -> Callable[[], Response]:
    optional = ("reason", "episodes") if fields == ("subject",) else ("reason",)
    body_schema = record(dict.fromkeys((*fields, "author"), _TEXT))
    for name in optional:
        body_schema["properties"][name] = array(_TEXT) if name == "episodes" else _TEXT

    @endpoint(f"Decide on identities: {action}", answer=_DECISION, body=body_schema)
    def view() -> Response:
        # Only JSON is taken: another site's form cannot send it without being asked first.
        body = request.get_json()
        if not isinstance(body, dict):
            raise UsageError("The body is no JSON object.")
        unknown = sorted(set(body) - {*fields, *optional, "author"})
        if unknown:
            raise UsageError(f"Unknown field: {', '.join(unknown)}.", subject=unknown)
        given: dict[str, Any] = {n: _text(body, n) for n in (*fields, "author")}
        given["reason"] = body.get("reason", "")
        if not isinstance(given["reason"], str):
            raise UsageError("reason is no text.", subject="reason")
        episodes = body.get("episodes", [])
        if not isinstance(episodes, list) or not all(isinstance(e, str) for e in episodes):
            raise UsageError("episodes is no list of ids.", subject="episodes")
        if episodes:
            given["episodes"] = episodes
        return jsonify(decision_to_json(function(**given)))

    return view


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} is missing.", mend=f"Give {name} as text.", subject=name)
    return value


def _required(name: str) -> str:
    value = request.args.get(name, "")
    if not value.strip():
        raise UsageError(f"{name} is missing.", mend=f"Give the parameter {name}.", subject=name)
    if len(value) > _MAX_TEXT:
        raise UsageError(f"{name} has {len(value)} characters.", subject=name)
    return value
