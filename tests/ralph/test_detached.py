"""A loop in the background: a supervisor that outlives the command and the session that began it."""

import os
import posix
from pathlib import Path

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import detached, runs, stopping
from tests import clock
from tests.ralph.loops import STEPS
from tests.ralph.test_stopping import until


def launch(loops, *steps, anyway=False, **wished):
    """Send a loop into the background whose checks a person has accepted; returns its process, 0 where it is over already."""
    wish = loops.wish(*steps, **wished)
    loops.accepted(wish)
    detached.start(loops.project, loops.values(), wish, anyway)
    live = runs.live(loops.project)
    return live.pid if live else 0


def over(loops):
    """Return the run once it is over, and see that its process has gone."""
    live = runs.live(loops.project)
    until(lambda: runs.busy(loops.project) is None)
    if live:
        until(lambda: not Path(f"/proc/{live.pid}/exe").exists())
    return loops.latest()


def environment_of(pid):
    return Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")


@pytest.mark.check
def test_it_works_until_the_checks_pass(loops):
    launch(loops, *STEPS)
    run = over(loops)
    assert (run.status, len(run.iterations)) == ("success", 3) and loops.text("three.txt") == "right\n"
    assert [path.name for path in Path(runs.folder_of(loops.project)).iterdir() if "order" in path.name] == []


def test_the_command_that_began_it_returns_before_the_agent_is_done(loops):
    watch = clock.Watch()
    pid = launch(loops, "sleep 60")
    assert watch.free() < 10 and os.getpgid(pid) == pid and os.getsid(pid) == pid
    assert stopping.stop(loops.project, loops.values()).reason == "user_stop"
    over(loops)


@pytest.mark.check
def test_its_agent_hears_nothing_of_the_session_that_began_it(loops, monkeypatch):
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR", "CLAUDE_PID"):
        monkeypatch.setenv(name, "outer")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "needed")
    launch(loops, "env >../heard; sleep 1", limits={"iterations": 1})
    over(loops)
    heard = (loops.folder / "heard").read_text()
    assert "=outer" not in heard and "ANTHROPIC_API_KEY=needed" in heard and "RALPH_MEM_LOOP=loop-" in heard


@pytest.mark.check
def test_a_second_one_is_refused_with_the_reason(loops):
    wish = loops.wish("sleep 60")
    launch(loops, "sleep 60")
    with pytest.raises(LoopError, match="did not start: a loop is at work here already"):
        detached.start(loops.project, loops.values(), wish)
    stopping.stop(loops.project, loops.values())
    over(loops)


@pytest.mark.check
def test_what_was_accepted_is_compared_once_more_when_it_begins(loops):
    wish = loops.wish(*STEPS)
    loops.accepted(wish)
    loops.write("check.sh", "#!/bin/sh\nexit 0\n")
    with pytest.raises(LoopError, match="has changed since it was accepted"):
        detached.start(loops.project, loops.values(), wish)
    assert loops.prompts() == [] and loops.latest() is None


@pytest.mark.check
@pytest.mark.parametrize(("anyway", "iterations"), [(False, 0), (True, 1)])
def test_where_all_checks_pass_already_it_works_only_if_told_to(loops, anyway, iterations):
    for name in ("one", "two", "three"):
        loops.write(f"{name}.txt", "right")
    launch(loops, "echo more >notes", anyway=anyway)
    run = over(loops)
    assert (run.status, len(run.iterations)) == ("success", iterations)


@pytest.mark.check
def test_it_goes_on_with_an_earlier_run(loops):
    loops.start(*STEPS, limits={"iterations": 1})
    detached.resume(loops.project, loops.latest().id, iterations=5)
    assert (over(loops).status, len(loops.latest().iterations)) == ("success", 3)


@pytest.mark.check
def test_one_that_failed_is_rolled_back_by_itself_where_the_settings_want_that(loops, monkeypatch):
    monkeypatch.setenv("RALPH_MEM_RALPH_AUTO_ROLLBACK", "on")
    launch(loops, STEPS[0], limits={"iterations": 1})
    assert over(loops).status != "success"
    until(lambda: loops.text("one.txt") == "wrong\n")


@pytest.mark.check
def test_a_goal_waits_nowhere_on_the_disk_with_its_secrets(loops):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    launch(loops, *STEPS, goal=f"use the token {secret} to make it right")
    over(loops)
    folder = Path(os.fsdecode(posix.environ[b"HOME"]), ".local", "share", "ralph-mem")
    assert [path for path in folder.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()] == []
