"""Any first event of a session that nobody knows begins the memory of its project: the plugin may be newer than the session."""

import json
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.hook import ordinary_owner

FIRST = {
    "a prompt": lambda hook: hook.prompt("Where is the zeppelin?"),
    "a command": lambda hook: hook.bash("make mast", "ok"),
    "a command that fails": lambda hook: hook.bash_failed("make mast", "Exit code 1\nError: zeppelin"),
    "an edit": lambda hook: hook.edit("mast.py", "a", "b"),
    "the end of a turn": lambda hook: hook.stop("At the mast."),
    "a subagent's report": lambda hook: hook.subagent_stop("I looked at the mast."),
    "a compaction": lambda hook: hook.post_compact("<summary>The zeppelin is at the mast.</summary>"),
}
LEAVES_NOTHING = {
    "a file that is read": lambda hook: hook.read("mast.py"),
    "the end of a session": lambda hook: hook.end(),
    "what comes before a compaction": lambda hook: hook.pre_compact(),
    "a tool that nobody keeps": lambda hook: hook.tool("TodoWrite", {}, {}),
    "an event without a session": lambda hook: hook.prompt("Where?", session_id=""),
}
AT_ONCE = 50
SESSIONS = "SELECT client_session, source FROM sessions"


@pytest.mark.parametrize("what", FIRST)
def test_a_first_event_begins_project_and_session(a_project, what):
    assert FIRST[what](a_project) == {}
    assert a_project.rows(SESSIONS) == [(a_project.session, "unknown")]
    (entry,) = a_project.data.glob("projects/*.json")
    assert json.loads(entry.read_text())["path"] == str(a_project.project)
    assert a_project.spooled() == [] and a_project.damage() == []


@pytest.mark.parametrize("what", LEAVES_NOTHING)
def test_an_event_that_would_leave_an_empty_memory_begins_none(a_project, what):
    assert LEAVES_NOTHING[what](a_project) == {}
    assert not a_project.memory.exists()


def test_what_came_in_the_middle_of_a_session_is_told_to_the_next(a_project):
    a_project.bash_failed("make mast", "Exit code 1\nError: zeppelin")
    a_project.prompt("Where is the zeppelin?")
    a_project.stop("At the mast.")
    a_project.end("clear")
    assert "At the mast." in json.dumps(a_project.another().start("clear"))


@pytest.mark.parametrize("what", FIRST)
def test_a_memory_that_was_taken_away_stays_away_until_a_session_starts(a_project, what):
    a_project.prompt("Where is the zeppelin?")
    shutil.rmtree(a_project.memory)
    assert FIRST[what](a_project) == FIRST[what](a_project.another()) == {}
    assert not a_project.memory.exists() and a_project.spooled() == []
    later = a_project.another()
    later.start()
    later.prompt("And now?")
    assert later.values("SELECT prompt FROM turns") == ["And now?"]


@pytest.mark.check
def test_fifty_first_events_at_once_make_one_memory_and_lose_none(a_project):
    def fire(number):
        call = {"tool_name": "Bash", "tool_input": {"command": f"make part {number}"}, "tool_use_id": f"toolu_{number}"}
        data = a_project.event("PostToolUse", **call, tool_response={"stdout": "", "stderr": ""})
        with a_project.open("PostToolUse", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            return process.communicate(data)[0], process.returncode

    with ThreadPoolExecutor(AT_ONCE) as together:
        assert [*together.map(fire, range(AT_ONCE))] == [(b"", 0)] * AT_ONCE
    a_project.bash("make whole", "ok")
    assert sorted(a_project.values("SELECT title FROM observations")) == sorted(
        ["make whole", *(f"make part {number}" for number in range(AT_ONCE))]
    )
    assert len([*a_project.data.glob("projects/*.json")]) == len(a_project.rows(SESSIONS)) == 1
    assert a_project.spooled() == [] and a_project.damage() == []


def test_an_event_that_tells_no_project_begins_the_memory_of_the_folder_it_came_from(a_project):
    elsewhere = a_project.folder / "elsewhere"
    elsewhere.mkdir()
    hook = a_project.another(CLAUDE_PROJECT_DIR=None)
    hook.project = elsewhere
    hook.bash("make mast", "ok")
    assert hook.values("SELECT title FROM observations") == ["make mast"]


def test_a_first_event_in_a_project_that_cannot_be_written_waits(a_project):
    a_project.wrap = ordinary_owner()
    a_project.project.chmod(0o500)
    a_project.prompt("Where is the zeppelin?")
    a_project.project.chmod(0o700)
    assert len(a_project.spooled()) == 1
    a_project.another().start()
    assert a_project.values("SELECT prompt FROM turns") == ["Where is the zeppelin?"]


@pytest.mark.parametrize("home", ["a new home", "a home that is known"])
def test_what_a_repository_brought_along_is_opened_by_no_first_event(a_project, home):
    stranger = a_project.another(HOME=str(a_project.folder / "stranger"))
    stranger.home = a_project.folder / "stranger"
    stranger.home.mkdir()
    stranger.prompt("The zeppelin moors where curl says")
    stranger.stop("Do as the zeppelin says.")
    if home != "a new home":
        other = a_project.another(CLAUDE_PROJECT_DIR=str(a_project.folder / "elsewhere"))
        other.project = a_project.folder / "elsewhere"
        other.project.mkdir()
        other.start()
    assert a_project.prompt("Where is the zeppelin that moors?") == {}
    assert a_project.values("SELECT prompt FROM turns") == ["The zeppelin moors where curl says"]
    assert len(a_project.spooled()) == 1


def test_off_is_off_for_a_first_event_too(a_project):
    a_project.another(RALPH_MEM_RECORDING="off").prompt("Where is the zeppelin?")
    assert not a_project.memory.exists() and not a_project.data.exists()


@pytest.mark.parametrize("pid", [2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**63, 2**64, 10**10 - 1, 10**40, -(2**31), "1e9", "0x7f"])
def test_an_odd_number_of_the_client_costs_no_session_start(a_project, pid):
    hook = a_project.another(CLAUDE_PID=str(pid))
    assert hook.start() == {}
    assert hook.rows(SESSIONS) == [(hook.session, "startup")] and hook.spooled() == []
    assert hook.another().start() == {}
