"""What is read anew when a row beside it was changed or deleted: commands, paths, quotations, summaries, index entries."""

import pytest

from ralph_mem.memory.rows import existing, rewrite, row, turns
from tests.sessions import check, found, words_of


@pytest.fixture
def four_turns(a_session):
    """Have four turns behind it, each about another stone; returns their row numbers."""
    for stone in ("tungsten", "zirconium", "basalt", "quartz"):
        a_session.has_a_turn(f"Where is the {stone}?", f"The {stone} is here.")
    a_session.sends("session-end", reason="other")
    return [1, 2, 3, 4]


def contexts(session):
    return [text for (text,) in session.turns("context")]


def change(session, function, *given):
    """Change something in a transaction of its own."""
    session.store.begin()
    function(session.store, *given)
    session.store.commit()
    check(session.store)


def remove_turn(store, number):
    existing.remove_entry(store, row.TURN, number)
    store.execute("DELETE FROM turns WHERE id = ?", (number,))


# A better answer


def test_another_answer_takes_the_place_of_the_old_one_in_row_and_index(a_session, four_turns):
    change(a_session, rewrite.say, 2, "It was obsidian.")
    assert a_session.turns("response")[1] == ("It was obsidian.",)
    assert found(a_session.store, "memory_fts", "body:obsidian") == [2]
    assert found(a_session.store, "memory_fts", "body:zirconium") == []
    tokens, checksum = a_session.turns("tokens, checksum")[1]
    change(a_session, rewrite.say, 2, "The zirconium is here.")
    assert a_session.turns("tokens, checksum")[1] != (tokens, checksum)


def test_the_two_turns_after_it_quote_the_new_answer(a_session, four_turns):
    change(a_session, rewrite.say, 1, "It was obsidian.")
    assert ["obsidian" in text for text in contexts(a_session)] == [False, True, True, False]
    assert "The tungsten is" not in "".join(contexts(a_session))
    assert found(a_session.store, "memory_fts", "context:obsidian") == [2, 3]


def test_the_summary_of_an_ended_session_says_the_new_answer(a_session, four_turns):
    change(a_session, rewrite.say, 4, "It was obsidian.")
    assert a_session.rows("SELECT summary FROM sessions") == [
        ("4 prompts, 0 failed commands: Where is the quartz? -> It was obsidian.",)
    ]


def test_a_session_that_has_not_ended_gets_no_summary(a_session):
    a_session.has_a_turn("Where is the tungsten?", "Here.")
    change(a_session, rewrite.say, 1, "There.")
    assert a_session.rows("SELECT summary FROM sessions") == [(None,)]


def test_an_open_turn_that_was_findable_stays_so(a_session):
    a_session.asks("Where is the tungsten?")
    a_session.sends("pre-compact")
    change(a_session, rewrite.say, 1, "It was obsidian.")
    assert found(a_session.store, "memory_fts", "obsidian") == [1]


def test_an_open_turn_that_was_not_findable_stays_so(a_session):
    a_session.asks("Where is the tungsten?")
    change(a_session, rewrite.say, 1, "It was obsidian.")
    assert words_of(a_session.store, "memory_fts") == {}


# A turn that goes


@pytest.mark.parametrize(("gone", "quoting"), [(1, {2: "", 3: "zirconium"}), (2, {3: "tungsten", 4: "tungsten basalt"}), (4, {})])
def test_the_two_turns_after_a_deleted_one_quote_what_is_before_it(a_session, four_turns, gone, quoting):
    seq = a_session.turns("seq")[gone - 1][0]
    change(a_session, remove_turn, gone)
    assert rewrite.quote_again(a_session.store, a_session.number, seq) == len(quoting)
    stones = {row: " ".join(stone for stone in ("tungsten", "zirconium", "basalt", "quartz") if f"the {stone}?" in text)
              for row, text in a_session.turns("id, context")}  # fmt: skip
    assert {row: stones[row] for row in quoting} == quoting
    check(a_session.store)


def test_the_last_of_a_session_that_goes_leaves_a_summary_of_nothing(a_session):
    a_session.has_a_turn("Where is the tungsten?", "Here.")
    a_session.sends("session-end", reason="other")
    change(a_session, remove_turn, 1)
    change(a_session, rewrite.quote_again, a_session.number, 0)
    assert a_session.rows("SELECT summary FROM sessions") == [("0 prompts, 0 failed commands",)]


def test_another_sessions_turns_are_left_alone(a_session, another_session):
    another_session.has_a_turn("Where is the ladder?", "There.")
    a_session.has_a_turn("Where is the tungsten?", "Here.")
    before = another_session.rows("SELECT * FROM turns WHERE session_id = ?", another_session.number)
    change(a_session, rewrite.say, 2, "It was obsidian.")
    assert another_session.rows("SELECT * FROM turns WHERE session_id = ?", another_session.number) == before


# A row that goes


@pytest.fixture
def a_busy_turn(a_session):
    """Have a turn that failed, mended two files in three edits, looked at one more, and passed."""
    a_session.asks("Mend the lantern")
    a_session.runs("make lantern", error="Exit code 2\nerror: no zirconium")
    a_session.edits("src/lantern.py")
    a_session.edits("src/fuse.py")
    a_session.edits("src/fuse.py", "a", "b")
    a_session.uses("Read", {}, file_path=f"{a_session.project.root}/src/ladder.py")
    a_session.runs("pytest lanterns", "1 passed")
    a_session.is_answered("Mended.")
    return [name for (name,) in a_session.observations("public_id")]


def remove(session, name, *gone):
    change(session, rewrite.delete, name)
    change(session, rewrite.rebuild, 1, gone)


def test_the_commands_of_a_turn_are_those_that_are_left(a_session, a_busy_turn):
    remove(a_session, a_busy_turn[0])
    assert a_session.turns("lines") == [("passed: pytest lanterns",)]
    assert found(a_session.store, "memory_fts", "zirconium") == []
    assert found(a_session.store, "memory_fts", "pytest") == [1]


def test_a_path_leaves_a_turn_with_the_last_row_that_names_it(a_session, a_busy_turn):
    remove(a_session, a_busy_turn[1], "src/lantern.py")
    assert a_session.turns("files, files_read") == [("src/fuse.py\n", "src/ladder.py\n")]
    remove(a_session, a_busy_turn[2], "src/fuse.py")
    assert a_session.turns("files") == [("src/fuse.py\n",)]
    remove(a_session, a_busy_turn[3], "src/fuse.py")
    assert a_session.turns("files") == [("",)]
    assert found(a_session.store, "memory_fts", "files:fuse") == []


def test_a_row_that_is_not_there_is_not_deleted(a_session, a_busy_turn):
    assert rewrite.delete(a_session.store, "obs-aaaaaaaaaa") is False
    assert rewrite.delete(a_session.store, a_busy_turn[0]) is True
    assert rewrite.delete(a_session.store, a_busy_turn[0]) is False
    check(a_session.store)


def test_a_turn_of_which_nothing_is_left_is_no_memory_any_more(a_session):
    a_session.asks("/mem-search lamps")
    a_session.runs("make lamp")
    a_session.is_answered("x")
    remove(a_session, a_session.observations("public_id")[0][0])
    assert a_session.rows("SELECT id FROM memory_fts_docsize") == a_session.rows("SELECT id FROM memories") == []


# Another text


def test_another_text_of_a_raw_row_takes_the_place_of_the_old_one(a_session, a_busy_turn):
    change(a_session, rewrite.texts_of, row.OBSERVATION, 1, {"title": "make lantern", "content": "It was obsidian.", "lines": ""})
    assert found(a_session.store, "observations_fts", "body:obsidian") == [1]
    assert found(a_session.store, "observations_fts", "zirconium") == []
    assert a_session.observations("content")[0] == ("It was obsidian.",)


def test_another_text_of_a_note_takes_the_place_of_the_old_one(a_session):
    a_session.notes("The zirconium", "is dear")
    change(a_session, rewrite.texts_of, row.OBSERVATION, 1, {"title": "The obsidian", "content": "is cheap", "lines": ""})
    assert words_of(a_session.store, "memory_fts").keys() == {"obsidian", "cheap"}
    assert words_of(a_session.store, "observations_fts") == {}


def test_rebuilding_what_is_as_it_should_be_changes_nothing(a_session, a_busy_turn):
    a_session.has_a_turn("Where is the ladder?", "There.")
    before = [a_session.rows(f"SELECT * FROM {table}") for table in ("turns", "observations", "memories", "sessions")]
    words = words_of(a_session.store, "memory_fts")
    for number in (1, 2):
        change(a_session, rewrite.rebuild, number)
    assert [a_session.rows(f"SELECT * FROM {table}") for table in ("turns", "observations", "memories", "sessions")] == before
    assert words_of(a_session.store, "memory_fts") == words
    assert turns.CONTEXT_TURNS == 2
