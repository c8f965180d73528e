"""Prepare a model once by loading, exporting, checking and distilling it."""

import hashlib
import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ralph_mem.memory.embeddings import export, models
from ralph_mem.memory.embeddings.vectors import Embedder
from ralph_mem.memory.recall import embeddings_client
from ralph_mem.memory.recall.embeddings_client import INNER

# Chosen on the development sets, LoCoMo recall at ten as two fifths of a sum with the words: 128 dimensions .722, all 384
# .726. Weights of the project's own rows instead of the vocabulary's order bring .726, and would have to be counted anew.
DIMS = 128
SHARED = 1  # directions taken out: 0 to 3 differ by less than .003
LARGEST = 99.99  # percentile of the components that a signed byte can hold
BATCH = 256
# What stands for the beginning of a word in the vocabularies of the usual tokenizers.
BEGINNINGS = ("\u2581", "\u0120")


def write(embedder: Embedder, folder: Path, tell: Callable[[int, int], object]) -> int:
    """Write `static.db`; returns how many tokens it holds. `tell` hears how many are done, and of how many."""
    tokens = vocabulary(json.loads((folder / "tokenizer.json").read_text(encoding="utf-8")), embedder)
    alone = []
    for start in range(0, len(tokens), BATCH):
        tell(start, len(tokens))
        alone.append(_alone(embedder, [number for _, number in tokens[start : start + BATCH]]))
    vectors = np.concatenate(alone)
    small = reduced(vectors) * weights([token for token, _ in tokens])[:, None]
    scale = 127 / max(float(np.percentile(np.abs(small), LARGEST)), 1e-9)
    rows = np.clip(np.rint(small * scale), -127, 127).astype("i1")
    _store(folder / "static.db", [(token, row.tobytes()) for (token, _), row in zip(tokens, rows, strict=True)])
    return len(tokens)


def vocabulary(described: dict[str, object], embedder: Embedder) -> list[tuple[str, int]]:
    """Return the tokens with a letter or digit and their numbers, most frequent first; `##` begins those inside a word."""
    special = {embedder.tokenizer.token_to_id(str(token["content"])) for token in described.get("added_tokens") or []}  # type: ignore[attr-defined]
    found: dict[str, int] = {}
    whole = sorted(embedder.tokenizer.get_vocab(with_added_tokens=False).items(), key=lambda one: one[1])
    marked = any(name.startswith(INNER) for name, _ in whole)
    for name, number in whole:
        token = name if marked else _marked(name)
        if number not in special and any(map(str.isalnum, token)) and not (token[:1] == "[" and token[-1:] == "]"):
            found.setdefault(token, number)
    return list(found.items())


def _marked(name: str) -> str:
    """Return a token of a vocabulary that marks beginnings as one of those that mark the inside."""
    return name[1:] if name[:1] in BEGINNINGS and len(name) > 1 else INNER + name


def _alone(embedder: Embedder, numbers: list[int]) -> np.ndarray:
    """Return the vectors of single tokens, each between what the model wants around a text."""
    around = embedder.tokenizer.encode("").ids
    half = (len(around) + 1) // 2
    return embedder.of_tokens([[*around[:half], number, *around[half:]] for number in numbers])


def reduced(vectors: np.ndarray) -> np.ndarray:
    """Return vectors without what all share, in fewer dimensions, each of length one."""
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    top = directions[:, ::-1][:, :SHARED]
    rest = centred - centred @ top @ top.T
    rest /= np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), 1e-9)
    rest -= rest.mean(axis=0)
    _, directions = np.linalg.eigh(rest.T @ rest)
    small = rest @ directions[:, ::-1][:, :DIMS]
    return np.asarray(small / np.maximum(np.linalg.norm(small, axis=1, keepdims=True), 1e-9))


def weights(tokens: list[str]) -> np.ndarray:
    """Return how much tokens tell: a vocabulary is in the order of frequency, but for single letters, which tell least."""
    letters = np.array([_is_letter(token.removeprefix(INNER)) for token in tokens])
    return np.asarray(np.log1p(np.where(letters, 1, np.maximum(np.cumsum(~letters), 1))))


def _is_letter(token: str) -> bool:
    """Say whether a token is one letter or digit; one ideograph is a word."""
    return len(token) == 1 and (token.isdigit() or token.lower() != token.upper())


def _store(path: Path, rows: list[tuple[str, bytes]]) -> None:
    db = sqlite3.connect(path)
    try:
        db.execute("CREATE TABLE tokens (token TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")
        db.executemany("INSERT INTO tokens VALUES (?, ?)", sorted(rows))
        db.commit()
    finally:
        db.close()


METHOD = 1  # of the distillation: another one makes other vectors, and so another model
IDLE_S = 60

Tell = Callable[[str, int, int], object]


def is_here(name: str) -> bool:
    """Say whether a model can be loaded without fetching anything."""
    return models.source_of(name) != name or Path(name).is_dir() or export.is_cached(name)


def prepare(name: str, fetch: bool = False, idle_s: int = IDLE_S, tell: Tell = lambda *_: None) -> dict[str, Any]:
    """Prepare a model and put it in force; returns what `sense.described` will return from now on.

    `tell` hears each step, how much of it is done, and of how much. Raises RalphMemError; what was in force stays then.
    """
    draft = models.draft()
    try:
        model = _make(name, fetch and not is_here(name), draft, tell) | {"python": sys.executable, "idle_seconds": idle_s}
        models.put_in_force(draft, model)
    except (OSError, sqlite3.OperationalError) as error:
        raise models.not_writable(error) from error
    finally:
        models.discard(draft)
    return embeddings_client.described()


def _make(name: str, fetch: bool, draft: Path, tell: Tell) -> dict[str, Any]:
    tell("loading the model", 0, 1)
    loaded = export.load(models.source_of(name), fetch)
    label = Path(name).name
    model: dict[str, Any] = {
        "model": f"{label}@{_fingerprint(loaded)}", "name": name, "folder": "", "dims": loaded.dims,
        "static_dims": min(DIMS, loaded.dims), "max_tokens": loaded.max_tokens, "pooling": loaded.pooling,
        "query_prompt": loaded.query_prompt, "document_prompt": loaded.document_prompt,
    }  # fmt: skip
    tell("exporting it", 0, 1)
    export.write(loaded, draft)
    model |= export.habits(draft)
    embedder = Embedder({**model, "folder": str(draft)})
    tell("holding it against the original", 0, 1)
    model["likeness"] = round(export.check(loaded, embedder), 6)
    model["tokens"] = write(embedder, draft, lambda done, total: tell("distilling its tokens", done, total))
    return model | {"folder": "".join(char if char.isalnum() or char in ".-" else "-" for char in model["model"]).lstrip(".")}


def _fingerprint(loaded: export.Loaded) -> str:
    """Return what is another for every model that makes other vectors."""
    found = hashlib.sha256(repr((METHOD, loaded[1:])).encode())
    for name, values in sorted(loaded.model.state_dict().items()):
        found.update(name.encode())
        found.update(values.contiguous().numpy().tobytes())
    found.update(loaded.model.tokenizer.backend_tokenizer.to_str().encode())
    return found.hexdigest()[:8]
