"""/mem-status: how much is remembered, what was told of it, and whether all is well."""

import re

from tests.interfaces.cli.situations import held


def test_the_first_line_names_the_project_and_says_whether_it_records(a_person):
    lines = a_person.types("mem-status").splitlines()
    assert re.fullmatch(rf"{a_person.project}: recording since [\d: -]+, telling what it remembers", lines[0])
    assert lines[1].startswith("2 sessions, 4 prompts, ")
    assert re.fullmatch(r"told in the last 7 days: 2 times, \d+ tokens", lines[3])
    assert re.fullmatch(rf"\d+\.\d [KM]B in {a_person.database}", lines[4])


def test_what_the_model_runs_is_answered_like_what_a_person_types(a_person):
    assert a_person.model_runs("mem-status") == a_person.types("mem-status")


def test_words_behind_it_do_not_matter(a_person):
    assert a_person.types("mem-status", "please $(touch made)") == a_person.types("mem-status")


def test_a_pause_is_said(a_person):
    (a_person.memory / "off").touch()
    assert a_person.types("mem-status").startswith(f"{a_person.project}: paused: {a_person.memory}/off, telling nothing\n")


def test_events_that_wait_are_counted(a_person):
    with held(a_person):
        a_person.bash("make mast", "ok")
        assert "\n1 event waits to be stored with the next one\n" in a_person.types("mem-status")


def test_where_nothing_is_remembered_yet_that_is_said(a_newcomer):
    assert a_newcomer.types("mem-status").startswith(f"{a_newcomer.project}: not yet: ")
    assert not a_newcomer.memory.exists()


def test_a_memory_that_cannot_be_read_is_the_trouble(a_person):
    a_person.database.write_bytes(b"junk" * 2000)
    assert re.search(r"\ntrouble: the memory cannot be used: .*file is not a database\n$", a_person.types("mem-status"))


def test_a_status_tells_nothing_of_what_is_remembered(a_person):
    assert "thrown" not in a_person.types("mem-status")
