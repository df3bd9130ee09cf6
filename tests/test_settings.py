"""``podcast-scraper.yaml``: what is read, what is refused, and where each value came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.config import RescueConfig
from podcast_scraper.search.rescue.settings import full_block
from podcast_scraper.settings import (
    FILE_NAME,
    STORE_VARIABLE,
    Settings,
    config_of,
    load_settings,
    resolve,
    write_settings,
)

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str) -> Path:
    path = folder / "podcast-scraper.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_corpus_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == Settings()
    assert config_of(resolve(Settings())) == RescueConfig(budget=10_000)


@pytest.mark.parametrize("text", ["", "# nothing\n", "retrieval:\n"])
def test_files_without_the_block_keep_loading(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    assert not load_settings(tmp_path).retrieval


def test_the_full_block_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.yaml"
    write_settings(path, full_block())
    first = path.read_bytes()
    assert load_settings(None, path).retrieval == full_block()
    write_settings(path, full_block())
    assert path.read_bytes() == first


def test_flag_before_file_before_calibrated_before_default(tmp_path: Path) -> None:
    write(
        tmp_path,
        "retrieval:\n  gate: {low_agreement: 0.2}\n  select: {selector: coe, coe_budget: 5}\n",
    )
    resolved = resolve(
        load_settings(tmp_path),
        calibrated={"low_confidence": 0.44, "low_agreement": 0.1},
        flags={"graph_mode": "force"},
    )
    values = {one.key: (one.value, one.origin) for one in resolved}
    assert values["graph_mode"] == ("force", "flag")
    assert values["low_agreement"] == (0.2, "file")
    assert values["low_confidence"] == (0.44, "calibrated")
    assert values["budget"] == (5, "file")
    assert values["pool_k"] == (100, "default")
    assert config_of(resolved).selector == "coe"


def test_the_budget_shown_is_the_one_in_force() -> None:
    values = {one.key: one for one in resolve(Settings(), flags={"selector": "coe"})}
    assert (values["budget"].value, values["budget"].origin) == (16_000, "default")


@pytest.mark.parametrize(
    "text",
    [
        "retrieval: {graph: {mod: auto}}",
        "retrieval: {graf: {mode: auto}}",
        "retreival: {}",
        "retrieval: [1]",
        "- 1",
        "retrieval: {graph: {mode: sometimes}}",
        "a: [",
    ],
)
def test_typos_are_errors(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigurationError):
        load_settings(tmp_path)


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_settings(tmp_path, tmp_path / "absent.yaml")


def test_the_store_is_read_kept_and_overridden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    path = tmp_path / FILE_NAME
    assert load_settings(tmp_path).store is None
    path.write_text("store: postgresql+psycopg://me@here/it\n")
    write_settings(path, full_block())
    assert load_settings(tmp_path).store == "postgresql+psycopg://me@here/it"
    assert load_settings(tmp_path).retrieval == full_block()
    monkeypatch.setenv(STORE_VARIABLE, "postgresql+psycopg://me@there/it")
    assert load_settings(tmp_path).store == "postgresql+psycopg://me@there/it"
    path.write_text("store: [1]\n")
    with pytest.raises(ConfigurationError, match="no URL"):
        load_settings(tmp_path)
