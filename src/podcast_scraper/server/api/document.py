"""The OpenAPI 3.1 document, made from the routes and what :func:`..endpoint` says of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import podcast_scraper
from podcast_scraper.server.api.schemas import record
from podcast_scraper.server.endpoint import JSON, Operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from werkzeug.routing import Rule

_PLACEHOLDER: Final = re.compile(r"<(?:[a-z]+:)?([a-z_]+)>")
_ERROR: Final = record(
    {
        "ok": {"const": False},
        "error": record(
            {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "details": {"type": "object"},
            }
        ),
    }
)


def openapi_document(app: Flask) -> dict[str, Any]:
    """Return the document of every route under ``/api``."""
    paths: dict[str, dict[str, Any]] = {}
    for rule, method, operation in api_operations(app):
        path = _PLACEHOLDER.sub(r"{\1}", rule.rule)
        paths.setdefault(path, {})[method.lower()] = _described(rule, operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "podcast-scraper",
            "version": podcast_scraper.__version__,
            "description": "Search over spoken podcasts: who said what, when, and about what.",
        },
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {"Error": _ERROR},
            "responses": {
                "Error": {
                    "description": "What is wrong, and the mend in `details` where one is known.",
                    "content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}},
                }
            },
        },
    }


def api_operations(app: Flask) -> Iterator[tuple[Rule, str, Operation | None]]:
    """Yield every rule under ``/api`` with each of its methods and its description, if any."""
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/"):
            operation = getattr(app.view_functions[rule.endpoint], "operation", None)
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                yield rule, method, operation


def _described(rule: Rule, operation: Operation | None) -> dict[str, Any]:
    described = operation if operation is not None else Operation(rule.endpoint, {})
    made: dict[str, Any] = {
        "operationId": rule.endpoint.replace(".", "_"),
        "summary": described.summary,
        "parameters": [
            *(
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in _PLACEHOLDER.findall(rule.rule)
            ),
            *(
                {
                    "name": parameter.name,
                    "in": "query",
                    "description": parameter.description,
                    "required": parameter.required,
                    "schema": {"type": "array", "items": parameter.schema}
                    if parameter.many
                    else parameter.schema,
                }
                for parameter in described.parameters
            ),
        ],
        "responses": {
            "200": {
                "description": described.summary,
                "content": {
                    name: {"schema": described.answer} if name == JSON else {}
                    for name in described.media_types
                },
            },
            "default": {"$ref": "#/components/responses/Error"},
        },
    }
    if described.body is not None:
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": described.body}}}
    return made
