"""One ONNX transformer and its tokenizer on onnxruntime: token ids in, the first output out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.embed.tokens import TextTokenizer
from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Encoding


class OnnxModel:
    """A loaded model. Runs one text (or one pair) at a time, on one thread a call.

    A dynamically quantised model scales its activations by the whole batch, so that padding and
    company change a vector; alone, a text always gives the same one. For passages that is no slower
    than batches (``benchmarks/encode.py`` measures both). Calls may run in parallel.
    """

    def __init__(self, folder: Path, name: str) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self.tokens = TextTokenizer(Tokenizer.from_file(str(folder / "tokenizer.json")))
            self._session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        # Neither library has an error class of its own that covers a damaged file.
        except Exception as error:
            raise ModelError(
                f"The model {name} cannot be loaded: {error}", subject=folder
            ) from error
        self.name = name
        self._inputs = {node.name for node in self._session.get_inputs()}
        self.output_width: int = self._session.get_outputs()[0].shape[-1]

    def run(self, encoding: Encoding) -> NDArray[np.float32]:
        """Return the model's first output for one encoding, without the batch axis."""
        feed = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        run: Callable[..., Any] = self._session.run
        try:
            output = run(None, {key: feed[key] for key in feed if key in self._inputs})[0]
        except Exception as error:
            raise ModelError(f"The model {self.name} failed: {error}", subject=self.name) from error
        return np.asarray(output[0], dtype=np.float32)
