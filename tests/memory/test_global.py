"""The memory of all projects, as the hooks read it beside the project's own."""

import sqlite3
import stat
from contextlib import closing

import pytest

from ralph_mem.core import notices, project
from ralph_mem.core.project import Project
from ralph_mem.memory import opening
from ralph_mem.memory.inject import prompting
from ralph_mem.memory.rows import reading, records
from ralph_mem.memory.store import connection, schema
from tests.sessions import DAY, Session, a_note, receipts_of


@pytest.fixture
def another_project(tmp_path):
    """Start a session in a second project."""
    folder = tmp_path / "workshop"
    folder.mkdir()
    session = Session(opening.open_ready(Project(str(folder))), Project(str(folder)), "elsewhere")
    session.starts("resume")
    return session


def test_it_lies_in_the_config_home_for_the_owner_alone(a_global_session, a_home):
    folder = a_home / ".config" / "ralph-mem"
    assert a_global_session.store.folder == str(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "memory.db").stat().st_mode) == 0o600


def test_git_ignores_it_where_people_keep_their_config_in_git(a_global_session, a_home):
    assert (a_home / ".config" / "ralph-mem" / ".gitignore").read_text().split() == ["memory.db*", "lock", "spool/"]


def test_without_a_home_there_is_none(the_environment):
    the_environment(HOME="", XDG_CONFIG_HOME="")
    assert project.everywhere() is None and connection.connect_global(100) is None


def test_reading_does_not_make_it(a_session, a_home):
    a_session.starts("clear")
    a_session.asks("Where is the tungsten?")
    assert connection.connect_global(100) is None and not (a_home / ".config").exists()


def test_its_notes_are_told_at_the_start_of_any_project(a_global_session, a_session, another_project):
    name = a_global_session.notes("Releases go out with make ship")
    for session in (a_session, another_project):
        assert f"- [{name}, 2026-01-01] user: Releases go out with make ship" in session.starts("clear")


def test_its_notes_are_told_at_a_prompt_in_any_project(a_global_session, a_session, another_project):
    a_global_session.notes("The tungsten is on the shelf")
    for session in (a_session, another_project):
        assert "The tungsten is on the shelf" in session.asks("tungsten?")


def test_another_projects_notes_are_told_nowhere_else(a_global_session, a_session, another_project):
    a_session.notes("The tungsten is on the shelf")
    assert another_project.starts("clear") == another_project.asks("tungsten?") == ""


def test_it_is_told_once_in_a_session_and_leaves_its_receipt_there(a_global_session, a_session):
    name = a_global_session.notes("The tungsten is on the shelf", "behind the ladder")
    assert name in a_session.asks("tungsten?")
    assert a_session.asks("tungsten again?") == ""
    items = receipts_of(a_session.store, a_session.number)
    assert [(line[4], line[5]) for line in items if line[5] != "missed"] == [(name, "full")]
    assert a_global_session.rows("SELECT count(*) FROM receipts") == [(0,)]


def test_its_sessions_are_not_mistaken_for_those_of_the_project(a_global_session, a_session):
    assert a_global_session.number == a_session.number
    a_global_session.notes("The tungsten is on the shelf")
    assert "tungsten" in a_session.asks("tungsten?")


def test_turns_are_told_only_of_the_project(a_global_session, a_session):
    a_global_session.has_a_turn("Where is the quartz?", "Nowhere.")
    assert a_session.starts("clear") == ""


@pytest.mark.parametrize(("own", "shared", "expected"), [(3, 3, (2, 1)), (1, 3, (1, 1)), (0, 3, (0, 3)), (3, 0, (3, 0))])
def test_it_is_at_most_half_of_what_a_prompt_is_told(a_global_session, a_session, another_session, own, shared, expected):
    names = [a_session.notes(f"The tungsten and the zirconium {number}") for number in range(own)]
    others = [a_global_session.notes(f"The zirconium and the tungsten {number}") for number in range(shared)]
    text = another_session.asks("tungsten zirconium?")
    assert (sum(name in text for name in names), sum(name in text for name in others)) == expected


def test_its_best_comes_first_where_it_fits_better(a_global_session, a_session, another_session):
    a_session.has_a_turn("Where is the tungsten?", "Between all the other things that we keep " * 9)
    a_session.now += 30 * DAY
    another_session.now = a_global_session.now = a_session.now
    name = a_global_session.notes("Tungsten, zirconium, basalt")
    assert another_session.asks("tungsten zirconium basalt?").splitlines()[2].startswith(f"- [{name}")


def test_the_number_of_memories_that_are_told_stays_the_same(a_global_session, a_session, another_session):
    for number in range(3):
        a_session.notes(f"The tungsten and the zirconium {number}")
        a_global_session.notes(f"The tungsten and the zirconium {number}")
    lines = [line for line in another_session.asks("tungsten zirconium?").splitlines() if line.startswith("- [")]
    assert len(lines) == prompting.MOST_ITEMS


def test_what_is_pinned_in_it_comes_behind_what_the_project_pinned(a_global_session, a_session, another_session):
    own, shared = a_session.notes("The tungsten is dear"), a_global_session.notes("The zirconium is cheap")
    note = a_session.notes("The basalt is heavy")
    for session in (a_session, a_global_session):
        session.rows("UPDATE observations SET pinned = 1 WHERE public_id IN (?, ?)", own, shared)
        session.store.set_property(reading.WAS_PINNED, 1)
    text = another_session.starts("clear")
    assert text.index(own) < text.index(shared) < text.index(note)


def test_text_in_it_is_fenced_and_redacted_like_any_other(a_global_session, a_session):
    a_global_session.notes("The tungsten </ralph-mem-x> key XK-7731")
    a_session.settings["privacy.redact_patterns"] = [r"XK-\d+"]
    text = a_session.asks("tungsten?")
    assert "XK-7731" not in text and "</ralph-mem-x>" not in text and "&lt;/ralph-mem-x>" in text


# Where it cannot be read


def break_it(how, folder):
    """Put something in the place of the memory of all projects that cannot be read as one."""
    folder.mkdir(parents=True)
    if how == "no database":
        (folder / "memory.db").write_bytes(b"lanterns " * 1000)
    elif how == "a newer release":
        with closing(sqlite3.connect(folder / "memory.db")) as db:
            db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    else:
        (folder / "memory.db").mkdir()


@pytest.mark.parametrize("how", ["no database", "a newer release", "a folder"])
def test_where_it_is_broken_the_projects_own_memory_is_told_and_the_user_hears_of_it(a_session, another_session, a_home, how):
    break_it(how, a_home / ".config" / "ralph-mem")
    a_session.has_a_turn("Where is the tungsten?", "In the cellar.")
    assert "cellar" in another_session.asks("tungsten?")
    assert "the memory of all projects could not be read" in notices.take(a_session.project.root)
    assert "cellar" in Session(a_session.store, a_session.project, "third", a_session.now).starts("clear")
    told = "was damaged" if how == "no database" else "could not be read"  # a session start repairs what is damaged
    assert f"the memory of all projects {told}" in notices.take(a_session.project.root)


def test_a_start_brings_it_up_to_date(a_session, a_home):
    folder = a_home / ".config" / "ralph-mem"
    place = project.everywhere()
    opening.prepare(place)
    with closing(sqlite3.connect(folder / "memory.db", isolation_level=None)) as db:
        for statement in schema.MIGRATIONS[0]:
            db.execute(statement)
        db.execute("INSERT INTO properties VALUES ('project_id', 'project-old')")
        db.execute("PRAGMA user_version = 1")
    a_session.starts("clear")
    opened = connection.connect_global(100)
    assert opened.one("PRAGMA user_version") == (schema.VERSION,)


def test_its_notes_are_told_whole_beside_those_of_the_project(a_global_session, a_session):
    a_global_session.store.begin()
    records.apply(a_global_session.store, a_note(a_global_session, title="tungsten " * 30))
    a_global_session.store.commit()
    a_session.notes("The quartz is cheap")
    text = a_session.starts("clear")
    assert ("tungsten " * 30).strip() in text and "quartz" in text
