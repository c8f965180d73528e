"""A memory that cannot be used: the terminal, the client, another client's model and a program hear the same of it."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.hook import HANGS_S
from tests.interfaces.cli.broken import newer, of_somebody_else
from tests.interfaces.cli.situations import a_person, lived_in
from tests.interfaces.mcp.clients import Outside

__all__ = ["a_person", "lived_in"]

PROGRAM = "from ralph_mem import *\ntry: Memory().search((), 'thrown')\nexcept RalphMemError as e: print(e, e.hint)"


def junk(person):
    person.database.write_bytes(b"junk" * 2000)


def a_page_of_junk(person):
    """Overwrite the page at which what the indexes are read from begins."""
    with closing(sqlite3.connect(person.database)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        (size,) = db.execute("PRAGMA page_size").fetchone()
        pages = [page for (page,) in db.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name IN ('turns', 'observations')")]
    data = bytearray(person.database.read_bytes())
    for page in filter(None, pages):
        data[(page - 1) * size : page * size] = b"\xff" * size
    person.database.write_bytes(data)


BROKEN = {
    "is junk": (junk, ("memory.db is damaged: file is not a database", "doctor --repair")),
    "has a page of junk": (a_page_of_junk, ("memory.db is damaged: database disk image is malformed", "doctor --repair")),
    "is of a newer release": (newer, ("has schema 99, this release knows", "update the plugin")),
    "is somebody else's": (of_somebody_else, ("memory.db is not used (", "the next session start takes it up if it is yours")),
}


@pytest.mark.check
@pytest.mark.parametrize("how", BROKEN)
def test_all_entrances_explain_a_memory_that_cannot_be_used_in_the_same_words(a_person, how):
    breaks, wanted = BROKEN[how]
    breaks(a_person)
    told = [a_person.cli("search", "thrown").err, a_person.cli("sql", "select * from turns").err]
    told += [a_person.types("mem-search", "thrown"), by_a_program(a_person)]
    with Outside(a_person) as client:
        client.begins()
        told.append(client.is_refused("search", query="thrown"))
    assert [line for line in told for words in wanted if words not in line] == []


def by_a_program(person):
    order, where = [sys.executable, "-c", PROGRAM], {"cwd": person.project, "env": person.terminal()}
    return subprocess.run(order, **where, capture_output=True, text=True, timeout=HANGS_S, check=True).stdout
