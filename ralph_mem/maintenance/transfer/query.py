"""Run one statement of SQL that can only read, in a process that ends in time."""

import os
import resource
import signal
from collections.abc import Callable
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.store.connection import sqlite

# A join of a hundred thousand rows takes a second; what takes longer than this is not meant.
MOST_S = 4.0
# Beside what the copy of a memory takes: a million short rows of results have some 200 MB. A text of a row has at most a few MB.
MOST_BYTES, MOST_OF_A_VALUE = 268_435_456, 16_777_216
# Functions that reach a file, run code or hand out memory without end, where a build of SQLite has them.
REFUSED = frozenset(("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zeroblob", "randomblob"))
LENGTH = 0  # SQLITE_LIMIT_LENGTH
READS = frozenset((sqlite.SQLITE_SELECT, sqlite.SQLITE_READ, sqlite.SQLITE_RECURSIVE))
DONE, REFUSED_CODE, TOO_MUCH = 0, 3, 4
HINT = "one SELECT over sessions, turns, observations, memories, facts, fact_links, relations, made_from, loops, told"

Rows = tuple[list[str], list[tuple[Any, ...]]]


def carried_out(db: Any, statement: str, show: Callable[[Rows], object]) -> None:
    """Run a statement over a database, and have a function show what came of it, both in a process of its own.

    Raises RalphMemError for a statement that is no query, is wrong, or takes more time or memory than it may.
    """
    held, said = os.pipe()
    child = os.fork()
    if not child:
        os.close(held)
        _as_child(db, statement, show, said)
    os.close(said)
    with os.fdopen(held, encoding="utf-8", errors="replace") as answer:
        why = answer.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise RalphMemError(
            f"the statement was cut off after {MOST_S:g} seconds", "ask for less, or export to a database of your own"
        )
    if os.WEXITSTATUS(status) == TOO_MUCH:
        raise RalphMemError("the statement needs more main memory than it may have", "ask for less: LIMIT, fewer columns")
    if why or os.WEXITSTATUS(status):
        raise RalphMemError(f"the statement was refused: {why[:300]}", HINT)


def _as_child(db: Any, statement: str, show: Callable[[Rows], object], said: int) -> None:
    """Run it, and leave at once; the system ends a process that takes too long, whatever it is at."""
    code = REFUSED_CODE
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, MOST_S)
        found = read(db, statement)
        signal.setitimer(signal.ITIMER_REAL, 0)  # how long it takes to print is up to who reads it
        show(found)
        code = DONE
    except BrokenPipeError:  # whoever reads has seen enough
        code = DONE
    except MemoryError:
        code = TOO_MUCH
    except (sqlite.Error, sqlite.Warning, ValueError, OverflowError) as error:
        os.write(said, str(error).encode("utf-8", "replace")[:1000])
    finally:
        os._exit(code)  # the interpreter's end would close what belongs to the parent


def read(db: Any, statement: str) -> Rows:
    """Return the columns and rows of a query. Raises what SQLite raises, for anything that is none as well."""
    _bound()
    if hasattr(db, "setlimit"):  # came with 3.11
        db.setlimit(LENGTH, MOST_OF_A_VALUE)
    db.execute("PRAGMA query_only = ON")
    db.set_authorizer(allowed)
    found = db.execute(statement)
    if found.description is None:
        raise sqlite.OperationalError("it is no query")
    return [column for column, *_ in found.description], found.fetchall()


def _bound() -> None:
    """Let this process have so much more memory, where the system knows how much it has."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return
    resource.setrlimit(resource.RLIMIT_AS, (taken + MOST_BYTES, resource.RLIM_INFINITY))


def allowed(action: int, one: "str | None", other: "str | None", *_: object) -> int:
    """Say to SQLite whether a statement may do something: read, and call functions that do no more than compute."""
    is_function = action == sqlite.SQLITE_FUNCTION and (other or "").lower() not in REFUSED
    is_own = action == sqlite.SQLITE_PRAGMA and one == "data_version" and other is None  # the index of words asks for it
    return int(sqlite.SQLITE_OK if action in READS or is_function or is_own else sqlite.SQLITE_DENY)
