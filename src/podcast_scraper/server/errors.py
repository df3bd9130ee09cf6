"""Errors as HTTP: one JSON shape under /api, one plain page elsewhere, never a stack trace."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from flask import Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from podcast_scraper.errors import (
    IndexStateError,
    NotFoundError,
    PodcastScraperError,
    UsageError,
)

if TYPE_CHECKING:
    from flask import Flask

_LOG = logging.getLogger(__name__)


def install_error_handlers(app: Flask) -> None:
    """Answer errors of the package, of HTTP and unexpected ones in the shape that was asked for."""
    app.register_error_handler(PodcastScraperError, _package_error)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)


def _package_error(error: PodcastScraperError) -> Response:
    return answer_error(_status(error), error.code, error.message, {"mend": error.mend})


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    response = answer_error(status, error.name.replace(" ", ""), error.description or error.name)
    for name, value in error.get_headers():
        if name.lower() not in ("content-type", "content-length"):
            response.headers[name] = value
    return response


def _unexpected(error: Exception) -> Response:
    _LOG.error("unexpected error at %s", request.path, exc_info=error)
    return answer_error(500, "Internal", "Something went wrong here; the server's log has it.")


def answer_error(
    status: int, code: str, message: str, details: dict[str, Any] | None = None
) -> Response:
    """Return an error response: ``{ok: false, error: {code, message, details}}`` or a page."""
    if request.path.startswith("/api/"):
        body = {"ok": False, "error": {"code": code, "message": message, "details": details or {}}}
        return make_response(jsonify(body), status)
    mend = (details or {}).get("mend")
    page = render_template("error.html", status=status, message=message, mend=mend)
    return make_response(page, status)


def _status(error: PodcastScraperError) -> int:
    match error:
        case UsageError():
            return 400
        case NotFoundError():
            return 404
        case IndexStateError():
            return 503
        case _:
            return 500
