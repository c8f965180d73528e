"""Cursor and Goose, known by their public documents alone: these inputs are written from what those say, and none was seen."""

import json

import pytest

from ralph_mem.hosts import known
from tests.hosts.others.clients import FIXTURES, PROMPT, TOOL, told
from tests.hosts.others.test_bad_input import WRONG
from tests.hosts.others.test_one_memory import ASKED, SAID, works

OURS = {
    "sessionStart": "session-start", "beforeSubmitPrompt": PROMPT, "afterShellExecution": TOOL, "afterFileEdit": TOOL,
    "afterMCPExecution": TOOL, "afterAgentResponse": "stop", "stop": "stop", "sessionEnd": "session-end",
    "SessionStart": "session-start", "UserPromptSubmit": PROMPT, "PostToolUse": TOOL, "PostToolUseFailure": "post-tool-use-failure",
    "Stop": "stop", "SessionEnd": "session-end",
}  # fmt: skip


def written(host, project):
    """Return the events that the documents describe, in their order, as (name of ours, fields)."""
    files = sorted((FIXTURES / host).glob("*.json"))
    texts = [(file.stem.partition("-")[2], file.read_text().replace("/home/ada/shop", str(project))) for file in files]
    return [(OURS[name], json.loads(text)) for name, text in texts]


def of(host, project, name):
    return next(fields for each, fields in written(host, project) if each == name)


def plays(guest, host):
    return [guest.sends(host, name, fields) for name, fields in written(host, guest.project)]


@pytest.mark.parametrize("host", known.BY_DOCUMENTS)
def test_what_its_documents_describe_is_recorded(guest, host):
    plays(guest, host)
    assert guest.rows("SELECT agent, source FROM sessions") == [(host, "startup")]
    assert guest.rows("SELECT prompt, response FROM turns") == [(ASKED, SAID)]
    edits = guest.rows("SELECT tool_name, content FROM observations WHERE title = 'hello.py' ORDER BY id")
    assert edits == [("Write", "new file, 2 lines\ndef f():"), ("Edit", "-    pass\n+    return 1")]
    assert guest.damage() == []


def test_cursor_how_a_command_ended_is_not_told_and_not_guessed(guest):
    plays(guest, "cursor")
    command = guest.rows("SELECT type, metadata, content FROM observations WHERE title = 'make zeppelin'")
    assert command == [("tool_use", None, "make: *** No rule to make target 'zeppelin'.  Stop.\n".strip())]
    assert guest.rows("SELECT origin, tainted FROM observations WHERE tool_name LIKE 'mcp%'") == [("outside", 1)]


def test_goose_says_that_a_call_failed_and_not_how(guest):
    plays(guest, "goose")
    rows = guest.rows("SELECT event_id, type, metadata FROM observations WHERE tool_name = 'Bash' ORDER BY id")
    assert rows == [("call_1", "tool_use", None), ("call_2", "error", None)]


def test_cursor_is_told_at_a_start_in_its_own_words_and_nothing_at_a_prompt(guest):
    works(guest, "gemini")
    answers = plays(guest, "cursor")
    assert "byte order mark" in answers[0]["additional_context"] and not any(answers[1:])


def test_goose_is_told_nothing_and_no_receipt_says_so(guest):
    works(guest, "gemini")
    before = guest.rows("SELECT count(*) FROM receipts")
    assert not any(plays(guest, "goose")) and guest.rows("SELECT count(*) FROM receipts") == before


@pytest.mark.parametrize("host", known.BY_DOCUMENTS)
def test_what_it_did_is_told_in_another_client(guest, host):
    for name, fields in written(host, guest.project):
        assert "result_json" in fields or guest.sends(host, name, fields) == {}  # a page that was read would withhold the answer
    assert "byte order mark" in told(guest.sends("codex", *guest.shape("codex").start()))


@pytest.mark.parametrize("host", known.BY_DOCUMENTS)
def test_under_lines_that_name_no_client_it_is_left_in_silence(guest, host):
    for name, fields in written(host, guest.project):
        assert guest.sends("", name, fields) == {}
    assert not guest.memory.exists()


@pytest.mark.parametrize("host", known.BY_DOCUMENTS)
def test_what_cannot_be_understood_is_answered_with_silence_and_leaves_nothing(guest, host):
    whole = of(host, guest.project, TOOL)
    for value in WRONG:
        assert guest.sends(host, TOOL, dict.fromkeys(whole, value)) == {}
        spoiled = [{**whole, key: value} for key in ("tool_name", "tool_input", "command", "edits", "session_id")]
        assert [guest.sends(host, TOOL, each) for each in spoiled if value] == [{}] * (5 if value else 0)
    assert guest.sends(host, "stop", whole) == {} and guest.sends_bytes(host, TOOL, json.dumps(whole).encode()[:-9]) == {}
    for other in known.OTHERS:
        assert guest.sends(host, *guest.shape(other).prompt("hello")) == {}
    assert not guest.database.exists() or guest.values("SELECT prompt FROM turns") in ([], [""])


@pytest.mark.parametrize("host", known.BY_DOCUMENTS)
def test_its_hooks_are_files_to_link_without_a_path_of_this_machine(host):
    folder = FIXTURES.parents[1] / "integrations" / host
    (file,) = folder.rglob("hooks.json")
    lines = file.read_text().count("ralph-mem/plugin-folder")
    assert lines == len(json.loads(file.read_text())["hooks"]) == file.read_text().count(f" {host} && ")
    assert "pre-tool" not in file.read_text() and "before" not in file.read_text().replace("beforeSubmitPrompt", "")
