"""Which project a session belongs to, with real repositories."""

import os
import shutil
import subprocess

import pytest

from ralph_mem.core import project as projects
from ralph_mem.core.project import Project


def git(folder, *order):
    run = subprocess.run(["git", "-C", str(folder), *order], capture_output=True, text=True, check=True, timeout=30)
    return run.stdout.strip()


@pytest.fixture
def a_repository(tmp_path):
    return repository(tmp_path / "shop")


def repository(folder):
    """Make a repository with one commit on the branch `main`."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    return folder


def root_of(folder):
    return projects.find(str(folder)).root


def test_a_plain_folder_is_its_own_project(a_home, tmp_path):
    (tmp_path / "plain" / "inner").mkdir(parents=True)
    assert root_of(tmp_path / "plain" / "inner") == str(tmp_path / "plain" / "inner")
    assert root_of(f"{tmp_path}/plain/") == str(tmp_path / "plain")
    assert projects.head(projects.find(str(tmp_path / "plain"))) == ("", "")


@pytest.mark.parametrize("below", ["", "src", "src/deep/down"])
def test_a_repository_is_one_project_from_everywhere_inside(a_repository, below):
    (a_repository / below).mkdir(parents=True, exist_ok=True)
    found = projects.find(str(a_repository / below))
    assert (found.root, found.folder) == (str(a_repository), f"{a_repository}/.ralph-mem")


def test_a_folder_that_is_gone_still_has_its_project(a_repository):
    assert root_of(a_repository / "gone" / "deeper") == str(a_repository)


@pytest.mark.parametrize("place", ["../beside", "inside/worktree", ".worktrees/one"])
def test_a_linked_worktree_belongs_to_the_main_one(a_repository, place):
    git(a_repository, "worktree", "add", "-q", "-b", "side", place)
    worktree = a_repository / place
    (worktree / "src").mkdir()
    assert {root_of(worktree.resolve()), root_of((worktree / "src").resolve())} == {str(a_repository)}
    assert projects.head(projects.find(str(worktree.resolve())))[0] == "side"


def test_the_branches_elsewhere_are_those_of_the_other_worktrees_that_are_there(a_repository, tmp_path):
    assert projects.elsewhere(projects.find(str(a_repository))) == []
    for name in ("side", "gone"):
        git(a_repository, "worktree", "add", "-q", "-b", name, f"../{name}")
    shutil.rmtree(tmp_path / "gone")
    assert projects.elsewhere(projects.find(str(a_repository))) == ["side"]
    assert projects.elsewhere(projects.find(str(tmp_path / "side"))) == ["main"]


def test_a_detached_worktree_is_known_by_its_name_and_one_that_is_rebased_or_bisected_by_its_branch(a_repository, tmp_path):
    for words in (["--detach", "../old"], ["-b", "side", "../side"], ["-b", "halved", "../halved"]):
        git(a_repository, "worktree", "add", "-q", *words)
    for at in ("side", "halved", "halved", "halved"):
        git(tmp_path / at, "commit", "-q", "--allow-empty", "-m", "More")
    git(tmp_path / "halved", "bisect", "start", "HEAD", "HEAD~3")
    with pytest.raises(subprocess.CalledProcessError):  # it stops in the middle
        git(tmp_path / "side", "rebase", "-f", "--exec", "false", "main")
    names = [projects.head(projects.find(str(tmp_path / at)))[0] for at in ("halved", "old", "side")]
    assert projects.elsewhere(projects.find(str(a_repository))) == names == ["halved", "old (detached)", "side"]


def test_a_worktree_whose_main_one_is_gone_keeps_what_it_has(a_repository, tmp_path):
    git(a_repository, "worktree", "add", "-q", "../beside")
    a_repository.rename(tmp_path / "elsewhere")
    assert root_of(tmp_path / "beside") == str(tmp_path / "beside")


def test_the_worktrees_of_a_bare_repository_are_one_project(a_repository, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(a_repository), "shop.git")
    for name in ("one", "two"):
        git(tmp_path / "shop.git", "worktree", "add", "-q", "-b", name, str(tmp_path / name))
    assert {root_of(tmp_path / "one"), root_of(tmp_path / "two")} == {str(tmp_path / "shop.git")}


def test_the_worktrees_of_a_bare_repository_in_dot_git_belong_to_the_folder_around_it(a_repository, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(a_repository), "around/.git")
    git(tmp_path / "around" / ".git", "worktree", "add", "-q", "-b", "one", str(tmp_path / "around" / "one"))
    assert root_of(tmp_path / "around" / "one") == root_of(tmp_path / "around") == str(tmp_path / "around")


def test_a_submodule_is_a_project_of_its_own(a_repository, tmp_path):
    library = repository(tmp_path / "library")
    git(a_repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor/library")
    found = projects.find(str(a_repository / "vendor" / "library"))
    assert found.root == str(a_repository / "vendor" / "library")
    assert projects.head(found) == ("main", git(library, "rev-parse", "HEAD"))


def test_a_nested_repository_is_a_project_of_its_own(a_repository):
    nested = repository(a_repository / "tools" / "nested")
    assert root_of(nested) == str(nested)
    assert root_of(a_repository / "tools") == str(a_repository)


def test_a_git_folder_elsewhere_does_not_move_the_project(tmp_path):
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"), "shop")
    assert root_of(tmp_path / "shop") == str(tmp_path / "shop")


# A repository in the home folder counts as none


@pytest.fixture
def a_home_with_a_repository(a_home):
    git(a_home, "init", "-q", "-b", "main")
    git(a_home, "commit", "-q", "--allow-empty", "-m", "Begin")
    (a_home / "notes" / "today").mkdir(parents=True)
    return a_home


@pytest.mark.parametrize("ending", ["", "/"])
def test_a_repository_in_the_home_counts_as_none(a_home_with_a_repository, the_environment, ending):
    the_environment(HOME=f"{a_home_with_a_repository}{ending}")
    assert root_of(a_home_with_a_repository / "notes" / "today") == str(a_home_with_a_repository / "notes" / "today")
    assert projects.find(str(a_home_with_a_repository)).git == ""


def test_a_repository_in_a_home_that_is_reached_by_a_link_counts_as_none(a_home_with_a_repository, the_environment, tmp_path):
    (tmp_path / "link").symlink_to(a_home_with_a_repository)
    the_environment(HOME=tmp_path / "link")
    assert root_of(a_home_with_a_repository / "notes") == str(a_home_with_a_repository / "notes")


def test_a_worktree_of_a_repository_in_the_home_does_not_lead_there(a_home_with_a_repository, tmp_path):
    git(a_home_with_a_repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert root_of(tmp_path / "side") == str(tmp_path / "side")


def test_a_repository_below_the_home_counts(a_home_with_a_repository):
    assert root_of(repository(a_home_with_a_repository / "code" / "shop")) == str(a_home_with_a_repository / "code" / "shop")


# Where links and odd files lead


def test_a_start_through_a_link_finds_the_repository(a_repository, tmp_path):
    (a_repository / "src").mkdir()
    (tmp_path / "link").symlink_to(a_repository)
    found = projects.find(str(tmp_path / "link" / "src"))
    assert projects.same_place(found.root, str(a_repository))


@pytest.mark.parametrize("pointer", ["gitdir: /nowhere/at/all", "gitdir:", "nonsense", "", "gitdir: ../../../../../../../.."])
def test_a_broken_pointer_is_survived(tmp_path, pointer):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / ".git").write_text(pointer)
    found = projects.find(str(tmp_path / "shop"))
    assert found.root == str(tmp_path / "shop")
    assert projects.head(found) == ("", "")


def test_the_search_ends_at_the_root():
    assert root_of("/") == "/"
    assert Project("/").folder == "/.ralph-mem"


@pytest.mark.parametrize(
    ("path", "seen"),
    [("/shop/src/a.py", "src/a.py"), ("/shop2/a.py", "/shop2/a.py"), ("/etc/passwd", "/etc/passwd"), ("src/a.py", "src/a.py")],
)
def test_a_path_is_seen_from_the_root(path, seen):
    assert Project("/shop").relative(path) == Project("/shop/").relative(path) == seen


def test_two_paths_to_one_folder_are_the_same_place(tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    assert projects.same_place(f"{tmp_path}/link", f"{tmp_path}/shop")
    assert not projects.same_place(f"{tmp_path}/link", str(tmp_path))
    assert not projects.same_place(f"{tmp_path}/gone", f"{tmp_path}/gone")


# What is checked out


def head(folder):
    return projects.head(projects.find(str(folder)))


@pytest.mark.parametrize("branch", ["main", "feature/deep/name", "ünï"])
def test_the_head_is_the_branch_and_its_commit(a_repository, branch):
    git(a_repository, "checkout", "-q", "-B", branch)
    assert head(a_repository) == (branch, git(a_repository, "rev-parse", "HEAD"))


def test_a_detached_head_has_no_branch(a_repository):
    git(a_repository, "checkout", "-q", "--detach")
    assert head(a_repository) == ("", git(a_repository, "rev-parse", "HEAD"))


def test_packed_refs_are_read(a_repository):
    git(a_repository, "branch", "not-main")
    git(a_repository, "pack-refs", "--all")
    assert not os.path.exists(a_repository / ".git" / "refs" / "heads" / "main")
    assert head(a_repository) == ("main", git(a_repository, "rev-parse", "HEAD"))


def test_packed_refs_are_read_from_a_worktree(a_repository, tmp_path):
    git(a_repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    git(tmp_path / "side", "commit", "-q", "--allow-empty", "-m", "Go on")
    git(a_repository, "pack-refs", "--all")
    assert head(tmp_path / "side") == ("side", git(tmp_path / "side", "rev-parse", "HEAD"))


def test_an_unborn_branch_has_no_commit(tmp_path):
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "-q", "-b", "main")
    assert head(tmp_path / "new") == ("main", "")
