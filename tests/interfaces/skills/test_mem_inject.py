"""/mem-inject: a note in the person's own words, for this project or for all of them."""

import re

import pytest

from tests.hook import said_to_model
from tests.interfaces.cli.situations import Person, held, one_line

NOTE = "Releases go out with make ship, never by hand."
KEPT = re.compile(r"Remembered for (this project|all projects) as (obs-\w{10})\. /mem undo takes it back\.\n")


def test_a_note_is_kept_and_its_id_is_told(a_person):
    where, name = KEPT.fullmatch(a_person.types("mem-inject", NOTE)).groups()
    assert where == "this project"
    assert a_person.rows("SELECT public_id, title, content, origin FROM observations WHERE type = 'note'") == [
        (name, NOTE, "", "user")
    ]


def test_a_note_belongs_to_the_session_in_which_it_was_typed(a_person):
    a_person.types("mem-inject", NOTE)
    sessions = a_person.values(
        "SELECT s.client_session FROM observations AS o JOIN sessions AS s ON s.id = o.session_id WHERE type = 'note'"
    )
    assert sessions == [a_person.session]


def test_a_note_is_found_at_once_and_told_at_the_next_start(a_person):
    a_person.types("mem-inject", NOTE)
    assert NOTE in a_person.types("mem-search", "releases ship")
    assert NOTE in said_to_model(a_person.another().start())


def test_the_same_note_is_kept_once(a_person):
    name = KEPT.fullmatch(a_person.types("mem-inject", NOTE))[2]
    assert a_person.types("mem-inject", f"  {NOTE}\n") == f"This is remembered already, as {name}.\n"
    assert len(a_person.notes()) == 1


def test_a_note_for_all_projects_is_told_in_each(a_person, tmp_path):
    where, _ = KEPT.fullmatch(a_person.types("mem-inject", f"--global {NOTE}")).groups()
    assert where == "all projects"
    assert a_person.notes() == []
    other = Person(tmp_path / "person", a_person.plugin, project="other")
    assert NOTE in said_to_model(other.start())
    assert NOTE in other.types("mem-search", "releases ship")


def test_only_the_word_global_in_front_means_all_projects(a_person):
    assert "this project" in a_person.types("mem-inject", "use --global here")
    assert a_person.notes() == [("use --global here", "")]


@pytest.mark.parametrize("text", ["--pin never push", "--globally speaking", "--global --pin it"])
def test_an_option_in_front_of_a_note_that_nobody_knows_is_asked_about(a_person, text):
    assert "so nothing was kept" in one_line(a_person.types("mem-inject", text))
    assert a_person.notes() == []


def test_behind_two_dashes_a_note_may_begin_with_an_option(a_person):
    a_person.types("mem-inject", "-- --pin never push")
    assert a_person.notes() == [("--pin never push", "")]


def test_a_first_note_makes_the_memory(a_newcomer):
    assert "this project" in a_newcomer.types("mem-inject", NOTE)
    assert a_newcomer.notes() == [(NOTE, "")]
    assert (a_newcomer.memory / ".gitignore").read_text() == "*\n"
    assert a_newcomer.database.stat().st_mode & 0o777 == 0o600


def test_what_waited_comes_in_before_the_note(a_person):
    with held(a_person):
        a_person.bash("make mast", "ok")
    assert len(a_person.spooled()) == 1
    a_person.types("mem-inject", NOTE)
    assert a_person.values("SELECT title FROM observations ORDER BY id DESC LIMIT 2") == [NOTE, "make mast"]
    assert a_person.spooled() == []


@pytest.mark.parametrize("where", ["", "--global "])
@pytest.mark.parametrize("how", ["the file", "the variable", "the config"])
def test_while_recording_is_off_nothing_is_kept(a_person, how, where):
    if how == "the file":
        (a_person.memory / "off").touch()
    if how == "the variable":
        a_person.environment["RALPH_MEM_RECORDING"] = "off"
    if how == "the config":
        (a_person.memory / "config.yaml").write_text("recording: off\n")
    before = a_person.raw()
    assert "nothing was kept" in one_line(a_person.types("mem-inject", where + NOTE))
    assert a_person.raw() == before
    assert not (a_person.home / ".config" / "ralph-mem" / "memory.db").exists()


NOTHING = {
    "nothing": "",
    "white space": " \n\t\u3000 ",
    "only the option": "--global",
    "only a private passage": "<private>plan B</private>",
}


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_a_note_that_says_nothing_is_refused(a_person, text):
    assert "there is nothing to remember" in one_line(a_person.types("mem-inject", text))
    assert a_person.notes() == []


def test_a_note_has_at_most_8_000_characters(a_person):
    assert KEPT.fullmatch(a_person.types("mem-inject", "x" * 8000))
    assert "8,001 characters are too long" in one_line(a_person.types("mem-inject", "x" * 8001))


def test_a_secret_in_a_note_is_cut_out_before_it_is_written(a_person):
    token = "ghp_" + "a1B2" * 9
    a_person.types("mem-inject", f"Deploy with {token}, <private>not on Fridays</private> please.")
    assert a_person.notes() == [("Deploy with [REDACTED:github-token], [private] please.", "")]
    assert a_person.files_that_hold(token) == a_person.files_that_hold("Fridays") == []


def test_without_a_home_there_are_no_notes_about_all_projects(a_person):
    del a_person.environment["HOME"]
    assert "leave out --global" in one_line(a_person.types("mem-inject", f"--global {NOTE}"))
