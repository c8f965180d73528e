"""What a session is told at its start, measured by what it goes on to edit."""

from ralph_mem.bench import briefed
from tests.bench.conftest import a_memory, a_query, a_set

QUERY = a_query("pump", "m0")


def turn(number, session, *files):
    return a_memory(number, "Done.", session, title=f"chore {number}", files=list(files))


def measured(read, *memories):
    return briefed.measure(read(a_set(QUERY, memories=list(memories))))


def starts(read, *memories):
    return briefed.starts(read(a_set(QUERY, memories=list(memories))).projects[0])


def test_a_session_counts_that_edits_a_file_again(read):
    found = starts(read, turn(0, "s1", "pump.py"), turn(1, "s2", "mast.py"), turn(2, "s3", "mast.py", "oar.py"))
    assert found == [(2, {"m1"})]


def test_the_turn_that_matters_is_the_last_one_that_edited_the_file(read):
    found = starts(read, turn(0, "s1", "pump.py"), turn(1, "s1", "pump.py"), turn(2, "s2", "mast.py"), turn(3, "s2", "pump.py"))
    assert found == [(2, {"m1"})]


def test_a_file_that_everybody_edits_says_nothing(read):
    assert starts(read, *[turn(number, f"s{number}", "changelog.md") for number in range(3)]) == []


def test_what_happened_just_before_is_named_by_both(read):
    found = measured(read, turn(0, "s1", "pump.py"), turn(1, "s2", "pump.py"))
    assert (found["sessions"], found["briefing"]["value"], found["newest-ten"]["value"]) == (1, 1.0, 1.0)


def test_what_is_long_ago_is_not_among_the_newest_ten(read):
    chores = [turn(number, "s1") for number in range(1, 30)]
    found = measured(read, turn(0, "s0", "pump.py"), *chores, turn(30, "s2", "pump.py"))
    assert found["newest-ten"]["value"] == 0.0


def test_notes_edit_nothing(read):
    assert measured(read, a_memory(0, "a heron"), a_memory(1, "a heron", "s2"))["sessions"] == 0
