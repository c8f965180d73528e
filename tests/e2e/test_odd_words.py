"""Sixty odd things behind all verbs in the real client: the screen shows one line or an answer, nothing is run, asked or lost."""

import itertools

import pytest

from ralph_mem.interfaces import verbs
from tests.odd_words import CANARY, ODD

from .messages_api import say
from .test_skills import BLOCKED, NOTE, NOTES, TURN_OF, memory, refused, said, told, turn, typed

__all__ = ["memory", "turn"]

# What no keyboard, pipe or paste brings into the client.
UNTYPABLE = {"NUL", "half of a pair"}
TEXTS = [text for label, text in ODD.items() if label not in UNTYPABLE]
LINES = [f"/mem {verb} {text}" for text, verb in zip(TEXTS, itertools.cycle(verbs.OF), strict=False)]
FOR_A_MODEL = [f"/mem {name}" for name, verb in verbs.OF.items() if verb.for_model]
LONGEST = 400


def test_odd_words_are_answered_on_the_screen_and_cost_no_request_but_what_is_looked_up(client, api, memory, turn):
    api.play({"turns": [say("Done.")] * len(LINES)})
    run = typed(client, *LINES)
    answers = told(run)
    assert len(LINES) >= 60 and (run.returncode, len(answers)) == (0, len(LINES))
    looked_up = [text for line, text in zip(LINES, answers, strict=True) if line.startswith(tuple(FOR_A_MODEL))]
    assert len(api.requests("main")) <= len(looked_up)
    wrong = [text for text in answers if text.startswith("ralph-mem: ") and ("\n" in text or len(text) > LONGEST)]
    assert wrong == [] and refused(run) == [] and not [text for text in answers if "a bug" in text or "Traceback" in text]
    shown = [text for text in said(run) if text.startswith(BLOCKED)]
    assert len(shown) >= len(LINES) - len(looked_up)
    assert memory.values(TURN_OF) == [turn] and list(client.home.parent.rglob(CANARY)) == []


@pytest.mark.parametrize("label", ["orders", "right to left", "control characters", "an option in the middle", "10 kB"])
def test_a_line_on_the_screen_says_what_to_do(terminal, api, memory, label):
    text = "".join([char for char in ODD[label] if char.isprintable()])[:300]
    with terminal(allowed_tools="Bash") as person:
        person.say(f"/mem pin {text} {text}"[:400])
        screen = person.wait_for("ralph-mem: ")
        person.say("/mem status")
        person.wait_for("telling what it remembers")
        person.leave()
    assert "/mem" in screen.partition("ralph-mem: ")[2] or "search" in screen.partition("ralph-mem: ")[2]
    assert api.requests("main") == [] and memory.rows(NOTES) == [] and NOTE not in screen
    assert list(memory.project.rglob(CANARY)) == []
