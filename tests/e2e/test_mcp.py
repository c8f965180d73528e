"""The MCP server in the real client: listed as connected, called by the model, and what it said is no memory of its own."""

import sqlite3
from contextlib import closing

import pytest

from .messages_api import call, say

TOOL = "mcp__plugin_ralph-mem_mem__"
ALLOWED = " ".join(TOOL + name for name in ("search", "facts", "remember"))
ADDED = "mcp__ralph-mem__search"
STATUS = "plugin:ralph-mem:mem"


@pytest.fixture
def a_client_with_a_past(client, api, plugin):
    client.plugin = plugin
    api.play({"turns": [say("In the hangar, behind the zinc gate.")]})
    client.print_mode("Where is the zeppelin?")
    return client


def results(run):
    """Return what the client gave the model as the results of tools, by their order."""
    messages = [record["message"]["content"] for record in run.records if record.get("type") == "user"]
    blocks = [block for content in messages if isinstance(content, list) for block in content if block["type"] == "tool_result"]
    return ["".join(each["text"] for each in block["content"]) for block in blocks]


def rows(client, query):
    with closing(sqlite3.connect(f"file:{client.project}/.ralph-mem/memory.db?mode=ro", uri=True)) as db:
        return db.execute(query).fetchall()


def test_it_is_listed_as_connected(client, plugin):
    told = client.command("--plugin-dir", str(plugin), "mcp", "list")
    (line,) = [line for line in told.stdout.splitlines() if line.startswith(STATUS)]
    assert "Connected" in line and told.returncode == 0


def test_the_model_calls_it_and_gets_the_fenced_answer_which_is_captured_by_nobody(a_client_with_a_past, api):
    api.play({"turns": [call((TOOL + "search", {"query": "zeppelin"})), say("It is behind the gate.")]})
    run = a_client_with_a_past.print_mode("Where was it?", allowed_tools=ALLOWED)
    (found,) = results(run)
    assert found.startswith("<ralph-mem-") and "In the hangar, behind the zinc gate." in found
    assert "In the hangar, behind the zinc gate." in api.text_of(api.requests("main")[-1])
    assert rows(a_client_with_a_past, "SELECT count(*) FROM observations") == [(0,)]
    assert rows(a_client_with_a_past, "SELECT response, tainted FROM turns ORDER BY id DESC LIMIT 1") == [
        ("It is behind the gate.", 0)
    ]
    sql = "SELECT s.client_session, r.event FROM receipts AS r JOIN sessions AS s ON s.id = r.session_id ORDER BY r.id DESC LIMIT 1"
    assert rows(a_client_with_a_past, sql) == [(run.session_id, "MCP search")]


def test_what_it_is_to_remember_waits_for_the_person(a_client_with_a_past, api):
    api.play({"turns": [call((TOOL + "remember", {"text": "Deploys go through the zinc gate."})), say("Proposed.")]})
    run = a_client_with_a_past.print_mode("Keep that", allowed_tools=ALLOWED)
    assert "before a person confirms it" in results(run)[0]
    assert rows(a_client_with_a_past, "SELECT status FROM facts") == [("proposed",)]
    shown = a_client_with_a_past.print_mode("/mem learn").stdout
    assert "Deploys go through the zinc gate." in shown and "worded by an agent" in shown


def test_a_person_adds_it_by_hand_and_it_is_known_as_ours_by_that_name(a_client_with_a_past, api, plugin):
    order = ("mcp", "add", "ralph-mem", "--", str(plugin / "hooks" / "run"), "mcp")
    assert a_client_with_a_past.command(*order).returncode == 0
    api.play({"turns": [call((ADDED, {"query": "zeppelin"})), say("It is behind the gate.")]})
    run = a_client_with_a_past.print_mode("Where was it?", allowed_tools=ADDED)
    assert "behind the zinc gate" in results(run)[0]
    assert rows(a_client_with_a_past, "SELECT count(*) FROM observations") == [(0,)]
    assert rows(a_client_with_a_past, "SELECT max(tainted) FROM turns") == [(0,)]


def test_switched_off_it_is_connected_and_offers_nothing(a_client_with_a_past, api):
    (a_client_with_a_past.project / ".ralph-mem" / "config.yaml").write_text("mcp: off\n")
    api.play({"turns": [say("Nothing.")]})
    run = a_client_with_a_past.print_mode("Hello")
    (begun,) = [record for record in run.records if record.get("subtype") == "init"]
    assert [server["status"] for server in begun["mcp_servers"] if server["name"] == STATUS] == ["connected"]
    assert [name for name in begun["tools"] if name.startswith(TOOL)] == []
