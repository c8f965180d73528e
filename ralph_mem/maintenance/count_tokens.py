"""Count tokens exactly by a vocabulary of tiktoken, and correct what the hooks estimated; `fetch` alone downloads anything."""

import contextlib
from collections import Counter, namedtuple
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory import access
from ralph_mem.memory.extras import MissingExtra, installation
from ralph_mem.memory.rows import kinds, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

# The client's own vocabulary is not public; this is the one that the estimate was fitted to.
VOCABULARY = "o200k_base"
# So many rows in one transaction; counting them happens before it, so that nobody waits for that.
BATCH = 500
UNCOUNTED = "SELECT id, checksum, {} FROM {} WHERE counted_by IS NOT ? AND id > ? ORDER BY id LIMIT ?"
KEEP = "UPDATE {} SET tokens = ?, counted_by = ? WHERE id = ? AND checksum = ?"


class Vocabulary(Protocol):
    """What counts: an encoding of tiktoken."""

    name: str

    def encode_ordinary(self, text: str, /) -> list[int]:
        """Return the tokens of a text, none of them special."""


def find(name: str = VOCABULARY) -> "Vocabulary | None":
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
        import tiktoken  # lazy: brought by the extra `tokens`; whoever has not got it is told how to get it
    except ImportError as error:
        raise MissingExtra("exact counts need tiktoken", installation("tokens")) from error
    if name not in tiktoken.list_encoding_names():
        raise RalphMemError(f"tiktoken has no vocabulary {name[:40]}", "one of " + ", ".join(tiktoken.list_encoding_names()))
    return tiktoken.get_encoding(name)


@contextlib.contextmanager
def _without_network() -> Iterator[None]:
    """Let tiktoken read files alone: it has no switch for that, and would fetch what is missing from its cache."""
    try:
        from tiktoken import load  # lazy: brought by the extra `tokens`; whoever has not got it is told how to get it
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
    sql = "SELECT count(*) FROM {} WHERE counted_by IS NOT ?"
    return sum(store.one(sql.format(kind.table), (vocabulary.name,))[0] for kind in kinds.of_memory(store))


def count_rows(store: "Store", vocabulary: Vocabulary, tell: Callable[[int], Any] = bool) -> int:
    """Store the exact count of every row that a vocabulary has not counted; `tell` hears how many more are done.

    A row that changes meanwhile keeps its estimate until the next time. Returns how many were counted.
    """
    done = 0
    for kind in kinds.of_memory(store):
        at = 0
        uncounted = UNCOUNTED.format(", ".join(kind.hashed), kind.table)
        while rows := store.execute(uncounted, (vocabulary.name, at, BATCH)).fetchall():
            at = rows[-1][0]
            counts = [(count(vocabulary, *each), vocabulary.name, number, checksum) for number, checksum, *each in rows]
            with access.Change(store, durable=False):
                store.db.executemany(KEEP.format(kind.table), counts)
            done += len(rows)
            tell(len(rows))
    return done


def count_where_possible(store: "Store") -> int:
    """Count what was not counted yet by the vocabulary that is on this machine; returns how many rows, 0 without tiktoken or it."""
    vocabulary = _here()
    return count_rows(store, vocabulary) if vocabulary else 0


def pricing() -> tuple[str, Callable[[str], int]]:
    """Return what says here how many tokens a text costs, by the name of a vocabulary or `estimate`, and that function."""
    vocabulary = _here()
    return (vocabulary.name, partial(count, vocabulary)) if vocabulary else ("estimate", row.tokens)


def _here() -> "Vocabulary | None":
    try:
        return find()
    except MissingExtra:
        return None


# Of texts shorter than this the error in per cent says nothing: one token more of three is 33.
FEWEST_TOKENS = 20
# The newest ones are enough, and take a tenth of a second.
MOST_ROWS = 2000

# `vocabularies` has the number of rows by the name of what counted them, None for the estimate. The mean errors are shares
# of 1, None where too little was counted to say.
Estimate = namedtuple("Estimate", "vocabularies code prose")

CODE = "type IN ('tool_use', 'error', 'success')"
PROSE = f"NOT {CODE}"


def of(database: "kinds.Database") -> Estimate:
    """Compare the estimate with what was counted: on commands, their output and diffs, and on what was said."""
    vocabularies: Counter[str | None] = Counter()
    for kind in kinds.of_memory(database):
        counts = database.execute(f"SELECT counted_by, count(*) FROM {kind.table} GROUP BY 1").fetchall()
        vocabularies.update(dict(counts))
    return Estimate(dict(vocabularies), *[_error(database, types) for types in (CODE, PROSE)])


def _error(database: "kinds.Database", types: str) -> "float | None":
    """Return by what share of the exact count the estimate is off, on average."""
    rows = [values for kind in kinds.of_memory(database) for values in _counted(database, kind, types)]
    newest = sorted(rows, key=lambda values: values[0], reverse=True)[:MOST_ROWS]
    errors = [abs(row.tokens(*texts) - exact) / exact for _, exact, *texts in newest]
    return sum(errors) / len(errors) if errors else None


def _counted(database: "kinds.Database", kind: "row.Kind", types: str) -> "list[tuple[Any, ...]]":
    """Return the newest rows of some types that were counted: time, exact count, texts. What has no type is prose."""
    if not kind.has("type"):
        types = "1" if types == PROSE else "0"
    sql = f"SELECT created_at, tokens, {', '.join(kind.hashed)} FROM {kind.table}"
    sql += f" WHERE counted_by NOT NULL AND tokens >= ? AND {types} ORDER BY created_at DESC LIMIT ?"
    found: list[tuple[Any, ...]] = database.execute(sql, (FEWEST_TOKENS, MOST_ROWS)).fetchall()
    return found


def told(found: Estimate) -> str:
    """Return the errors in words, such as `9 % on code, 7 % on prose`; nothing where none is known."""
    errors = {"code": found.code, "prose": found.prose}
    return ", ".join(f"{error:.0%}".replace("%", " %") + f" on {what}" for what, error in errors.items() if error is not None)
