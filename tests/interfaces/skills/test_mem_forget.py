"""/mem-forget: shown first, deleted only with --confirm, and then looked for in the raw files."""

import re
import subprocess
import sys

import pytest

from tests.hook import LONGEST_ANSWER
from tests.interfaces.cli.situations import STRANGERS, held, one_line
from tests.interfaces.cli.test_forgetting import KILLED

RATE_LIMIT = "Raise the rate limit of the export endpoint"
CODE_NAME = "Project Quetzalcoatlus starts in May."


@pytest.fixture
def a_person_with_a_secret(a_person):
    """Return somebody who has said something that must go."""
    a_person.types("mem-inject", CODE_NAME)
    return a_person


def listed(text):
    """Return the list of a preview."""
    return text.partition("\nNothing is deleted yet;")[0]


def shown(person, words):
    """Return the ids that a preview names."""
    return set(re.findall(r"^((?:turn|obs|sess)-\w{10})  ", listed(person.types("mem-forget", words)), re.MULTILINE))


# Shown


def test_a_preview_shows_what_would_go_and_deletes_nothing(a_person):
    name, before = a_person.turn_that_says(RATE_LIMIT), a_person.raw()
    text = a_person.types("mem-forget", name)
    assert f"{name}  " in listed(text) and "\nwith it, since it tells of the same:\nobs-" in listed(text)
    assert re.search(
        rf"\nNothing is deleted yet; what .* brought back\. To delete it: /mem-forget --confirm [0-9a-f]{{6}} {name}\n$",
        text,
    )
    assert a_person.raw() == before


@pytest.mark.check
def test_a_preview_names_all_that_a_confirmed_one_deletes(a_person):
    name = a_person.turn_that_says(RATE_LIMIT)
    named = shown(a_person, name)
    before = {*a_person.values("SELECT public_id FROM turns"), *a_person.values("SELECT public_id FROM observations")}
    a_person.types_confirmed(name)
    after = {*a_person.values("SELECT public_id FROM turns"), *a_person.values("SELECT public_id FROM observations")}
    assert before - after == named


def test_a_preview_withholds_what_a_search_withholds(a_person):
    text = a_person.types("mem-forget", "--query grapefruit")
    assert "is withheld" in text and STRANGERS not in text


@pytest.mark.check
def test_a_preview_is_never_longer_than_the_client_takes(a_person):
    for number in range(60):
        a_person.types("mem-inject", f"Quetzalcoatlus {number} " + "is <b>secret</b> " * 25)
    text = a_person.types("mem-forget", "--query Quetzalcoatlus")
    assert len(text) < LONGEST_ANSWER
    assert re.search("To delete it: /mem-forget --confirm [0-9a-f]{6} --query Quetzalcoatlus", text)


def test_a_confirmation_without_digits_shows_the_same_and_deletes_nothing(a_person):
    before = a_person.raw()
    words = "--query rate limit of"
    plain, confirmed = [a_person.types("mem-forget", f"{text}{words}") for text in ("", "--confirm ")]
    assert confirmed == plain and a_person.raw() == before


@pytest.mark.check
def test_what_was_not_shown_does_not_go_with_what_was(a_person_with_a_secret):
    person = a_person_with_a_secret
    (digits,) = re.findall("--confirm ([0-9a-f]{6})", person.types("mem-forget", "--query Quetzalcoatlus"))
    person.types("mem-inject", "Quetzalcoatlus is told to nobody.")
    text = person.types("mem-forget", f"--confirm {digits} --query Quetzalcoatlus")
    assert text.startswith(f"ralph-mem: what would go is not what was shown under {digits}: nothing is changed\nobs-")
    assert "told to nobody" in text and person.observation_that_says(CODE_NAME)
    (digits,) = re.findall("--confirm ([0-9a-f]{6})", text)
    assert person.types("mem-forget", f"--query Quetzalcoatlus --confirm {digits}").startswith("2 rows deleted")


def test_the_turn_that_the_command_itself_opens_changes_no_digits(a_person):
    shown = [a_person.types("mem-forget", "--since 1d")]
    a_person.prompt("/mem-forget --since 1d")
    shown.append(a_person.types("mem-forget", "--since 1d"))
    first, second = [re.findall("--confirm ([0-9a-f]{6})", text) for text in shown]
    assert first == second and len(first) == 1


# Deleted


@pytest.mark.check
def test_what_is_confirmed_is_gone_from_every_file(a_person_with_a_secret):
    person = a_person_with_a_secret
    text = person.types_confirmed(person.observation_that_says(CODE_NAME))
    assert text.startswith("1 row deleted, with index entries and lines of receipts.\n")
    assert "Checked by reading the raw files: no file kept for this project or for all projects holds the text any more." in text
    assert person.files_that_hold("quetzalcoatlus") == []
    assert person.damage() == []


@pytest.mark.check
def test_what_is_forgotten_is_not_found_and_not_told_again(a_person_with_a_secret):
    person = a_person_with_a_secret
    person.types_confirmed("--query Quetzalcoatlus")
    assert person.types("mem-search", "Quetzalcoatlus").startswith("Nothing")
    assert "Quetzalcoatlus" not in str(person.another().start())


@pytest.mark.check
def test_a_report_does_not_repeat_what_is_gone(a_person_with_a_secret):
    assert "Quetzalcoatlus" not in a_person_with_a_secret.types_confirmed("--query Quetzalcoatlus")


@pytest.mark.check
def test_a_turn_takes_what_it_ran_and_changed_with_it(a_person):
    name = a_person.turn_that_says(RATE_LIMIT)
    text = a_person.types_confirmed(name)
    assert text.startswith("3 rows deleted")
    assert a_person.rows("SELECT 1 FROM observations WHERE title LIKE '%limits%'") == []
    assert a_person.files_that_hold("EXPORT_PER_MINUTE") == []


@pytest.mark.check
def test_forgetting_twice_says_that_it_is_gone(a_person_with_a_secret):
    person = a_person_with_a_secret
    name = person.observation_that_says(CODE_NAME)
    person.types_confirmed(name)
    assert "no memory has the id" in one_line(person.types_confirmed(name))


@pytest.mark.check
def test_what_waits_to_be_stored_is_forgotten_too(a_person):
    with held(a_person):
        a_person.bash("make quetzalcoatlus", "ok")
    assert len(a_person.spooled()) == 1
    assert a_person.types_confirmed("--query Quetzalcoatlus").startswith("1 row deleted")
    assert a_person.files_that_hold("quetzalcoatlus") == []


# What is meant


def test_a_text_means_the_rows_that_hold_exactly_it(a_person):
    assert a_person.turn_that_says(RATE_LIMIT) in shown(a_person, "--query rate limit of the EXPORT endpoint")
    one_line(a_person.types("mem-forget", "--query limit rate"))


def test_words_alone_are_a_text(a_person):
    assert a_person.turn_that_says(RATE_LIMIT) in shown(a_person, "rate limit of the EXPORT endpoint")


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_text_may_be_written_in_quotes(a_person, quote):
    assert a_person.turn_that_says(RATE_LIMIT) in shown(a_person, f"--query {quote}rate limit of{quote}")


def test_a_session_means_all_of_it(a_person):
    session, other = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    named = shown(a_person, f"--session {session}")
    assert session in named and other not in named
    assert {name for name in named if name.startswith("turn")} == set(
        a_person.values("SELECT public_id FROM turns WHERE session_id = 1")
    )
    assert shown(a_person, session) == named


@pytest.mark.check
def test_a_confirmed_session_is_gone_as_a_whole(a_person):
    session = a_person.values("SELECT public_id FROM sessions ORDER BY id")[0]
    a_person.types_confirmed(session)
    assert a_person.rows("SELECT 1 FROM sessions WHERE public_id = ?", session) == []
    assert a_person.rows("SELECT 1 FROM observations WHERE session_id = 1") == []
    assert a_person.damage() == []


def test_a_type_and_a_session_both_have_to_fit(a_person):
    session, other = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    (failed,) = a_person.values("SELECT public_id FROM observations WHERE type = 'error'")
    assert failed in shown(a_person, f"--type error --session {session}")
    one_line(a_person.types("mem-forget", f"--type error --session {other}"))


def test_times_have_to_fit(a_person_with_a_secret):
    person = a_person_with_a_secret
    assert person.observation_that_says(CODE_NAME) in shown(person, "--since 1h --type note")
    one_line(person.types("mem-forget", "--until 2020-01-31 --type note"))
    one_line(person.types("mem-forget", "--since 0m --type note"))


def test_an_origin_means_all_that_came_from_there(a_person):
    outside = a_person.values("SELECT public_id FROM observations WHERE origin = 'outside' OR tainted")
    assert outside and set(outside) <= shown(a_person, "--origin outside")
    assert not set(a_person.values("SELECT public_id FROM turns WHERE NOT tainted")) & shown(a_person, "--origin outside")


def test_all_of_the_project_means_every_row_and_session(a_person):
    every = [a_person.values(f"SELECT public_id FROM {table}") for table in ("turns", "observations", "sessions")]
    assert shown(a_person, "--all --scope project") == {name for names in every for name in names}


def test_several_ids_may_be_given(a_person):
    names = a_person.values("SELECT public_id FROM observations LIMIT 2")
    assert shown(a_person, " ".join(names)) == set(names)


def test_a_value_is_no_consent(a_person_with_a_secret):
    before = a_person_with_a_secret.raw()
    one_line(a_person_with_a_secret.types("mem-forget", "--query --confirm"))
    assert a_person_with_a_secret.raw() == before


WRONG = {
    "nothing": ("", "what should be forgotten"),
    "only a consent": ("--confirm", "what should be forgotten"),
    "an id and words": ("{} rate limit", "rate limit is no id"),
    "an unknown id": ("--confirm turn-k3w9x2mfqa", "no memory has the id turn-k3w9x2mfqa"),
    "a known and an unknown id": ("--confirm {} obs-k3w9x2mfqa", "no memory has the id obs-k3w9x2mfqa"),
    "what nothing fits": ("--confirm --query hippopotamus", "nothing that is remembered fits"),
    "an unknown session": ("--confirm --session sess-k3w9x2mfqa", "nothing that is remembered fits"),
    "an unknown type": ("--confirm --type bogus", "there is no type bogus"),
    "a type of nothing": ("--confirm --type , --query limit", "--type "),
    "a day that does not exist": ("--confirm --since 2026-02-30", "2026-02-30 is no time"),
    "an unknown option": ("--confirm --everything", "there is no option --everything"),
    "everything and an id": ("--confirm --all {}", "--all means everything"),
    "an unknown origin": ("--confirm --origin god", "there is no origin god"),
    "an unknown scope": ("--confirm --scope world {}", "there is no scope world"),
    "100 KB": ("--confirm --query " + "y" * 100_000, "nothing that is remembered fits"),
}


@pytest.mark.check
@pytest.mark.parametrize("what", WRONG)
def test_what_is_asked_wrongly_is_said_in_a_line_and_deletes_nothing(a_person, what):
    words, wanted = WRONG[what]
    before = a_person.raw()
    assert wanted in one_line(a_person.types("mem-forget", words.format(a_person.turn_that_says(RATE_LIMIT))))
    assert a_person.raw() == before


@pytest.mark.check
def test_a_forget_that_was_cut_off_is_finished_by_the_next_one(a_person):
    order = [sys.executable, "-c", KILLED, str(a_person.project), RATE_LIMIT]
    subprocess.run(order, env=a_person.terminal(), capture_output=True, check=False)
    assert "A forget that was interrupted is finished now:\n3 rows deleted" in a_person.types("mem-forget", RATE_LIMIT)
    assert [*(a_person.data / "forgotten").glob("*.job")] == []
