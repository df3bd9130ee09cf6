"""Servers of search engines for tests, each from its own environment in ``.engines``.

``tasks.py engines`` makes the environments; where one is absent, its tests skip and say so.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENGINES = Path(__file__).resolve().parents[1] / ".engines"
LITE_32 = "Milvus Lite 3.2.2"
LITE_25 = "Milvus Lite 2.5.1 (C++ core)"
OWN_SERVER = "Milvus at MILVUS_URI"

_KINDS = (LITE_32, LITE_25, *([OWN_SERVER] if "MILVUS_URI" in os.environ else []))
MILVUS = [pytest.param(kind, marks=pytest.mark.engines(kind)) for kind in _KINDS]

START_SECONDS = 60

_NUMBERS = itertools.count(1)


class Server:
    """A server process on a port of the loopback interface, over a directory of data."""

    def __init__(self, command: Sequence[str], port: int, log: Path) -> None:
        self.port = port
        self.uri = f"http://127.0.0.1:{port}"
        self._command = command
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        environment = {**os.environ, "LD_LIBRARY_PATH": str(Path(self._command[0]).parent)}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, env=environment)
        until = time.monotonic() + START_SECONDS
        while not _takes_connections(self.port):
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{self._command[0]} did not start: {self._log.read_text()}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)

    def kill(self) -> None:
        """End it with SIGKILL, as a machine that loses power would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None


def lite_32(directory: Path) -> Server:
    """Return Milvus Lite 3.2, not started; skips where it is not installed."""
    program = ENGINES / "lite32" / "bin" / "milvus-lite"
    _need(program, LITE_32)
    port = free_port()
    options = ["--data-dir", str(directory / "data"), "--host", "127.0.0.1", "--port", str(port)]
    return Server([str(program), "server", *options], port, directory / "log")


def lite_25(directory: Path) -> Server:
    """Return the C++ core of Milvus Lite 2.5, not started; skips where it is not installed."""
    found = sorted((ENGINES / "lite25").glob("lib/python*/site-packages/milvus_lite/lib/milvus"))
    program = found[0] if found else ENGINES / "lite25"
    _need(program, LITE_25)
    port = free_port()
    command = [str(program), str(directory / "data.db"), f"127.0.0.1:{port}", "ERROR"]
    return Server(command, port, directory / "log")


@contextlib.contextmanager
def served(name: str, directory: Path) -> Iterator[str]:
    """Give the URL of a Milvus of that name, as settings write it; skips where there is none."""
    if name == OWN_SERVER:
        yield f"milvus+{os.environ['MILVUS_URI']}"
        return
    with running({LITE_32: lite_32, LITE_25: lite_25}[name](directory)) as server:
        yield f"milvus+{server.uri}"


def named(url: str) -> str:
    """Return a URL with a name for collections that no other test uses."""
    return f"{url}?name=test{os.getpid()}_{next(_NUMBERS)}"


def remove_collections(url: str) -> None:
    """Remove the collections at the URL that :func:`named` gave, and their aliases."""
    from pymilvus import MilvusClient

    address, _, name = url.removeprefix("milvus+").partition("?name=")
    client = MilvusClient(address)
    for collection in client.list_collections():
        if collection.startswith(f"{name}_"):
            with contextlib.suppress(Exception):  # Lite 2.5 knows no aliases
                for alias in client.list_aliases(collection)["aliases"]:
                    client.drop_alias(alias)
            client.drop_collection(collection)
    client.close()


@contextlib.contextmanager
def running(server: Server) -> Iterator[Server]:
    """Start a server and end it."""
    server.start()
    try:
        yield server
    finally:
        server.kill()


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _need(program: Path, name: str) -> None:
    if not program.is_file():
        pytest.skip(f"{name} is not installed: python3 tasks.py engines")


def _takes_connections(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
