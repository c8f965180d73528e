"""A memory stays out of the repository that it lies in, whatever kind that is; nobody's own ignore file is touched."""

import shutil
import subprocess

import pytest

from ralph_mem.core import project
from ralph_mem.maintenance.doctor import files

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


@pytest.mark.check
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


# The doctor


def committed(folder, git, *names):
    """Have git take some files of a memory although it ignores them."""
    (folder / ".ralph-mem").mkdir(exist_ok=True)
    for name in names:
        (folder / ".ralph-mem" / name).write_text("x")
    git(folder, "add", "--force", ".ralph-mem")
    git(folder, "commit", "-q", "-m", "Take it all")


def findings(folder):
    return [(each.state, each.seen) for each in files.tracked(project.find(str(folder)))]


def in_a_repository(hook, git):
    top = with_commits(hook, git)
    committed(top, git, "memory.db", "lock")
    return top, top


def seen_from_a_folder_in_it(hook, git):
    top, _ = in_a_repository(hook, git)
    (top / "src").mkdir()
    return top / "src", top


def in_a_worktree(hook, git):
    side = worktree(hook, git)
    committed(side, git, "memory.db", "lock")
    return side, side


def in_the_main_one_of_a_worktree(hook, git):
    top = with_commits(hook, git)
    git(top, "worktree", "add", "-q", "-b", "side", "../side")
    committed(top, git, "memory.db", "lock")
    return hook.folder / "side", top


def in_a_submodule(hook, git):
    vendor = submodule(hook, git)
    committed(vendor, git, "memory.db", "lock")
    return vendor, vendor


def in_an_index_of_short_names(hook, git):
    top, _ = in_a_repository(hook, git)
    git(top, "update-index", "--index-version", "4")
    return top, top


TRACKED = (
    *(in_a_repository, seen_from_a_folder_in_it, in_a_worktree, in_the_main_one_of_a_worktree, in_a_submodule),
    in_an_index_of_short_names,
)


@pytest.mark.parametrize("make", TRACKED, ids=lambda make: make.__name__)
def test_the_doctor_says_where_git_tracks_a_memory_until_that_is_undone(a_project, git, make):
    folder, top = make(a_project, git)
    ((state, seen),) = findings(folder)
    assert (state, seen.partition(",")[0]) == ("warning", f"git tracks 2 files in {top}/.ralph-mem")
    git(top, "rm", "--cached", "-r", "-q", ".ralph-mem")
    assert findings(folder) == [("ok", "tracks nothing of what is remembered")]
    assert (top / ".ralph-mem" / "memory.db").exists()


def test_the_doctor_says_what_to_do_about_it(a_project, git):
    folder, _ = in_a_repository(a_project, git)
    (found,) = files.tracked(project.find(str(folder)))
    assert found.do.startswith("`git rm --cached -r .ralph-mem`")


def test_a_team_may_track_what_is_no_memory(a_project, git):
    top = with_commits(a_project, git)
    committed(top, git, "config.yaml", ".gitignore")
    assert findings(top) == [("ok", "tracks nothing of what is remembered")]


def test_only_the_memory_of_this_project_is_meant(a_project, git):
    top = with_commits(a_project, git)
    (top / "docs").mkdir()
    committed(top / "docs", git, "notes.md")
    assert findings(top) == [("ok", "tracks nothing of what is remembered")]


def test_nothing_is_said_where_there_is_no_git(a_project):
    assert findings(a_project.project) == []


def test_where_git_itself_is_missing_its_index_still_tells_of_the_memory(a_project, git, monkeypatch):
    folder, _ = in_a_repository(a_project, git)
    monkeypatch.setenv("PATH", "/nowhere")
    ((state, seen),) = findings(folder)
    assert (state, "memory.db" in seen) == ("warning", True)


def test_a_hook_of_git_asks_of_its_own_repository_alone(a_project, git, monkeypatch):
    folder, _ = in_a_repository(a_project, git)
    monkeypatch.setenv("GIT_DIR", str(a_project.folder / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(a_project.folder / "index"))
    ((_, seen),) = findings(folder)
    assert seen.startswith("git tracks 2 files")


def test_to_ask_runs_nothing_that_the_repository_names(a_project, git):
    folder, _ = in_a_repository(a_project, git)
    canary = a_project.folder / "canary"
    git(folder, "config", "core.fsmonitor", f"touch {canary}")
    findings(folder)
    assert not canary.exists()
