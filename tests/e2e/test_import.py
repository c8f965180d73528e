"""What the real client wrote of its sessions comes in as the hooks recorded them while they ran."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

from .client import REPOSITORY
from .messages_api import call, say
from .test_memory import FIX_PROMPT, SUMMARY, Memory, a_fix, a_full_window, an_errand

TURNS = """
SELECT t.event_id, s.client_session, kind, status, t.origin, prompt, response, context, files, files_read, lines, t.branch, tainted,
    tokens, checksum, redactions, index_version FROM turns AS t JOIN sessions AS s ON s.id = session_id ORDER BY t.event_id"""
# How long a command took, and what was checked out, no transcript tells.
OBSERVATIONS = """
SELECT o.event_id, s.client_session, t.event_id, type, o.origin, tool_name, title, content, o.files, o.lines, agent_id, agent_type,
    o.tainted, o.tokens, o.checksum, o.redactions
FROM observations AS o JOIN sessions AS s ON s.id = o.session_id LEFT JOIN turns AS t ON t.id = turn_id ORDER BY o.event_id"""
SESSIONS = "SELECT client_session, project_path, source, transcript_path, summary FROM sessions ORDER BY started_at"
FILES = {"files", "files_read"}
ORDER = "SELECT event_id FROM (SELECT event_id, seq FROM turns UNION ALL SELECT event_id, seq FROM observations) ORDER BY seq"


@pytest.fixture
def memory(client, plugin, a_project):
    """Load the plugin into the client; the memory is the project's."""
    client.plugin = plugin
    return Memory(a_project)


@pytest.fixture
def days_of_work(client, api, memory, a_project):
    """Let a session go through all that leaves something: edits, a subagent, compactions, commands, a page, a fork, an error."""
    api.play(a_fix(a_project))
    session = client.print_mode(FIX_PROMPT).session_id
    for script, prompt in (
        (an_errand(), "Send somebody"),
        ({"compact": say(SUMMARY)}, "/compact"),
        (a_full_window(), "Check once more"),
        ({"turns": [say("It is remembered.")]}, "/mem-search lamps"),
        (
            {"turns": [call(("Bash", {"command": "curl -s http://127.0.0.1:9/"}), ("Bash", {"cmd": "?"})), say("No page.")]},
            "Get the page",
        ),
        ({"turns": [call(("Write", {"file_path": "/no/where.py", "content": "1"})), say("Not allowed.")]}, "Write it elsewhere"),
    ):
        api.play(script)
        client.print_mode(prompt, resume=session)
    api.play({"turns": [say("Elsewhere.")]})
    client.print_mode("Go on elsewhere", resume=session, extra_args=["--fork-session"])
    return memory


def told(memory, what):
    """Return rows; the files of one, which hooks of calls side by side name in any order, in order."""
    with contextlib.closing(sqlite3.connect(memory.folder / "memory.db")) as db:
        db.row_factory = sqlite3.Row
        return [
            {**row, **{name: sorted((row[name] or "").split("\n")) for name in FILES & set(row.keys())}} for row in db.execute(what)
        ]


def imported(client, a_project):
    environment = {"HOME": str(client.home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", "import"]
    return subprocess.run(order, cwd=a_project, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout


def test_what_hooks_recorded_and_what_is_imported_afterwards_are_the_same(client, days_of_work, a_project):
    memory = days_of_work
    recorded = {what: told(memory, what) for what in (SESSIONS, TURNS, OBSERVATIONS, ORDER)}
    assert len(recorded[TURNS]) >= 7 and len(recorded[OBSERVATIONS]) >= 8
    assert "Nothing came in." in imported(client, a_project)
    assert {what: told(memory, what) for what in recorded} == recorded
    shutil.rmtree(memory.folder)
    assert "imported: 2 sessions" in imported(client, a_project)
    for what, rows in recorded.items():
        assert told(memory, what) == rows


def test_a_resumed_session_of_before_the_plugin_is_brought_in_whole(client, api, plugin, a_project):
    api.play(a_fix(a_project))
    session = client.print_mode(FIX_PROMPT).session_id
    client.plugin = plugin
    api.play({"turns": [say("Good afternoon.")]})
    client.print_mode("Hello again", resume=session)
    memory = Memory(a_project)
    assert [turn["prompt"] for turn in memory.turns()] == ["Hello again"]
    imported(client, a_project)
    assert [row["prompt"] for row in memory.rows("SELECT prompt FROM turns ORDER BY seq")] == [FIX_PROMPT, "Hello again"]
    assert len(memory.sessions()) == 1 and len(memory.observations()) == 4
