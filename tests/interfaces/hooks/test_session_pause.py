"""A session that a person pauses: nothing of it is recorded or told until it ends, and nobody else notices."""

import pytest

from ralph_mem.core import session_pause
from tests.hook import said_to_anybody, said_to_model

SECRET = "the zeppelin is painted ultramarine"
PROMPTS = "SELECT prompt FROM turns WHERE kind = 'prompt' ORDER BY id"


@pytest.fixture
def paused(a_session):
    """A session in which something was said before its person paused it."""
    a_session.prompt("Why does the halyard slip under load?")
    a_session.stop("The cleat was mounted upside down.")
    a_session.said = said_to_anybody(a_session.typed("mem", "pause session"))
    return a_session


def says_something(session):
    told = session.prompt(SECRET)
    session.bash("echo ultramarine", "ultramarine")
    return [told, session.stop(SECRET)]


def test_it_is_said_that_the_session_is_paused_until_when(paused):
    assert paused.said == "Paused: nothing of this session is recorded, and nothing told in it, until it ends or /mem resume.\n"


def test_nothing_of_it_is_recorded_or_told(paused):
    assert says_something(paused) == [{}, {}] and paused.prompt("The halyard slips again, what was it?") == {}
    assert len(paused.values(PROMPTS)) == 1 and not [
        row for row in paused.values("SELECT title FROM observations") if "echo" in row
    ]


def test_no_file_of_ours_holds_what_was_said_meanwhile(paused):
    says_something(paused)
    files = [path for folder in (paused.data, paused.memory) for path in folder.rglob("*") if path.is_file()]
    assert files and not [path for path in files if b"ultramarine" in path.read_bytes()]


def test_after_a_compaction_it_is_still_paused(paused):
    assert paused.start(source="compact") == {}
    assert says_something(paused) == [{}, {}] and len(paused.values(PROMPTS)) == 1


def test_other_sessions_go_on_as_before(paused):
    other = paused.another()
    assert "halyard" in said_to_model(other.start())
    other.prompt("And the second one?")
    assert other.values(PROMPTS)[-1] == "And the second one?"


def test_it_goes_on_when_its_person_says_so(paused):
    assert said_to_anybody(paused.typed("mem", "resume")) == f"Recording in {paused.project}.\n"
    paused.prompt("What now?")
    assert paused.values(PROMPTS)[-1] == "What now?"


@pytest.mark.parametrize("how", ["its end", "a kill"])
def test_the_pause_is_over_with_the_session(paused, how):
    if how == "its end":
        paused.end()
    paused.start(source="resume")
    paused.prompt("What now?")
    assert paused.values(PROMPTS)[-1] == "What now?"


def test_the_pause_is_over_with_the_session_where_recording_is_off_as_well(paused):
    (paused.memory / "off").touch()
    paused.end()
    (paused.memory / "off").unlink()
    assert "recording since" in said_to_anybody(paused.typed("mem-status"))


def test_its_end_is_noted_all_the_same(paused):
    paused.end("prompt_input_exit")
    assert paused.values("SELECT end_reason FROM sessions") == ["prompt_input_exit"]


def test_status_says_so_in_that_session_alone(paused):
    shown, elsewhere = (said_to_anybody(each.typed("mem-status")) for each in (paused, paused.another()))
    assert shown.startswith(f"{paused.project}: paused: this session, until it ends or /mem resume, telling nothing\n")
    assert "recording since" in elsewhere


def test_a_note_that_is_typed_in_it_is_refused_and_says_why(paused):
    assert "recording is switched off here, nothing was kept" in said_to_anybody(paused.typed("mem", "inject " + SECRET))


def test_a_correction_that_is_typed_in_it_is_refused_too(paused):
    (name,) = paused.values("SELECT public_id FROM turns ORDER BY id LIMIT 1")
    assert "nothing was kept" in said_to_anybody(paused.typed("mem", f"edit {name} It was the proxy."))
    assert "It was the proxy." not in paused.values("SELECT response FROM turns")


def test_other_words_pause_nothing(a_session):
    assert "/mem pause takes no words such as tomorrow" in said_to_anybody(a_session.typed("mem", "pause tomorrow"))
    assert not (a_session.data / "paused").exists() and not (a_session.memory / "off").exists()


def test_marks_are_kept_as_long_as_an_import_could_read_the_session(a_home, monkeypatch):
    session_pause.pause("one")
    assert session_pause.end("one") and session_pause.was_paused("one") and not session_pause.end("one")
    monkeypatch.setattr(session_pause, "MOST_S", -1)
    session_pause.pause("two")
    assert not session_pause.was_paused("one") and session_pause.was_paused("two")
