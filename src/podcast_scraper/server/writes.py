"""Who may write: only pages of this server and programs, never another site in a browser."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from flask import request
from flask_wtf.csrf import CSRFError, CSRFProtect
from werkzeug.exceptions import Forbidden

if TYPE_CHECKING:
    from flask import Flask

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def install_write_protection(app: Flask) -> None:
    """Refuse writes that another site sends, and forms without this session's token.

    The API takes JSON alone, which another site cannot send without asking first, so that programs
    need no token there. The key is made anew for each process: an old form is refused, and the
    page loaded again has a good one.
    """
    app.config.update(
        SECRET_KEY=secrets.token_bytes(32),
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_HTTPONLY=True,
        WTF_CSRF_CHECK_DEFAULT=False,
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,
    )
    tokens = CSRFProtect(app)

    @app.before_request
    def check_write() -> None:
        if request.method in _SAFE:
            return
        origin = request.headers.get("Origin")
        site = request.headers.get("Sec-Fetch-Site", "none")
        if site not in ("none", "same-origin") or (
            origin is not None and origin.partition("://")[2] != request.host
        ):
            raise Forbidden("Another site may not write here.")
        if not request.path.startswith("/api/"):
            try:
                tokens.protect()
            except CSRFError as error:
                raise Forbidden(
                    "This form is too old or not ours. Load the page again and send it anew."
                ) from error
