"""Embedding: texts to vectors of length one, by a prepared model and onnxruntime; no torch.

Numbers are numpy's: a float32 row for each text.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from ralph_mem.core.errors import RalphMemError

# Texts of like length go through the model together; memory peaks with their number, speed is the same from eight on.
TOGETHER = 8
# A long text is cut into pieces of as many tokens as the model reads; the mean of so many tells what it is about.
MOST_PIECES = 16
LOUD = 4  # what onnxruntime logs to stderr: fatal errors only
AGAIN = "`ralph-mem embeddings setup` prepares it again"


class Embedder:
    """A prepared model, loaded; `model` is as `sense.described` returns it.

    Raises RalphMemError where a file is missing or damaged.
    """

    def __init__(self, model: dict[str, Any]) -> None:
        self.model = model
        self.name = str(model["model"])
        self.dims = int(model["dims"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # the session works beside
        options.log_severity_level = LOUD
        try:
            self.tokenizer = Tokenizer.from_file(f"{model['folder']}/tokenizer.json")
            self.session = onnxruntime.InferenceSession(f"{model['folder']}/model.onnx", options, ["CPUExecutionProvider"])
        except Exception as error:  # both packages raise classes of their own, some of them bare Exception
            what = str(error).partition("\n")[0][:200]
            raise RalphMemError(f"the model {self.name} cannot be loaded: {what}", AGAIN) from error
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(int(model["max_tokens"]))

    def of_query(self, text: str) -> np.ndarray | None:
        """Return the vector of a question, or None for one that has none."""
        return self.embed([self.model.get("query_prompt", "") + text], pieces=1)[0]

    def of_texts(self, texts: Sequence[str]) -> list[np.ndarray | None]:
        """Return the vectors of memories, of a long text the mean of its pieces; None for one that could not be embedded."""
        prompt = self.model.get("document_prompt", "")
        return self.embed([prompt + text for text in texts], pieces=MOST_PIECES)

    def embed(self, texts: Sequence[str], pieces: int) -> list[np.ndarray | None]:
        """Return a vector or None for each text, `pieces` of it at most; the model runs on several at once."""
        # half a character, which no database refuses, stops the tokenizer
        encoded = self.tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        cut = [(number, part) for number, whole in enumerate(encoded) for part in [whole, *whole.overflowing][:pieces]]
        cut.sort(key=lambda one: len(one[1].ids))
        sums: Any = np.zeros((len(texts), self.dims), np.float64)
        for start in range(0, len(cut), TOGETHER):
            batch = cut[start : start + TOGETHER]
            vectors = self.of_tokens([part.ids for _, part in batch])
            for (number, part), vector in zip(batch, vectors, strict=True):
                sums[number] += vector * len(part.ids)
        return [_of_length_one(row) for row in sums]

    def of_tokens(self, ids: list[list[int]]) -> np.ndarray:
        """Return vectors of length one for sequences of tokens."""
        width = max(map(len, ids))
        tokens = np.array([row + [0] * (width - len(row)) for row in ids], np.int64)
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in ids], np.int64)
        (hidden,) = self.session.run(None, {"input_ids": tokens, "attention_mask": mask})
        pooled = hidden[:, 0] if self.model["pooling"] == "cls" else (hidden * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        lengths = np.linalg.norm(pooled, axis=1)[:, None]
        return np.asarray(pooled / np.where(lengths > 0, lengths, 1))


def _of_length_one(vector: np.ndarray) -> np.ndarray | None:
    length = float(np.linalg.norm(vector))
    # a zero vector would be near to everything and to nothing
    return (vector / length).astype(np.float32) if np.isfinite(length) and length > 0 else None
