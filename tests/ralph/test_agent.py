"""Any other agent: how its command line gets the prompt, and what its output means."""

import json
import time
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from ralph_mem.core.errors import LoopError
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph.agents import command
from tests import clock

ODD_PROMPT = "--help 'a' \"b\" $(touch x) `id` ; rm -rf . \\ {prompt_file}\n---\né"


@pytest.fixture
def desk(tmp_path):
    """Make a folder in which agents can be written, and return what runs one of them."""

    class Desk:
        folder = tmp_path / "shop"

        def script(self, text, name="agent"):
            path = tmp_path / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
            return str(path)

        def run(self, template, prompt="Make the tests pass", seconds=20, **more):
            return command.run(template, prompt, str(self.folder), {"PATH": "/usr/bin:/bin"}, seconds, **more)

    Desk.folder.mkdir()
    return Desk()


def test_the_prompt_is_one_argument_whatever_it_holds(desk):
    answer = desk.run(desk.script('printf "%s|" "$@"') + " --message={prompt} 'two words'", ODD_PROMPT)
    assert answer.kind == "done"
    assert answer.message == f"--message={ODD_PROMPT}|two words|"
    assert list(desk.folder.iterdir()) == []


def test_without_a_place_for_it_the_prompt_is_given_on_stdin(desk):
    assert desk.run(desk.script("cat"), ODD_PROMPT).message == ODD_PROMPT


def test_a_prompt_file_holds_the_prompt_is_its_owners_alone_and_goes_away(desk):
    answer = desk.run(desk.script('stat -c %a "$1"; echo "$1"; cat "$1"') + " {prompt_file}", ODD_PROMPT)
    mode, path, text = answer.message.split("\n", 2)
    assert (mode, text) == ("600", ODD_PROMPT)
    assert not Path(path).exists() and desk.folder not in Path(path).parents


def test_an_agent_that_gets_the_prompt_elsewhere_is_not_fed_by_stdin(desk):
    assert desk.run(desk.script('cat; echo "$1"') + " {prompt}", "hello").message == "hello"


def test_a_prompt_that_is_too_long_for_an_argument_is_told_how_to_be_given(desk):
    answer = desk.run(desk.script("true") + " {prompt}", "x" * 200_000)
    assert answer.kind == "error" and "{prompt_file}" in answer.why
    assert desk.run(desk.script("wc -c") + " ", "x" * 200_000).message == "200000"


def test_no_shell_sees_the_template(desk):
    answer = desk.run("printf %s, $(touch${IFS}x);touch y && touch z")
    assert answer.message == "$(touch${IFS}x);touch,y,&&,touch,z,"
    assert list(desk.folder.iterdir()) == []


def test_the_outer_session_stays_out(desk):
    around = {"PATH": "/usr/bin:/bin", "CLAUDECODE": "1", "RALPH_MEM_LOOP": "r/1"}
    told = command.run("env", "x", str(desk.folder), around, 20).message
    assert "RALPH_MEM_LOOP=r/1" in told and "CLAUDECODE" not in told


def test_an_exit_code_is_an_error_with_the_end_of_what_was_complained_of(desk):
    answer = desk.run(desk.script("echo half; echo 'no such model' >&2; exit 2"))
    assert answer[:3] == ("error", "half", None)
    assert answer.why == "the agent ended with exit code 2: no such model"


def test_a_report_in_the_last_line_is_understood(desk):
    report = {"result": "All green", "is_error": False, "total_cost_usd": 0.25, "num_turns": 3, "session_id": "s", "tokens": 70}
    answer = desk.run(desk.script(f"echo working; cat <<'EOF'\n{json.dumps(report)}\nEOF"))
    assert answer[:5] == ("done", "All green", 0.25, 70, 3) and answer.session == "s"


def test_a_report_of_an_error_is_an_error_though_the_code_is_zero(desk):
    answer = desk.run(desk.script("""echo '{"result": "no key", "is_error": true}'"""))
    assert (answer.kind, answer.why) == ("error", "the agent reports: no key")


def test_an_end_that_only_looks_like_a_report_is_the_message(desk):
    assert desk.run(desk.script("echo '{broken'")).message == "{broken"


def test_at_the_limit_what_was_said_is_kept_and_all_it_started_is_gone(desk):
    mark = f"sleep 3{time.time_ns() % 10**6}"
    watch = clock.Watch()
    answer = desk.run(desk.script(f"echo started; {mark} & {mark}"), seconds=0.5)
    assert (answer.kind, answer.message) == ("time", "started") and answer.seconds - watch.lost() < 3
    assert not any(mark.encode().replace(b" ", b"\0") in line for line in _command_lines())


def _command_lines():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes()
        except OSError:
            continue


def test_an_agent_is_stopped_when_the_loop_is(desk):
    watch = clock.Watch()
    answer = desk.run(desk.script("sleep 30"), stopped=lambda: True)
    assert answer.kind == "stopped" and answer.seconds - watch.lost() < 3


def test_its_output_is_told_line_by_line_without_what_moves_a_terminal(desk):
    lines = []
    desk.run(desk.script(r"printf 'one\n\033[2Jtwo\n\n'"), told=lines.append)
    assert lines == ["one", "two"]


def test_of_one_that_prints_to_stderr_alone_that_is_told(desk):
    lines = []
    desk.run(desk.script("echo one >&2; echo two >&2"), told=lines.append)
    assert lines == ["one", "two"]


@pytest.mark.parametrize("template", ["", "  ", "agent 'open", "{prompt} x", "{prompt}"])
def test_a_template_that_names_no_program_is_refused_before_anything_runs(desk, template):
    with pytest.raises(LoopError) as refused:
        command.parse(template)
    assert refused.value.hint
    assert desk.run(template).kind == "missing"


def test_an_agent_that_is_not_there_is_missing(desk):
    answer = desk.run("no-such-agent {prompt}")
    assert answer.kind == "missing" and "no-such-agent" in answer.why


@hypothesis.settings(max_examples=60)
@hypothesis.given(st.binary(max_size=80), st.sampled_from([0, 1, -9]))
def test_any_output_has_an_answer_that_can_be_stored(output, code):
    answer = command.answer_of(
        launch.process.Outcome(code, output + b'\n{"cost_usd": Infinity, "result": "\\ud800"}', output, 1.0, "", 0)
    )
    assert answer.kind in {"done", "error"} and answer.cost is None
    assert json.dumps(answer, allow_nan=False, ensure_ascii=False).encode()
