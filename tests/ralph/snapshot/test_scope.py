"""What is in a snapshot and what is not: git's answer at a run's start, kept to whatever becomes of it; no repository's inside."""

import os
import posix
import shutil
import tempfile
from pathlib import Path

import pytest

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import listing
from tests.ralph.snapshot.conftest import Tree, bytes_below, git, tree_of, wait_for_a_tick

# With git


def test_tracked_staged_and_untracked_files_are_in_and_ignored_ones_are_not(repository):
    repository.take()
    files = {b".gitignore", b"src/clean.py", b"src/dirty.py", b"src/staged.py", b"untracked.txt"}
    assert repository.paths() == files | {b"src"}


def test_the_users_own_ignore_file_counts(repository, home):
    (home / "ignore").write_text("untracked.txt\n")
    (home / "gitconfig").write_text(f"[core]\nexcludesFile = {home}/ignore\n")
    os.environ["GIT_CONFIG_GLOBAL"], before = str(home / "gitconfig"), os.environ.get("GIT_CONFIG_GLOBAL", os.devnull)
    try:
        repository.take()
    finally:
        os.environ["GIT_CONFIG_GLOBAL"] = before
    assert b"untracked.txt" not in repository.paths()


def test_ignored_files_that_a_pattern_names_are_in(repository):
    repository.write(".gitignore", "node_modules/\n.env*\nsecrets/\nlocal/\n")
    for path in (".env", "app/.env.local", "node_modules/x/.env", "secrets/key", "local/a/b", "local/c"):
        repository.write(path, "x")
    repository.take(scope=listing.DEFAULT._replace(include_ignored=(".env", ".env.*", "local")))
    assert {b".env", b"app/.env.local", b"local/a/b", b"local/c"} <= repository.paths()
    assert not {b"node_modules/x/.env", b"secrets/key"} & repository.paths()


def test_what_was_ignored_at_the_start_stays_out_when_the_ignore_file_is_gone(repository):
    wait_for_a_tick()
    repository.take()
    os.unlink(repository.top + b"/.gitignore")
    repository.write("node_modules/added/index.js", "installed by the loop")
    repository.write("new.py", "by the loop")
    repository.take("iteration")
    assert b"new.py" in repository.paths()
    assert not [path for path in repository.paths() if path.startswith((b"node_modules", b"debug"))]


def test_what_came_while_it_was_ignored_stays_out_too(repository):
    repository.take()
    repository.write("later.log", "ignored")
    repository.take("iteration")
    repository.write(".gitignore", "")
    repository.take("iteration")
    assert b"later.log" not in repository.paths()


# What an agent can write so that git, asked now, would ignore all that it makes.
BLINDS = {
    "the top's .gitignore": lambda tree: tree.write(".gitignore", "*\n"),
    "a nested .gitignore": lambda tree: tree.write("src/.gitignore", "*\n"),
    "a new folder's .gitignore": lambda tree: tree.write("new/.gitignore", "*\n"),
    "info/exclude": lambda tree: tree.write(".git/info/exclude", "*\n"),
    "core.excludesFile": lambda tree: git(tree.folder, "config", "core.excludesFile", tree.write("rules", "*\n")),
    "the person's own file": lambda tree: (
        Path(os.environ["HOME"], ".config/git").mkdir(parents=True),
        Path(os.environ["HOME"], ".config/git/ignore").write_text("*"),
    ),
    "core.ignoreCase": lambda tree: (
        git(tree.folder, "config", "core.ignoreCase", "true"),
        tree.write(".gitignore", "*.PY\nNEW\n"),
    ),
    ".gitattributes": lambda tree: tree.write(".gitattributes", "* export-ignore -diff\n"),
    "a repository inside": lambda tree: (
        git(tree.folder / "src", "init", "-q"),
        tree.write("src/.git/info/exclude", "*\n"),
    ),
    "no repository any more": lambda tree: shutil.rmtree(tree.folder / ".git"),
    "another repository": lambda tree: (
        shutil.rmtree(tree.folder / ".git"),
        git(tree.folder, "init", "-q"),
        tree.write(".git/info/exclude", "*\n"),
    ),
}


@pytest.mark.parametrize("how", BLINDS)
def test_what_is_new_is_judged_by_the_rules_of_the_start(repository, how):
    repository.take()
    BLINDS[how](repository)
    made = {b"new/deep/a.py", b"src/by_loop.py", b"beside.txt"}
    for path in made:
        repository.write(path, "by the loop")
    repository.write("later.log", "ignored at the start")
    repository.write("src/node_modules/x/index.js", "ignored at the start")
    repository.take("iteration")
    assert made <= repository.paths()
    assert not [path for path in repository.paths() if path.endswith(b".log") or b"node_modules" in path]


def test_rules_that_were_taken_away_still_hold(repository):
    repository.write(".git/info/exclude", "private/\n")
    repository.write("deep/.gitignore", "!kept.log\nout\n")
    repository.take()
    for path in (".gitignore", "deep/.gitignore", ".git/info/exclude"):
        repository.write(path, "")
    for path in ("private/a", "deep/out/a", "deep/a.log", "deep/kept.log", "a.log"):
        repository.write(path, "made meanwhile")
    repository.take("iteration")
    assert b"deep/kept.log" in repository.paths()
    assert not {b"private/a", b"deep/out/a", b"deep/a.log", b"a.log"} & repository.paths()


def test_a_file_of_ignore_rules_is_in_though_it_ignores_itself(repository):
    repository.write("out/.gitignore", "*\n")
    repository.write("out/data", "ignored")
    repository.take()
    assert b"out/.gitignore" in repository.paths() and b"out/data" not in repository.paths()


def test_nothing_is_left_of_asking_git(repository, monkeypatch, tmp_path):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    repository.take()
    before = bytes_below(repository.folder / ".git")
    repository.write("new/a.py", "by the loop")
    repository.take("iteration")
    assert list((tmp_path / "scratch").iterdir()) == [] and bytes_below(repository.folder / ".git") == before


def test_ignored_files_in_a_folder_that_took_the_place_of_a_tracked_file_are_out(repository):
    os.unlink(repository.top + b"/src/clean.py")
    repository.write("src/clean.py/inside.py", "x")
    repository.write("src/clean.py/inside.log", "ignored")
    repository.take()
    assert b"src/clean.py/inside.py" in repository.paths() and b"src/clean.py/inside.log" not in repository.paths()


def test_the_next_run_looks_at_the_ignore_rules_anew(repository):
    repository.take()
    repository.write(".gitignore", "untracked.txt\n")
    repository.take("start", run="run-2")
    assert b"untracked.txt" not in repository.paths()
    assert b"debug.log" in repository.paths()
    assert b"node_modules/left/index.js" not in repository.paths()  # a cache, whoever ignores it


def test_a_folder_that_held_only_ignored_files_is_in_and_so_is_what_comes_later(repository):
    repository.write("logs/today.log", "ignored")
    repository.take()
    repository.write("logs/new.py", "by the loop")
    repository.take("iteration")
    assert {b"logs", b"logs/new.py"} <= repository.paths() and b"logs/today.log" not in repository.paths()


def test_an_empty_folder_that_appears_and_one_that_goes_are_changes(repository):
    (repository.folder / "old" / "inner").mkdir(parents=True)
    first = repository.take()
    shutil.rmtree(repository.folder / "old")
    (repository.folder / "src" / "new").mkdir()
    second = repository.take("iteration")
    assert repository.differences(first, second) == [("deleted", b"old"), ("deleted", b"old/inner"), ("added", b"src/new")]


def test_a_file_made_between_git_and_the_walk_is_not_taken_for_an_ignored_one(repository, monkeypatch):
    paths = listing.Listing.paths

    def make_one_afterwards(self):
        found = paths(self)
        repository.write("late.py", "x")
        return found

    monkeypatch.setattr(listing.Listing, "paths", make_one_afterwards)
    repository.take()
    assert b"late.py" in repository.paths()


# Kinds of repositories


def all_but_ignored(folder):
    return {path for path in tree_of(folder) if not path.startswith((b"node_modules", b"debug"))}


def test_a_repository_without_commits(tree):
    git(tree.folder, "init", "-q")
    tree.write("a/b.py", "x")
    tree.take()
    assert tree.paths() == {b"a", b"a/b.py"}


def test_a_detached_head(repository):
    git(repository.folder, "checkout", "-q", "--detach")
    repository.take()
    assert repository.paths() == all_but_ignored(repository.folder)


def test_the_middle_of_a_merge_with_conflicts(repository):
    git(repository.folder, "add", "-A")
    git(repository.folder, "commit", "-qm", "mine")
    git(repository.folder, "checkout", "-qb", "other", "HEAD~1")
    repository.write("src/dirty.py", "theirs\n")
    git(repository.folder, "commit", "-qam", "theirs")
    git(repository.folder, "merge", "-q", "-", check=False)
    assert git(repository.folder, "ls-files", "--unmerged")
    before = bytes_below(repository.folder / ".git")
    repository.take()
    assert b"<<<<<<<" in repository.held()[b"src/dirty.py"][2]
    assert bytes_below(repository.folder / ".git") == before


def test_a_linked_worktree_is_a_tree_of_its_own(repository, tmp_path):
    git(repository.folder, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    linked = Tree(tmp_path / "linked")
    linked.write("only-here", "x")
    linked.write("debug.log", "ignored")
    linked.take()
    repository.take()
    assert linked.paths() == {b".gitignore", b"src", b"src/clean.py", b"src/dirty.py", b"only-here"}
    assert b"only-here" not in repository.paths()


def test_a_worktree_of_a_bare_repository(repository, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repository.folder), "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Tree(tmp_path / "linked")
    linked.take()
    assert linked.paths() == {b".gitignore", b"src", b"src/clean.py", b"src/dirty.py"}


def test_what_a_sparse_checkout_leaves_out_is_not_there(repository):
    repository.write("docs/a.md", "x")
    git(repository.folder, "add", "-A")
    git(repository.folder, "commit", "-qm", "all")
    git(repository.folder, "sparse-checkout", "set", "src")
    repository.take()
    assert b"docs/a.md" not in repository.paths() and b"src/clean.py" in repository.paths()


def test_a_config_that_names_another_work_tree_leads_nowhere(repository, tmp_path):
    git(repository.folder, "add", "-f", "debug.log")
    git(repository.folder, "config", "core.worktree", str(tmp_path))
    repository.take()
    assert repository.paths() == all_but_ignored(repository.folder) | {b"debug.log"}


@pytest.fixture
def nested(repository):
    """A repository with another one in it, dirty, with an ignored file of its own, and a submodule."""
    for name in ("nested", "module"):
        inner = Tree(repository.folder / name)
        inner.write(".gitignore", "build/\n")
        inner.write("a.py", "committed\n")
        git(inner.folder, "init", "-q")
        git(inner.folder, "add", "-A")
        git(inner.folder, "commit", "-qm", "inner")
        inner.write("a.py", "dirty\n")
        inner.write("build/x", "ignored\n")
        inner.write("sub/b.py", "untracked\n")
        inner.write("private", "ignored by what git alone knows\n")
        inner.write(".git/info/exclude", "private\n")
    git(repository.folder, "-c", "advice.addEmbeddedRepo=false", "add", "module")
    return repository


def test_files_of_repositories_inside_are_files_like_others(nested):
    nested.take()
    expected = {
        b"/".join((name, path)) for name in (b"nested", b"module") for path in (b".gitignore", b"a.py", b"sub", b"sub/b.py")
    }
    assert {path for path in nested.paths() if path.startswith((b"nested/", b"module/"))} == expected
    assert nested.held()[b"module/a.py"][2] == nested.held()[b"nested/a.py"][2] == b"dirty\n"


def test_no_git_folder_is_entered_or_stored_at_any_depth(nested):
    before = [bytes_below(nested.folder / name / ".git") for name in ("", "nested", "module")]
    nested.take()
    nested.write("nested/a.py", "by the loop")
    nested.take("iteration")
    assert not [path for path in nested.paths() if b".git" in path.split(b"/")]
    assert [bytes_below(nested.folder / name / ".git") for name in ("", "nested", "module")] == before


@pytest.mark.parametrize("name", ["nested", "module"])
def test_new_files_in_repositories_inside_are_found_by_their_own_rules(nested, name):
    wait_for_a_tick()
    first = nested.take()
    nested.write(f"{name}/sub/new/b.py", "x")
    nested.write(f"{name}/build/y", "ignored")
    found = nested.differences(first, nested.take("iteration"))
    assert found == [("added", f"{name}/sub/new".encode()), ("added", f"{name}/sub/new/b.py".encode())]


def test_a_folder_that_becomes_a_repository_keeps_its_files_in_scope(repository):
    first = repository.take()
    git(repository.folder / "src", "init", "-q")
    repository.write("src/new.py", "x")
    second = repository.take("iteration")
    assert repository.differences(first, second) == [("added", b"src/new.py")]


def test_what_git_cannot_tell_of_one_path_it_is_asked_of_the_others(nested):
    shutil.rmtree(nested.folder / "module")
    for path in ("module/inner", "empty", ":(odd", "node_modules/empty"):
        (nested.folder / path).mkdir(parents=True)
    nested.take()
    assert {b"empty", b":(odd"} <= nested.paths() and b"node_modules" not in nested.paths()


def test_a_submodule_that_is_not_there_is_an_empty_folder(nested):
    shutil.rmtree(nested.folder / "module")
    (nested.folder / "module").mkdir()
    nested.take()
    assert [path for path in nested.paths() if path.startswith(b"module")] == [b"module"]


# Without git


def test_a_folder_without_git_is_all_in_but_for_what_tools_make(tree):
    for path in ("a.py", "src/b.py", "node_modules/x.js", "src/__pycache__/b.pyc", ".venv/bin/python", "target/debug/x", ".env"):
        tree.write(path, "x")
    tree.take()
    assert tree.paths() == {b"a.py", b"src", b"src/b.py", b".env"}


@pytest.mark.parametrize("without", ["no git installed", "git refuses"])
def test_a_repository_is_walked_where_git_does_not_answer(repository, tmp_path, monkeypatch, without):
    if without == "no git installed":
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        (repository.folder / ".git" / "HEAD").write_text("broken")
    repository.take()
    assert b"debug.log" in repository.paths() and b"src/staged.py" in repository.paths()
    assert not [path for path in repository.paths() if path.startswith((b".git/", b"node_modules"))]


def test_a_run_does_not_begin_with_a_list_that_git_did_not_make_although_it_works(repository):
    (repository.folder / ".git" / "index").write_bytes(b"broken")
    with pytest.raises(SnapshotError, match="git cannot list"):
        repository.take()


def test_an_index_that_breaks_during_a_run_hinders_no_further_snapshot(repository):
    first = repository.take()
    (repository.folder / ".git" / "index").write_bytes(b"broken")
    repository.write("src/new.py", "x")
    assert repository.differences(first, repository.take("iteration")) == [("added", b"src/new.py")]


def test_what_git_ignored_at_the_start_stays_out_when_git_is_gone(repository):
    repository.take()
    shutil.rmtree(repository.folder / ".git")
    repository.take("iteration")
    assert b"debug.log" not in repository.paths()


def test_repositories_in_a_folder_without_git_are_asked_for_their_files(tree):
    inner = Tree(tree.folder / "one")
    inner.write(".gitignore", "out/\n")
    inner.write("out/x", "ignored")
    inner.write("a.py", "x")
    git(inner.folder, "init", "-q")
    tree.write("b.py", "x")
    tree.take()
    assert tree.paths() == {b"b.py", b"one", b"one/.gitignore", b"one/a.py"}


def test_a_repository_around_the_folder_is_not_asked(repository):
    inner = Tree(repository.folder / "node_modules" / "left")
    inner.take()
    assert inner.paths() == {b"index.js"}


def test_a_repository_around_a_broken_one_is_not_asked_either(repository):
    repository.write(".git/info/exclude", "*.txt\n")
    inner = Tree(repository.folder / "inner")
    inner.write("a.txt", "the repository around would ignore it")
    (inner.folder / ".git").mkdir()
    inner.take()
    assert inner.paths() == {b"a.txt"}


def test_our_own_memory_is_never_in(repository):
    repository.write(".ralph-mem/memory.db", "x")
    repository.write("src/.ralph-mem/memory.db", "x")
    git(repository.folder, "add", "-f", ".ralph-mem")
    repository.take()
    assert not [path for path in repository.paths() if b".ralph-mem" in path]


def test_a_data_home_inside_the_tree_is_not_part_of_the_tree(tree, monkeypatch):
    monkeypatch.setitem(posix.environ, b"XDG_DATA_HOME", tree.top + b"/data")
    tree.write("a", "x")
    tree.take()
    tree.take("iteration")
    assert tree.paths() == {b"a", b"data"}


# What is refused


@pytest.mark.parametrize("place", ["home", "around the home", "/"])
def test_the_home_folder_and_those_around_it_get_no_snapshot(home, place):
    folder = {"home": home, "around the home": home.parent, "/": "/"}[place]
    for forced in (False, True):
        with pytest.raises(SnapshotError, match="home folder"):
            Tree(folder).take(scope=listing.DEFAULT._replace(forced=forced))


@pytest.mark.parametrize("limits", [{"most_paths": 5}, {"most_bytes": 10}])
@pytest.mark.parametrize("kind", ["tree", "repository"])
def test_a_tree_over_the_limits_gets_no_snapshot_unless_forced(request, kind, limits):
    tree = request.getfixturevalue(kind)
    for number in range(10):
        tree.write(f"{number}", "four")
    limits = listing.DEFAULT._replace(**limits)
    with pytest.raises(SnapshotError, match="has more than") as told:
        tree.take(scope=limits)
    assert ".gitignore" in told.value.hint
    with tree.open() as snapshots:
        assert snapshots.taken() == []
    assert tree.take(scope=limits._replace(forced=True)).files >= 10


def test_a_tree_that_grows_over_the_limits_gets_no_further_snapshot(tree):
    limits = listing.DEFAULT._replace(most_paths=5)
    tree.write("a", "x")
    first = tree.take(scope=limits)
    for number in range(10):
        tree.write(f"{number}", "x")
    with pytest.raises(SnapshotError, match="has more than 5 paths"):
        tree.take("iteration", scope=limits)
    assert tree.paths(first.id) == {b"a"}


def test_files_above_the_cap_do_not_count_for_the_limit(tree):
    tree.write("big", b"x" * 10_000)
    assert tree.take(scope=listing.DEFAULT._replace(most_file_bytes=1000, most_bytes=5000)).bytes == 0


@pytest.mark.parametrize("path", [b".git", b"a/.git/config", b".GIT/x", b".ralph-mem/memory.db", b"x/.ralph-mem"])
def test_barred_paths(path):
    assert listing.is_barred(path)


@pytest.mark.parametrize("path", [b".gitignore", b"a/.github/x", b"x.git", b"a/b", b"ralph-mem"])
def test_paths_that_only_look_like_barred_ones(path):
    assert not listing.is_barred(path)


def test_what_a_run_of_the_checks_leaves_is_in_scope_only_where_git_tracks_it(repository):
    repository.write("pkg/__pycache__/kept.pyc", b"tracked")
    git(repository.folder, "add", "-f", "pkg/__pycache__/kept.pyc")
    repository.write("pkg/__pycache__/a.pyc", b"made by a check")
    repository.write(".pytest_cache/v/lastfailed", b"{}")
    repository.take()
    assert b"pkg/__pycache__/kept.pyc" in repository.paths()
    assert not {path for path in repository.paths() if b".pytest_cache" in path or path.endswith(b"a.pyc")}
