"""The guard: the checks are run once at the end of each turn, and what fails is put into the session."""

import re

import pytest

from ralph_mem.ralph import rolling_back, runs
from tests.hook import Hook, said_to_anybody, said_to_model
from tests.ralph.loops import Loops, git

GUARD = "guard --criteria custom=./check.sh"


@pytest.fixture
def guarded(tmp_path):
    """A session with a guard, in a project of three files that are wrong."""
    hook = Hook(tmp_path)
    hook.loops = Loops(tmp_path)
    hook.start()
    hook.prompt("/ralph-mem:ralph guard")
    code = re.search(r"/ralph yes (\w{4})", said_to_anybody(hook.typed("ralph", GUARD)))[1]
    assert "at the end of each turn" in said_to_anybody(hook.typed("ralph", f"yes {code}"))
    return hook


def mend(hook, *names):
    for name in names:
        hook.loops.write(f"{name}.txt", "right\n")


@pytest.mark.check
def test_what_fails_is_told_at_the_end_of_a_turn_and_the_turn_is_held_up_once(guarded):
    mend(guarded, "one")
    guarded.prompt("Please mend two")
    told = said_to_model(guarded.stop())
    assert ":: two" in told and "not ok 3 - three" in told and ":: one" not in told
    assert guarded.fire("Stop", last_assistant_message="Done.", stop_hook_active=True, background_tasks=[]) == {}


@pytest.mark.check
def test_every_turn_of_the_session_is_looked_at_whoever_began_it(guarded):
    for words in ("Please mend two", "And what about three?"):
        guarded.prompt(words)
        assert ":: three" in said_to_model(guarded.stop())


@pytest.mark.check
def test_where_all_checks_pass_nothing_is_said(guarded):
    mend(guarded, "one", "two", "three")
    guarded.prompt("Is it done?")
    assert guarded.stop() == {}


@pytest.mark.check
def test_an_agent_that_switches_recording_off_does_not_end_it_and_the_person_is_told(guarded):
    (guarded.memory / "off").touch()
    answer = guarded.stop()
    assert ":: one" in said_to_model(answer) and "recording was switched off since the guard began" in answer["systemMessage"]


@pytest.mark.check
def test_other_sessions_and_subagents_are_left_alone(guarded):
    other = guarded.another()
    other.start()
    other.prompt("Something else")
    assert other.stop() == {} and guarded.subagent_stop("I looked.") == {}


@pytest.mark.check
def test_it_changes_no_file_and_is_no_run_to_look_at(guarded):
    guarded.stop()
    assert guarded.loops.text("one.txt") == "wrong\n" and guarded.loops.latest() is None


@pytest.mark.check
def test_its_status_says_what_fails_and_once_it_is_off_that_it_is(guarded):
    before = said_to_anybody(guarded.typed("ralph", "status"))
    guarded.stop()
    on = said_to_anybody(guarded.typed("ralph", "status"))
    guarded.typed("ralph", "guard off")
    off = said_to_anybody(guarded.typed("ralph", "status"))
    assert "  guard  on: " in before and "its checks have not run yet" in before
    assert "3 failing" in on and ":: two" in on and "next: `/ralph guard off` ends it" in on
    assert "  guard  switched off" in off and ":: two" in off and "resume" not in off + on and "iteration" not in off + on


@pytest.mark.check
def test_it_is_gone_when_it_is_switched_off(guarded):
    assert "is off" in said_to_anybody(guarded.typed("ralph", "guard off"))
    assert guarded.stop() == {} and runs.live(guarded.loops.project) is None


@pytest.mark.check
def test_it_is_gone_with_its_session(guarded):
    guarded.end()
    assert runs.live(guarded.loops.project) is None


@pytest.mark.check
@pytest.mark.parametrize("killed", [False, True])
def test_that_it_ended_with_its_session_is_told_to_the_next_one_and_said_by_its_status(guarded, killed):
    if killed:
        runs.write_live(guarded.loops.project, runs.live(guarded.loops.project)._replace(pid=2**22 + 1, born=1))
    else:
        guarded.end()
    guarded.environment["CLAUDE_CODE_SESSION_ATTENDED"] = "1"
    assert "the guard has ended with its session; /ralph guard" in guarded.start("resume")["systemMessage"]
    assert "  guard  ended with its session" in said_to_anybody(guarded.typed("ralph", "status"))
    assert "There is no guard in this session" in said_to_anybody(guarded.typed("ralph", "guard off"))


# Git


@pytest.mark.check
def test_what_git_lost_in_a_turn_is_said_and_comes_back_while_commits_are_no_news(guarded):
    top = guarded.loops.top
    guarded.typed("ralph", "guard off")
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "first")
    git(top, "branch", "side")
    code = re.search(r"/ralph yes (\w{4})|at the end of each turn", said_to_anybody(guarded.typed("ralph", GUARD)))
    assert code
    guarded.prompt("Please commit")
    git(top, "commit", "-qm", "as asked", "--allow-empty")
    assert "systemMessage" not in guarded.stop()
    guarded.prompt("Please tidy up")
    git(top, "branch", "-D", "side")
    said = guarded.stop()["systemMessage"]
    assert "git: branch side" in said and "deleted" in said
    run = next(each for each in runs.all(guarded.loops.project)[::-1] if each.id in said)
    guarded.typed("ralph", "guard off")
    report = rolling_back.roll_back(guarded.loops.project, guarded.loops.values(), run, rolling_back.START, git=True)[1]
    assert [verb for verb, line in report.git if "branch side" in line] == ["git", "git"]
    assert b"side" in git(top, "branch") and git(top, "log", "-1", "--format=%s") == b"as asked\n"
