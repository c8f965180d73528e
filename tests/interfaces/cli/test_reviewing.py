"""review and purge: what came from where, the most doubtful first, and away with it."""

import pytest

from tests.interfaces.cli.situations import STRANGERS
from tests.memory.inject.test_block import FORBIDDEN


def test_the_most_doubtful_rows_stand_first(a_person):
    rows = a_person.json("review", "-n", "100")["rows"]
    assert rows[0]["tainted"] and rows[-1]["origin"] == "user" and not rows[-1]["tainted"]
    (page,) = [row for row in rows if row["origin"] == "outside"]
    assert page["source"] == "outside by WebFetch, not to be trusted"
    doubts = [(not row["tainted"], ["outside", "tool", "test", "agent", "user"].index(row["origin"])) for row in rows]
    assert doubts == sorted(doubts)


def test_rows_are_counted_by_session_and_origin(a_person):
    counted = a_person.json("review")["sessions"]
    total = sum(sum(number for origin, number in each["origins"].items() if origin != "tainted") for each in counted)
    assert total == sum(a_person.values("SELECT count(*) FROM turns") + a_person.values("SELECT count(*) FROM observations"))
    assert [each["session"] for each in counted] == a_person.values(
        "SELECT public_id FROM sessions ORDER BY started_at DESC, id DESC"
    )


def test_a_person_reads_a_table_and_a_line_for_each(a_person):
    text = a_person.reads("review", "--origin", "outside", "--since", "7d")
    assert text.split()[:8] == ["session", "began", "outside", "tool", "test", "agent", "user", "tainted"]
    assert "outside by WebFetch, not to be trusted  obs-" in text and STRANGERS not in text
    assert STRANGERS.split(",")[0] in a_person.reads("review", "--origin", "outside", "--outside")


def test_slash_commands_without_a_word_are_no_rows_and_what_is_left_out_is_told(a_person):
    before = a_person.reads("review")
    a_person.another().prompt("/mem status")
    assert "" in a_person.values("SELECT prompt FROM turns WHERE kind = 'command'")
    assert a_person.reads("review") == before and "[0 tokens]" not in a_person.types("mem", "review --limit 1000")
    said = a_person.types("mem", "review --limit 1").splitlines()
    assert len(said) == 2 and said[1] == "and more: --limit N lists them"


def test_a_session_is_reviewed_by_itself(a_person):
    first, second = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    assert {row["session"] for row in a_person.json("review", "--session", first)["rows"]} == {first}
    assert a_person.reads("review", "--session", first, "--origin", "outside") == "Nothing that is remembered fits.\n"
    assert second in a_person.reads("review", "--session", second)


def test_what_is_wrong_with_a_call_is_said_in_a_line(a_person):
    assert "there is no origin" in a_person.fails("review", "--origin", "god")
    assert "there is no origin" in a_person.fails("purge", "--origin", "god")
    assert "what should go?" in a_person.fails("purge", "--confirm")
    assert a_person.reads("review", "--session", "\u96fb") == "Nothing that is remembered fits.\n"


def test_a_purge_is_shown_first(a_person):
    before = a_person.raw()
    assert "Nothing is deleted yet. To delete exactly this, add --confirm " in a_person.reads("purge", "--origin", "outside")
    assert a_person.raw() == before


@pytest.mark.check
def test_a_purge_of_what_came_from_outside_takes_what_was_made_from_it(a_person):
    kept = a_person.values("SELECT public_id FROM turns WHERE NOT tainted")
    a_person.cli(*a_person.confirming("purge", "--origin", "outside"))
    assert a_person.files_that_hold(STRANGERS) == []
    assert set(a_person.values("SELECT public_id FROM turns")) == set(kept)
    assert a_person.json("review", "--origin", "outside")["rows"] == []


def test_a_purge_of_a_session_takes_the_session(a_person):
    first, second = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    a_person.cli(*a_person.confirming("purge", "--session", second))
    assert a_person.values("SELECT public_id FROM sessions") == [first]


def test_what_is_stored_does_not_speak_to_the_terminal(a_person):
    hostile = "\x1b]0;title\x07\x9b31m\u202e lamp \x1b[2J"
    with a_person.connect() as db:
        db.execute("UPDATE turns SET branch = ?1, prompt = ?1", (hostile,))
        db.execute("UPDATE observations SET tool_name = ?1, title = ?1, content = ?1", (hostile,))
        db.execute("UPDATE sessions SET branch = ?1", (hostile,))
    orders = (["review", "-n", "99"], ["review", "--json"], ["export"], ["export", "--format", "markdown", "--outside"])
    for words in orders:
        text = a_person.reads(*words)
        assert "lamp" in text and not FORBIDDEN & set(map(ord, text)), words


def test_no_more_sessions_are_listed_than_rows(a_person):
    first, second = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    said = a_person.reads("review", "--limit", "1")
    assert second in said and first not in said and "and 1 older session\n" in said
