"""A plan worked through in a session: the task at hand is told at each stop, and is done by our run alone."""

import subprocess

import pytest

from tests.hook import answer_of, said_to_anybody, said_to_model
from tests.ralph.clients import Session
from tests.ralph.loops import GOAL, STEPS
from tests.ralph.tasks.test_loop import PLAN, TICKED, TICKS_ALL, done


@pytest.fixture
def session(tmp_path):
    session = Session(tmp_path)
    session.loops.write("plan.md", PLAN)
    session.start()
    return session


def begin(session):
    session.prompt("/ralph-mem:ralph start")
    shown = said_to_anybody(session.types(f"start --plan plan.md --criteria custom=./check.sh --cooldown 0 {GOAL}"))
    assert "task 2: The second is right" in shown and "custom: grep -q right two.txt" in shown
    return said_to_anybody(session.types(f"yes {shown.partition('/ralph yes ')[2][:4]}"))


def work(session, step):
    subprocess.run(["/bin/sh", "-c", step], cwd=session.project, check=True)
    # not by `stop`, which holds that a hook touches no file of the project: boxes of a plan are ticked
    said = session.event("Stop", last_assistant_message="Done.", stop_hook_active=False, background_tasks=[])
    ran = session.run("Stop", said)
    assert (ran.code, ran.err) == (0, b"")
    return answer_of("Stop", ran.out)


@pytest.mark.check
def test_a_session_works_through_a_plan_and_a_ticked_box_is_nothing(session):
    assert "Task 1 of 3, the one to work at now: The first is right" in begin(session)
    assert "Task 1 of 3" in said_to_model(work(session, TICKS_ALL))
    assert session.loops.text("plan.md") == PLAN
    assert "Task 2 of 3, the one to work at now: The second is right" in said_to_model(work(session, STEPS[0]))
    work(session, STEPS[1])
    assert "success" in work(session, STEPS[2])["systemMessage"]
    assert (session.loops.text("plan.md"), done(session.latest())) == (TICKED, [1, 2, 3])


def test_a_plan_in_yaml_is_read_without_a_package(session):
    session.loops.write("plan.yaml", "- title: The first is right\n  check: grep -q right one.txt\n")
    shown = said_to_anybody(session.types(f"start --plan plan.yaml --criteria custom=./check.sh {GOAL}"))
    assert "task 1: The first is right" in shown and "Nothing is begun yet" in shown


def test_a_plan_that_a_person_changed_is_gone_on_with_in_the_session_once_they_accept_it(session):
    begin(session)
    work(session, STEPS[0])
    assert "stop ends it, then /ralph resume --plan plan.md" in said_to_anybody(session.types("resume --plan plan.md"))
    session.types("stop")
    session.loops.write("plan.md", PLAN.replace("right two.txt", "good two.txt"))
    session.prompt("/ralph-mem:ralph resume")
    shown = said_to_anybody(session.types("resume --plan plan.md"))
    assert "custom: grep -q good two.txt" in shown and session.latest().reason == "user_stop"
    said = said_to_anybody(session.types(f"yes {shown.partition('/ralph yes ')[2][:4]}"))
    assert "Task 2 of 3, the one to work at now: The second is right\n- check: grep -q good two.txt" in said
    assert done(session.latest()) == [1]


def test_a_draft_of_a_plan_is_refused_with_the_command_that_makes_it(session):
    said = said_to_anybody(session.types('plan --from "Make all right" --plan new.md'))
    assert 'in a terminal: ralph-mem ralph plan --from "Make all right" --plan new.md' in said
    assert not (session.project / "new.md").exists()
