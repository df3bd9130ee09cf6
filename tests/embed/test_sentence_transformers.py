"""The general door; torch takes seconds to import, hence slow."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from podcast_scraper.embed.cross_encoder import open_cross_encoder
from podcast_scraper.embed.models import PACKAGED, verified_folder
from podcast_scraper.embed.onnx import OnnxEncoder, OnnxSpec
from podcast_scraper.embed.prompts import Prompts
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import ModelError
from tests.embed.sentences import SENTENCES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.model]


def minilm_folder() -> Path:
    return verified_folder(PACKAGED["pkg:minilm"])


def test_minilm_agrees_with_the_library_used_directly() -> None:
    import sentence_transformers

    encoder = open_encoder("pkg:minilm")
    assert (encoder.dimension, encoder.max_tokens) == (384, 256)
    model = sentence_transformers.SentenceTransformer(str(minilm_folder()), device="cpu")
    expected = model.encode(list(SENTENCES), normalize_embeddings=True, show_progress_bar=False)
    np.testing.assert_allclose(encoder.encode_documents(SENTENCES), expected, atol=1e-5)
    np.testing.assert_allclose(encoder.encode_query(SENTENCES[0]), expected[0], atol=1e-5)


# The exporter warns of what torch itself deprecates and of its names for axes.
@pytest.mark.filterwarnings("ignore")
def test_minilm_on_onnxruntime_agrees_with_the_door(tmp_path: Path) -> None:
    _export(minilm_folder(), tmp_path / "model.onnx")
    shutil.copy(minilm_folder() / "tokenizer.json", tmp_path)
    spec = OnnxSpec("minilm-onnx", weights="exported", max_tokens=256, pooling="mean")
    exported = OnnxEncoder(tmp_path, spec).encode_documents(SENTENCES)
    door = open_encoder("pkg:minilm").encode_documents(SENTENCES)
    assert (exported * door).sum(axis=1).min() >= 0.9999


def _export(folder: Path, target: Path) -> None:
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(
        folder, local_files_only=True, attn_implementation="eager"
    ).eval()

    class LastHidden(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            return self.model(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state

    tokens = {1: torch.export.Dim("tokens", min=2, max=256)}
    torch.onnx.export(
        LastHidden().eval(),
        tuple(torch.ones((1, 9), dtype=torch.int64) for _ in range(3)),
        str(target),
        input_names=["input_ids", "attention_mask", "token_type_ids"],
        output_names=["last_hidden_state"],
        dynamic_shapes=(tokens, tokens, tokens),
        external_data=False,
        verbose=False,
        dynamo=True,
    )


def test_a_copy_elsewhere_is_the_same_space_and_other_prompts_are_not(tmp_path: Path) -> None:
    copy = shutil.copytree(minilm_folder(), tmp_path / "copy")
    packaged = open_encoder("pkg:minilm")
    assert open_encoder(str(copy)).fingerprint == packaged.fingerprint
    prompted = open_encoder(str(copy), prompts=Prompts(query="q: "))
    assert prompted.fingerprint != packaged.fingerprint
    np.testing.assert_allclose(
        prompted.encode_query("bees"), packaged.encode_query("q: bees"), atol=1e-6
    )


def test_texts_over_the_limit_are_refused_and_queries_can_be_fitted() -> None:
    encoder = open_encoder("pkg:minilm")
    with pytest.raises(ModelError, match="Text 1 has 302 tokens"):
        encoder.encode_documents(["short", "word " * 300])
    fitted, cut = encoder.fit_query("word " * 300)
    assert cut
    assert encoder.count_tokens(fitted) == 256
    assert encoder.encode_query(fitted).shape == (384,)


def test_a_damaged_folder_is_a_model_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="cannot be loaded"):
        open_encoder(str(tmp_path))


def test_any_sequence_classifier_with_one_label_is_a_cross_encoder(tmp_path: Path) -> None:
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(7)
    tokenizer = AutoTokenizer.from_pretrained(minilm_folder(), local_files_only=True)
    config = BertConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        num_labels=1,
        vocab_size=len(tokenizer),
    )
    model = BertForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path)
    tokenizer.model_max_length = 64
    tokenizer.save_pretrained(tmp_path)
    door = open_cross_encoder(str(tmp_path))
    query, text = "bees in October", "They left the hive."
    with torch.no_grad():
        expected = model(**tokenizer(query, text, return_tensors="pt")).logits.item()
    scores = door.score(query, [text, "word " * 400])
    assert scores[0] == pytest.approx(expected, abs=1e-5)
    assert scores.shape == (2,)
    assert door.score(query, []).shape == (0,)
