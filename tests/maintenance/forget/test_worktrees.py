"""Trees: what loops left in any worktree of a repository is followed by a forget, wherever that is typed."""

import json
import subprocess
from pathlib import Path

import pytest

from ralph_mem.core import project as projects
from ralph_mem.maintenance.forget import erase, inventory
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.ralph import runs
from ralph_mem.ralph.snapshot import listing, store, taking
from tests.readers import files_of, holding, reader_of

SECRET = "quetzalcoatlus sleeps below the lantern"


@pytest.fixture
def a_worktree(a_session, tmp_path):
    """Have a worktree beside the project, in which a loop has left its record and a snapshot; returns it as a project."""
    order = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"], ["worktree", "add", "-q", str(tmp_path / "tree")]):
        subprocess.run([*order, *words], cwd=a_session.project.root, check=True, capture_output=True)
    tree = projects.find(str(tmp_path / "tree"))
    runs.make_folder(tree)
    start = {"what": "start", "goal": SECRET, "folder": tree.top, "root": tree.root}
    Path(runs.path_of(tree, "loop-1")).write_text(json.dumps(start) + "\n")
    Path(tree.top, "plan.txt").write_text(SECRET)
    with store.open_store(tree) as snapshots:
        taking.take(snapshots, "start", run="loop-1", scope=listing.DEFAULT)
    a_session.has_a_turn(SECRET, f"{SECRET}, as everybody knows.")
    return tree


def test_the_worktrees_of_a_repository_are_found_from_each_of_them(a_session, a_worktree):
    main = projects.find(a_session.project.root)
    assert (
        {tree.top for tree in inventory.worktrees_of(main)}
        == {tree.top for tree in inventory.worktrees_of(a_worktree)}
        == {main.top, a_worktree.top}
    )


def test_a_folder_without_git_is_the_one_tree(a_session):
    assert [tree.top for tree in inventory.worktrees_of(a_session.project)] == [a_session.project.root]


def test_a_forget_in_the_main_tree_follows_the_text_into_loops_of_another_one(a_session, a_worktree):
    a_session.project = projects.find(a_session.project.root)
    reader = reader_of(a_session)
    report = erase.forget(reader, selections.plan(reader, selections.Selection(query=SECRET)), snapshots=True)
    assert report.changed["snapshots"] == ["loop-1"] and report.changed["loop records"] == [runs.path_of(a_worktree, "loop-1")]
    Path(a_worktree.top, "plan.txt").unlink()
    assert report.out_of_reach == [] and holding(files_of(a_session.project), "quetzalcoatlus") == []


def test_what_loops_left_in_a_worktree_that_was_removed_since_is_followed_too(a_session, a_worktree):
    subprocess.run(["git", "worktree", "remove", "--force", a_worktree.top], cwd=a_session.project.root, check=True)
    a_session.project = projects.find(a_session.project.root)
    reader = reader_of(a_session)
    report = erase.forget(reader, selections.plan(reader, selections.Selection(query=SECRET)), snapshots=True)
    assert report.changed["snapshots"] == ["loop-1"] and report.changed["loop records"] == [runs.path_of(a_worktree, "loop-1")]
    assert report.out_of_reach == [] and holding(files_of(a_session.project), "quetzalcoatlus") == []


def test_a_snapshot_of_a_file_whose_name_says_it_is_told(a_session):
    name = "quetzalcoatlus-sleeps-here-below.txt"
    Path(a_session.project.root, name).write_text("x")
    with store.open_store(a_session.project) as snapshots:
        taking.take(snapshots, "start", run="loop-1", scope=listing.DEFAULT)
    a_session.has_a_turn(f"See {name}", "It is empty.")
    reader = reader_of(a_session)
    report = erase.forget(reader, selections.plan(reader, selections.Selection(query="quetzalcoatlus-sleeps-here-below")))
    assert [what for what, _ in report.pending] == ["the snapshots of loop-1"]
