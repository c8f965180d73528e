"""Preparation: what `ralph-mem embeddings setup` does once for a model: load, export, hold against the original, distil."""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ralph_mem.core import sense
from ralph_mem.semantic import distillation, export, place
from ralph_mem.semantic.embedding import Embedder

METHOD = 1  # of the distillation: another one makes other vectors, and so another model
IDLE_S = 60

Tell = Callable[[str, int, int], object]


def is_here(name: str) -> bool:
    """Say whether a model can be loaded without fetching anything."""
    return place.source_of(name) != name or Path(name).is_dir() or export.is_cached(name)


def prepare(name: str, fetch: bool = False, idle_s: int = IDLE_S, tell: Tell = lambda *_: None) -> dict[str, Any]:
    """Prepare a model and put it in force; returns what `sense.described` will return from now on.

    `tell` hears each step, how much of it is done, and of how much. Raises RalphMemError; what was in force stays then.
    """
    draft = place.draft()
    try:
        model = _make(name, fetch and not is_here(name), draft, tell) | {"python": sys.executable, "idle_seconds": idle_s}
        place.put_in_force(draft, model)
    except OSError as error:
        raise place.not_writable(error) from error
    finally:
        place.discard(draft)
    return sense.described()


def _make(name: str, fetch: bool, draft: Path, tell: Tell) -> dict[str, Any]:
    tell("loading the model", 0, 1)
    loaded = export.load(place.source_of(name), fetch)
    label = Path(name).name
    model: dict[str, Any] = {
        "model": f"{label}@{_fingerprint(loaded)}", "name": name, "folder": "", "dims": loaded.dims,
        "static_dims": min(distillation.DIMS, loaded.dims), "max_tokens": loaded.max_tokens, "pooling": loaded.pooling,
        "query_prompt": loaded.query_prompt, "document_prompt": loaded.document_prompt,
    }  # fmt: skip
    tell("exporting it", 0, 1)
    export.write(loaded, draft)
    model |= export.habits(draft)
    embedder = Embedder({**model, "folder": str(draft)})
    tell("holding it against the original", 0, 1)
    model["likeness"] = round(export.check(loaded, embedder), 6)
    model["tokens"] = distillation.write(embedder, draft, lambda done, total: tell("distilling its tokens", done, total))
    return model | {"folder": "".join(char if char.isalnum() or char in ".-" else "-" for char in model["model"]).lstrip(".")}


def _fingerprint(loaded: export.Loaded) -> str:
    """Return what is another for every model that makes other vectors."""
    found = hashlib.sha256(repr((METHOD, loaded[1:])).encode())
    for name, values in sorted(loaded.model.state_dict().items()):
        found.update(name.encode())
        found.update(values.contiguous().numpy().tobytes())
    found.update(loaded.model.tokenizer.backend_tokenizer.to_str().encode())
    return found.hexdigest()[:8]
