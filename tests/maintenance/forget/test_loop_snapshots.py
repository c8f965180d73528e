"""What loops keep and that holds what was forgotten: named until somebody decides, and no verdict says that no file holds it."""

import subprocess
from pathlib import Path

import pytest

from ralph_mem.core import paths, rooms
from ralph_mem.core import project as projects
from ralph_mem.maintenance.forget import erase, select, verify
from ralph_mem.maintenance.forget import pending as erasure_report
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.ralph import runs
from ralph_mem.ralph.git import copies, repository
from ralph_mem.ralph.snapshot import listing, store, taking
from tests.readers import reader_of

SECRET = "Quetzalcoatlus sleeps below the attic"
SHORT = "attic"
NO_FILE = "no file kept for this project or for all projects holds the text any more"


@pytest.fixture
def a_past(a_session):
    """Have a file of the person that says it, a loop that took snapshots of it, and a turn that says it."""
    Path(a_session.project.root, "plan.txt").write_text(f"{SECRET}.\n" + "the rest of the plan\n" * 40)
    with store.open_store(a_session.project) as snapshots:
        taking.take(snapshots, "start", run="loop-1", scope=listing.DEFAULT)
    Path(a_session.project.root, "plan.txt").unlink()
    with store.open_store(a_session.project) as snapshots:
        taking.take(snapshots, "start", run="loop-2", scope=listing.DEFAULT)
    a_session.has_a_turn(f"{SECRET}.", "Let it.")
    return a_session


def chosen(session, snapshots=False, **filters):
    return select.choose(reader_of(session), selections.Selection(**filters), snapshots=snapshots)


def forget(session, snapshots=False, **filters):
    choice = chosen(session, snapshots, **filters)
    return erase.forget(reader_of(session), choice.plans, snapshots=choice.runs())


def raw(text):
    """Return which files of snapshots hold a text, packed or as it is."""
    return list(verify.holding(verify.inside(paths.data_home() + "/snapshots"), {"": [text.lower()]}))


@pytest.mark.check
@pytest.mark.parametrize("query", [SECRET, SHORT, ""])
def test_while_a_snapshot_holds_it_no_verdict_says_that_no_file_does(a_past, query):
    names = [] if query else a_past.store.one("SELECT public_id FROM turns")
    report = forget(a_past, query=query, ids=names)
    assert [what for what, _ in report.pending] == ["the snapshots of loop-1"] and not report.is_clean()
    assert NO_FILE not in "\n".join(erasure_report.lines_of_report(report)) and raw(SECRET)


@pytest.mark.check
@pytest.mark.parametrize("query", [SECRET, SHORT, ""])
def test_what_the_report_names_can_be_done_although_the_rows_are_gone(a_past, query):
    names = [] if query else list(a_past.store.one("SELECT public_id FROM turns"))
    forget(a_past, query=query, ids=names)
    choice = chosen(a_past, snapshots=True, query=query, ids=names)
    assert select.preview(reader_of(a_past), choice) == [
        "loop-1  its snapshots, copy of git and room: it cannot be rolled back then"
    ]
    report = forget(a_past, snapshots=True, query=query, ids=names)
    assert (
        report.changed["snapshots"] == ["loop-1"]
        and report.is_clean()
        and NO_FILE in "\n".join(erasure_report.lines_of_report(report))
    )
    assert raw(SECRET) == []
    with pytest.raises(selections.NothingFits):
        chosen(a_past, snapshots=True, query=query, ids=names)


def test_all_with_snapshots_takes_those_of_every_finished_loop(a_past):
    choice = chosen(a_past, snapshots=True, everything=True)
    assert choice.runs() == ["loop-1", "loop-2"]
    report = erase.forget(reader_of(a_past), choice.plans, snapshots=choice.runs())
    assert report.is_clean() and NO_FILE in "\n".join(erasure_report.lines_of_report(report)) and raw(SECRET) == []


def test_all_with_snapshots_leaves_nothing_of_loops_their_records_neither(a_past):
    runs.create(a_past.project, "loop-3", {"goal": "keep the basalt dry"})
    assert "loop-3" in chosen(a_past, snapshots=True, everything=True).runs()
    assert forget(a_past, snapshots=True, everything=True).is_clean()
    places = ("snapshots", "loops", "rooms", "git-copies")
    assert [name for name in places if Path(paths.data_home(), name, paths.key_of(a_past.project.top)).exists()] == []


@pytest.mark.check
def test_all_without_snapshots_leaves_them_and_says_so_until_they_are_taken(a_past):
    assert not forget(a_past, everything=True).is_clean() and raw(SECRET)
    assert chosen(a_past, snapshots=True, everything=True).runs() == ["loop-1", "loop-2"]
    assert forget(a_past, snapshots=True, everything=True).is_clean() and raw(SECRET) == []


def test_what_is_confirmed_with_snapshots_is_not_what_is_shown_without(a_past):
    assert len({chosen(a_past, snapshots, query=SECRET).digits for snapshots in (False, True)}) == 2


def test_a_shorter_line_in_a_snapshot_is_told_and_keeps_nothing_pending(a_past):
    a_past.has_a_turn("the rest of the plan", "Fine.")
    report = forget(a_past, ids=a_past.store.one("SELECT public_id FROM turns WHERE prompt LIKE 'the rest%'"))
    assert report.is_clean() and NO_FILE not in "\n".join(erasure_report.lines_of_report(report))


# What git knew, and rooms

AUTHOR = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]


@pytest.fixture
def a_copy_of_git(a_session):
    """Have a commit that says it in its message and in a file, the copies of git of two loops, and a turn that says it."""
    root = a_session.project.root
    Path(root, "plan.txt").write_text(f"{SECRET}.")
    for words in (["init", "-q"], ["add", "plan.txt"], [*AUTHOR, "commit", "-q", "-m", SECRET]):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    a_session.project = projects.find(root)
    for run in ("loop-1", "loop-2"):
        copies.keep(a_session.project, [repository.of(a_session.project)], run, 1 << 30, root)
    a_session.has_a_turn(f"{SECRET}.", "Let it.")
    return a_session


@pytest.fixture
def a_room(a_session):
    """Have the room of a loop in which a file that git ignores says it, and a turn that says it."""
    cache = Path(rooms.top_of(a_session.project.tree, "loop-1"), "cache", "x")
    cache.parent.mkdir(parents=True)
    cache.write_text(f"{SECRET}.")
    a_session.has_a_turn(f"{SECRET}.", "Let it.")
    return cache


@pytest.mark.parametrize("query", [SECRET, SHORT])
def test_while_a_copy_of_git_holds_it_no_verdict_says_that_no_file_does(a_copy_of_git, query):
    report = forget(a_copy_of_git, query=query)
    assert [what for what, _ in report.pending] == ["the copy of git of loop-1", "the copy of git of loop-2"]
    assert NO_FILE not in "\n".join(erasure_report.lines_of_report(report))


def test_copies_of_git_go_with_snapshots_although_the_rows_are_gone(a_copy_of_git):
    forget(a_copy_of_git, query=SECRET)
    report = forget(a_copy_of_git, snapshots=True, query=SECRET)
    assert report.changed["snapshots"] == ["loop-1", "loop-2"] and report.is_clean()
    assert not Path(copies.folder_of(a_copy_of_git.project)).exists()


def test_a_copy_of_git_that_does_not_hold_it_stays(a_copy_of_git):
    a_copy_of_git.has_a_turn("Where is the basalt beside the fountain?", "Below.")
    assert forget(a_copy_of_git, snapshots=True, query="the basalt beside the fountain").is_clean()
    assert copies.read(a_copy_of_git.project, "loop-1")


def test_what_one_run_held_alone_of_git_goes_with_it_down_to_its_bytes(a_copy_of_git):
    root = a_copy_of_git.project.root
    Path(root, "more.txt").write_text("basalt beside the fountain")
    for words in (["add", "more.txt"], [*AUTHOR, "commit", "-q", "-m", "more"]):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    copies.keep(a_copy_of_git.project, [repository.of(a_copy_of_git.project)], "loop-3", 1 << 30, root)
    copies.forget(a_copy_of_git.project, "loop-3")
    held = verify.holding(verify.inside(copies.folder_of(a_copy_of_git.project)), {"": ["basalt beside the fountain"]})
    assert held == {} and copies.read(a_copy_of_git.project, "loop-1")


def test_while_a_room_holds_it_no_verdict_says_that_no_file_does(a_session, a_room):
    report = forget(a_session, query=SECRET)
    assert [what for what, _ in report.pending] == ["the room of loop-1"]
    assert NO_FILE not in "\n".join(erasure_report.lines_of_report(report))


def test_a_room_goes_with_snapshots_although_the_rows_are_gone(a_session, a_room):
    forget(a_session, query=SECRET)
    assert forget(a_session, snapshots=True, query=SECRET).is_clean() and not a_room.exists()
