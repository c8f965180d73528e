"""Tokens: exact counts by a vocabulary of tiktoken, where it is on this machine. Hooks estimate; this corrects them later.

Nothing is ever downloaded but by `fetch`, which somebody asks for.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ralph_mem.core.errors import RalphMemError
from ralph_mem.extras import MissingExtra

if TYPE_CHECKING:
    from ralph_mem.core.store import Store

# The client's own vocabulary is not public; this is the one that the estimate was fitted to.
VOCABULARY = "o200k_base"
# So many rows in one transaction; counting them happens before it, so that nobody waits for that.
BATCH = 500
TEXTS = {"turns": "prompt, response, files, lines", "observations": "title, content, files, lines"}


class Vocabulary(Protocol):
    """What counts: an encoding of tiktoken."""

    name: str

    def encode_ordinary(self, text: str, /) -> list[int]:
        """Return the tokens of a text, none of them special."""


def find(name: str = VOCABULARY) -> Vocabulary | None:
    """Return a vocabulary that is on this machine, in tiktoken's cache (TIKTOKEN_CACHE_DIR) or brought by a plugin of it.

    None where it is not there, or damaged. Raises MissingExtra without the package, and RalphMemError for an unknown name.
    """
    with _without_network():
        try:
            return _encoding(name)
        except OSError:
            return None


def fetch(name: str = VOCABULARY) -> Vocabulary:
    """Return a vocabulary, downloaded by tiktoken into its cache where it is not there yet. Raises as `find`, or where it fails."""
    try:
        return _encoding(name)
    except OSError as error:
        what = " ".join(str(error).split())[:200]
        hint = "without it costs stay estimated; on a machine with a network, fill TIKTOKEN_CACHE_DIR and copy that folder"
        raise RalphMemError(f"the vocabulary {name} could not be fetched: {what}", hint) from error


def _encoding(name: str) -> Vocabulary:
    try:
        import tiktoken
    except ImportError as error:
        raise MissingExtra("exact counts need tiktoken", "pip install 'ralph-mem[tokens]'") from error
    if name not in tiktoken.list_encoding_names():
        raise RalphMemError(f"tiktoken has no vocabulary {name[:40]}", "one of " + ", ".join(tiktoken.list_encoding_names()))
    return tiktoken.get_encoding(name)


@contextlib.contextmanager
def _without_network() -> Iterator[None]:
    """Let tiktoken read files alone: it has no switch for that, and would fetch what is missing from its cache."""
    try:
        from tiktoken import load
    except ImportError:  # which `_encoding` tells
        yield
        return
    read = load.read_file

    def local(path: str) -> bytes:
        if "://" in path:
            raise FileNotFoundError(path)
        return read(path)

    load.read_file = local  # type: ignore[assignment]
    try:
        yield
    finally:
        load.read_file = read


def count(vocabulary: Vocabulary, *texts: str) -> int:
    """Return what texts cost by a vocabulary, in tokens."""
    return sum(len(vocabulary.encode_ordinary(text)) for text in texts if text)


def missing(store: "Store", vocabulary: Vocabulary) -> int:
    """Return how many rows a vocabulary has not counted yet."""
    sql = " + ".join(f"(SELECT count(*) FROM {table} WHERE counted_by IS NOT ?1)" for table in TEXTS)
    return int(store.one(f"SELECT {sql}", (vocabulary.name,))[0])


def count_rows(store: "Store", vocabulary: Vocabulary, tell: Callable[[int], Any] = bool) -> int:
    """Store the exact count of every row that a vocabulary has not counted; `tell` hears how many more are done.

    A row that changes meanwhile keeps its estimate until the next time. Returns how many were counted.
    """
    done = 0
    for table, texts in TEXTS.items():
        at = 0
        while rows := store.execute(_uncounted(table, texts), (vocabulary.name, at, BATCH)).fetchall():
            at = rows[-1][0]
            counts = [(count(vocabulary, *each), vocabulary.name, number, checksum) for number, checksum, *each in rows]
            _keep(store, table, counts)
            done += len(rows)
            tell(len(rows))
    return done


def _uncounted(table: str, texts: str) -> str:
    return f"SELECT id, checksum, {texts} FROM {table} WHERE counted_by IS NOT ? AND id > ? ORDER BY id LIMIT ?"


def _keep(store: "Store", table: str, counts: list[tuple[int, str, int, int]]) -> None:
    store.begin()
    try:
        store.db.executemany(f"UPDATE {table} SET tokens = ?, counted_by = ? WHERE id = ? AND checksum = ?", counts)
        store.commit()
    finally:
        store.roll_back()
