"""How often one address may ask, by Flask-Limiter, counted in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

if TYPE_CHECKING:
    from flask import Flask

# Someone who types fast asks about eight times a second; a program has room for more.
DEFAULT_LIMIT: Final = "40 per second; 1200 per minute"


def install_limits(app: Flask, limit: str = DEFAULT_LIMIT) -> None:
    """Answer 429 to an address that asks more often; static files are not counted."""
    Limiter(
        get_remote_address,
        app=app,
        default_limits=[limit],
        storage_uri="memory://",
        strategy="moving-window",
        headers_enabled=False,
    )
