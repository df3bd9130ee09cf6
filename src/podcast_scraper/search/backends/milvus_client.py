"""A Milvus server, as a URL names it, and calls to it: a deadline, one retry, our own errors."""

from __future__ import annotations

import logging
import re
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from podcast_scraper.errors import ConfigurationError, EngineUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMES: Final = ("milvus+http", "milvus+https")
SEARCH_SECONDS: Final = 2.5
WRITE_SECONDS: Final = 60.0

_DEFAULTS: Final[Mapping[str, str]] = {
    "name": "podcasts",
    "index": "",
    "partitions": "16",
    "shards": "1",
    "replicas": "1",
    "consistency": "Bounded",
    "bm25": "ours",
}
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "consistency": ("Bounded", "Session", "Strong", "Eventually"),
    "bm25": ("ours", "engine"),
}
OLDEST: Final = (2, 4)
_RELEASE: Final = re.compile(r"v?(\d+)\.(\d+)\b.*")
_CONNECT_FAILED: Final = 2  # pymilvus.client.types.Status.CONNECT_FAILED
_SHAPE: Final = "milvus+http://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?name=NAME]"


@dataclass(frozen=True, slots=True)
class MilvusTarget:
    """Where the collections of a corpus are.

    ``name`` begins the names of its collections. ``index`` is the dense index type (empty: HNSW,
    or FLAT where the server has no other); ``partitions``, ``shards`` and ``replicas`` are used
    when collections are made; ``consistency`` is the level of searches; ``bm25`` says whose weights
    are used (:mod:`.sparse_bm25`).
    """

    uri: str
    token: str = ""
    database: str = ""
    name: str = "podcasts"
    index: str = ""
    partitions: int = 16
    shards: int = 1
    replicas: int = 1
    consistency: str = "Bounded"
    bm25: str = "ours"

    @property
    def label(self) -> str:
        """What the follower there is called; holds no password."""
        return f"{self.uri}/{self.database}?name={self.name}"

    @classmethod
    def parse(cls, url: str) -> MilvusTarget:
        """Read ``milvus+http://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?name=…]``.

        Raises ConfigurationError for another scheme, an unknown option or a wrong value.
        """
        try:
            parts = urlsplit(url)
            port = parts.port or 19530
            given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
            options = {**_DEFAULTS, **dict(given)}
            numbers = {key: int(options[key]) for key in ("partitions", "shards", "replicas")}
        except ValueError as error:
            raise _unreadable(url, str(error)) from error
        name = options["name"]
        if parts.scheme not in SCHEMES or not parts.hostname:
            raise _unreadable(url, "it names no Milvus server")
        if unknown := sorted(set(options) - set(_DEFAULTS)):
            raise _unreadable(url, f"{unknown[0]!r} is no option")
        if not (name.isascii() and name.isidentifier() and len(name) <= 100):
            raise _unreadable(url, f"{name!r} is no name for collections")
        for option, choices in _CHOICES.items():
            if options[option] not in choices:
                raise _unreadable(url, f"{option} is one of {', '.join(choices)}")
        if min(numbers.values()) < 1:
            raise _unreadable(url, "numbers begin with 1")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        user = unquote(parts.username or "")
        return cls(
            f"{parts.scheme.removeprefix('milvus+')}://{host}:{port}",
            f"{user}:{unquote(parts.password)}" if parts.password is not None else user,
            parts.path.strip("/"),
            name,
            options["index"],
            **numbers,
            consistency=options["consistency"],
            bm25=options["bm25"],
        )


def _unreadable(url: str, reason: str) -> ConfigurationError:
    # The URL may hold a password: it is not repeated.
    return ConfigurationError(
        f"The URL of the search engine cannot be used: {reason}.",
        mend=f"Write it as {_SHAPE}.",
        subject=urlsplit(url).hostname if "://" in url else None,
    )


class MilvusServer:
    """One server. Thread-safe; it connects with the first call."""

    def __init__(self, target: MilvusTarget) -> None:
        self.target = target
        self._lock = threading.Lock()
        self._client: Any = None

    def call(
        self,
        method: str,
        *arguments: Any,
        seconds: float,
        loading: str | None = None,
        **options: Any,
    ) -> Any:
        """Call a method of ``pymilvus.MilvusClient`` that may be repeated without harm.

        A call that fails is made once more: while a replica of a cluster goes and another takes
        over, single calls fail. Before that, the collection that is called ``loading`` is loaded,
        which a Lite that was started again has not done. Raises EngineUnavailableError.
        """
        try:
            return self._attempt(method, arguments, seconds, options)
        except _Failure as failure:
            if failure.unimplemented:
                raise self._unavailable(failure) from failure.__cause__
        try:
            if loading is not None:
                self._attempt("load_collection", (loading,), seconds, {})
            return self._attempt(method, arguments, seconds, options)
        except _Failure as failure:
            raise self._unavailable(failure) from failure.__cause__

    def require(self) -> None:
        """Raise EngineUnavailableError where it does not answer or knows no sparse vectors."""
        found = _RELEASE.fullmatch(self.version or "")
        if found and (int(found[1]), int(found[2])) < OLDEST:
            raise EngineUnavailableError(
                f"Milvus at {self.target.uri} is {self.version}, which has no sparse vectors.",
                mend=f"Use a server of version {OLDEST[0]}.{OLDEST[1]} or later.",
                subject=self.target.uri,
            )

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    @cached_property
    def version(self) -> str | None:
        """What the server says it is; None where it does not know the question (Lite 2.5)."""
        try:
            return str(self._attempt("get_server_version", (), SEARCH_SECONDS, {}))
        except _Failure as failure:
            if failure.unimplemented:
                return None
            raise self._unavailable(failure) from failure.__cause__

    @property
    def is_complete(self) -> bool:
        """Whether it knows partition keys, aliases and graph indexes, which Lite 2.5 does not.

        Lite 2.5 accepts a partition key and then answers no filter at all.
        """
        return self.version is not None

    @property
    def is_lite(self) -> bool:
        """Whether it is a Milvus Lite of either kind, which searches small sets exactly."""
        return self.version is None or "lite" in self.version

    def _attempt(
        self, method: str, arguments: tuple[Any, ...], seconds: float, options: Mapping[str, Any]
    ) -> Any:
        grpc, exceptions = _driver()
        try:
            return getattr(self._connected(), method)(*arguments, timeout=seconds, **options)
        except exceptions.MilvusException as error:
            if error.code == _CONNECT_FAILED:
                self.close()  # a channel that failed waits ever longer before it looks again
            raise _Failure(str(error.message)) from error
        except grpc.RpcError as error:
            status = error.code()
            raise _Failure(status.name, status is grpc.StatusCode.UNIMPLEMENTED) from error

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                import pymilvus

                # It logs each refused call with its whole traceback, whoever handles it.
                logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
                target = self.target
                self._client = pymilvus.MilvusClient(
                    uri=target.uri,
                    token=target.token,
                    db_name=target.database,
                    timeout=SEARCH_SECONDS,
                    dedicated=True,
                )
            return self._client

    def _unavailable(self, failure: _Failure) -> EngineUnavailableError:
        return EngineUnavailableError(
            f"Milvus at {self.target.uri} does not answer as it should: {failure.reason}.",
            mend="Look whether the server runs and holds this corpus' collections.",
            subject=self.target.uri,
        )


class _Failure(Exception):
    """A call that failed, maybe because the server has no such method."""

    def __init__(self, reason: str, unimplemented: bool = False) -> None:
        super().__init__(reason)
        self.reason = " ".join(reason.split())[:300].rstrip(".")
        self.unimplemented = unimplemented


def _driver() -> tuple[Any, Any]:
    try:
        import grpc
        from pymilvus import exceptions
    except ImportError as error:
        raise ConfigurationError(
            "Searching with Milvus needs pymilvus, which is not installed.",
            mend="Install it with `pip install 'podcast-scraper[milvus]'`.",
            subject="pymilvus",
        ) from error
    return grpc, exceptions
