"""States of a project: the terminal, a program, the client and the doctor agree on each, and none says what is false."""

import json
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from ralph_mem.maintenance import status
from tests.interfaces.cli.situations import a_newcomer, a_person, lived_in
from tests.interfaces.states import NOT_YET, OFF, PAUSED, RECORDING, STATES

__all__ = ["a_newcomer", "a_person", "lived_in"]

FEWEST = 30
KINDS = (RECORDING, NOT_YET, OFF, PAUSED)


def text_of(person, found):
    """What a terminal shows."""
    return person.cli("status", cwd=found.cwd, **found.environment).out


def value_of(person, found):
    """What a program reads."""
    return json.loads(person.cli("status", "--json", cwd=found.cwd, **found.environment).out)


def answer_in_the_client(person, found):
    """What `/mem status` shows."""
    other = person.another(**found.environment)
    other.cwd = found.cwd
    return other.types("mem", "status", **({"cwd": str(found.cwd)} if found.cwd else {}))


def findings(person, found):
    """What the doctor finds, by its name."""
    told = json.loads(person.cli("doctor", "--json", cwd=found.cwd, **found.environment).out)
    return {each["check"]: each for each in told}


def status_line(person, found):
    """What the client shows below its prompt."""
    asked = {"session_id": person.session, "cwd": str(found.cwd or person.project)}
    asked["workspace"] = {"current_dir": asked["cwd"], "project_dir": asked["cwd"]}
    return person.cli("statusline", stdin=json.dumps(asked).encode(), cwd=found.cwd, **found.environment).out


def agrees(line, state):
    """Say whether a status line says the same as a state."""
    begins = {OFF: "mem off", PAUSED: "mem paused"}.get(next(each for each in KINDS if state.startswith(each)), "")
    if begins or status.UNUSABLE in state or "cannot write in" in state:
        return line.startswith(begins or "mem trouble")
    return line.startswith("mem ") and not line.startswith(("mem off", "mem paused", "mem trouble"))


@pytest.mark.check
@pytest.mark.parametrize("words", STATES)
def test_all_agree_on_the_state_and_say_what_is_true(words, request):
    starts, make = STATES[words]
    person = request.getfixturevalue(starts)
    with ExitStack() as stack:
        found = make(person, stack)
        told = SimpleNamespace(text=text_of(person, found), value=value_of(person, found))
        told.client, told.doctor = answer_in_the_client(person, found), findings(person, found)
        line = status_line(person, found)
    state = told.value["state"]
    assert state.startswith(found.word) and found.why in told.text, told.text
    assert told.text.startswith(f"{person.project}: {state}")
    assert told.client.splitlines()[:2] == told.text.splitlines()[:2]
    assert told.doctor["recording"]["seen"].startswith(state), told.doctor["recording"]
    assert agrees(line, state), (line, state)
    is_true(told)


def is_true(told):
    """Hold what is said to what follows from the state."""
    (word,) = [each for each in KINDS if told.value["state"].startswith(each)]
    assert (told.doctor["recording"]["state"] == "ok") == (word == RECORDING) or "may say otherwise" in str(told.doctor)
    assert word in (RECORDING, NOT_YET) or not told.value["recording"]
    assert told.value["injecting"] <= told.value["recording"] <= (status.UNUSABLE not in told.value["state"])
    # what hinders a memory is told as trouble, and the doctor knows of it
    problems = [name for name, each in told.doctor.items() if each["state"] == "problem" and name not in ("plugin", "config")]
    assert bool(told.value["trouble"]) == bool(problems), (told.value["trouble"], problems)
    assert word != NOT_YET or status.UNUSABLE not in told.value["state"] or told.value["trouble"]
    # each thing is said once
    lines = told.text.splitlines()
    assert len(lines) == len(set(lines)) and all(part not in told.text for part in (f"{status.LAST_GOOD}; {status.LAST_GOOD}",))
    assert ("last recorded" in told.text) == bool(told.value.get("last_recorded"))


def test_there_are_states_enough_of_every_kind():
    assert len(STATES) >= FEWEST
