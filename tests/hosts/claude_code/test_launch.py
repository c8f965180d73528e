"""Claude Code without a person: what it is given, what its records mean. The records are those of a real client, 2.1.329."""

import json
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from ralph_mem.hosts.claude_code import launch
from ralph_mem.hosts.claude_code.launch import permissions, stream
from tests import clock
from tests.folded import folded

RECORDS = Path(__file__).parent / "records"
NAMES = sorted(path.stem for path in RECORDS.glob("*.jsonl"))

CLIENT = """\
#!/bin/sh
printf '%s\\n' "$@" >"$NOTES/argv"
env >"$NOTES/env"
cat >"$NOTES/stdin"
{first}
cat "$NOTES/told"
{then}
exit {code}
"""


class Desk:
    """A client that tells what it is given to tell, and what it was told itself."""

    def __init__(self, folder):
        self.notes, self.bin, self.project = folder / "notes", folder / "bin", folder / "shop"
        for path in (self.notes, self.bin, self.project):
            path.mkdir()
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(folder), "NOTES": str(self.notes)}
        self.tells("done")

    def tells(self, record, code=0, first="", then=""):
        """Let the client tell a record by name, or any lines, and leave with a code."""
        lines = (RECORDS / f"{record}.jsonl").read_text() if record in NAMES else record
        (self.notes / "told").write_text(lines)
        self.script(CLIENT.format(first=first, then=then, code=code))

    def script(self, text, name="claude"):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, prompt="Make the tests pass", seconds=20, **more):
        return launch.run(prompt, str(self.project), self.environment, seconds, **more)

    def note(self, name):
        return (self.notes / name).read_text()

    def argv(self):
        return self.note("argv").splitlines()


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


# What it is given


def test_the_prompt_goes_in_by_stdin_whole_and_unchanged(desk):
    prompt = "--help\n---\n'\"; $(touch x) `id` \\ é\n" + "x" * 300_000
    assert desk.run(prompt).kind == "done"
    assert desk.note("stdin") == prompt
    assert "--help" not in desk.argv()


def test_a_prompt_is_never_taken_for_a_command_of_the_client(desk):
    desk.run("/clear all warnings")
    assert desk.note("stdin") == "\n/clear all warnings"


def test_it_may_edit_files_and_do_what_it_was_allowed_and_nothing_is_skipped(desk):
    desk.run(cost=1.5, allow=["Bash(npm test:*)", " ", "WebFetch(domain:a.example)"], more=["--model", "opus"])
    argv = desk.argv()
    assert argv[:6] == ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"]
    assert argv[8:] == [
        *("--max-budget-usd", "1.5000", "--model", "opus"),
        *("--allowedTools", "Bash(npm test:*)", "WebFetch(domain:a.example)"),
    ]


def test_each_run_is_a_session_of_its_own(desk):
    sessions = set()
    for _ in range(2):
        desk.run()
        sessions.add(desk.argv()[desk.argv().index("--session-id") + 1])
    assert len(sessions) == 2


@pytest.mark.parametrize("more", [["--dangerously-skip-permissions"], ["--permission-mode", "bypassPermissions"]])
def test_skipping_permissions_is_not_passed_on(desk, more):
    answer = desk.run(more=more)
    assert answer.kind == "error" and "is not passed on" in answer.why
    assert not (desk.notes / "argv").exists()


def test_a_rule_that_is_an_option_is_refused(desk):
    answer = desk.run(allow=["--dangerously-skip-permissions"])
    assert answer.kind == "error" and "no permission rule" in answer.why


def test_an_empty_prompt_starts_nothing(desk):
    assert desk.run("  \n").why == "the prompt is empty"
    assert not (desk.notes / "argv").exists()


def test_what_cannot_be_paid_for_is_not_started(desk):
    assert desk.run(cost=0.0)[:3] == ("cost", "", 0.0)
    assert not (desk.notes / "argv").exists()


def test_the_session_that_a_loop_is_started_from_stays_out_of_the_agents(desk):
    desk.environment.update(CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="outer", CLAUDE_CODE_ENTRYPOINT="cli")
    desk.environment.update(ANTHROPIC_API_KEY="dummy", RALPH_MEM_LOOP="run/1", CLAUDE_CONFIG_DIR="/home/ada/c")
    desk.run()
    given = dict(line.partition("=")[::2] for line in desk.note("env").splitlines())
    assert not {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"} & set(given)
    assert (given["ANTHROPIC_API_KEY"], given["RALPH_MEM_LOOP"], given["CLAUDE_CONFIG_DIR"]) == ("dummy", "run/1", "/home/ada/c")


# What its records mean


def test_a_turn_that_ends_well_tells_its_message_cost_tokens_and_session(desk):
    answer = desk.run()
    assert answer.kind == "done" and answer.why == "" and answer.denials == ()
    assert answer.message == "All done.\nRALPH-DONE"
    assert (round(answer.cost, 6), answer.tokens, answer.turns) == (0.0012, 204, 2)
    assert (answer.session, answer.version) == ("11111111-2222-4333-8444-555555555555", "2.1.329")


def test_what_a_background_task_adds_after_the_first_end_is_counted(desk):
    desk.tells("done_in_two_turns")
    answer = desk.run()
    assert (answer.message, round(answer.cost, 6), answer.turns) == ("Done.", 0.0066, 9)
    assert answer.denials == ("Read(//etc/passwd)",)  # only the first of both ends tells of it


KINDS = {
    "done": "done",
    "done_in_two_turns": "permission_denied",
    "denied": "permission_denied",
    "denied_by_rule": "done",
    "denied_by_hook": "done",
    "denied_for_good": "done",
    "error_400": "error",
    "error_401": "locked_out",
    "error_500": "error",
    "not_logged_in": "locked_out",
    "over_turns": "error",
    "interrupted": "error",
    "terminated": "error",
    "a_command": "error",
    "blocked_by_hook": "error",
    "overloaded": "rate_limited",
    "limited": "rate_limited",
    "limited_at_once": "rate_limited",
    "limited_until": "rate_limited",
    "limited_and_waiting": "rate_limited",
    "over_budget": "cost",
}


@pytest.mark.parametrize("name", NAMES)
def test_each_way_in_which_the_client_ends_is_told_from_the_others(desk, name):
    desk.tells(name, code=0 if KINDS[name] == "done" else 1)
    answer = desk.run()
    assert answer.kind == KINDS[name]
    assert name == "done" or answer.why
    assert "\n" not in answer.why


def test_the_end_of_a_usage_limit_is_known_to_the_millisecond(desk):
    desk.tells("limited_until", code=1)
    info = next(record for record in map(json.loads, desk.note("told").splitlines()) if record["type"] == "rate_limit_event")
    answer = desk.run()
    assert answer.resets_at == info["rate_limit_info"]["resetsAt"] * 1000
    assert "You've hit your 5-hour limit" in answer.why


def test_words_about_rate_limits_are_no_rate_limit(desk):
    text = "API Error: 429 rate_limit_error, You've hit your 5-hour limit"
    desk.tells(desk.note("told").replace("All done.", text))
    answer = desk.run()
    assert answer.kind == "done" and text in answer.message


def test_words_about_rate_limits_do_not_make_one_of_a_crash(desk):
    desk.tells('{"type":"user","message":{"content":"429 rate_limit"}}\n', code=3, then="echo rate_limit 429 >&2")
    answer = desk.run()
    assert (answer.kind, answer.why) == ("error", "claude ended with exit code 3 and gave no result: rate_limit 429")


def test_a_warning_that_a_limit_is_near_is_no_limit(desk):
    near = {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed_warning", "resetsAt": 1795311629}}
    desk.tells(json.dumps(near) + "\n" + desk.note("told"))
    assert desk.run()[0::6][:2] == ("done", 0)


def test_a_budget_that_is_used_up_tells_what_was_spent_and_read(desk):
    desk.tells("over_budget", code=1)
    answer = desk.run(cost=0.5)
    assert (answer.kind, answer.cost, answer.tokens) == ("cost", 0.9, 205_000)


def test_the_tokens_of_every_model_that_took_part_are_counted(desk):
    desk.tells(desk.note("told").replace('"modelUsage": {', '"modelUsage": {"claude-small": {"inputTokens": 1000}, '))
    assert desk.run().tokens == 1204


@pytest.mark.parametrize("name", ["error_500", "limited"])
def test_an_error_is_one_whatever_the_exit_code(desk, name):
    desk.tells(name, code=0)
    assert desk.run().kind == KINDS[name]


def test_of_long_complaints_the_last_whole_lines_are_kept(desk):
    desk.tells(
        "interrupted",
        code=1,
        then="for i in 1 2 3 4 5 6 7 8 9; do echo trace $i of a very long story >&2; done; echo the cause >&2",
    )
    answer = desk.run()
    assert answer.why.endswith("trace 9 of a very long story the cause")
    assert len(answer.why) <= launch.MOST_WHY and ": trace" in answer.why


def test_the_work_counts_though_the_client_crashes_afterwards(desk):
    desk.tells("done", code=139)
    assert desk.run().kind == "done"


def test_leaving_with_zero_and_without_a_result_is_no_success(desk):
    desk.tells("interrupted", code=0)
    answer = desk.run()
    assert answer.kind == "error" and answer.why == "claude ended with exit code 0 and gave no result"


def test_a_crash_in_what_follows_the_first_end_is_an_error(desk):
    first, *rest = desk.note("told").splitlines(keepends=True)
    desk.tells("".join([first, *rest, rest[0]]), code=1)
    assert desk.run().kind == "error"


def test_a_prompt_that_a_hook_kept_from_the_model_did_nothing(desk):
    desk.tells("blocked_by_hook")
    assert desk.run().why.startswith("the prompt did not reach the model: UserPromptSubmit operation blocked by hook")


def test_an_error_keeps_what_the_agent_said_and_not_what_the_client_says_for_it(desk):
    said = {
        "type": "assistant",
        "parent_tool_use_id": None,
        "message": {"id": "m", "content": [{"type": "text", "text": "Half way"}]},
    }
    desk.tells(json.dumps(said) + "\n" + (RECORDS / "error_500.jsonl").read_text(), code=1)
    answer = desk.run()
    assert answer.message == "Half way" and "Internal server error" in answer.why


def test_a_killed_client_is_named_with_its_signal(desk):
    desk.tells("terminated", then="kill -9 $$")
    assert desk.run().why == "claude was ended by signal 9 and gave no result"


# Permissions


def test_a_refused_call_names_the_rule_to_add(desk):
    desk.tells("denied")
    answer = desk.run()
    assert answer.denials == (
        "Bash(npm test:*)",
        "WebFetch(domain:example.com)",
        "Bash(FOO=1 make all:*)",
        "Bash(tee log)",
        "Bash(git push:*)",
        "Edit(//etc/zzz)",
    )
    assert "Bash(npm test:*)" in answer.why


@pytest.mark.parametrize("name", ["denied_by_rule", "denied_by_hook", "denied_for_good"])
def test_what_is_forbidden_on_purpose_asks_for_no_rule(desk, name):
    desk.tells(name)
    answer = desk.run()
    assert answer.kind == "done" and answer.denials == ()
    assert answer.why.startswith("it was refused what no permission rule allows: ")


@folded(
    ("command", "expected"),
    [
        ("npm test -- --run", ["npm test:*"]),
        ("npm run build && npm test 2>&1 | tail -3", ["npm run build:*", "npm test:*"]),
        ("cd sub && FOO=1 make all > log.txt", ["FOO=1 make all:*"]),
        ("python3 -m pytest -q tests", ["python3 -m pytest:*"]),
        ("python3 check.py --all", ["python3 check.py:*"]),
        ("python3 -c 'print((1))'", ["python3 -c 'print((1))'"]),
        ("./check.sh --all", ["./check.sh:*"]),
        ("uv run pytest -q", ["uv run pytest:*"]),
        ("git commit -m 'a; b | c'", ["git commit:*"]),
        ("git -C elsewhere push", ["git -C elsewhere push"]),
        ("rm -rf build", ["rm -rf build"]),
        ("sudo make install > log.txt", ["sudo make install"]),
        ("bash", ["bash"]),
        ("for i in 1 2; do make all; done", ["make all:*"]),
        ("cat /etc/hosts", ["cat /etc/hosts"]),
    ],
)
def test_the_rule_for_a_command_is_no_wider_than_what_it_does(command, expected):
    assert permissions.of_command(command) == [f"Bash({rule})" for rule in expected]


@folded("command", ["echo $(make)", "echo `make`", "(make)", "make &", "cat <<EOF | sh\nx\nEOF", "make 'x", "", "x" * 999])
def test_no_rule_is_named_where_none_would_help(command):
    assert permissions.of_command(command) == []


def test_a_file_outside_of_the_folder_is_named_and_one_inside_is_not():
    assert permissions.rules_for("Write", {"file_path": "src/a.py"}, "/home/ada/shop") == ["Edit"]
    beside = permissions.rules_for("Write", {"file_path": "/home/ada/shop2/a.py"}, "/home/ada/shop")
    assert beside == ["Edit(//home/ada/shop2/a.py)"]
    assert permissions.rules_for("Edit", {"file_path": "../a.py"}, "/home/ada/shop") == ["Edit(//home/ada/a.py)"]


def test_a_tool_of_a_server_is_allowed_by_its_name():
    assert permissions.rules_for("mcp__wiki__read", {"page": 1}, "/x") == ["mcp__wiki__read"]


# Limits of time


def test_at_the_limit_of_time_what_was_said_so_far_is_kept(desk):
    desk.tells("".join(desk.note("told").splitlines(keepends=True)[:-1]), then="sleep 30")
    watch = clock.Watch()
    answer = desk.run(seconds=0.6)
    assert (answer.kind, answer.message, answer.cost, answer.tokens) == ("time", "All done.\nRALPH-DONE", None, 204)
    assert answer.seconds >= 0.6 and answer.seconds - watch.lost() < 2


def test_a_client_that_waits_for_the_api_until_its_time_is_up_is_limited(desk):
    desk.tells("limited_and_waiting", then="sleep 30")
    assert desk.run(seconds=0.6).kind == "rate_limited"


def test_a_client_that_would_wait_for_hours_is_not_waited_for(desk):
    retry = {"type": "system", "subtype": "api_retry", "retry_delay_ms": 7_200_000, "error_status": 429, "error": "rate_limit"}
    desk.tells(json.dumps(retry) + "\n", then="sleep 30")
    watch = clock.Watch()
    answer = desk.run(seconds=25)
    assert answer.kind == "rate_limited" and answer.seconds - watch.lost() < 5
    assert answer.why == "the API takes no more for now: the client would wait 7200 s"


def test_a_loop_that_is_stopped_stops_the_client(desk):
    desk.tells("interrupted", then="sleep 30")
    watch = clock.Watch()
    answer = desk.run(stopped=lambda: watch.seconds() > 0.4)
    assert answer.kind == "stopped" and answer.seconds - watch.lost() < 5


def a_retry(status, error, attempt=1):
    told = {"type": "system", "subtype": "api_retry", "attempt": attempt, "retry_delay_ms": 500, "error_status": status}
    return json.dumps({**told, "error": error}) + "\n"


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_accepted_is_not_tried_until_the_time_is_up(desk, status):
    desk.environment["ANTHROPIC_API_KEY"] = "sk-not-to-be-told"
    desk.tells(a_retry(status, "authentication_failed") + a_retry(status, "authentication_failed", 2), then="sleep 30")
    watch = clock.Watch()
    answer = desk.run(seconds=25)
    assert answer.kind == "locked_out" and answer.seconds - watch.lost() < 5
    assert f"authentication failed ({status})" in answer.why and "ANTHROPIC_API_KEY" in answer.why and "sk-not" not in answer.why


def test_without_a_key_it_is_the_login_that_has_to_be_made(desk):
    desk.tells("not_logged_in", code=1)
    assert "`claude /login`" in desk.run().why


def test_a_login_that_is_renewed_meanwhile_ends_nothing(desk):
    desk.tells(a_retry(401, "authentication_failed") + desk.note("told"), first="sleep 0.3")
    assert desk.run().kind == "done"


def test_errors_of_a_server_are_left_to_the_client(desk):
    desk.tells(a_retry(500, "server_error") + a_retry(500, "server_error", 2) + desk.note("told"))
    assert desk.run().kind == "done"


def test_a_client_that_tells_nothing_for_too_long_is_ended_and_what_it_said_is_kept(desk):
    desk.tells("".join(desk.note("told").splitlines(keepends=True)[:-1]), then="sleep 30")
    watch = clock.Watch()
    answer = desk.run(seconds=25, silence=0.6)
    assert (answer.kind, answer.message) == ("silent", "All done.\nRALPH-DONE") and answer.seconds - watch.lost() < 5


def test_a_client_that_waits_for_its_limit_is_limited_and_not_silent(desk):
    desk.tells("limited_and_waiting", then="sleep 30")
    assert desk.run(seconds=25, silence=0.6).kind == "rate_limited"


# The live display


def test_a_line_is_told_for_each_thing_that_it_does(desk):
    lines = []
    desk.run(told=lines.append)
    assert lines == ["Write: a.txt", "All done. RALPH-DONE"]


def test_a_told_line_cannot_move_the_terminal(desk):
    lines = []
    desk.tells(desk.note("told").replace("All done.", "\\u001b[2J\\u001b]0;x\\u0007" + "word " * 999))
    desk.run(told=lines.append)
    assert stream.MOST_LINE - 5 <= len(lines[1]) <= stream.MOST_LINE and lines[1].isprintable()
    assert lines[1].endswith("word...")


# Where it is


def test_without_a_client_it_says_how_to_get_one(desk):
    (desk.bin / "claude").unlink()
    answer = desk.run()
    assert answer.kind == "missing" and "install Claude Code" in answer.why
    assert launch.preflight(desk.environment) == [answer.why]


@pytest.mark.parametrize("place", [".claude/local/claude", ".local/bin/claude"])
def test_it_is_found_where_it_installs_itself(desk, place):
    target = Path(desk.environment["HOME"], place)
    target.parent.mkdir(parents=True)
    (desk.bin / "claude").rename(target)
    assert launch.find(desk.environment) == str(target)


def test_the_one_that_is_named_comes_first_and_alone(desk):
    desk.script("#!/bin/sh\n", "other")
    assert launch.find({**desk.environment, "RALPH_MEM_CLAUDE": str(desk.bin / "other")}) == str(desk.bin / "other")
    assert launch.find({**desk.environment, "RALPH_MEM_CLAUDE": "nowhere"}) == ""
    assert "names nowhere" in launch.preflight({**desk.environment, "RALPH_MEM_CLAUDE": "nowhere"})[0]


@pytest.mark.parametrize(
    ("told", "expected"), [("2.1.329 (Claude Code)", ""), ("2.0.27 (Claude Code)", "2.0.28 or newer"), ("hello", "does not tell")]
)
def test_a_client_that_is_too_old_is_told_beforehand(desk, told, expected):
    desk.script(f"#!/bin/sh\necho '{told}'\n")
    problems = launch.preflight(desk.environment)
    assert len(problems) == bool(expected) and all(expected in problem for problem in problems)


def test_a_client_that_cannot_be_started_is_an_error_with_a_reason(desk):
    desk.script("#!/nonexistent/interpreter\n")
    answer = desk.run()
    assert answer.kind == "error" and "claude" in answer.why


def test_a_person_can_read_what_the_agent_may_do():
    assert launch.may(["Bash(npm test:*)"]).startswith("it may edit files in this folder, and Bash(npm test:*);")


# Anything at all

LINES = [line for name in NAMES for line in (RECORDS / f"{name}.jsonl").read_bytes().splitlines()]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["result", "assistant", "\ud800"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def damaged_lines(draw):
    """Draw lines of real records, some cut, some with another value at one place, some invented."""
    lines = []
    for line in draw(st.lists(st.sampled_from(LINES), max_size=6)):
        how = draw(st.integers(0, 3))
        record = json.loads(line)
        if how == 1:
            lines.append(line[: draw(st.integers(0, len(line)))])
            continue
        if how == 2:
            place = record
            for _ in range(draw(st.integers(0, 3))):
                deeper = [key for key, value in place.items() if isinstance(value, dict) and value]
                place = place[draw(st.sampled_from(deeper))] if deeper else place
            place[draw(st.sampled_from(sorted(place)))] = draw(JSON)
        elif how == 3:
            record = draw(JSON)
        lines.append(json.dumps(record).encode())
    return lines


def heard_of(lines):
    heard = stream.Stream(lambda line: line.encode())
    for line in lines:
        heard.hear(line)
    return launch.answer_of(launch.process.Outcome(0, b"", b"", 1.0, "", 0), heard, "/home/ada/shop", {})


def never_raises(lines):
    answer = heard_of(lines)
    assert answer.kind in launch.KINDS
    assert json.loads(json.dumps(answer, allow_nan=False, ensure_ascii=False).encode())


@hypothesis.settings(max_examples=200)
@hypothesis.given(damaged_lines())
def test_a_damaged_stream_has_an_answer_that_can_be_stored(lines):
    never_raises(lines)


@pytest.mark.nightly
@hypothesis.settings(max_examples=10_000)
@hypothesis.given(damaged_lines())
def test_any_of_ten_thousand_damaged_streams_has_an_answer_that_can_be_stored(lines):
    never_raises(lines)


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b"null", b'"x"', b"\xff\xfe", b"", b'{"type": ["result"]}', b'{"type": "result"}']
)
def test_a_line_that_is_no_record_is_passed_over(line):
    never_raises([line])


@hypothesis.settings(max_examples=200)
@hypothesis.given(st.text(alphabet="ab $`'\"()|&;<>\\\n=-", max_size=40))
def test_no_command_is_too_odd_for_a_rule(command):
    assert all(rule.startswith("Bash(") and "\n" not in rule for rule in permissions.of_command(command))
