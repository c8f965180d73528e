"""What runs did is shown by commands: their changes as a patch, what the agent did and said, all runs with what they took."""

import subprocess

import pytest

from tests.interfaces.cli.test_ralph import an_owner, program, when

__all__ = ["an_owner"]
TELLS = """echo looking at the state
printf '\\033]0;owned\\007now \\033[31mmending\\n'
echo token=ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6
echo mended > state; echo '{"result": "I mended it.", "cost_usd": 0.25, "tokens": 1200}'"""


def mended(person, script=TELLS):
    """Let an agent of this script mend the state; returns the id of the run."""
    agent = program(person.folder / "agent", script)
    words = ["ralph", "start", "--criteria", "custom=./check.sh", "--agent", agent, "--cooldown", "0"]
    said = person.cli(*words, "--accept", person.digits(f"agent: {agent}"), "--", "Mend the state.")
    assert said.code == 0, said
    return person.json("ralph", "status")["id"]


@pytest.mark.check
def test_the_patch_of_a_run_takes_the_start_to_the_end(an_owner, tmp_path):
    run = mended(an_owner)
    (tmp_path / "state").write_text("broken\n")
    text = an_owner.reads("ralph", "diff", run)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=text.encode(), check=True, timeout=30)
    assert (tmp_path / "state").read_text() == "mended\n"
    assert an_owner.reads("ralph", "diff", "1") == an_owner.reads("ralph", "diff", run, "..") == text
    assert "state |     2 +-" in an_owner.reads("ralph", "diff", "--stat").replace("++", "+").replace("--", "-")
    assert [each["path"] for each in an_owner.json("ralph", "diff")["files"]] == ["state"]


def test_what_the_agent_did_and_said_is_kept_without_secrets_and_nothing_of_it_steers_a_terminal(an_owner):
    run = mended(an_owner)
    text = an_owner.reads("ralph", "log")
    assert text.startswith(f"{run}, iteration 1: done, 1 file changed\n  looking at the state\n  now mending\n")
    assert "It said at the end:\nI mended it." in text and "\x1b" not in text and "ghp_" not in text
    kept = [path for path in an_owner.data.rglob("*") if path.is_file() and b"ghp_a1B2" in path.read_bytes()]
    assert not kept
    assert an_owner.json("ralph", "log", run, "1")["message"] == "I mended it."


def test_all_runs_are_listed_with_what_they_took(an_owner):
    assert "No loop has run here yet" in an_owner.reads("ralph", "runs")
    assert an_owner.json("ralph", "runs") == {"runs": [], "cost": 0, "tokens": 0}
    run = mended(an_owner)
    head, row, total = an_owner.reads("ralph", "runs").splitlines()
    assert head.split()[0] == "run" and row.startswith(run) and "█▁ 0" in row and "$0.25" in row
    assert total == "1 run, 1 with success, 1 iteration, 1,200 tokens, $0.25 in all"
    (told,) = an_owner.json("ralph", "runs")["runs"]
    assert (told["reason"], told["cost"], told["tokens"], told["badness"]) == ("success", 0.25, 1200, [1, 0])


def test_a_run_that_is_over_is_watched_to_its_end_at_once(an_owner):
    run = mended(an_owner)
    said = an_owner.cli("ralph", "watch")
    assert said.code == 0 and f"{run} success after 1 iteration" in said.out and "1,200 tokens, $0.25" in said.out


@pytest.mark.check
def test_of_a_loop_that_pauses_the_status_says_how_it_goes_on_and_not_what_it_did_before(an_owner):
    words = an_owner.loop("tries", "x", "--detach")
    program(an_owner.folder / "agent-tries", "until [ -e said ]; do sleep 0.1; done")
    assert an_owner.cli(*words).code == 0
    an_owner.reads("ralph", "pause")
    (an_owner.project / "said").touch()
    when(lambda: an_owner.json("ralph", "status")["paused"])
    said = an_owner.reads("ralph", "status")
    assert an_owner.cli("ralph", "stop").code == 0
    assert "next: `ralph-mem ralph continue` goes on; `ralph-mem ralph stop` ends it" in said and "now: " not in said


@pytest.mark.check
@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("diff 9", "no iteration 9"),
        ("diff 1..0", "goes backwards"),
        ("diff nobody", "there is no run nobody here"),
        ("diff a b c", "a run and its iterations are two"),
        ("log 9", "there is no transcript of iteration 9"),
        ("log ..", "is no iteration"),
        ("watch nobody", "there is no run nobody here"),
        ("hint more", "no loop is at work here"),
        ("pause", "no loop is at work here"),
        ("continue", "no loop is at work here"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(an_owner, words, why):
    mended(an_owner)
    assert why in an_owner.fails("ralph", *words.split())


@pytest.mark.check
@pytest.mark.parametrize("words", [("resume", "nobody"), ("stop",)])
def test_who_means_no_run_is_sent_to_where_all_are_listed(an_owner, words):
    run = mended(an_owner)
    said = an_owner.cli("ralph", *words)
    assert said.code == 1 and "hint: `ralph-mem ralph runs` lists the" in said.err
    assert an_owner.reads("ralph", "runs").startswith("run") and f"\n{run} " in an_owner.reads("ralph", "runs")


@pytest.mark.check
def test_a_forget_reaches_what_an_agent_said(an_owner):
    mended(an_owner, "echo the zebra code; echo mended > state")
    words = ["forget", "--query", "the zebra code"]
    an_owner.cli("inject", "Mind the zebra code.")
    digits = an_owner.cli(*words).out.partition("--confirm ")[2].split()[0]
    assert an_owner.cli(*words, "--confirm", digits).code == 0
    assert not [path for path in an_owner.data.rglob("*") if path.is_file() and b"zebra code" in path.read_bytes()]
    assert "[forgotten]" in an_owner.reads("ralph", "log")


# A client that calls a tool, says something, has a subagent speak, and ends.
CLIENT = """#!/bin/sh
[ "$1" = --version ] && echo "2.1.329 (Claude Code)" && exit 0
cat > /dev/null; echo mended > state
cat <<'RECORDS'
{"type": "assistant", "message": {"id": "m1", "content": [{"type": "tool_use", "name": "Bash", "input": {"command": "make test"}}]}}
{"type": "assistant", "parent_tool_use_id": "t9", "message": {"id": "m2", "content": [{"type": "text", "text": "aside"}]}}
{"type": "assistant", "message": {"id": "m3", "content": [{"type": "text", "text": "Nearly there."}]}}
{"type": "result", "subtype": "success", "is_error": false, "result": "First line.\\nLast line.", "total_cost_usd": 0.02}
RECORDS
"""


def test_of_a_client_each_call_of_a_tool_is_a_line_and_its_last_message_whole(an_owner):
    client = program(an_owner.folder / "client", CLIENT)
    assert an_owner.cli(*an_owner.loop_of_claude(), RALPH_MEM_CLAUDE=client).code == 0
    told = an_owner.json("ralph", "log")
    assert told["head"] == ["Bash: make test", "Nearly there."] and told["message"] == "First line.\nLast line."
