from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from podcast_scraper.embed.folders import folder_digest, local_model
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import ModelError


def test_a_local_folder_wins(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert local_model(str(tmp_path), ()) == tmp_path


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"neither config\.json nor modules\.json"):
        open_encoder(str(tmp_path))


@pytest.mark.parametrize("name", ["nobody/no-such-model", "not a name//at all"])
def test_an_uncached_name_fails_with_the_three_choices(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        open_encoder(name)
    text = str(caught.value)
    assert "pkg:bge-small, pkg:minilm" in text
    assert "path of a model's folder" in text
    assert f"hf download {name}" in text


def test_an_uncached_name_fails_without_importing_torch() -> None:
    code = (
        "import sys\n"
        "from podcast_scraper.embed.resolve import open_encoder\n"
        "from podcast_scraper.errors import ModelError\n"
        "try: open_encoder('nobody/no-such-model')\n"
        "except ModelError: print('torch' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    assert done.stdout.strip() == "False"


def test_the_digest_follows_what_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "onnx").mkdir()
    before = folder_digest(tmp_path)
    (tmp_path / "README.md").write_text("new")
    (tmp_path / "onnx" / "weights.bin").write_bytes(b"1")
    assert folder_digest(tmp_path) == before
    (tmp_path / "model.safetensors").write_bytes(b"1")
    changed = folder_digest(tmp_path)
    assert changed != before
    (tmp_path / "model.safetensors").rename(tmp_path / "other.safetensors")
    assert folder_digest(tmp_path) != changed
