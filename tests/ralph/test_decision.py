"""When a loop goes on and when it gives up: a table of situations, and what holds in all of them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ralph_mem.ralph import decision, progress, stop_reasons
from ralph_mem.ralph.decision import decide
from ralph_mem.ralph.record import entry_of, fold
from tests.folded import folded
from tests.ralph import made
from tests.ralph.conftest import MINUTE, NOON, a_run, after, entries, failing_tests, iteration, lint, verdict

START = [failing_tests(5)]
HOLLOW = verdict(status="vacuous", total=0, why="no test was run")


def lefts(*numbers, **more):
    """Return iterations that have so many failing tests left."""
    return [iteration(number, failing_tests(left), **more) for number, left in enumerate(numbers, 1)]


def trees(*states, **more):
    """Return iterations that have so many failing tests left, each with the name of its tree: `4a`."""
    return [iteration(number, failing_tests(int(state[0])), tree=state[1:], **more) for number, state in enumerate(states, 1)]


def names(*states):
    """Return iterations in which these tests fail; one after a `?` is flaky."""
    split = [state.partition("?") for state in states]
    return [iteration(number, verdict(list(fails), flaky=list(luck))) for number, (fails, _, luck) in enumerate(split, 1)]


LIMITED = iteration(2, kind="rate_limited")
SITUATIONS = {
    "the loop has just begun": ("", [], {}),
    "it is getting better": ("", lefts(4, 3, 2), {}),
    "all checks pass": ("success", lefts(4, 0), {}),
    "all checks pass in the last iteration there is": ("success", lefts(0), {"iterations": 1}),
    "all checks passed once and fail now": ("", lefts(0, 3), {}),
    "one of two checks passes": ("", [iteration(1, verdict(), lint(2))], {}),
    "no check was run": ("", [iteration(1)], {}),
    "a check is hollow, once": ("", [iteration(1, HOLLOW)], {}),
    "a check is hollow, twice": ("vacuous_criteria", [iteration(1, HOLLOW, lint(0)), iteration(2, HOLLOW)], {}),
    "a check is hollow, another one fails": ("", [iteration(1, HOLLOW, lint(2)), iteration(2, HOLLOW, lint(1))], {}),
    "a tool was denied": ("", lefts(4, kind="permission_denied", why="Bash(npm test:*)"), {}),
    "a tool was denied three times, and it gets better": ("", lefts(4, 3, 2, kind="permission_denied"), {}),
    "a tool was denied three times without a new best": ("permission_denied", lefts(5, 5, 5, kind="permission_denied"), {}),
    "a tool was denied, and there is patience for one without a new best": (
        "permission_denied", lefts(5, kind="permission_denied"), {"no_progress": 1},
    ),
    "a tool was denied and all checks pass": ("success", lefts(0, kind="permission_denied"), {}),
    "the agent was stopped": ("user_stop", [iteration(1, kind="stopped")], {}),
    "the agent crashed once": ("", lefts(5, kind="error", changed=[]), {}),
    "the agent crashed three times": ("agent_error", lefts(5, 5, 5, kind="error", changed=[]), {"no_progress": 9}),
    "the agent crashed three times and did something": ("", lefts(4, 3, 2, kind="error"), {}),
    "the agent is not there": ("agent_error", [iteration(1, kind="missing")], {}),
    "the API does not let the agent in": ("agent_error", [iteration(1, failing_tests(5), kind="locked_out")], {}),
    "the agent was silent twice": ("", lefts(5, 5, kind="silent"), {}),
    "the agent was silent three times": ("silent", lefts(4, 3, 2, kind="silent"), {}),
    "the agent was silent three times, but not in a row": ("", [*lefts(4, 3, kind="silent"), *lefts(4, 3, 2)[2:],
        iteration(4, failing_tests(1), kind="silent")], {}),
    "the agent ran out of time": ("", lefts(4, kind="time"), {}),
    "the last iteration is over": ("max_iterations", lefts(4, 3), {"iterations": 2}),
    "no iteration is allowed": ("max_iterations", [], {"iterations": 0}),
    "a rate limit ended one of two iterations": ("", [*lefts(4), LIMITED], {"iterations": 2}),
    "the time is over": ("max_duration", lefts(4), {"duration_ms": 3 * MINUTE}),
    "ten seconds are left": ("max_duration", lefts(4), {"duration_ms": 5 * MINUTE + 10_000}),
    "half a minute is left": ("", lefts(4), {"duration_ms": 5 * MINUTE + 30_000}),
    "the pause would take what is left": ("max_duration", lefts(4), {"duration_ms": 5 * MINUTE + 30_000, "cooldown_ms": 29_000}),
    "the money is spent": ("max_cost", lefts(4, 3, cost=0.5), {"cost": 1.0}),
    "the next iteration cannot be paid for": ("max_cost", lefts(4, 3, cost=0.4), {"cost": 1.0}),
    "the next iteration can be paid for": ("", lefts(4, 3, cost=0.3), {"cost": 1.0}),
    "nobody tells a price": ("", lefts(4, 3, cost=None), {"cost": 1.0}),
    "there was no money to begin with": ("max_cost", [], {"cost": 0.0}),
    "the files are as after iteration 1, and so are the failures": (
        "oscillation",
        trees("4a", "3b", "4a"),
        {},
    ),
    "the files are as at the start": ("oscillation", trees("4a", "5tree-0"), {}),
    "the files are as before, but something else fails": (
        "",
        trees("4a", "3b", "2a"),
        {"no_progress": 9},
    ),
    "the last iteration changed nothing": ("", trees("4a", "4a"), {}),
    "the last three iterations changed nothing": ("", trees("4a", "4a", "4a"), {"no_progress": 9}),
    "trees are not known": ("", lefts(4, 3, 4, tree=""), {}),
    "two iterations without a new best": ("", lefts(4, 4, 4), {}),
    "three iterations without a new best": ("no_progress", lefts(4, 4, 4, 5), {}),
    "three iterations as bad as the start": ("no_progress", lefts(5, 5, 5), {}),
    "three iterations, all worse than the start": ("regression", lefts(7, 6, 6), {}),
    "one iteration without a new best is enough": ("no_progress", lefts(4, 4), {"no_progress": 1}),
    "a new best after two without": ("", lefts(4, 4, 4, 3), {}),
    "a lucky flaky test": (
        "no_progress",
        names("ab", "a?b", "a", "a"),
        {},
    ),
}  # fmt: skip


@folded("situation", SITUATIONS)
def test_the_loop_decides(situation):
    reason, iterations, limits = SITUATIONS[situation]
    run = a_run(*iterations, baseline=START, options={"denials": decision.DENIALS}, **limits)
    decided = decide(run, after(run))
    assert (decided.reason, decided.go_on) == (reason, not reason) and bool(decided.why) == bool(reason)


def test_every_reason_to_stop_is_in_the_closed_set():
    assert {reason for reason, _ in decision.ORDER} <= set(stop_reasons.REASONS)
    elsewhere = {"rate_limited", "tampered", "repository_lost", "linked_written"}
    assert {reason for reason, *_ in SITUATIONS.values()} - {""} | elsewhere == {reason for reason, _ in decision.ORDER}


REFUSED = {"says": "tampered", "named": ["tests/test_a.py (changed)"]}


@pytest.mark.parametrize(("allowed", "reason"), [(0, "tampered"), (1, "tampered"), (2, "")])
def test_who_changes_the_judges_more_often_than_is_allowed_is_stopped(allowed, reason):
    run = a_run(*lefts(4, 3, 2), baseline=START, options={"tampering": allowed})
    run.confirmations = {1: REFUSED, 2: {"says": "confirmed"}, 3: REFUSED}
    decided = decide(run, after(run))
    assert decided.reason == reason and ("tests/test_a.py" in decided.why) == bool(reason)


def test_the_loop_stops_when_it_is_asked_to():
    run = fold([*entries(baseline=START), {"what": "stop_asked", "at": NOON}])
    assert decide(run, NOON).reason == "user_stop"


@pytest.mark.parametrize(
    ("minutes", "options", "reason"), [(20, {}, ""), (40, {}, "rate_limited"), (1, {"wait": False}, "rate_limited")]
)
def test_a_rate_limit_is_waited_for_within_the_time_there_is(minutes, options, reason):
    waiting = {"what": "waiting", "at": NOON, "until": NOON + minutes * MINUTE}
    assert decide(fold([*entries(baseline=START, options=options), waiting]), NOON).reason == reason


def test_a_rate_limit_that_is_over_no_longer_matters():
    waiting = {"what": "waiting", "at": NOON, "until": NOON + 40 * MINUTE}
    assert decide(fold([*entries(baseline=START), waiting, {"what": "begun", "number": 1}]), NOON).go_on


RESUMED = {"what": "resumed", "at": NOON + 60 * MINUTE}


@pytest.mark.parametrize(
    "iterations", [lefts(5, 5, 5), lefts(4, kind="permission_denied"), [iteration(1, kind="missing")], lefts(7, 7, 7)]
)
def test_what_stopped_a_run_does_not_stop_it_again_when_a_person_lets_it_go_on(iterations):
    record = entries(*iterations, baseline=START)
    assert not decide(fold(record), NOON).go_on
    assert decide(fold([*record, RESUMED]), RESUMED["at"]).go_on


def test_a_run_that_goes_on_has_as_many_attempts_as_before_to_get_better():
    record = [*entries(*lefts(5, 5, 5), baseline=START), RESUMED]
    attempts = [entry_of(iteration(number, failing_tests(5))) for number in (4, 5, 6)]
    now = RESUMED["at"]
    assert [decide(fold(record + attempts[:tried]), now).reason for tried in range(4)] == ["", "", "", "no_progress"]


@pytest.mark.parametrize("limits", [{"iterations": 2}, {"duration_ms": 6 * MINUTE}, {"cost": 0.2}])
def test_resuming_does_not_extend_a_limit(limits):
    record = entries(*lefts(4, 3), baseline=START, **limits)
    reason = decide(fold(record), fold(record).last_seen).reason
    assert reason and decide(fold([*record, RESUMED]), RESUMED["at"]).reason == reason


def test_resuming_with_a_larger_limit_goes_on():
    record = entries(*lefts(4, 3), baseline=START, iterations=2)
    assert decide(fold([*record, {**RESUMED, "limits": {"iterations": 4}}]), RESUMED["at"]).go_on


def test_a_run_that_has_ended_stays_ended():
    end = {"what": "end", "at": NOON, "status": "stopped", "reason": "owner_lost", "why": "the session has ended"}
    assert decide(fold([*entries(baseline=START), end]), NOON) == (False, "owner_lost", "the session has ended")


def test_what_is_left_of_the_money_is_told():
    assert progress.left_cost(a_run(*lefts(4, cost=0.4), cost=1.0)) == pytest.approx(0.6)
    assert progress.left_cost(a_run(*lefts(4, cost=2.0), cost=1.0)) == 0.0
    assert progress.left_cost(a_run(*lefts(4))) is None


def test_an_iteration_that_costs_exactly_what_is_left_is_begun():
    run = a_run(*lefts(4, 3, cost=0.4), cost=1.2)  # for a computer that is a little more than what is left
    assert decide(run, after(run)).go_on


def test_exit_codes_are_fixed_for_ever():
    codes = {reason: stop_reasons.exit_code(reason) for reason in stop_reasons.REASONS}
    assert codes == {
        "success": 0, "max_iterations": 10, "max_duration": 11, "max_cost": 12, "no_progress": 13, "oscillation": 14,
        "regression": 15, "permission_denied": 16, "rate_limited": 17, "agent_error": 18, "user_stop": 19,
        "vacuous_criteria": 20, "snapshot_failed": 21, "owner_lost": 22, "broken_criteria": 23, "tampered": 24,
        "repository_lost": 25,
        "silent": 26,
        "linked_written": 27,
    }  # fmt: skip


def test_every_reason_tells_a_command_and_a_limit_that_was_reached_is_doubled():
    run = a_run(iterations=7, duration_ms=20 * MINUTE, cost=1.5)
    steps = {reason: stop_reasons.next_step(reason, run) for reason in stop_reasons.REASONS}
    assert all("`ralph-mem ralph " in step and "{" not in step for step in steps.values())
    assert "--max-iterations 14" in steps["max_iterations"] and "--max-duration 40m" in steps["max_duration"]
    assert "--max-cost 3`" in steps["max_cost"]
    run.start_snapshot = 0
    assert all(step and "rollback" not in step for step in [stop_reasons.next_step(reason, run) for reason in steps])
    assert stop_reasons.status_of("user_stop") == "stopped" and stop_reasons.status_of("regression") == "failed"


def test_where_more_was_used_than_a_limit_allows_twice_that_is_named():
    run = a_run(*lefts(4, 3, 2, 1, cost=0.5), iterations=1, duration_ms=MINUTE, cost=0.25)
    run.spent_ms = 9 * MINUTE
    steps = {reason: stop_reasons.next_step(reason, run) for reason in ("max_iterations", "max_duration", "max_cost")}
    assert f"--max-iterations {2 * run.used()}`" in steps["max_iterations"] and run.used() > 1
    assert "--max-duration 18m`" in steps["max_duration"] and f"--max-cost {2 * run.cost():g}`" in steps["max_cost"]


@pytest.mark.parametrize(("room", "way"), [("", "`ralph-mem ralph rollback` returns to the start"), ("/room", "goes on")])
def test_where_nothing_is_better_than_the_start_no_best_iteration_is_offered(room, way):
    run = made.a_run({"a": "b"}, [made.an_iteration(1, {"a": "b"})], start_snapshot=1, room=room)
    step = stop_reasons.next_step("max_iterations", run)
    assert "best" not in step and step.endswith(way)
    run.iterations.append(made.an_iteration(2))
    assert "--best" in stop_reasons.next_step("max_iterations", run)


def test_a_rollback_of_one_of_several_results_is_said_to_take_out_that_one_and_not_to_return_to_the_start():
    run = made.a_run({"a": "b"}, [made.an_iteration(1, {"a": "b"})], start_snapshot=1, room="/room")
    run.applied = [{}, {}]
    steps = [stop_reasons.next_step(reason, run) for reason in ("success", "max_iterations", "user_stop")]
    assert all(step.endswith("`ralph-mem ralph rollback` takes out the result that was applied last") for step in steps)


# What holds whatever happens

verdicts = st.lists(
    st.builds(
        verdict,
        st.lists(st.sampled_from("abc"), unique=True),
        status=st.sampled_from([None, None, "vacuous", "broken"]),
        total=st.sampled_from([None, 0, 9]),
        flaky=st.lists(st.sampled_from("abc"), max_size=1),
    ),
    max_size=1,
)
passes = st.tuples(
    verdicts,
    st.sampled_from(
        ["done", "done", "error", "rate_limited", "permission_denied", "time", "missing", "stopped", "silent", "locked_out"]
    ),
    st.sampled_from(["", "t0", "t1", "t2"]),
    st.sampled_from([None, 0.0, 0.2, 3.0]),
    st.booleans(),
)
limits = st.fixed_dictionaries(
    {
        "iterations": st.integers(1, 6),
        "duration_ms": st.sampled_from([0, 1000, 10 * MINUTE, 60 * MINUTE]),
        "cooldown_ms": st.sampled_from([0, 1000]),
        "cost": st.sampled_from([None, 0.0, 1.0, 100.0]),
        "no_progress": st.integers(1, 4),
    }
)


@st.composite
def runs(draw):
    found = [
        iteration(number, *judged, kind=kind, tree=tree, cost=cost, changed=[["a", "changed"]] if changed else [])
        for number, (judged, kind, tree, cost, changed) in enumerate(draw(st.lists(passes, max_size=6)), 1)
    ]
    record = entries(*found, baseline=draw(verdicts), **draw(limits))
    if draw(st.booleans()):
        at = record[-1].get("ended") or NOON
        record.append({"what": "waiting", "at": at, "until": at + draw(st.integers(0, 60 * MINUTE))})
    if draw(st.booleans()):
        record.append({"what": "resumed", "at": record[-1].get("ended") or NOON})
    return record


@given(runs(), st.integers(0, 90 * MINUTE))
def test_the_loop_never_goes_on_past_a_limit(record, passed):
    run = fold(record)
    now = max(NOON, run.since) + passed
    if decide(run, now).go_on:
        assert run.used() < run.limits.iterations
        assert run.elapsed_ms(now) < run.limits.duration_ms
        assert run.limits.cost is None or run.cost() < run.limits.cost


@given(runs(), st.integers(0, 90 * MINUTE), st.integers(0, 90 * MINUTE))
@example(entries(), 31 * MINUTE, 0)
def test_time_never_turns_a_stop_into_a_go(record, passed, more):
    run = fold(record)
    now = max(NOON, run.since) + passed
    if not decide(run, now).go_on:
        assert not decide(run, now + more).go_on


@given(runs(), st.integers(0, 90 * MINUTE))
def test_the_same_record_is_decided_the_same(record, passed):
    assert decide(fold(record), NOON + passed) == decide(fold([dict(entry) for entry in record]), NOON + passed)


@given(st.lists(passes, min_size=40, max_size=40), limits)
def test_every_loop_ends(attempts, bounds):
    """Whatever its agent does, but for rate limits, which the time ends."""
    record = entries(baseline=START, **bounds)
    for number, (judged, kind, tree, cost, changed) in enumerate(attempts, 1):
        run = fold(record)
        if not decide(run, after(run)).go_on:
            return
        done = iteration(number, *judged, kind=kind, tree=tree, cost=cost, changed=[["a", "changed"]] if changed else [])
        record += [{"what": "begun", "number": number, "at": done.started}, entry_of(done)]
    pytest.fail("forty iterations of three minutes, the limit is an hour")
