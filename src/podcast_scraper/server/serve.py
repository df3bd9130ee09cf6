"""Serving the application with waitress, a threaded production WSGI server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import UsageError
from podcast_scraper.server.access import check_token
from podcast_scraper.server.security import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

THREADS: Final = 8


def serve(app: Flask, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve until interrupted. Port 0 takes a free one; ``on_ready`` is told the URL."""
    from waitress.server import create_server

    try:
        server = create_server(app, host=host, port=port, threads=THREADS, ident=None)
    except OSError as error:
        raise UsageError(
            f"{host}:{port} cannot be served: {error.strerror}.",
            mend="Choose another --port (0 takes a free one).",
            subject=port,
        ) from error
    shown = f"[{host}]" if ":" in host else host
    on_ready(f"http://{shown}:{server.effective_port}")
    try:
        server.run()
    finally:
        server.close()


def check_binding(host: str, token: str | None) -> None:
    """Raise UsageError for a host that other machines reach where no token protects it."""
    if token is not None:
        check_token(token)
    elif not is_loopback(host):
        raise UsageError(
            f"{host} can be reached from other machines, and nothing protects the corpus there.",
            mend="Set a token with --token or PODCAST_SCRAPER_TOKEN, or serve on 127.0.0.1.",
            subject=host,
        )
