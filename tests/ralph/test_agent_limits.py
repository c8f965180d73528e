"""What an agent may take of a run's time: a limit for each iteration, one for silence, and none for a key that is refused."""

import json
import shlex

import pytest

from ralph_mem.ralph import display, record, runs, stop_reasons, stopping
from ralph_mem.ralph.record import fold
from tests.clock import HANGS_S
from tests.ralph.clients import ends
from tests.ralph.conftest import entries
from tests.ralph.loops import STEPS


@pytest.mark.check
def test_an_agent_that_hangs_takes_the_time_of_its_iteration_and_not_that_of_the_run(loops):
    run = loops.start(
        f"{STEPS[0]}; while :; do echo busy; sleep 0.1; done", "; ".join(STEPS), limits={"iteration_ms": 1000}, memory=True
    )
    assert (run.reason, [each.kind for each in run.iterations]) == ("success", ["time", "done"])
    assert run.iterations[0].changed[0][:2] == ["one.txt", "changed"] and run.iterations[0].verdicts
    assert "was ended at its time limit" in loops.prompts()[1]


@pytest.mark.check
def test_an_agent_that_says_nothing_is_ended_and_the_run_goes_on_with_what_it_did(loops):
    run = loops.start(f"{STEPS[0]}; sleep 30", "; ".join(STEPS), limits={"silence_ms": 1000}, memory=True)
    assert (run.reason, [each.kind for each in run.iterations]) == ("success", ["silent", "done"])
    assert run.iterations[0].changed[0][:2] == ["one.txt", "changed"] and run.iterations[0].verdicts
    assert "was ended since it said nothing" in loops.prompts()[1]


@pytest.mark.check
def test_agents_that_hang_again_and_again_end_the_run_and_its_next_step_leaves_them_more_time(loops):
    run = loops.start("sleep 30", limits={"silence_ms": 1000})
    assert (run.reason, len(run.iterations), stop_reasons.exit_code(run.reason)) == ("silent", 3, 26)
    assert "ralph-mem ralph resume --silence " in "\n".join(display.ended(run))
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


@pytest.mark.parametrize("name", ["error_401", "not_logged_in"])
def test_a_client_that_the_api_does_not_let_in_ends_the_run_before_an_iteration(loops, client, name):
    client.plays(client.tells(name, code=1))
    run = loops.start(agent=())
    assert (run.reason, run.iterations, len(client.argv())) == ("agent_error", [], 1)
    assert "authentication failed" in run.why and "`claude /login`" in run.why


def test_what_an_agent_did_before_it_was_locked_out_is_kept_and_judged(loops, client):
    said = {
        "type": "assistant",
        "message": {"id": "m", "usage": {"output_tokens": 9}, "content": [{"type": "text", "text": "Half"}]},
    }
    client.plays(f"{STEPS[0]}; printf '%s\\n' {shlex.quote(json.dumps(said))}; {client.tells('error_401', code=1)}")
    run = loops.start(agent=())
    (only,) = run.iterations
    assert (run.reason, only.kind, [*only.verdicts[0].failing]) == ("agent_error", "locked_out", ["three", "two"])
    assert only.snapshot and only.changed[0][:2] == ["one.txt", "changed"]


def test_a_record_without_such_limits_has_those_of_the_defaults():
    start, *rest = entries()
    old = {name: value for name, value in start["limits"].items() if name not in {"iteration_ms", "silence_ms"}}
    assert fold([{**start, "limits": old}, *rest]).limits == stop_reasons.DEFAULT


def test_a_client_that_ends_by_itself_is_done_however_little_it_said(loops, client):
    client.plays(f"{'; '.join(STEPS)}; {ends()}")
    assert loops.start(agent=(), limits={"silence_ms": HANGS_S * 1000}).iterations[0].kind == "done"
