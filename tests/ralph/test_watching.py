"""What a person sees of a run, and that nothing of somebody else's steers their terminal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.ralph import display, telling
from ralph_mem.ralph.record import Run, fold
from ralph_mem.ralph.watching import overview
from tests.ralph.conftest import MINUTE, NOON, a_run, after, entries, failing_tests, iteration, lint, verdict

START = [failing_tests(5), lint(2)]


def a_middling_run(**limits):
    """Return a run that is better than at the start, with the last iteration worse than the best."""
    second = iteration(2, verdict(["test_0", "new"]), lint(1), tampered=["tests/test_a.py: a test was skipped"], tokens=1200)
    return a_run(iteration(1, failing_tests(1), lint(0), tokens=800), second, baseline=START, **limits)


def test_the_live_line_of_an_iteration():
    run = a_run(
        iteration(1, failing_tests(5), lint(1)),
        iteration(2, failing_tests(3), lint(0), cost=0.42, changed=[["a.py", "changed"], ["b.py", "added"], ["c.py", "deleted"]]),
        baseline=START,
    )
    told = display.line(run, run.iterations[-1], NOON + 9 * MINUTE)
    assert told == "2/10  pytest 3 failing of 40 (was 5) · ruff check ok · best 3 at 2 · $0.42 · 3 files · 21 min left"


def test_of_very_many_changed_files_all_are_counted_in_every_line():
    changed = [[f"{number}.py", "added"] for number in range(50)]
    run = a_run(iteration(1, failing_tests(5), changed=changed, unnamed=1151), baseline=START)
    lines = [display.line(run, run.iterations[0], NOON), *display.status_lines(run, NOON), str(overview.rows_of_run(run)[-1])]
    assert "1201 files" in lines[0] and "1201 files: 0.py" in lines[-1] and "4.py and 1196 more" in lines[-1]
    assert "changed: 1201 files: 0.py, 1.py, 2.py, 3.py, 4.py and 1196 more" in lines
    again = a_run(*run.iterations, iteration(2, failing_tests(5), changed=changed[:1]), baseline=START)
    assert "changed: at least 1201 files: 0.py, 1.py, 2.py, 3.py, 4.py and 1196 more" in display.status_lines(again, NOON)


def test_a_file_that_is_as_at_the_start_again_is_named_as_changed_until_then_only(loops):
    run = loops.start("echo right >one.txt", "echo wrong >one.txt; echo right >two.txt", limits={"iterations": 2})
    assert "changed: 1 file: two.txt" in display.status_lines(run, run.last_seen)
    assert [change[0] for change in run.iterations[0].changed] == ["one.txt"]


def test_what_an_earlier_release_recorded_of_very_many_files_is_no_file():
    changed = [[f"{number}.py", "added", 1, 0, ""] for number in range(50)]
    run = a_run(iteration(1, failing_tests(5), changed=[*changed, ["(10 more)", "changed", 0, 0, ""]]))
    assert (run.iterations[0].changed, run.iterations[0].unnamed) == (changed, 10)


def test_the_live_line_says_what_else_happened():
    run = a_run(
        iteration(1, verdict(status="timed_out", total=None), kind="error", why="exit 1", cost=None, changed=[]), baseline=START
    )
    told = display.line(run, run.iterations[0], NOON)
    assert told == "1/10  pytest timed out · best 7 at the start · 0 files · 30 min left · agent: error (exit 1)"


def test_a_name_that_is_no_text_or_has_lines_is_told_as_git_writes_it():
    names = (b"bad\xff\xfename", b"new\nline.txt", "ümlaut é.txt".encode())
    assert [display.name_of(name) for name in names] == ['"bad\\377\\376name"', '"new\\nline.txt"', "ümlaut é.txt"]


def test_what_changed_without_snapshots_is_told_by_no_number_and_no_command_that_would_have_nothing_to_say():
    run = a_run(iteration(1, lint(0), snapshot=0, changed=[]), baseline=START)
    run.start_snapshot, run.reason, run.status = 0, "success", "success"
    assert "file" not in display.line(run, run.iterations[0], NOON) and overview.rows_of_run(run)[1][4] == "not known"
    assert display.next_step(run) == "`ralph-mem ralph log` tells what the agent did"


def test_the_live_line_tells_whole_why_an_agent_was_ended():
    why = "it said nothing for too long, and was ended after 720 s"
    run = a_run(iteration(1, failing_tests(2), kind="silent", why=why))
    assert display.line(run, run.iterations[0], NOON).endswith(f" · agent: silent ({why})")


def test_the_live_line_names_edits_to_what_judges():
    run = a_middling_run()
    assert display.line(run, run.iterations[1], NOON).endswith(" · look: tests/test_a.py: a test was skipped")


def test_the_live_line_of_an_iteration_that_nobody_judged():
    run = a_run(iteration(1, kind="stopped", cost=None))
    assert display.line(run, run.iterations[0], NOON) == "1/10  not judged · 1 file · 30 min left · agent: stopped"


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        (verdict(), "pytest ok"),
        (verdict(flaky=["a"]), "pytest ok, 1 flaky"),
        (verdict(status="vacuous", why="no test was run"), "pytest checks nothing (no test was run)"),
        (verdict(status="broken"), "pytest broken"),
        (verdict(status="failed"), "pytest failed"),
        (lint(7), "ruff check 7 findings"),
    ],
)
def test_a_verdict_in_words(judged, words):
    run = a_run(iteration(1, judged))
    assert f"  {words} · " in display.line(run, run.iterations[0], NOON)


@pytest.mark.parametrize(("numbers", "bars"), [([], ""), ([0, 0], "▁▁"), ([5], "█"), ([7, 5, 1, 0], "█▆▂▁"), ([1000, 1], "█▂")])
def test_a_sparkline(numbers, bars):
    assert display.sparkline(numbers) == bars


@given(st.lists(st.integers(0, 10_000), max_size=30))
def test_a_sparkline_has_a_bar_for_each_number_and_keeps_their_order(numbers):
    bars = display.sparkline(numbers)
    heights = [display.BARS.index(bar) for bar in bars]
    assert len(bars) == len(numbers)
    assert all(heights[a] <= heights[b] for a, one in enumerate(numbers) for b, other in enumerate(numbers) if one <= other)
    assert all((height == 0) == (number == 0) for height, number in zip(heights, numbers, strict=True))


def test_the_status_of_a_run():
    lines = display.status_lines(a_middling_run(cost=2.0), NOON + 12 * MINUTE)
    assert lines == [
        "loop-1  headless  iteration 2 of 10",
        "goal: make the tests pass",
        "pytest 2 failing of 40 (was 5)",
        "ruff check 1 finding (was 2)",
        "  pytest :: test_0  (failed at the start)",
        "  pytest :: new  (new)",
        "left to do: █▂▄  7 1 3  (best 1 at 1)",
        "changed: 1 file: a.py",
        "spent: 12 min of 30 min, 2,000 tokens, $0.20 of $2.00, $0.05 for each of 4 fixed",
        "the next iteration takes about $0.10 and 2 min; left: 8 iterations, 18 min, $1.80",
        "next: `ralph-mem ralph stop` ends it; `ralph-mem ralph stop --rollback` puts the files back too",
    ]


def test_a_name_that_steers_a_terminal_is_in_quotes_as_git_writes_it():
    assert display.files_of([["x\ny\033[31mz"], ["a b.py"]], 3) == '2 files: "x\\ny\\033[31mz", a b.py'


def test_the_status_of_a_run_that_has_just_begun():
    lines = display.status_lines(fold(entries()[:1]), NOON)
    assert lines[0] == "loop-1  headless  iteration 1 of 10" and len(lines) == 4


def test_the_status_of_a_run_that_has_given_up_says_why_and_what_to_do():
    end = {
        "what": "end",
        "at": NOON + 9 * MINUTE,
        "status": "failed",
        "reason": "no_progress",
        "why": "nothing better in 3 iterations",
    }
    run = a_middling_run()
    run.add(end)
    lines = display.status_lines(run, NOON + 999 * MINUTE)
    assert lines[0].endswith(
        "failed after 2 of 10 iterations, several iterations in a row reached nothing better: nothing better in 3 iterations"
    )
    assert "ralph-mem ralph rollback --best" in lines[-1]
    assert any(line.startswith("spent: 9 min of 30 min") for line in lines)


def test_the_status_of_an_interrupted_run_says_that_it_can_go_on():
    run = a_middling_run()
    run.status = "interrupted"
    lines = display.status_lines(run, NOON)
    assert lines[0].endswith("interrupted in iteration 2") and lines[-1].startswith("next: `ralph-mem ralph resume`")


@pytest.mark.parametrize("status", ["running", "interrupted", "failed"])
def test_a_run_without_a_snapshot_is_told_of_no_way_back(status):
    run = a_middling_run()
    run.status, run.reason = status, "no_progress"
    assert "rollback" in display.next_step(run)
    run.start_snapshot = 0
    assert "rollback" not in display.next_step(run)


def test_the_status_counts_down_a_rate_limit():
    run = a_middling_run()
    run.add({"what": "waiting", "at": NOON, "until": NOON + 5 * MINUTE})
    assert "waiting for the rate limit, 3 min more" in display.status_lines(run, NOON + 2 * MINUTE)


def test_a_long_list_of_failing_tests_is_cut_and_counted():
    lines = display.status_lines(a_run(baseline=[failing_tests(30)]), NOON)
    assert "  pytest :: test_9" in lines and "  and 20 more" in lines and "  pytest :: test_10" not in lines


def test_the_status_says_that_the_record_is_damaged_and_what_was_rolled_back():
    told = [*entries(), {"what": "damaged", "line": 3}, {"what": "rolled_back", "to": "start", "target": 1}]
    lines = display.status_lines(fold(told), NOON)
    assert "line 3 of the record is damaged and left out" in lines and "rolled back to start (snapshot 1)" in lines


@given(
    st.text(alphabet=st.characters(), max_size=300),
    st.sampled_from(["\x1b[2J", "\x1b]0;owned\x07", "\r", "\b", "\u202e", "\x9b31m", "\n"]),
)
def test_no_text_of_somebody_else_steers_the_terminal(text, steering):
    hostile = text[:150] + steering + text[150:]
    done = iteration(
        1, verdict([hostile], name=hostile), why=hostile, kind="error", tampered=[hostile], changed=[[hostile, "added"]]
    )
    run = a_run(done, goal=hostile)
    lines = [
        display.line(run, done, NOON),
        *display.status_lines(run, NOON),
        *[str(cell) for row in overview.rows_of_run(run) for cell in row],
    ]
    assert not [line for line in lines if not set(line).isdisjoint("\x1b\x07\r\b\x9b\n\u202e\u2028")]


def test_the_history_has_a_row_for_the_start_and_for_each_iteration():
    rows = overview.rows_of_run(a_middling_run())
    assert [row[:3] for row in rows] == [("start", "", 7), (1, "done", "1 *"), (2, "done", "3")]
    assert rows[2][3:6] == ("pytest 2 failing of 40 · ruff check 1 finding", "1 file: a.py", "$0.10")
    assert rows[2][6:] == (1200, "2 min", 3, "tests/test_a.py: a test was skipped")
    assert {len(row) for row in rows} == {len(overview.COLUMNS_OF_RUN)}


def test_the_history_leaves_open_what_a_rate_limit_ended():
    rows = overview.rows_of_run(a_run(iteration(1, kind="rate_limited"), iteration(2, failing_tests(1), lint(0)), baseline=START))
    assert [row[2] for row in rows] == [7, "", "1 *"]


def test_the_facts_are_json_and_say_the_same():
    run = a_middling_run(cost=2.0)
    told = json.loads(json.dumps(telling.facts(run, after(run)), allow_nan=False))
    assert (told["status"], told["best"], told["badness"], told["exit_code"]) == ("running", 1, [7, 1, 3], None)
    assert told["failing"] == ["pytest :: test_0", "pytest :: new", "ruff check"] and told["regressed"] == [
        "pytest :: new",
        "ruff check",
    ]
    assert told["forecast"] == {"cost": 0.1, "seconds": 120.0} and told["limits"]["cost"] == 2.0
    assert [each["number"] for each in told["iterations"]] == [1, 2]


def test_the_facts_of_a_run_that_has_ended_hold_its_exit_code():
    run = fold([*entries(), {"what": "end", "at": NOON + 1, "status": "failed", "reason": "max_cost", "why": "spent"}])
    told = telling.facts(run, NOON + 2)
    assert (told["exit_code"], told["reason"], told["ended"]) == (12, "max_cost", NOON + 1) and "--max-cost" in told["next"]


def test_a_run_of_which_nothing_is_known_can_be_shown():
    assert display.status_lines(Run(), NOON) and telling.facts(Run(), NOON) and len(overview.rows_of_run(Run())) == 1
