"""A loop leaves commits of its own paths on a branch of its own, and nothing else of the person's repository changes."""

import os
import posix

import pytest

from ralph_mem.core import project as projects
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import display, record, runs, stopping
from ralph_mem.ralph.attribution import listening
from ralph_mem.ralph.watching import commits
from tests.ralph.loops import STEPS, Loops, git

WHO = "Ada Lovelace <ada@example.com>"


@pytest.fixture
def loops(tmp_path, monkeypatch):
    """Make a repository with a commit, a change that is staged, one that is not, and hooks that would tell on us."""
    found = Loops(tmp_path)
    for name in [name for name in os.environ if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))]:
        monkeypatch.delenv(name)
    for name, value in (("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig")), ("GIT_CONFIG_NOSYSTEM", "1")):
        monkeypatch.setenv(name, value)
        monkeypatch.setitem(posix.environ, name.encode(), value.encode())
    (tmp_path / "gitconfig").write_text(
        "[user]\nname = Ada Lovelace\nemail = ada@example.com\n[commit]\ngpgSign = true\n[gpg]\nprogram = /gone\n"
        "[init]\ndefaultBranch = main\n"
    )
    git(found.top, "init", "-q")
    git(found.top, "add", ".")
    git(found.top, "-c", "commit.gpgSign=false", "commit", "-q", "-m", "Start")
    for name in ("post-commit", "pre-commit", "reference-transaction"):
        hook = found.top / ".git" / "hooks" / name
        hook.write_text("#!/bin/sh\ntouch ../hooked\n")
        hook.chmod(0o755)
    found.write("staged.txt", "staged\n")
    git(found.top, "add", "staged.txt")
    found.write("loose.txt", "loose\n")
    found.project = projects.find(str(found.top))
    (tmp_path / "hooked").unlink(missing_ok=True)
    return found


def told(loops, *words):
    return git(loops.top, *words).decode()


def untouched(loops):
    """Return what of the repository belongs to the person: HEAD, index, branches but ours, what is stashed."""
    ours = [line for line in told(loops, "show-ref").splitlines() if "heads/ralph/" not in line and "heads/tries" not in line]
    index = (loops.top / ".git" / "index").read_bytes()
    return (loops.top / ".git" / "HEAD").read_text(), index, ours, told(loops, "reflog", "HEAD")


@pytest.mark.check
def test_each_iteration_with_progress_is_a_commit_of_its_own_paths(loops):
    before = untouched(loops)
    run = loops.start(*STEPS, commit=True)
    assert untouched(loops) == before and not (loops.folder / "hooked").exists()
    branch = f"ralph/{run.id}"
    shown = told(loops, "log", "--reverse", "--format=%an <%ae>|%s|%b", "--name-only", f"main..{branch}")
    assert shown.count(f"{WHO}|make all three right|./check.sh") == 3
    assert [line for line in shown.splitlines() if line.endswith(".txt")] == ["one.txt", "two.txt", "three.txt"]
    assert told(loops, "show", f"{branch}:three.txt") == "right\n" and told(loops, "fsck", "--strict") == ""
    assert display.commits(run) == [f"branch: {branch}, 3 commits"]
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


@pytest.mark.check
def test_what_an_iteration_without_progress_changed_is_in_the_next_commit(loops):
    loops.start(
        "echo more >'new file.txt'", "rm loose.txt; echo right >one.txt", "printf x >caf\u00e9; chmod +x caf\u00e9", branch="tries"
    )
    assert told(loops, "-c", "core.quotepath=off", "show", "--format=", "--name-status", "tries").splitlines() == [
        "A\tnew file.txt",
        "M\tone.txt",
    ]


@pytest.mark.check
def test_private_files_and_other_repositories_stay_out(loops):
    git(loops.top, "init", "-q", "inner")
    run = loops.start("echo KEY=x >.env; echo x >inner/file; ln -s one.txt link; echo right >one.txt", *STEPS[1:], commit=True)
    names = told(loops, "ls-tree", "-r", "--name-only", f"ralph/{run.id}").split()
    assert "link" in names and not {".env", "inner/file", "inner"} & set(names)


@pytest.mark.check
def test_a_branch_begins_where_the_run_did_whatever_its_agent_does_to_head(loops):
    start = told(loops, "rev-parse", "HEAD")
    loops.start("git commit -q --no-verify --no-gpg-sign -am mine; echo right >one.txt", *STEPS[1:], branch="tries/one")
    assert told(loops, "rev-parse", "tries/one~3") == start


@pytest.mark.check
def test_a_branch_that_is_checked_out_meanwhile_is_left_alone(loops):
    run = loops.start(STEPS[0], "git worktree add -q ../other tries; echo right >two.txt", STEPS[2], branch="tries")
    assert len(run.commits) == 1 and any("is checked out" in line for line in loops.told)
    assert git(loops.folder / "other", "status", "--porcelain") == b""


@pytest.mark.check
def test_a_repository_without_a_commit_gets_its_first_on_the_branch(loops):
    git(loops.top, "update-ref", "-d", "HEAD")
    run = loops.start(*STEPS, commit=True)
    assert told(loops, "rev-list", "--count", f"ralph/{run.id}") == "3\n"


@pytest.mark.parametrize(
    ("wished", "why"),
    [
        ({"branch": "main"}, "there is a branch main already"),
        ({"branch": "no..name"}, "no name of a branch"),
        ({"branch": "-f"}, "no name of a branch"),
        ({"commit": True, "snapshot": False}, "made of snapshots"),
    ],
)
def test_a_branch_of_the_persons_is_never_written_nor_one_that_cannot_be(loops, wished, why):
    with pytest.raises(LoopError, match=why):
        loops.accepted(loops.wish(*STEPS, **wished))


def test_the_branch_that_head_would_begin_is_the_persons(loops):
    git(loops.top, "update-ref", "-d", "HEAD")
    with pytest.raises(LoopError, match="there is a branch main already"):
        commits.check(loops.project, "main", snapshot=True)


def test_without_git_or_without_a_name_nothing_is_begun(loops, tmp_path, monkeypatch):
    folder = tmp_path / "bare"
    folder.mkdir()
    with pytest.raises(LoopError, match="this is no repository"):
        commits.check(projects.Project(str(folder)), "", snapshot=True)
    (tmp_path / "gitconfig").write_text("[user]\nuseConfigOnly = true\n")
    with pytest.raises(LoopError, match="does not know who you are"):
        commits.check(loops.project, "", snapshot=True)


def test_who_commits_may_stand_in_the_environment_as_for_git(loops, tmp_path, monkeypatch):
    (tmp_path / "gitconfig").write_text("[user]\nuseConfigOnly = true\n")
    for name, value in (("AUTHOR", "Ada"), ("COMMITTER", "Grace")):
        monkeypatch.setenv(f"GIT_{name}_NAME", value)
        monkeypatch.setenv(f"GIT_{name}_EMAIL", f"{value.lower()}@example.com")
    run = loops.start(*STEPS, commit=True)
    assert told(loops, "log", "-1", "--format=%an %ae %cn", f"ralph/{run.id}") == "Ada ada@example.com Grace\n"


# What is not the loop's

LINES = [f"line {number}\n" for number in range(9)]


@pytest.fixture
def shared(loops):
    """Let the person have committed a file, and have changed a line of it since, staged and not."""
    loops.write("both.txt", "".join(LINES))
    git(loops.top, "add", "both.txt")
    git(loops.top, "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "commit", "-q", "-m", "Both", "both.txt")
    loops.write("both.txt", "".join(["mine\n", *LINES[1:]]))
    git(loops.top, "add", "both.txt")
    loops.write("both.txt", "".join(["mine\n", "mine too\n", *LINES[2:]]))
    return loops


@pytest.mark.check
@pytest.mark.parametrize("here", [True, False], ids=["in the person's files", "in a room"])
def test_of_a_file_that_the_person_had_changed_a_commit_has_what_the_loop_did_and_no_line_of_theirs(shared, here):
    before = untouched(shared)
    shared.start("sed -i 's/line 8/right/' both.txt; " + STEPS[0], *STEPS[1:], here=here, branch="tries")
    assert told(shared, "show", "tries:both.txt") == "".join([*LINES[:8], "right\n"])
    assert shared.text("both.txt") == "".join(["mine\n", "mine too\n", *LINES[2:8], "right\n"])
    assert untouched(shared) == before and told(shared, "show", ":both.txt") == "".join(["mine\n", *LINES[1:]])


@pytest.mark.check
@pytest.mark.parametrize("step", ["sed -i 's/mine too/right/' both.txt", "echo right >>loose.txt", "echo right >>staged.txt"])
def test_what_cannot_be_told_from_the_persons_stays_uncommitted_and_is_named(shared, step):
    before = untouched(shared)
    run = shared.start(f"{step}; {STEPS[0]}", *STEPS[1:], branch="tries")
    name = step.rpartition(">")[2] if ">" in step else "both.txt"
    assert told(shared, "diff", "--name-only", "main", "tries").split() == ["one.txt", "three.txt", "two.txt"]
    assert f"not in the commit of iteration 1, since what you had not committed is there too: {name}" in shared.told
    assert "right" in shared.text(name) and untouched(shared) == before and len(run.commits) == 3


@pytest.mark.check
@pytest.mark.skipif(not listening.is_possible(), reason="the calls of this machine are not known")
def test_what_the_person_writes_while_an_iteration_runs_is_in_no_commit(shared):
    person = shared.meanwhile(lambda: (shared.write("new.txt", "mine"), shared.write("two.txt", "wrong\nmine\n")))
    shared.start(f"sleep 1; {STEPS[0]}", "sed -i s/wrong/right/ two.txt", STEPS[2], branch="tries")
    person.join()
    assert told(shared, "diff", "--name-only", "main", "tries").split() == ["one.txt", "three.txt"]
    assert shared.text("two.txt") == "right\nmine\n" and shared.text("new.txt") == "mine"


# From a room


def repository(loops):
    """Return every file of the repository with its bytes."""
    files = [path for path in (loops.top / ".git").rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in files}


@pytest.mark.check
def test_a_branch_that_was_named_comes_out_of_the_room_with_the_result(loops):
    before = untouched(loops)
    run = loops.start(*STEPS, here=False, branch="tries")
    assert told(loops, "log", "--format=%an", "main..tries").split("\n")[:3] == ["Ada Lovelace"] * 3
    assert told(loops, "show", "tries:three.txt") == "right\n" and untouched(loops) == before
    assert display.commits(loops.latest()) == ["branch: tries, 3 commits, in your repository"]
    assert not os.path.exists(run.room) and not (loops.top / ".git" / "FETCH_HEAD").exists()
    assert not (loops.folder / "hooked").exists()


@pytest.mark.check
def test_commits_on_no_named_branch_stay_in_the_room_which_is_kept(loops):
    before = repository(loops)
    run = loops.start(*STEPS, here=False, commit=True)
    assert repository(loops) == before
    assert git(run.room, "rev-list", "--count", f"main..ralph/{run.id}") == b"3\n"
    assert display.commits(loops.latest()) == [f"branch: ralph/{run.id}, 3 commits, in the repository of its room"]


@pytest.mark.check
def test_a_branch_that_an_agent_moved_does_not_leave_its_room(loops):
    moves = "git commit -q --no-gpg-sign -am mine; git update-ref refs/heads/tries HEAD; "
    run = loops.start(*STEPS[:2], moves + STEPS[2], here=False, branch="tries")
    assert run.brought.get("why") and "tries" not in told(loops, "branch", "--list", "tries")


@pytest.mark.check
def test_a_branch_that_the_person_made_meanwhile_stays_theirs(loops):
    there = f"git -C {loops.top} branch tries; "
    run = loops.start(STEPS[0], there + STEPS[1], STEPS[2], here=False, branch="tries")
    assert told(loops, "rev-parse", "tries") == told(loops, "rev-parse", "main") and "by now" in run.brought["why"]
