from pathlib import Path

import pytest

from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.memory.recall import lookup
from tests.bench.conftest import a_memory, a_query, a_set
from tests.sessions import check, found

WORK = {
    "title": "fix the boat",
    "files": ["src/boat.py", "README.md"],
    "reads": ["src/pier.py"],
    "lines": ["make test", "-old plank", "+new plank"],
}


@pytest.fixture
def remembered(read):
    """Write memories into a throwaway database, and keep it until the test is over."""
    opened = []

    def writing(*memories, **options):
        throwaway = Throwaway(**options).__enter__()
        opened.append(throwaway)
        throwaway.remember(read(a_set(a_query("x", memories[0]["id"]), memories=list(memories))).projects[0].memories)
        return throwaway

    yield writing
    for each in opened:
        each.__exit__(None, None, None)


def rows(throwaway, sql):
    return throwaway.store.execute(sql).fetchall()


def test_a_memory_with_a_title_is_a_turn_as_the_hooks_leave_it(remembered):
    throwaway = remembered(a_memory(0, "It floats.", **WORK))
    columns = "prompt, response, files, files_read, lines, kind, status, origin, created_at"
    assert rows(throwaway, f"SELECT {columns} FROM turns") == [
        (
            *("fix the boat", "It floats.", "src/boat.py\nREADME.md\n", "src/pier.py\n", "passed: make test"),
            *("prompt", "stopped", "user", 1_767_268_800_000),
        )
    ]
    check(throwaway.store)


def test_what_a_turn_ran_and_changed_are_raw_rows_of_it(remembered):
    throwaway = remembered(a_memory(0, "It floats.", **WORK))
    assert rows(throwaway, "SELECT tool_name, title, content, turn_id FROM observations ORDER BY tool_name") == [
        ("Bash", "make test", "", 1),
        ("Edit", "src/boat.py", "-old plank\n+new plank", 1),
    ]
    assert found(throwaway.store, "memory_fts", "plank") == []
    assert len(found(throwaway.store, "observations_fts", "plank")) == 1


def test_a_memory_without_a_title_is_a_note_of_its_speaker(remembered):
    throwaway = remembered(a_memory(0, "The boat leaks.\nBadly.", role="Ada", files=["src/boat.py"]))
    columns = "type, origin, title, content, files, speaker, created_at"
    assert rows(throwaway, f"SELECT {columns} FROM observations") == [
        ("note", "user", "The boat leaks.", "Badly.", "src/boat.py", "Ada", 1_767_268_800_000)
    ]


def test_a_session_ends_when_the_next_one_begins_and_goes_on_when_it_comes_again(remembered):
    throwaway = remembered(*[a_memory(number, f"day {number}", session) for number, session in enumerate("abac")])
    started = rows(throwaway, "SELECT client_session, started_at, ended_at IS NULL FROM sessions ORDER BY id")
    first, day = 1_767_268_800_000, 86_400_000
    assert started == [("a", first, 0), ("b", first + day, 0), ("c", first + 3 * day, 1)]


@pytest.mark.parametrize("title", ["", None])
def test_a_memory_of_which_nothing_is_left_is_no_trouble(remembered, title):
    throwaway = remembered(a_memory(0, "", title=title), a_memory(1, "a heron"))
    assert [throwaway.names[name] for (name,) in rows(throwaway, "SELECT public_id FROM observations")] == ["m1"]


def test_a_secret_is_redacted_as_everywhere(remembered):
    secret = "ghp_" + "a1B2c3D4" * 5
    turn = a_memory(0, f"use {secret}", title=f"what is {secret}", lines=[f"login {secret}"])
    throwaway = remembered(turn, a_memory(1, secret + " x"))
    stored = rows(throwaway, "SELECT prompt, response, lines FROM turns UNION ALL SELECT title, content, lines FROM observations")
    assert len(stored) == 3 and secret not in str(stored)


def test_rows_lead_back_to_their_memories(remembered):
    throwaway = remembered(a_memory(0, "It floats.", **WORK), a_memory(1, "A heron sat on the roof."))
    every = [row for table in (lookup.TURN, lookup.OBSERVATION) for row in throwaway.reader.rows(throwaway.store, table)]
    assert sorted((row.type, throwaway.name_of(row)) for row in every) == [
        *(("note", "m1"), ("success", "m0"), ("tool_use", "m0"), ("turn", "m0")),
    ]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_the_folder_is_gone_afterwards_whatever_happened(error):
    folders = []

    def fails():
        with Throwaway() as throwaway:
            folders.append(Path(throwaway.folder.name))
            assert list(folders[0].rglob("memory.db"))
            raise error

    with pytest.raises(error):
        fails()
    assert not folders[0].exists()


def test_a_home_is_not_touched(remembered, a_home):
    remembered(a_memory(0, "It floats.", **WORK), a_memory(1, "A heron."))
    assert list(a_home.rglob("*")) == []


def test_a_second_run_writes_the_same_ids(remembered):
    one, other = [remembered(a_memory(0, "It floats.", **WORK), a_memory(1, "A heron.")) for _ in range(2)]
    assert one.names == other.names and len(one.names) == 2


def test_where_it_learns_what_was_said_is_a_fact_that_goes_by_the_id_of_its_turn(remembered):
    said = a_memory(0, "It floats.", title="Fix the boat. Always paint the hull before you launch it.")
    throwaway = remembered(said, learns=True)
    assert rows(throwaway, "SELECT title, status FROM facts JOIN observations USING (id)") == [
        ("Always paint the hull before you launch it.", "active")
    ]
    assert set(throwaway.names.values()) == {said["id"]} and len(throwaway.names) == 2
