"""Agents by name, and one after the other: the next one works where the one before gets nowhere."""

import shlex
import time

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import decision, display, options, planning, prospects, record, runs, stop_reasons, stopping, telling
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.record import fold
from ralph_mem.ralph.watching import overview
from tests.ralph.clients import ends
from tests.ralph.conftest import NOON, a_run, after, entries, failing_tests, iteration, lint
from tests.ralph.loops import GOAL, STEPS

MENDS = ("/bin/sh", "-c", "; ".join(STEPS))
IDLE = "date +%N >>notes"


def wished(loops, **given):
    """Return the agents that are meant by options as they are typed."""
    wish = planning.wish(loops.values(), GOAL, {f"--{name}": value for name, value in given.items()})
    return [wish.agent, *wish.others]


# Names


@pytest.mark.parametrize("name", presets.COMMANDS)
def test_a_name_means_the_command_by_which_an_agent_works_alone_and_a_plan_shows_it(loops, name):
    (agent,) = wished(loops, agent=[name])
    assert agent == presets.COMMANDS[name] and presets.label(agent) == name
    prospect = prospects.look(loops.project, loops.wish(agent=agent))
    assert f"agent: {shlex.join(agent)}" in prospect.shown
    assert f"agent: {shlex.join(agent)}" in planning.plan(loops.project, loops.values(), loops.wish(agent=agent)).agent


@pytest.mark.parametrize("typed", ["./codex", "codex exec", "mine", "{prompt_file}codex"])
def test_what_is_more_than_a_name_or_another_one_is_a_command_of_the_persons_own(loops, typed):
    assert wished(loops, agent=[typed]) == [tuple(shlex.split(typed))]


def test_a_name_in_the_settings_means_the_same(loops):
    wish = options.wished(loops.values(ralph_agent=["gemini"]), GOAL)
    assert wish.agent == presets.COMMANDS["gemini"]
    assert options.wished(loops.values(ralph_agent=["gemini"]), GOAL, **options.meant({"--agent": ["claude"]})).agent == ()


def test_an_agent_that_is_not_installed_is_told_with_what_installs_it(monkeypatch, loops):
    monkeypatch.setenv("PATH", "/nowhere")
    for name, package in presets.PACKAGES.items():
        assert presets.missing(presets.COMMANDS[name]) == [f"{name} cannot be found or run: `npm install -g {package}` installs it"]
    planned = planning.plan(loops.project, loops.values(), loops.wish(agent=(), others=(presets.COMMANDS["codex"],)))
    assert [line for line in planned.obstacles if "@openai/codex" in line]


def test_a_name_works_as_the_command_that_it_stands_for(loops, tmp_path, monkeypatch):
    codex = tmp_path / "bin" / "codex"
    codex.parent.mkdir()
    codex.write_text(f'#!/bin/sh\necho "$@" >args; cat >told; {"; ".join(STEPS)}\n')
    codex.chmod(0o755)
    monkeypatch.setenv("PATH", f"{codex.parent}:/usr/bin:/bin")
    run = loops.start(agent=wished(loops, agent=["codex"])[0])
    assert run.reason == "success" and run.iterations[0].agent == "codex"
    assert loops.text("args").split() == list(presets.COMMANDS["codex"][1:]) and GOAL in loops.text("told")


def test_models_are_claude_with_each_of_them(loops, client):
    assert wished(loops, model="sonnet, opus") == [("claude", "--model", "sonnet"), ("claude", "--model", "opus")]
    client.plays(f"{'; '.join(STEPS)}; {ends()}")
    run = loops.start(agent=wished(loops, model="sonnet")[0], allow=("Bash(make:*)",))
    (argv,) = client.argv()
    assert run.reason == "success" and argv[argv.index("--model") + 1] == "sonnet" and "Bash(make:*)" in argv


@pytest.mark.parametrize("given", [{"model": "a,,b"}, {"model": "--dangerously-x"}, {"model": "opus", "agent": ["codex"]}])
def test_a_model_that_cannot_be_is_refused(loops, given):
    with pytest.raises(LoopError) as refused:
        wished(loops, **given)
    assert refused.value.hint


# One after the other


@pytest.mark.check
def test_the_next_agent_works_where_one_makes_no_progress_and_each_has_as_many_attempts(loops):
    run = loops.start(IDLE, others=[MENDS], limits={"no_progress": 2})
    assert (run.reason, [each.agent for each in run.iterations]) == ("success", ["sh", "sh", "sh"])
    assert [each["reason"] for each in run.decisions] == ["", record.NEXT_AGENT, "success"]
    assert any("takes over: nothing better in 2 iterations" in line for line in loops.told)
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


@pytest.mark.check
def test_the_last_agent_ends_the_run_as_a_single_one_would(loops):
    run = loops.start(IDLE, others=[("/bin/sh", "-c", IDLE)], limits={"no_progress": 2})
    assert (run.reason, len(run.iterations), run.turn) == ("no_progress", 4, 1)


@pytest.mark.check
@pytest.mark.parametrize("first", [("/nowhere/agent",), ("/bin/sh", "-c", "exit 3")], ids=["missing", "crashes"])
def test_an_agent_that_cannot_work_leaves_it_to_the_next(loops, first):
    run = loops.start(agent=first, others=[MENDS])
    assert run.reason == "success" and run.turn == 1 and run.iterations[-1].kind == "done"


@pytest.mark.check
def test_a_key_that_is_refused_and_a_rate_limit_leave_it_to_the_next_at_once(loops, client):
    client.plays(client.tells("error_401", code=1), client.tells("limited_until", code=1, resets=int(time.time()) + 900))
    started = time.monotonic()
    run = loops.start(agent=(), others=[("claude", "--model", "opus"), MENDS])
    assert (run.reason, run.turn) == ("success", 2) and time.monotonic() - started < 60
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


@pytest.mark.check
def test_limits_of_the_run_count_whoever_works(loops):
    run = loops.start(IDLE, others=[MENDS], limits={"no_progress": 2, "iterations": 2})
    assert (run.reason, len(run.iterations)) == ("max_iterations", 2)


@pytest.mark.check
def test_who_did_what_is_told(loops):
    loops.start(IDLE, others=[MENDS], limits={"no_progress": 1})
    run = loops.latest()
    run.iterations = [run.iterations[0]._replace(agent="codex"), *run.iterations[1:]]
    assert [row[1] for row in overview.rows_of_run(run)[1:]] == ["codex: done", "sh: done"]
    assert "agent: sh (2 of 2)" in display.status_lines(run, 0)
    assert "agent" in telling.facts(run, 0)["iterations"][0]


def test_every_agent_is_accepted_by_a_person(loops):
    wish = loops.wish(IDLE, others=[MENDS])
    assert f"then, where that gets nowhere: {shlex.join(MENDS)}" in prospects.look(loops.project, wish).shown
    assert prospects.look(loops.project, wish).digest != prospects.look(loops.project, loops.wish(IDLE)).digest


def test_a_turn_comes_for_what_an_agent_did_and_for_nothing_else():
    assert set(stop_reasons.REASONS) >= presets.TURNS
    hollow = [iteration(number, failing_tests(0)._replace(status="vacuous"), lint(0)) for number in (1, 2)]
    run = a_run(*hollow, baseline=[failing_tests(5)], options={"others": [["b"]]})
    assert decision.decide(run, after(run)).reason == "vacuous_criteria"
    waiting = {"what": "waiting", "at": NOON, "until": NOON + 1000}
    limited = fold([*entries(options={"others": [["b"]]}), waiting])
    assert decision.decide(limited, NOON) == (True, record.NEXT_AGENT, "it waits for a rate limit")
