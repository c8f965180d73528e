"""The status line: how memory and loop of a session stand, in our own words and numbers, whatever is wrong."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from ralph_mem.core import notices, session_pause
from ralph_mem.interfaces import statusline
from ralph_mem.memory import access
from ralph_mem.memory.store import connection
from ralph_mem.ralph import runs
from ralph_mem.ralph.record import GUARD, HEADLESS, IN_SESSION
from ralph_mem.ralph.runs import Live
from tests.hook import REPOSITORY

ASKED, ANSWER = "Why does the halyard slip under load?", "The cleat was mounted upside down, so the halyard slipped."
HOSTILE = "\x1b[31mred\u202e"


@pytest.fixture
def sailed(another_session, a_session):
    """A session that is told something of an earlier one."""
    a_session.has_a_turn(ASKED, ANSWER)
    assert another_session.asks("The halyard slips again, was the cleat upside down?")
    return another_session


def line(session):
    return statusline.line(session.project.root, session.name)


@pytest.fixture
def a_loop(a_project, monkeypatch):
    """Say that a loop is at work in the project; a field may be changed."""
    runs.make_folder(a_project)

    def say(mode=IN_SESSION, pid=None, beat=None, **state):
        at = int(time.time() * 1000) if beat is None else beat
        runs.write_live(a_project, Live("loop-1", mode, "x", pid or os.getpid(), 0, "", at)._replace(**state))

    return say


def test_it_says_how_much_is_here_and_what_this_session_was_told(sailed):
    (tokens,) = sailed.store.one("SELECT sum(tokens) FROM receipts WHERE session_id = ?", (sailed.number,))
    assert tokens and line(sailed) == f"mem 1 \u00b7 told 1/{tokens}t"


def test_another_session_was_told_nothing(sailed, a_session):
    assert line(a_session) == statusline.line(a_session.project.root, "") == "mem 1"


def test_what_was_wrong_in_a_file_of_settings_is_no_trouble_once_the_file_is_gone(a_session):
    config = Path(a_session.project.folder, "config.yaml")
    config.write_text("memory:\n  tell: [\n")
    assert "trouble" in line(a_session)
    config.unlink()
    assert "trouble" not in line(a_session)


def test_no_more_are_counted_than_takes_no_time(a_session, monkeypatch):
    for number in range(3):
        a_session.has_a_turn(f"Where is lamp {number}?", "There.")
    monkeypatch.setattr(connection, "MOST_COUNTED", 2)
    assert line(a_session) == "mem 2+"


def test_a_folder_without_a_memory_has_none_and_gets_none(a_project):
    assert statusline.line(a_project.root, "x") == "mem 0"
    assert not os.path.exists(a_project.folder)


def test_a_pause_is_said_of_the_session_or_of_the_project(sailed, a_session):
    session_pause.pause(sailed.name)
    assert (line(sailed), line(a_session)) == ("mem paused in this session", "mem 1")
    session_pause.end(sailed.name)
    access.pause(sailed.project)
    assert line(sailed) == line(a_session) == "mem paused"


def test_what_is_off_is_said(sailed, the_environment):
    the_environment(RALPH_MEM_MEMORY_AUTO_INJECT="false")
    assert line(sailed).startswith("mem 1 \u00b7 told") and line_of_a_new(sailed) == "mem 1 \u00b7 telling off"
    the_environment(RALPH_MEM_RECORDING="off")
    assert line(sailed) == "mem off"


def line_of_a_new(session):
    return statusline.line(session.project.root, "unheard")


def test_a_line_that_waits_is_trouble(sailed):
    notices.note(sailed.project.root, "an event was lost")
    assert line_of_a_new(sailed) == "mem 1 \u00b7 trouble: /mem doctor"


@pytest.mark.parametrize("left", [b"junk" * 2000, b""])
def test_a_memory_that_cannot_be_read_is_trouble(sailed, left):
    sailed.store.checkpoint()
    with open(sailed.project.folder + "/memory.db", "wb") as file:
        file.write(left)
    assert line(sailed) == statusline.TROUBLE


def test_the_round_of_a_loop_and_what_fails_is_said(a_project, a_loop):
    a_loop(round=2, most=10, failing=1)
    assert statusline.line(a_project.root, "x") == "mem 0 \u00b7 loop 2/10 1 failing"
    a_loop(HEADLESS, round=3, most=10, failing=0)
    assert statusline.line(a_project.root, "x") == "mem 0 \u00b7 loop 3/10"
    a_loop(HEADLESS, round=3, most=10, failing=1, paused=1)
    assert statusline.line(a_project.root, "x") == "mem 0 \u00b7 loop paused 3/10 1 failing"
    a_loop(GUARD)
    assert statusline.line(a_project.root, "x") == "mem 0 \u00b7 guard"


def test_a_loop_that_was_killed_is_not_said_to_be_at_work(a_project, a_loop):
    a_loop(HEADLESS, beat=1)
    assert statusline.line(a_project.root, "x") == "mem 0"
    gone = subprocess.Popen(["true"])
    gone.wait()
    a_loop(pid=gone.pid)
    assert statusline.line(a_project.root, "x") == "mem 0"


@pytest.mark.parametrize("text", ["", "[]", "no json", json.dumps({"round": HOSTILE, "most": [1], "failing": True, "pid": 1e99})])
def test_what_stands_in_a_file_of_a_loop_never_gets_onto_the_line(a_project, a_loop, text):
    a_loop()
    with open(runs.live_path(a_project), "w") as file:
        file.write(text)
    assert statusline.line(a_project.root, HOSTILE) in ("mem 0", "mem 0 \u00b7 loop")


# As the client starts it

GIVEN = '{"session_id": "x", "workspace": {"project_dir": %s}, "cwd": "/"}'


@pytest.mark.parametrize("given", [GIVEN, "", "no json", "[1]", '{"session_id": 7, "cwd": 8, "workspace": 9}', GIVEN + "\0more"])
def test_whatever_the_client_says_it_prints_one_line_and_ends_well(a_home, a_project, given):
    text = given.replace("%s", json.dumps(a_project.root))
    done = subprocess.run(
        ["/bin/sh", str(REPOSITORY / "hooks" / "run"), "statusline"],
        input=text, capture_output=True, text=True, cwd=a_project.root,
        env={"HOME": str(a_home), "PATH": "/usr/bin:/bin"}, timeout=60, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("mem 0\n", "")
