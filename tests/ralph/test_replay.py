"""A record decided once more says the same, and a record that was tampered with, or a changed rule, is found out."""

import json

import pytest
from hypothesis import given

from ralph_mem.ralph import decision, record
from ralph_mem.ralph.decision import decide
from ralph_mem.ralph.record import entry_of, fold
from ralph_mem.ralph.stop_reasons import status_of
from ralph_mem.ralph.stopping import replay
from tests.folded import folded
from tests.ralph.conftest import NOON, entries, failing_tests, iteration
from tests.ralph.test_decision import SITUATIONS, runs

START = [failing_tests(5)]


def a_loop(*iterations, baseline=START, **limits):
    """Return the record of a loop over these iterations, with the decisions that were made."""
    found = entries(baseline=baseline, **limits)
    for each in iterations:
        found += [{"what": "begun", "number": each.number, "at": each.started}, entry_of(each)]
        now = each.ended + 5
        decided = decide(fold(found), now)
        found.append({"what": "decision", "number": each.number, **decided._asdict(), "now": now})
        if not decided.go_on:
            end = {"what": "end", "at": now, "status": status_of(decided.reason), "reason": decided.reason, "why": decided.why}
            return [*found, end]
    return found


@folded("situation", SITUATIONS)
def test_an_honest_record_replays_without_a_difference(situation):
    _, iterations, limits = SITUATIONS[situation]
    assert replay(a_loop(*iterations, **limits)) == []


@given(runs())
def test_any_honest_record_replays_without_a_difference(told):
    run = fold(told)
    assert replay(a_loop(*run.iterations, baseline=run.baseline, **run.limits._asdict())) == []


def test_a_record_replays_from_its_file(tmp_path):
    path = str(tmp_path / "loop-1.jsonl")
    for entry in a_loop(iteration(1, failing_tests(3)), iteration(2, failing_tests(0))):
        record.append(path, entry)
    assert replay(record.read(path)) == []


def test_a_decision_that_would_be_another_one_now_is_named():
    told = a_loop(*[iteration(number, failing_tests(6)) for number in (1, 2, 3)])
    changed = [
        {**entry, "go_on": True, "reason": ""} if entry.get("number") == 3 and entry["what"] == "decision" else entry
        for entry in told
    ]
    (first, second) = replay(changed)
    assert first.startswith("after iteration 3: recorded go on, decided now stop for regression (the best of 3 iterations")
    assert second == "the run ended for regression, but its last decision was: go on"


def test_another_reason_for_the_same_decision_is_a_difference_too():
    told = a_loop(*[iteration(number, failing_tests(5)) for number in (1, 2, 3)])
    other = [{**entry, "reason": "oscillation"} if entry.get("reason") == "no_progress" else entry for entry in told]
    (difference,) = replay(other)
    assert difference.startswith("after iteration 3: recorded stop for oscillation, decided now stop for no_progress")


def test_a_changed_rule_is_found_out(monkeypatch):
    told = a_loop(*[iteration(number, failing_tests(5)) for number in (1, 2, 3)])
    monkeypatch.setattr(decision, "ORDER", tuple(rule for rule in decision.ORDER if rule[0] != "no_progress"))
    assert replay(told) == ["after iteration 3: recorded stop for no_progress, decided now go on"]


def test_verdicts_that_were_changed_afterwards_are_found_out():
    told = json.loads(json.dumps(a_loop(iteration(1, failing_tests(3)))))
    told[3]["verdicts"][0].update(status="passed", failing={})
    assert replay(told) == [
        "after iteration 1: recorded go on, decided now stop for success (every criterion passed after iteration 1)"
    ]


def test_an_iteration_after_the_decision_to_stop_is_named():
    told = a_loop(iteration(1, failing_tests(0)))[:-1]
    assert replay([*told, {"what": "begun", "number": 2}]) == ["iteration 2 was begun although the loop had decided to stop"]


def test_going_on_because_a_person_wanted_it_is_no_difference():
    told = a_loop(iteration(1, failing_tests(4)), iterations=1)
    more = [{"what": "resumed", "at": NOON * 2, "limits": {"iterations": 2}}, {"what": "begun", "number": 2, "at": NOON * 2}]
    assert replay([*told, *more]) == []


@pytest.mark.parametrize("reason", ["user_stop", "owner_lost", "snapshot_failed", "agent_error", "rate_limited", "broken_criteria"])
def test_what_ends_a_run_from_outside_needs_no_decision(reason):
    assert replay([*a_loop(iteration(1, failing_tests(3))), {"what": "end", "at": NOON, "reason": reason}]) == []


def test_success_needs_a_decision():
    told = [*a_loop(iteration(1, failing_tests(3))), {"what": "end", "at": NOON, "reason": "success"}]
    assert replay(told) == ["the run ended for success, but its last decision was: go on"]


def test_a_run_that_was_green_from_the_start_needs_no_decision():
    end = {"what": "end", "at": NOON, "reason": "success"}
    assert replay([*entries(baseline=[failing_tests(0)]), end]) == []
    assert replay([*entries(baseline=START), end]) == ["the run ended for success, but its last decision was: none"]


def test_damaged_lines_are_named():
    assert replay([*entries(), {"what": "damaged", "line": 3}]) == ["line 3 of the record is damaged"]
