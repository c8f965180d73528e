"""A headless loop works in a folder of its own; its result comes to the person, who went on working meanwhile."""

import os
import shlex
import shutil
from pathlib import Path

import pytest

from ralph_mem.core import project as projects
from ralph_mem.core import rooms
from ralph_mem.ralph import display, headless, rolling_back, runs, stopping
from ralph_mem.ralph.loop import MEANWHILE
from ralph_mem.ralph.room import applying
from tests.ralph.loops import STEPS, git
from tests.ralph.snapshot.conftest import tree_of

MENDS = "; ".join(STEPS)


def in_a_room(loops, *steps, **wished):
    return loops.start(*steps, here=False, **wished)


def person(loops, command):
    """Return a step in which the person does something in their own folder while the agent is at work."""
    return f"(cd {shlex.quote(str(loops.top))} && {command})"


def applied(loops, run=None, to=""):
    """Bring a result as the command does; returns the report."""
    return applying.apply(loops.project, loops.values(), run or loops.latest(), to)[1]


def kept(report):
    return {path.decode(): why for path, why in report.kept}


# The way to green


def test_the_agent_works_elsewhere_and_its_result_comes_at_the_end(loops):
    run = in_a_room(loops, f"pwd >$here/where; cat {loops.top}/one.txt >$here/meanwhile; {MENDS}")
    where = (loops.bench / "where").read_text().strip()
    assert (run.status, run.room) == ("success", where)
    assert not where.startswith(str(loops.top))
    assert (loops.bench / "meanwhile").read_text() == "wrong\n"
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["right\n"] * 3


def test_a_room_whose_result_was_applied_is_gone(loops):
    run = in_a_room(loops, MENDS)
    assert not Path(run.room).exists()


def test_a_loop_that_fails_leaves_the_files_as_they_were(loops):
    run = in_a_room(loops, "echo better >one.txt; rm two.txt; echo new >new.txt", limits={"iterations": 1})
    assert run.reason == "max_iterations"
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["wrong\n"] * 3
    assert not (loops.top / "new.txt").exists()


def test_here_is_in_the_persons_own_files(loops):
    run = loops.start(f"pwd >$here/where; {MENDS}", here=True)
    assert ((loops.bench / "where").read_text().strip(), run.room) == (str(loops.top), "")


def test_a_loop_without_snapshots_works_here(loops):
    run = loops.start(MENDS, here=False, snapshot=False)
    assert (run.status, run.room, loops.text("one.txt")) == ("success", "", "right\n")


def test_what_was_not_committed_and_what_git_does_not_know_is_in_the_room(loops):
    a_repository(loops)
    loops.write("one.txt", "uncommitted\n")
    loops.write("new/untracked.txt", "untracked\n")
    in_a_room(loops, f"cat one.txt new/untracked.txt >$here/seen; git status --porcelain >$here/status; {MENDS}")
    assert (loops.bench / "seen").read_text() == "uncommitted\nuntracked\n"
    assert (loops.bench / "status").read_text() == " M one.txt\n?? new/\n"


def test_an_agent_without_a_change_leaves_a_room_that_equals_the_tree(loops):
    loops.write("bin/tool", "#!/bin/sh\n").chmod(0o751)
    (loops.top / "link").symlink_to("one.txt")
    (loops.top / "empty").mkdir()
    os.link(loops.top / "one.txt", loops.top / "twin.txt")
    run = in_a_room(loops, "true", limits={"iterations": 1})
    assert run.iterations[0].changed == []
    assert run.iterations[0].tree == run.start_tree
    assert os.stat(f"{run.room}/one.txt").st_ino != os.stat(loops.top / "one.txt").st_ino
    assert os.stat(f"{run.room}/one.txt").st_ino == os.stat(f"{run.room}/twin.txt").st_ino


def test_links_lead_to_the_room_and_not_to_the_persons_files(loops):
    (loops.folder / "beside.txt").write_text("beside\n")
    (loops.top / "whole").symlink_to(loops.top / "one.txt")
    (loops.top / "out").symlink_to("../beside.txt")
    (loops.top / "near").symlink_to("one.txt")
    run = in_a_room(loops, f"cat out >$here/out; echo through >whole; cat {loops.top}/one.txt >$here/mine; {MENDS}")
    assert [(loops.bench / name).read_text() for name in ("out", "mine")] == ["beside\n", "wrong\n"]
    links = [os.readlink(loops.top / name) for name in ("whole", "out", "near")]
    assert (links, run.applied[-1]["conflicts"]) == ([str(loops.top / "one.txt"), "../beside.txt", "one.txt"], [])


@pytest.mark.parametrize(("act", "left"), [("rm whole out", None), ("ln -sfn two.txt whole; ln -sfn two.txt out", "two.txt")])
def test_a_link_that_only_the_loop_changed_comes_without_a_conflict(loops, act, left):
    (loops.top / "whole").symlink_to(loops.top / "one.txt")
    (loops.top / "out").symlink_to("../beside.txt")
    git(loops.top, "init", "-q")
    git(loops.top, "add", "-A")
    git(loops.top, "commit", "-qm", "links")
    run = in_a_room(loops, f"{act}; {MENDS}")
    assert run.applied[-1]["conflicts"] == []
    assert [os.path.lexists(path) and os.readlink(path) for path in (loops.top / "whole", loops.top / "out")] == [left or False] * 2


def test_a_link_into_the_room_leads_into_the_persons_files_once_it_is_theirs(loops):
    (loops.top / "whole").symlink_to(loops.top / "one.txt")
    in_a_room(loops, f'ln -sfn "$PWD/two.txt" whole; ln -s "$PWD/two.txt" new; {MENDS}')
    assert [os.readlink(loops.top / name) for name in ("whole", "new")] == [str(loops.top / "two.txt")] * 2


# What the person did meanwhile


def test_edits_in_other_lines_of_the_same_file_are_merged(loops):
    loops.write("list.txt", "1\n2\n3\n4\n5\n")
    in_a_room(loops, f"{person(loops, 'sed -i s/1/mine/ list.txt')}; sed -i s/5/its/ list.txt; {MENDS}")
    assert loops.text("list.txt") == "mine\n2\n3\n4\nits\n"


def test_an_edit_of_the_same_line_is_a_conflict_and_the_persons_stays(loops):
    run = in_a_room(loops, f"{person(loops, 'echo mine >one.txt')}; {MENDS}")
    assert run.status == "success"
    assert (loops.text("one.txt"), loops.text("two.txt")) == ("mine\n", "right\n")
    assert run.applied[-1]["conflicts"] == ["one.txt"]
    assert any("conflict" in line and "one.txt" in line for line in loops.told)
    assert (Path(run.room) / "one.txt").read_text() == "right\n"


def test_what_comes_by_itself_names_its_conflicts_where_that_stays_and_counts_each_file_once(loops):
    loops.write("list.txt", "1\n2\n3\n4\n5\n")
    mine = person(loops, "sed -i s/1/mine/ list.txt; echo mine >one.txt")
    run = in_a_room(loops, f"{mine}; sed -i s/5/its/ list.txt; {MENDS}")
    stays = "\n".join([line for line in loops.told if not line.startswith(MEANWHILE)])
    counts = "2 written, 0 deleted, 1 merged"
    assert f": {counts}, 1 conflict.\n  conflict one.txt  (changed by the loop and by you)\nthese are as you have them" in stays
    assert f"applied: {counts}" in display.status_lines(run, run.last_seen)


def test_what_no_snapshot_stores_is_a_conflict_and_stays_in_a_room_that_is_kept(loops):
    loops.write("grows", "").write_bytes(bytes(5_000_000))
    loops.write("pipe", "a file")
    big = "head -c 11000000 /dev/urandom"
    run = in_a_room(loops, f"{big} >new; {big} >grows; rm pipe; mkfifo pipe; {STEPS[0]}", MENDS)
    lies_there, is_odd = "is not stored: it lies in the loop's room alone", "is a FIFO, socket or device"
    assert run.applied[-1]["conflicts"] == ["grows", "new", "pipe"]
    assert f"  conflict new  ({lies_there})" in (told := "\n".join(loops.told)) and f"  conflict pipe  ({is_odd})" in told
    assert f"they lie in {run.room}: copy from there what you want" in told
    assert (loops.text("one.txt"), loops.text("pipe"), os.stat(f"{run.room}/new").st_size) == ("right\n", "a file", 11_000_000)


def test_what_only_the_person_changed_is_theirs(loops):
    mine = person(loops, "echo mine >mine.txt; rm check.sh; mkdir -p d; echo mine >d/new")
    run = in_a_room(loops, f"{mine}; {MENDS}")
    assert (loops.text("mine.txt"), loops.text("d/new")) == ("mine\n", "mine\n")
    assert not (loops.top / "check.sh").exists()
    assert run.applied[-1]["conflicts"] == []
    assert {path for each in run.iterations for path, *_ in each.changed} == {"one.txt", "two.txt", "three.txt"}


@pytest.mark.parametrize(
    ("name", "mine", "its", "left"),
    [
        ("old.txt", "rm old.txt", "echo its >old.txt", None),
        ("old.txt", "echo mine >old.txt", "rm old.txt", "mine\n"),
        ("new.txt", "echo mine >new.txt", "echo its >new.txt", "mine\n"),
        ("d", "rm old.txt", "rm old.txt; mkdir d", ""),
    ],
)
def test_what_cannot_be_merged_stays_as_the_person_has_it(loops, name, mine, its, left):
    loops.write("old.txt", "old\n")
    run = in_a_room(loops, f"{person(loops, mine)}; {its}; {MENDS}")
    there = loops.top / name
    assert ((there.read_text() if there.is_file() else "" if there.is_dir() else None), run.status) == (left, "success")
    assert run.applied[-1]["conflicts"] == ([name] if name != "d" else [])


def test_both_did_the_same(loops):
    run = in_a_room(loops, f"{person(loops, 'echo right >one.txt')}; {MENDS}")
    assert (loops.text("one.txt"), run.applied[-1]["conflicts"]) == ("right\n", [])


def test_a_folder_that_the_loop_deleted_stays_where_the_person_put_something_into_it(loops):
    loops.write("d/old.txt", "old\n")
    in_a_room(loops, f"{person(loops, 'echo mine >d/mine.txt')}; rm -r d; {MENDS}")
    assert [path.name for path in (loops.top / "d").iterdir()] == ["mine.txt"]


def test_a_new_file_in_a_folder_that_the_person_deleted_comes_with_its_folder(loops):
    loops.write("d/old.txt", "old\n")
    in_a_room(loops, f"{person(loops, 'rm -r d')}; echo new >d/new.txt; {MENDS}")
    assert [path.name for path in (loops.top / "d").iterdir()] == ["new.txt"]


def test_modes_and_lines_are_both_taken(loops):
    loops.write("tool.sh", "1\n2\n3\n4\n")
    in_a_room(loops, f"{person(loops, 'sed -i s/1/mine/ tool.sh')}; chmod 755 tool.sh; {MENDS}")
    assert (loops.text("tool.sh"), (loops.top / "tool.sh").stat().st_mode & 0o777) == ("mine\n2\n3\n4\n", 0o755)


def test_what_only_the_checks_wrote_stays_in_the_room(loops):
    loops.write("check.sh", "#!/bin/sh\necho x >>coverage.txt\ngrep -q right one.txt\n")
    run = in_a_room(loops, "true", MENDS)
    assert (run.status, loops.text("one.txt"), (loops.top / "coverage.txt").exists()) == ("success", "right\n", False)


# By hand


def test_nothing_is_applied_by_itself_where_that_is_not_wanted(loops):
    run = in_a_room(loops, MENDS, apply="never")
    assert (run.status, loops.text("one.txt")) == ("success", "wrong\n")
    assert applied(loops).restored == [b"one.txt", b"three.txt", b"two.txt"]
    assert loops.text("one.txt") == "right\n"


def test_a_failed_run_is_applied_by_hand_its_best_or_any_iteration(loops):
    in_a_room(loops, STEPS[0], STEPS[1], "echo worse >one.txt", limits={"iterations": 3})
    applied(loops, to=rolling_back.BEST)
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["right\n", "right\n", "wrong\n"]
    applied(loops, to="1")
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["right\n", "wrong\n", "wrong\n"]
    applied(loops)
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["worse\n", "right\n", "wrong\n"]


def test_a_preview_changes_nothing(loops):
    run = in_a_room(loops, MENDS, apply="never")
    _, plan, _ = applying.preview(loops.project, loops.values(), run, "")
    assert [action.path for action in plan.actions] == [b"one.txt", b"three.txt", b"two.txt"]
    assert loops.text("one.txt") == "wrong\n"


def test_what_was_applied_is_taken_out_again_and_the_persons_edits_stay(loops):
    loops.write("gone.txt", "gone\n")
    in_a_room(loops, f"{person(loops, 'echo before >mine.txt')}; {MENDS}; rm gone.txt; touch added")
    loops.write("mine.txt", "after\n")
    loops.write("two.txt", "edited since\n")
    report = loops.back()
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three", "mine")] == [
        "wrong\n",
        "edited since\n",
        "wrong\n",
        "after\n",
    ]
    assert kept(report) == {"mine.txt": "changed by you", "two.txt": "changed by the loop, then by you"}
    assert (loops.top / "gone.txt").exists()
    assert not (loops.top / "added").exists()
    loops.back(rolling_back.UNDO)
    assert (loops.text("one.txt"), (loops.top / "added").exists()) == ("right\n", True)
    loops.back()
    assert loops.text("one.txt") == "wrong\n"


def test_the_result_of_a_run_comes_into_a_project_that_was_moved_and_is_taken_out_again(loops):
    run = in_a_room(loops, MENDS, apply="never")
    loops.move("store")
    applied(loops, runs.find(loops.project, run.id))
    assert loops.text("three.txt") == "right\n"
    loops.back()
    assert loops.text("three.txt") == "wrong\n"


def test_where_the_project_is_gone_at_the_end_it_says_from_when_on_the_result_can_be_brought(loops):
    in_a_room(loops, f"{MENDS}; mv {loops.top} {loops.folder}/away")
    assert f"{applying.MOVED}`ralph-mem ralph apply` brings it" in loops.told[-1]
    (loops.folder / "away").rename(loops.top)
    applied(loops)
    assert loops.text("three.txt") == "right\n"


def test_a_rollback_of_what_was_never_applied_touches_nothing(loops):
    in_a_room(loops, MENDS, apply="never")
    loops.write("one.txt", "right\n")  # the person did it by hand
    assert (loops.back().restored, loops.text("one.txt")) == ([], "right\n")


@pytest.mark.parametrize("force", [False, True])
def test_of_a_repository_that_lay_in_a_room_a_rollback_says_nothing(loops, force):
    git(loops.top, "init", "-q")
    run = in_a_room(loops, MENDS)
    assert run.status == "success" and not Path(run.room).exists()
    assert loops.back(git=True, force=force).git == [] and (loops.top / ".git").is_dir()


# Where the room stands for the person's project


def test_a_session_in_the_room_belongs_to_the_persons_project(loops):
    run = in_a_room(loops, "true", limits={"iterations": 1})
    found = projects.find(f"{run.room}")
    assert (found.root, found.folder, found.top) == (str(loops.top), f"{loops.top}/.ralph-mem", run.room)
    assert found.relative(f"{run.room}/shop/cart.py") == "shop/cart.py"
    assert runs.latest(found).id == run.id


def test_a_folder_that_only_looks_like_a_room_stands_for_nothing(tmp_path):
    fake = tmp_path / "ralph-mem" / "rooms" / "key" / "run" / "top"
    fake.mkdir(parents=True)
    (fake.parents[1] / rooms.STANDS_FOR).write_text('{"root": "/somebody", "tree": "/somebody"}')
    assert projects.find(str(fake)).root == str(fake)


# Going on


def test_a_run_goes_on_in_its_room(loops):
    run = in_a_room(loops, STEPS[0], limits={"iterations": 1})
    loops.write("mine.txt", "mine\n")
    loops.agent(*STEPS)
    ended = headless.resume(loops.project, loops.values(), run, iterations=9)
    assert (ended.status, ended.room) == ("success", run.room)
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["right\n"] * 3


def test_a_room_that_is_gone_is_made_anew_from_the_last_snapshot(loops):
    run = in_a_room(loops, STEPS[0], limits={"iterations": 1})
    applying.making.remove_room(str(loops.top), run.id)
    loops.agent(*STEPS)
    ended = headless.resume(loops.project, loops.values(), run, iterations=9)
    assert (ended.status, ended.used(), loops.text("one.txt")) == ("success", 3, "right\n")


@pytest.mark.parametrize("here", [True, False], ids=["in the person's files", "in a room"])
def test_a_run_goes_on_where_its_project_lies_now_and_not_in_another_that_is_in_its_former_place(loops, here):
    place, run = loops.top, loops.start("true", here=here, criteria=(f"custom={loops.top}/check.sh",), limits={"iterations": 1})
    loops.move("store")
    shutil.copytree(loops.top, place)
    for name in ("one", "two", "three"):
        (place / f"{name}.txt").write_text("right\n")
    before = tree_of(place)
    ended = headless.resume(loops.project, loops.values(), runs.find(loops.project, run.id), iterations=2)
    assert (ended.reason, len(ended.verdicts()[0].failing), ended.folder) == ("max_iterations", 3, str(loops.top))
    assert tree_of(place) == before and not (run.room and Path(run.room).exists())


def test_a_run_in_a_room_does_not_go_on_in_a_session(loops):
    run = in_a_room(loops, STEPS[0], limits={"iterations": 1})
    with pytest.raises(stopping.LoopError, match="room of its own"):
        stopping.check(loops.project, run, {"iterations": 9}, "in_session")


def test_old_rooms_go_with_the_next_loop(loops):
    earlier = [in_a_room(loops, "true", limits={"iterations": 1}) for _ in range(3)]
    in_a_room(loops, "true", limits={"iterations": 1})
    assert [Path(run.room).exists() for run in earlier] == [False, True, True]


def a_repository(loops):
    git(loops.top, "init", "-q", "-b", "main")
    git(loops.top, "config", "user.email", "ada@example.org")
    git(loops.top, "config", "user.name", "Ada")
    git(loops.top, "add", ".")
    git(loops.top, "commit", "-qm", "first")
