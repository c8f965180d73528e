"""What waits for a project outside of it goes where the project goes, and to no other one that takes its place."""

import posix
import shutil
from contextlib import closing

import pytest

from ralph_mem.core.project import Project
from ralph_mem.ralph import runs
from ralph_mem.ralph.lock import Lock
from ralph_mem.ralph.snapshot import listing, taking
from ralph_mem.ralph.snapshot import store as snapshots
from tests.hook import Hook
from tests.interfaces.cli.situations import held, written_by_a_later_release

WAITED = "make mast"
STORED = "SELECT prompt FROM turns UNION ALL SELECT title FROM observations"


@pytest.fixture
def waiting(tmp_path, plugin):
    """Have a session behind it in a project, and a command that its database could not take."""
    hook = Hook(tmp_path / "person", plugin)
    hook.start()
    hook.prompt("Where is the zeppelin?")
    with written_by_a_later_release(hook):
        hook.bash(WAITED, "ok")
    assert len(hook.spooled()) == 1
    return hook


def session_in(hook, name):
    """Begin a session of the same person in a folder; returns it, and the line that it is told."""
    later = hook.another(CLAUDE_PROJECT_DIR=str(hook.folder / name))
    later.project = hook.folder / name
    later.project.mkdir(exist_ok=True)
    return later, later.start().get("systemMessage", "")


def moved(hook, name):
    hook.project.rename(hook.folder / name)
    return hook.folder / name


def test_what_waits_follows_a_project_that_was_moved_and_is_there_at_once(waiting):
    moved(waiting, "store")
    later, told = session_in(waiting, "store")
    assert later.values(STORED) == ["Where is the zeppelin?", WAITED]
    assert "is stored now" in told and "copy" not in told
    assert later.spooled() == [] and later.damage() == []


def test_what_waits_follows_through_two_moves_of_which_nobody_was_told(waiting):
    moved(waiting, "store").rename(waiting.folder / "shop")
    assert session_in(waiting, "shop")[0].values(STORED)[1:] == [WAITED]


def test_a_line_that_is_still_to_be_told_follows_where_nothing_else_waits(waiting):
    waiting.bash("make anchor", "ok")
    assert waiting.spooled() == [] and waiting.trouble.exists()
    moved(waiting, "store")
    assert "is stored now" in session_in(waiting, "store")[1]
    assert not waiting.trouble.exists()


def test_what_could_not_be_stored_in_either_place_comes_in_from_both(waiting):
    place = moved(waiting, "store")
    later = waiting.another(CLAUDE_PROJECT_DIR=str(place))
    later.project = place
    with held(later, "writing"):
        later.bash("make anchor", "ok")
    later.start()
    later.prompt("Where now?")
    assert sorted(later.values(STORED)) == sorted(["Where is the zeppelin?", "Where now?", WAITED, "make anchor"])


def test_a_copy_takes_nothing_along(waiting):
    shutil.copytree(waiting.project, waiting.folder / "copy")
    copy, told = session_in(waiting, "copy")
    assert "this memory is a copy" in told and "be stored" not in told
    assert (copy.values(STORED), len(waiting.spooled())) == (["Where is the zeppelin?"], 1)
    waiting.stop("It did.")
    assert waiting.values(STORED) == ["Where is the zeppelin?", WAITED] and waiting.spooled() == []


@pytest.mark.check
@pytest.mark.parametrize("first", ["the new one", "the moved one"])
def test_a_new_project_in_the_old_place_gets_nothing_of_it(waiting, first):
    moved(waiting, "store")
    for name in ["project", "store"] if first == "the new one" else ["store", "project"]:
        session_in(waiting, name)[0].prompt("Where am I?")
    assert session_in(waiting, "project")[0].values(STORED) == ["Where am I?"]
    assert session_in(waiting, "store")[0].values(STORED) == ["Where is the zeppelin?", "Where am I?", WAITED]
    assert waiting.spooled() == []


def test_another_project_that_is_moved_to_the_old_place_gets_nothing_of_it(waiting):
    other, _ = session_in(waiting, "other")
    other.prompt("Where am I?")
    moved(waiting, "store")
    moved(other, "project")
    assert session_in(waiting, "project")[0].values(STORED) == ["Where am I?"]
    assert session_in(waiting, "store")[0].values(STORED) == ["Where is the zeppelin?", WAITED]


def test_a_memory_that_was_deleted_is_not_brought_back_by_what_waited_for_it(waiting):
    shutil.rmtree(waiting.memory)
    assert waiting.prompt("Is it gone?") == {} and not waiting.memory.exists()
    later, _ = session_in(waiting, "project")
    later.prompt("Where am I?")
    assert later.values(STORED) == ["Where am I?"]


def test_what_waited_before_there_could_be_a_memory_comes_into_the_first_one(waiting):
    shutil.rmtree(waiting.memory)
    waiting.memory.write_text("a file where the folder belongs")
    waiting.start()
    waiting.prompt("Is it kept?")
    waiting.memory.unlink()
    assert session_in(waiting, "project")[0].values(STORED) == ["Is it kept?"]


def test_a_damaged_memory_keeps_what_waits_for_it(waiting):
    for path in waiting.memory.glob("memory.db-*"):
        path.unlink()
    waiting.database.write_bytes(b"SQLite format 3\0" + b"x" * 9000)
    session_in(waiting, "project")
    assert WAITED in session_in(waiting, "project")[0].values(STORED)


# Loops and snapshots lie outside of the project as well, by its path


@pytest.fixture
def looped(tmp_path, plugin, monkeypatch):
    """Have a loop behind it in a project, with a snapshot of its files, and be the person whose project it is."""
    hook = Hook(tmp_path / "person", plugin)
    hook.start()
    (hook.project / "mast.txt").write_text("oak")
    monkeypatch.setattr(posix, "environ", {name.encode(): value.encode() for name, value in hook.environment.items()})
    place = Project(str(hook.project))
    runs.create(place, "loop-1", {"goal": "raise the mast", "at": 1})
    with closing(snapshots.open_store(place)) as opened:
        taking.take(opened, "start", run="loop-1", scope=listing.DEFAULT)
    return hook


def kept(hook, name):
    """Return the runs and the labels of the snapshots that a project in a folder has."""
    place = Project(str(hook.folder / name))
    opened = snapshots.open_to_read(place)
    labels = opened.query("SELECT label FROM snapshots") if opened else []
    return [run.id for run in runs.all(place)], [label for (label,) in labels]


def test_loops_and_snapshots_follow_a_project_that_was_moved(looped):
    moved(looped, "store")
    assert kept(looped, "store") == ([], [])
    session_in(looped, "store")
    assert kept(looped, "store") == (["loop-1"], ["start"])
    assert kept(looped, "project") == ([], [])


def test_a_copy_has_no_loops_of_its_original(looped):
    shutil.copytree(looped.project, looped.folder / "copy")
    session_in(looped, "copy")
    assert (kept(looped, "copy"), kept(looped, "project")) == (([], []), (["loop-1"], ["start"]))


def test_loops_join_those_that_have_begun_in_the_new_place(looped):
    place = moved(looped, "store")
    runs.create(Project(str(place)), "loop-2", {"goal": "raise the anchor", "at": 2})
    session_in(looped, "store")
    assert kept(looped, "store") == (["loop-1", "loop-2"], ["start"])


def test_the_record_of_a_loop_that_is_at_work_stays_where_the_loop_finds_it(looped):
    with Lock(Project(str(looped.project))):
        moved(looped, "store")
        session_in(looped, "store")
        assert kept(looped, "project")[0] == ["loop-1"]
