"""Several machines and containers on one memory: whose sessions are alive, and that two kernels at once are told of."""

import os
import shutil
import subprocess
import time

import pytest

from ralph_mem.memory.rows import sessions

TOGETHER = 1_024  # the marks of what is counted together below one kernel
HOUR_MS = 3_600_000


def now_ms():
    return time.time_ns() // 1_000_000


def booted_ms():
    with open("/proc/uptime") as file:
        return now_ms() - int(float(file.read().split()[0]) * 1000)


def begun(hook, mark, last):
    """Have a session open that began at a place with this mark, and sent its last event at a time."""
    hook.start()
    with hook.connect() as db:
        born = (mark << sessions.TICK_BITS) + 4711
        db.execute("UPDATE sessions SET client_pid = 4711, client_born = ?, started_at = ?", (born, last))
    return hook


def end_of(hook):
    return hook.values("SELECT end_reason FROM sessions ORDER BY id LIMIT 1")[0]


def another_kernel():
    kernel, together = divmod(sessions.here(), TOGETHER)
    return (kernel % 1023 + 1) * TOGETHER + together


def another_container():
    return sessions.here() ^ 1


CASES = {
    "another kernel a minute ago": (another_kernel, lambda: now_ms() - 60_000, None, True),
    "another kernel that was silent for thirteen hours": (another_kernel, lambda: now_ms() - 13 * HOUR_MS, "crash", False),
    "this machine before it was started anew": (another_kernel, lambda: booted_ms() - 60_000, "crash", False),
    "another container a minute ago": (another_container, lambda: now_ms() - 60_000, None, False),
    "another container that was silent for two hours": (another_container, lambda: now_ms() - 2 * HOUR_MS, "crash", False),
    "here, by a process that is gone": (sessions.here, lambda: now_ms() - 60_000, "crash", False),
    "a release that kept no marks": (lambda: 0, lambda: now_ms() - 60_000, "crash", False),
}


@pytest.mark.check
@pytest.mark.skipif(not os.path.isdir("/proc/self/ns"), reason="only Linux tells containers and kernels apart")
@pytest.mark.parametrize("where", CASES)
def test_an_open_session_is_judged_by_where_it_began(a_project, where):
    mark, last, reason, told = CASES[where]
    begun(a_project, mark(), last())
    answer = a_project.another().start()
    assert end_of(a_project) == reason
    assert ("another machine" in answer.get("systemMessage", "")) == told


def test_a_session_knows_where_its_client_runs(a_session):
    (known,) = a_session.values("SELECT client_born FROM sessions")
    assert known == sessions.client(os.getpid())
    assert (known & sessions.TICKS, known >> sessions.TICK_BITS) == (sessions.born(os.getpid()), sessions.here())


def namespace(*words):
    """Return what to start a command with in a namespace of its own; skips where that is not allowed."""
    order = ["unshare", *words]
    if not shutil.which("unshare") or subprocess.run([*order, "true"], capture_output=True).returncode:
        pytest.skip("namespaces are not allowed here")
    return order


def test_a_session_in_a_container_goes_on_when_one_begins_beside_it(a_project):
    inside = a_project.another(CLAUDE_PID="1")
    inside.wrap = namespace("--pid", "--fork", "--mount-proc")
    inside.start()
    inside.prompt("Where is the zeppelin?")
    assert "systemMessage" not in a_project.start()
    inside.stop("At the mast.")
    assert end_of(a_project) is None
    assert a_project.rows("SELECT status, response FROM turns") == [("stopped", "At the mast.")]


def test_another_kernel_at_work_is_told_at_every_start_until_it_ends(a_project, tmp_path):
    (tmp_path / "boot").write_text("1b4e28ba-2fa1-11d2-883f-0016d3cca427\n")
    script = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"'
    inside = a_project.another()
    inside.wrap = [*namespace("--mount"), "sh", "-c", script, str(tmp_path / "boot")]
    inside.start()
    told = [a_project.another().start().get("systemMessage", "") for _ in range(2)]
    assert all("work here from one of them at a time" in line for line in told)
    assert "work here from one" in inside.another().start()["systemMessage"]
    inside.end()
