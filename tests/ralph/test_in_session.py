"""The loop in a session: the checks decide at each Stop of its owner whether the agent goes on; nobody else is held up."""

import json
import os
import re
import signal
import subprocess

import pytest

from ralph_mem.ralph import leftovers, rolling_back, runs
from ralph_mem.ralph.record import IN_SESSION
from tests.hook import Hook, said_to_anybody, said_to_model
from tests.ralph.loops import STEPS, Loops
from tests.ralph.snapshot.conftest import tree_of
from tests.ralph.test_stopping import until

START = "start --criteria custom=./check.sh --cooldown 0"
GOAL = '"make it\'s \\"right\\"; $(touch made) `touch made`"'


class Session(Hook):
    """A session in a project of three files that are wrong."""

    def __init__(self, folder):
        super().__init__(folder)
        self.loops = Loops(folder)
        self.start()

    def begin(self, options="", goal=GOAL):
        """A person types `/ralph start` until it begins; returns what the model is told."""
        self.prompt("/ralph-mem:ralph start")
        shown = said_to_anybody(self.typed("ralph", f"{START} {options} {goal}"))
        return said_to_anybody(self.typed("ralph", f"yes {re.search(r'/ralph yes (.{4})', shown)[1]}"))

    def work(self, number):
        """Do what the agent does in an iteration."""
        subprocess.run(["/bin/sh", "-c", STEPS[number]], cwd=self.project, check=True)

    @property
    def run_(self):
        return self.loops.latest()

    @property
    def live(self):
        return runs.live(self.loops.project)


@pytest.fixture
def session(tmp_path):
    return Session(tmp_path)


@pytest.fixture
def at_work(session):
    """A session in which a loop has begun."""
    session.told = session.begin()
    return session


# Beginning


def test_nothing_begins_before_a_person_has_accepted_what_is_run(session):
    session.prompt("/ralph-mem:ralph start")
    shown = said_to_anybody(session.typed("ralph", f"{START} {GOAL}"))
    assert "./check.sh" in shown and "Nothing is begun yet" in shown
    assert session.run_ is None and session.stop() == {}


@pytest.mark.check
def test_the_loop_belongs_to_the_session_that_began_it(at_work):
    assert (at_work.run_.mode, at_work.run_.owner) == (IN_SESSION, at_work.session)
    assert at_work.live.pid == os.getpid() and at_work.live.born == leftovers.born(os.getpid())
    assert "begins in this session" in at_work.told and "- ./check.sh :: one" in at_work.told


@pytest.mark.check
def test_the_goal_is_told_as_it_was_typed_and_runs_nothing(at_work):
    assert 'make it\'s \\"right\\"; $(touch made) `touch made`' in at_work.told
    assert not (at_work.project / "made").exists()


# At each Stop of the owner


@pytest.mark.check
def test_it_goes_on_until_the_checks_pass_and_then_says_so(at_work):
    told = []
    for number in (0, 1, 2):
        at_work.work(number)
        told.append(at_work.stop())
    assert [bool(said_to_model(answer)) for answer in told] == [True, True, False]
    assert "Iteration 2 of 10" in said_to_model(told[0]) and ":: one" not in said_to_model(told[0])
    assert re.match(r"ralph-mem: loop-\w+ success after 3 iterations", told[2]["systemMessage"])
    assert (at_work.run_.status, len(at_work.run_.iterations), at_work.live) == ("success", 3, None)
    assert at_work.stop() == {}


@pytest.mark.check
def test_the_end_without_success_is_said_with_the_next_step(session):
    session.begin("--max-iterations 2")
    session.work(0)
    assert said_to_model(session.stop())
    said = session.stop()["systemMessage"]
    assert "max_iterations" in session.run_.reason and "2 of 2" in said and "resume --max-iterations 4" in said


@pytest.mark.check
def test_afterwards_every_file_is_put_back(session):
    before = tree_of(session.project)
    session.begin()
    for number in (0, 1, 2):
        session.work(number)
        session.bash(STEPS[number])  # as the client tells of it: what no tool explains would be the person's
        session.stop()
    session.loops.back()
    assert tree_of(session.project) == before
    session.loops.back(rolling_back.UNDO)
    assert session.loops.text("three.txt") == "right\n"


@pytest.mark.check
def test_the_prompt_of_the_loop_is_nobodys_words_in_the_memory(at_work):
    at_work.work(0)
    at_work.stop("I mended one.")
    words = at_work.values("SELECT prompt FROM turns")
    assert [text for text in words if "one goal" in text or "check.sh ::" in text] == []


# Who else stops


@pytest.mark.check
def test_another_session_in_the_project_is_left_alone(at_work):
    other = at_work.another()
    other.start()
    other.prompt("Something else")
    assert other.stop() == {} and at_work.run_.iterations == []
    other.end()
    assert at_work.live and said_to_model(at_work.stop())


@pytest.mark.check
def test_without_an_owner_nobody_is_held_up(at_work):
    runs.write_live(at_work.loops.project, at_work.live._replace(owner=""))
    assert at_work.stop() == {}
    nameless = json.loads(at_work.event("Stop", last_assistant_message="Done.", stop_hook_active=False, background_tasks=[]))
    assert at_work.send("Stop", json.dumps({**nameless, "session_id": ""}).encode()) == {}
    assert at_work.run_.iterations == []


@pytest.mark.check
def test_a_subagent_of_the_owner_is_not_held_up(at_work):
    assert at_work.subagent_stop("I looked.") == {}
    assert at_work.stop(agent_id="a0401f69919addc6e") == {} and at_work.run_.iterations == []


@pytest.mark.check
@pytest.mark.parametrize("waiting", [{"background_tasks": [{"id": "b1", "type": "bash"}]}, {"session_crons": [{"id": "c1"}]}])
def test_while_the_client_has_work_in_the_background_it_waits(at_work, waiting):
    event = {"last_assistant_message": "It runs.", "stop_hook_active": False, "background_tasks": [], **waiting}
    assert at_work.fire("Stop", **event) == {} and at_work.run_.iterations == []
    assert said_to_model(at_work.stop()) and len(at_work.run_.iterations) == 1


@pytest.mark.check
def test_the_end_of_a_background_task_begins_a_turn_of_the_same_work(at_work):
    at_work.prompt("<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>")
    assert said_to_model(at_work.stop()) and len(at_work.run_.iterations) == 1


@pytest.mark.check
def test_a_turn_of_the_persons_own_after_esc_is_not_held_up(at_work):
    at_work.prompt("Wait, what does check.sh do?")
    assert at_work.stop() == {} and at_work.run_.iterations == []
    assert at_work.run_.status == "running"


# Recording that is switched off meanwhile


@pytest.mark.check
@pytest.mark.parametrize("act", ["touch .ralph-mem/off", "echo 'recording: off' >.ralph-mem/config.yaml"])
def test_an_agent_that_switches_recording_off_does_not_end_the_loop_and_the_person_is_told_once(at_work, act):
    subprocess.run(["/bin/sh", "-c", act], cwd=at_work.project, check=True)
    first, second = at_work.stop(), at_work.stop()
    assert "Iteration 2 of 10" in said_to_model(first) and "Iteration 3 of 10" in said_to_model(second)
    assert "recording was switched off" in first["systemMessage"] and "systemMessage" not in second


@pytest.mark.check
def test_a_prompt_of_the_persons_takes_over_and_the_end_of_the_session_ends_it_while_recording_is_off(at_work):
    (at_work.memory / "off").touch()
    at_work.prompt("Wait, what does check.sh do?")
    assert at_work.stop() == {} and at_work.run_.iterations == []
    at_work.end()
    assert (at_work.run_.reason, at_work.live) == ("owner_lost", None)


# How it ends before its time


@pytest.mark.check
def test_it_is_gone_with_its_session(at_work):
    at_work.end()
    assert (at_work.run_.status, at_work.run_.reason, at_work.live) == ("stopped", "owner_lost", None)
    assert at_work.stop() == {}


@pytest.mark.check
def test_a_client_that_was_killed_leaves_a_loop_that_is_interrupted_and_stands_in_nobodys_way(at_work):
    gone = subprocess.Popen(["true"])
    gone.wait()
    runs.write_live(at_work.loops.project, at_work.live._replace(pid=gone.pid, born=1))
    assert at_work.run_.status == "interrupted"
    assert at_work.loops.start(*STEPS).status == "success"


@pytest.mark.check
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="this system does not show the environment of a process")
def test_a_hook_that_is_killed_takes_along_what_its_checks_have_started(session):
    session.loops.write("check.sh", "#!/bin/sh\n[ ! -e slow ] || sleep 60 >../slept\ngrep -q right one.txt\n")
    session.begin()
    session.loops.write("slow", "")
    with session.open("Stop", stdin=subprocess.PIPE, start_new_session=True) as hook:
        hook.stdin.write(session.event("Stop", last_assistant_message="Done.", stop_hook_active=False, background_tasks=[]))
        hook.stdin.close()
        until((session.folder / "slept").exists)
        os.killpg(hook.pid, signal.SIGKILL)
    until(lambda: not session.left_behind())


@pytest.mark.check
def test_the_person_stops_it_and_the_next_stop_is_nothing_special(at_work):
    at_work.work(0)
    assert "stopped" in said_to_anybody(at_work.typed("ralph", "stop"))
    assert (at_work.run_.reason, at_work.live) == ("user_stop", None) and at_work.stop() == {}


@pytest.mark.check
def test_it_goes_on_in_another_session_which_then_owns_it(at_work):
    at_work.work(0)
    at_work.stop()
    at_work.end()
    other = at_work.another()
    other.start()
    other.prompt("/ralph-mem:ralph resume")
    assert "goes on in this session, with iteration 2" in said_to_anybody(other.typed("ralph", "resume"))
    at_work.work(1)
    at_work.work(2)
    assert "success after 2 iterations" in other.stop()["systemMessage"] and at_work.run_.owner == other.session


@pytest.mark.check
def test_a_snapshot_that_fails_ends_the_loop_and_says_so(at_work):
    folder = next((at_work.data / "snapshots").iterdir())
    (folder / "store.db").write_bytes(b"no database at all" * 500)
    said = at_work.stop()["systemMessage"]
    assert at_work.run_.reason == "snapshot_failed" and "a snapshot could not be taken" in said and at_work.live is None


@pytest.mark.check
def test_the_person_hands_it_back_after_they_took_over(at_work):
    at_work.prompt("Wait, what does check.sh do?")
    assert at_work.stop() == {}
    at_work.prompt("/ralph-mem:ralph resume")
    assert "goes on in this session, with iteration 1" in said_to_anybody(at_work.typed("ralph", "resume"))
    at_work.work(0)
    assert "Iteration 2 of 10" in said_to_model(at_work.stop())
