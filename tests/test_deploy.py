"""The files for deployment name what they use exactly, and open nothing to the world."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"


def compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return content


def test_images_are_pinned() -> None:
    images = [one["image"] for one in compose()["services"].values() if "image" in one]
    images += re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert len(images) == 3
    for image in images:
        # A plain name with a version, and no host before it.
        assert re.fullmatch(r"[a-z]+(/[a-z]+)?:v?\d+\.\d+(\.\d+)?(-[a-z]+)?", image), image


def test_ports_are_open_to_this_machine_alone() -> None:
    ports = [port for one in compose()["services"].values() for port in one.get("ports", ())]
    assert ports == ["127.0.0.1:8910:8910"]


def test_what_is_kept_is_declared_and_secrets_are_not_written() -> None:
    content = compose()
    for name, service in content["services"].items():
        for volume in service.get("volumes", ()):
            source = volume.rpartition("}")[2] if volume.startswith("${") else volume
            source = source.partition(":")[0]
            assert not source or source in content["volumes"], (name, volume)
        for key, value in service.get("environment", {}).items():
            if re.search("PASSWORD|TOKEN", key):
                assert value.startswith("${"), key


def test_commands_exist() -> None:
    from podcast_scraper.cli.main import main

    for service in compose()["services"].values():
        if "build" not in service:
            continue
        command = main.get_command(None, service["command"][0])  # type: ignore[arg-type]
        assert command is not None
        options = {option for one in command.params for option in one.opts}
        if service["command"][0] == "outbox":
            command = command.get_command(None, service["command"][1])  # type: ignore[attr-defined]
            options = {option for one in command.params for option in one.opts}
        for word in service["command"]:
            if word.startswith("--"):
                assert word.partition("=")[0] in options, word
