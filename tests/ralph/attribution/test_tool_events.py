"""In a session a rollback takes what the agent's recorded tools explain, and keeps and names what they do not."""

import time

import pytest

from ralph_mem.ralph.attribution.tool_events import ToolEvents
from ralph_mem.ralph.snapshot import MEANWHILE
from tests.ralph.clients import Session
from tests.ralph.loops import kept, names

S = 1_000_000_000
NOON_MS = 1_767_268_800_000
NOON = NOON_MS * 1_000_000


@pytest.fixture
def session(tmp_path):
    return Session(tmp_path)


def agent(session, name, text="right\n"):
    """Let the agent edit a file with its tool."""
    session.loops.write(name, text)
    session.edit(name, "wrong", text)


@pytest.mark.check
def test_a_rollback_takes_what_the_agent_edited_and_ran_and_keeps_what_the_person_did(session):
    session.loops.write("mine.txt", "before")
    session.begins()
    agent(session, "one.txt")
    session.loops.write("two.txt", "right\n")
    session.bash("sed -i s/wrong/right/ two.txt")
    time.sleep(1.5)
    session.loops.write("mine.txt", "edited by the person")
    time.sleep(1.2)
    session.stop()
    run = session.latest()
    assert sorted(change[0] for change in run.iterations[0].changed) == ["one.txt", "two.txt"]
    session.types("stop")
    report = session.loops.back()
    assert names(report.restored) == ["one.txt", "two.txt"] and kept(report) == {"mine.txt": MEANWHILE}
    assert session.loops.text("mine.txt") == "edited by the person"


# Which change what explains, with a command of two seconds that ended at noon and an edit a minute before.
USED = [("src/a.py", "src/a.py", None, NOON_MS - 60_000), ("make all", "", '{"ms": 2000}', NOON_MS)]
BACKGROUND = [("sleep 60; echo later > later.txt", "", '{"runs_on": true}', NOON_MS)]
LONG = [("pytest tests/test_b.py", "", '{"ms": 60000}', NOON_MS)]


@pytest.mark.parametrize(
    ("used", "name", "at", "explained"),
    [
        (USED, "src/a.py", NOON - 60 * S, True),
        (USED, "src/a.py", NOON - 50 * S, False),
        (USED, "src/b.py", NOON - 1 * S, True),
        (USED, "src/b.py", NOON - 30 * S, False),
        (USED, "src/b.py", NOON + 1 * S, False),
        (LONG, "src/b.py", NOON - 30 * S, False),
        (BACKGROUND, "later.txt", NOON + 60 * S, True),
        (BACKGROUND, "mine.txt", NOON + 60 * S, False),
        (LONG, "tests/test_b.py", NOON - 30 * S, True),
        ([], "src/a.py", NOON, False),
        ([], "left-by-checks", NOON - 101 * S, True),
    ],
)
def test_a_change_is_the_agents_where_a_tool_was_at_work_on_it_just_then(used, name, at, explained):
    assert ToolEvents(used, "/shop", NOON - 100 * S).explains(f"/shop/{name}", at, gone=False) is explained


def test_what_is_gone_is_the_agents_where_a_command_was_at_work_on_its_folder(session):
    events = ToolEvents(USED, "/shop", 0)
    assert events.explains("/shop/src/b.py", NOON - S, gone=True) and not events.explains(
        "/shop/src/a.py", NOON - 59 * S, gone=True
    )
