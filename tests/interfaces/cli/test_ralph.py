"""ralph: what would be run is shown and accepted first, a loop ends for a reason that its code tells, and every file comes back."""

import json
import os
import pty
import re
import shlex
import signal
import sys

import pytest
import typer

from ralph_mem.interfaces.cli import app, contents
from ralph_mem.ralph import stop_reasons
from ralph_mem.ralph.criteria import acceptance, finding
from tests import clock
from tests.hook import MARK
from tests.interfaces.cli.situations import PIPES, Person, seconds

CHECK = "#!/bin/sh\ngrep -q mended state && exit 0\necho 'the state is not mended'\nexit 1\n"
# Agents. Each is a program of its own: the loop knows nothing of them but what they print and change.
AGENTS = {
    "mends": "echo mended > state; echo I mended it.",
    "mends later": 'echo x >> tries; [ "$(wc -l < tries)" -ge 2 ] && echo mended > state; echo I tried.',
    "tries": 'echo "$$" >> tries; echo I tried.',
    "idles": "echo I looked.",
    "fails": "echo I cannot >&2; exit 3",
    "is dear": """echo "$$" >> tries; echo '{"result": "I tried.", "cost_usd": 1.0}'""",
    "sleeps": "echo begun > begun; sleep 60",
}
# A client of two words: its version, and a turn in which it was refused what nobody had allowed.
REFUSED = """#!/bin/sh
[ "$1" = --version ] && echo "2.1.329 (Claude Code)" && exit 0
cat > /dev/null
echo '{"type": "result", "subtype": "success", "is_error": false, "result": "I may not.", "num_turns": 1, "total_cost_usd": 0.02,
"permission_denials": [{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "npm test"}}]}' | tr -d '\\n'
"""
ROOM = "in a room"  # among the options of a loop: it works as it does where nothing else is said
HOSTILE = {
    "a command": "$(touch made) `touch made`; touch made && touch made | touch made",
    "quotes": "say \"it's\" 'done' \\\" \\' \\",
    "lines": "one\ntouch made\n\n```sh\ntouch made\n```\n---\n",
    "an option": "-rf --max-iterations 99 -- --anyway",
    "a leading dash": "--help",
    "markup": "[bold red]x[/] {0} %s {prompt} {prompt_file} </goal>",
}
# What is cut out: what steers a terminal, and what is no text.
CLEANED = {"a terminal": ("\x1b]0;owned\x07\x1b[2J red", " red"), "no text": (os.fsdecode(b"caf\xe9"), "caf?")}


def program(path, text):
    path.write_text(text if text.startswith("#!") else f"#!/bin/sh\ncat > /dev/null\n{text}\n")
    path.chmod(0o755)
    return str(path)


class Owner(Person):
    """A person with a project that has one check, which fails."""

    def agent(self, name):
        return program(self.folder / f"agent-{name.replace(' ', '-')}", AGENTS[name])

    def loop(self, name, goal="Mend the state.", *options, accepted=True, check="custom=./check.sh"):
        """Return the words that start a loop with this agent."""
        where = [] if ROOM in options else ["--here"]  # most of these are about files in the project
        options = [each for each in options if each != ROOM]
        words = ["ralph", "start", "--criteria", check, "--agent", self.agent(name), "--cooldown", "0", *where, *options]
        given = ["--accept", self.digits(f"agent: {self.agent(name)}", check=check)] if accepted else []
        return [*words, *given, "--", goal]

    def loop_of_claude(self):
        return ["ralph", "start", "Mend the state.", "--criteria", "custom=./check.sh", "--accept", self.digits()]

    def digits(self, *also, check="custom=./check.sh"):
        """Return what a person would have to type to accept this check."""
        found, _ = finding.find(str(self.project), [check])
        return acceptance.digest(found, str(self.project), also)[:12]

    def starts(self, name, *options, goal="Mend the state."):
        return self.cli(*self.loop(name, goal, *options))

    def terminal(self, **environment):
        # so that what a command leaves behind is known by its mark
        return super().terminal(**{MARK: self.environment[MARK], **environment})

    def files(self):
        """Return the files of the project, without what is remembered."""
        return {path.name: path.read_text() for path in self.project.iterdir() if path.is_file()}

    def record(self):
        """Return what the one run has written down."""
        (path,) = self.data.glob("loops/*/*.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def an_owner(tmp_path):
    person = Owner(tmp_path / "person")
    program(person.project / "check.sh", CHECK)
    (person.project / "state").write_text("broken\n")
    return person


def has_started(person):
    return bool(list(person.data.glob("loops/*/*.jsonl")))


# Before it begins


def test_where_nothing_ever_ran_that_is_the_status(an_owner):
    assert an_owner.reads("ralph", "status").startswith("No loop has run here yet")
    assert an_owner.json("ralph", "status") == {"id": None, "runs": []}
    assert "no loop is at work here" in an_owner.fails("ralph", "stop")
    assert "no loop has run here yet" in an_owner.fails("ralph", "resume")


def test_nothing_is_run_before_a_person_has_accepted_it(an_owner):
    (an_owner.project / "check.sh").write_text("#!/bin/sh\ntouch made\nexit 1\n")
    said = an_owner.cli(*an_owner.loop("mends", accepted=False))
    assert said.code == 1 and "./check.sh" in said.out and "agent-mends" in said.out
    digits = re.search(r"add --accept ([0-9a-f]{12})\n", said.err)[1]
    assert an_owner.files().keys() == {"check.sh", "state"} and not has_started(an_owner)
    assert an_owner.cli(*an_owner.loop("mends", "x", "--max-iterations", "1", "--accept", digits, accepted=False)).code == 10


@pytest.mark.parametrize("given", ["0123456789ab", "", "f", "zzzzzzzzzzzz", "the first eleven"])
def test_other_digits_accept_nothing(an_owner, given):
    given = given if given != "the first eleven" else an_owner.digits(f"agent: {an_owner.agent('mends')}")[:11]
    assert an_owner.cli(*an_owner.loop("mends", "x", f"--accept={given}", accepted=False)).code == 1
    assert not has_started(an_owner)


@pytest.mark.parametrize("option", ["--agent", "--criteria", "--notify"])
def test_a_command_that_holds_a_secret_is_refused_before_it_is_shown_or_kept(an_owner, option):
    (an_owner.project / ".env").write_text("LAMP_PASSWORD=wolfram-lantern-9\n")
    command = "custom=" * (option == "--criteria") + "sh -c 'echo wolfram-lantern-9'"
    said = an_owner.cli("ralph", "start", "Mend the state.", option, command)
    assert said.code and "wolfram" not in said.out + said.err and "put it into the environment or into a file" in said.err
    assert an_owner.files_that_hold("wolfram") == [".env"]


def test_a_secret_in_a_script_of_the_project_is_shown_to_accept_it_and_is_not_kept(an_owner):
    (an_owner.project / "Makefile").write_text("test:\n\tPGPASSWORD=wolfram-lantern-9 ./check.sh\n")
    words = ["ralph", "start", "Mend the state.", "--here", "--criteria", "test_pass", "--agent", an_owner.agent("mends")]
    shown = an_owner.cli(*words)
    assert "wolfram-lantern-9" in shown.out
    an_owner.reads(*words, "--no-snapshot", "--accept", re.search(r"--accept (\w+)", shown.err)[1])
    assert an_owner.files_that_hold("wolfram") == ["Makefile"]


def test_a_script_that_was_changed_has_to_be_accepted_again(an_owner):
    words = an_owner.loop("idles", "x", "--max-iterations", "1")
    assert an_owner.cli(*words).code == 10
    (an_owner.project / "check.sh").write_text(CHECK + "# changed\n")
    assert "something else than would be run now" in an_owner.fails(*words)


@pytest.mark.check
def test_at_a_terminal_it_asks(an_owner):
    for typed, code in ((b"n\n", 1), (b"y\n", 0)):
        said, ended = at_a_terminal(an_owner, an_owner.loop("mends", accepted=False), typed)
        assert ended == code and "Run this in your project? [y/N]" in said, said
    assert "1/10  ./check.sh ok" in said
    assert has_started(an_owner)


def at_a_terminal(person, words, typed):
    """Run a command with a terminal on all three streams; returns what was shown and its exit code."""
    ours, theirs = pty.openpty()
    with person.start_cli(*words, stdin=theirs, stdout=theirs, stderr=theirs, environment={"TERM": "xterm"}) as process:
        os.close(theirs)
        os.write(ours, typed)
        shown = b""
        try:
            while piece := os.read(ours, 65_536):
                shown += piece
        except OSError:  # the other end is closed
            pass
        process.wait(timeout=20)
    os.close(ours)
    return shown.decode(errors="replace"), process.returncode


@pytest.mark.check
def test_what_passes_already_is_asked_about(an_owner):
    (an_owner.project / "state").write_text("mended\n")
    said = an_owner.starts("idles")
    assert (said.code, said.err) == (0, "") and "Every check passes already, so nothing was begun" in said.out
    words = an_owner.loop("idles", "x", "--json")
    assert json.loads(an_owner.cli(*words).out) == {"id": None, "begun": False, "green": True}
    assert not has_started(an_owner)
    assert an_owner.starts("idles", "--anyway").code == 0
    assert has_started(an_owner)


WRONG = {
    "an unknown option": ("--max-iteration 3", 2, "No such option: --max-iteration"),
    "a limit in words": ("--max-iterations three", 1, "three is no number from 1 to 1,000 for --max-iterations"),
    "no iterations": ("--max-iterations=0", 1, "0 is no number"),
    "a length without end": ("--max-duration 3fortnights", 1, "no length of time: there is no unit fortnights\n  hint: ms, s, m"),
    "a length beyond a month": ("--max-duration 31d", 1, "31d is no length of time from a second to a month"),
    "no time": ("--max-duration 0s", 1, "no length of time"),
    "no money": ("--max-cost 0", 1, "no amount of dollars"),
    "not a number": ("--max-cost nan", 1, "no amount of dollars"),
    "a pause below nothing": ("--cooldown=-1", 1, "no number from 0"),
    "no attempt": ("--parallel=0", 1, "is no number from 1 to 8 for --parallel\n  hint: for example: --parallel 2\n"),
    "a check of no kind": ("--criteria luck", 1, "luck"),
    "no check at all": ("--criteria lint_clean", 1, "no criteria, so it would never know that it is done"),
    "a plan that is not there": ("--criteria custom=./check.sh --plan PLAN.md", 1, "cannot read the plan PLAN.md"),
    "a command with an open quote": ('--agent "\'x"', 1, "cannot be read"),
    "protection without snapshots": ("--criteria custom=./check.sh --protect tests/ --no-snapshot", 1, "put back from snapshots"),
    "in a session": ("--in-session", 1, "started in that session"),
    "a word too many": ("unquoted", 2, "unexpected extra argument"),
}


@pytest.mark.parametrize(("options", "code", "why"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_starts_nothing(an_owner, monkeypatch, capfd, options, code, why):
    monkeypatch.chdir(an_owner.project)
    for name, value in an_owner.terminal().items():
        monkeypatch.setenv(name, value)
    assert app._run(["ralph", "start", "Mend it.", *options.replace('"', "").split()]) == code
    assert why in capfd.readouterr().err
    assert not has_started(an_owner)


@pytest.mark.check
def test_a_value_may_stand_behind_its_option_or_behind_an_equals_sign(an_owner):
    for form in (["--max-iterations=1"], ["--max-iterations", "1"]):
        said = an_owner.starts("tries", *form)
        assert said.code == 10 and "1/1  ./check.sh failed" in said.out, said


@pytest.mark.check
@pytest.mark.parametrize(
    ("goal", "kept"), [*((goal, goal.strip()) for goal in HOSTILE.values()), *CLEANED.values()], ids=[*HOSTILE, *CLEANED]
)
def test_a_goal_is_words_and_nothing_of_it_is_run(an_owner, goal, kept):
    said = an_owner.cli(*an_owner.loop("idles", goal, "--max-iterations", "1"))
    assert said.code == 10, said
    assert an_owner.record()[0]["goal"] == kept
    assert not list(an_owner.folder.rglob("made"))
    assert "\x1b" not in an_owner.reads("ralph", "status")


@pytest.mark.parametrize(("goal", "why"), [("", "a loop needs a goal"), ("x" * 20_001, "characters"), ("word " * 3_900, "tokens")])
def test_a_goal_that_is_none_or_a_book_is_refused(an_owner, goal, why):
    assert why in an_owner.fails(*an_owner.loop("idles", goal))
    assert not has_started(an_owner)


# How it ends


def test_a_loop_that_reaches_its_goal_tells_each_iteration_and_the_way_back(an_owner):
    said = an_owner.starts("mends later")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0].endswith("at most 10 iterations and 30 min; `ralph-mem ralph stop` ends it")
    assert lines[1] == "start  ./check.sh failed"
    assert lines[2].startswith("1/10  ./check.sh failed · ") and lines[3].startswith("2/10  ./check.sh ok · ")
    assert lines[4] == "lessons: 1 added"
    assert re.fullmatch(r"loop-[0-9a-f]{8} success after 2 iterations: every criterion passed", lines[5])
    assert re.fullmatch(r"spent: \d+ s of 30 min, 0 tokens", lines[6])
    assert lines[7] == "confirmed by the tests and settings of the start, in a copy of the tree"
    assert lines[8].startswith("next: ") and "`ralph-mem ralph rollback` takes it all back" in lines[8]


ENDS = {
    "max_iterations": ("tries", ["--max-iterations", "2", "--no-progress", "9"]),
    "no_progress": ("tries", ["--no-progress", "2"]),
    "max_cost": ("is dear", ["--max-cost", "1.50"]),
    "agent_error": ("fails", []),
    "max_duration": ("sleeps", ["--max-duration", "1s"]),
}


@pytest.mark.check
@pytest.mark.parametrize(("reason", "words"), ENDS.items(), ids=ENDS)
def test_the_exit_code_tells_why_it_ended(an_owner, reason, words):
    said = an_owner.starts(words[0], *words[1])
    assert said.code == stop_reasons.exit_code(reason), said
    assert f": {stop_reasons.REASONS[reason].says}" in said.out
    assert [each["reason"] for each in an_owner.record() if each["what"] == "end"] == [reason]
    assert an_owner.left_behind() == []


@pytest.mark.check
def test_a_client_that_is_refused_a_tool_ends_it_with_the_rule_to_add(an_owner):
    client = program(an_owner.folder / "claude", REFUSED)
    said = an_owner.cli(*an_owner.loop_of_claude(), RALPH_MEM_CLAUDE=client)
    assert said.code == 16, said
    assert "Bash(npm test:*)" in said.out and "ralph resume --allow 'Bash(npm test:*)'`" in said.out


def test_a_named_agent_that_is_not_installed_is_told_with_what_installs_it_before_anything_is_asked(an_owner):
    said = an_owner.cli("ralph", "start", "Mend the state.", "--criteria", "custom=./check.sh", "--agent", "codex")
    assert (said.code, said.out) == (1, "") and "npm install -g @openai/codex" in said.err and not has_started(an_owner)


def test_without_a_client_nothing_is_begun(an_owner):
    assert "RALPH_MEM_CLAUDE names /gone" in an_owner.fails(*an_owner.loop_of_claude(), RALPH_MEM_CLAUDE="/gone")
    assert not has_started(an_owner)


def test_a_program_gets_one_json_and_the_live_lines_beside_it(an_owner):
    said = an_owner.starts("mends", "--json")
    told = json.loads(said.out)
    assert (said.code, told["status"], told["exit_code"], told["badness"]) == (0, "success", 0, [1, 0])
    assert "1/10  ./check.sh ok" in said.err


def test_an_agent_is_a_command_with_words_and_quotes(an_owner):
    agent = "sh -c 'echo mended > state'"
    words = ["ralph", "start", "x", "--criteria", "custom=./check.sh", "--agent", agent]
    other = an_owner.digits("agent: sh -c echo mended > state")
    assert "something else" in an_owner.fails(*words, "--accept", other)
    assert an_owner.cli(*words, "--accept", an_owner.digits(f"agent: {agent}")).code == 0


def test_whoever_is_to_be_notified_gets_the_facts(an_owner):
    heard = an_owner.folder / "heard"
    (an_owner.folder / "notify").write_text(f"#!/bin/sh\ncat > {heard}\n")
    (an_owner.folder / "notify").chmod(0o755)
    words = an_owner.loop("mends", "x", "--notify", str(an_owner.folder / "notify"), accepted=False)
    digits = re.search(r"--accept ([0-9a-f]{12})", an_owner.cli(*words).err)[1]
    assert an_owner.cli(*words[:-2], "--accept", digits, *words[-2:]).code == 0
    assert json.loads(heard.read_text())["reason"] == "success"


# While it works


def when(there, for_s=15):
    """Wait until something is so."""
    clock.wait_for(there, for_s)


@pytest.mark.check
def test_another_process_stops_it(an_owner):
    with an_owner.start_cli(*an_owner.loop("sleeps"), **PIPES) as working:
        when((an_owner.project / "begun").exists)
        status = an_owner.reads("ralph", "status")
        assert "iteration 1 of 10" in status and f"its process: {working.pid}" in status
        assert "a loop is at work here already" in an_owner.fails(*an_owner.loop("idles"))
        said, took = seconds(lambda: an_owner.cli("ralph", "stop"))
        assert said.code == 0 and took < 10
        working.communicate(timeout=10)
    assert working.returncode == stop_reasons.exit_code("user_stop")
    assert an_owner.left_behind() == []


@pytest.mark.check
def test_ctrl_c_ends_the_agent_and_keeps_what_was_done(an_owner):
    with an_owner.start_cli(*an_owner.loop("sleeps"), **PIPES) as working:
        when((an_owner.project / "begun").exists)
        working.send_signal(signal.SIGINT)
        out, _ = working.communicate(timeout=15)
    assert working.returncode == stop_reasons.exit_code("user_stop")
    assert b"interrupted by Ctrl-C" in out and "begun" in an_owner.files()
    assert an_owner.left_behind() == []


@pytest.mark.check
def test_a_loop_in_the_background_outlives_its_command_and_can_be_stopped_and_resumed(an_owner):
    told = an_owner.cli(*an_owner.loop("sleeps", "x", "--detach"))
    assert told.code == 0 and "works in the background" in told.out
    when((an_owner.project / "begun").exists)
    assert an_owner.cli("ralph", "stop").code == 0
    assert an_owner.json("ralph", "status")["reason"] == "user_stop"
    program(an_owner.folder / "agent-sleeps", AGENTS["mends"])
    assert an_owner.cli("ralph", "resume").code == 0
    assert an_owner.json("ralph", "status")["status"] == "success"
    when(lambda: an_owner.left_behind() == [])


@pytest.mark.check
def test_a_limit_that_was_reached_can_be_raised(an_owner):
    assert an_owner.starts("mends later", "--max-iterations", "1").code == 10
    assert "cannot go on: 1 of 1 iterations are used" in an_owner.fails("ralph", "resume")
    said = an_owner.cli("ralph", "resume", "--max-iterations", "3")
    assert said.code == 0 and "2/3  ./check.sh ok" in said.out, said
    assert "has reached its goal" in an_owner.fails("ralph", "resume")


@pytest.mark.check
def test_the_hints_of_an_older_run_name_it(an_owner):
    for _ in range(2):
        an_owner.starts("mends later", "--max-iterations", "1")
    old, _new = an_owner.json("ralph", "status")["runs"]
    goes_on = f"`ralph-mem ralph resume {old} --max-iterations 2` goes on"
    assert goes_on in an_owner.cli("ralph", "status", old).out and goes_on in an_owner.json("ralph", "status", old)["next"]
    assert goes_on in an_owner.cli("ralph", "resume", old).err


# The way back


@pytest.mark.check
def test_a_rollback_is_shown_first_and_done_when_confirmed_and_can_be_undone(an_owner):
    before = an_owner.files()
    an_owner.starts("mends later")
    after = an_owner.files()
    shown = an_owner.reads("ralph", "rollback")
    assert "  restore  state" in shown and "  delete   tries" in shown and an_owner.files() == after
    command = re.search(r"Nothing is changed yet. To do it: ralph-mem (.*)$", shown)[1]
    assert "1 restored, 1 deleted, 0 kept." in an_owner.reads(*command.split())
    assert an_owner.files() == before
    an_owner.reads("ralph", "rollback", "--undo", "--confirm")
    assert an_owner.files() == after


def test_what_a_person_changed_afterwards_is_kept_and_named_until_forced(an_owner):
    an_owner.starts("mends")
    (an_owner.project / "state").write_text("mended by hand\n")
    assert re.search(r"kept +state +\(changed by the loop, then by you\)", an_owner.reads("ralph", "rollback", "--confirm"))
    assert an_owner.files()["state"] == "mended by hand\n"
    an_owner.reads("ralph", "rollback", "--force", "--confirm")
    assert an_owner.files()["state"] == "broken\n"


def test_stop_rolls_back_only_what_it_has_shown(an_owner):
    an_owner.starts("tries", "--max-iterations", "1")
    assert "Nothing is changed yet." in an_owner.reads("ralph", "stop", "--rollback")
    assert "tries" in an_owner.files()
    assert an_owner.json("ralph", "stop", "--rollback", "--confirm")["deleted"] == ["tries"]
    assert "tries" not in an_owner.files()


@pytest.mark.check
@pytest.mark.parametrize(("words", "why"), [("--best --to 1", "one state"), ("--to x", "no iteration"), ("--to 7", "no snapshot")])
def test_a_rollback_to_nowhere_is_refused(an_owner, words, why):
    an_owner.starts("tries", "--max-iterations", "1")
    assert why in an_owner.fails("ralph", "rollback", *words.split())


def test_a_failed_loop_is_rolled_back_by_itself_where_that_is_set(an_owner):
    an_owner.reads("ralph", "config", "auto_rollback", "true")
    before = an_owner.files()
    said = an_owner.starts("tries", "--max-iterations", "1")
    assert said.code == 10 and "ralph.auto_rollback is on:" in said.out
    assert an_owner.files() == before


def test_without_snapshots_there_is_no_way_back_and_that_is_said(an_owner):
    said = an_owner.starts("mends", "--no-snapshot")
    assert said.code == 0 and "no snapshot was taken, so there is no way back" in said.out
    assert "there is no snapshot of the start" in an_owner.fails("ralph", "rollback")


# A room of its own


@pytest.mark.check
def test_the_result_of_a_loop_in_a_room_comes_into_the_files_and_goes_again(an_owner):
    before = an_owner.files()
    said = an_owner.starts("mends later", ROOM)
    assert said.code == 0 and "your files stay as they are" in said.out and "2 written, 0 deleted" in said.out
    assert an_owner.files()["state"] == "mended\n"
    shown = an_owner.reads("ralph", "apply", "--undo")
    assert "  restore  state" in shown and "  delete   tries" in shown
    assert "1 restored, 1 deleted, 0 kept." in an_owner.reads("ralph", "apply", "--undo", "--confirm")
    assert an_owner.files() == before


@pytest.mark.check
def test_a_result_is_shown_before_it_is_applied_by_hand(an_owner):
    before = an_owner.files()
    said = an_owner.starts("tries", ROOM, "--max-iterations", "2")
    assert said.code == 10 and "--best" not in said.out  # nothing was better than the start
    assert "Nothing differs from the start" in an_owner.reads("ralph", "rollback", "--confirm")
    shown = an_owner.reads("ralph", "apply", "--to", "1")
    assert "  write    tries  (changed by the loop alone)" in shown and an_owner.files() == before
    command = re.search(r"Nothing is changed yet. To do it: ralph-mem (.*)$", shown)[1]
    assert "1 written, 0 deleted." in an_owner.reads(*command.split())
    assert an_owner.files()["tries"].count("\n") == 1
    assert an_owner.json("ralph", "apply", "--confirm")["restored"] == ["tries"]
    assert an_owner.json("ralph", "status")["applied"]["snapshot"]


def test_no_apply_leaves_it_in_the_room(an_owner):
    said = an_owner.starts("mends", ROOM, "--no-apply")
    assert said.code == 0 and "`ralph-mem ralph apply` brings its result into your files" in said.out
    assert an_owner.files()["state"] == "broken\n"


@pytest.mark.check
@pytest.mark.parametrize(("words", "why"), [("--best --to 1", "one state"), ("--to 7", "no snapshot of iteration 7")])
def test_applying_nothing_is_refused(an_owner, words, why):
    an_owner.starts("tries", ROOM, "--max-iterations", "1")
    assert why in an_owner.fails("ralph", "apply", *words.split())
    said = an_owner.cli("ralph", "rollback", "--best").err
    assert "are in its room" in said and " --best`, or with `--to N`, brings one into your files" in said


# Looking into it


def test_a_plan_shows_everything_and_begins_nothing(an_owner):
    (an_owner.project / "large").write_bytes(b"x" * 11_000_000)
    options = ["--criteria", "custom=./check.sh", "--agent", an_owner.agent("mends")]
    text = an_owner.reads("ralph", "plan", *options)
    digits = re.search(r"not accepted yet: --accept ([0-9a-f]{12})", text)[1]
    assert "now: not run, since it is not accepted" in text
    plan = json.loads(an_owner.reads("ralph", "plan", *options, "--accept", digits, "--json"))
    assert plan["accepted"] and [verdict["status"] for verdict in plan["baseline"]] == ["failed"]
    assert plan["covers"]["unstored"] == [["large", "larger than 10 MiB"]] and plan["covers"]["paths"] == 3
    assert plan["obstacles"] == [] and not has_started(an_owner)


def test_a_plan_without_snapshots_promises_no_rollback(an_owner):
    words = ("ralph", "plan", "--criteria", "custom=./check.sh", "--agent", an_owner.agent("mends"), "--no-snapshot")
    text, covers = an_owner.reads(*words), an_owner.json(*words)["covers"]
    assert "no rollback: no snapshots are taken" in text and "would cover" not in text
    assert (covers["paths"], covers["bytes"], covers["why"]) == (0, 0, "no snapshots are taken")


def test_a_plan_says_what_keeps_a_loop_from_beginning(an_owner):
    text = an_owner.reads("ralph", "plan", "--agent", "/gone/agent")
    assert "not found: test_pass" in text
    assert "keeps it from beginning: no criteria" in text and "keeps it from beginning: /gone/agent cannot be found" in text


@pytest.mark.check
def test_history_names_every_iteration_and_where_the_other_runs_are_listed(an_owner):
    an_owner.starts("tries", "--max-iterations", "1")
    first = an_owner.json("ralph", "status")["id"]
    an_owner.starts("mends")
    text = an_owner.reads("ralph", "status", "--history")
    assert re.search(r"^1 +done +0 \* +\./check\.sh ok", text, re.MULTILINE)
    assert "`ralph-mem ralph runs` lists the other runs" in text and first not in text
    assert re.search(rf"^{first} +\S+ \S+ +1 .* max_iterations +Mend the state\.$", an_owner.reads("ralph", "runs"), re.MULTILINE)
    assert an_owner.json("ralph", "status", first[:9])["reason"] == "max_iterations"


@pytest.mark.check
def test_bisect_and_replay_read_the_record(an_owner):
    an_owner.starts("mends later")
    assert "./check.sh passes since iteration 2" in an_owner.reads("ralph", "bisect", "check")
    assert an_owner.json("ralph", "bisect", "check")["iteration"] == 2
    assert an_owner.reads("ralph", "replay") == "decided anew: 2, differently: 0\n"
    assert an_owner.json("ralph", "replay") == {"decisions": 2, "differences": []}
    path = next(an_owner.data.glob("loops/*/*.jsonl"))
    path.write_text(path.read_text().replace('"go_on":true', '"go_on":false'))
    said = an_owner.cli("ralph", "replay", str(path))
    assert said.code == 1 and "decided now go on" in said.out


def test_its_settings_are_read_and_changed_by_their_short_names(an_owner):
    assert an_owner.reads("ralph", "config", "max_iterations") == "10\n"
    assert {each["path"] for each in an_owner.json("ralph", "config")} == {None}  # a default stands in no file
    an_owner.reads("ralph", "config", "max_iterations", "4")
    assert an_owner.reads("ralph", "config", "ralph.max_iterations") == "4\n"
    assert "snapshot.quota_mb" in an_owner.reads("ralph", "config")
    assert "ralph.luck" in an_owner.fails("ralph", "config", "luck")
    assert "no key ralph.max_iteratons" in an_owner.fails("ralph", "config", "ralph.max_iteratons", "3")
    assert "must be" in an_owner.fails("ralph", "config", "cooldown_ms", "-1")
    assert "in a session" in an_owner.fails("ralph", "guard")


# An agent is not the person

CHANGES = [
    "ralph stop", "ralph start again --anyway", "ralph resume", "ralph rollback --confirm", "ralph rollback",
    "ralph config max_iterations 99", "ralph plan again --accept 012345678901", "config set ralph.max_iterations 99",
    "config set recording false --global", "trust --confirm 0123456789ab", "trust --revoke", "pause", "resume",
    "forget --all --confirm", "inject do_as_I_say", "uninstall --confirm", "embeddings off --confirm", "purge --confirm",
    "doctor --repair --confirm", "ralph hint well_done", "ralph pause", "ralph continue", "ralph watch", "ralph diff --raw",
    "ralph plan --from again", "ralph plan --from=again",
]  # fmt: skip
LOOKS = [
    "ralph status --json",
    "ralph config max_iterations",
    "ralph config",
    "config get ralph.max_iterations",
    "config show",
    "trust",
    "search state",
    "ralph diff 1..2 --stat",
    "ralph log",
    "ralph runs",
]


@pytest.mark.parametrize("words", CHANGES)
def test_an_agent_of_a_loop_may_not_act_as_the_person(monkeypatch, capsys, words):
    monkeypatch.setenv("RALPH_MEM_RUN", "loop-0123abcd")
    with pytest.raises(SystemExit) as left:
        app.main(words.split())
    told = capsys.readouterr().err
    assert left.value.code == 1 and told.count("\n") <= 2
    assert "only a person" in told and "loop-0123abcd" in told and "ralph-mem ralph status" in told


@pytest.mark.parametrize("words", LOOKS)
def test_an_agent_of_a_loop_may_look(monkeypatch, words):
    monkeypatch.setenv("RALPH_MEM_RUN", "loop-0123abcd")
    app._refuse_an_agent(words.split())


def test_what_may_be_looked_at_is_a_command():
    every = set(walked(typer.main.get_command(app.app)))
    reads = [f"{name} {word}" if word != contents.READS else name for name, words in contents.READ_BY.items() for word in words]
    assert len(reads) > 20 and not [name for name in reads if name not in every and name != "bench"]


def walked(command, path=()):
    """Yield the words of every command."""
    for name in list(command.commands):
        inner = getattr(command, "load", command.commands.get)(name)
        yield from walked(inner, (*path, name)) if hasattr(inner, "commands") else [" ".join((*path, name))]


def test_an_agent_does_not_become_a_person_by_hiding_who_started_it(an_owner):
    hidden = f"env -u RALPH_MEM_RUN -u RALPH_MEM_LOOP {sys.executable} -m ralph_mem.interfaces.cli"
    tries = program(an_owner.folder / "tries", f"{hidden} ralph config max_iterations 99 2>>said")
    words = ["ralph", "start", "--here", "--criteria", "custom=./check.sh", "--agent", tries, "--max-iterations", "1"]
    an_owner.cli(*words, "--accept", an_owner.digits(f"agent: {tries}"), "--", "Mend the state.")
    assert "only a person" in an_owner.files()["said"]
    assert an_owner.reads("ralph", "config", "max_iterations").strip() == "10"


@pytest.mark.check
def test_an_agent_does_not_become_a_person_by_leaving_its_parents_and_its_variables_behind(an_owner):
    kept = [f"{name}={shlex.quote(an_owner.environment[name])}" for name in ("HOME", "PATH")]
    call = f"env -i {' '.join(kept)} setsid {sys.executable} -m ralph_mem.interfaces.cli ralph stop"
    tries = program(an_owner.folder / "tries", f"({call} >/dev/null 2>>said &) ; sleep 3")
    words = ["ralph", "start", "--here", "--criteria", "custom=./check.sh", "--agent", tries, "--max-iterations", "1"]
    said = an_owner.cli(*words, "--accept", an_owner.digits(f"agent: {tries}"), "--", "Mend the state.")
    assert "only a person" in an_owner.files()["said"] and said.code == stop_reasons.exit_code("max_iterations")


def test_settings_that_an_agent_writes_are_not_in_force(an_owner):
    writes = program(
        an_owner.folder / "writes", "mkdir -p .ralph-mem; printf 'ralph:\\n  max_iterations: 99\\n' >.ralph-mem/config.yaml"
    )
    words = ["ralph", "start", "--criteria", "custom=./check.sh", "--agent", writes, "--max-iterations", "1"]
    an_owner.cli(*words, "--accept", an_owner.digits(f"agent: {writes}"), "--", "Mend the state.")
    assert an_owner.reads("ralph", "config", "max_iterations").strip() == "10"


@pytest.mark.check
def test_the_model_of_a_session_with_a_loop_may_only_look_too(an_owner):
    an_owner.types("ralph", f"start --criteria custom=./check.sh --accept {an_owner.digits()} Mend the state.")
    session = {"CLAUDE_CODE_SESSION_ID": an_owner.session, "CLAUDECODE": "1"}
    assert "only a person" in an_owner.fails("ralph", "stop", **session)
    assert an_owner.reads("ralph", "status", **session)
    assert "only a person" in an_owner.model_runs("ralph", "stop")
    assert an_owner.cli("ralph", "stop", CLAUDE_CODE_SESSION_ID="another").code == 0
