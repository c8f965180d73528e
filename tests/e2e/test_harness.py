"""The harness itself, proved with a probe: a plugin that logs each event and puts marked words before the model."""

import json
import uuid

import pytest

from .client import eventually
from .messages_api import call, refuse, say

AT_START = "PROBE-AT-START marmalade"
AT_PROMPT = "PROBE-AT-PROMPT quince"
SUMMARY = "<analysis>probe</analysis>\n<summary>PROBE-SUMMARY medlar</summary>"
# The window of the client's default model is a million tokens; compaction sets in a little below.
NEARLY_FULL = {"input_tokens": 985_000}

PROBE_PY = f"""\
import json, sys
event = json.load(sys.stdin)
name = event["hook_event_name"]
with open(sys.argv[1], "a") as log:
    log.write(json.dumps(event) + "\\n")
words = {{"SessionStart": {AT_START!r}, "UserPromptSubmit": {AT_PROMPT!r}}}.get(name)
if words:
    print(json.dumps({{"hookSpecificOutput": {{"hookEventName": name, "additionalContext": words}}}}))
"""

EVENTS = "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure SubagentStop Stop PreCompact PostCompact SessionEnd"

SKILL = """\
---
name: probe-echo
description: Echo the words of the person.
---
PROBE-SKILL says: $ARGUMENTS
"""


class Probe:
    """The probe plugin's log, as the events it saw."""

    def __init__(self, log):
        self._log = log

    def events(self, name=None):
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [event for event in map(json.loads, lines) if name in (None, event["hook_event_name"])]

    def names(self):
        return [event["hook_event_name"] for event in self.events()]


@pytest.fixture
def probe(tmp_path, client):
    """Load the probe plugin into the client."""
    root, log = tmp_path / "probe", tmp_path / "probe.jsonl"
    for folder in (".claude-plugin", "hooks", "skills/probe-echo"):
        (root / folder).mkdir(parents=True)
    (root / ".claude-plugin" / "plugin.json").write_text(json.dumps({"name": "probe"}))
    (root / "hooks" / "probe.py").write_text(PROBE_PY)
    handler = {"type": "command", "command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/hooks/probe.py", str(log)]}
    hooks = {event: [{"hooks": [handler]}] for event in EVENTS.split()}
    (root / "hooks" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    (root / "skills" / "probe-echo" / "SKILL.md").write_text(SKILL)
    client.plugin = root
    return Probe(log)


def test_what_a_hook_adds_reaches_the_model_in_print_mode(client, api, probe):
    api.play({"turns": [call(("Bash", {"command": "python3 check_prices.py"})), say("It fails.")]})
    run = client.print_mode("Run the price check")
    assert run.returncode == 0 and run.result == "It fails."
    first, second = api.requests("main")
    assert f"SessionStart hook additional context: {AT_START}" in api.text_of(first)
    assert f"UserPromptSubmit hook additional context: {AT_PROMPT}" in api.text_of(first)
    assert "LedgerMismatch" in api.text_of(second) and "LedgerMismatch" not in api.text_of(first)
    assert [answer.exit_code for answer in run.hooks("UserPromptSubmit")] == [0]
    assert AT_PROMPT in run.hooks("UserPromptSubmit")[0].stdout
    assert probe.names() == ["SessionStart", "UserPromptSubmit", "PostToolUseFailure", "Stop", "SessionEnd"]


def test_what_a_hook_adds_reaches_the_model_in_a_terminal(terminal, api, probe):
    api.play({"turns": [say("Good morning to you.")]})
    with terminal() as session:
        session.say("Good morning")
        session.wait_for("Good morning to you.")
        session.leave()
    assert AT_START in api.heard() and AT_PROMPT in api.heard()
    assert probe.events("SessionEnd")[0]["reason"] == "prompt_input_exit"


def test_a_slash_command_reaches_the_model_as_its_skill(client, api, probe):
    client.print_mode("/probe-echo brave new words")
    assert "PROBE-SKILL says: brave new words" in api.heard()
    assert probe.events("UserPromptSubmit")[0]["prompt"] == "/probe-echo brave new words"


def test_a_session_is_compacted_by_hand_on_resume(client, api, probe):
    session = str(uuid.uuid4())
    client.print_mode("Remember the lamps", session_id=session)
    api.play({"compact": say(SUMMARY)})
    client.print_mode("/compact", resume=session)
    assert len(api.requests("compact")) == 1 and api.requests("main") == []
    assert "medlar" in probe.events("PostCompact")[0]["compact_summary"]
    client.print_mode("Where were we?", resume=session)
    assert "PROBE-SUMMARY medlar" in api.heard() and AT_START in api.heard()


def test_a_full_window_is_compacted_by_the_client(client, api, probe):
    full = call(("Bash", {"command": "echo lamps"}), usage=NEARLY_FULL)
    api.play({"turns": [full, say("Still here.")], "compact": say(SUMMARY)})
    run = client.print_mode("Count the lamps")
    assert run.result == "Still here."
    assert probe.events("PreCompact")[0]["trigger"] == "auto"
    assert "PROBE-SUMMARY medlar" in api.text_of(api.requests("main")[-1])


def test_escape_breaks_off_a_turn_without_a_stop(terminal, api, probe):
    api.play({"turns": [say("Too late.", delay_s=30), say("Here again.")]})
    with terminal() as session:
        session.say("Think for a long time")
        eventually(lambda: api.requests("main"))
        session.press("Escape")
        session.wait_for(lambda screen: "esc to interrupt" not in screen)
        session.press("C-u")
        session.say("And now?")
        session.wait_for("Here again.")
        session.leave()
    assert probe.names().count("UserPromptSubmit") == 2 and probe.names().count("Stop") == 1


def test_a_rule_speaks_to_a_subagent_alone(client, api, probe):
    errand = {"description": "look", "prompt": "ERRAND count lamps", "subagent_type": "general-purpose"}
    api.play(
        {
            "rules": [{"first_user": "ERRAND", "turns": [say("Three lamps.")]}],
            "turns": [call(("Agent", {**errand, "run_in_background": False})), say("The errand is done.")],
        }
    )
    run = client.print_mode("Send someone to count")
    assert run.result == "The errand is done."
    assert probe.events("SubagentStop")[0]["last_assistant_message"] == "Three lamps."


def test_an_api_error_ends_the_run(client, api, probe):
    api.play({"turns": [refuse(400, "invalid_request_error", "no such thing")] * 20})
    assert client.print_mode("Hello there", CLAUDE_CODE_MAX_RETRIES="1").returncode == 1
    assert probe.names()[-1] == "SessionEnd" and "Stop" not in probe.names()


def test_the_client_asks_the_loopback_door_and_no_other(client, api, probe):
    client.print_mode("Say something")
    assert api.endpoints() == {"POST /v1/messages?beta=true"}
    assert api.requests("stray") == []


def test_a_process_left_behind_is_found_and_ended(client, api, probe):
    sleeper = "setsid sleep 90 >/dev/null 2>&1 </dev/null &"
    api.play({"turns": [call(("Bash", {"command": sleeper})), say("Started.")]})
    client.print_mode("Start something slow")
    found, client.left_behind = client.left_behind, []
    assert [command for _, command in found] == ["sleep 90"]
    assert client.survivors() == []


def test_a_misspelt_script_is_refused(api):
    with pytest.raises(ValueError, match="turn"):
        api.play({"turn": [say("never heard")]})
