"""Git is guarded in every kind of repository: linked, shallow, bare around it, in the middle of a merge, without commits."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from ralph_mem.core import project as projects
from ralph_mem.ralph.git import copies, guarding
from tests.ralph.git.conftest import asked, fill, known, objects
from tests.ralph.loops import STEPS, Loops, git


def ends_and_comes_back(loops, act, top=None):
    """Let an agent do something to git, and roll it back; returns what was told and what git knew before and afterwards."""
    top = top or loops.top
    before, there = known(top), objects(top)
    run = loops.start(act, limits={"iterations": 1})
    loops.back(git=True)
    after = known(top)
    assert there <= objects(top)
    for each in (before, after):
        each.pop("log")
    return run, before, after


def test_a_linked_worktree(loops, tmp_path):
    git(loops.top, "worktree", "add", "-q", tmp_path / "linked", "side")
    linked = Loops(tmp_path / "other" if (tmp_path / "other").mkdir() is None else None)
    shutil.rmtree(linked.top)
    git(loops.top, "worktree", "move", tmp_path / "linked", linked.top)
    for name, text in (("check.sh", loops.text("check.sh")), ("one.txt", "wrong"), ("two.txt", "wrong"), ("three.txt", "wrong")):
        linked.write(name, text).chmod(0o755)
    linked.project = projects.find(str(linked.top))
    run, before, after = ends_and_comes_back(linked, "git branch -qD main 2>/dev/null; git commit -qm x --allow-empty; rm .git")
    assert run.reason == "repository_lost" and after == before


def test_a_repository_that_is_a_link_from_the_start_is_there(loops, tmp_path):
    (loops.top / ".git").rename(tmp_path / "kept")
    (loops.top / ".git").symlink_to(tmp_path / "kept")
    run, before, after = ends_and_comes_back(loops, "git branch -qD side")
    assert run.reason == "max_iterations" and after == before
    assert (loops.top / ".git").is_symlink()


def test_a_project_in_a_folder_of_its_repository(tmp_path):
    made = Loops(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "project")
    git(tmp_path, "commit", "-qm", "first")
    run, before, after = ends_and_comes_back(made, "rm -rf ../.git", tmp_path)
    assert run.reason == "repository_lost" and after == before


def add_a_submodule(loops, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    git(other, "commit", "-qm", "inner", "--allow-empty")
    git(loops.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "--name", "a/b", other, "inner")


def test_submodules(loops, tmp_path):
    add_a_submodule(loops, tmp_path)
    git(loops.top / "inner", "branch", "kept")
    before = known(loops.top / "inner")
    run, _, _ = ends_and_comes_back(loops, "cd inner; git branch -qD kept; git commit -qm x --allow-empty")
    assert "git of submodule a/b: branch kept" in "\n".join(run.iterations[0].tampered)
    assert {**known(loops.top / "inner"), "log": ""} == {**before, "log": ""}


@pytest.mark.check
@pytest.mark.parametrize(("act", "reason"), [("rm -rf inner", "success"), ("rm -rf .git/modules/a", "repository_lost")])
def test_a_submodule_is_lost_with_its_repository_and_not_with_its_folder(loops, tmp_path, act, reason):
    add_a_submodule(loops, tmp_path)
    git(loops.top, "commit", "-qm", "inner")
    run = loops.start(f"{act}; {STEPS[0]}", "; ".join(STEPS))
    assert run.reason == reason
    assert "git of submodule a/b: .git is gone" in run.iterations[0].tampered


def test_everything_is_back_with_its_submodules_when_git_is_gone(loops, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    git(other, "commit", "-qm", "inner", "--allow-empty")
    git(loops.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "inner")
    inner = known(loops.top / "inner")
    _, before, after = ends_and_comes_back(loops, "rm -rf .git")
    assert after == before and known(loops.top / "inner") == inner


def test_a_shallow_clone(loops, tmp_path):
    (tmp_path / "clone").mkdir()
    clone = Loops(tmp_path / "clone")
    shutil.rmtree(clone.top)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{loops.top}", clone.top)
    for name, text in (("check.sh", loops.text("check.sh")), ("one.txt", "wrong")):
        clone.write(name, text).chmod(0o755)
    _, before, after = ends_and_comes_back(clone, "git commit -qam x; rm -rf .git")
    assert after == before and asked(clone.top, "rev-parse", "--is-shallow-repository").strip() == "true"


def test_a_repository_in_the_middle_of_a_merge(loops):
    git(loops.top, "reset", "-q", "--hard")
    git(loops.top, "checkout", "-q", "side")
    loops.write("second.txt", "other")
    git(loops.top, "add", "-A")
    git(loops.top, "commit", "-qm", "other")
    subprocess.run(["git", "merge", "-q", "main"], cwd=loops.top, capture_output=True, check=False)
    conflicted = loops.text("second.txt")
    run, before, after = ends_and_comes_back(loops, "git merge --abort")
    assert "git: what was under way (a merge, rebase or the like) is over" in run.iterations[0].tampered
    assert after == before and asked(loops.top, "rev-parse", "MERGE_HEAD") and loops.text("second.txt") == conflicted
    assert (loops.top / ".git/MERGE_HEAD").exists()


@pytest.mark.parametrize("act", ["rebase side", "cherry-pick side side~1"])
def test_a_rebase_or_the_like_that_the_loop_began_is_over(loops, act):
    git(loops.top, "reset", "-q", "--hard")
    git(loops.top, "checkout", "-q", "side")
    for text in ("other", "another"):
        loops.write("second.txt", text)
        git(loops.top, "add", "-A")
        git(loops.top, "commit", "-qm", text)
    git(loops.top, "checkout", "-q", "main")
    before = asked(loops.top, "status")
    ends_and_comes_back(loops, f"git {act}")
    assert asked(loops.top, "status") == before
    assert not {"rebase-merge", "sequencer"} & {path.name for path in (loops.top / ".git").iterdir()}


def test_what_a_stash_leaves_behind_is_nothing_under_way(loops):
    git(loops.top, "reset", "-q", "--hard")
    loops.write("first.txt", "mine")
    git(loops.top, "stash")
    git(loops.top, "stash", "apply")
    assert (loops.top / ".git/AUTO_MERGE").exists()
    run, _, _ = ends_and_comes_back(loops, "git commit -qam x")
    assert not [line for line in run.iterations[0].tampered if "under way" in line]


def test_what_belongs_to_no_commit_is_said_to(tmp_path):
    made = Loops(tmp_path)
    git(made.top, "init", "-q", "-b", "main")
    git(made.top, "add", "one.txt")
    made.start("git add two.txt; git commit -qm x", limits={"iterations": 1})
    said = [line for _, line in made.back(git=True).git]
    assert any("belongs to no commit, another commit is checked out" in line for line in said), said


def test_a_repository_without_commits(tmp_path):
    made = Loops(tmp_path)
    git(made.top, "init", "-q", "-b", "main")
    git(made.top, "add", "one.txt")
    run, before, after = ends_and_comes_back(made, "git rm -q --cached one.txt; rm -rf .git")
    assert run.reason == "repository_lost" and after == before and asked(made.top, "ls-files").strip() == "one.txt"


def test_objects_of_sha256(tmp_path):
    made = Loops(tmp_path)
    fill(made, "--object-format=sha256")
    _, before, after = ends_and_comes_back(made, "git reset -q --hard HEAD~1; git stash clear; git gc -q --prune=now")
    assert after == before


def test_refs_that_are_packed(loops):
    git(loops.top, "pack-refs", "--all", "--prune")
    run, before, after = ends_and_comes_back(loops, "git branch -qD side; git tag -d v1")
    assert len(run.iterations[0].tampered) == 2 and after == before


def test_without_git_the_repository_is_made_again_from_its_copy(loops, monkeypatch, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "rm", "cat", "grep", "chmod"):
        (tools / name).symlink_to(shutil.which(name))
    before = known(loops.top)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tools))
        run = loops.start("rm -rf .git", limits={"iterations": 1})
        assert run.reason == "repository_lost"
        loops.back(git=True)
    assert known(loops.top) == before


def test_a_tree_without_a_repository_is_not_guarded(tmp_path):
    made = Loops(tmp_path)
    run = made.start("git init -q", limits={"iterations": 1})
    assert run.git == [] and made.back(git=True).git == []


# What it takes


def test_a_second_run_copies_no_object_again(loops):
    loops.start(STEPS[0], limits={"iterations": 1})
    store = Path(copies.folder_of(loops.project), "objects")
    first = {path: path.stat().st_ino for path in store.rglob("*") if path.is_file()}
    loops.start(STEPS[1], limits={"iterations": 1})
    assert first and {path: path.stat().st_ino for path in store.rglob("*") if path.is_file()} == first


def test_no_object_file_is_linked_with_that_of_the_person(loops):
    loops.start(STEPS[0], limits={"iterations": 1})
    assert {path.stat().st_nlink for path in (loops.top / ".git/objects").rglob("*") if path.is_file()} == {1}


def test_above_the_limit_only_what_no_remote_has_is_held_and_that_is_said(loops, tmp_path, monkeypatch):
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(loops.top, "remote", "add", "origin", tmp_path / "remote.git")
    loops.write("large", random.Random(7).randbytes(100_000).hex())
    git(loops.top, "add", "large")
    git(loops.top, "commit", "-qm", "large")
    git(loops.top, "push", "-q", "origin", "main")
    git(loops.top, "branch", "unpushed")
    git(loops.top, "commit", "-qm", "mine alone", "--allow-empty")
    monkeypatch.setattr(copies, "_takes_no_room", lambda *_: False)
    values = loops.values(ralph_git_backup_mb=0)
    wanted = {name: asked(loops.top, "rev-parse", name) for name in ("main", "side", "stash@{0}", "stash@{1}", "v2")}
    assert "more than the 0 bytes of ralph.git_backup_mb" in guarding.foresee(loops.project, values)
    with monkeypatch.context() as patched:
        patched.setattr(guarding, "MEGABYTE", 50_000)
        loops.start("rm -rf .git", limits={"iterations": 1}, values=loops.values(ralph_git_backup_mb=1))
    assert any("held is what no remote has" in line for line in loops.told)
    loops.back(git=True)
    git(loops.top, "fetch", "-q", "origin")
    assert {name: asked(loops.top, "rev-parse", name) for name in wanted} == wanted
    assert asked(loops.top, "fsck", "--no-dangling") == "" and asked(loops.top, "stash", "show", "-p", "stash@{1}")


def test_a_git_that_hangs_or_is_broken_keeps_no_loop_from_going_on(loops):
    (loops.top / ".git/config").write_text("[core\n")
    assert loops.start(*STEPS).reason == "success"


@pytest.mark.check
def test_of_many_runs_the_copies_of_the_first_go(loops, monkeypatch):
    monkeypatch.setattr(copies, "MOST_RUNS", 2)
    runs = [loops.start("true", limits={"iterations": 1}).id for _ in range(3)]
    assert sorted(path.name for path in Path(copies.folder_of(loops.project)).iterdir()) == sorted([*runs[1:], "objects"])
