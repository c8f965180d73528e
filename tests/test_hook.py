"""The hook contract is no formality: a hook that breaks it in any of these ways fails its test."""

import json

import pytest

from tests import clock
from tests.hook import COMMANDS, PATIENCE, Hook, answer_of, install

BREACHES = {
    "it fails": "sys.exit(2)",
    "it complains": "sys.stderr.write('oh')",
    "it prints what is no JSON": "print('hello')",
    "it prints two objects": 'print(\'{"continue": true}\\n{"continue": true}\')',
    "it prints an empty object": "print('{}')",
    "it prints a field that nobody knows": 'print(\'{"context": "x"}\')',
    "it writes into the project": "open(os.environ['CLAUDE_PROJECT_DIR'] + '/notes', 'w')",
    "it writes beside the project": "open(os.environ['TMPDIR'] + '/notes', 'w')",
    "it changes a file of the project": "open(os.environ['CLAUDE_PROJECT_DIR'] + '/hello.py', 'w')",
    "it writes into the plugin": "open(os.environ['CLAUDE_PLUGIN_ROOT'] + '/hooks/notes', 'w')",
    "it takes 100 MB": "len(b'x' * 100_000_000)",
    "it leaves a process": "subprocess.Popen(['sleep', '5'], start_new_session=True, stdout=-3, stderr=-3)",
}


@pytest.fixture
def a_plugin(tmp_path):
    """Make a plugin whose hooks do what `a_plugin(code)` says; returns a session that fires them."""

    def build(code):
        plugin = install(tmp_path / "plugin")
        (plugin / "hooks" / "door.py").unlink()  # what `run` would have start in place of run.py
        (plugin / "hooks" / "run.py").write_text(f"import os, subprocess, sys\n{code}\n")
        hook = Hook(tmp_path / "person", plugin)
        (tmp_path / "person" / "project" / "hello.py").write_text("print('hello')\n")
        return hook

    return build


@pytest.mark.check
@pytest.mark.parametrize("what", BREACHES)
def test_a_breach_is_seen(a_plugin, what):
    hook = a_plugin(BREACHES[what])
    with pytest.raises((AssertionError, json.JSONDecodeError)):
        hook.bash("make")


def test_a_hook_that_the_client_would_kill_is_seen(a_plugin, monkeypatch):
    hook = a_plugin("import time; time.sleep(0.3)")
    hook.bash("make")
    monkeypatch.setitem(PATIENCE, "PostToolUse", 0.3)
    monkeypatch.setattr(clock, "stalled", lambda: 0)  # on a busy machine the time would be granted
    with pytest.raises(AssertionError):
        hook.bash("make")


@pytest.mark.parametrize(
    "code", ["", 'print(\'{"systemMessage": "ralph-mem: x"}\')', "open(os.environ['HOME'] + '/x', 'w')", "os.mkdir('.ralph-mem')"]
)
def test_what_a_hook_may_do_it_may(a_plugin, code):
    a_plugin(code).bash("make")


def test_an_answer_names_its_event():
    answer = '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}}'
    assert answer_of("SessionStart", answer) == json.loads(answer)
    with pytest.raises(AssertionError):
        answer_of("UserPromptSubmit", answer)
    with pytest.raises(AssertionError):
        answer_of("SessionEnd", answer)


def test_an_event_is_fired_the_way_the_manifest_says(tmp_path):
    hook = Hook(tmp_path)
    assert len(COMMANDS) == 10
    for event, command in COMMANDS.items():
        assert hook.command(event) == command and command[:2] == ["/bin/sh", "-c"]
    assert hook.surroundings()["CLAUDE_PLUGIN_ROOT"] == str(hook.plugin)
