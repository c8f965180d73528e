"""Eight sessions write into one memory at once: nothing is lost, nothing doubled, nothing out of order."""

import queue
import threading

import pytest

SESSIONS = 8
EVENTS = 200
IN_ORDER = """
SELECT title, content FROM observations AS o JOIN sessions AS s ON s.id = o.session_id WHERE s.client_session = ? ORDER BY o.seq"""


def send_all(hook, number, trouble):
    """Send one session's tool events, one after the other as its client would, and note whatever is not silence."""
    for at in range(EVENTS):
        data = hook.event(
            "PostToolUse", tool_name="Bash", tool_use_id=f"toolu_{number}_{at}", tool_input={"command": f"make part {number} {at}"},
            tool_response={"stdout": f"part {at} of session {number} is made", "stderr": ""},
        )  # fmt: skip
        ran = hook.run("PostToolUse", data)
        if (ran.code, ran.out, ran.err) != (0, b"", b""):
            trouble.put((number, at, ran))


def run_at_once(hooks):
    """Let each session send its events at the same time as the others; returns what went wrong."""
    trouble = queue.SimpleQueue()
    threads = [threading.Thread(target=send_all, args=(hook, number, trouble)) for number, hook in enumerate(hooks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [trouble.get() for _ in range(trouble.qsize())]


@pytest.mark.check
def test_eight_sessions_at_once_lose_nothing_and_keep_their_order(a_project):
    hooks = [a_project.another() for _ in range(SESSIONS)]
    for number, hook in enumerate(hooks):
        hook.start()
        hook.prompt(f"Make the parts of session {number}")
    assert run_at_once(hooks) == []
    hooks[0].stop("Made.")  # brings in what waits
    assert a_project.spooled() == []
    for number, hook in enumerate(hooks):
        wanted = [(f"make part {number} {at}", f"part {at} of session {number} is made") for at in range(EVENTS)]
        assert a_project.rows(IN_ORDER, hook.session) == wanted
    assert a_project.values("SELECT count(*) FROM observations") == [SESSIONS * EVENTS]
    assert a_project.values("SELECT count(*) FROM (SELECT DISTINCT session_id, seq FROM observations)") == [SESSIONS * EVENTS]
    assert a_project.damage() == []


def test_eight_starts_at_once_make_one_memory(a_project):
    hooks = [a_project.another() for _ in range(SESSIONS)]
    threads = [threading.Thread(target=hook.start) for hook in hooks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hooks[0].stop()
    assert sorted(a_project.values("SELECT client_session FROM sessions")) == sorted(hook.session for hook in hooks)
    assert a_project.spooled() == []
    assert a_project.damage() == []
