"""Headers of every answer, and the check of the Host header against DNS rebinding."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from flask import request
from werkzeug.exceptions import MisdirectedRequest

if TYPE_CHECKING:
    from collections.abc import Collection

    from flask import Flask, Response

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; media-src 'self' https: http:; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    # With "no-referrer" a browser sends `Origin: null` with our own forms, and writes are refused.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

MAX_BODY_BYTES: Final = 1 << 20


def install_security(app: Flask, hosts: Collection[str]) -> None:
    """Set the headers, bound request bodies to 1 MiB, and refuse a Host that is not ours.

    A loopback address and ``localhost`` are always ours; ``hosts`` are further names.
    """
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    allowed = frozenset(host.lower() for host in hosts)

    @app.before_request
    def check_host() -> None:
        name = _host_name(request.host)
        if name not in allowed and not is_loopback(name):
            raise MisdirectedRequest(f"This server does not answer for {name!r}.")

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address can only be reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host_name(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
