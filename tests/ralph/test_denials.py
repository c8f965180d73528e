"""What an agent is refused: it is told and finds another way, and a person can allow it without beginning anew."""

import shlex

import pytest

from ralph_mem.ralph import decision, display, headless, prospects, record, runs, stopping
from ralph_mem.ralph.record import fold
from tests.ralph.clients import ends
from tests.ralph.conftest import after, entries, failing_tests, iteration
from tests.ralph.loops import STEPS

REFUSED = "Bash(npm test:*)"


@pytest.mark.check
def test_an_agent_that_is_refused_a_tool_is_told_so_and_goes_on(loops, client):
    client.plays(f"{STEPS[0]}; {client.tells('denied')}", f"{STEPS[1]}; {STEPS[2]}; {ends()}")
    run = loops.start(agent=())
    assert (run.reason, [each.kind for each in run.iterations]) == ("success", ["permission_denied", "done"])
    assert REFUSED not in client.heard(1)
    assert f"- {REFUSED}" in client.heard(2) and "Find another way" in client.heard(2)


@pytest.mark.check
def test_what_no_rule_allows_is_told_as_that(loops, client):
    client.plays(client.tells("denied_for_good"), ends())
    run = loops.start(agent=(), limits={"iterations": 2})
    what = run.iterations[0].forbidden[-1]
    assert f"- {what} (no rule allows it)" in client.heard(2) and run.iterations[0].denied == []


@pytest.mark.check
def test_an_agent_that_gets_nowhere_for_refusals_is_ended_with_the_command_that_allows_them(loops, client):
    client.plays(client.tells("denied"))
    run = loops.start(agent=(), limits={"no_progress": 9})
    assert (run.reason, len(run.iterations)) == ("permission_denied", decision.DENIALS)
    assert REFUSED in run.why and "ralph-mem ralph resume --allow " in "\n".join(display.ended(run))
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


def test_refusals_end_a_run_no_later_than_any_other_lack_of_progress(loops, client):
    client.plays(client.tells("denied"))
    run = loops.start(agent=(), limits={"no_progress": 1})
    assert (run.reason, len(run.iterations)) == ("permission_denied", 1)


@pytest.mark.check
def test_what_a_person_allows_is_accepted_first_and_the_run_goes_on_with_it(loops, client):
    client.plays(client.tells("denied"))
    run = loops.start(agent=(), allow=("Bash(make:*)",), limits={"no_progress": 1})
    prospect = prospects.again(loops.project, run, [REFUSED])
    assert not prospect.accepted and f"the agent may: {REFUSED}" in prospect.shown

    prospects.accept(loops.project, prospect, prospects.short(prospect))
    assert prospects.again(loops.project, run, [REFUSED]).accepted
    client.plays(f"{'; '.join(STEPS)}; {ends()}")
    gone_on = headless.resume(loops.project, loops.values(), loops.latest(), allow=[REFUSED])
    argv = client.argv()[-1]
    assert gone_on.reason == "success"
    assert argv[argv.index("--allowedTools") + 1 :] == ["Bash(./check.sh:*)", "Bash(make:*)", REFUSED]
    assert f"- {REFUSED}" not in client.heard(2)


def test_a_rule_to_type_is_quoted_for_a_shell_and_holds_nothing_that_steers_a_terminal():
    steers = "Bash(printf \x1b[2J)"
    run = fold(entries(iteration(1, failing_tests(3), kind="permission_denied", denied=["Bash(a 'b')", steers])))
    step = display.next_step(fold([*entries(*run.iterations), {"what": "end", "at": 1, "reason": "permission_denied"}]))
    assert f"--allow {shlex.quote(run.iterations[0].denied[0])}`" in step and "\x1b" not in step


def test_a_record_of_a_release_that_stopped_at_the_first_refusal_is_decided_as_it_was():
    run = fold(entries(iteration(1, failing_tests(3), kind="permission_denied"), baseline=[failing_tests(5)]))
    assert decision.decide(run, after(run)).reason == "permission_denied"
