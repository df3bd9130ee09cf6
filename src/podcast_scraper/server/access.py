"""A token for servers that other machines reach."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final

from flask import request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from podcast_scraper.errors import UsageError

if TYPE_CHECKING:
    from flask import Flask

LEAST_CHARACTERS: Final = 16


def check_token(token: str) -> str:
    """Return a token. Raises UsageError for one that is short enough to guess."""
    if len(token) < LEAST_CHARACTERS:
        raise UsageError(
            f"A token of {len(token)} characters can be guessed.",
            mend=f"Give at least {LEAST_CHARACTERS}, such as `openssl rand -hex 24` prints.",
        )
    return token


def install_access(app: Flask, token: str) -> None:
    """Ask for the token with every request.

    Programs send it as ``Authorization: Bearer``; browsers and feed readers as the password of
    HTTP Basic, with any name.
    """
    expected = check_token(token).encode()

    @app.before_request
    def check_access() -> None:
        given = request.authorization
        secret = None
        if given is not None:
            secret = given.token if given.type == "bearer" else given.password
        if secret is None or not hmac.compare_digest(secret.encode(), expected):
            raise Unauthorized(
                "This server asks for a token.",
                www_authenticate=_challenge(),
            )


def _challenge() -> WWWAuthenticate:
    return WWWAuthenticate("basic", {"realm": "podcast-scraper", "charset": "UTF-8"})
