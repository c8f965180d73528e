"""The room's repository is its own: at the person's commit, with their index, and nothing under their `.git` changes."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from ralph_mem.core import project as projects
from ralph_mem.core.project import Project
from tests.ralph.loops import STEPS, Loops, git

MENDS = "; ".join(STEPS)
STATUS = "git status --porcelain=v2 --branch --untracked-files=all"


@pytest.fixture
def loops(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))]:
        monkeypatch.delenv(name)
    found = Loops(tmp_path)
    a_repository(found.top)
    return found


def a_repository(top):
    git(top, "init", "-q", "-b", "main")
    git(top, "config", "user.email", "ada@example.org")
    git(top, "config", "user.name", "Ada")
    git(top, "add", ".")
    git(top, "commit", "-qm", "first")


def bytes_of(folder):
    """Return what tells every file below a folder from any other, by its path."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def in_a_room(loops, step, **wished):
    """Let an agent work once in a room; what it prints lies beside its script."""
    return loops.start(f"{{ {step}; }} >$here/said 2>&1; {MENDS}", here=False, **wished)


def said(loops):
    return (loops.bench / "said").read_text()


def status(loops, top=None):
    return git(top or loops.top, *STATUS.split()[1:]).decode()


DAMAGE = (
    "git stash -u; git stash drop; git gc -q --prune=now --aggressive",
    "git checkout -q --orphan o; git commit -qam x;git branch -D main; git reflog expire --expire=now --all; git gc -q --prune=all",
    "git commit -qam mine; git rebase -q --root; git tag -f v1; git update-ref -d refs/heads/side; git config user.name Mallory",
    "rm -rf .git",
    "git worktree prune; git repack -adfq; git prune --expire=now; git pack-refs --all; git remote add x y; git fetch x || true",
)


@pytest.mark.check
@pytest.mark.parametrize("damage", DAMAGE)
def test_no_byte_of_the_persons_repository_changes(loops, damage):
    git(loops.top, "branch", "side")
    git(loops.top, "tag", "v1")
    loops.write("stashed.txt", "stashed\n")
    git(loops.top, "stash", "-u", "-q")
    loops.write("untracked.txt", "untracked\n")
    loops.write("one.txt", "staged\n")
    git(loops.top, "add", "one.txt")
    before = bytes_of(loops.top / ".git")
    run = in_a_room(loops, damage)
    assert run.status == "success"
    assert bytes_of(loops.top / ".git") == before
    assert loops.text("untracked.txt") == "untracked\n"
    git(loops.top, "fsck", "--strict")


def test_git_says_the_same_in_the_room(loops):
    git(loops.top, "mv", "two.txt", "moved.txt")
    loops.write("one.txt", "staged\n")
    git(loops.top, "add", "one.txt")
    loops.write("one.txt", "and changed\n")
    loops.write("three.txt", "unstaged\n")
    loops.write("new.txt", "new\n")
    before = status(loops) + git(loops.top, "log", "--all", "--oneline").decode() + git(loops.top, "diff", "--staged").decode()
    in_a_room(loops, f"{STATUS}; git log --all --oneline; git diff --staged", limits={"iterations": 1})
    assert said(loops) == before


@pytest.mark.parametrize("act", ["git checkout -q -- .", "git reset -q --hard", "git stash -q -u; git stash pop -q"])
def test_a_committed_link_leads_into_the_room_whatever_git_writes_again(loops, act):
    (loops.top / "whole").symlink_to(loops.top / "one.txt")
    (loops.top / "out").symlink_to("../beside.txt")
    git(loops.top, "add", "-A")
    git(loops.top, "commit", "-qm", "links")
    before = status(loops)
    in_a_room(loops, f"{STATUS}; rm -f whole out; {act}; git reset -q --hard; {STATUS}; echo AGENT >>whole")
    assert said(loops) == before * 2
    assert (loops.text("one.txt"), (loops.folder / "beside.txt").exists()) == ("right\n", False)


def test_branches_and_tags_are_there_and_the_stash_is_the_persons(loops):
    git(loops.top, "tag", "-am", "one", "v1.0")
    git(loops.top, "checkout", "-q", "-b", "side")
    loops.write("one.txt", "stashed\n")
    git(loops.top, "stash", "-q")
    in_a_room(loops, "git describe; git branch --list; git stash list; git reflog | wc -l")
    assert said(loops).split() == ["v1.0", "main", "*", "side", "0"]


def test_a_commit_in_the_room_is_the_persons_in_name_and_stays_there(loops):
    in_a_room(loops, "echo x >x; git add x; git commit -qm mine; git log -1 --format='%an <%ae>'")
    assert said(loops) == "Ada <ada@example.org>\n"
    assert git(loops.top, "log", "--oneline").decode().count("\n") == 1
    assert loops.text("x") == "x\n"


def test_no_remote_leads_out_and_no_hook_runs(loops):
    git(loops.top, "remote", "add", "origin", "https://ada:secret@example.org/shop.git")
    git(loops.top, "config", "branch.main.remote", "origin")
    git(loops.top, "config", "credential.helper", "store")
    hook = loops.write(".git/hooks/pre-commit", "#!/bin/sh\necho hook ran; exit 1\n")
    hook.chmod(0o755)
    in_a_room(
        loops,
        "git remote -v; git config --local --list | grep -E 'credential|remote|branch'; echo x >x; git add x; git commit -qm x",
    )
    assert said(loops) == ""


def test_a_person_without_commits(tmp_path):
    loops = Loops(tmp_path)
    git(loops.top, "init", "-q", "-b", "trunk")
    loops.write("two.txt", "staged\n")
    git(loops.top, "add", "two.txt")
    before = status(loops)
    run = in_a_room(loops, STATUS)
    assert (said(loops), run.status) == (before, "success")


def test_a_person_without_git(tmp_path):
    loops = Loops(tmp_path)
    run = in_a_room(loops, "ls -A")
    assert (said(loops).split(), run.status) == (["check.sh", "one.txt", "three.txt", "two.txt"], "success")
    assert not [line for line in loops.told if "git" in line]


@pytest.mark.check
@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick"])
def test_in_the_middle_of_an_operation(loops, operation):
    git(loops.top, "checkout", "-q", "-b", "side")
    loops.write("story.txt", "theirs\n")
    git(loops.top, "add", "story.txt")
    git(loops.top, "commit", "-qam", "side")
    git(loops.top, "checkout", "-q", "main")
    loops.write("story.txt", "ours\n")
    git(loops.top, "add", "story.txt")
    git(loops.top, "commit", "-qam", "main")
    subprocess.run(["git", operation, "side"], cwd=loops.top, capture_output=True, check=False)
    before, files = git(loops.top, "status").decode(), bytes_of(loops.top / ".git")
    run = in_a_room(loops, "git status")
    assert "unmerged paths" in before.lower()
    assert (said(loops), run.status, bytes_of(loops.top / ".git")) == (before, "success", files)


def test_an_operation_that_the_agent_gives_up_goes_on_for_the_person(loops):
    git(loops.top, "checkout", "-q", "-b", "side")
    git(loops.top, "commit", "-q", "--allow-empty", "-m", "side")
    git(loops.top, "checkout", "-q", "main")
    git(loops.top, "merge", "-q", "--no-ff", "--no-commit", "side")
    in_a_room(loops, "git merge --abort")
    assert (loops.top / ".git/MERGE_HEAD").exists()


def test_a_shallow_clone(loops, tmp_path):
    for number in range(3):
        git(loops.top, "commit", "-q", "--allow-empty", "-m", str(number))
    shallow = Loops(tmp_path / "other" if (tmp_path / "other").mkdir() is None else tmp_path)
    subprocess.run(["rm", "-rf", shallow.top], check=True)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{loops.top}", str(shallow.top))
    run = in_a_room(shallow, "git log --oneline | wc -l; git status --porcelain; git fsck --connectivity-only")
    assert (said(shallow).split()[0], run.status) == ("1", "success")


@pytest.mark.check
def test_a_submodule_has_a_repository_of_its_own_too(loops, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "lib.txt").write_text("lib\n")
    a_repository(inner)
    git(loops.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor/inner")
    git(loops.top, "commit", "-qm", "submodule")
    (loops.top / "vendor/inner/lib.txt").write_text("changed\n")
    before, files = status(loops), bytes_of(loops.top / ".git")
    step = (
        f"{STATUS} >$here/status; cd vendor/inner && git commit -qam inner && git gc -q --prune=now; cd ../..; git add vendor/inner"
    )
    in_a_room(loops, step)
    assert (loops.bench / "status").read_text() == before
    assert bytes_of(loops.top / ".git") == files
    assert loops.text("vendor/inner/lib.txt") == "changed\n"


def test_a_linked_worktree_of_a_bare_repository(tmp_path):
    loops = Loops(tmp_path)
    a_repository(loops.top)
    git(tmp_path, "clone", "-q", "--bare", str(loops.top), "shop.git")
    git(tmp_path / "shop.git", "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    other = Loops(tmp_path)
    other.top, other.project = tmp_path / "tree", Project(str(tmp_path / "shop.git"), top=str(tmp_path / "tree"))
    git(other.top, "config", "user.email", "ada@example.org")
    git(other.top, "config", "user.name", "Ada")
    before = bytes_of(tmp_path / "shop.git")
    run = in_a_room(other, "git stash; git commit -qm x --allow-empty; git status --porcelain; git rev-parse --is-bare-repository")
    after = {name: told for name, told in bytes_of(tmp_path / "shop.git").items() if not name.startswith(".ralph-mem")}
    assert (after, run.status, other.text("one.txt")) == (before, "success", "right\n")


def test_a_project_in_a_folder_of_a_repository(loops):
    loops.write("sub/inner.txt", "inner\n")
    loops.project = __import__("ralph_mem.core.project", fromlist=["find"]).find(str(loops.top / "sub"))
    run = in_a_room(loops, "cat sub/inner.txt")
    assert (said(loops), run.status, loops.text("one.txt")) == ("inner\n", "success", "right\n")


@pytest.mark.parametrize("linked", [False, True], ids=["main worktree", "linked worktree"])
def test_an_index_that_is_split_is_as_the_persons(loops, tmp_path, linked):
    if linked:
        git(loops.top, "worktree", "add", "-q", str(tmp_path / "tree"))
        loops.top = tmp_path / "tree"
        loops.project = projects.find(str(loops.top))
    git(loops.top, "update-index", "--split-index")
    loops.write("staged.txt", "staged\n")
    git(loops.top, "add", "staged.txt")
    run = in_a_room(loops, "git diff --cached --name-only")
    assert (said(loops), run.status) == ("staged.txt\n", "success")


def test_settings_that_decide_what_a_commit_holds_are_kept(loops):
    git(loops.top, "config", "core.autocrlf", "input")
    git(loops.top, "config", "filter.upper.clean", 'tr a-z "A-Z"')
    in_a_room(loops, "git config core.autocrlf; git config filter.upper.clean")
    assert said(loops) == 'input\ntr a-z "A-Z"\n'


def test_variables_of_git_do_not_lead_to_the_persons_repository(loops, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(loops.top / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(loops.top))
    run = loops.start(f"git rev-parse --absolute-git-dir >$here/said; {MENDS}", here=False)
    assert said(loops) == f"{run.room}/.git\n"


def test_our_own_files_that_git_tracks_do_not_count_as_deleted(loops):
    loops.write(".ralph-mem/config.yaml", "ralph:\n  max_iterations: 9\n")
    git(loops.top, "add", "-f", ".ralph-mem/config.yaml")
    git(loops.top, "commit", "-qm", "config")
    in_a_room(loops, "git status --porcelain")
    assert said(loops) == ""


# What the person had not committed


@pytest.mark.check
@pytest.mark.parametrize("loss", ["git stash -q -u", "git stash -q -u; git stash drop -q", "git reset -q --hard; git clean -qfdx"])
def test_work_that_no_commit_has_is_not_thrown_away_by_a_result_that_nobody_looked_at(loops, loss):
    loops.write("story.txt", "begun\n")
    git(loops.top, "add", "story.txt")
    git(loops.top, "commit", "-qm", "story")
    loops.write("story.txt", "gone on\n")
    loops.write("draft.txt", "a draft\n")
    run = in_a_room(loops, loss)
    assert (run.status, loops.text("one.txt")) == ("success", "right\n")
    assert (loops.text("story.txt"), loops.text("draft.txt")) == ("gone on\n", "a draft\n")
    assert run.applied[-1]["conflicts"] == ["draft.txt", "story.txt"]


@pytest.mark.check
def test_an_agent_that_goes_on_with_uncommitted_work_brings_it(loops):
    loops.write("two.txt", "begun\n")
    run = in_a_room(loops, "cat two.txt")
    assert (said(loops), loops.text("two.txt"), run.applied[-1]["conflicts"]) == ("begun\n", "right\n", [])


@pytest.mark.check
def test_what_is_committed_in_a_submodule_or_a_clone_in_the_tree_can_be_deleted(loops, tmp_path):
    for place in (tmp_path / "lib", loops.top / "clone"):
        place.mkdir()
        for name in ("old.txt", "begun.txt"):
            (place / name).write_text("committed\n")
        a_repository(place)
    git(loops.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "lib"), "sub")
    git(loops.top, "commit", "-qm", "submodule")
    for name in ("sub", "clone"):
        loops.write(f"{name}/begun.txt", "gone on\n")
        loops.write(f"{name}/draft.txt", "a draft\n")
    run = in_a_room(loops, "rm sub/*.txt clone/*.txt")
    assert {path.name for name in ("sub", "clone") for path in (loops.top / name).glob("*.txt")} == {"begun.txt", "draft.txt"}
    assert run.applied[-1]["conflicts"] == [f"{name}/{each}.txt" for name in ("clone", "sub") for each in ("begun", "draft")]
