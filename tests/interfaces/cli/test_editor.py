"""The editor: a text goes out into a file that only its owner can read, and comes back as the person left it."""

import signal
import time

import pytest

from tests.interfaces.cli.situations import PIPES, Said, complaint

NOTE = "Releases go out with make ship.\nNever by hand."


@pytest.fixture
def a_person_with_a_note(a_person):
    a_person.types("mem-inject", NOTE)
    return a_person


@pytest.fixture
def editor(a_person_with_a_note):
    """Make an editor of a shell script that has the file as `$1`."""

    def make(script):
        path = a_person_with_a_note.folder / "my editor"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o700)
        return f"'{path}' --wait"

    return make


def edit(person, **environment):
    return person.cli("edit", person.observation_that_says("Releases"), VISUAL=None, **environment)


def test_the_editor_gets_the_text_and_its_owner_alone(a_person_with_a_note, editor):
    person = a_person_with_a_note
    seen, mode = person.folder / "seen", person.folder / "mode"
    script = f'shift; cat "$1" > "{seen}"; stat -c %a "$(dirname "$1")" > "{mode}"; echo "With make launch." > "$1"'
    assert edit(person, EDITOR=editor(script)).code == 0
    assert seen.read_text() == NOTE and mode.read_text() == "700\n" and list(person.scratch.iterdir()) == []
    assert person.notes() == [("With make launch.", "")]


def test_where_there_is_no_terminal_no_editor_is_opened_that_nobody_named(a_person_with_a_note):
    said = edit(a_person_with_a_note, EDITOR=None)
    assert said.code == 1 and "there is no terminal for an editor" in said.err and said.out == ""


def test_visual_comes_before_editor(a_person_with_a_note, editor):
    name = a_person_with_a_note.observation_that_says("Releases")
    a_person_with_a_note.reads("edit", name, VISUAL=editor('echo seen > "$2"'), EDITOR="false")
    assert a_person_with_a_note.notes() == [("seen", "")]


def test_a_text_that_was_left_as_it_was_changes_nothing(a_person_with_a_note):
    before = a_person_with_a_note.raw()
    assert edit(a_person_with_a_note, EDITOR="true") == Said(0, "Nothing was changed.\n", "")
    assert a_person_with_a_note.raw() == before


def test_of_a_turn_its_answer_is_edited(a_person, tmp_path):
    name = a_person.turn_that_says("Raise the rate limit")
    path = tmp_path / "editor"
    path.write_text('#!/bin/sh\nsed -i s/50/60/ "$1"\n')
    path.chmod(0o700)
    a_person.reads("edit", name, EDITOR=str(path), VISUAL=None)
    prompt, response = a_person.rows("SELECT prompt, response FROM turns WHERE public_id = ?", name)[0]
    assert "50" in prompt and response.startswith("The export endpoint now allows 60 requests")


def test_bytes_that_are_no_text_are_replaced(a_person_with_a_note, editor):
    assert edit(a_person_with_a_note, EDITOR=editor('printf "caf\\351" > "$2"')).code == 0
    assert a_person_with_a_note.notes() == [("caf\ufffd", "")]


FAILING = {
    "fails": "false",
    "is not there": "/dev/null/editor",
    "is no word": " ",
    "has an open quote": "vi '",
    "removes the file": "rm",
    "is killed": "sh -c 'kill -9 $$'",
}


@pytest.mark.check
@pytest.mark.parametrize("order", FAILING.values(), ids=FAILING)
def test_an_editor_that_fails_is_told_and_leaves_nothing(a_person_with_a_note, order):
    before = a_person_with_a_note.raw()
    said = edit(a_person_with_a_note, EDITOR=order)
    assert said.code == 1 and "editor" in complaint(said)
    assert a_person_with_a_note.raw() == before and list(a_person_with_a_note.scratch.iterdir()) == []


def test_a_text_that_was_emptied_is_refused(a_person_with_a_note, editor):
    said = edit(a_person_with_a_note, EDITOR=editor(': > "$2"'))
    assert said.code == 1 and "nothing to remember" in complaint(said)
    assert a_person_with_a_note.notes() == [tuple(NOTE.split("\n"))]


def test_ctrl_c_in_the_editor_is_a_line_and_130_and_leaves_nothing(a_person_with_a_note, editor):
    person, open_ = a_person_with_a_note, a_person_with_a_note.folder / "open"
    environment = {"EDITOR": editor(f'touch "{open_}"; exec sleep 20 >/dev/null 2>&1'), "VISUAL": None}
    with person.start_cli("edit", person.observation_that_says("Releases"), environment=environment, **PIPES) as process:
        while not open_.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert complaint(Said(130, out.decode(), err.decode())) == "ralph-mem: interrupted"
    assert list(person.scratch.iterdir()) == [] and person.notes() == [tuple(NOTE.split("\n"))]
