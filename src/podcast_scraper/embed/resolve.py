"""From a model's name to an encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.embed.folders import local_model
from podcast_scraper.embed.models import (
    DEFAULT_ENCODER,
    PACKAGED,
    packaged_model,
    verified_folder,
)
from podcast_scraper.embed.onnx import OnnxEncoder, OnnxSpec
from podcast_scraper.embed.prompts import prompts_for

if TYPE_CHECKING:
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.embed.prompts import Prompts


def open_encoder(
    name: str | None = None, *, threads: int = 1, prompts: Prompts | None = None
) -> Encoder:
    """Return the encoder called ``name``; None is the default, ``pkg:bge-small``.

    Names are tried as: ``pkg:…`` (packaged), ``openai:MODEL@URL`` (a remote endpoint, the only one
    that uses the network), a local folder, a hub name that is cached on this machine. ``threads``
    is how many documents are encoded at the same time; a query of a packaged model takes one.
    ``prompts`` replaces those of a folder or hub name. ``ModelError`` says what is missing and how
    to get it.
    """
    name = name or DEFAULT_ENCODER
    if name.startswith("pkg:"):
        model = packaged_model(name, "encoder")
        folder = verified_folder(model)
        if "model.onnx" in model.files:
            spec = OnnxSpec(
                name=name,
                weights=" ".join(model.files.values()),
                max_tokens=512,
                pooling="cls",
                prompts=prompts_for("bge-small-en-v1.5"),
            )
            return OnnxEncoder(folder, spec, threads=threads)
    elif name.startswith("openai:"):
        from podcast_scraper.embed.remote import RemoteEncoder

        return RemoteEncoder.from_name(name)
    else:
        packaged = tuple(m.name for m in PACKAGED.values() if m.role == "encoder")
        folder = local_model(name, packaged)
    from podcast_scraper.embed.sentence_transformers import SentenceTransformersEncoder

    return SentenceTransformersEncoder(folder, name, prompts=prompts, threads=threads)
