"""The database: what goes in comes out, once, in order, with its index entry."""

import fcntl
import os
import posix
import re

import pytest

from ralph_mem.core.errors import StoreError, UnknownSession
from ralph_mem.core.project import Project
from ralph_mem.memory import opening
from ralph_mem.memory.rows import notes, records, rewrite, row
from ralph_mem.memory.store import connection
from tests.sessions import NOON, a_note, check, found, observations_of, sessions_of, words_of

RAW_TYPES = ("tool_use", "error", "success", "response", "fact", "item")
MEMORY_TYPES = ("note", "decision", "summary")


def an_observation(session, number=1, /, **changes):
    usual = {"verb": "observation", "type": "tool_use", "event_id": f"tool:{number}", "tool_name": "Bash"}
    return a_note(session, **{**usual, "title": f"make lamps {number}", **changes})


# Sessions (RM-03)


def test_a_session_comes_back_as_it_was_stored(a_session):
    stored = "SELECT public_id, project_path, started_at, ended_at, summary FROM sessions"
    ((public_id, *rest),) = a_session.rows(stored)
    assert re.fullmatch("sess-[a-z2-9]{10}", public_id) and rest == [a_session.project.root, NOON + 1000, None, None]
    a_session.sends("session-end", reason="logout")
    ((_, _, started, ended, summary),) = a_session.rows(stored)
    assert (started, ended) == (NOON + 1000, NOON + 2000) and summary


def test_sessions_are_listed_by_project_newest_first(a_session, another_session):
    records.apply(a_session.store, {"verb": "session", "session": "far", "project": "/far", "source": "startup", "at": NOON})
    listed = sessions_of(a_session.store, a_session.project.root)
    assert [started for _, _, started, _, _ in listed] == [another_session.now, a_session.now]
    assert [row[1] for row in sessions_of(a_session.store, "/far")] == ["/far"]
    assert sessions_of(a_session.store, "/nowhere") == []


def test_ending_a_session_twice_changes_nothing(a_session):
    record = {"verb": "end", "session": a_session.name, "at": NOON + 9000, "reason": "logout"}
    records.apply(a_session.store, record)
    before = a_session.rows("SELECT * FROM sessions")
    records.apply(a_session.store, record)
    assert a_session.rows("SELECT * FROM sessions") == before


# Observations (RM-04)


@pytest.mark.parametrize("kind", RAW_TYPES)
def test_an_observation_comes_back_as_it_was_stored(a_session, kind):
    record = an_observation(a_session, type=kind, content="three lamps", metadata='{"exit": 2}')
    records.apply(a_session.store, record)
    ((public_id, *rest),) = observations_of(a_session.store, a_session.number)
    assert re.fullmatch("obs-[a-z2-9]{10}", public_id)
    assert rest == [kind, "Bash", "make lamps 1", "three lamps", '{"exit": 2}', record["at"]]


@pytest.mark.parametrize("kind", MEMORY_TYPES)
def test_a_memory_of_its_own_comes_back_as_it_was_stored(a_session, kind):
    records.apply(a_session.store, a_note(a_session, type=kind, content="lamps need fuses"))
    ((_, *rest),) = observations_of(a_session.store, a_session.number)
    assert rest[:4] == [kind, None, "a note", "lamps need fuses"]
    assert found(a_session.store, "memory_fts", "fuses") and not found(a_session.store, "observations_fts", "fuses")


def test_every_type_there_is_can_be_stored():
    assert sorted(row.TYPES) == sorted(RAW_TYPES + MEMORY_TYPES)


@pytest.mark.parametrize("kind", ["", "thought", "Note", None])
def test_an_unknown_type_is_rejected(a_session, kind):
    for verb in ("observation", "memory"):
        with pytest.raises(StoreError, match="unknown type") as refused:
            records.apply(a_session.store, an_observation(a_session, verb=verb, type=kind))
        assert "tool_use" in refused.value.hint
    assert a_session.observations("*") == []


@pytest.mark.parametrize("verb", ["observation", "memory", "turn", "close"])
def test_an_event_of_a_session_that_nobody_started_starts_it(a_store, a_session, verb):
    turn = {
        "turn": "prompt:1",
        "prompt": "lamp",
        "response": "",
        "status": "stopped",
        "kind": "prompt",
        "branch": None,
        "commit_id": None,
    }
    records.apply(a_store, an_observation(a_session, verb=verb, session="stranger", **turn))
    assert a_session.rows("SELECT source, project_path FROM sessions WHERE client_session = 'stranger'") == [
        ("unknown", a_session.project.root)
    ]


def test_the_functions_themselves_say_that_a_session_is_unknown(a_session):
    with pytest.raises(UnknownSession):
        records.add(a_session.store, an_observation(a_session, session="stranger"))


# Once, in order


@pytest.mark.parametrize("verb", ["observation", "memory"])
def test_the_same_event_twice_is_one_row(a_session, verb):
    for content in ("lamps", "fuses"):
        records.apply(a_session.store, an_observation(a_session, content=content, verb=verb))
    assert a_session.observations("content") == [("lamps",)]
    index = "memory_fts" if verb == "memory" else "observations_fts"
    assert (len(found(a_session.store, index, "lamps")), found(a_session.store, index, "fuses")) == (1, [])
    check(a_session.store)


def test_the_same_prompt_twice_is_one_turn(a_session):
    for prompt in ("once", "twice"):
        a_session.asks(prompt, prompt_id="p-1")
    assert a_session.turns("prompt, status") == [("once", "open")]


@pytest.mark.parametrize("step", [0, -1, -3_600_000, 86_400_000])
def test_the_order_is_that_of_the_events_whatever_the_clock_says(a_session, step):
    for _ in range(3):
        a_session.asks("lamp")
        a_session.runs("make lamps")
        a_session.edits("lamp.py")
        a_session.now += step - 3000
    order = a_session.rows("SELECT seq, created_at FROM (SELECT seq, created_at, 0 AS later, id FROM turns UNION ALL"
                           " SELECT seq, created_at, 1, id FROM observations) ORDER BY seq")  # fmt: skip
    assert len({seq for seq, _ in order}) == 9
    kinds = a_session.rows("SELECT kind FROM (SELECT seq, 'asks' AS kind FROM turns UNION ALL SELECT seq, title FROM observations)"
                           " ORDER BY seq")  # fmt: skip
    assert kinds == 3 * [("asks",), ("make lamps",), ("lamp.py",)]


def test_the_commands_of_a_turn_stay_its_own_when_the_clock_goes_back(a_session):
    a_session.asks("Are the lamps made?")
    a_session.now -= 3_600_000
    a_session.runs("make lamps")
    a_session.is_answered("Yes.")
    assert a_session.turns("lines") == [("passed: make lamps",)]


# Index and rows in step (RM-07)


def test_a_deleted_observation_leaves_its_index(a_session):
    for number in range(3):
        records.apply(
            a_session.store, an_observation(a_session, number, content=f"lampWord{number} 電球", files="src/lampFile.py\n")
        )
    public_id = a_session.observations("public_id")[1][0]
    assert rewrite.delete(a_session.store, public_id)
    assert not rewrite.delete(a_session.store, public_id)
    assert [len(found(a_session.store, "observations_fts", f"lampWord{number}")) for number in range(3)] == [1, 0, 1]
    for (public_id,) in a_session.observations("public_id"):
        rewrite.delete(a_session.store, public_id)
    assert words_of(a_session.store, "observations_fts") == {}
    check(a_session.store)


@pytest.mark.parametrize("kind", MEMORY_TYPES)
def test_a_deleted_memory_leaves_its_index(a_session, kind):
    records.apply(a_session.store, a_note(a_session, type=kind, content="lamps need fuses"))
    assert rewrite.delete(a_session.store, a_session.observations("public_id")[0][0])
    assert a_session.rows("SELECT count(*) FROM memories") == [(0,)]
    assert (words_of(a_session.store, "memory_fts"), words_of(a_session.store, "observations_fts")) == ({}, {})
    check(a_session.store)


def test_as_many_are_found_as_were_stored(a_session):
    for number in range(50):
        records.apply(a_session.store, an_observation(a_session, number, content="lamp " * (number + 1)))
    assert (
        len(found(a_session.store, "observations_fts", "lamp")) == a_session.rows("SELECT count(*) FROM observations")[0][0] == 50
    )
    check(a_session.store)


def test_an_event_that_fails_half_way_leaves_neither_row_nor_index(a_session):
    before = words_of(a_session.store, "observations_fts")
    a_session.store.begin()
    records.apply(a_session.store, an_observation(a_session, content="halfway"))
    a_session.store.roll_back()
    assert (a_session.observations("*"), words_of(a_session.store, "observations_fts")) == ([], before)
    a_session.store.roll_back()


# The transaction and the file


@pytest.mark.parametrize(("durable", "synchronous"), [(True, 2), (False, 1)])
def test_a_durable_transaction_waits_for_the_disk(a_store, durable, synchronous):
    a_store.begin(durable)
    assert a_store.one("PRAGMA synchronous") == (synchronous,)
    a_store.commit()


def a_folder_of(top, length):
    """Make a folder whose path has so many bytes."""
    while len(str(top)) < length - 200:
        top = top / ("y" * 90)
    top = top / ("q" * (length - len(str(top)) - 1))
    top.mkdir(parents=True)
    return Project(str(top))


def test_a_project_whose_path_is_too_long_for_a_database_is_told_that(tmp_path):
    opening.open_ready(a_folder_of(tmp_path, 483)).close()
    with pytest.raises(StoreError, match=r"too long for a database \(484 bytes, 483 at most\)") as raised:
        opening.open_ready(a_folder_of(tmp_path / "longer", 484))
    assert raised.value.hint == "move the project to a folder with a shorter path"


def test_a_writer_waits_no_longer_than_it_may(a_store, a_project):
    a_store.begin()
    other = connection.connect(a_project.folder, 20)
    with pytest.raises(connection.sqlite.OperationalError, match="locked"):
        other.begin()
    a_store.commit()
    other.begin()
    other.roll_back()


def test_what_one_connection_commits_another_one_reads(a_session):
    a_session.runs("make lamps")
    other = connection.connect(a_session.project.folder, 0)
    assert other.one("SELECT title FROM observations") == ("make lamps",)


@pytest.mark.parametrize("name", ["with space", "100%", "what?", "a#b", "ünï", "%41", "quote'\"", "new\nline", "a&mode=ro"])
def test_a_folder_may_have_any_name(tmp_path, name):
    (tmp_path / name).mkdir()
    opened = opening.open_ready(Project(str(tmp_path / name)))
    opened.set_property("key", 7)
    assert (tmp_path / name / ".ralph-mem" / "memory.db").is_file()
    assert (opened.property("key"), opened.property("other")) == (7, None)


def test_there_is_no_store_where_there_is_no_database(a_project):
    assert not connection.exists(a_project.folder)
    with pytest.raises(StoreError, match="cannot write"):
        connection.connect(a_project.folder, 0)
    os.mkdir(a_project.folder)
    with pytest.raises(StoreError, match="cannot open"):
        connection.connect(a_project.folder, 0)
    assert not connection.exists(a_project.folder)


def test_a_lock_that_is_a_link_is_not_followed(a_project, tmp_path):
    opening.open_ready(a_project)
    os.unlink(a_project.folder + "/lock")
    os.symlink(tmp_path / "theirs", a_project.folder + "/lock")
    with pytest.raises(StoreError, match="cannot write"):
        connection.connect(a_project.folder, 0)
    assert not (tmp_path / "theirs").exists()


def test_nobody_enters_while_another_tidies_up(a_store, a_project):
    file = posix.open(a_project.folder + "/lock", posix.O_RDWR)
    fcntl.flock(a_store.lock, fcntl.LOCK_UN)
    fcntl.flock(file, fcntl.LOCK_EX)
    with pytest.raises(StoreError, match="tidying up"):
        connection.connect(a_project.folder, 20)
    posix.close(file)
    assert connection.connect(a_project.folder, 20).one("PRAGMA user_version") == (connection.SCHEMA_VERSION,)


def test_the_log_is_emptied_only_when_nobody_else_is_there(a_session):
    for number in range(80):
        a_session.runs(f"make lamps {number}", "x" * 9000)
    other = connection.connect(a_session.project.folder, 0)
    a_session.store.tidy()
    assert a_session.store.log_bytes() > connection.SMALL_LOG_BYTES
    other.db.close()
    posix.close(other.lock)
    a_session.store.tidy()
    assert a_session.store.log_bytes() == 0
    assert len(found(a_session.store, "observations_fts", "lamps")) == 80
    check(a_session.store)


def test_memories_and_observations_share_the_rows_and_not_the_index(a_session):
    number = notes.add(a_session.store, a_note(a_session, content="fuse"))
    assert number == a_session.observations("id")[0][0]
    assert notes.add(a_session.store, a_note(a_session, content="fuse")) == 0


def test_a_small_log_is_left_to_a_later_stop(a_session):
    a_session.runs("make lamps", "two lamps")
    small = a_session.store.log_bytes()
    a_session.store.tidy()
    assert 0 < a_session.store.log_bytes() == small
