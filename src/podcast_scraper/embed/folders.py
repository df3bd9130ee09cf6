"""Where the files of a model lie that is named by a folder or a hub name; never the network."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from podcast_scraper.errors import ModelError

_HASHED: Final = frozenset({".json", ".safetensors", ".bin", ".txt", ".model"})
# Copies of the weights for other runtimes, which are not loaded.
_OTHER_RUNTIMES: Final = frozenset({"onnx", "openvino"})
_ORGANISATIONS: Final = ("", "sentence-transformers/", "cross-encoder/")


def local_model(name: str, packaged: tuple[str, ...]) -> Path:
    """Return the folder of a model: a local folder, else the cached snapshot of a hub name.

    The name of an organisation may be left out for those that publish with sentence-transformers.
    ``ModelError`` lists the three ways to a model, ``packaged`` being the first. Takes milliseconds
    and imports no torch.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
            raise ModelError(
                f"The folder {name} holds no model: it has neither config.json nor modules.json.",
                mend="Name a folder that sentence-transformers can load.",
                subject=name,
            )
        return folder
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    for organisation in _ORGANISATIONS:
        try:
            found = try_to_load_from_cache(organisation + name, "config.json")
        except HFValidationError:
            break
        if isinstance(found, str):
            return Path(found).parent
    raise ModelError(
        f"The model {name!r} is neither a folder nor cached on this machine,"
        " and nothing is downloaded.",
        mend=(
            f"Choose one of: (1) a packaged model: {', '.join(packaged)};"
            " (2) the path of a model's folder;"
            f" (3) this name, after `hf download {name}` on a machine that is online."
        ),
        subject=name,
    )


def folder_digest(folder: Path) -> str:
    """Return the SHA-256 over the names and contents of the files that a model is loaded from."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.suffix not in _HASHED or not path.is_file():
            continue
        if relative.parts[0] in _OTHER_RUNTIMES:
            continue
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        total.update(f"{relative.as_posix()}\0{digest}\n".encode())
    return total.hexdigest()
