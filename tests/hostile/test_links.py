"""A link in place of the memory, or of a file beside it, is not followed: what it leads to stays as it is, and a person is told."""

import os
from pathlib import Path

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.settings import trust
from tests.hostile.test_repositories import in_the_home_of

NAMES = ("", "memory.db", "memory.db-wal", "memory.db-shm", "lock", "spool")
CONTENT = b"what lies elsewhere\n" * 9


def elsewhere(hook, name):
    """Make what a link leads to, outside of the project: a folder where there would be one."""
    there = hook.folder / "elsewhere"
    if name in ("", "spool"):
        there.mkdir(exist_ok=True)
        (there / "file").write_bytes(CONTENT)
    else:
        there.write_bytes(CONTENT)
    return there


def state(there):
    if not there.exists():
        return None
    return sorted(each.name for each in there.iterdir()) if there.is_dir() else there.read_bytes()


def put(hook, name, make):
    """Put something in the place of a file of ours, which may be there."""
    place = hook.memory / name if name else hook.memory
    if place.is_dir() and not place.is_symlink():
        place.rename(hook.folder / "before")
    else:
        place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    make(place)


def a_link(hook, name):
    there = elsewhere(hook, name)
    put(hook, name, lambda place: place.symlink_to(there))


def a_dangling_link(hook, name):
    put(hook, name, lambda place: place.symlink_to(hook.folder / "elsewhere"))


def a_second_name(hook, name):
    there = elsewhere(hook, name)
    if there.is_dir():  # no folder has two names
        put(hook, name, lambda place: place.symlink_to(os.path.relpath(there, place.parent)))
    else:
        put(hook, name, lambda place: os.link(there, place))


def swapped_in_between(hook, name):
    hook.start()
    hook.bash("make", "ok")
    a_link(hook, name)


MAKERS = (a_link, a_dangling_link, a_second_name, swapped_in_between)
CASES = [(make, name) for make in MAKERS for name in NAMES]


def test_there_are_twenty_four_of_them():
    print(f"{len(CASES)} links")
    assert len(CASES) == 24


@pytest.mark.check
@pytest.mark.parametrize(("make", "name"), CASES, ids=[f"{make.__name__}: {name or '.ralph-mem'}" for make, name in CASES])
def test_what_a_link_leads_to_stays_as_it_is(a_clone, make, name):
    make(a_clone, name)
    before = state(a_clone.folder / "elsewhere")
    if make is not swapped_in_between:
        told = a_clone.start().get("systemMessage", "")
        assert "is a link" in told or "second name" in told or name == "spool"
    a_clone.prompt("Where is the zeppelin moored?")
    a_clone.bash("make", "ok")
    a_clone.stop("At the mast.")
    assert state(a_clone.folder / "elsewhere") == before


@pytest.mark.parametrize("name", ["memory.db-wal", "memory.db-shm"])
def test_a_file_that_gets_a_second_name_in_mid_session_is_not_written(a_clone, name):
    a_clone.start()
    a_clone.bash("make", "ok")
    there = elsewhere(a_clone, name)
    put(a_clone, name, lambda place: os.link(there, place))
    a_clone.prompt("Where is the zeppelin moored?")
    a_clone.bash("make again", "ok")
    assert there.read_bytes() == CONTENT
    assert len(a_clone.spooled()) == 2


def test_a_link_that_a_person_approved_is_followed(a_clone):
    there = a_clone.home / "disk"
    there.mkdir()
    put(a_clone, "", lambda place: place.symlink_to(there))
    assert "until you approve it" in a_clone.start()["systemMessage"]
    with in_the_home_of(a_clone):
        trust.approve(Project(str(a_clone.project)), trust.LINK, str(there), [])
    assert (a_clone.start(), a_clone.prompt("Where is it?")) == ({}, {})
    assert Path(there, "memory.db").exists()


def test_a_link_that_leads_elsewhere_now_has_to_be_approved_again(a_clone):
    there = elsewhere(a_clone, "")
    with in_the_home_of(a_clone):
        trust.approve(Project(str(a_clone.project)), trust.LINK, str(there), [])
    (a_clone.folder / "third").mkdir()
    put(a_clone, "", lambda place: place.symlink_to(a_clone.folder / "third"))
    assert "until you approve it" in a_clone.start()["systemMessage"]
    assert not list((a_clone.folder / "third").iterdir())
