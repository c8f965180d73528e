"""Vectors: what is stored of the meaning of a memory, by the model and by its table, for all memories that lack it."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ralph_mem.core import sense
from ralph_mem.core.store import Store
from ralph_mem.semantic import backlog
from ralph_mem.semantic.backlog import Item

TOGETHER = 32  # memories of one transaction


class Model(Protocol):
    """What makes vectors: an `embedding.Embedder`, or a stand-in."""

    name: str
    model: dict[str, Any]

    def of_texts(self, texts: Sequence[str]) -> list[np.ndarray | None]:
        """Return a vector of length one for each text, None where that failed."""


def embed_missing(store: Store, embedder: Model, progress: Callable[[int, int], object] = lambda *_: None) -> int:
    """Embed all memories that have no vector by this model; returns how many got one.

    `progress` hears how many are done, and of how many. What is kept stays kept, whatever happens then.
    """
    numbers, made = backlog.waiting(store, embedder.name), 0
    table = sense.Table(embedder.model)
    for start in range(0, len(numbers), TOGETHER):
        progress(start, len(numbers))
        found = backlog.items(store, embedder.name, numbers[start : start + TOGETHER])
        made += backlog.keep(store, embedder.name, found, *vectors_of(embedder, table, found))
    progress(len(numbers), len(numbers))
    return made


def vectors_of(embedder: Model, table: sense.Table, items: Sequence[Item]) -> tuple[list[bytes | None], list[bytes | None]]:
    """Return what is stored of items: the model's vectors and the table's, None for what could not be made."""
    whole = _tried(embedder, [item.text for item in items])
    return [_halved(vector) for vector in whole], [_static(table, item.text) for item in items]


def _tried(embedder: Model, texts: Sequence[str]) -> list[np.ndarray | None]:
    """Embed texts together, and one by one where that fails: one that breaks the model must not take the others along."""
    try:
        return embedder.of_texts(texts)
    except Exception:  # noqa: BLE001 - whatever a model raises, the memory is marked as tried
        return [None] if len(texts) == 1 else [_tried(embedder, [text])[0] for text in texts]


def _halved(vector: np.ndarray | None) -> bytes | None:
    if vector is None or not np.isfinite(vector).all() or not np.any(vector):
        return None
    return bytes(np.asarray(vector, "<f2").tobytes())


def _static(table: sense.Table, text: str) -> bytes | None:
    """Return the meaning of a text by the table, of length one and as signed bytes."""
    vector = np.array(table.sum_of(sense.words_of(text)), np.float64)
    length = np.linalg.norm(vector)
    return bytes(np.clip(np.rint(vector / length * sense.PARTS), -127, 127).astype("i1").tobytes()) if length else None
