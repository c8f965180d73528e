"""What a rollback decides for a path, from the entries of three trees."""

import pytest

from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK, OTHER, Change, Entry
from ralph_mem.ralph.snapshot.rollback_plan import decide
from tests.folded import folded

ONE = Entry(FILE, 0o644, 3, b"one", True)
TWO = Entry(FILE, 0o644, 3, b"two", True)
THREE = Entry(FILE, 0o644, 5, b"three", True)
A_LINK = Entry(LINK, 0o777, 3, b"link", True)
A_FOLDER = Entry(FOLDER, 0o755, 0, b"", True)
A_CLOSED_FOLDER = Entry(FOLDER, 0o555, 0, b"", True)
TOO_LARGE = Entry(FILE, 0o644, 99_000_000, b"", False)
A_FIFO = Entry(OTHER, 0o644, 0, b"", False)


def planned(target, left, now, force=False):
    """Plan from three trees, each given as {path: entry}."""
    paths = sorted({*target, *left, *now})
    changes = [Change(path, "", target.get(path), now.get(path)) for path in paths if target.get(path) != now.get(path)]
    return decide(changes, {path: left.get(path) for path in paths if left.get(path) != now.get(path)}, force)


def verbs(plan):
    return {action.path: action.verb for action in plan.actions}


@folded(
    ("target", "left", "now", "verb", "why"),
    [
        (ONE, ONE, ONE, None, None),
        (ONE, TWO, ONE, None, None),
        (None, TWO, None, None, None),
        (ONE, TWO, TWO, "restore", None),
        (ONE, None, None, "restore", None),
        (None, TWO, TWO, "delete", None),
        (ONE, A_LINK, A_LINK, "restore", None),
        (ONE, ONE._replace(mode=0o600), ONE._replace(mode=0o600), "restore", None),
        (A_FOLDER, None, None, "make_folder", None),
        (A_FOLDER, TWO, TWO, "make_folder", None),
        (TWO, A_FOLDER, A_FOLDER, "restore", None),
        (None, A_FOLDER, A_FOLDER, "remove_folder", None),
        (A_CLOSED_FOLDER, A_FOLDER, A_FOLDER, "change_mode", None),
        (ONE, TWO, THREE, None, "changed by the loop, then by you"),
        (ONE, TWO, None, None, "changed by the loop, then by you"),
        (None, TWO, THREE, None, "changed by the loop, then by you"),
        (ONE, ONE, THREE, None, "changed by you"),
        (ONE, ONE, None, None, "changed by you"),
        (None, None, THREE, None, "changed by you"),
        (TOO_LARGE, TWO, TWO, None, "was not stored"),
        (TOO_LARGE, None, None, None, "is gone, and was not stored"),
        (ONE, TOO_LARGE, TOO_LARGE, None, "is not stored in any snapshot as it is now"),
        (None, TOO_LARGE, TOO_LARGE, None, "is not stored in any snapshot as it is now"),
        (None, A_FIFO, A_FIFO, None, "is a FIFO, socket or device"),
        (A_FIFO, None, None, None, "was a FIFO, socket or device"),
    ],
)
def test_the_plan_follows_the_table(target, left, now, verb, why):
    plan = planned({b"a": target}, {b"a": left}, {b"a": now})
    assert verbs(plan) == ({b"a": verb} if verb else {})
    assert plan.kept == ([(b"a", why)] if why else [])


def test_force_gives_up_what_the_user_changed_after_the_loop():
    plan = planned({b"a": ONE}, {b"a": TWO}, {b"a": THREE}, force=True)
    assert verbs(plan) == {b"a": "restore"} and plan.kept == []


def test_force_keeps_what_only_the_user_changed():
    plan = planned({b"a": ONE}, {b"a": ONE}, {b"a": THREE}, force=True)
    assert plan.actions == [] and plan.kept == [(b"a", "changed by you")]


@pytest.mark.parametrize("now", [TOO_LARGE, A_FIFO])
def test_force_keeps_what_is_not_stored(now):
    plan = planned({b"a": ONE}, {b"a": TWO}, {b"a": now}, force=True)
    assert plan.actions == [] and [path for path, _ in plan.kept] == [b"a"]


@pytest.mark.parametrize("path", [b".git/config", b"nested/.git/HEAD", b"nested/.GIT/HEAD", b"../a", b"/etc/a", b"a/../../b", b""])
def test_nothing_of_git_and_nothing_outside_is_ever_planned(path):
    plan = planned({path: ONE}, {path: TWO}, {path: TWO}, force=True)
    assert plan.actions == [] and [kept for kept, _ in plan.kept] == [path]


def test_a_folder_that_holds_what_the_user_added_is_kept_and_named():
    plan = planned({}, {b"d": A_FOLDER, b"d/a": ONE}, {b"d": A_FOLDER, b"d/a": ONE, b"d/b": TWO})
    assert verbs(plan) == {b"d/a": "delete"}
    assert plan.kept == [(b"d", "holds d/b"), (b"d/b", "changed by you")]


def test_a_file_does_not_come_back_in_place_of_a_folder_that_holds_what_the_user_added():
    folder = {b"d": A_FOLDER, b"d/e": A_FOLDER}
    plan = planned({b"d": ONE}, folder, {**folder, b"d/e/b": TWO})
    assert plan.actions == []
    assert dict(plan.kept) == {b"d": "holds d/e/b", b"d/e": "holds d/e/b", b"d/e/b": "changed by you"}


def test_a_file_does_not_come_back_where_its_folder_is_a_file_that_is_kept():
    plan = planned({b"d": A_FOLDER, b"d/a": ONE}, {b"d": TWO}, {b"d": THREE})
    assert plan.actions == []
    assert plan.kept == [(b"d", "changed by the loop, then by you"), (b"d/a", "d is in its place")]


def test_a_folder_that_the_user_deleted_comes_back_for_the_file_that_the_loop_deleted():
    plan = planned({b"d": A_FOLDER, b"d/a": ONE}, {b"d": A_FOLDER}, {})
    assert verbs(plan) == {b"d": "make_folder", b"d/a": "restore"} and plan.kept == []


def test_what_is_in_a_folder_that_becomes_a_file_goes_first():
    plan = planned({b"d": ONE, b"z": ONE}, now := {b"d": A_FOLDER, b"d/a": ONE, b"d/e": A_FOLDER, b"y": TWO, b"z": ONE}, now)
    assert {action.path for action in plan.actions if action.early} == {b"d/a", b"d/e"}


@pytest.mark.parametrize(
    ("old", "new"), [("readme.md", "README.md"), ("straße", "STRASSE"), ("d/a", "D/a"), ("caf\u00e9", "cafe\u0301")]
)
def test_a_name_that_some_file_systems_take_for_the_same_goes_first(old, new):
    now = {new.encode(): ONE}
    plan = planned({old.encode(): ONE}, now, now)
    assert [(action.verb, action.early) for action in plan.actions if action.path == new.encode()] == [("delete", True)]


def test_all_that_such_a_folder_holds_goes_first_too():
    now = {b"D": A_FOLDER, b"D/e": A_FOLDER, b"D/e/x": ONE}
    plan = planned({b"d": ONE}, now, now)
    assert {action.path: action.early for action in plan.actions} == {b"D": True, b"D/e": True, b"D/e/x": True, b"d": False}
