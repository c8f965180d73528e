"""A loop in the background is watched in a real terminal, hinted, paused and let go on by keys, to its end."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.interfaces.cli.test_ralph import Owner, an_owner, program

from .client import Terminal, eventually

__all__ = ["an_owner"]
# Speaks, waits until the test lets it go on, and mends one of two words each time.
STEPS = """printf 'reading \\033[31mtax.py\\033[0m\\n'; number=$(wc -l <tries)
until [ -e "GO-$number" ]; do sleep 0.1; done
echo x >>tries; [ "$number" -ge 2 ] && echo mended >state
echo '{"result": "I tried.", "cost_usd": 0.5, "tokens": 1500}'"""


@pytest.fixture(scope="module", autouse=True)
def tmux():
    """Ask for tmux."""
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed")


def begun(person):
    """Begin a loop in the background; returns its id."""
    (person.project / "tries").write_text("x\n")
    agent = program(person.folder / "agent", STEPS.replace("GO", f"{person.folder}/go"))
    words = ["ralph", "start", "--criteria", "custom=./check.sh", "--agent", agent, "--cooldown", "0", "--detach", "--json"]
    said = person.cli(*words, "--accept", person.digits(f"agent: {agent}"), "--", "Mend the state.")
    return json.loads(said.out)["id"]


def watching(person: Owner):
    """Open a terminal with the live view of what is at work."""
    environment = {**person.terminal(), "TERM": "xterm-256color"}
    order = ["sh", "-c", f"{sys.executable} -m ralph_mem.interfaces.cli ralph watch; echo left with $?; sleep 60"]
    return Terminal(order, person.project, environment, lambda: None)


def test_a_loop_is_watched_and_steered_by_keys(an_owner):
    run = begun(an_owner)
    screen = watching(an_owner)
    try:
        shown = screen.wait_for("reading tax.py")
        assert f"{run} iteration 1 of 10" in shown and re.search(r"0 tokens; \d+ min and 10 iterations left", shown)
        screen.press("h")
        screen.type("mind the café")
        screen.press("Enter")
        screen.wait_for("is told with its next iteration")
        screen.press("p")
        screen.wait_for("pauses after this iteration")
        Path(an_owner.folder, "go-1").touch()
        shown = screen.wait_for("paused after iteration 1 of 10")
        assert "1  ./check.sh" in shown and "$0.50 1,500 tokens  1 file: tries" in shown
        screen.press("p")
        screen.wait_for("iteration 2 of 10")
        Path(an_owner.folder, "go-2").touch()
        shown = screen.wait_for("left with 0")
        assert f"{run} success after 2 iterations" in shown and "3,000 tokens, $1.00" in shown
    finally:
        screen.close()
    assert an_owner.json("ralph", "status")["hints"][0]["iteration"] == 2


def test_whoever_leaves_or_stops_a_loop_does_what_they_meant(an_owner):
    begun(an_owner)
    for keys, words in (("q", "left with 0"), ("ss", "left with 19")):
        screen = watching(an_owner)
        try:
            screen.wait_for("reading tax.py")
            for key in keys:
                screen.press(key)
            screen.wait_for(words)
        finally:
            screen.close()
    eventually(lambda: an_owner.json("ralph", "status")["reason"] == "user_stop", 10, otherwise="it goes on")


def test_from_a_pipe_it_is_lines_or_json(an_owner):
    begun(an_owner)
    for number in (1, 2):
        Path(an_owner.folder, f"go-{number}").touch()
    said = an_owner.cli("ralph", "watch", "--json")
    events = [json.loads(line) for line in said.out.splitlines()]
    assert said.code == 0 and {each["event"] for each in events} >= {"judged", "end"}
    assert events[-1]["reason"] == "success" and sum(each["event"] == "judged" for each in events) <= 2
