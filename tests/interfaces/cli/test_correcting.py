"""inject, edit, pin, wrong: what a person says is kept, redacted, found and told at once."""

import re

import pytest

from tests.hook import said_to_model
from tests.interfaces.cli.situations import QUESTION

SIGNING_IN = "People are thrown out right after signing in"
NOTE = "Releases go out with make ship, never by hand."


@pytest.fixture
def a_person_with_a_note(a_person):
    a_person.types("mem-inject", NOTE)
    return a_person


def briefing(person):
    return said_to_model(person.another().start())


# who


@pytest.mark.parametrize(
    ("words", "way"),
    [
        (("inject", "Ship it by hand."), "type `/mem inject ...` as a prompt of the session"),
        (("facts", "accept", "obs-ejwu8mee4x"), "type it in a terminal of your own"),
        (("core", "set", "rule", "Ship it by hand."), "type it in a terminal of your own"),
    ],
)
def test_an_agent_says_nothing_in_the_persons_name(a_person, words, way):
    said = a_person.cli(*words, CLAUDECODE="1")
    assert said.err.startswith(f"ralph-mem: only a person can type ralph-mem {words[0]}\n  hint: {way}")
    assert (said.code, a_person.notes()) == (1, [])


def test_an_agent_may_look_at_what_is_remembered(a_person):
    assert SIGNING_IN in a_person.reads("search", "signing in", CLAUDECODE="1")


# inject


def test_words_are_kept_as_one_note(a_person):
    text = a_person.reads("inject", "Releases go out", "with make  ship, never by hand.")
    assert text == f"Remembered as {a_person.observation_that_says('Releases')}.\n"
    assert a_person.notes() == [("Releases go out with make  ship, never by hand.", "")]


def test_a_note_is_told_at_the_next_start(a_person_with_a_note):
    assert NOTE in briefing(a_person_with_a_note)


def test_a_note_from_stdin_is_kept_as_it_stands(a_person):
    a_person.reads("inject", "-", stdin='One\'s "first" $HOME `id`\n\n  \u6642\u9593 \\n\n'.encode())
    assert a_person.notes() == [('One\'s "first" $HOME `id`', "\n  \u6642\u9593 \\n")]


@pytest.mark.check
@pytest.mark.parametrize("encoding", [None, "utf-8", "ascii"])
def test_bytes_that_are_no_text_are_replaced(a_person, encoding):
    a_person.reads("inject", "-", stdin=b"caf\xe9 \0!", PYTHONIOENCODING=encoding)
    assert a_person.notes() == [("caf\ufffd !", "")]


def test_words_that_are_no_text_are_replaced(a_person):
    a_person.reads("inject", b"caf\xe9 \xff!")
    assert a_person.notes() == [("caf\ufffd \ufffd!", "")]


def test_a_program_gets_the_id_and_whether_the_note_is_new(a_person):
    first, again = a_person.json("inject", NOTE), a_person.json("inject", NOTE)
    assert first == {"id": a_person.observation_that_says(NOTE), "new": True}
    assert again == {**first, "new": False}
    assert len(a_person.notes()) == 1


def test_a_note_for_all_projects_is_not_in_this_one(a_person, tmp_path):
    a_person.reads("inject", "--global", NOTE)
    assert a_person.notes() == []
    assert (a_person.home / ".config" / "ralph-mem" / "memory.db").stat().st_mode & 0o777 == 0o600
    assert NOTE in briefing(a_person)


def test_a_note_belongs_to_no_session_of_the_client(a_newcomer):
    a_newcomer.reads("inject", NOTE)
    assert a_newcomer.rows("SELECT agent, end_reason FROM sessions") == [("ralph-mem", "terminal")]
    assert a_newcomer.json("status")["sessions"] == 0


def test_secrets_are_cut_out_before_they_are_written(a_person):
    token = "ghp_" + "a1B2" * 9
    a_person.reads("inject", f"Deploy with {token}, <private>not on Fridays</private> please.")
    assert a_person.notes() == [("Deploy with [REDACTED:github-token], [private] please.", "")]
    assert a_person.files_that_hold(token) == a_person.files_that_hold("Fridays") == []


NOTHING = {"nothing": "", "white space": " \n ", "a private passage": "<private>plan B</private>"}


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_a_note_that_says_nothing_is_refused(a_person, text):
    assert "there is nothing to remember" in a_person.fails("inject", "-", stdin=text.encode())
    assert a_person.notes() == []


@pytest.mark.parametrize("size", [8001, 100_000])
def test_a_note_has_at_most_8_000_characters(a_person, size):
    assert "too long to remember" in a_person.fails("inject", "-", stdin=b"x" * size)


@pytest.mark.parametrize(("kept", "gone"), [(("facts", "add", NOTE), ("facts", "retire")), (("core", "set", "port", "8080"), ())])
def test_an_undo_of_what_was_let_go_of_names_how_it_holds_again(a_person, kept, gone):
    name = re.search(r"obs-\w+", a_person.reads(*kept))[0]
    a_person.reads(*gone, name) if gone else a_person.reads("core", "delete", "port")
    said = a_person.cli("undo")
    assert said.code == 1 and f"`ralph-mem facts accept {name}` has it hold again" in said.err
    a_person.reads("facts", "accept", name)
    assert [(each["id"], each["status"]) for each in a_person.json("facts")] == [(name, "active")]


@pytest.mark.parametrize("before", [("inject", "--global"), ("facts", "add", "--global")])
def test_an_undo_takes_back_only_the_last_thing_in_whichever_memory_it_was(a_person, before):
    a_person.reads(*before, "All projects use UTC.")
    a_person.reads("inject", NOTE)
    a_person.reads("undo")
    assert "nothing to take back" in a_person.fails("undo")
    assert "All projects use UTC." in briefing(a_person)


# edit


def test_an_answer_is_corrected_and_told_so(a_person):
    name = a_person.turn_that_says(SIGNING_IN)
    line = a_person.reads("edit", name, "The cause was", "a stale cookie.")
    assert line.startswith(f"{name}  ") and "-> The cause was a stale cookie." in line
    assert a_person.json("search", "cookie")[0]["id"] == name
    assert "stale cookie" in briefing(a_person) and "aware ones" not in briefing(a_person)
    assert a_person.damage() == []


def test_a_note_is_corrected_from_stdin(a_person_with_a_note):
    name = a_person_with_a_note.observation_that_says(NOTE)
    a_person_with_a_note.reads("edit", name, "-", stdin=b"Releases go out with make launch.\nAsk Ada.")
    assert a_person_with_a_note.notes() == [("Releases go out with make launch.", "Ask Ada.")]
    assert a_person_with_a_note.json("search", "ship") == []


def test_the_same_text_changes_nothing(a_person_with_a_note):
    name, before = a_person_with_a_note.observation_that_says(NOTE), a_person_with_a_note.raw()
    assert a_person_with_a_note.reads("edit", name, NOTE) == "Nothing was changed.\n"
    assert a_person_with_a_note.raw() == before


def test_a_correction_that_says_nothing_is_refused(a_person_with_a_note):
    name = a_person_with_a_note.observation_that_says(NOTE)
    assert "nothing to remember" in a_person_with_a_note.fails("edit", name, " ")
    assert "nothing to remember" in a_person_with_a_note.fails("edit", name, "-")
    assert a_person_with_a_note.notes() == [(NOTE, "")]


def test_a_corrected_text_is_redacted(a_person_with_a_note):
    token = "ghp_" + "a1B2" * 9
    a_person_with_a_note.reads("edit", a_person_with_a_note.observation_that_says(NOTE), f"Ship with {token}.")
    assert a_person_with_a_note.notes() == [("Ship with [REDACTED:github-token].", "")]


# pin


def test_a_pinned_memory_comes_first_until_it_is_let_go(a_person_with_a_note):
    person, name = a_person_with_a_note, a_person_with_a_note.turn_that_says(SIGNING_IN)
    assert "  turn pinned  " in person.reads("pin", name)
    heading, first = briefing(person).splitlines()[2:4]
    assert heading == "Pinned:" and first.startswith(f"- [{name}, ")
    assert "pinned" not in person.reads("pin", name, "--off")
    assert "Pinned:" not in briefing(person)


def test_to_pin_says_what_the_pins_take_of_a_session_start(a_person):
    name = a_person.turn_that_says(SIGNING_IN)
    assert re.search(r"^Pinned: 1 memory, \d+ of the 1,500 tokens of a session start\.$", a_person.reads("pin", name), re.MULTILINE)
    a_person.reads("config", "set", "memory.inject_tokens_start", "120")
    said = a_person.reads("pin", name)
    assert re.search(r"^Pins no longer fit: 1 of them take \d+ tokens, and a session start has 120 ", said, re.MULTILINE)
    assert "1 are not told there" in said and "ralph-mem pin ID --off" in said


# wrong


def test_what_misled_is_marked_and_the_receipts_say_so(a_person):
    name = a_person.turn_that_says(SIGNING_IN)
    marked, noted = a_person.reads("wrong", name).splitlines()
    assert marked.startswith(f"{name}  ") and " marked wrong " in marked
    assert noted.startswith("Noted in 2 receipts.")
    items = [item for each in a_person.json("why", name) for item in each["items"] if item["memory"] == name]
    assert len(items) == 2 and all(item["marked_wrong_at"] for item in items)


def test_what_misled_is_not_told_unasked(a_person):
    assert SIGNING_IN in briefing(a_person)
    a_person.reads("wrong", a_person.turn_that_says(SIGNING_IN))
    assert SIGNING_IN not in briefing(a_person)


def test_what_misled_twice_is_told_less_easily_still(a_person):
    name = a_person.turn_that_says(SIGNING_IN)
    for _ in range(2):
        a_person.reads("wrong", name)
    other = a_person.another()
    other.start("resume")
    assert f"[{name}, " not in said_to_model(other.prompt(QUESTION))
