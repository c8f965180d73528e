"""A loop that is killed takes its agent along, with all that this started, and nothing else."""

import os
import re
import signal
import subprocess

import pytest

from ralph_mem.core import descendants, process
from ralph_mem.ralph import leftovers, watchdog
from tests.ralph.loops import STEPS
from tests.ralph.test_stopping import until

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="this system does not show the environment of a process")
# An agent that starts a child, a session, and a daemon without an environment; each writes its number and stays.
STAYS = "sh -c 'echo $$ >{}/{}; exec sleep 60'"
AGENT = "{} & setsid {} & (env -i setsid {} &) ; sleep 60"
PARTS = ("child", "session", "daemon")
SECONDS = 5  # "soon"; it takes a second at most


def started(folder, name):
    """Return the process that has written its number, and the tick in which it began, once it is there."""
    pid = int(until(lambda: (folder / name).exists() and (folder / name).read_text().strip()))
    return pid, leftovers.born(pid)


def watchdogs(loop):
    """Return the watchdogs of a loop."""
    word = f"watchdog.py\0{loop}\0".encode()
    return {number for number in descendants.table() if word in descendants.content(f"/proc/{number}/cmdline")}


def waits(loop):
    """Return how often a loop's watchdog has waited, as it does between two looks."""
    (number,) = watchdogs(loop)
    (told,) = re.findall(rb"\nvoluntary_ctxt_switches:\t(\d+)", descendants.content(f"/proc/{number}/status"))
    return int(told)


@pytest.fixture
def at_work(loops):
    """A loop in a process of its own, in a room, whose agent has started what stays."""
    agent = AGENT.format(*[STAYS.format(loops.bench, name) for name in PARTS])
    with loops.in_background(agent, here=False) as loops.supervisor:
        loops.parts = [started(loops.bench, name) for name in PARTS]
        yield loops
        loops.supervisor.kill()
    until(lambda: not watchdogs(loops.supervisor.pid))


@pytest.mark.check
def test_the_agent_and_all_that_it_started_is_gone_soon_after_a_kill(at_work):
    before = waits(at_work.supervisor.pid)
    until(lambda: waits(at_work.supervisor.pid) > before + 2)  # or nobody has seen yet whose the daemon is
    at_work.supervisor.kill()
    until(lambda: not any(leftovers.is_running(*each) for each in at_work.parts), SECONDS)
    until(lambda: not watchdogs(at_work.supervisor.pid), SECONDS)


@pytest.mark.check
def test_what_others_have_started_in_the_same_project_works_on(at_work):
    around = {**os.environ, leftovers.MARK: at_work.latest().id}  # as an agent of the same run that goes on elsewhere has it
    with subprocess.Popen(["sleep", "60"], env=around, cwd=at_work.top, start_new_session=True) as other:
        at_work.supervisor.kill()
        until(lambda: not watchdogs(at_work.supervisor.pid), SECONDS)
        assert other.poll() is None
        other.kill()


@pytest.mark.check
def test_a_loop_works_on_without_its_watchdog(loops):
    person = loops.meanwhile(lambda: descendants.send(watchdogs(os.getpid()), signal.SIGKILL))
    assert loops.start(f"{STEPS[0]}; sleep 1", *STEPS[1:]).status == "success"
    person.join()
    assert not watchdogs(os.getpid())


def test_nothing_is_left_of_it_after_a_regular_end(loops):
    seen = []
    with watchdog.Watchdog():
        seen.append(until(lambda: watchdogs(os.getpid())))  # a program has its words a moment after it has begun
    assert len(seen[0]) == 1 and not watchdogs(os.getpid())


def test_one_that_does_not_listen_holds_up_nothing(loops):
    with watchdog.Watchdog():
        (number,) = until(lambda: watchdogs(os.getpid()))
        os.kill(number, signal.SIGSTOP)
        for _ in range(20_000):
            process.TOLD[-1](number, True)
        os.kill(number, signal.SIGKILL)
