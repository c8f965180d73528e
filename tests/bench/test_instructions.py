"""What an event may cost, in instructions beside a bare interpreter's: a count that no load and no clock moves."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import paths
from ralph_mem.core.settings import effective
from ralph_mem.hosts import known
from ralph_mem.interfaces.mcp import protocol, server
from ralph_mem.memory import access, opening
from ralph_mem.memory.facts import by_hand
from ralph_mem.memory.rows import retention
from tests.bench import memory_of
from tests.bench.processes import SESSION, Hooks, has, interpreter
from tests.hosts.others.clients import Shape
from tests.interfaces.mcp.clients import envelope, introduction

BUDGET = json.loads(Path(__file__).with_name("budget.json").read_text())
MILLIONS_OF_A_TOOL_EVENT = 34
# Where five statements are told at a start: what they cost there, at most .02 more than a start without, and what the tables of
# facts cost any event.
WITH_FACTS = {"session-start": 1.73, "user-prompt-submit": 1.88, "post-tool-use": 1.43, "stop": 1.49}
STATEMENTS = (
    "Releases go out with make ship.", "Never commit to the branch stable.", "The exporter writes UTF-16.",
    "Prices are cents, not floats.", "Staging listens on port 8443.", "Migrations are numbered by hand.",
)  # fmt: skip
HANDSHAKE = 1.25  # of the MCP server, until its tools are listed; ten was asked for
TRANSLATION = 0.1  # of a bare interpreter, what the words of another client cost an event
TRIMMING = 1.76  # a Stop while old output is due to be emptied, beside a bare interpreter
# A typed search that finds ten rows of code: 4.43 measured. Where what today's rules have seen is looked at anew it takes 20.
SEARCH = 4.5
SYSTEM_PYTHON_MILLIONS = 21.5  # a distribution's own build; others start with up to twice as many

pytestmark = [
    pytest.mark.check,  # valgrind takes fifty times as long
    pytest.mark.skipif(not has("valgrind"), reason="valgrind is not installed, so no instructions can be counted"),
]


def filled(folder, statements=()):
    """Make a memory of 300 turns, with statements as facts; returns what runs its hooks."""
    with memory_of.at_home(folder / "home"):
        place = memory_of.build(folder / "project", 300, 4, memory_of.Words(seed=11))
        memory_of.empty_what_is_due(place)
        for text in statements:
            by_hand.keep(place, place, effective.load(place), text)
        opened = opening.open_ready(place)
        access.rewrite(opened)  # or each Stop would merge a piece of what that left, and each search read the pieces
        opened.close()
    hooks = Hooks(place.root, folder / "home", interpreter())
    learner = folder / "home" / ".local" / "share" / "ralph-mem" / paths.LEARNER
    learner.mkdir(parents=True)
    assert paths.lock(paths.open_lock(str(learner)))  # what a stop starts would hold the memory while the next event is counted
    hooks.run(hooks.direct("session-start"), hooks.event("SessionStart", source="startup"))
    for event, data in events(hooks).items():
        hooks.run(hooks.direct(event.split()[0]), data)  # so that everything is compiled
    with closing(sqlite3.connect(place.folder + "/memory.db")) as db:
        assert db.execute("SELECT count(*) FROM turns").fetchone()[0] > 300  # not set aside for an empty one
    return hooks


@pytest.fixture(scope="module")
def a_filled_memory(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("instructions"))


@pytest.fixture(scope="module")
def a_memory_with_facts(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("facts"), STATEMENTS)


@pytest.fixture(scope="module")
def bare(a_filled_memory):
    return least(a_filled_memory, [a_filled_memory.python, "-I", "-S", "-c", "pass"], b"")


def events(hooks):
    """The events that the budget names, each with an input."""
    secret = "export API_TOKEN=" + "h7Kq" * 9
    return {
        "post-tool-use": hooks.tool(),
        "post-tool-use tripped": hooks.tool(f"compiled\n{secret}\n"),
        "user-prompt-submit": hooks.prompt("parse the url query string and decode percent quoted values"),
        "user-prompt-submit continue": hooks.prompt("continue"),
        "session-start": hooks.start(),
        "stop": stop(hooks),
        "statusline": status_line(hooks),
    }


def status_line(hooks):
    return json.dumps({"session_id": SESSION, "workspace": {"project_dir": hooks.root}, "cwd": hooks.root}).encode()


def stop(hooks):
    return hooks.event("Stop", last_assistant_message="The parser decodes quoted values now.", stop_hook_active=False)


def least(hooks, order, data):
    """Return the least of three counts: by the seed of its hashes and the names of its files one differs by some thousandths."""
    return min(hooks.instructions(order, data) for _ in range(3))


@pytest.mark.parametrize("event", BUDGET)
def test_an_event_stays_within_its_budget(a_filled_memory, bare, event):
    count = least(a_filled_memory, a_filled_memory.direct(event.split()[0]), events(a_filled_memory)[event])
    assert count / bare <= BUDGET[event], f"{event}: {count / 1e6:.1f} million, {count / bare:.3f} times a bare interpreter"


@pytest.mark.parametrize("host", known.OTHERS)
def test_an_event_of_another_client_costs_little_more_than_the_same_of_the_first(a_filled_memory, bare, host):
    own = json.loads(a_filled_memory.tool())
    command, output = own["tool_input"]["command"], own["tool_response"]["stdout"]
    shape = Shape(host, a_filled_memory.root)
    counts = []
    for _ in range(2):  # the first compiles what it needs
        name, fields = shape.command(command, output)
        order = [*a_filled_memory.direct(name), host]
        counts.append(a_filled_memory.instructions(order, json.dumps(fields).encode()))
    first = a_filled_memory.instructions(a_filled_memory.direct("post-tool-use"), a_filled_memory.tool())
    assert (counts[-1] - first) / bare <= TRANSLATION, f"{(counts[-1] - first) / bare:.3f} times a bare interpreter"


@pytest.mark.parametrize("event", WITH_FACTS)
def test_an_event_in_a_memory_with_facts_stays_within_a_budget_of_its_own(a_memory_with_facts, bare, event):
    count = least(a_memory_with_facts, a_memory_with_facts.direct(event), events(a_memory_with_facts)[event])
    assert count / bare <= WITH_FACTS[event], f"{event}: {count / 1e6:.1f} million, {count / bare:.3f} times a bare interpreter"


def test_a_stop_that_empties_old_output_stays_within_its_budget(a_filled_memory, bare, tmp_path):
    with memory_of.at_home(tmp_path / "home"):
        place = memory_of.build(tmp_path / "project", 220, 5, memory_of.Words(seed=12))
    hooks = Hooks(place.root, tmp_path / "home", a_filled_memory.python)
    hooks.run(hooks.direct("stop"), stop(hooks))  # so that everything is compiled
    assert hooks.instructions(hooks.direct("stop"), stop(hooks)) / bare <= TRIMMING
    with closing(sqlite3.connect(place.folder + "/memory.db")) as db:
        assert db.execute("SELECT count(*) FROM observations WHERE emptied_at NOT NULL").fetchone()[0] == 2 * retention.BATCH


def test_a_search_that_a_person_types_stays_within_its_budget(a_filled_memory, bare):
    order = a_filled_memory.direct("user-prompt-expansion")
    typed = a_filled_memory.typed("mem-search", "parse the url query string and decode percent quoted values")
    a_filled_memory.run(order, typed)  # so that everything is compiled
    count = least(a_filled_memory, order, typed)
    assert count / bare <= SEARCH, f"{count / 1e6:.1f} million, {count / bare:.3f} times a bare interpreter"


@pytest.mark.parametrize("version", [*protocol.AGREED, *protocol.NAMED])
def test_a_server_that_is_started_and_lists_its_tools_stays_within_its_budget(a_filled_memory, bare, version):
    begins, request = introduction(version), {"jsonrpc": "2.0", "method": "notifications/initialized"}
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begins}, request]
    given = envelope(version) if version in protocol.NAMED else {}
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": given}] if given else lines
    lines.append({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": given})
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    order = a_filled_memory.direct(server.NAME)
    a_filled_memory.run(order, data)  # so that everything is compiled
    count = a_filled_memory.instructions(order, data)
    print(f"{version}: {count / 1e6:.1f} million, {count / bare:.2f} times a bare interpreter")
    assert count / bare <= HANDSHAKE


def test_a_tool_event_takes_at_most_34_million_instructions_under_a_system_python(a_filled_memory, bare):
    count = a_filled_memory.instructions(a_filled_memory.direct("post-tool-use"), a_filled_memory.tool())
    allowed = MILLIONS_OF_A_TOOL_EVENT * 1e6 * max(1, bare / (SYSTEM_PYTHON_MILLIONS * 1e6))
    assert count <= allowed


def test_a_hook_that_does_more_work_costs_more_instructions(a_filled_memory, bare):
    silent = a_filled_memory.instructions(a_filled_memory.direct("no-such-event"), b"")
    assert bare * 0.7 < silent < a_filled_memory.instructions(a_filled_memory.direct("stop"), events(a_filled_memory)["stop"])
