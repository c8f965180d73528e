"""The real client without a person, started by `claude.run` against a scripted API."""

import pytest

from ralph_mem.hosts.claude_code import launch
from tests import clock

from .client import PINNED_VERSION, eventually
from .messages_api import call, refuse, say, text_of

# The client waits for seconds before it asks again; the tests do not.
AT_ONCE = {"CLAUDE_CODE_MAX_RETRIES": "0"}


@pytest.fixture
def agent(client):
    """Run the real client as a loop does: `agent(prompt, **limits)`; nothing of it may be left."""

    def run(prompt="Make the ledger agree", seconds=60, extra=None, **more):
        environment = client.environment(RALPH_MEM_CLAUDE=client.binary, RALPH_MEM_LOOP="run/1", **(extra or {}))
        return launch.run(prompt, str(client.project), environment, seconds, **more)

    yield run
    eventually(lambda: not client.survivors(), 3, otherwise=lambda: f"left behind: {client.survivors()}")


def test_the_client_edits_without_asking_and_its_turn_is_told(agent, api, a_project):
    api.play({"turns": [call(("Write", {"file_path": "fix.txt", "content": "x"})), say("Fixed.\nRALPH-DONE")]})
    lines = []
    answer = agent(told=lines.append)
    assert (a_project / "fix.txt").read_text() == "x"
    assert (answer.kind, answer.message, answer.why, answer.denials) == ("done", "Fixed.\nRALPH-DONE", "", ())
    assert answer.cost > 0 and answer.tokens == 204 and answer.turns == 2 and answer.version == PINNED_VERSION
    assert lines == ["Write: fix.txt", "Fixed. RALPH-DONE"]


def test_a_prompt_of_any_length_and_beginning_reaches_the_model(agent, api):
    prompt = "/clear --help\n---\n'$(touch x)' `id`\n" + "word " * 60_000 + "the end"
    assert agent(prompt).kind == "done"
    assert prompt in text_of(api.requests("main")[0])


COMMANDS = (
    "npm test -- --version",
    "python3 -m compileall -q pricing && python3 check_prices.py 2>&1 | tail -2",
    "FOO=1 make --version > log.txt",
    "python3 -c 'print((1))'",
    "for i in 1 2; do make --version; done",
    "curl --version > version.txt",
)


def test_the_rules_that_are_named_let_the_same_calls_through(agent, api, tmp_path):
    outside = tmp_path / "outside.txt"
    calls = [*(("Bash", {"command": command}) for command in COMMANDS), ("Write", {"file_path": str(outside), "content": "x"})]
    api.play({"turns": [*(call(one) for one in calls), say("I could not.")]})
    refused = agent()
    assert refused.kind == "permission_denied" and len(refused.denials) == len(calls) + 1 and not outside.exists()

    api.play({"turns": [*(call(one) for one in calls), say("Done.")]})
    allowed = agent(allow=refused.denials)
    assert (allowed.kind, allowed.denials) == ("done", ()) and outside.exists()


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refuse(429, "rate_limit_error", "too many requests"), "rate_limited"),
        (refuse(529, "overloaded_error", "overloaded"), "rate_limited"),
        (refuse(400, "invalid_request_error", "429 rate_limit_error"), "error"),
        (refuse(401, "authentication_error", "invalid key"), "locked_out"),
    ],
)
def test_what_the_api_refuses_is_told_apart_by_its_status(agent, api, reply, kind):
    api.play({"turns": [call(("Bash", {"command": "echo rate_limit"})), *([reply] * 20)]})
    answer = agent(extra=AT_ONCE)
    assert answer.kind == kind and answer.why


def test_a_key_that_is_refused_is_not_tried_for_minutes(agent, api):
    api.play({"turns": [refuse(401, "authentication_error", "invalid x-api-key")] * 20})
    watch = clock.Watch()
    answer = agent(seconds=90)
    assert answer.kind == "locked_out" and answer.seconds - watch.lost() < 20
    assert "authentication failed (401)" in answer.why and "ANTHROPIC_API_KEY" in answer.why and "claude /login" in answer.why


def test_a_client_that_waits_for_a_command_without_a_word_is_ended_with_it(agent, api, a_project):
    api.play(
        {
            "turns": [
                call(("Write", {"file_path": "half.txt", "content": "x"})),
                call(("Bash", {"command": "touch begun; while :; do sleep 1; done"})),
            ]
        }
    )
    answer = agent(seconds=60, silence=6, allow=["Bash"])
    assert answer.kind == "silent" and (a_project / "half.txt").exists()


def test_the_client_stops_at_its_budget(agent, api):
    turns = [call(("Write", {"file_path": "a.txt", "content": str(n)}), usage={"input_tokens": 200_000}) for n in range(5)]
    api.play({"turns": turns})
    answer = agent(cost=0.5)
    assert answer.kind == "cost" and answer.cost > 0.5
    assert len(api.requests("main")) < 5


def test_at_the_limit_of_time_the_client_is_gone_with_all_that_it_started(agent, api, a_project):
    left_running = "touch started; setsid sleep 60 & sleep 60"
    api.play({"turns": [call(("Bash", {"command": left_running}))]})
    watch = clock.Watch()
    answer = agent(seconds=12, allow=["Bash"])  # in which the client has begun on any machine
    assert answer.kind == "time" and answer.seconds - watch.lost() < 14
    assert (a_project / "started").exists()
