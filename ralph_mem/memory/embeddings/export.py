"""Write a model of sentence-transformers as an ONNX file; needs torch, once."""

import json
import logging
import warnings
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of packages about each other
    import torch
    from huggingface_hub import try_to_load_from_cache
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as loud

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.embeddings import models
from ralph_mem.memory.embeddings.models import DEFAULT
from ralph_mem.memory.embeddings.vectors import Embedder

OF_THE_SYSTEM = "(os error "  # the tokenizer raises a bare Exception where it cannot write
OPSET = 17  # understood by every onnxruntime since 2022
LIKE_THE_ORIGINAL = 0.999
# Short, long, of several scripts, and beyond what one run reads.
PROBES = (
    "lamp",
    "Why does the price list show negative totals?",
    "def total(rows): return sum(row.price for row in rows)",
    "Der Zähler läuft rückwärts; \u6642\u9593\u5e2f \u0432\u0440\u0435\u043c\u044f",
    "the build broke again, and nobody knows which commit it was " * 6,
)
OTHER_KIND = "of a kind that cannot be prepared; one that pools by mean or by its first token can"

# `pooling` is mean or cls; prompts are what the model wants before a question and before a text.
Loaded = namedtuple("Loaded", "model pooling max_tokens dims query_prompt document_prompt")


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what the packages say about their own affairs from the terminal; what goes wrong is raised."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    loud.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            logging.disable(before)


def is_cached(name: str) -> bool:
    """Say whether the packages have fetched a model before; a name without a slash is one of sentence-transformers' own."""
    try:
        names = [name] if "/" in name else [name, f"sentence-transformers/{name}"]
        return any(isinstance(try_to_load_from_cache(each, "config.json"), str) for each in names)
    except ValueError:  # no name that a model can have
        return False


def load(source: str, fetch: bool) -> Loaded:
    """Load a model by its name or folder; only with `fetch` from the network. Raises RalphMemError."""
    try:
        with quiet():
            model = SentenceTransformer(source, device="cpu", local_files_only=not fetch)
    except Exception as error:  # what a broken or missing model raises differs from release to release
        what = str(error).strip().partition("\n")[0][:160]
        raise RalphMemError(
            f"the model {source} cannot be loaded: {what}", "is the name right, or the folder that of a model?"
        ) from error
    kinds = [type(part).__name__ for part in model]
    pooling = getattr(model[1], "pooling_mode", "") if len(kinds) > 1 else ""
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]) or pooling not in ("mean", "cls"):
        raise RalphMemError(f"the model {source} is {OTHER_KIND}", f"another one may work; {DEFAULT} does")
    prompts = {name: prompt or "" for name, prompt in (model.prompts or {}).items()}
    dims = int(model.get_embedding_dimension())
    longest = int(model.max_seq_length or model.tokenizer.model_max_length)
    return Loaded(model, pooling, longest, dims, prompts.get("query", ""), prompts.get("document", ""))


class _Hidden(torch.nn.Module):  # type: ignore[misc]  # without torch it is anything
    """The transformer alone, with what it needs by position and what it says of each token as its one answer."""

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the hidden state of each token."""
        hidden: torch.Tensor = self.inner(input_ids=input_ids, attention_mask=attention_mask)[0]
        return hidden


def write(loaded: Loaded, folder: Path) -> None:
    """Write `model.onnx` and `tokenizer.json`. Raises RalphMemError where the model cannot be exported."""
    names = ("input_ids", "attention_mask")
    try:
        with quiet(), torch.no_grad():
            given = loaded.model.tokenizer(
                ["two texts", "of unlike length, so that nothing is fixed"], padding=True, return_tensors="pt"
            )
            torch.onnx.export(
                _Hidden(loaded.model[0].auto_model).eval(),
                tuple(given[name] for name in names),
                str(folder / "model.onnx"),
                input_names=list(names),
                output_names=["hidden"],
                dynamic_axes={name: {0: "texts", 1: "tokens"} for name in (*names, "hidden")},
                opset_version=OPSET,
                dynamo=False,
            )
        loaded.model.tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    except Exception as error:  # torch raises classes of its own for what it cannot trace
        if isinstance(error, OSError) or OF_THE_SYSTEM in str(error):
            raise models.not_writable(error) from error
        what = str(error).strip().partition("\n")[0][:160]
        raise RalphMemError(
            f"the model cannot be exported: {what}", "another model may work; the default is all-MiniLM-L6-v2"
        ) from error


def check(loaded: Loaded, embedder: Embedder) -> float:
    """Return how like the original the exported model answers, the worst of several texts. Raises RalphMemError below .999."""
    with quiet():
        wanted = loaded.model.encode(list(PROBES), normalize_embeddings=True, show_progress_bar=False)
    found = embedder.embed(PROBES, pieces=1)
    worst = min(float(np.dot(one, other)) if other is not None else 0.0 for one, other in zip(wanted, found, strict=True))
    if not worst >= LIKE_THE_ORIGINAL:
        raise RalphMemError(f"the exported model does not answer as the original does (cosine {worst:.4f})", "choose another model")
    return worst


def habits(folder: Path) -> dict[str, bool]:
    """Return what the tokenizer does to letters before it looks them up: makes them small, takes their accents off."""
    steps = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8")).get("normalizer") or {}
    kinds = {step.get("type") for step in [steps, *steps.get("normalizers", [])]}
    lower = bool(steps.get("lowercase")) or "Lowercase" in kinds
    accents = steps.get("strip_accents")  # of a BERT: where nothing is said, as it does with capitals
    strip = "StripAccents" in kinds or (lower and "BertNormalizer" in kinds if accents is None else bool(accents))
    return {"lower": lower, "strip": strip}
