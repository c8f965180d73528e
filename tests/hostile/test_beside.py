"""What lies beside a database can change it without its seal: a journal or a log that a pull or an archive brought along."""

import os
import struct

import pytest

from tests.hook import said_to_model

PAGE = 4096
OURS, THEIRS = b"northern mast", b"hangman's oak"


@pytest.fixture
def a_memory(a_clone):
    """Have a turn behind it, all of it in the database itself; returns the session, and the pages that a stranger would change."""
    a_clone.start()
    a_clone.prompt("Where is the zeppelin moored?")
    a_clone.stop(f"At the {OURS.decode()}.")
    with a_clone.connect() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    for end in ("-wal", "-shm"):
        (a_clone.memory / f"memory.db{end}").unlink(missing_ok=True)
    before = a_clone.database.read_bytes()
    after = before.replace(OURS, THEIRS)
    pages = {at // PAGE + 1: after[at : at + PAGE] for at in range(0, len(after), PAGE)}
    a_clone.theirs = {number: page for number, page in pages.items() if THEIRS in page}
    assert a_clone.theirs
    return a_clone


def journal(hook):
    """Put a journal beside the database that plays other pages back into it."""
    total, nonce = hook.database.stat().st_size // PAGE, 7
    data = (bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", len(hook.theirs), nonce, total, 512, PAGE)).ljust(512, b"\0")
    for number, page in hook.theirs.items():
        check = nonce + sum(page[at] for at in range(PAGE - 200, 0, -200))
        data += struct.pack(">I", number) + page + struct.pack(">I", check)
    (hook.memory / "memory.db-journal").write_bytes(data)


def log(hook):
    """Put a log beside the database that has other pages."""
    check, data = (0, 0), b""
    header = struct.pack(">IIIIII", 0x377F0683, 3_007_000, PAGE, 0, 1, 2)
    check = summed(header, check)
    data = header + struct.pack(">II", *check)
    for left, (number, page) in enumerate(reversed(hook.theirs.items())):
        frame = struct.pack(">II", number, 0 if left < len(hook.theirs) - 1 else hook.database.stat().st_size // PAGE)
        check = summed(page, summed(frame, check))
        data += frame + struct.pack(">IIII", 1, 2, *check) + page
    (hook.memory / "memory.db-wal").write_bytes(data)


def summed(data, start):
    one, other = start
    for first, second in struct.iter_unpack(">II", data):
        one = (one + first + other) & 0xFFFFFFFF
        other = (other + second + one) & 0xFFFFFFFF
    return one, other


def told_at(hook):
    """Return what a new session is told of the mast, and the line for the user."""
    other = hook.another()
    started = other.start()
    told = said_to_model(started) + said_to_model(other.prompt("Where is the zeppelin moored, at the mast or the oak?"))
    return told, started.get("systemMessage", "")


@pytest.mark.parametrize("make", [journal, log])
def test_sqlite_itself_would_take_the_pages(a_memory, make):
    """If the crafted files were no good, the tests below would prove nothing."""
    make(a_memory)
    with a_memory.connect() as db:
        assert THEIRS.decode() in str(db.execute("SELECT response FROM turns").fetchall())


def test_a_journal_is_set_aside_and_changes_nothing(a_memory):
    journal(a_memory)
    told, line = told_at(a_memory)
    assert OURS.decode() in told and THEIRS.decode() not in told
    assert "memory.db-journal" in line and "set aside" in line
    assert len([*a_memory.memory.glob("memory.db.unknown-*-journal")]) == 1


def test_a_journal_that_comes_in_mid_session_makes_events_wait(a_memory):
    a_memory.start()
    journal(a_memory)
    assert a_memory.prompt("Where is the zeppelin moored, at the mast or the oak?") == {}
    assert len(a_memory.spooled()) == 1
    told, _ = told_at(a_memory)
    assert THEIRS.decode() not in told and a_memory.spooled() == []


def test_a_log_that_a_pull_brought_is_set_aside_and_changes_nothing(a_memory, git):
    git(a_memory.project, "init", "-q")
    a_memory.another().start()
    os.utime(a_memory.database)
    for end in ("-wal", "-shm"):
        (a_memory.memory / f"memory.db{end}").unlink(missing_ok=True)
    log(a_memory)
    git(a_memory.project, "add", "-f", ".ralph-mem/memory.db-wal")
    told, line = told_at(a_memory)
    assert OURS.decode() in told and THEIRS.decode() not in told
    assert "memory.db-wal" in line and "git tracks" in line


def test_a_database_that_git_tracks_later_is_set_aside_too(a_memory, git):
    git(a_memory.project, "init", "-q")
    git(a_memory.project, "add", "-f", ".ralph-mem/memory.db")
    told, line = told_at(a_memory)
    assert told == "" and "git tracks it" in line


def test_whoever_commits_other_things_keeps_the_memory(a_memory, git):
    git(a_memory.project, "init", "-q")
    for number in range(2):
        (a_memory.project / "a.py").write_text(str(number))
        git(a_memory.project, "add", "a.py")
        told, line = told_at(a_memory)
        assert OURS.decode() in told and line == ""


# What is no file at all

KINDS = {"a folder": os.mkdir, "a FIFO": os.mkfifo, "a link": lambda path: os.symlink("/etc/hostname", path)}
NAMES = ("memory.db-wal", "memory.db-shm", "memory.db-journal", "lock")
PLACES = [(kind, name) for kind in KINDS for name in NAMES]


@pytest.mark.check
@pytest.mark.parametrize(("kind", "name"), PLACES)
def test_what_is_no_file_beside_a_memory_holds_up_nobody_and_is_told(a_memory, kind, name):
    place = a_memory.memory / name
    place.unlink(missing_ok=True)
    KINDS[kind](place)
    other = a_memory.another()
    ran = other.run("SessionStart", other.event("SessionStart", source="startup"))
    assert (ran.code, ran.err) == (0, b"") and ran.seconds < 2
    assert name.encode() in ran.out and b"remove it" in ran.out
    assert other.bash("make mast", "ok") == {}


def test_there_are_twelve_of_them():
    print(f"{len(PLACES)} things that are no files beside a memory")
    assert len(PLACES) == 12
