"""The quota: the oldest runs go first, the one that goes on never; what others share stays, and the disk gets its room back."""

import os

import pytest

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import blobs, listing, store, taking
from tests.ralph.snapshot.conftest import bytes_below

MIB = 1_048_576


@pytest.fixture
def three_runs(tree):
    """Three runs of two snapshots, each with half a mebibyte of its own, and a file that all of them share."""
    tree.write("shared", b"in all of them" * 100)
    for run in ("one", "two", "three"):
        tree.write("own", os.urandom(500_000))
        tree.take("start", run)
        tree.write("note", run)
        tree.take("iteration", run)
    return tree


def runs_of(tree):
    with tree.open() as snapshots:
        return list(dict.fromkeys(row[0] for row in snapshots.query("SELECT run FROM snapshots ORDER BY number")))


def test_deleting_a_run_frees_what_it_alone_held_and_nothing_else(three_runs):
    with three_runs.open() as snapshots:
        kept = {taken.id: None for run in ("one", "three") for taken in snapshots.taken(run)}
        before = blobs.bytes_on_disk(snapshots)
    kept = {number: three_runs.held(number) for number in kept}
    with three_runs.open() as snapshots:
        taking.delete_run(snapshots, "two")
        assert before - blobs.bytes_on_disk(snapshots) > 480_000
    assert {number: three_runs.held(number) for number in kept} == kept
    assert runs_of(three_runs) == ["one", "three"]


@pytest.mark.parametrize("gone", [["three"], ["one", "three"], ["three", "two", "one"]])
def test_snapshots_after_a_deletion_are_what_they_would_have_been(three_runs, gone):
    with three_runs.open() as snapshots:
        for run in gone:
            taking.delete_run(snapshots, run)
    taken = three_runs.take("start", "four")
    assert three_runs.held(taken.id)[b"note"][2] == b"three"
    other = type(three_runs)(three_runs.folder)
    with other.open() as snapshots:
        for run in ("one", "two", "three", "four"):
            taking.delete_run(snapshots, run)
        assert snapshots.query("SELECT count(*) FROM entries") == [(0,)]
        assert snapshots.query("SELECT count(*) FROM blobs") == [(0,)]
    again = other.take("start", "five")
    assert (again.tree, again.files, again.bytes) == (taken.tree, taken.files, taken.bytes)
    assert again.id > taken.id  # a number never means two things


def test_the_file_on_the_disk_shrinks(three_runs):
    size = os.path.getsize(store.folder_of(three_runs.project) + "/store.db")
    with three_runs.open() as snapshots:
        for run in ("one", "two"):
            taking.delete_run(snapshots, run)
    assert size - os.path.getsize(store.folder_of(three_runs.project) + "/store.db") > 900_000


def test_large_files_of_a_deleted_run_go_from_the_disk(tree):
    tree.write("large", os.urandom(2 * MIB))
    tree.take("start", "one")
    tree.write("large", os.urandom(2 * MIB))
    tree.take("start", "two")
    with tree.open() as snapshots:
        taking.delete_run(snapshots, "one")
        assert len(bytes_below(snapshots.folder + "/blobs")) == 1


def test_the_oldest_runs_go_first_when_a_snapshot_needs_the_room(three_runs):
    three_runs.write("own", os.urandom(500_000))
    three_runs.take("start", "four", listing.DEFAULT._replace(quota_bytes=1_300_000))
    assert runs_of(three_runs) == ["three", "four"]
    assert sum(len(content) for content, _ in bytes_below(store.folder_of(three_runs.project)).values()) < 1_300_000


def test_the_run_that_goes_on_is_never_evicted(three_runs):
    with three_runs.open() as snapshots:
        snapshots.db.execute("BEGIN IMMEDIATE")
        room = taking.make_room(snapshots, "one", 100)
        snapshots.db.execute("COMMIT")
    assert room.removed == ["two", "three"] and not room.holds
    assert runs_of(three_runs) == ["one"]
    assert [taken.label for taken in three_runs.open().taken("one")] == ["start", "iteration"]


def test_an_iteration_that_needs_more_than_the_quota_is_taken_all_the_same(three_runs):
    three_runs.write("own", os.urandom(900_000))
    taken = three_runs.take("pre-rollback-1", "three", listing.DEFAULT._replace(quota_bytes=800_000))
    assert runs_of(three_runs) == ["three"]
    assert len(three_runs.held(taken.id)[b"own"][2]) == 900_000


def test_a_run_that_cannot_begin_within_the_quota_is_refused_and_costs_no_other_run_anything(three_runs):
    three_runs.write("huge", os.urandom(3 * MIB))
    with pytest.raises(SnapshotError, match="the quota is 1 MiB"):
        three_runs.take("start", "four", listing.DEFAULT._replace(quota_bytes=MIB))
    assert not bytes_below(store.folder_of(three_runs.project) + "/blobs")
    assert runs_of(three_runs) == ["one", "two", "three"]


def test_within_the_quota_nothing_goes(three_runs):
    with three_runs.open() as snapshots:
        assert taking.make_room(snapshots, "three", 100 * MIB)[2:] == ([], True)
    assert runs_of(three_runs) == ["one", "two", "three"]
