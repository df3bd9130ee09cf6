"""context, init, retrieval-config, calibrate and export, as a user runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.cli.test_commands import answer, call

if TYPE_CHECKING:
    from pathlib import Path

WHY = "why did the bus change the town"


def test_context_has_the_documented_shape(sample_path: Path) -> None:
    made = answer("context", sample_path, WHY, "--selector", "coe", "--budget", 300, "--json")
    assert made.keys() >= {"selector", "budget", "tokens", "passages", "gate"}
    assert (made["selector"], made["budget"]) == ("coe", 300)
    assert made["passages"][0].keys() >= {"id", "text", "tokens", "rescued"}
    assert made["gate"].keys() >= {"mode", "fired", "reasons", "vetoed_by", "auto"}
    shown = call("context", sample_path, WHY, "--budget", 300, "--markdown")
    assert shown.exit_code == 0
    assert shown.stdout.startswith(f"# {WHY}")
    assert call("context", sample_path, WHY, "--markdown", "--json").exit_code == 2
    assert call("context", sample_path, WHY, "--selector", "none", "--budget", 1).exit_code == 2


def test_init_writes_the_block_and_what_flags_say(tmp_path: Path) -> None:
    assert call("init", tmp_path, "--yes").exit_code == 0
    path = tmp_path / "podcast-scraper.yaml"
    first = path.read_bytes()
    assert set(yaml.safe_load(first)["retrieval"]) == {"graph", "expand", "select"}
    assert call("init", tmp_path, "--yes").exit_code == 2
    assert call("init", tmp_path, "--yes", "--force").exit_code == 0
    assert path.read_bytes() == first
    flags = ["--graph-mode", "off", "--coe-budget", "9", "--relation-cues", "why", "--pool-k", "50"]
    assert call("init", tmp_path, "--yes", "--force", *flags).exit_code == 0
    block = yaml.safe_load(path.read_text())["retrieval"]
    assert (block["graph"]["mode"], block["select"]["coe_budget"]) == ("off", 9)
    assert block["gate"] == {"relation_cues": ["why"]}
    assert block["advanced"] == {"pool_k": 50}
    assert call("init", tmp_path, "--yes", "--force", "--low-agreement", "0.9").exit_code == 2


def test_retrieval_config_prints_value_and_origin(tiny: Path, tmp_path: Path) -> None:
    before = answer("retrieval-config", tiny, "--json")
    assert len(before) == 24
    assert before["low_confidence"] == {"value": 0.6, "origin": "default"}
    call("index", tiny)
    assert answer("retrieval-config", tiny, "--json")["low_confidence"]["origin"] == "calibrated"
    file = tmp_path / "own.yaml"
    file.write_text("retrieval: {gate: {low_confidence: 0.1}}")
    shown = answer("retrieval-config", tiny, "-c", file, "--json")
    assert shown["low_confidence"] == {"value": 0.1, "origin": "file"}
    assert "rescue_cap" in call("retrieval-config", tiny).stdout


def test_settings_of_a_corpus_are_in_force(tiny: Path, tmp_path: Path) -> None:
    call("index", tiny)
    call("init", tiny, "--yes", "--graph-mode", "off")
    assert answer("search", tiny, "why looms", "--json")["gate"]["mode"] == "off"
    forced = answer("search", tiny, "why looms", "--graph", "force", "--json")["gate"]
    assert (forced["mode"], forced["fired"]) == ("force", True)
    file = tmp_path / "own.yaml"
    file.write_text("retrieval: {graph: {mode: auto}}")
    assert answer("search", tiny, "why looms", "-c", file, "--json")["gate"]["mode"] == "auto"
    (tiny / "podcast-scraper.yaml").write_text("retrieval: {grph: {}}")
    assert call("search", tiny, "loom").exit_code == 2


def test_calibrate_with_own_queries(tiny: Path, tmp_path: Path) -> None:
    call("index", tiny)
    file = tmp_path / "queries.txt"
    file.write_text("faster loom\n\nweaving algebra\n")
    found = answer("calibrate", tiny, "--queries", file, "--json")
    assert (found["queries"], found["source"]) == (2, "queries.txt")
    gate = answer("search", tiny, "loom", "--json")["gate"]
    assert gate["confidence_threshold"] == found["low_confidence"]
    assert "low_confidence" in call("calibrate", tiny).stdout


def test_export_graph(tiny: Path, tmp_path: Path) -> None:
    call("index", tiny)
    written = answer("export", "graph", tiny, tmp_path / "out", "--json")
    assert set(written["rows"]) == {path.name for path in (tmp_path / "out").iterdir()}
    assert all(rows > 0 for rows in written["rows"].values())


@pytest.mark.parametrize("command", ["context", "calibrate", "export", "init", "retrieval-config"])
def test_help(command: str) -> None:
    assert call(command, "--help").exit_code == 0
