"""Bytes to JSON: encodings, positions, limits, and what never leaves the corpus."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.artifacts.loading import ReadLimits, decode, load_bytes, load_json, parse_json
from podcast_scraper.errors import ArtifactError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le-bom", "utf-16-be-bom"]
)
def test_marks_are_dropped(encoding: str) -> None:
    marks = {"utf-16-le-bom": b"\xff\xfe", "utf-16-be-bom": b"\xfe\xff"}
    name = encoding.removesuffix("-bom")
    assert decode(marks.get(encoding, b"") + "Añb\r\n".encode(name)) == "Añb\r\n"


def test_wrong_encoding_says_where() -> None:
    with pytest.raises(ArtifactError, match="is not UTF-8") as caught:
        decode("Málaga".encode("latin-1"))
    assert caught.value.position == {"offset": 1}


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ('{"a": 1,\n "b" 2}', "Expecting ':' delimiter", 2, 6),
        ('{"a": [1, 2', r"cut short", 1, 12),
        ("", "is empty", 1, 1),
        ("{} {}", "Extra data", 1, 4),
    ],
)
def test_positions(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(ArtifactError, match=message) as caught:
        parse_json(text)
    position = caught.value.position
    assert position is not None
    assert (position["line"], position["column"]) == (line, column)


def test_nesting_bombs_are_refused() -> None:
    for bomb in ("[" * 200_000, '{"a":' * 200_000):
        with pytest.raises(ArtifactError, match="nested too deeply"):
            parse_json(bomb)


def test_values_that_are_not_json() -> None:
    loaded = parse_json('{"a": NaN, "b": [Infinity, -Infinity], "c": 1e999, "d": 1e300}')
    assert loaded.value == {"a": None, "b": [None, None], "c": None, "d": 1e300}
    assert len(loaded.repairs) == 4
    loaded = parse_json('{"a": 1, "a": 2, "text": "x\\ud800y", "pair": "\\ud83d\\ude00"}')
    assert loaded.value == {"a": 2, "text": "x\ufffdy", "pair": "😀"}
    assert len(loaded.repairs) == 2
    with pytest.raises(ArtifactError, match="number"):
        parse_json("9" * 5000)


def test_the_limit_holds(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.write_bytes(b'"' + b"a" * 98 + b'"')
    assert len(load_bytes(tmp_path, path, ReadLimits(max_bytes=100))) == 100
    with pytest.raises(ArtifactError, match="larger than the limit of 99 bytes"):
        load_bytes(tmp_path, path, ReadLimits(max_bytes=99))


def test_only_regular_files_inside(tmp_path: Path) -> None:
    root = tmp_path / "corpus"
    root.mkdir()
    (tmp_path / "secret.json").write_text("{}")
    (root / "link.json").symlink_to(tmp_path / "secret.json")
    (root / "loop.json").symlink_to(root / "loop.json")
    (root / "folder.json").mkdir()
    os.mkfifo(root / "pipe.json")
    (root / "inner.json").write_text("{}")
    (root / "fine.json").symlink_to(root / "inner.json")
    for name, reason in {
        "link.json": "out of the corpus",
        "../secret.json": "out of the corpus",
        "loop.json": "cannot be opened",
        "absent.json": "cannot be opened",
        "a\0b.json": "cannot be opened",
        "folder.json": "not a regular file",
        "pipe.json": "not a regular file",
    }.items():
        with pytest.raises(ArtifactError, match=reason):
            load_json(root, root / name, ReadLimits())
    assert load_json(root, root / "fine.json", ReadLimits()).value == {}
