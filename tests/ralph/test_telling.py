"""What a person is told of a loop: a line a round where it runs, and its end once wherever they are."""

import json
import re
import sys

import pytest

from ralph_mem.core import news
from ralph_mem.ralph import runs, telling
from ralph_mem.ralph.record import fold
from ralph_mem.ralph.telling import notify
from tests import clock
from tests.hook import Hook, said_to_model
from tests.ralph.conftest import MINUTE, NOON, a_run, failing_tests, iteration
from tests.ralph.loops import STEPS, Loops
from tests.ralph.test_in_session import Session

END = re.compile(r"(loop-\w{8} success after 3 rounds: every criterion passed; /ralph status says more)")


def shown(answer):
    return answer.get("systemMessage", "")


# Each round


@pytest.fixture
def attended(tmp_path):
    """A session with somebody in front of it, in which a loop has begun."""
    session = Session(tmp_path)
    session.environment["CLAUDE_CODE_SESSION_ATTENDED"] = "1"
    session.begin()
    return session


@pytest.mark.check
def test_each_round_says_what_fails_and_what_did_before(attended):
    lines = []
    for number in (0, 1, 2):
        attended.work(number)
        lines.append(shown(attended.stop()))
    assert lines[:2] == ["ralph-mem: loop 1/10: 2 of 3 failing, was 3", "ralph-mem: loop 2/10: 1 of 3 failing, was 2"]
    assert re.match(
        r"ralph-mem: loop-\w{8} success after 3 iterations: every criterion passed; look at .*`/ralph rollback`", lines[2]
    )


@pytest.mark.check
def test_a_round_in_which_nothing_changed_says_no_number_twice(attended):
    attended.stop()
    assert shown(attended.stop()) == "ralph-mem: loop 2/10: 3 of 3 failing"


def test_where_nobody_looks_no_round_is_told(tmp_path):
    session = Session(tmp_path)
    session.begin()
    assert list(session.stop()) == ["hookSpecificOutput"]


def test_a_round_tells_the_model_what_fails_now_and_not_again_what_it_knows(attended):
    attended.work(0)
    told = said_to_model(attended.stop("I did what I could."))
    assert "Iteration 2 of 10." in told and "\n- two\n" in told and "not ok 3 - three" in told
    assert [part for part in ("<goal-", "Rules", "all of which have to pass", "I did what I could.") if part in told] == []


@pytest.mark.check
def test_after_a_compaction_the_next_round_is_told_as_a_whole_again(attended):
    attended.start(source="compact")
    attended.another().start(source="compact")  # of somebody else
    first, second = (said_to_model(attended.stop()) for _ in range(2))
    assert "<goal-" in first and "Rules" in first and "<goal-" not in second


def test_a_status_line_knows_the_round(attended):
    before = attended.live
    attended.work(0)
    attended.stop()
    assert [(live.round, live.most, live.failing) for live in (before, attended.live)] == [(1, 10, 3), (2, 10, 2)]


def test_a_line_counts_checks_that_name_no_test():
    verdict = {"type": "custom", "name": "./run.sh", "status": "failed"}
    first, second = [verdict, {**verdict, "name": "b"}], [verdict, {**verdict, "name": "b", "status": "passed"}]
    entries = [{"what": "start", "id": "loop-1", "at": 1}, {"what": "baseline", "verdicts": first}]
    run = fold([*entries, {"what": "iteration", "number": 1, "verdicts": second}])
    assert telling.round_in_words(run) == "loop 1/10: 1 of 2 failing, was 2"


# The end of a loop that ran elsewhere


@pytest.fixture
def elsewhere(tmp_path):
    """A project in which a headless loop has come to its end; sessions in it are begun with `another`."""
    hook = Hook(tmp_path)
    hook.start()
    loops = Loops(tmp_path)
    hook.ended = loops.start(*STEPS)
    return hook


EVENTS = {
    "start": lambda session: session.start(),
    "prompt": lambda session: session.prompt("Go on with the lamp"),
    "stop": lambda session: session.stop("Done."),
}


@pytest.mark.check
@pytest.mark.parametrize("event", EVENTS)
def test_the_next_event_of_a_session_says_how_it_ended(elsewhere, event):
    assert END.search(shown(EVENTS[event](elsewhere.attended())))


@pytest.mark.check
def test_it_is_said_once_and_to_nobody_who_does_not_look(elsewhere):
    assert "loop-" not in shown(elsewhere.another().start())
    assert "loop-" not in shown(elsewhere.another(CLAUDE_CODE_SESSION_ATTENDED="1", RALPH_MEM_LOOP="loop-1/1").prompt("x"))
    one, other = elsewhere.attended(), elsewhere.attended()
    assert elsewhere.ended.id in shown(one.prompt("And the lamp?"))
    assert "loop-" not in shown(one.stop()) + shown(other.start())


def test_several_ends_are_said_in_one_line_that_can_be_printed(elsewhere):
    for line in ("loop-2 failed", "loop-3 \x1b[31mfailed"):
        news.tell(str(elsewhere.project), line)
    said = shown(elsewhere.attended().prompt("Where is the lamp?"))
    assert said.endswith("; loop-2 failed; loop-3 [31mfailed") and END.search(said) and said.isprintable()


def test_a_loop_whose_session_has_gone_is_told_of_in_the_next_one(attended):
    attended.end()
    said = shown(attended.attended().start())
    assert re.search(r"loop-\w{8} stopped after 0 rounds: the session that owned the loop has ended; /ralph status", said)


@pytest.mark.check
@pytest.mark.parametrize("event", EVENTS)
def test_a_loop_whose_client_was_killed_is_told_of_once(attended, event):
    other, third = attended.attended(), attended.attended()
    assert "loop-" not in shown(other.start()) + shown(other.prompt("Anything new?")) + shown(other.stop())
    runs.write_live(attended.loops.project, attended.live._replace(pid=2**22 + 1, born=1))
    said = shown(EVENTS[event](other))
    assert re.search(r"loop-\w{8} interrupted in iteration 1: its client is gone; /ralph status says more", said)
    assert attended.run_.status == "interrupted" and "loop-" not in shown(third.start())


@pytest.mark.check
def test_a_stop_that_outlives_its_client_takes_the_line_from_nobody(attended):
    runs.write_live(attended.loops.project, attended.live._replace(pid=2**22 + 1, born=1))
    assert "interrupted" not in shown(attended.stop())
    assert "interrupted in iteration 2" in shown(attended.attended().start())


def test_a_loop_in_the_background_that_was_killed_is_told_of_and_its_clock_stands_where_it_was_heard_of_last(a_tree):
    runs.create(a_tree, "loop-1", {"at": NOON})
    runs.write_live(a_tree, runs.Live("loop-1", "headless", "", 1, 1, "", NOON + MINUTE))
    telling.of_gone(a_tree)
    assert news.take(a_tree.root).startswith("loop-1 interrupted before its first iteration: its process is gone")
    assert runs.live(a_tree) is None and runs.latest(a_tree).elapsed_ms(NOON + 99 * MINUTE) == MINUTE


def test_a_plain_event_does_not_look_at_what_waits(elsewhere):
    assert elsewhere.attended().bash("make", "ok") == {}
    assert news.take(str(elsewhere.project))


# A command of the user hears of a run, and can do the loop no harm


@pytest.fixture
def a_command(tmp_path):
    """Return how to make a command of some Python."""

    def make(code):
        path = tmp_path / "notify.py"
        path.write_text(code)
        return [sys.executable, str(path)]

    return make


def test_the_command_reads_the_facts_on_stdin(a_command, tmp_path):
    run = a_run(iteration(1, failing_tests(2)), baseline=[failing_tests(3)], goal='say "hi"; $(touch owned) `id`\n\'')
    facts = {**telling.facts(run, NOON), "folder": str(tmp_path)}
    command = a_command("import sys, pathlib; pathlib.Path('heard').write_text(sys.stdin.read())")
    assert notify(command, facts) == ""
    assert json.loads((tmp_path / "heard").read_text()) == json.loads(json.dumps(facts))
    assert not (tmp_path / "owned").exists()


def test_a_command_that_fails_is_a_line(a_command, tmp_path):
    assert notify(a_command("raise SystemExit(3)"), {"folder": str(tmp_path)}) == "the notify command ended with 3"


def test_a_command_that_does_not_read_its_input_is_no_failure(a_command, tmp_path):
    assert notify(a_command("pass"), {"goal": "x" * 1_000_000, "folder": str(tmp_path)}) == ""


def test_a_command_that_hangs_is_ended(a_command, tmp_path):
    watch = clock.Watch()
    said = notify(a_command("import time; time.sleep(60)"), {"folder": str(tmp_path)}, seconds=0.3)
    assert said == "the notify command took longer than 0.3 s and was ended" and watch.free() < 10


@pytest.mark.parametrize("command", [["/nowhere/notify"], [], [""]])
def test_a_command_that_cannot_be_started_is_a_line(command, tmp_path):
    assert notify(command, {"folder": str(tmp_path)}).startswith("the notify command c")


def test_a_folder_that_is_gone_is_a_line(a_command):
    assert notify(a_command("pass"), {"folder": "/nowhere"}).startswith("the notify command could not be started")
