"""From a model's name to an encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.embed.models import DEFAULT_ENCODER, packaged_model, verified_folder
from podcast_scraper.embed.onnx import OnnxEncoder, OnnxSpec
from podcast_scraper.embed.prompts import prompts_for

if TYPE_CHECKING:
    from podcast_scraper.embed.encoder import Encoder


def open_encoder(name: str | None = None, *, threads: int = 1) -> Encoder:
    """Return the encoder called ``name``; None is the default, ``pkg:bge-small``.

    ``threads`` is how many documents are encoded at the same time; a query always takes one.
    ``ModelError`` says what is missing and how to get it.
    """
    model = packaged_model(name or DEFAULT_ENCODER, "encoder")
    spec = OnnxSpec(
        name=model.name,
        weights=" ".join(model.files.values()),
        max_tokens=512,
        pooling="cls",
        prompts=prompts_for("bge-small-en-v1.5"),
    )
    return OnnxEncoder(verified_folder(model), spec, threads=threads)
