"""Every event that was captured from the real client, given to its hook as a real process."""

import json
from collections import Counter

import pytest

from tests.hook import FIXTURES, NAMES, REPOSITORY, Hook, fixture, said_to_model

WORDS = "Write hello.py with a greeting and run it"
DIFF = '-    return f"hello {name}"\n+    return f"hi {name}"'
NO_MODULE = (
    "Exit code 1\nTraceback (most recent call last):\n"
    '  File "<string>", line 1, in <module>\n'
    "ModuleNotFoundError: No module named 'nosuchmodule'"
)


def session(source):
    return {"sessions": [(source, None)]}


def ended(reason):
    return {"sessions": [("startup", reason)], "turns": [("prompt", "interrupted", WORDS, "", "", "")]}


def turn(kind, prompt="", status="open", response="", files="", files_read=""):
    return {"turns": [(kind, status, prompt, response, files, files_read)]}


def observed(kind, tool, title, content, origin="tool", agent=None):
    return {"observations": [(kind, origin, tool, title, content, agent)]}


NOTHING = {}
SUMMARY = "summary of a session"
SUBAGENT = "a0401f69919addc6e"
GREETING = "new file, 5 lines\ndef greet(name):"
# What the hook of each event leaves, after a session start and, but for prompts, a prompt with the same ids.
STORED = {
    "PostCompact.auto.json": observed("summary", None, SUMMARY, "SUMMARY_TEXT auto", "agent"),
    "PostCompact.json": observed("summary", None, SUMMARY, "The build folder was created.", "agent"),
    "PostToolUse.Agent.json": observed("tool_use", "Agent", "subagent: sub", "SUBTASK_MARK do it"),
    "PostToolUse.Bash-background.json": NOTHING,  # `sleep 3` changes nothing and says nothing
    "PostToolUse.Bash.json": observed("tool_use", "Bash", "python3 hello.py", "hello world"),
    "PostToolUse.Edit.json": {**observed("tool_use", "Edit", "hello.py", DIFF), **turn("prompt", WORDS, files="hello.py\n")},
    "PostToolUse.Read.json": turn("prompt", WORDS, files_read="hello.py\n"),
    "PostToolUse.ToolSearch.json": NOTHING,
    "PostToolUse.in-subagent.json": observed("tool_use", "Bash", "echo in-sub", "in-sub", agent=SUBAGENT),
    "PostToolUse.json": {**observed("tool_use", "Write", "hello.py", GREETING), **turn("prompt", WORDS, files="hello.py\n")},
    "PostToolUse.mcp.json": NOTHING,  # our own tool: what it says is here already
    "PostToolUseFailure.json": observed("error", "Bash", "python3 -c 'import nosuchmodule'", NO_MODULE),
    "PreCompact.auto.json": NOTHING,
    "PreCompact.json": NOTHING,
    "SessionEnd.clear.json": ended("clear"),
    "SessionEnd.json": ended("other"),
    "SessionEnd.prompt-input-exit.json": ended("prompt_input_exit"),
    "SessionStart.clear.json": session("clear"),
    "SessionStart.compact.json": session("compact"),
    "SessionStart.fork.json": session("fork"),
    "SessionStart.json": session("startup"),
    "SessionStart.resume.json": session("resume"),
    "SessionStart.startup-interactive.json": session("startup"),
    "Stop.after-block.json": turn("prompt", WORDS, "stopped", "Everything is finished: hello.py says hi."),
    "Stop.background-task.json": turn("prompt", WORDS, "stopped", "I created hello.py and ran it. It prints a greeting."),
    "Stop.json": turn("prompt", WORDS, "stopped", "Done."),
    "SubagentStop.compaction.json": NOTHING,
    "SubagentStop.json": observed("response", None, "Sub answer.", "Sub answer.", "agent", SUBAGENT),
    "UserPromptSubmit.json": turn("prompt", WORDS),
    "UserPromptSubmit.slash-command.json": turn("command"),
    "UserPromptSubmit.task-notification.json": turn("notification"),
}
CAPTURED = sorted(path.name for path in FIXTURES.glob("*.json"))
ANSWERED = "UserPromptExpansion.json"  # a command of ours; the rest are stored or left alone
UNREGISTERED = [name for name in CAPTURED if name.split(".")[0] not in NAMES]


def memory(hook):
    """Return what the tables hold, as far as it depends on the event."""
    if not hook.database.exists():
        return {"sessions": [], "turns": [], "observations": []}
    return {
        "sessions": hook.rows("SELECT source, end_reason FROM sessions"),
        "turns": hook.rows("SELECT kind, status, prompt, response, files, files_read FROM turns"),
        "observations": hook.rows("SELECT type, origin, tool_name, title, content, agent_id FROM observations"),
    }


def news(before, after):
    """Return what is new, by table."""
    fresh = {table: list((Counter(rows) - Counter(before[table])).elements()) for table, rows in after.items()}
    return {table: rows for table, rows in fresh.items() if rows}


def captured(hook, name):
    """Return a captured event, moved into the throwaway project, with the session and turn of its client's run."""
    data = fixture(name).replace(b"/home/user/project", bytes(hook.project))
    fields = json.loads(data)
    hook.session, hook.turn = fields["session_id"], fields.get("prompt_id", "")
    return fields["hook_event_name"], data


def given_a_session(hook, event):
    if event != "SessionStart":
        hook.start()
    if event not in ("SessionStart", "UserPromptSubmit"):
        hook.prompt(WORDS, prompt_id=hook.turn)


@pytest.mark.check
@pytest.mark.parametrize("name", STORED)
def test_a_captured_event_leaves_this_and_no_more(a_project, name):
    event, data = captured(a_project, name)
    given_a_session(a_project, event)
    before = memory(a_project)
    assert a_project.send(event, data) == {}
    assert news(before, memory(a_project)) == STORED[name]
    assert a_project.damage() == []


@pytest.mark.check
@pytest.mark.parametrize("name", [name for name in STORED if STORED[name]])
def test_the_same_event_twice_is_stored_once(a_project, name):
    event, data = captured(a_project, name)
    given_a_session(a_project, event)
    a_project.send(event, data)
    once = memory(a_project)
    a_project.send(event, data)
    assert memory(a_project) == once
    assert a_project.damage() == []


def test_the_table_names_every_captured_event_that_we_registered_for():
    assert sorted([*STORED, ANSWERED]) == [name for name in CAPTURED if name not in UNREGISTERED]
    assert {name.split(".")[0] for name in [*STORED, ANSWERED]} == set(NAMES)


def test_a_captured_command_is_answered_and_leaves_nothing(a_session):
    event, data = captured(a_session, ANSWERED)
    before = memory(a_session)
    assert said_to_model(a_session.send(event, data)) == "Nothing that is remembered holds any of these words.\n"
    assert memory(a_session) == before


@pytest.mark.parametrize("name", UNREGISTERED)
def test_an_event_that_we_did_not_register_for_leaves_nothing(a_session, name):
    event, data = captured(a_session, name)
    before = memory(a_session)
    kebab = "".join(["-" + char.lower() if char.isupper() else char for char in event]).lstrip("-")
    for word in (event, kebab):
        assert a_session.send(word, data) == {}
    assert memory(a_session) == before
    assert a_session.spooled() == []


def test_a_command_in_the_background_is_not_a_success_yet(a_session):
    fields = json.loads(fixture("PostToolUse.Bash-background.json"))
    a_session.tool("Bash", {**fields["tool_input"], "command": "make test"}, fields["tool_response"])
    assert a_session.values("SELECT type FROM observations") == ["tool_use"]
    a_session.bash("make test", "12 passed")
    assert a_session.values("SELECT type FROM observations ORDER BY seq") == ["tool_use", "success"]


def test_our_own_command_gets_no_answer_where_a_prompt_would(a_session):
    a_session.prompt("The zeppelin hangar leaks hydrogen near the mooring mast")
    a_session.stop("I sealed the zeppelin hangar at the mooring mast.")
    later = a_session.another()
    assert later.prompt("/mem-search zeppelin hangar mooring mast") == {}
    assert "sealed" in said_to_model(later.prompt("What about the zeppelin hangar and its mooring mast?"))


def test_the_answer_to_our_own_command_is_not_remembered(a_session):
    event, data = captured(a_session, "UserPromptSubmit.slash-command.json")
    a_session.start()
    a_session.send(event, data)
    a_session.stop("I found three memories about greetings.")
    assert a_session.values("SELECT response FROM turns") == [""]


def test_a_compaction_makes_the_open_turn_findable(a_session):
    a_session.prompt("Where is the zeppelin moored?")
    a_session.pre_compact()
    assert a_session.rows("SELECT status, index_version > 0 FROM turns") == [("open", 1)]
    assert a_session.values("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'zeppelin'") == [1]


def test_the_hook_runs_from_the_repository_as_it_is(tmp_path):
    hook = Hook(tmp_path, REPOSITORY)
    hook.every_event()
    assert hook.damage() == []
    assert hook.values("SELECT end_reason FROM sessions") == ["other"]
