"""What stays of a text that is too long to be told."""

from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.memory.inject import excerpt

FRAME = '  File "/app/.venv/lib/python3.12/site-packages/lamps/core{}.py", line {}, in light'
TRACEBACK = ["Traceback (most recent call last):", *[FRAME.format(at, at) + "\n    return self.light()" for at in range(9)]]
CRASH = "\n".join(["The lantern crashes:", "", *TRACEBACK, "ValueError: the tungsten is not bound to a lantern"])


def test_a_traceback_in_a_prompt_is_told_in_whole_lines_with_its_innermost_frame_and_its_error(a_session, another_session):
    a_session.has_a_turn(CRASH, "A lantern binds its tungsten now.")
    told = another_session.asks("the tungsten is not bound to a lantern again").splitlines()
    at, answer = told.index("  [...]"), told.index("  agent: A lantern binds its tungsten now.")
    last = ["  " + line for line in CRASH.splitlines()[at - answer + 1 :]]
    assert told[at - 1].endswith("user: The lantern crashes:") and told[at + 1 : answer] == last and len(last) >= 3


def test_what_failed_and_passed_is_told_in_whole_lines(a_session, another_session):
    a_session.asks("Light every lantern of the house")
    commands = [f"make lantern HOLDER=holder{at}" for at in range(40)]
    for command in commands:
        a_session.runs(command)
    a_session.is_answered("They shine.")
    _, _, told = another_session.starts("compact").partition("agent: They shine.\n")
    assert {line.strip() for line in told.splitlines()[:-1]} <= {*[f"passed: {command}" for command in commands], "[...]"}


def test_a_paragraph_is_cut_between_words():
    words = [f"word{at}" for at in range(400)]
    head, _, tail = excerpt.of(" ".join(words), 300).partition(excerpt.CUT)
    assert head.split() == words[: len(head.split())] and tail.split() == words[-len(tail.split()) :]


@given(st.lists(st.text("ab ", min_size=100, max_size=190).map(lambda line: f"|{line}|"), min_size=9), st.integers(600, 900))
def test_a_text_of_lines_is_cut_at_the_ends_of_lines(lines, limit):
    told = excerpt.of("\n".join(lines) + "\n|" + "b" * 190, limit)
    assert len(told) <= limit and set(told.splitlines()) <= {*lines, "|" + "b" * 190, "[...]"}
