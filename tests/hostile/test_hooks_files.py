"""Hooks files, and the list of servers, in the hands of clients that know less than Claude Code: of what comes in nothing is run.

A client may pass over every key but `type`, `command` and `timeout`, hand any input to what is left, and put the plugin's folder
in as text or name it in the environment.
"""

import itertools
import json
import shlex
import shutil
import subprocess

import pytest

from tests.hook import HOOKS_FILES, REPOSITORY, Hook, install

KEPT = ("type", "command", "timeout")
MARK = "was-run"
ORDERS = [
    f"`touch {MARK}`",
    f"$(touch {MARK})",
    f'"; touch {MARK}; "',
    f"'; touch {MARK}; '",
    f"\n touch {MARK}\n",
    f"|touch {MARK} #",
]
HARMFUL = " ".join(ORDERS)
COMMON = {"session_id": f"one {HARMFUL}", "cwd": "/nowhere", "transcript_path": ORDERS[0], "permission_mode": ORDERS[1]}
FIELDS = {
    "SessionStart": {"source": ORDERS[0], "model": ORDERS[1]},
    "UserPromptSubmit": {"prompt": HARMFUL},
    "UserPromptExpansion": {"command_name": ORDERS[0], "command_args": HARMFUL},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": HARMFUL}, "tool_response": {"stdout": HARMFUL}},
    "PostToolUseFailure": {"tool_name": "Bash", "tool_input": {"command": HARMFUL}, "error": HARMFUL},
    "Stop": {"last_assistant_message": HARMFUL},
    "SubagentStop": {"last_assistant_message": HARMFUL, "agent_type": ORDERS[2]},
    "PreCompact": {"custom_instructions": HARMFUL},
    "PostCompact": {"compact_summary": HARMFUL},
    "SessionEnd": {"reason": ORDERS[3]},
}
RAW = [
    *ORDERS,
    f"touch {MARK}",
    f"#!/bin/sh\ntouch {MARK}\n",
    f"exec touch {MARK}",
    f". /dev/stdin\ntouch {MARK}",
    f"_\ntouch {MARK}",
    "",
]
INPUTS = [json.dumps({**COMMON, "hook_event_name": name, **fields}) for name, fields in FIELDS.items()] + RAW
# The folder of a plugin may be called anything.
FOLDERS = [f"$HOME `touch {MARK}` $(touch {MARK})", f'it\'s a "plugin"; touch {MARK} #', "größer \\ 時 *", "${CLAUDE_PLUGIN_ROOT}"]
PLACEHOLDERS = ("${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT")


def left_of(file):
    """Return the handlers of a file as a client has them that knows three keys."""
    groups = itertools.chain(*json.loads(file.read_text())["hooks"].values())
    return [{key: handler[key] for key in KEPT if key in handler} for group in groups for handler in group["hooks"]]


SERVERS = json.loads((REPOSITORY / ".mcp.json").read_text())["mcpServers"]
# As a client has it that knows no `args` apart: of a shell's words in one line.
SERVER = shlex.join([SERVERS["mem"]["command"], *SERVERS["mem"]["args"]])
HANDLERS = [(file.name, handler) for file in HOOKS_FILES for handler in left_of(file)]


def run(command, data, folder, **environment):
    """Run a command as a client does, in a project of its own, and say what was printed."""
    home, project = folder / "home", folder / "project"
    for path in (home, project):
        path.mkdir(exist_ok=True, parents=True)
    given = {"PATH": "/usr/bin:/bin", "HOME": str(home), "CLAUDE_PROJECT_DIR": str(project), **environment}
    ran = subprocess.run(["/bin/sh", "-c", command], input=data.encode(), capture_output=True, cwd=project, env=given, timeout=30)
    assert [path for path in folder.rglob("*") if path.name.startswith(MARK)] == []
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture(scope="module")
def a_plugin(tmp_path_factory):
    return install(tmp_path_factory.mktemp("plugin"))


def test_there_are_more_than_twenty_inputs_and_every_event_has_its_hook():
    print(f"{len(HANDLERS)} hooks in {len(HOOKS_FILES)} files, {len(INPUTS)} inputs")
    assert len(INPUTS) > 20 and len(HANDLERS) == len(FIELDS)


@pytest.mark.check
@pytest.mark.parametrize(("file", "handler"), HANDLERS)
def test_a_client_that_tells_no_place_has_nothing_run(tmp_path, a_plugin, file, handler):
    # a repository might bring along what a relative path would name
    for name in (*PLACEHOLDERS, "."):
        shutil.copytree(a_plugin, tmp_path / "project" / name, dirs_exist_ok=True)
    for data in INPUTS:
        assert run(handler["command"], data, tmp_path) == (0, b"", b"")
    assert not (tmp_path / "project" / ".ralph-mem").exists()


@pytest.mark.check
@pytest.mark.parametrize(("file", "handler"), HANDLERS)
def test_of_what_an_event_holds_nothing_is_run_or_printed(tmp_path, a_plugin, file, handler):
    for data in INPUTS:
        code, out, err = run(handler["command"], data, tmp_path, CLAUDE_PLUGIN_ROOT=str(a_plugin))
        assert (code, err) == (0, b"") and out in (b"", a_notice(out))


# The server


def test_the_list_of_servers_names_one_by_a_command_that_needs_no_other_field():
    assert list(SERVERS) == ["mem"] and SERVERS["mem"].keys() == {"command", "args"}


def test_a_client_that_tells_no_place_has_no_server_run(tmp_path, a_plugin):
    for name in (*PLACEHOLDERS, "."):
        shutil.copytree(a_plugin, tmp_path / "project" / name, dirs_exist_ok=True)
    for data in INPUTS:
        assert run(SERVER, data, tmp_path) == (0, b"", b"")
    assert not (tmp_path / "project" / ".ralph-mem").exists()


@pytest.mark.check
@pytest.mark.parametrize("name", FOLDERS)
def test_of_what_a_server_is_sent_nothing_is_run_and_all_it_says_is_the_protocols(tmp_path, name):
    plugin = install(tmp_path / name)
    for data in INPUTS:
        code, out, err = run(SERVER, data, tmp_path, CLAUDE_PLUGIN_ROOT=str(plugin))
        assert (code, err) == (0, b"") and all(json.loads(line)["error"]["code"] < 0 for line in out.splitlines())


def test_a_client_that_knows_only_the_command_starts_a_shell_with_nothing_to_run(tmp_path):
    assert run(SERVERS["mem"]["command"], "", tmp_path) == (0, b"", b"")


def a_notice(out):
    """Return an answer that tells the person, in a line, that a memory was made or was in trouble: it is no rubbish."""
    return out if out.startswith((b'{"systemMessage": "ralph-mem', b'{"hookSpecificOutput"')) and json.loads(out) else b""


@pytest.mark.check
@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("how", ["in the environment", "as text", "as text and in the environment"])
def test_the_name_of_the_plugins_folder_is_only_a_name(tmp_path, how, name):
    plugin = install(tmp_path / name)
    told = {"CLAUDE_PLUGIN_ROOT": str(plugin)} if "environment" in how else {}
    for _, handler in HANDLERS:
        command = handler["command"]
        for placeholder in PLACEHOLDERS if "text" in how else ():
            command = command.replace(placeholder, str(plugin))
        assert run(command, INPUTS[1], tmp_path, **told)[::2] == (0, b"")


def test_a_plugin_in_a_folder_with_an_odd_name_remembers(tmp_path):
    hook = Hook(tmp_path / "person", install(tmp_path / FOLDERS[0]))
    hook.start()
    hook.prompt("Where is the zeppelin?")
    assert hook.values("SELECT prompt FROM turns") == ["Where is the zeppelin?"]


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "SessionStart"])
def test_an_event_that_comes_under_the_name_of_another_is_none(a_quick_session, name):
    a_quick_session.prompt("Where is the zeppelin?")
    before = a_quick_session.rows("SELECT * FROM turns"), a_quick_session.rows("SELECT * FROM observations")
    data = json.loads(a_quick_session.event(name, **{**FIELDS[name], "command_name": "ralph-mem:mem-status"}))
    for other in ("SessionStart", "postToolUse", "stop", "", "PreToolUse", 7, None, [name]):
        assert a_quick_session.send(name, json.dumps({**data, "hook_event_name": other}).encode()) == {}
    assert (a_quick_session.rows("SELECT * FROM turns"), a_quick_session.rows("SELECT * FROM observations")) == before


def test_an_event_that_says_no_name_is_taken_for_what_the_command_says(a_quick_session):
    data = json.loads(a_quick_session.event("UserPromptSubmit", prompt="Where is the zeppelin?"))
    del data["hook_event_name"]
    a_quick_session.send("UserPromptSubmit", json.dumps(data).encode())
    assert a_quick_session.values("SELECT prompt FROM turns") == ["Where is the zeppelin?"]
