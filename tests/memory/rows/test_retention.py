"""Keeping: old raw output loses its body and nothing else, by both limits together, a little at every Stop."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem.core.project import Activity
from ralph_mem.core.settings import effective as switches
from ralph_mem.interfaces.hooks import answer
from ralph_mem.maintenance import status
from ralph_mem.maintenance.doctor import files
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import index_text, records, retention, row
from tests.hook import Hook
from tests.readers import files_of, forget, holding, last, note, reader_of
from tests.sessions import DAY, NOON, a_note, check, found, words_of

LATER = NOON + 60 * DAY
BATCH = 20  # of more than are due in most of these tests: which rows go is the same for batches of any size


@pytest.fixture(autouse=True)
def large_batches(monkeypatch):
    monkeypatch.setattr(retention, "BATCH", BATCH)


def limits(most=0, days=30, on=True):
    return {
        **switches.DEFAULTS, "memory.max_observations": most, "memory.retention_days": days, "memory.auto_compress": on
    }  # fmt: skip


def stops(session, at=LATER, **changed):
    """Let a turn stop at a time; returns how many rows lost their body."""
    before = len(emptied(session))
    answer.afterwards(session.store, Activity("answer", session=session.name, at=at), limits(**changed))
    return len(emptied(session)) - before


def emptied(session):
    return [name for (name,) in session.rows("SELECT public_id FROM observations WHERE emptied_at NOT NULL ORDER BY id")]


def whole(session):
    return [name for (name,) in session.rows("SELECT public_id FROM observations WHERE content <> '' ORDER BY id")]


def outputs(session, number, word="tungsten"):
    """Have so many commands with an output; returns their ids."""
    names = []
    for each in range(number):
        session.runs(f"./blow lantern-{each}", f"{word} of lantern {each}\nglass is blown")
        names.append(last(session))
    return names


@pytest.fixture
def a_turn(a_session):
    a_session.asks("Make the lanterns")
    return a_session


# What goes, and what stays


def test_an_old_output_keeps_its_title_files_and_index_entry(a_turn):
    a_turn.edits("src/lantern.py", "dark", "zirconium")
    (name,) = outputs(a_turn, 1)
    assert stops(a_turn) == 2
    assert a_turn.observations("title, content, files, lines, emptied_at") == [
        ("src/lantern.py", "", "src/lantern.py", "", LATER),
        ("./blow lantern-0", "", "", "", LATER),
    ]
    assert len(found(a_turn.store, "observations_fts", "lantern")) == 2
    assert found(a_turn.store, "observations_fts", "tungsten OR zirconium OR glass") == []
    assert lookup.find(reader_of(a_turn), name).asked == "./blow lantern-0"


def test_the_error_lines_of_an_old_output_stay(a_turn):
    a_turn.runs("./blow lantern", "blowing glass\nlantern.c:7: error: no tungsten\nglass is blown")
    stops(a_turn)
    assert a_turn.observations("content, lines") == [("", "lantern.c:7: error: no tungsten")]
    assert found(a_turn.store, "observations_fts", "tungsten") == [1]
    assert "lantern.c:7: error: no tungsten" in layers.whole(lookup.find(reader_of(a_turn), last(a_turn)))


def test_its_price_and_its_checksum_are_those_of_what_is_left(a_turn):
    outputs(a_turn, 1)
    a_turn.store.execute("UPDATE observations SET tokens = 99, counted_by = 'lantern'")
    stops(a_turn)
    texts = ("./blow lantern-0", "", "", "")
    assert a_turn.observations("tokens, checksum, counted_by") == [(row.tokens(*texts), row.checksum(*texts), None)]


def test_whatever_says_more_than_its_bytes_stays_whole(a_turn):
    a_turn.runs("make lantern", error="Exit code 2\nerror: no tungsten")
    a_turn.runs("pytest lanterns", "3 passed")
    a_turn.sends("subagent-stop", agent_id="a1", agent_type="Explore", last_assistant_message="It is in the cellar.\nBehind.")
    a_turn.sends("post-compact", trigger="auto", compact_summary="<summary>The lanterns are lit.</summary>")
    a_turn.notes("The tungsten is dear", "Ask before buying.")
    a_turn.is_answered("It is mended.")
    before = a_turn.observations("*"), a_turn.turns("*")
    assert len(before[0]) == 5 and stops(a_turn) == 0
    assert (a_turn.observations("*"), a_turn.turns("*")) == before


def test_what_a_person_pinned_or_edited_stays_whole(a_turn):
    pinned, edited, other = outputs(a_turn, 3)
    notes_by_hand.pin(lookup.find(reader_of(a_turn), pinned))
    notes_by_hand.edit(lookup.find(reader_of(a_turn), edited), a_turn.project, a_turn.settings, "Use brass.")
    assert stops(a_turn) == 1 and emptied(a_turn) == [other]


@pytest.mark.parametrize(
    ("most", "days", "gone"), [(2, 30, 3), (2, 61, 0), (9, 30, 0), (0, 30, 5), (5, 1, 0), (4, 1, 1), (0, 61, 0)]
)
def test_a_row_goes_that_is_both_too_old_and_beyond_the_newest(a_turn, most, days, gone):
    names = outputs(a_turn, 5)
    assert stops(a_turn, most=most, days=days) == gone
    assert emptied(a_turn) == names[:gone]


def test_imported_rows_count_by_their_own_dates(a_turn):
    own = outputs(a_turn, 3)
    a_turn.now -= 300 * DAY
    imported = outputs(a_turn, 3)
    stops(a_turn, most=4)
    assert emptied(a_turn) == imported[:2] and whole(a_turn) == own + imported[2:]


def test_an_event_that_is_sent_again_does_not_bring_a_body_back(a_turn):
    outputs(a_turn, 1)
    stops(a_turn)
    a_turn.calls -= 1
    a_turn.runs("./blow lantern-0", "tungsten again")
    assert a_turn.observations("content") == [("",)]


def add(session, number, at, kind):
    """Store a row of some age."""
    changes = {"verb": "observation", "type": kind, "event_id": f"call-{number}", "at": at, "tool_name": "Bash"}
    records.apply(session.store, a_note(session, **changes, title=f"make {number}", content=f"glass{number}" * (number % 7 > 0)))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 90), st.sampled_from(["tool_use", "tool_use", "error"])), max_size=40),
    st.integers(0, 30), st.integers(1, 60), st.booleans(),
)  # fmt: skip
def test_exactly_the_rows_go_that_the_rule_names(a_session, rows, most, days, at_once):
    a_session.store.execute("DELETE FROM observations_fts_docsize")
    for statement in ("DELETE FROM observations", "INSERT INTO observations_fts (observations_fts) VALUES ('delete-all')"):
        a_session.store.execute(statement)
    a_session.store.set_property(retention.STATE, None)
    for number, (age, kind) in enumerate(rows):
        add(a_session, number, LATER - age * DAY, kind)
    raw = a_session.rows(
        "SELECT created_at, id FROM observations WHERE type = 'tool_use' AND content <> '' ORDER BY 1 DESC, 2 DESC"
    )
    wanted = {number for place, (at, number) in enumerate(raw) if place >= most and at < LATER - days * DAY}
    assert retention.due(a_session.store, limits(most, days), LATER)[0] == len(wanted)
    if at_once:
        assert retention.keep_all(a_session.store, limits(most, days), LATER) == len(wanted)
    for _ in range(5):
        stops(a_session, most=most, days=days)
    assert {number for (number,) in a_session.rows("SELECT id FROM observations WHERE emptied_at NOT NULL")} == wanted


def test_the_index_is_as_if_the_bodies_had_never_been_there(a_thousand_rows):
    assert retention.keep_all(a_thousand_rows.store, limits(100), LATER) > 200
    check(a_thousand_rows.store)
    before = words_of(a_thousand_rows.store, "observations_fts")
    raw = "SELECT id, title, content, files, lines FROM observations WHERE id NOT IN (SELECT observation_id FROM memories"
    rows = a_thousand_rows.rows(raw + " WHERE observation_id NOT NULL)")
    a_thousand_rows.store.execute("INSERT INTO observations_fts (observations_fts) VALUES ('delete-all')")
    for number, *texts in rows:
        values = (number, *map(index_text.of, texts))
        a_thousand_rows.store.execute(
            "INSERT INTO observations_fts (rowid, title, body, files, lines) VALUES (?, ?, ?, ?, ?)", values
        )
    assert words_of(a_thousand_rows.store, "observations_fts") == before


# When


def test_a_backlog_goes_bit_by_bit(a_turn):
    outputs(a_turn, 2 * BATCH + 3)
    assert [stops(a_turn) for _ in range(4)] == [BATCH, BATCH, 3, 0]


def test_a_backlog_does_not_grow_however_much_a_turn_leaves(a_turn):
    outputs(a_turn, 3 * BATCH)
    stops(a_turn)
    outputs(a_turn, 2 * BATCH)
    assert stops(a_turn) == 2 * BATCH
    outputs(a_turn, 5)
    assert stops(a_turn) == BATCH


def test_the_oldest_rows_go_first(a_turn):
    names = outputs(a_turn, 2 * BATCH)
    stops(a_turn)
    assert emptied(a_turn) == names[:BATCH]


def test_nothing_happens_when_it_is_switched_off(a_turn):
    outputs(a_turn, 3)
    assert stops(a_turn, on=False) == 0 and a_turn.store.property(retention.STATE) is None


# A clock that is wrong


JUMP = NOON + 3650 * DAY


def day_by_day(session, first, days, **changed):
    """Stop once a day from a day on; returns how many rows lost their body in each."""
    return [stops(session, NOON + (first + day) * DAY, **changed) for day in range(days)]


def test_a_clock_that_jumps_ahead_by_ten_years_takes_nothing(a_turn):
    outputs(a_turn, 5)
    assert stops(a_turn, NOON + DAY) == 0
    assert [stops(a_turn, JUMP + hour * DAY // 24) for hour in range(3)] == [0, 0, 0]
    assert day_by_day(a_turn, 2, 3) == [0, 0, 0] and len(whole(a_turn)) == 5


def test_changed_limits_do_not_make_it_believed(a_turn):
    outputs(a_turn, 5)
    stops(a_turn, NOON + DAY)
    stops(a_turn, JUMP)
    assert stops(a_turn, JUMP, days=29) == 0


def test_many_new_rows_do_not_make_it_believed(a_turn):
    outputs(a_turn, 5)
    stops(a_turn, NOON + DAY)
    stops(a_turn, JUMP)
    outputs(a_turn, 2 * retention.MANY)
    assert stops(a_turn, JUMP + 1) == 0


def test_a_wrong_clock_that_runs_on_for_days_takes_no_more_than_weeks(a_turn):
    outputs(a_turn, 5)
    stops(a_turn, NOON + DAY)
    assert [stops(a_turn, JUMP + day * DAY) for day in range(4)] == [0, 0, 0, 0]


@pytest.mark.check
@pytest.mark.parametrize(("written", "away", "after"), [(0, 0, 1), (0, 3, 1), (20, 21, 3)])
def test_who_was_away_finds_what_is_due_gone_some_days_after(a_turn, written, away, after):
    """Due is what was written thirty days before; the last Stop was on day 29."""
    a_turn.now += written * DAY
    outputs(a_turn, 5)
    assert sum(day_by_day(a_turn, 0, 30)) == 0
    gone = day_by_day(a_turn, 30 + away, 6)
    assert gone.index(5) == after


@pytest.mark.check
def test_a_clock_that_was_set_back_is_believed_at_once(a_turn):
    outputs(a_turn, 5)
    stops(a_turn, NOON + 20 * DAY)
    stops(a_turn, NOON)
    assert day_by_day(a_turn, 1, 30) == [0] * 30
    assert stops(a_turn, NOON + 31 * DAY) == 5


def test_by_hand_the_clock_is_believed(a_turn):
    outputs(a_turn, 5)
    stops(a_turn, NOON + DAY)
    stops(a_turn, JUMP)
    assert retention.keep_all(a_turn.store, limits(), JUMP) == 5


def test_changed_limits_act_at_the_next_stop(a_turn):
    outputs(a_turn, 30)
    assert stops(a_turn, most=25) == 5
    assert stops(a_turn, most=25) == 0
    assert stops(a_turn, most=20) == 5
    assert stops(a_turn, most=20, days=61) == 0


def test_a_stop_with_nothing_to_do_writes_nothing(a_turn):
    outputs(a_turn, 30)
    stops(a_turn, most=100)
    before = a_turn.store.db.total_changes
    assert retention.keep(a_turn.store, limits(100), LATER + 1000) == 0
    assert a_turn.store.db.total_changes == before


@pytest.mark.parametrize("state", ["{", "[]", "7", '{"limits": 3}'])
def test_a_mark_that_cannot_be_read_begins_a_pass_anew(a_turn, state):
    outputs(a_turn, 3)
    a_turn.store.set_property(retention.STATE, state)
    assert stops(a_turn, most=1) == 2


def test_the_next_day_looks_again(a_turn):
    outputs(a_turn, 30)
    last_day = NOON + 30 * DAY
    assert stops(a_turn, most=10, at=last_day) == 0
    assert stops(a_turn, most=10, at=last_day + DAY) == 20


def test_many_new_rows_are_looked_at_on_the_same_day(a_turn):
    outputs(a_turn, 30)
    assert stops(a_turn, most=30) == 0
    outputs(a_turn, 3)
    assert stops(a_turn, most=30) == 3


def test_rows_that_stay_whole_are_not_read_again_and_again(a_turn):
    outputs(a_turn, 2 * BATCH)
    while stops(a_turn, most=5):
        pass
    state = a_turn.store.property(retention.STATE)
    assert f'"below":{2 * BATCH - 5}' in state.replace(" ", "")


def test_two_sessions_may_stop_at_once(a_turn, another_session):
    names = outputs(a_turn, 15)
    with_both = [stops(session, most=2) for session in (a_turn, another_session, a_turn)]
    assert sum(with_both) == 13 and emptied(a_turn) == names[:13]
    check(a_turn.store)


def test_all_at_once_tells_how_far_it_is(a_turn, monkeypatch):
    monkeypatch.setattr(retention, "LARGE_BATCH", 4)
    outputs(a_turn, 10)
    heard = []
    assert retention.keep_all(a_turn.store, limits(1), LATER, heard.append) == 9
    assert heard == [4, 4, 1]


def test_a_real_stop_does_it(tmp_path):
    hook = Hook(tmp_path)
    hook.start()
    hook.prompt("Make the lamps")
    for number in range(4):
        hook.bash(f"./blow lamp-{number}", "glass is blown")
    with hook.connect() as db:
        db.execute("UPDATE observations SET created_at = created_at - 2 * 86400000")
    (hook.project / ".ralph-mem" / "config.yaml").write_text("memory:\n  max_observations: 1\n  retention_days: 1\n")
    hook.stop()
    assert hook.rows("SELECT content FROM observations ORDER BY id") == [("",), ("",), ("",), ("glass is blown",)]


# How it is told


def test_show_says_that_the_output_was_left_out(a_turn):
    (name,) = outputs(a_turn, 1)
    stops(a_turn)
    day = time.strftime("%Y-%m-%d", time.localtime(LATER / 1000))
    text = layers.full(lookup.find(reader_of(a_turn), name))[0]
    assert text.splitlines()[-1] == f"[...] its output was left out by age on {day}; Claude Code's transcript of it is gone too"
    assert "left out" not in layers.full(lookup.find(reader_of(a_turn), last(a_turn, "turns")))[0]


def test_show_points_at_the_transcript_that_still_has_it(a_session, tmp_path):
    transcript = tmp_path / "session.jsonl"
    transcript.touch()
    a_session.starts("resume", transcript_path=str(transcript))
    a_session.asks("Make the lanterns")
    (name,) = outputs(a_session, 1)
    stops(a_session)
    *_, said, pointer = layers.full(lookup.find(reader_of(a_session), name))[0].splitlines()
    assert said.endswith("; Claude Code's transcript may still have it")
    assert pointer == f"transcript: {transcript} (promptId the-session-1)"


def test_a_command_without_output_is_not_called_left_out(a_turn):
    a_turn.runs("./blow lantern")
    assert stops(a_turn) == 0 and "left out" not in layers.full(lookup.find(reader_of(a_turn), last(a_turn)))[0]


def test_status_counts_what_lost_its_body(a_turn):
    outputs(a_turn, 2)
    stops(a_turn, most=1)
    lines = status.lines(status.of(a_turn.project, limits(), LATER))
    assert "1 old tool output cut to title, files and error lines" in lines


def test_a_forget_leaves_no_text_that_an_old_output_had_too(a_turn):
    a_turn.store.execute("PRAGMA secure_delete = OFF").fetchone()  # which some builds of SQLite have on
    outputs(a_turn, 9, word="obsidianlantern" * 60)
    name = note(a_turn, "The obsidianlantern of lantern 1 is dear")
    stops(a_turn)
    assert holding(files_of(a_turn.project), "lantern of lantern 2")  # in pages that are free now
    report = forget(reader_of(a_turn), name)
    assert report.is_clean() and report.residue.rows == []
    assert holding(files_of(a_turn.project), "obsidianlantern", "idianlan") == []


def test_what_an_old_output_said_once_is_not_taken_for_a_row_that_says_it(a_turn):
    kept, gone = outputs(a_turn, 2, word="obsidianlantern")
    notes_by_hand.pin(lookup.find(reader_of(a_turn), kept))
    stops(a_turn)
    report = forget(reader_of(a_turn), kept)
    assert (report.is_clean(), report.residue.rows) == (True, []) and gone in emptied(a_turn)


# The quota


@pytest.mark.parametrize(("quota", "state"), [(500_000_000, "ok"), (1000, "warning")])
def test_the_doctor_warns_about_a_memory_that_grew_large(a_turn, monkeypatch, quota, state):
    monkeypatch.setattr(files, "LARGE_MEMORY", quota)
    (told,) = files.size_of_memory(a_turn.project)
    assert told.state == state and a_turn.project.folder in told.seen
    assert ("ralph-mem compress" in told.do) == (state == "warning")


def test_the_doctor_has_nothing_to_say_of_a_memory_that_is_not_there(another_project):
    assert list(files.size_of_memory(another_project)) == []
