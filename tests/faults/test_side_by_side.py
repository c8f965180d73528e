"""Fifty sessions at once in one project: nothing is lost, nothing is left, and none of them grows."""

import copy
import os
import posix
import threading
import uuid

import pytest

from ralph_mem.core import spool
from tests.hook import MOST_MB, Hook

pytestmark = pytest.mark.check  # many sessions at once

SIZES = [
    pytest.param(50, 2000, False, id="50 sessions, 2,000 events"),
    pytest.param(50, 2000, True, id="50 sessions, 2,000 events, a process each", marks=pytest.mark.nightly),
    pytest.param(8, 8000, True, id="8 sessions, 8,000 events, a process each", marks=pytest.mark.nightly),
]
IN_ORDER = "SELECT title FROM observations WHERE session_id = (SELECT id FROM sessions WHERE client_session = ?) ORDER BY seq"


def work(hook, number, events, ran, run, begun):
    """Be one session: a start, its tool events one after the other, its end."""
    ran.append(run(hook, "SessionStart", hook.event("SessionStart", source="startup")))
    begun.wait()  # a start would rightly tell that an event of another session waits for the lock
    for at in range(events):
        given = {"tool_name": "Bash", "tool_use_id": f"toolu_{number}_{at}", "tool_input": {"command": f"make part {number} {at}"}}
        data = hook.event("PostToolUse", **given, tool_response={"stdout": "made", "stderr": ""})
        ran.append(run(hook, "PostToolUse", data))
    ran.append(run(hook, "SessionEnd", hook.event("SessionEnd", reason="other")))


def side_by_side(hook, sessions, events, run):
    """Let so many sessions work at once; returns them, and what each of their events did."""
    hooks, ran = [copy.copy(hook) for _ in range(sessions)], []
    threads, begun = [], threading.Barrier(sessions)
    for number, each in enumerate(hooks):
        each.session = str(uuid.uuid4())
        threads.append(threading.Thread(target=work, args=(each, number, events // sessions, ran, run, begun)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return hooks, ran


@pytest.mark.parametrize(("sessions", "events", "real"), SIZES)
def test_many_sessions_at_once_lose_nothing_and_leave_nothing(a_quick_session, sessions, events, real):
    hook = a_quick_session
    before = hook._elsewhere()
    hooks, ran = side_by_side(hook, sessions, events, Hook.run if real else type(hook).run)
    assert [each for each in ran if (each.code, each.out[:40], each.err) != (0, b"", b"")] == []
    hook.stop()
    assert hook.spooled() == []
    for number, each in enumerate(hooks):
        assert hook.values(IN_ORDER, each.session) == [f"make part {number} {at}" for at in range(events // sessions)]
    assert hook.values("SELECT count(*) FROM observations") == [events]
    assert hook.nothing_left() and hook._elsewhere() == before
    assert [path for path in hook.folder.rglob("*") if path.is_socket() or path.is_fifo()] == []
    assert hook.damage() == []
    peak = max(each.peak_mb for each in ran)
    assert peak < MOST_MB
    print(f"{sessions} sessions, {len(ran)} events: 0 lost, 0 processes left, at most {peak:.0f} MB")


def test_an_event_is_kept_although_others_remove_the_emptied_folder_of_the_spool_meanwhile(tmp_path, monkeypatch):
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(tmp_path / "home")})
    (place,) = spool.folders(str(tmp_path / "shop"))
    make, times = spool.paths.make_folder, []

    def and_gone(path):
        make(path)
        times.extend([path] * (path == place))
        if path == place and len(times) < 3:  # as the last event does that brought in what waited
            os.rmdir(path)

    monkeypatch.setattr(spool.paths, "make_folder", and_gone)
    assert spool.put(str(tmp_path / "shop"), [{"verb": "end"}])
    assert len(times) == 3 and len(spool.pending(str(tmp_path / "shop"))) == 1
