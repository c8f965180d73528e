"""The power fails: whatever the disk had not been told to keep may be gone or torn, and no database is ever damaged by it."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.redaction import gate
from ralph_mem.memory import opening
from ralph_mem.memory.rows import records
from ralph_mem.memory.store import connection

pytest.importorskip("apsw", reason="the package apsw, which lets a test see every write of SQLite, is not installed")

from tests.faults import lossy_disk

pytestmark = pytest.mark.check  # a replay of every write

SEED = 1729
connect = sqlite3.connect  # in a history the module's leads to the disk
IMAGES = [pytest.param(60, id="60 images"), pytest.param(2000, id="2,000 images", marks=pytest.mark.nightly)]
EVENTS, BETWEEN_CHECKPOINTS = 120, 30
# Of a disk that is never told to keep anything, nine images in ten are damaged; half is enough to know that damage is seen.
MUST_BE_SEEN = 0.5
AT = 1_767_268_800_000

PROTECTED = {"redactions": None, "redaction_version": gate.RULES_VERSION}
A_ROW = {"files": "", "lines": "", "metadata": None, "agent_id": None, "agent_type": None, "tainted": 0, **PROTECTED}


def session():
    known = {"model": None, "transcript": None, "branch": None, "commit_id": None, "pid": None, "born": None}
    return {"verb": "session", "session": "s", "project": "/p", "at": AT, "source": "startup", **known}


def prompt(number):
    return {
        "verb": "turn", "session": "s", "turn": f"prompt:{number}", "at": AT + number, "kind": "prompt", "origin": "user",
        "prompt": f"Why does part {number} leak? " * 9, "branch": None, "commit_id": None, **PROTECTED,
    }  # fmt: skip


def tool(number):
    return {
        "verb": "observation", "session": "s", "turn": "", "at": AT + number, "event_id": f"tool:{number}", "type": "tool_use",
        "origin": "tool", "tool_name": "Bash", "title": f"make part {number}", "content": f"part {number} is made\n" * 90, **A_ROW,
    }  # fmt: skip


@pytest.fixture
def a_disk(request):
    """Make a disk that notes what is written to it; SQLite knows it by its name."""
    disk = lossy_disk.LossyDisk("lossy")
    yield disk
    disk.unregister()


@pytest.fixture
def a_history(a_disk, tmp_path, monkeypatch):
    """Let a memory be made and written on that disk; returns [(entry of the log, event id, durable)] of what was acknowledged."""

    def write(syncing=""):
        memory = tmp_path / "shop" / ".ralph-mem"
        memory.parent.mkdir()
        monkeypatch.setattr(
            connection.sqlite, "connect", lambda *_, **__: lossy_disk.Connection(str(memory / "memory.db"), a_disk.name, syncing)
        )
        opened = opening.open_ready(Project(str(memory.parent)))
        kept = [_stored(opened, a_disk, session(), "s", durable=True)]
        for number in range(EVENTS):
            # as in a day's work: of six events one is a prompt
            record, name, durable = (
                (prompt(number), f"prompt:{number}", True) if number % 6 == 0 else (tool(number), f"tool:{number}", False)
            )
            kept.append(_stored(opened, a_disk, record, name, durable))
            if number % BETWEEN_CHECKPOINTS == BETWEEN_CHECKPOINTS - 1:
                assert opened.checkpoint()
        opened.close()
        return kept

    return write


def _stored(opened, disk, record, name, durable):
    opened.begin(durable)
    records.apply(opened, record)
    opened.commit()
    return len(disk.log), name, durable


def judged(disk, end, dice, folder):
    """Return (what is wrong, the names of the events that are there) after a power cut at this entry of the log."""
    folder.mkdir(exist_ok=True)
    for name, data in disk.image(end, dice).items():
        (folder / Path(name).name).write_bytes(data)
    try:
        with closing(connect(folder / "memory.db")) as db:
            wrong = [line for (line,) in db.execute("PRAGMA integrity_check") if line != "ok"]
            if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sessions'").fetchone():
                return wrong, []
            for index in ("memory_fts", "observations_fts"):
                db.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            tables = ("client_session FROM sessions", "event_id FROM turns", "event_id FROM observations")
            return wrong, [name for table in tables for (name,) in db.execute(f"SELECT {table}")]
    except sqlite3.DatabaseError as error:
        return [str(error)], []
    finally:
        for path in folder.iterdir():
            path.unlink()


def cuts(disk, images):
    """Return that many moments, of the whole history and with dice for each."""
    dice = random.Random(SEED)
    return [(dice.randrange(1, len(disk.log) + 1), random.Random(dice.random())) for _ in range(images)]


@pytest.mark.parametrize("images", IMAGES)
def test_a_power_cut_never_damages_a_memory_and_a_prompt_that_was_acknowledged_is_there(a_disk, a_history, tmp_path, images):
    kept = a_history()
    lost = 0
    for end, dice in cuts(a_disk, images):
        wrong, there = judged(a_disk, end, dice, tmp_path / "image")
        before = [(name, durable) for entry, name, durable in kept if entry <= end]
        assert wrong == [], end
        assert [name for name, durable in before if durable and name not in there] == [], end
        # what a commit acknowledged without waiting for the disk goes from the end, and leaves no gap
        names = [name for _, name, _ in kept]
        assert sorted(there, key=names.index) == names[: len(there)], end
        lost += len([name for name, _ in before if name not in there])
    assert lost, "a tool event does not wait for the disk: some must be missing, or nothing was ever cut off"
    print(f"{images} images, seed {SEED}: 0 damaged, 0 prompts lost, {lost} tool events that nobody waited for")


@pytest.mark.parametrize("images", IMAGES)
def test_a_disk_that_is_never_told_to_keep_anything_shows_that_damage_is_seen(a_disk, a_history, tmp_path, images):
    a_history("OFF")
    damaged = [end for end, dice in cuts(a_disk, images) if judged(a_disk, end, dice, tmp_path / "image")[0]]
    print(f"{len(damaged)} of {images} images damaged without syncs")
    assert len(damaged) > MUST_BE_SEEN * images
