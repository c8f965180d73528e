"""The process that does what hooks have no time for: started by an attended session, alone, bounded, and gone when it is done."""

import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from ralph_mem.core import paths
from ralph_mem.memory.rows import facts, records
from ralph_mem.memory.store import connection
from tests import clock
from tests.hook import REPOSITORY
from tests.memory.facts import voices

LEARNER = REPOSITORY / "ralph_mem" / "interfaces" / "learner.py"
TAUGHT = "Always run `make check` before you push."
PATIENCE_S = 30
SECRET = "velvet Harbor sixty moth"
PASTED = f"Why is this row wrong?\n\nid|owner|motDePasse|enabled\n5|youssef|{SECRET}|1\n"
TITLES = "SELECT o.title FROM facts AS f JOIN observations AS o ON o.id = f.id WHERE f.status = ?"


@pytest.fixture
def somebody(a_session):
    """A session that somebody attends, which has started."""
    session = a_session.attended()
    session.start()
    return session


def taught(session, status="candidate"):
    """Return the candidates that there are, or the facts of another status."""
    there = session.values("SELECT name FROM sqlite_master WHERE name = 'facts'")
    return session.values(TITLES, status) if there else []


def learners(session):
    """Return the processes that learn from the memory of a session."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(session.memory) in words and os.fsencode(LEARNER) in words:
            found.append(int(process.name))
    return found


def learn(session, *words, **variables):
    """Run the program itself and wait for its end."""
    order = [session.environment["PATH"].partition(":")[0] + "/python3", "-I", "-S", LEARNER, session.memory, *words]
    environment = {"HOME": str(session.home), "RALPH_MEM_RECORDING": "off", **variables}
    return subprocess.run(order, env=environment, check=False, capture_output=True, timeout=PATIENCE_S)


def has_learned(session):
    clock.wait_for(lambda: taught(session) and not learners(session), PATIENCE_S)
    return taught(session)


def test_what_is_said_in_passing_is_a_candidate_soon_after_the_session_has_ended(somebody):
    somebody.prompt(TAUGHT)
    somebody.stop()
    somebody.end()
    assert has_learned(somebody) == [TAUGHT]
    assert somebody.damage() == []


def test_a_stop_starts_it_where_it_has_not_run_for_some_minutes(somebody):
    clock.wait_for(lambda: not learners(somebody), PATIENCE_S)
    with somebody.connect() as db:
        db.execute("UPDATE properties SET value = value - 300001 WHERE key = 'learner_woken'")
    somebody.prompt(TAUGHT)
    somebody.stop()
    assert has_learned(somebody) == [TAUGHT]


def test_a_sentence_to_remember_is_a_fact_at_the_end_of_its_turn(somebody):
    somebody.prompt("Where is the mast?")
    with somebody.connect() as db:
        db.execute("INSERT INTO properties (key, value) VALUES ('learner_woken', ?)", (time.time_ns() // 1_000_000,))
    somebody.prompt("Remember that we ship on Fridays")
    somebody.stop()
    clock.wait_for(lambda: taught(somebody, "active") and not learners(somebody), PATIENCE_S)
    assert taught(somebody, "active") == ["we ship on Fridays"]


def test_what_is_to_be_forgotten_holds_no_longer_from_the_end_of_its_turn(somebody):
    somebody.prompt("Remember that we ship on Fridays")
    somebody.stop()
    clock.wait_for(lambda: taught(somebody, "active") and not learners(somebody), PATIENCE_S)
    somebody.prompt("Forget that we ship on Fridays")
    somebody.stop()
    clock.wait_for(lambda: not taught(somebody, "active") and not learners(somebody), PATIENCE_S)
    assert taught(somebody, "active") == []


def test_a_secret_that_a_hook_has_no_time_to_find_is_cut_out_afterwards(a_session):
    a_session.start()
    a_session.prompt(PASTED)
    a_session.stop()
    assert SECRET in a_session.values("SELECT prompt FROM turns")[0]  # where a hook finds it, another one belongs here
    assert learn(a_session).returncode == 0 and SECRET in a_session.values("SELECT prompt FROM turns")[0]  # no session waits
    assert learn(a_session, "over").returncode == 0 and SECRET not in a_session.values("SELECT prompt FROM turns")[0]
    assert [file for file in a_session.memory.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()] == []


def test_what_was_said_in_a_worktree_is_tied_to_the_files_there(a_session, tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "check.sh").touch()
    a_session.start()
    a_session.prompt("Always run `check.sh` before you push.")
    a_session.stop("Noted.")
    assert learn(a_session, "", tmp_path / "tree").returncode == 0
    assert a_session.values("SELECT anchors FROM facts") == ['[{"path": "check.sh"}]']


def test_switched_off_it_is_not_started_and_does_nothing(somebody):
    somebody.environment["RALPH_MEM_MEMORY_WORKER"] = "off"
    somebody.prompt(TAUGHT)
    somebody.stop()
    somebody.end()
    assert learners(somebody) == [] and taught(somebody) == []


def test_where_nothing_is_to_be_learned_secrets_are_looked_for_all_the_same(a_session):
    a_session.start()
    a_session.prompt(f"{TAUGHT} {PASTED}")
    a_session.stop()
    assert learn(a_session, "over", RALPH_MEM_MEMORY_LEARN="off").returncode == 0 and taught(a_session) == []
    assert SECRET not in a_session.values("SELECT prompt FROM turns")[0]


def test_where_nobody_sits_no_process_is_left(a_session):
    a_session.start()
    a_session.prompt(TAUGHT)
    a_session.stop()
    a_session.end()
    assert learners(a_session) == []


def test_a_second_one_leaves_at_once(a_session):
    a_session.start()
    a_session.prompt(TAUGHT)
    a_session.stop()
    place = a_session.data / paths.LEARNER
    place.mkdir(parents=True, exist_ok=True)
    held = paths.open_lock(str(place))
    assert paths.lock(held)
    assert learn(a_session).returncode == 0 and taught(a_session) == []
    os.close(held)
    assert learn(a_session).returncode == 0 and taught(a_session) == [TAUGHT]


def test_a_paused_project_and_one_without_a_memory_are_left_alone(a_session):
    a_session.start()
    a_session.prompt(TAUGHT)
    a_session.stop()
    (a_session.memory / paths.OFF).touch()
    before = a_session.database.read_bytes()
    assert learn(a_session).returncode == 0 and a_session.database.read_bytes() == before
    a_session.memory.rename(a_session.folder / "elsewhere")
    assert learn(a_session).returncode == 1 and not a_session.memory.exists()


@pytest.mark.check
def test_killed_at_any_moment_it_loses_nothing(a_session):
    a_session.start()
    for said in voices.HOLDS[:12]:
        a_session.prompt(said)
        a_session.stop()
    for moment in range(1, 9):
        order = [a_session.environment["PATH"].partition(":")[0] + "/python3", "-I", "-S", LEARNER, a_session.memory]
        process = subprocess.Popen(order, env={"HOME": str(a_session.home)})
        time.sleep(0.03 * moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
    learn(a_session)
    assert sorted(a_session.values("SELECT title FROM observations")) == sorted(voices.HOLDS[:12])
    assert a_session.values("SELECT count(*) FROM derived_from") == [12] and a_session.damage() == []


def test_it_writes_nothing_to_the_screen(a_session):
    a_session.start()
    a_session.prompt(TAUGHT)
    a_session.stop()
    ran = learn(a_session)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert facts.CANDIDATE in a_session.values("SELECT status FROM facts")


def test_it_folds_what_an_older_release_left_of_loops(a_session):
    a_session.start()
    db = sqlite3.connect(f"{a_session.memory}/memory.db", isolation_level=None)
    opened = connection.Store(str(a_session.memory), db, -1)
    opened.begin()
    for number in (1, 2):
        title, text = "Mend (ralph loop: reached after 1 iteration)", "failed: KeyError: 'tax'\nfixed by: cart.py +1 -1\n  +get()"
        event = f"lesson:loop-{number}"
        records.apply(opened, records.memory(a_session.session, number, event, title, text, type="note", origin="test"))
    opened.commit()
    db.close()
    assert learn(a_session).returncode == 0
    titles = a_session.values("SELECT o.title FROM memories AS m JOIN observations AS o ON o.id = m.observation_id")
    assert titles == ["Mend (ralph loop: 2 times, last on 1970-01-01; reached after 1 iteration)"]
