"""Compute the stored vectors of all memories that lack them, by the model and by its table."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.embeddings import backlog
from ralph_mem.memory.embeddings.backlog import COUNTER, Item
from ralph_mem.memory.recall import embeddings_client
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import schema
from ralph_mem.memory.store.connection import Store

# Texts of like length go through the model together; memory peaks with their number, speed is the same from eight on.
TEXTS_TOGETHER = 8
# A long text is cut into pieces of as many tokens as the model reads; the mean of so many tells what it is about.
MOST_PIECES = 16
LOUD = 4  # what onnxruntime logs to stderr: fatal errors only
AGAIN = "`ralph-mem embeddings setup` prepares it again"


class Embedder:
    """A prepared model, loaded, as `sense.described` returns it. Raises RalphMemError where a file is missing or damaged."""

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
        for start in range(0, len(cut), TEXTS_TOGETHER):
            batch = cut[start : start + TEXTS_TOGETHER]
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


TOGETHER = 32  # memories of one transaction


class Model(Protocol):
    """What makes vectors: an `embedding.Embedder`, or a stand-in."""

    name: str
    model: dict[str, Any]

    def of_texts(self, texts: Sequence[str]) -> list[np.ndarray | None]:
        """Return a vector of length one for each text, None where that failed."""


def embed_missing(store: Store, embedder: Model, progress: Callable[[int, int], object] = lambda *_: None) -> int:
    """Embed all memories without a vector; returns how many got one; `progress` hears how many, and of how many."""
    numbers, made = backlog.waiting(store, embedder.name), 0
    table = embeddings_client.Table(embedder.model)
    for start in range(0, len(numbers), TOGETHER):
        progress(start, len(numbers))
        found = backlog.items(store, embedder.name, numbers[start : start + TOGETHER])
        made += backlog.keep(store, embedder.name, found, *vectors_of(embedder, table, found))
    progress(len(numbers), len(numbers))
    return made


def vectors_of(
    embedder: Model, table: embeddings_client.Table, items: Sequence[Item]
) -> tuple[list[bytes | None], list[bytes | None]]:
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


def _static(table: embeddings_client.Table, text: str) -> bytes | None:
    """Return the meaning of a text by the table, of length one and as signed bytes."""
    vector = np.array(table.sum_of(embeddings_client.words_of(text)), np.float64)
    length = np.linalg.norm(vector)
    return bytes(np.clip(np.rint(vector / length * embeddings_client.PARTS), -127, 127).astype("i1").tobytes()) if length else None


SHARE = 0.5  # of a neighbour
NEAREST = 100  # what ranking asks for; a hook reads so many numbers in a tenth of a millisecond
FOREVER = 2**62

# What belongs to no session has no neighbours.
ROWS = """
SELECT v.memory_id, v.vector, m.created_at, coalesce(m.session_id, -m.id), m.seq
FROM vectors AS v JOIN ({memories}) AS m ON m.id = v.memory_id
WHERE v.model = ? AND length(v.vector) = ? ORDER BY 4, 5, 1"""


class Matrix:
    """The vectors of one model in one database, as they were when it was read; `stamp` says when."""

    def __init__(self, store: Store, model: dict[str, Any]) -> None:
        schema.make(store, "vectors")
        self.stamp = stamp(store)
        rows = store.execute(ROWS.format(memories=kinds.memories(store)), (model["model"], 2 * model["dims"])).fetchall()
        raw = np.frombuffer(b"".join([row[1] for row in rows]), "<f2").astype(np.float32).reshape(len(rows), model["dims"])
        sound = np.isfinite(raw).all(axis=1)  # a flipped bit makes infinity of a number
        self.vectors = raw[sound]
        kept = [row for row, good in zip(rows, sound, strict=True) if good]
        self.numbers = np.array([row[0] for row in kept], np.int64)
        self.at = np.array([row[2] for row in kept], np.int64)
        session = np.array([row[3] for row in kept], np.int64)
        self.follows = np.concatenate([[False], session[1:] == session[:-1]]) if kept else np.zeros(0, bool)
        self.beside = _products(self.vectors, 1)
        self.across = _products(self.vectors, 2)
        self.latest = int(self.at.max(initial=0))
        self.now: tuple[Any, ...] | None = None
        self.now = self._as_of(FOREVER)

    def near(self, vector: np.ndarray, most: int = NEAREST, until: int = FOREVER) -> dict[int, float]:
        """Return the nearest memories by number with their cosines, nearest first.

        Only those count that were made before `until`, in milliseconds.
        """
        known, before, after, lengths = self._as_of(until)
        own = self.vectors @ vector
        scores = own + SHARE * (before * np.roll(own, 1) + after * np.roll(own, -1))
        scores = np.where(known, scores / lengths, -2)
        most = min(most, int(known.sum()))
        best = np.argpartition(-scores, most - 1)[:most] if 0 < most < len(scores) else np.flatnonzero(known)
        best = best[np.argsort(-scores[best], kind="stable")]
        return {int(self.numbers[at]): float(scores[at]) for at in best}

    def _as_of(self, until: int) -> tuple[Any, ...]:
        """Return what is known at a time: which rows, which have a neighbour before and after them, how long each is with those."""
        if self.now is not None and until > self.latest:
            return self.now
        known = self.at < until
        before = self.follows & np.roll(known, 1)
        after = np.roll(self.follows & known, -1)
        return known, before, after, self._lengths(before, after)

    def _lengths(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return how long a vector with its neighbours' halves is, from the products of the three."""
        single = 1 + SHARE**2 * (before.astype(np.float32) + after)
        double = 2 * SHARE * (before * self.beside + after * np.roll(self.beside, -1))
        triple = 2 * SHARE**2 * (before & after) * np.roll(self.across, -1)
        return np.asarray(np.sqrt(np.maximum(single + double + triple, 1e-6)))


def _products(vectors: np.ndarray, apart: int) -> np.ndarray:
    """Return the product of each row with the one so many rows before it, 0 where there is none."""
    found: Any = np.zeros(len(vectors), np.float32)
    found[apart:] = np.einsum("ij,ij->i", vectors[apart:], vectors[:-apart]) if len(vectors) > apart else 0
    return np.asarray(found)


def stamp(store: Store) -> tuple[object, ...]:
    """Return what changes whenever vectors or memories come or go: forgetting rewrites the file and so counts up the schema."""
    counter = store.one("SELECT value FROM properties WHERE key = ?", (COUNTER,))
    return (*store.one("PRAGMA schema_version"), counter, *store.one("SELECT count(*), max(id) FROM memories"))


MOST_QUERIES = 4096  # a benchmark asks the same in several modes


class LocalSense(embeddings_client.Sense):
    """As `Sense`, with exact answers at any time. Raises RalphMemError without a model, or where its files are damaged."""

    __slots__ = ("asked", "embedder", "matrices")

    def __init__(self) -> None:
        model = embeddings_client.described()
        if not model:
            raise RalphMemError("no embeddings are set up", "`ralph-mem embeddings setup` prepares a model")
        super().__init__(model)
        self.embedder = Embedder(model)
        self.matrices: dict[str, Matrix] = {}
        self.asked: dict[str, np.ndarray | None] = {}

    def near(self, store: Store, query: str, most: int = NEAREST, until: int = FOREVER) -> dict[int, float]:
        """Return the nearest memories by number with their cosines, nearest first.

        Only those count that were made before `until`, in milliseconds.
        """
        vector = self._vector(embeddings_client.shortened(query))
        matrix = self.matrices.get(store.folder)
        if matrix is None or matrix.stamp != stamp(store):
            matrix = self.matrices[store.folder] = Matrix(store, self.model)
        return {} if vector is None else matrix.near(vector, most, until)

    def _vector(self, query: str) -> np.ndarray | None:
        if query not in self.asked:
            if len(self.asked) >= MOST_QUERIES:
                self.asked.clear()
            self.asked[query] = self.embedder.of_query(query) if query.strip() else None
        return self.asked[query]
