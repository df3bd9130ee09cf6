"""Bytes of one file to JSON or text, safely: every failure is an :class:`ArtifactError`."""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import ArtifactError

if TYPE_CHECKING:
    from pathlib import Path

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_HUGE_EXPONENT = re.compile(r"\d[eE]\+?\d{3}")


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Bounds of what is read. ``max_bytes`` holds for each file."""

    max_bytes: int = 64 * 1024 * 1024


DEFAULT_LIMITS: Final = ReadLimits()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The JSON value of a file, and what had to be mended to get it, one sentence each."""

    value: Any
    repairs: tuple[str, ...] = ()


def inside(root: Path, path: Path) -> Path:
    """Return the real path of a file under ``root`` (itself resolved).

    Raises:
        ArtifactError: the file does not exist, is no regular file, or lies outside ``root``.
    """
    try:
        real = path.resolve(strict=True)
        mode = real.stat().st_mode
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ArtifactError(f"cannot be opened: {reason}", subject=path) from error
    if not real.is_relative_to(root):
        raise ArtifactError("leads out of the corpus and is not followed", subject=path)
    if not stat.S_ISREG(mode):
        raise ArtifactError("is not a regular file", subject=path)
    return real


def load_bytes(root: Path, path: Path, limits: ReadLimits) -> bytes:
    """Return the content of a file under ``root``, never more than the limit."""
    real = inside(root, path)
    try:
        with real.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            data = stream.read(limits.max_bytes + 1) if size <= limits.max_bytes else None
    except OSError as error:
        raise ArtifactError(f"cannot be read: {error.strerror}", subject=path) from error
    if data is None or len(data) > limits.max_bytes:
        raise ArtifactError(
            f"is larger than the limit of {limits.max_bytes} bytes (it has {size})", subject=path
        )
    return data


def decode(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 and UTF-32 with a byte order mark; the mark is dropped."""
    mark, encoding = next(
        ((mark, name) for mark, name in _BOMS if data.startswith(mark)), (b"", "utf-8")
    )
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise ArtifactError(
            f"is not {encoding.upper()}: {error.reason}",
            position={"offset": error.start + len(mark)},
        ) from error


def parse_json(text: str) -> Loaded:
    """Parse JSON; NaN and infinities become null, lone surrogates U+FFFD, both reported."""
    repairs: dict[str, None] = {}

    def constant(name: str) -> None:
        repairs[f"{name} is not JSON and was read as null"] = None

    def decimal(digits: str) -> float | None:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            constant(digits[:20])
            return None
        return value

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) < len(items):
            uses = Counter(name for name, _ in items)
            doubled = sorted(name for name, count in uses.items() if count > 1)
            repairs[f"the last value of doubled keys was taken: {', '.join(doubled)[:200]}"] = None
        return result

    try:
        value = json.loads(
            text,
            parse_constant=constant,
            parse_float=decimal if _HUGE_EXPONENT.search(text) else None,
            object_pairs_hook=pairs,
        )
        if _SURROGATE_ESCAPE.search(text):
            value, changed = _without_surrogates(value)
            if changed:
                repairs["lone surrogates were replaced by U+FFFD"] = None
    except json.JSONDecodeError as error:
        early = error.pos >= len(text.rstrip())
        raise ArtifactError(
            "is empty"
            if not text.strip()
            else f"is not JSON: {error.msg}" + " (cut short)" * early,
            position={"line": error.lineno, "column": error.colno, "offset": error.pos},
        ) from error
    except RecursionError as error:
        raise ArtifactError("is nested too deeply") from error
    except ValueError as error:  # an integer of more digits than Python converts
        raise ArtifactError(f"holds a number that cannot be read: {error}") from error
    return Loaded(value, tuple(_LONE_SURROGATE.sub("\ufffd", repair) for repair in repairs))


def load_json(root: Path, path: Path, limits: ReadLimits) -> Loaded:
    """Return the JSON value of a file under ``root``.

    Raises:
        ArtifactError: with reason and, where there is one, the position.
    """
    return parse_json(decode(load_bytes(root, path, limits)))


def load_text(root: Path, path: Path, limits: ReadLimits) -> str:
    """Return the decoded text of a file under ``root``; newlines are kept as they are."""
    return decode(load_bytes(root, path, limits))


def _without_surrogates(value: Any) -> tuple[Any, bool]:
    if isinstance(value, str):
        clean = _LONE_SURROGATE.sub("\ufffd", value)
        return clean, clean != value
    if isinstance(value, list):
        cleaned = [_without_surrogates(item) for item in value]
        return [item for item, _ in cleaned], any(changed for _, changed in cleaned)
    if isinstance(value, dict):
        entries = [(_without_surrogates(k), _without_surrogates(v)) for k, v in value.items()]
        return (
            {key: item for (key, _), (item, _) in entries},
            any(key_changed or item_changed for (_, key_changed), (_, item_changed) in entries),
        )
    return value, False
