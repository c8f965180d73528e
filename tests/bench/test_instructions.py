"""What an event may cost, in instructions beside a bare interpreter's: a count that no load and no clock moves."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.memory import access, opening
from ralph_mem.memory.rows import retention
from tests.bench import memory_of
from tests.bench.processes import Hooks, has, interpreter

BUDGET = json.loads(Path(__file__).with_name("budget.json").read_text())
MILLIONS_OF_A_TOOL_EVENT = 34
TRIMMING = 1.76  # a Stop while old output is due to be emptied, beside a bare interpreter
SYSTEM_PYTHON_MILLIONS = 21.5  # a distribution's own build; others start with up to twice as many

pytestmark = [
    pytest.mark.check,  # valgrind takes fifty times as long
    pytest.mark.skipif(not has("valgrind"), reason="valgrind is not installed, so no instructions can be counted"),
]


@pytest.fixture(scope="module")
def a_filled_memory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("instructions")
    with memory_of.at_home(folder / "home"):
        place = memory_of.build(folder / "project", 300, 4, memory_of.Words(seed=11))
        memory_of.empty_what_is_due(place)
        opened = opening.open_ready(place)
        access.rewrite(opened)  # or each Stop would merge a piece of what that left
        opened.close()
    hooks = Hooks(place.root, folder / "home", interpreter())
    hooks.run(hooks.direct("session-start"), hooks.event("SessionStart", source="startup"))
    for event, data in events(hooks).items():
        hooks.run(hooks.direct(event.split()[0]), data)  # so that everything is compiled
    with closing(sqlite3.connect(place.folder + "/memory.db")) as db:
        assert db.execute("SELECT count(*) FROM turns").fetchone()[0] > 300  # not set aside for an empty one
    return hooks


@pytest.fixture(scope="module")
def bare(a_filled_memory):
    return a_filled_memory.instructions([a_filled_memory.python, "-I", "-S", "-c", "pass"], b"")


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
    }


def stop(hooks):
    return hooks.event("Stop", last_assistant_message="The parser decodes quoted values now.", stop_hook_active=False)


@pytest.mark.parametrize("event", BUDGET)
def test_an_event_stays_within_its_budget(a_filled_memory, bare, event):
    count = a_filled_memory.instructions(a_filled_memory.direct(event.split()[0]), events(a_filled_memory)[event])
    assert count / bare <= BUDGET[event], f"{event}: {count / 1e6:.1f} million, {count / bare:.3f} times a bare interpreter"


def test_a_stop_that_empties_old_output_stays_within_its_budget(a_filled_memory, bare, tmp_path):
    with memory_of.at_home(tmp_path / "home"):
        place = memory_of.build(tmp_path / "project", 220, 5, memory_of.Words(seed=12))
    hooks = Hooks(place.root, tmp_path / "home", a_filled_memory.python)
    hooks.run(hooks.direct("stop"), stop(hooks))  # so that everything is compiled
    assert hooks.instructions(hooks.direct("stop"), stop(hooks)) / bare <= TRIMMING
    with closing(sqlite3.connect(place.folder + "/memory.db")) as db:
        assert db.execute("SELECT count(*) FROM observations WHERE emptied_at NOT NULL").fetchone()[0] == 2 * retention.BATCH


def test_a_tool_event_takes_at_most_34_million_instructions_under_a_system_python(a_filled_memory, bare):
    count = a_filled_memory.instructions(a_filled_memory.direct("post-tool-use"), a_filled_memory.tool())
    allowed = MILLIONS_OF_A_TOOL_EVENT * 1e6 * max(1, bare / (SYSTEM_PYTHON_MILLIONS * 1e6))
    assert count <= allowed


def test_a_hook_that_does_more_work_costs_more_instructions(a_filled_memory, bare):
    silent = a_filled_memory.instructions(a_filled_memory.direct("no-such-event"), b"")
    assert bare * 0.7 < silent < a_filled_memory.instructions(a_filled_memory.direct("stop"), events(a_filled_memory)["stop"])
