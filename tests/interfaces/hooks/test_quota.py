"""Once a day a session start looks whether all projects take too much; the next one tells."""

import os
import time

import pytest

from ralph_mem.maintenance import usage


@pytest.fixture
def too_much(a_session):
    """Have 2 MB of snapshots where 1 MB is allowed."""
    config = a_session.home / ".config" / "ralph-mem" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("memory:\n  quota_mb: 1\n")
    store = a_session.data / "snapshots" / "shop-1234abcd" / "store.db"
    store.parent.mkdir(parents=True)
    store.write_bytes(bytes(2 * usage.MEGABYTE))
    return a_session


def lines(hook, days):
    """Return what the next two session starts say, so many days after it was last looked at."""
    at = time.time() - days * usage.DAY_S
    os.utime(hook.data / "quota", (at, at))
    return [hook.another().start().get("systemMessage", "") for _ in range(2)]


def test_too_much_is_told_by_the_session_start_after_the_one_that_looked(too_much):
    looked, told = lines(too_much, 1.1)
    assert looked == ""
    assert told.startswith("ralph-mem: all projects together take 2.") and "; nothing goes by itself" in told
    assert lines(too_much, 0.9) == ["", ""]


def test_the_first_session_start_of_all_only_begins_the_day(a_session):
    assert (a_session.data / "quota").read_bytes() == b""


@pytest.mark.parametrize("name", ["quota", "projects"])
def test_what_cannot_be_looked_at_disturbs_nobody(too_much, name):
    place = too_much.data / name
    place.rename(place.with_name("away"))
    place.write_bytes(b"\0") if name == "projects" else place.mkdir(0o500)
    assert [too_much.another().start().get("systemMessage", "") for _ in range(2)] == ["", ""]
