"""A session: one row for one run of the client, whatever happens to it."""

import os
import subprocess

import pytest

from ralph_mem.memory.rows import sessions
from tests.sessions import DAY, HOUR, NOON, Session


def test_a_session_has_a_fence_of_its_own(a_session, another_session):
    fences = [fence for (fence,) in a_session.rows("SELECT fence FROM sessions")]
    assert len(set(fences)) == 2
    assert all(len(fence) == 24 and set(fence) <= set("0123456789abcdef") for fence in fences)


@pytest.mark.parametrize(
    ("source", "kept"), [("startup", "startup"), ("fork", "fork"), ("of the future", "startup"), (None, "startup")]
)
def test_a_session_says_how_it_began(a_store, a_project, source, kept):
    session = Session(a_store, a_project)
    session.starts(source, model="a-model", transcript_path="/t.jsonl")
    assert session.rows("SELECT source, model, transcript_path, agent FROM sessions") == [
        (kept, "a-model", "/t.jsonl", "claude-code")
    ]


@pytest.mark.parametrize("source", ["resume", "clear", "compact"])
def test_a_session_that_goes_on_stays_one_row(a_session, source):
    before = a_session.rows("SELECT public_id, fence, started_at FROM sessions")
    a_session.sends("session-end", reason="other")
    a_session.starts(source)
    assert a_session.rows("SELECT public_id, fence, started_at FROM sessions") == before
    assert a_session.rows("SELECT ended_at, end_reason FROM sessions") == [(None, None)]


@pytest.mark.parametrize(("source", "forgets"), [("compact", True), ("resume", False)])
def test_a_compaction_empties_the_window_and_resuming_does_not(a_session, source, forgets):
    a_session.has_a_turn("Why is the lamp off?", "The fuse.")
    last = a_session.rows("SELECT max(seq) FROM turns")[0][0]
    a_session.starts(source)
    assert (a_session.rows("SELECT context_since FROM sessions")[0][0] >= last) is forgets


# The end


def test_a_session_ends_with_a_summary_of_what_it_did(a_session):
    a_session.has_a_turn("Why is the lamp off?", "The fuse was blown.")
    a_session.runs("make lamps", error="Exit code 2\nno fuse")
    a_session.sends("session-end", reason="logout")
    assert a_session.rows("SELECT end_reason, summary FROM sessions") == [
        ("logout", "1 prompt, 1 failed command: Why is the lamp off? -> The fuse was blown.")
    ]


def test_a_summary_counts_what_a_person_typed_and_skips_a_command_at_its_end(a_session):
    a_session.has_a_turn("Why is the lamp off?", "The fuse was blown.")
    a_session.asks("/compact-notes now")
    a_session.asks("/mem-status")
    a_session.sends("session-end")
    assert a_session.rows("SELECT summary FROM sessions")[0][0].startswith("1 prompt, 0 failed commands: /compact-notes now")


def test_a_session_in_which_nothing_happened_ends_too(a_session):
    a_session.sends("session-end")
    assert a_session.rows("SELECT end_reason, summary FROM sessions") == [("other", "0 prompts, 0 failed commands")]


def test_the_end_of_an_unknown_session_leaves_nothing(a_session):
    a_session.name = "stranger"
    a_session.sends("session-end")
    assert a_session.rows("SELECT count(*) FROM sessions") == [(1,)]


# Sessions that never ended


def a_process():
    return subprocess.Popen(["sleep", "60"])


def test_a_session_whose_process_is_gone_has_crashed(a_session, another_session):
    process = a_process()
    born = sessions.born(process.pid)
    a_session.store.execute(
        "UPDATE sessions SET client_pid = ?, client_born = ? WHERE id = ?", (process.pid, born, a_session.number)
    )
    a_session.asks("Why is the lamp off?")
    assert sessions.end_crashed(a_session.store, a_session.now, another_session.name) == 0
    process.kill()
    process.wait()
    assert sessions.end_crashed(a_session.store, a_session.now + DAY, another_session.name) == 1
    assert a_session.rows("SELECT end_reason, ended_at FROM sessions WHERE id = ?", a_session.number) == [("crash", a_session.now)]
    assert a_session.turns("status") == [("interrupted",)]


def test_another_process_with_its_number_is_not_the_client(a_session, another_session):
    number, born = os.getpid(), sessions.born(os.getpid()) - 1
    a_session.store.execute("UPDATE sessions SET client_pid = ?, client_born = ? WHERE id = ?", (number, born, a_session.number))
    assert sessions.end_crashed(a_session.store, a_session.now, another_session.name) == 1


@pytest.mark.parametrize(("silent", "ended"), [(HOUR, 0), (13 * HOUR, 1)])
def test_a_session_of_an_unknown_process_has_crashed_when_it_is_silent_for_long(a_session, silent, ended):
    a_session.asks("Why is the lamp off?")
    a_session.runs("make lamps")
    assert sessions.end_crashed(a_session.store, a_session.now + silent, "another") == ended
    assert a_session.rows("SELECT ended_at FROM sessions") == [(a_session.now if ended else None,)]


def test_the_session_that_is_starting_is_left_alone(a_session):
    assert sessions.end_crashed(a_session.store, NOON + 9 * DAY, a_session.name) == 0


def test_a_process_is_known_by_its_birth():
    assert sessions.born(os.getpid()) == sessions.born(os.getpid()) > 0
    process = a_process()
    try:
        assert sessions.born(process.pid) >= sessions.born(os.getpid())
    finally:
        process.kill()
        process.wait()
    assert sessions.born(process.pid) is None


# What is read of the commands that the last ones ran

ROWS = 20_000
FILL = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows})
INSERT INTO {table} ({columns}) SELECT {values} FROM numbers"""


def fill(store, table, rows, **values):
    store.execute(FILL.format(rows=rows, table=table, columns=", ".join(values), values=", ".join(values.values())))


def an_observation(session):
    texts = dict.fromkeys(("title", "content", "files", "lines"), "hex(zeroblob(100))")
    numbers = dict.fromkeys(("tokens", "checksum", "redaction_version", "scan_level", "index_version", "created_at"), "1")
    names = dict.fromkeys(("public_id", "event_id"), f"n || ' in {session}'")
    return {"session_id": session, "seq": "n", **names, **texts, **numbers, "type": "'note'", "origin": "'user'"}


def steps(store, order):
    """Return how many steps of SQLite's machine it takes to run an order, in tens."""
    taken = []
    store.db.set_progress_handler(lambda: taken.append(1), 10)
    order()
    store.db.set_progress_handler(None, 0)
    return len(taken) * 10


def test_what_ran_last_is_found_in_a_large_memory_without_a_command_at_the_price_of_a_small_one(a_session):
    names = {"public_id": "'sess-' || n", "client_session": "'s-' || n", "project_path": "''", "source": "''", "agent": "''"}
    fill(a_session.store, "sessions", ROWS, **names, fence="''", context_since="0", started_at="n")
    fill(a_session.store, "observations", ROWS, **an_observation(f"n + {a_session.number}"))
    fill(a_session.store, "observations", ROWS, **an_observation(f"{ROWS + a_session.number}"))
    assert steps(a_session.store, lambda: sessions.ran(a_session.store, ["feat"])) < 5_000
