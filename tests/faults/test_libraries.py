"""Two SQLite libraries: what one writes the other reads, searches, finds whole and goes on with; also both at once."""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import sysconfig

import pytest

from tests import other_sqlite
from tests.faults.test_skew import EVENTS_OF_EACH, fire_all, titles
from tests.hook import INTERPRETER, NAMES, REPOSITORY, said_to_model

OLDER = sqlite3.sqlite_version_info[0] * 1_000_000 + sqlite3.sqlite_version_info[1] * 1000 + sqlite3.sqlite_version_info[2]
ORDERS = ["the newer, then the older", "the older, then the newer"]
ASKED = "Why does the zeppelin moor crookedly at the northern mast?"
ANSWERED = "The zeppelin's winch at the northern mast was rusty."
ASKED_AGAIN = "Is the zeppelin's winch at the northern mast rusty again?"


def under(hook, newer):
    """Let hooks run under one of the two libraries from here on."""
    python = other_sqlite.interpreter() if newer else str(INTERPRETER)
    (hook.data / "python").parent.mkdir(parents=True, exist_ok=True)
    (hook.data / "python").write_text(python + "\n")
    hook.environment["PATH"] = f"{os.path.dirname(python)}:/usr/bin:/bin"
    return hook


def a_day_of_work(hook, day):
    """Have a session with a question, twenty commands, an answer, a checkpoint and an end."""
    hook.start()
    hook.prompt(ASKED)
    for number in range(20):
        hook.bash(f"make part {day} {number}", f"part {number} is " + "made " * 300)
    hook.stop(ANSWERED)
    hook.end()


def command(hook, *words, newer, code=0):
    """Run a command of a person under one of the two libraries; returns what it printed."""
    python = other_sqlite.interpreter() if newer else sys.executable
    environment = {"HOME": str(hook.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    environment["PYTHONPATH"] = f"{REPOSITORY}:{sysconfig.get_path('purelib')}"
    order = [python, "-m", "ralph_mem.interfaces.cli", *words]
    ran = subprocess.run(order, env=environment, cwd=hook.project, capture_output=True, text=True, timeout=60)
    assert ran.returncode == code, ran
    return ran.stdout


def checkpoint(hook, newer):
    """Let a library bring its log into the database, and say how whole it finds it."""
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchall()\n"
        "for each in ('memory_fts', 'observations_fts'): db.execute(f\"INSERT INTO {each} ({each}) VALUES ('integrity-check')\")\n"
        "print(*db.execute('PRAGMA integrity_check').fetchone())"
    )
    return other_sqlite.run(code, hook.database, environment={}, newer=newer).strip()


@pytest.mark.check
@pytest.mark.parametrize("order", ORDERS)
def test_what_one_library_wrote_the_other_tells_finds_whole_and_goes_on_with(a_project, order):
    newer_first = order == ORDERS[0]
    a_day_of_work(under(a_project, newer_first), "one")
    assert other_sqlite.writer_of(a_project.database) == (other_sqlite.number() if newer_first else OLDER)
    other = under(a_project.another(), not newer_first)
    told = said_to_model(other.start()) + said_to_model(other.prompt(ASKED_AGAIN))
    assert "crookedly" in told and "rusty" in told
    assert "crookedly" in command(other, "search", "zeppelin", newer=not newer_first)
    a_day_of_work(other.another(), "two")
    assert titles(other) == [f"make part {day} {number}" for day in ("one", "two") for number in range(20)]
    assert [checkpoint(other, newer) for newer in (True, False)] == ["ok", "ok"]
    assert other.spooled() == [] and other.damage() == []


@pytest.mark.check
def test_hooks_of_both_libraries_at_once_lose_nothing(a_session):
    older, newer = a_session, a_session.another()
    plain = [other_sqlite.interpreter(), "-I", "-S", "-X", "utf8", str(newer.plugin / "hooks" / "run.py")]
    newer.command = lambda name: [*plain, NAMES.get(name, name)]
    assert fire_all([older, newer]) == 0
    newer.stop()
    older.stop()
    assert len(titles(older)) == 2 * EVENTS_OF_EACH and older.spooled() == []
    assert [checkpoint(older, newer) for newer in (True, False)] == ["ok", "ok"]
    assert older.damage() == []


VERBS = {
    "inject": ["inject", "The lamp is dim"],
    "compress": ["compress"],
    "scrub": ["scrub", "--confirm"],
    "backup": ["backup"],
    "export": ["export", "--to", "all.jsonl"],
    "purge": ["purge", "--origin", "user"],
    "forget": ["forget", "--query", "zeppelin"],
}
SHOWN_FIRST = ("purge", "forget")
EVERY_TIME = ("scrub", "forget")


@pytest.mark.check
@pytest.mark.parametrize("verb", [pytest.param(verb, marks=() if verb in EVERY_TIME else pytest.mark.nightly) for verb in VERBS])
def test_a_verb_under_the_newer_library_leaves_a_memory_that_the_older_finds_whole(a_project, verb):
    a_day_of_work(under(a_project, newer=False), "one")
    digits = [json.loads(command(a_project, *VERBS[verb], "--json", newer=True))["digest"]] if verb in SHOWN_FIRST else []
    command(a_project, *VERBS[verb], *["--confirm", *digits][: 2 * len(digits)], newer=True)
    assert checkpoint(a_project, newer=False) == "ok" and a_project.damage() == []
    other = a_project.another()
    other.bash("make mast", "ok")
    assert titles(other)[-1] == "make mast"


@pytest.mark.check
@pytest.mark.parametrize("newer", [True, False], ids=["by the newer", "by the older"])
def test_a_memory_that_the_other_library_wrote_is_repaired(a_project, newer):
    a_day_of_work(under(a_project, not newer), "one")
    rows = titles(a_project)
    with a_project.database.open("r+b") as file:
        file.write(random.Random(1).randbytes(16))
    line = under(a_project.another(), newer).start()["systemMessage"]
    assert "22 rows are back" in line and titles(a_project) == rows
    assert checkpoint(a_project, newer=False) == "ok" and a_project.damage() == []


@pytest.mark.nightly
@pytest.mark.parametrize("order", ORDERS)
def test_a_backup_of_one_library_is_brought_back_by_the_other(a_project, order):
    newer_first = order == ORDERS[0]
    a_day_of_work(under(a_project, newer_first), "one")
    rows = titles(a_project)
    command(a_project, "backup", newer=newer_first)
    shutil.rmtree(a_project.memory)
    under(a_project.another(), not newer_first).start()
    command(a_project, "restore", "--confirm", newer=not newer_first)
    assert titles(a_project) == rows and checkpoint(a_project, newer=False) == "ok" and a_project.damage() == []


ONLY_NEWER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("INSERT INTO observations_fts (observations_fts, rank) VALUES ('secure-delete', 1)")
deletion = "INSERT INTO observations_fts (observations_fts, rowid, title, body, files, lines)"
db.execute(deletion + " SELECT 'delete', id, title, '', '', '' FROM observations ORDER BY id LIMIT 1")
"""


@pytest.mark.check
def test_what_only_the_newer_library_can_read_would_be_noticed(a_project):
    a_day_of_work(under(a_project, newer=True), "one")
    assert a_project.damage() == []
    other_sqlite.run(ONLY_NEWER, a_project.database, environment={})
    with pytest.raises(sqlite3.DatabaseError, match="invalid fts5 file format"):
        a_project.damage()


# A second library in one long process, which writes while hooks do


OTHER_LIBRARY = """
import sys
import apsw
path, count = sys.argv[1], int(sys.argv[2])
db = apsw.Connection(path)
db.set_busy_timeout(10_000)
print(apsw.sqlite_lib_version(), flush=True)
for number in range(count):
    with db:
        db.execute("UPDATE turns SET misled = misled + 1 WHERE id = 1")
        db.execute("INSERT INTO memory_fts (rowid, title) VALUES (?, 'quokka')", (10_000 + number,))
print(db.execute("PRAGMA integrity_check").get)
db.execute("INSERT INTO memory_fts (memory_fts) VALUES ('integrity-check')")
"""


@pytest.mark.nightly
def test_two_sqlite_libraries_at_once_lose_nothing(a_session):
    pytest.importorskip("apsw", reason="the second SQLite library comes with apsw, which is not installed")
    a_session.prompt("Where is the zeppelin?")
    a_session.stop("At the mast.")
    order = [sys.executable, "-c", OTHER_LIBRARY, str(a_session.database), "300"]
    with subprocess.Popen(order, stdout=subprocess.PIPE, text=True) as other:
        version = other.stdout.readline()
        assert fire_all([a_session]) == 0
        assert other.stdout.read() == "ok\n" and other.wait() == 0, version
    a_session.stop()
    assert len(titles(a_session)) == EVENTS_OF_EACH and a_session.spooled() == []
    assert a_session.values("SELECT misled FROM turns WHERE id = 1") == [300]
    assert a_session.values("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'quokka'") == [300]
    assert a_session.values("PRAGMA integrity_check") == ["ok"]
