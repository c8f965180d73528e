"""Whoever watches a run sees what its agent does, how it stands, and each thing that happens once."""

import posix
import re
import threading

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import runs
from ralph_mem.ralph.record import HEADLESS, IN_SESSION
from ralph_mem.ralph.runs import Live
from ralph_mem.ralph.watching import steering, transcript, view
from tests import clock
from tests.ralph.conftest import NOON, a_run, failing_tests, iteration
from tests.ralph.loops import STEPS
from tests.ralph.made import a_plan

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
SPEAKING = f"echo mending one; echo {SECRET}; until [ -e ../seen ]; do sleep 0.05; done; "


def seen(run, doing=(), pauses=False):
    return view.Seen(run, list(doing), pauses, run.last_seen)


def test_what_the_agent_does_is_seen_from_outside_without_secrets_and_gone_afterwards(loops):
    found = []

    def look():
        clock.wait_for(lambda: loops.latest() and runs.live(loops.project), 20)
        watcher = view.Watcher(loops.project, loops.values())
        found.append(clock.wait_for(lambda: "mending one" in "".join(watcher.look().doing) and watcher.look(), 20))
        (loops.folder / "seen").touch()

    thread = threading.Thread(target=look)
    thread.start()
    run = loops.start(SPEAKING + STEPS[0], *STEPS[1:])
    thread.join()
    assert "mending one" in found[0].doing and SECRET not in str(found[0].doing) and not view.is_over(found[0])
    assert not list(loops.folder.rglob(f"{run.id}.{runs.ACTIVITY}"))


def test_the_frame_tells_iteration_checks_cost_time_left_and_what_goes_on():
    run = a_run(iteration(1, failing_tests(2), tokens=900, changed=[["a.py", "changed"]]), baseline=[failing_tests(5)], cost=2.0)
    run.begun = 2
    told = dict(view.frame(seen(run, ["Edit: a.py", "Bash: pytest"])))
    assert told["loop-1"] == "iteration 2 of 10" and told["checks"] == "pytest 2 failing of 40"
    assert "900 tokens, $0.10 of $2.00" in told["spent"] and re.search(r"\d+ min and 9 iterations left$", told["spent"])
    assert told["done"] == "1  pytest 2 failing of 40  2 min $0.10 900 tokens  1 file: a.py"
    assert (told["now"], told[""]) == ("Edit: a.py", "Bash: pytest")


def test_of_a_run_that_pauses_the_frame_does_not_tell_what_its_agent_did_before():
    run = a_run(iteration(1, failing_tests(2)), baseline=[failing_tests(5)])
    run.add({"what": "paused", "at": run.last_seen})
    assert dict(view.frame(seen(run, ["checking: pytest"])))["now"] == steering.SAYS


def test_the_task_at_work_is_named_in_the_frame_and_where_its_iteration_begins():
    run = a_run(baseline=[failing_tests(5)])
    run.plan, run.task_log = a_plan("Read the code", "Mend the \x1b[31mtax"), [{"done": ["key-1"]}]
    run.begun = 1
    assert dict(view.frame(seen(run)))["task"] == "2 of 2: Mend the tax"
    (begun,) = view.news(None, seen(run))
    assert begun.text.endswith("iteration 1 of 10, task 2 of 2: Mend the tax") and begun.facts["task"] == 2


def test_each_thing_that_happens_is_told_once():
    first, second = a_run(baseline=[failing_tests(5)]), a_run(iteration(1, failing_tests(2)), baseline=[failing_tests(5)])
    second.add({"what": "hint", "at": NOON, "text": "mind the gap"})
    events = view.news(seen(first, ["a", "b"]), seen(second, ["b", "c"]))
    assert [event.what for event in events] == ["begun", "judged", "hint", "doing"] and events[-1].text == "  c"
    assert view.news(seen(second, ["b", "c"]), seen(second, ["b", "c"])) == []
    assert events[1].facts["changed"] == ["a.py"] and events[1].facts["cost"] == 0.1


def test_the_end_is_told_with_its_reason_and_its_code():
    run = a_run(iteration(1, failing_tests(2)), baseline=[failing_tests(5)])
    run.add({"what": "end", "at": NOON, "status": "failed", "reason": "max_cost", "why": "all is spent"})
    (event,) = view.news(seen(run), seen(run))
    assert event.what == "end" and event.facts["reason"] == "max_cost" and "all is spent" in event.text
    assert view.is_over(seen(run)) and view.exit_code(seen(run)) == 12


def test_a_frame_holds_nothing_that_steers_a_terminal():
    run = a_run(goal="\x1b]0;owned\x07goal \x1b[2J", baseline=[failing_tests(1)])
    assert "\x1b" not in str(view.frame(seen(run, ["\x1b[31mred"])))


def test_a_file_that_somebody_else_wrote_tells_nothing(loops):
    live = Live("loop-1", HEADLESS, "")
    for text in ("{", '{"a": 1}', "[1, null]", ""):
        path = runs.beside(loops.project, "loop-1", runs.ACTIVITY)
        runs.make_folder(loops.project)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        assert transcript.lines_now(loops.project, loops.values(), live) == []


def test_what_the_agent_of_a_session_does_is_read_from_the_clients_record(loops, a_home, monkeypatch):
    session = "01234567-89ab-4def-8123-456789abcdef"
    folder = a_home / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True)
    monkeypatch.setitem(posix.environ, b"CLAUDE_CONFIG_DIR", bytes(a_home / ".claude"))
    call = '{"type":"tool_use","id":"t","name":"Bash","input":{"command":"pytest -q"}}'
    line = '{"type":"assistant","timestamp":"2026-01-01T%d:00:00.000Z","message":{"content":[CALL]}}'.replace("CALL", call)
    lines = [line.replace("%d", hour) for hour in ("11", "13")]
    (folder / f"{session}.jsonl").write_text("\n".join([*lines, "{torn", ""]))
    live = Live("loop-1", IN_SESSION, session)
    assert transcript.lines_now(loops.project, loops.values(), live, NOON) == ["Bash: pytest -q"]
    assert transcript.lines_now(loops.project, loops.values(), live._replace(owner="../../x"), NOON) == []


# What is kept of it


def test_of_a_long_output_the_beginning_and_the_end_are_kept(loops):
    run = loops.start("seq 1 20000; echo right >one.txt", *STEPS[1:])
    told = transcript.find(loops.project, run, 1)
    assert told.head[:2] == ["1", "2"] and told.tail[-1] == "20000" and told.message == ""
    assert len(told.head) + len(told.tail) + told.left_out == 20_000


@pytest.mark.check
def test_a_key_that_an_agent_prints_line_by_line_is_not_kept(loops):
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 8 + "-----END PRIVATE KEY-----"
    loops.write("shown.txt", key)
    run = loops.start("cat shown.txt; echo right >one.txt", *STEPS[1:])
    assert "MIIEvQIBADAN" not in str(transcript.find(loops.project, run, 1))


@pytest.mark.check
def test_an_iteration_that_is_not_kept_is_said_to_be_so(loops):
    run = loops.start(*STEPS)
    with pytest.raises(LoopError, match="no transcript of iteration 9"):
        transcript.find(loops.project, run, 9)
    with open(transcript.path_of(loops.project, run.id), "a", encoding="utf-8") as file:
        file.write("{damaged\n")
    assert [told.number for told in transcript.read(loops.project, run)] == [1, 2, 3]


@pytest.mark.check
def test_a_run_that_has_filled_its_room_keeps_less(loops, monkeypatch):
    monkeypatch.setattr(transcript, "MOST_BYTES", 10)
    run = loops.start("seq 1 50; echo right >one.txt", "seq 1 50; echo right >two.txt", STEPS[2])
    first, second = (transcript.find(loops.project, run, number) for number in (1, 2))
    assert len(first.head + first.tail) == 50 and len(second.head + second.tail) == transcript.FEW_LINES


@pytest.mark.parametrize("rows", range(2, 14))
def test_a_small_screen_keeps_the_iteration_and_what_goes_on(rows):
    run = a_run(*[iteration(number, failing_tests(2)) for number in range(1, 9)], baseline=[failing_tests(5)])
    lines = view.frame(seen(run, ["first", "last"]), rows)
    assert len(lines) <= rows and lines[0][1] == "iteration 8 of 10" and lines[-1][1] == "last"
