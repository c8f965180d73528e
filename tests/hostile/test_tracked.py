"""A memory stays out of the repository that it lies in, whatever kind that is; nobody's own ignore file is touched."""

import shutil
import subprocess

import pytest

OWN = "*.log\n"


def plain(hook, git):
    git(hook.project, "init", "-q")
    return hook.project


def with_commits(hook, git):
    top = plain(hook, git)
    (top / "a.py").write_text("a = 1\n")
    (top / ".gitignore").write_text(OWN)
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "Begin")
    return top


def nested(hook, git):
    with_commits(hook, git)
    inner = hook.project / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    return inner


def in_a_folder(hook, git):
    top = with_commits(hook, git)
    (top / "src" / "net").mkdir(parents=True)
    hook.cwd = top / "src" / "net"
    return top


def worktree(hook, git):
    top = with_commits(hook, git)
    git(top, "worktree", "add", "-q", "-b", "side", "../side")
    return hook.folder / "side"


def worktree_inside(hook, git):
    top = with_commits(hook, git)
    git(top, "worktree", "add", "-q", "-b", "side", ".claude/worktrees/side")
    return top / ".claude" / "worktrees" / "side"


def submodule(hook, git):
    top = with_commits(hook, git)
    shutil.copytree(top, hook.folder / "library")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(hook.folder / "library"), "vendor")
    git(top, "commit", "-q", "-m", "Take the library in")
    return top / "vendor"


def clone(hook, git):
    git(hook.folder, "clone", "-q", str(with_commits(hook, git)), "again")
    return hook.folder / "again"


def that_ignores_it(hook, git):
    top = with_commits(hook, git)
    (top / ".gitignore").write_text(OWN + ".ralph-mem/\n")
    git(top, "commit", "-q", "-a", "-m", "Ignore it")
    return top


def that_wants_all(hook, git):
    top = with_commits(hook, git)
    (top / ".gitignore").write_text("!*\n!.*\n!.ralph-mem/\n")
    git(top, "commit", "-q", "-a", "-m", "Want all")
    return top


def with_an_ignore_file_of_its_own(hook, git):
    top = with_commits(hook, git)
    (top / ".ralph-mem").mkdir()
    (top / ".ralph-mem" / ".gitignore").write_text("*\n!config.yaml\n")
    return top


def without_git(hook, git):
    return hook.project


PLACES = (
    *(plain, with_commits, nested, in_a_folder, worktree, worktree_inside, submodule, clone, that_ignores_it, that_wants_all),
    *(with_an_ignore_file_of_its_own, without_git),
)


def seen_by_git(folder):
    """Return what `git add --all` would take of a memory, by any repository around it."""
    run = subprocess.run(["git", "-C", folder, "status", "--porcelain", "-uall"], capture_output=True, text=True)
    return [line for line in run.stdout.splitlines() if ".ralph-mem" in line]


def test_there_are_twelve_of_them():
    print(f"{len(PLACES)} repositories that a memory stays out of")
    assert len(PLACES) == 12


@pytest.mark.parametrize("make", PLACES, ids=lambda make: make.__name__)
def test_git_does_not_see_a_memory_and_no_ignore_file_is_changed(a_project, git, make):
    top = make(a_project, git)
    before = {path: path.read_text() for path in a_project.folder.rglob(".gitignore")}
    session = a_project.another(CLAUDE_PROJECT_DIR=str(top))
    session.cwd = session.cwd or top
    for name, fields in (("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "Where is the zeppelin?"})):
        ran = session.run(name, session.event(name, cwd=str(session.cwd), **fields))
        assert (ran.code, ran.err) == (0, b"")
    memories = [*a_project.folder.rglob("memory.db")]
    assert len(memories) == 1
    assert [seen_by_git(place) for place in (top, a_project.project, memories[0].parent.parent)] == [[]] * 3
    assert {path: path.read_text() for path in before} == before
