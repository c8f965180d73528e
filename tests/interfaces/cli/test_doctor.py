"""`ralph-mem doctor` says in a line each what it saw, and leaves with 1 where there is a problem."""

import json
import os
import pty
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from ralph_mem.core.project import Project
from ralph_mem.maintenance.doctor import server
from tests import command_line
from tests.e2e.client import Client, NoClient, find_client
from tests.hook import Hook, install


@pytest.fixture
def a_session(tmp_path):
    """Record the first prompt of a session in a project."""
    hook = Hook(tmp_path)
    for name, fields in (("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "Why is the lamp off?"})):
        assert hook.run(name, hook.event(name, **fields)).code == 0
    return hook


@pytest.fixture
def ralph_mem(a_session):
    """Run the command line as the person of the session, in the project: `ralph_mem("doctor", CI="true")`."""

    def run(*arguments, **environment):
        environment = {"HOME": str(a_session.home), "PATH": a_session.environment["PATH"], "LANG": "C.UTF-8", **environment}
        return command_line.says(*arguments, env=environment, cwd=a_session.project)

    return run


@pytest.fixture
def a_client(a_session, tmp_path):
    """Give the person the plugin, in a folder of its own, and the files that the client writes when it is installed."""
    plugin = install(tmp_path / "plugin")
    folder = a_session.home / ".claude" / "plugins"
    folder.mkdir(parents=True)
    entry = {"plugins": {"ralph-mem@ralph-mem": [{"scope": "user", "installPath": str(plugin)}]}}
    (folder / "installed_plugins.json").write_text(json.dumps(entry))
    (folder.parent / "settings.json").write_text('{"enabledPlugins": {"ralph-mem@ralph-mem": true}}')
    return plugin


def checks(run):
    return {each["check"]: each for each in json.loads(run.stdout)}


def test_where_all_is_well_it_leaves_with_0(ralph_mem, a_client):
    run = ralph_mem("doctor")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[-1] == "0 problems, 0 warnings, 26 ok"
    assert all(line.startswith("ok ") for line in run.stdout.splitlines()[:-2])


def test_warnings_alone_leave_with_0(ralph_mem, a_client):
    run = ralph_mem("doctor", RALPH_MEM_RECORDING="off")
    assert run.returncode == 0
    assert "warning  recording        off: RALPH_MEM_RECORDING in your environment; do: unset RALPH_MEM_RECORDING\n" in run.stdout


def test_a_problem_leaves_with_1_and_says_what_to_do(ralph_mem):
    run = ralph_mem("doctor")
    assert run.returncode == 1
    (line,) = [line for line in run.stdout.splitlines() if line.startswith("problem")]
    assert "plugin" in line and "; do: in Claude Code: `/plugin marketplace add " in line


def test_it_starts_the_mcp_server_and_says_in_which_protocol_it_answers(ralph_mem, a_client):
    found = checks(ralph_mem("doctor", "--json"))["mcp server"]
    assert (found["state"], found["seen"]) == ("ok", "answers in the protocol of 2025-11-25")


def test_it_says_where_the_mcp_server_is_switched_off(ralph_mem, a_session):
    (a_session.memory / "config.yaml").write_text("mcp: off\n")
    assert "switched off by `mcp: off`" in checks(ralph_mem("doctor", "--json"))["mcp server"]["seen"]


@pytest.mark.check
@pytest.mark.parametrize(("missing", "state"), [("hooks/run.py", "problem"), (".mcp.json", "warning"), ("hooks/run", "ok")])
def test_a_server_that_cannot_be_started_is_said(a_client, a_session, monkeypatch, missing, state):
    (a_client / missing).unlink()
    monkeypatch.setattr(server, "LIES_IN", str(a_client))
    (found,) = server.server(Project(str(a_session.project)))
    assert (found.check, found.state) == ("mcp server", state)


def test_json_is_a_list_of_findings(ralph_mem, a_client):
    run = ralph_mem("doctor", "--json")
    assert run.returncode == 0
    assert {tuple(each) for each in json.loads(run.stdout)} == {("check", "state", "seen", "do")}
    found = checks(run)["recording"]
    assert found.pop("seen").startswith("recording since 20")
    assert found == {"check": "recording", "state": "ok", "do": ""}


def test_a_damaged_database_does_not_end_the_examination(ralph_mem, a_session):
    a_session.database.write_text("no database at all" * 500)
    (a_session.memory / "memory.db-wal").unlink(missing_ok=True)  # in which all of it still stands
    run = ralph_mem("doctor", "--json")
    assert run.returncode == 1
    assert {checks(run)[check]["state"] for check in ("events", "database")} == {"problem"}


def test_a_project_without_a_memory_gets_none(ralph_mem, a_session):
    shutil.rmtree(a_session.memory)
    assert checks(ralph_mem("doctor", "--json"))["events"]["state"] == "warning"
    assert not a_session.memory.exists()


def test_without_a_home_it_still_answers(ralph_mem):
    run = ralph_mem("doctor", "--json", HOME="")
    assert run.returncode == 1 and checks(run)["data folder"]["state"] == "problem"


def test_help_has_an_example(ralph_mem):
    assert "Example: ralph-mem doctor\n" in ralph_mem("doctor", "--help").stdout


@pytest.mark.check
def test_a_terminal_sees_how_far_it_is_and_the_report_stays_clean(a_session):
    ours, theirs = pty.openpty()
    environment = {"HOME": str(a_session.home), "PATH": a_session.environment["PATH"], "TERM": "xterm", "LANG": "C.UTF-8"}
    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", "doctor"]
    run = subprocess.run(order, env=environment, cwd=a_session.project, stdout=subprocess.PIPE, stderr=theirs, timeout=60)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "Looking" in shown
    assert run.stdout.startswith(b"ok       python ")


@pytest.mark.check
def test_the_plugin_is_seen_as_the_real_client_installs_it(ralph_mem, a_session, tmp_path):
    try:
        binary = find_client()
    except NoClient as missing:
        pytest.skip(str(missing))
    person = Client(binary, home=a_session.home, project=a_session.project, api=SimpleNamespace(url="http://127.0.0.1:9"))
    plugin, seen = install(tmp_path / "plugin"), []
    for order in (["marketplace", "add", str(plugin)], ["install", "ralph-mem@ralph-mem"], ["disable", "ralph-mem@ralph-mem"]):
        assert person.command("plugin", *order).returncode == 0
        seen.append(checks(ralph_mem("doctor", "--json"))["plugin"])
    assert [each["state"] for each in seen] == ["problem", "ok", "problem"]
    assert seen[1]["seen"].endswith(f"read from {plugin}") and "not switched on" in seen[2]["seen"]
