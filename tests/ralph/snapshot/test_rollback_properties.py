"""Random trees, changed by a loop and by a user in random ways: rolled back and forth they are equal byte for byte."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ralph.snapshot.rollbacks import Loop, differing, quick_place

NAMES = [b"a", b"A", b"b", b"-rf", b"new\nline", b"quo\"te'", b"\xff\xfe", b" ", b"caf\xc3\xa9", b"*", b"\xe2\x80\xae"]
names = st.sampled_from(NAMES)
paths = st.lists(names, min_size=1, max_size=3).map(b"/".join)
contents = st.one_of(st.binary(max_size=20), st.sampled_from([b"one", b"two", b"a\r\nb\r\n", b"x" * 70_000]))
file_modes = st.sampled_from([0o644, 0o600, 0o755, 0o444, 0o4711])
folder_modes = st.sampled_from([0o755, 0o700, 0o555, 0o2775])
targets = st.one_of(paths, st.sampled_from([b"/nowhere", b"..", b"a", b"."]))

edits = st.one_of(
    st.tuples(st.just("write"), paths, contents, file_modes),
    st.tuples(st.just("write"), paths, contents, file_modes),
    st.tuples(st.just("rewrite"), paths, contents),
    st.tuples(st.just("hard link"), paths, paths),
    st.tuples(st.just("hard link"), paths, paths),
    st.tuples(st.just("link"), paths, targets),
    st.tuples(st.just("folder"), paths, folder_modes),
    st.tuples(st.just("delete"), paths),
    st.tuples(st.just("move"), paths, paths),
    st.tuples(st.just("mode"), paths, folder_modes),
)


def edit(top, how, path, *more):
    """Do one edit the way a shell would; what is impossible does nothing."""
    full = os.path.join(top, path)
    try:
        if how == "write":
            make_room(top, full)
            with open(full, "wb") as file:
                file.write(more[0])
            os.chmod(full, more[1])
        elif how == "rewrite":  # in place: all names of the file are changed
            file = os.open(full, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW)
            os.write(file, more[0])
            os.close(file)
        elif how == "hard link" and not os.path.islink(os.path.join(top, more[0])) and os.path.isfile(os.path.join(top, more[0])):
            if not (os.path.lexists(full) and os.path.samefile(os.path.join(top, more[0]), full)):
                make_room(top, full)
                os.link(os.path.join(top, more[0]), full)
        elif how == "hard link":
            pass
        elif how == "link":
            make_room(top, full)
            os.symlink(more[0], full)
        elif how == "folder":
            make_room(top, full)
            os.mkdir(full, 0o700)
            os.chmod(full, more[0])
        elif how == "delete":
            remove(full)
        elif how == "move":
            os.rename(full, os.path.join(top, more[0]))
        elif not os.path.islink(full):
            os.chmod(full, more[0])
    except OSError:
        pass


def make_room(top, full):
    """Make the folders above a path, in place of whatever is there, and let nothing be at the path."""
    parts = os.path.relpath(full, top).split(b"/")
    for end in range(1, len(parts)):
        above = os.path.join(top, *parts[:end])
        if os.path.islink(above) or not os.path.isdir(above):
            remove(above)
            os.mkdir(above)
    remove(full)


def remove(full):
    if os.path.islink(full) or not os.path.isdir(full):
        if os.path.lexists(full):
            os.unlink(full)
    else:
        shutil.rmtree(full)


def in_a_new_project(test):
    with quick_place() as folder:
        top = folder / "project"
        top.mkdir()
        test(Loop(top), os.fsencode(top))


def rolls_back_and_forth(tree, by_loop):
    def test(loop, top):
        for change in tree:
            edit(top, *change)
        loop.start()
        before = loop.with_names()
        for change in by_loop:
            edit(top, *change)
        loop.iteration()
        worked = loop.with_names()
        back = loop.roll_back()
        assert loop.with_names() == before
        assert back.kept == []
        assert sorted(back.restored + back.deleted) == sorted(differing(before, worked))
        forth = loop.roll_back(back.safety)
        assert loop.with_names() == worked
        loop.roll_back(forth.safety)
        assert loop.with_names() == before

    in_a_new_project(test)


def keeps_what_is_the_users(tree, by_loop, by_user, after):
    def test(loop, top):
        for change in tree:
            edit(top, *change)
        loop.start()
        before = loop.picture()
        for change in by_loop:
            edit(top, *change)
        loop.iteration()
        worked = loop.picture()
        for change in by_user:
            edit(top, *change)
        now, named = loop.picture(), loop.with_names()
        report = loop.roll_back()
        then = loop.picture()
        touched = {*report.restored, *report.deleted}
        assert differing(now, then) <= touched <= differing(named, loop.with_names())
        for path in differing(worked, now) & now.keys():  # a folder may come back as the folder of something
            assert then.get(path) == now[path] or (now[path] == before.get(path) and path not in report.restored), path
        assert {path for path, _ in report.kept} >= differing(before, then) - set(report.restored)
        for path in then.keys() - now.keys():
            assert then[path] == before[path]
        assert loop.roll_back().kept == report.kept
        assert loop.picture() == then

        for change in after:
            edit(top, *change)
        mine = loop.picture()
        forth = loop.roll_back(report.safety)
        for path in differing(then, mine) & mine.keys():  # what the user made as the loop had it is the loop's
            assert loop.picture().get(path) == mine[path] or mine[path] == worked.get(path), path
        again = loop.roll_back(forth.safety)
        assert loop.picture() == mine
        assert again.kept == []

    in_a_new_project(test)


# Few names, few contents: most of what happens concerns several names of one file, or names that are one file now and were two.
beside = st.sampled_from([b"a", b"b", b"c", b"d/a", b"d/b", b"Z"])
said = st.sampled_from([b"one", b"two"])
link_edits = st.one_of(
    st.tuples(st.just("write"), beside, said, st.just(0o644)),
    st.tuples(st.just("rewrite"), beside, said),
    st.tuples(st.just("hard link"), beside, beside),
    st.tuples(st.just("hard link"), beside, beside),
    st.tuples(st.just("delete"), beside),
    st.tuples(st.just("move"), beside, beside),
    st.tuples(st.just("mode"), beside, st.just(0o600)),
)
linked = st.lists(link_edits, max_size=10)
many = st.lists(edits, max_size=12)
few = st.lists(edits, max_size=5)
quickly = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), database=None)
nightly = settings(quickly, max_examples=10_000)


@quickly
@given(many, many)
def test_a_random_tree_comes_back_and_goes_forth_byte_for_byte(tree, by_loop):
    rolls_back_and_forth(tree, by_loop)


@pytest.mark.check
@quickly
@given(linked, linked)
def test_hard_links_come_back_and_go_forth_as_what_they_were(tree, by_loop):
    rolls_back_and_forth(tree, by_loop)


@pytest.mark.check
@quickly
@given(linked, linked, st.lists(link_edits, max_size=4), st.lists(link_edits, max_size=4))
def test_no_edit_of_the_user_through_any_name_is_lost(tree, by_loop, by_user, after):
    keeps_what_is_the_users(tree, by_loop, by_user, after)


@pytest.mark.check
@quickly
@given(many, many, few, few)
def test_no_random_edit_of_the_user_is_lost(tree, by_loop, by_user, after):
    keeps_what_is_the_users(tree, by_loop, by_user, after)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@nightly
@given(many, many)
def test_ten_thousand_random_trees_come_back_and_go_forth_byte_for_byte(tree, by_loop):
    rolls_back_and_forth(tree, by_loop)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@nightly
@given(many, many, few, few)
def test_no_edit_of_ten_thousand_random_users_is_lost(tree, by_loop, by_user, after):
    keeps_what_is_the_users(tree, by_loop, by_user, after)
