"""Repositories that lie in the tree are guarded as its own: those of submodules, clones beside the sources, ignored ones."""

import shlex
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from ralph_mem.core import project as projects
from ralph_mem.ralph.git import repository as repositories
from tests.ralph.git.conftest import asked, fill, known, objects
from tests.ralph.loops import STEPS, Loops, git
from tests.ralph.snapshot.conftest import bytes_below

INNER = "libs/inner"
VANDALS = {
    "commit": "git commit -qam mine; git commit -qm more --allow-empty",
    "branch and tag deleted": "git branch -qD side; git tag -d v1 v2",
    "stash dropped": "git stash drop -q stash@{1}",
    "index": "git reset -q",
    "config and hooks": "git config a.b c; rm .git/hooks/post-commit",
    "stashes cleared and pruned": "git stash clear; git reflog expire --expire=now --all; git gc -q --prune=now",
    "git is gone": "rm -rf .git",
    "folder is gone": f"rm -rf ../../{INNER}",
}


@pytest.fixture
def loops(tmp_path):
    """A project that is a repository, with a clone in a folder that git neither knows nor ignores."""
    made = Loops(tmp_path)
    fill(made)
    a_clone(made, INNER)
    return made


def a_clone(made, name):
    """Make a repository with branches, tags, stashes and something staged in a folder of the project."""
    top = made.top / name
    top.mkdir(parents=True)
    fill(SimpleNamespace(top=top, write=lambda path, text: made.write(f"{name}/{path}", text)))
    return top


def comes_back(loops, act, name=INNER):
    """Let an agent do something in a folder, roll it back, and return the run; git knows what it knew in every repository."""
    before = known(loops.top), known(loops.top / name), objects(loops.top / name)
    run = loops.start(f"cd {name}; {act}", limits={"iterations": 1})
    loops.back(git=True)
    after = known(loops.top), known(loops.top / name), objects(loops.top / name)
    for each in (*before[:2], *after[:2]):
        each.pop("log")
    assert after[:2] == before[:2] and before[2] <= after[2]
    return run


def told(run):
    return [line for line in run.iterations[0].tampered if line.startswith("git of ")]


@pytest.mark.check
@pytest.mark.parametrize("act", VANDALS.values(), ids=VANDALS.keys())
def test_what_an_agent_does_to_a_clone_is_told_and_comes_back(loops, act):
    run = comes_back(loops, act)
    assert told(run) and all(line.startswith(f"git of {INNER}: ") for line in told(run))


def test_a_loop_in_which_the_repository_of_a_clone_goes_ends_for_it(loops):
    run = loops.start(f"rm -rf {INNER}/.git", *STEPS)
    assert (run.reason, len(run.iterations)) == ("repository_lost", 1) and INNER in run.why


@pytest.mark.check
def test_a_clone_in_a_folder_that_git_ignores(loops):
    a_clone(loops, "vendor/dep")
    loops.write(".git/info/exclude", "/vendor/\n")
    run = comes_back(loops, "git branch -qD side; git stash clear; git gc -q --prune=now", "vendor/dep")
    assert "git of vendor/dep: 2 stashes dropped" in told(run)


@pytest.mark.check
def test_clones_in_a_folder_that_is_no_repository(tmp_path):
    made = Loops(tmp_path)
    for name in ("one", "two"):
        a_clone(made, name)
    comes_back(made, "git branch -qD side; rm -rf ../one/.git", "two")
    assert asked(made.top / "one", "branch", "--list", "side").strip() == "side"


def drop_as_told(loops, *where):
    """Let an agent make a branch in a repository, have one of that name beside it, do what the rollback says drops the first."""
    loops.start(shlex.join(["git", *where, "branch", "new;x"]), limits={"iterations": 1})
    git(loops.top, "branch", "new;x")
    (said,) = [line for verb, line in loops.back(git=True).git if verb == "keep" and "made by the loop" in line]
    subprocess.run(said.split("`")[1], shell=True, cwd=loops.top, check=True)
    return [asked(loops.top, *options, "branch", "--list", "new;x").strip() for options in ([], where)]


def test_what_is_said_to_drop_a_branch_of_a_clone_drops_it_there_alone(loops):
    a_clone(loops, "the clone")
    assert drop_as_told(loops, "-C", "the clone") == ["new;x", ""]


def test_what_is_said_to_drop_a_branch_of_a_submodule_drops_it_there_alone(loops, tmp_path):
    assert drop_as_told(loops, "-C", submodule(loops, tmp_path)) == ["new;x", ""]


@pytest.mark.check
def test_what_is_said_to_drop_a_branch_of_a_submodule_without_a_folder_drops_it_there_alone(loops, tmp_path):
    git(loops.top, "rm", "-qf", submodule(loops, tmp_path))
    git(loops.top, "commit", "-qm", "no sub")
    assert drop_as_told(loops, "--git-dir", ".git/modules/sub", "--work-tree", ".") == ["new;x", ""]


def submodule(loops, tmp_path):
    """Make a submodule as old versions of git did, with a repository of its own in its folder; returns its name."""
    other = a_clone(Loops(tmp_path / "other" if (tmp_path / "other").mkdir() is None else tmp_path), "origin")
    git(loops.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "sub")
    git(loops.top, "commit", "-qm", "sub")
    return "sub"


@pytest.mark.check
def test_a_submodule_whose_repository_lies_in_it(loops, tmp_path):
    name = submodule(loops, tmp_path)
    (loops.top / name / ".git").unlink()
    shutil.move(loops.top / ".git/modules" / name, loops.top / name / ".git")
    git(tmp_path, "config", "-f", loops.top / name / ".git/config", "--unset", "core.worktree")
    run = comes_back(loops, "git commit -qm agent --allow-empty; git config a.b c", name)
    assert told(run) == ["git of sub: 1 commit made on branch main", "git of sub: its config changed"]


@pytest.mark.check
def test_a_submodule_that_loses_the_way_to_its_repository(loops, tmp_path):
    name = submodule(loops, tmp_path)
    run = comes_back(loops, "git commit -qm agent --allow-empty; rm .git", name)
    assert "git of submodule sub: .git is gone" in run.iterations[0].tampered


def test_a_worktree_of_the_repository_itself_is_not_told_of_twice(loops):
    git(loops.top, "worktree", "add", "-q", "wt", "side")
    run = loops.start("git commit -qam agent", limits={"iterations": 1})
    assert [line for line in run.iterations[0].tampered if "commit" in line] == ["git: 1 commit made on branch main"]


@pytest.mark.check
def test_of_many_clones_the_first_are_guarded_and_the_others_named(loops, monkeypatch):
    monkeypatch.setattr(repositories, "MOST_NESTED", 2)
    for name in ("a", "z"):
        a_clone(loops, name)
    run = loops.start("git -C a branch -qD side; git -C z branch -qD side", limits={"iterations": 1})
    assert [line.partition(":")[0] for line in told(run)] == ["git of a"]
    assert "git is not guarded in: z" in loops.told


@pytest.mark.check
def test_what_the_person_commits_in_a_clone_meanwhile_stays(loops):
    person = loops.meanwhile(lambda: git(loops.top / INNER, "commit", "-qm", "mine", "--allow-empty"))
    run = loops.start(f"sleep 1; git -C {INNER} branch -qD side", limits={"iterations": 1})
    person.join()
    loops.back(git=True)
    assert asked(loops.top / INNER, "log", "-1", "--format=%s").strip() == "mine"
    assert [line.partition("(")[0] for line in told(run)] == [f"git of {INNER}: branch side "]
    assert "side" in asked(loops.top / INNER, "branch")


@pytest.mark.check
def test_a_rollback_of_a_clone_is_undone_and_done_again(loops):
    before = known(loops.top / INNER)
    loops.start(f"cd {INNER}; git branch -qD side; git stash drop -q", limits={"iterations": 1})
    fixed = known(loops.top / INNER)
    for wanted, to in ((before, "start"), (fixed, "undo"), (before, "start")):
        loops.back(to, git=True)
        assert known(loops.top / INNER) == wanted


def contents_below(folder):
    """Return every path below a folder with its bytes; when git was asked for an object again it notes the time in its file."""
    return {path: told for path, (told, _) in bytes_below(folder).items()}


@pytest.mark.check
def test_in_a_room_no_byte_of_any_repository_of_the_persons_changes(loops, tmp_path):
    a_clone(loops, "clones/dep")
    outside = a_clone(Loops(tmp_path / "other" if (tmp_path / "other").mkdir() is None else tmp_path), "origin")
    git(outside, "worktree", "add", "-q", loops.top / "clones/tree", "side")
    loops.write(".git/info/exclude", "/clones/\n")
    places = [loops.top / ".git", loops.top / INNER / ".git", loops.top / "clones/dep/.git", outside / ".git"]
    before = [contents_below(place) for place in places]
    damage = "git commit -qam x --allow-empty; git stash clear; git branch -qD side; git gc -q --prune=now"
    acts = "; ".join(f"(cd {name} && {damage})" for name in (INNER, "clones/dep", "clones/tree"))
    run = loops.start(f"{acts}; {'; '.join(STEPS)}", here=False)
    assert run.status == "success" and [contents_below(place) for place in places] == before


def test_of_a_project_that_is_a_clone_in_another_only_what_lies_in_it_is_guarded(loops):
    loops.project, loops.top = projects.find(str(loops.top / INNER)), loops.top / INNER
    for name in ("check.sh", "one.txt", "two.txt", "three.txt"):
        shutil.copy(loops.top.parents[1] / name, loops.top)
    run = loops.start("git branch -qD side; git -C ../.. branch -qD side", limits={"iterations": 1})
    assert len([line for line in run.iterations[0].tampered if line.startswith("git: branch side")]) == 1
