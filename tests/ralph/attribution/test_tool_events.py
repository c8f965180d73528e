"""In a session a rollback takes what the agent's recorded tools explain, and keeps and names what they do not."""

import shutil
import time

import pytest

from ralph_mem.ralph import rollback_lines, rolling_back, runs
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


# Of an iteration that was cut off


@pytest.fixture
def killed(session):
    """A session whose client was killed in the first iteration, in which its agent had edited one file, the person another."""
    session.loops.write("mine.txt", "before")
    session.start()
    session.begins()
    agent(session, "one.txt")
    time.sleep(1.2)
    session.loops.write("mine.txt", "edited by the person")
    leave(session)
    return session


def leave(session):
    """Have the client of a session gone without a word."""
    project = session.loops.project
    runs.write_live(project, runs.live(project)._replace(pid=2**22 + 1, born=1))


@pytest.mark.check
def test_a_rollback_takes_what_the_agent_had_edited_before_its_client_was_killed(killed):
    _what, plan = rolling_back.preview_rollback(killed.loops.project, killed.loops.values(), killed.latest(), rolling_back.START)
    report = killed.loops.back()
    assert names(report.restored) == ["one.txt"] == names(action.path for action in plan.actions)
    assert kept(report) == {"mine.txt": MEANWHILE} and killed.loops.text("mine.txt") == "edited by the person"
    lines = rollback_lines.rolled_back("the start", report, killed.latest())
    assert f"Iteration 1 was cut off: {rollback_lines.UNHEARD}" in lines


@pytest.mark.check
def test_what_the_person_wrote_into_a_file_of_the_agents_after_the_kill_stays_theirs(killed):
    time.sleep(0.2)
    killed.loops.write("one.txt", "mine in the end")
    assert killed.loops.back().restored == [] and killed.loops.text("one.txt") == "mine in the end"


@pytest.mark.check
def test_what_a_person_then_has_the_agent_of_the_same_session_do_is_not_the_loops(killed):
    killed.start("resume")
    killed.prompt("Please mend two")
    agent(killed, "two.txt")
    assert names(killed.loops.back().restored) == ["one.txt"] and killed.loops.text("two.txt") == "right\n"


@pytest.mark.check
def test_a_run_that_goes_on_in_another_session_knows_it_as_well_and_so_does_its_second_kill(killed):
    other = killed.another()
    other.start()
    other.types("resume")
    agent(other, "two.txt")
    leave(other)
    third = killed.another()
    third.start()
    third.types("resume")
    agent(third, "three.txt")
    third.stop()
    assert {change[0] for change in killed.latest().iterations[0].changed} == {"one.txt", "two.txt", "three.txt"}
    report = killed.loops.back()
    assert names(report.restored) == ["one.txt", "three.txt", "two.txt"] and kept(report) == {"mine.txt": MEANWHILE}


@pytest.mark.check
def test_what_the_agent_edited_before_esc_is_the_loops_once_the_person_hands_it_back(session):
    session.start()
    session.begins()
    agent(session, "one.txt")
    session.prompt("Wait, what does check.sh do?")
    session.stop()
    session.types("resume")
    agent(session, "two.txt")
    session.stop()
    session.types("stop")
    assert names(session.loops.back().restored) == ["one.txt", "two.txt"]


@pytest.mark.check
def test_where_nothing_is_remembered_any_more_all_is_kept_and_the_way_back_is_named(killed):
    shutil.rmtree(killed.memory)
    project, values, run = killed.loops.project, killed.loops.values(), killed.latest()
    shown = [
        rollback_lines.rollback_preview(*rolling_back.preview_rollback(project, values, run, "start", force), run)
        for force in (0, 1)
    ]
    assert "--force takes that back too" in shown[0][-1] and "cut off" not in "".join(shown[1])
    lines = rollback_lines.rolled_back("the start", killed.loops.back(), run)
    assert lines[0].startswith("Nothing goes back to the start: 0 restored") and "--undo" not in "".join(lines)
    assert "--force takes that back too" in lines[-1]


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
