"""What one client's agent did is remembered as from there, and told in every other."""

import json
import os
import posix

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.hosts import known, others
from ralph_mem.hosts.claude_code import event
from ralph_mem.maintenance import status
from ralph_mem.memory import access, activities, plain_values, reports
from ralph_mem.memory.recall import layers, lookup
from tests.core.redaction import secret_corpus
from tests.hook import ORDINARY_PATH
from tests.hosts.others.clients import FAILED, PROMPT, TOOL, Shape, recorded, told

SAID = "The zeppelin exporter writes UTF-16 and needs a byte order mark."
ASKED = "Why does the zeppelin exporter fail?"


def works(guest, host):
    """Have an agent of a client ask, fail, and answer; returns its session's shape."""
    shape = guest.shape(host)
    guest.sends(host, *shape.start())
    guest.sends(host, *shape.prompt(ASKED))
    guest.sends(host, *shape.command("make zeppelin", "Error: no byte order mark", 2))
    guest.sends(host, *shape.stop(SAID))
    if host == "copilot":
        in_its_record(guest, shape)
    guest.sends(host, *shape.end())
    return shape


def in_its_record(guest, shape, said=SAID, at="2100-01-01T00:00:00.000Z"):
    """Have Copilot write down what was answered, as it does later."""
    path = guest.home / ".copilot" / "session-state" / shape.session / "events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = {"type": "assistant.message", "data": {"content": said}, "timestamp": at}
    path.write_text(json.dumps(entry, separators=(",", ":")) + "\n")


def rollout(guest, shape, *items, turn=""):
    """Have Codex write down finished items of a turn."""
    path = guest.home / ".codex/sessions/2026/11/22" / shape.record().rpartition("/")[2]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        for item in items:
            payload = {"type": "item_completed", "turn_id": turn or shape.turn, "item": item}
            file.write(
                json.dumps({"timestamp": "2026-11-22T10:23:53Z", "type": "event_msg", "payload": payload}, separators=(",", ":"))
                + "\n"
            )


def ran(call, line, output, code):
    words = ["/bin/bash", "-lc", line]
    return {"type": "CommandExecution", "id": call, "command": words, "aggregated_output": output, "exit_code": code}


@pytest.mark.check
@pytest.mark.parametrize("first", known.OTHERS)
def test_what_one_remembers_each_other_is_told(guest, first):
    works(guest, first)
    for second in known.OTHERS:
        shape = guest.shape(second)
        assert "byte order mark" in told(guest.sends(second, *shape.start())), second


@pytest.mark.check
@pytest.mark.parametrize("host", known.OTHERS)
def test_at_a_prompt_its_model_is_told_what_the_prompt_is_about(guest, host):
    works(guest, "gemini")
    for number in range(6):  # so that the start of a session has other things to tell
        shape = guest.shape("qwen")
        guest.sends("qwen", *shape.prompt(f"Rename the button number {number} of the settings page"))
        guest.sends("qwen", *shape.stop(f"The button {number} has its new name."))
    shape = guest.shape(host)
    guest.sends(host, *shape.start())
    assert "byte order mark" in told(guest.sends(host, *shape.prompt("The zeppelin exporter fails again, what was it?")))


@pytest.mark.check
@pytest.mark.parametrize("host", known.OTHERS)
def test_a_session_bears_the_name_of_its_client(guest, host):
    works(guest, host)
    assert guest.rows("SELECT agent, client_pid FROM sessions") == [(host, None)]
    assert guest.values("SELECT prompt FROM turns") == [ASKED]
    assert guest.values("SELECT response FROM turns") == [SAID]


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_prompt_opens_project_and_session_where_no_start_was_heard(guest, host):
    shape = guest.shape(host)
    guest.sends(host, *shape.prompt(ASKED))
    assert guest.rows("SELECT agent, source FROM sessions") == [(host, "unknown")]
    assert guest.values("SELECT prompt FROM turns") == [ASKED]
    guest.sends(host, *shape.start())
    assert guest.values("SELECT source FROM sessions") == ["startup"]


def test_where_no_start_is_told_the_first_prompt_is_told_what_a_start_is(guest):
    works(guest, "codex")
    shape = guest.shape("qwen")
    assert "byte order mark" in told(guest.sends("qwen", *shape.prompt("Go on with the work of yesterday")))
    assert "byte order mark" not in told(guest.sends("qwen", *shape.prompt("And what comes after it")))


def test_what_is_told_found_and_counted_names_the_client_that_it_is_from(guest, monkeypatch):
    works(guest, "codex")
    assert ", in codex]" in told(guest.sends("gemini", *guest.shape("gemini").start()))
    place = Project(str(guest.project))
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(guest.home)})
    reader = lookup.Reader(access.to_read(place), place, effective.load(place))
    rows = lookup.search(reader, "zeppelin exporter", 0, lookup.Wanted(1))
    assert " turn in codex  " in layers.shown(reader, rows, 1)
    assert " turn in codex: " in layers.shown(reader, rows, 2) and plain_values.of_row(reader, rows[0], 1)["host"] == "codex"
    assert any(line.startswith("also from codex, last ") for line in status.lines(status.of(place, reader.settings, 0)))
    assert {reports.cells(each)[5] for each in reports.listed(reader, 2**53, 9)} == {"ended, codex", "open, gemini"}


def test_who_has_no_command_on_path_is_told_how_to_start_it_from_the_plugin(guest):
    host = guest.attended()
    first = host.sends("codex", *host.shape("codex").start())
    assert f"python3 {host.plugin}/ralph_mem/interfaces/terminal.py pause switches that off" in first["systemMessage"]


def test_nobody_else_is_sent_to_a_slash_command(guest):
    there = guest.folder / "bin" / "ralph-mem"
    there.parent.mkdir()
    there.write_text("")
    host = guest.another(CLAUDE_CODE_SESSION_ATTENDED="1", PATH=f"{there.parent}:{ORDINARY_PATH}")
    first = host.sends("gemini", *host.shape("gemini").start())
    assert "ralph-mem pause switches that off" in first["systemMessage"]
    shape = host.shape("gemini")
    host.sends("gemini", *shape.prompt(ASKED))
    host.sends("gemini", *shape.command("make mast", "so it stands there", 2))
    host.sends("gemini", *shape.stop(SAID))
    second = host.sends("gemini", *host.shape("gemini").start())
    assert "ralph-mem show " in told(second) and "/mem" not in told(second) + second["systemMessage"]


# Twice


@pytest.mark.check
@pytest.mark.parametrize("host", known.OTHERS)
def test_who_hears_an_event_twice_stores_it_once_and_is_told_once(guest, host):
    works(guest, "gemini" if host != "gemini" else "qwen")
    shape = guest.shape(host)
    events = [
        shape.start(),
        shape.prompt("What does the zeppelin exporter need?"),
        shape.command("make it", "ok"),
        shape.stop(SAID),
    ]
    answers = [(told(guest.sends(host, *event)), told(guest.sends(host, *event))) for event in events]
    assert answers[0][0] and not any(second for _, second in answers)
    of_session = "(SELECT id FROM sessions WHERE client_session = ?)"
    assert guest.rows(f"SELECT count(*) FROM turns WHERE session_id = {of_session}", shape.session) == [(1,)]
    assert guest.rows(f"SELECT count(*) FROM observations WHERE session_id = {of_session}", shape.session) == [(1,)]


def test_the_two_spellings_of_copilot_are_one_event(guest):
    whole = dict(recorded("copilot"))[TOOL]
    stamp = {**whole, "timestamp": 1795343066603}
    pascal = {
        "hook_event_name": "PostToolUse", "session_id": whole["sessionId"], "timestamp": "2026-11-22T10:24:26.603Z",
        "cwd": whole["cwd"], "tool_name": "Read", "tool_input": whole["toolArgs"], "tool_result": {},
    }  # fmt: skip
    ids = [others.activity(TOOL, "copilot", fields).id for fields in (stamp, pascal)]
    assert ids[0] == ids[1]


# Lines that name no host


@pytest.mark.check
@pytest.mark.parametrize("host", known.UNNAMED)
def test_the_plugins_own_lines_serve_who_installs_it(guest, host):
    folder = "copilot/as-claude" if host == "copilot" else host
    for name, fields in recorded(folder):
        guest.sends("", name, {**fields, "cwd": str(guest.project)})
    assert set(guest.values("SELECT agent FROM sessions")) == {host}
    assert "Please write hello.py" in guest.values("SELECT prompt FROM turns")


@pytest.mark.parametrize("host", ["gemini", "qwen"])
def test_who_runs_the_lines_of_another_client_beside_its_own_is_not_heard_twice(guest, host):
    for name, fields in recorded(host):
        assert guest.sends("", name, {**fields, "cwd": str(guest.project)}) == {}
    assert not guest.memory.exists()


def test_an_event_that_may_be_anybodys_is_left_in_silence(guest):
    fields = {"conversation_id": "c", "session_id": "s", "hook_event_name": "Stop", "cwd": str(guest.project)}
    assert guest.sends("", "stop", fields) == {}
    assert not guest.memory.exists()


# Codex says in its record how a command ended


def test_codex_an_outcome_is_unknown_until_its_record_tells_it(guest):
    shape = guest.shape("codex")
    guest.sends("codex", *shape.prompt(ASKED))
    name, fields = shape.command("make test", "boom")
    guest.sends("codex", name, fields)
    assert guest.rows("SELECT type, metadata FROM observations") == [("tool_use", None)]
    rollout(guest, shape, ran(fields["tool_use_id"], "make test", "boom", 3))
    guest.sends("codex", *shape.stop(SAID))
    assert guest.rows("SELECT type, metadata FROM observations") == [("error", '{"exit": 3}')]
    assert guest.values("SELECT lines FROM turns")[0].startswith("failed: make test")
    assert guest.damage() == []


def test_codex_a_check_that_its_record_does_not_name_never_passed(guest):
    shape = guest.shape("codex")
    guest.sends("codex", *shape.prompt(ASKED))
    guest.sends("codex", *shape.command("pytest -q", "12 passed"))
    guest.sends("codex", *shape.stop(SAID))
    assert guest.values("SELECT type FROM observations") == ["tool_use"]
    assert guest.values("SELECT lines FROM turns") == ["ran: pytest -q"]


def test_codex_a_check_that_ended_with_0_has_passed(guest):
    shape = guest.shape("codex")
    guest.sends("codex", *shape.prompt(ASKED))
    name, fields = shape.command("pytest -q", "12 passed")
    guest.sends("codex", name, fields)
    rollout(guest, shape, ran(fields["tool_use_id"], "pytest -q", "12 passed", 0))
    guest.sends("codex", *shape.stop(SAID))
    assert guest.values("SELECT type FROM observations") == ["success"]


def test_codex_a_patch_is_known_by_its_record_of_this_turn_alone(guest):
    shape = guest.shape("codex")
    guest.sends("codex", *shape.prompt(ASKED))
    changes = {
        f"{guest.project}/a.py": {"type": "add", "content": "def a():\n    pass\n"},
        f"{guest.project}/b.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-old\n+new\n"},
    }
    patch = {"type": "FileChange", "id": "call_1", "status": "completed", "changes": changes}
    rollout(guest, shape, patch)
    rollout(guest, shape, {**patch, "id": "call_0", "changes": {"/c.py": changes[f"{guest.project}/a.py"]}}, turn="an earlier one")
    guest.sends("codex", *shape.stop(SAID))
    assert guest.rows("SELECT tool_name, title, content FROM observations ORDER BY title") == [
        ("Write", "a.py", "new file, 2 lines\ndef a():"), ("Edit", "b.py", "-old\n+new"),
    ]  # fmt: skip
    assert guest.values("SELECT files FROM turns") == ["a.py\nb.py\n"]


def test_codex_is_answered_with_fields_that_it_knows_alone(guest):
    works(guest, "codex")
    shape = guest.shape("codex")
    assert guest.sends("codex", *shape.start()).keys() <= {"systemMessage", "hookSpecificOutput"}
    for each in (shape.command("make it", "ok"), shape.stop(SAID), shape.end()):
        assert guest.sends("codex", *each) == {}


# Copilot writes down later what was answered


def test_copilot_an_answer_that_is_not_written_down_yet_is_taken_with_the_next_event(guest):
    shape = guest.shape("copilot")
    guest.sends("copilot", *shape.prompt(ASKED))
    guest.sends("copilot", *shape.stop(""))
    assert guest.values("SELECT response FROM turns") == [""]
    in_its_record(guest, shape, "The token is " + "ghp_" + "a1B2" * 9)
    guest.sends("copilot", *guest.shape("copilot").start())
    assert guest.values("SELECT response FROM turns")[0].startswith("The token is [REDACTED")


def test_copilot_the_answer_to_an_earlier_prompt_is_not_taken_for_this_one(guest):
    shape = guest.shape("copilot")
    guest.sends("copilot", *shape.prompt(ASKED))
    in_its_record(guest, shape, at="2001-01-01T00:00:00.000Z")
    guest.sends("copilot", *shape.stop(""))
    assert guest.values("SELECT response FROM turns") == [""]


# Secrets


def survivors(case, seen, place):
    """Return of what kind the seen activities are in whose records a secret can still be read."""
    records = [(each.kind, activities.records(each, place, effective.DEFAULTS)) for each in seen if each]
    return {kind for kind, found in records if secret_corpus.survives(case.secret, json.dumps(found))}


def of_claude_code(text):
    fields = {"session_id": "s", "cwd": "/home/ada/shop"}
    used = {**fields, "tool_name": "Bash", "tool_input": {"command": "make it"}, "error": "Exit code 1\n" + text}
    plain = {**fields, "tool_name": "Bash", "tool_input": {"command": "make it"}, "tool_response": text}
    written = {**fields, "tool_name": "Write", "tool_input": {"file_path": "/x/notes.txt", "content": "# " + text}}
    events = [
        (PROMPT, {**fields, "prompt": text}),
        (FAILED, used),
        (TOOL, plain),
        (TOOL, written),
        ("stop", {**fields, "last_assistant_message": text}),
    ]
    return [event.activity(event.Event(*each)) for each in events]


@pytest.mark.check
@pytest.mark.parametrize("host", known.OTHERS)
def test_no_secret_gets_through_the_shape_of_a_client_that_does_not_through_the_first(host, a_home):
    place = Project("/home/ada/shop")
    for case in secret_corpus.cases(1):
        shape = Shape(host, "/home/ada/shop")
        shape.turn = "turn"
        events = [
            shape.prompt(case.text),
            shape.command("make it", case.text, 1),
            shape.write("/x/notes.txt", "# " + case.text),
            shape.stop(case.text),
        ]
        through = survivors(case, [others.activity(name, host, fields) for name, fields in events], place)
        assert through <= survivors(case, of_claude_code(case.text), place), case
