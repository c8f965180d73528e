"""Erasure: what goes, what goes with it, that it is gone from the raw bytes of every file, and that nothing else is."""

import random
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ralph_mem.core import project as projects
from ralph_mem.core import spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance.forget import erase, select
from ralph_mem.maintenance.forget import pending as erasure_report
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.memory import access, notes_by_hand, opening
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import existing
from ralph_mem.ralph import runs
from tests import clock
from tests.readers import dump, files_of, forget, holding, ids, in_order, last, note, reader_of, search, waits
from tests.sessions import DAY, HOUR, NOON, Session, found


@pytest.fixture
def a_busy_session(a_session):
    """Have three turns behind it, the middle one with a failure, two edits and a success, and a summary of them all."""
    a_session.has_a_turn("Where is the ladder?", "In the attic.")
    a_session.asks("Mend the lantern with tungsten")
    a_session.runs("make lantern", error="Exit code 2\nerror: no zirconium")
    a_session.edits("src/lantern.py", "dark", "bright as magnesium")
    a_session.edits("src/fuse.py", "blown", "whole as magnesium")
    a_session.runs("pytest lanterns", "1 passed, basalt")
    a_session.is_answered("Mended with tungsten.")
    a_session.has_a_turn("Where is the ferret?", "In the garden.")
    a_session.sends("post-compact", compact_summary="A lantern was mended, obsidian.")
    return a_session


def names(session, table="observations", where="1"):
    return [name for (name,) in session.rows(f"SELECT public_id FROM {table} WHERE {where} ORDER BY id")]


def selected(of_session, *given, **filters):
    """Return the rows that a selection names, and those that go with them, as titles or prompts."""
    (plan,) = selections.plan(reader_of(of_session), selections.Selection(given, **filters))
    return [row.asked for row in plan.meant], [row.asked for row in plan.with_them]


RAN = ["make lantern", "src/lantern.py", "src/fuse.py", "pytest lanterns"]
SUMMARY = "summary of a session"


# What a selection means


def test_a_turn_goes_with_all_that_it_ran_and_with_summaries_made_from_it(a_busy_session):
    turn = names(a_busy_session, "turns")[1]
    assert selected(a_busy_session, turn) == (["Mend the lantern with tungsten"], [*RAN, SUMMARY])


def test_a_row_goes_with_summaries_made_from_its_turn_and_without_the_turn(a_busy_session):
    assert selected(a_busy_session, names(a_busy_session)[2]) == (["src/fuse.py"], [SUMMARY])


def test_a_summary_goes_alone(a_busy_session):
    assert selected(a_busy_session, last(a_busy_session)) == ([SUMMARY], [])


def test_a_turn_that_came_after_a_summary_does_not_take_it_along(a_busy_session):
    turn = a_busy_session.has_a_turn("Where is the quartz?", "Here.")
    assert selected(a_busy_session, turn) == (["Where is the quartz?"], [])


def test_a_session_goes_as_a_whole(a_busy_session, another_session):
    another_session.has_a_turn("Where is the quartz?", "Here.")
    (name,) = names(a_busy_session, "sessions", f"id = {a_busy_session.number}")
    for chosen, filters in (([name], {}), ([], {"session": name})):
        (plan,) = selections.plan(reader_of(a_busy_session), selections.Selection(chosen, **filters))
        assert (len(plan.meant), plan.with_them, plan.sessions) == (8, [], [a_busy_session.number])


@pytest.mark.parametrize(
    ("filters", "meant"),
    [
        ({"query": "MAGNESIUM"}, ["src/lantern.py", "src/fuse.py"]),
        ({"query": "as magnesium", "types": ["tool_use"]}, ["src/lantern.py", "src/fuse.py"]),
        ({"query": "lantern", "types": ["turn", "error"]}, ["Mend the lantern with tungsten", "make lantern"]),
        ({"query": "100%_sure' OR 1"}, []),
        ({"query": "lantern.py\n"}, ["Mend the lantern with tungsten", "src/lantern.py"]),
        ({"types": ["turn"]}, ["Where is the ladder?", "Mend the lantern with tungsten", "Where is the ferret?"]),
        ({"types": ["success", "summary"]}, ["pytest lanterns", SUMMARY]),
        ({"since": NOON + 9000}, ["Where is the ferret?", SUMMARY]),
        ({"until": NOON + 4000}, ["Where is the ladder?"]),
        ({"since": NOON + 4000, "until": NOON + 6000}, ["Mend the lantern with tungsten", "make lantern"]),
        ({"since": NOON + 2000, "until": NOON + 6000, "types": ["error"], "query": "zirconium"}, ["make lantern"]),
        ({"since": NOON + 6000, "types": ["error"]}, []),
        ({"session": "sess-aaaaaaaaaa"}, []),
        ({"types": ["decision"]}, []),
        ({"query": "\udcff"}, []),
        ({"session": "\udcff"}, []),
    ],
    ids=ascii,
)
def test_filters_have_to_hold_all_together(a_busy_session, filters, meant):
    if meant:
        assert selected(a_busy_session, **filters)[0] == meant
    else:
        with pytest.raises(RalphMemError, match="nothing that is remembered fits") as error:
            selected(a_busy_session, **filters)
        assert error.value.hint


def test_an_unknown_type_is_named_and_nothing_is_planned(a_busy_session):
    with pytest.raises(RalphMemError, match="no type turns"):
        selected(a_busy_session, types=["error", "turns"])


def test_a_session_and_another_filter_mean_its_rows_that_fit(a_busy_session, another_session):
    another_session.has_a_turn("Where is the tungsten?", "Here.")
    (name,) = names(a_busy_session, "sessions", f"id = {a_busy_session.number}")
    (plan,) = selections.plan(reader_of(a_busy_session), selections.Selection(query="tungsten", session=name))
    assert (ids(plan.meant), plan.sessions) == (names(a_busy_session, "turns")[1:2], [])


@pytest.mark.parametrize(("kept", "query"), [("Äpfel sind aus", "äpfel"), ("äpfel sind aus", "ÄPFEL"), ("ПАРОЛЬ", "пароль")])
def test_a_query_means_a_text_in_whatever_case_of_whatever_letters(a_session, kept, query):
    a_session.notes(kept)
    assert selected(a_session, query=query)[0] == [kept]


def test_ids_and_filters_mean_both(a_busy_session):
    meant, _ = selected(a_busy_session, last(a_busy_session), query="zirconium")
    assert meant == [SUMMARY, "Mend the lantern with tungsten", "make lantern"]


@pytest.mark.parametrize("name", ["turn-aaaaaaaaaa", "sess-", "x' OR 1", "", "\udcff"])
def test_an_unknown_id_is_named_and_nothing_is_planned(a_busy_session, name):
    with pytest.raises(RalphMemError, match="no memory has the id") as error:
        selected(a_busy_session, last(a_busy_session), name)
    assert error.value.hint


def test_a_selection_without_anything_in_it_is_refused(a_busy_session):
    with pytest.raises(RalphMemError, match="what should be forgotten") as error:
        selected(a_busy_session)
    assert "--query" in error.value.hint


# Before it is done


def test_a_preview_changes_nothing(a_busy_session):
    a_busy_session.store.checkpoint()
    before, rows = files_of(a_busy_session.project), dump(a_busy_session.store)
    reader = reader_of(a_busy_session)
    for selection in (selections.Selection(names(a_busy_session, "turns")), selections.Selection(query="lantern")):
        select.preview(reader, select.choose(reader, selection))
    assert files_of(a_busy_session.project) == before and dump(a_busy_session.store) == rows


@pytest.mark.parametrize(("said", "asked"), [("Übelhör", "U\u0308belho\u0308r"), ("U\u0308belho\u0308r", "Übelhör")])
def test_a_name_is_found_whether_its_marks_are_characters_of_their_own_or_not(a_busy_session, said, asked):
    turn = a_busy_session.has_a_turn(f"Where does {said} live?", "In Bonn.")
    lines = select.preview(reader_of(a_busy_session), select.choose(reader_of(a_busy_session), selections.Selection(query=asked)))
    assert any(turn in line for line in lines)


def test_a_preview_shows_what_would_go_and_what_with_it(a_busy_session):
    reader = reader_of(a_busy_session)
    turn, session = names(a_busy_session, "turns")[1], names(a_busy_session, "sessions")[0]
    lines = select.preview(reader, select.choose(reader, selections.Selection([turn])))
    assert lines[0] == layers.index(lookup.find(reader, turn)) and lines[1] == "with it, since it tells of the same:"
    assert [line.split()[0] for line in lines[2:]] == names(a_busy_session)
    assert select.preview(reader, select.choose(reader, selections.Selection([session])))[-1] == f"{session}  the session itself"


def test_a_preview_of_many_rows_is_short(a_session):
    for number in range(60):
        a_session.notes(f"Lantern {number}")
    reader = reader_of(a_session)
    lines = select.preview(reader, select.choose(reader, selections.Selection(query="lantern")))
    assert len(lines) == 51 and lines[-1] == "and 10 more"
    assert len(select.preview(reader, select.choose(reader, selections.Selection(query="lantern")), most=3)) == 4


# What is done


def test_a_forgotten_turn_is_gone_with_everything_that_tells_of_it(a_busy_session, another_session):
    a_busy_session.sends("session-end", reason="other")
    turn = names(a_busy_session, "turns")[1]
    another_session.starts("clear")
    report = forget(reader_of(a_busy_session), turn)
    assert (report.removed, report.is_clean(), report.residue.rows) == (6, True, [])
    in_order(a_busy_session.store)
    words = ("tungsten", "zirconium", "magnesium", "basalt", "obsidian", "lantern", turn)
    assert holding(files_of(a_busy_session.project), *words) == []
    left = [("Where is the ladder?", ""), ("Where is the ferret?", "Where is the ladder? In the attic.")]
    assert a_busy_session.turns("prompt, context") == left


def test_a_forgotten_row_leaves_its_turn_without_its_lines_and_files(a_busy_session):
    make, lantern, *_ = names(a_busy_session)
    report = forget(reader_of(a_busy_session), make, lantern)
    assert (report.removed, report.is_clean()) == (3, True)
    in_order(a_busy_session.store)
    assert a_busy_session.turns("files, lines")[1] == ("src/fuse.py\n", "passed: pytest lanterns")
    assert found(a_busy_session.store, "memory_fts", "zirconium") == [] and found(a_busy_session.store, "memory_fts", "fuse") == [2]
    assert holding(files_of(a_busy_session.project), "zirconium", "make lantern", "src/lantern.py") == []


def test_a_forgotten_note_is_gone(a_session):
    name = note(a_session, "The tungsten is dear\nAsk before buying zirconium.")
    kept = note(a_session, "The basalt is heavy")
    assert forget(reader_of(a_session), name).is_clean()
    in_order(a_session.store)
    assert holding(files_of(a_session.project), "tungsten", "zirconium", name) == []
    assert ids(search(reader_of(a_session), "basalt", NOON)) == [kept]


def test_a_forgotten_session_is_gone_with_its_receipts(a_busy_session, another_session):
    turn = another_session.has_a_turn("Where is the quartz?", "Here.")
    a_busy_session.asks("the quartz?")
    (name,) = names(a_busy_session, "sessions", f"id = {a_busy_session.number}")
    report = forget(reader_of(a_busy_session), name)
    assert report.is_clean() and names(a_busy_session, "turns") == [turn] and names(a_busy_session) == []
    in_order(a_busy_session.store)
    assert a_busy_session.rows("SELECT count(*), (SELECT count(*) FROM receipts) FROM sessions") == [(1, 0)]
    assert holding(files_of(a_busy_session.project), "tungsten", "zirconium", "obsidian", "ferret", name) == []


def test_receipts_no_longer_name_what_was_forgotten(a_busy_session, another_session):
    turns = names(a_busy_session, "turns")
    another_session.starts("clear")
    assert {memory for (memory,) in a_busy_session.rows("SELECT memory FROM receipt_items")} >= set(turns)
    forget(reader_of(a_busy_session), turns[0])
    left = {memory for (memory,) in a_busy_session.rows("SELECT memory FROM receipt_items")}
    assert turns[0] not in left and turns[1] in left


def test_receipts_of_the_project_no_longer_name_a_forgotten_note_for_all_projects(
    a_session, another_session, everywhere, nothing_left_open
):
    name = note(a_session, "The tungsten is\ndear", everywhere)
    another_session.asks("tungsten?")
    nothing_left_open[-1].close()  # as the hook's process did
    reader = reader_of(a_session, stores=[opening.open_ready(everywhere)])
    assert forget(reader, name).is_clean()
    assert a_session.rows("SELECT memory FROM receipt_items WHERE memory = ?", name) == []


@pytest.mark.parametrize("index", ["memory_fts", "observations_fts"])
def test_an_index_keeps_the_form_that_sqlite_3_40_reads(a_busy_session, index):
    forget(reader_of(a_busy_session), names(a_busy_session, "turns")[0])
    assert a_busy_session.rows(f"SELECT v FROM {index}_config WHERE k = 'version'") == [(4,)]  # `secure-delete` would make it 5


def test_nothing_is_derived_from_what_was_forgotten(a_busy_session):
    turns = names(a_busy_session, "turns")
    assert {parent for (parent,) in a_busy_session.rows("SELECT parent FROM derived_from")} == set(turns)
    forget(reader_of(a_busy_session), turns[0])
    assert a_busy_session.rows("SELECT * FROM derived_from") == []


def test_the_summary_of_the_session_no_longer_quotes_what_was_forgotten(a_busy_session):
    a_busy_session.sends("session-end", reason="other")
    assert "ferret" in a_busy_session.rows("SELECT summary FROM sessions")[0][0]
    forget(reader_of(a_busy_session), names(a_busy_session, "turns")[2])
    assert a_busy_session.rows("SELECT summary FROM sessions") == [
        ("2 prompts, 1 failed command: Mend the lantern with tungsten -> Mended with tungsten.",)
    ]


def test_what_waits_in_the_spool_is_stored_first_and_forgotten_with_the_rest(a_session, a_project):
    a_session.has_a_turn("Where is the tungsten?", "In the cellar.")
    waits(a_session, "Is the tungsten gone?", NOON + HOUR)
    a_session.store.close()
    stores = access.to_change(a_project)
    report = forget(lookup.Reader(stores, a_project, a_session.settings), query="tungsten")
    assert (report.removed, report.is_clean()) == (2, True)
    assert holding(files_of(a_project), "tungsten") == [] and spool.pending(a_project.root) == []


def test_a_note_in_both_memories_goes_from_both(a_session, everywhere):
    for place in (a_session.project, everywhere):
        note(a_session, "The tungsten is dear", place)
    report = forget(reader_of(a_session, stores=[opening.open_ready(everywhere)]), query="tungsten")
    assert (report.removed, report.is_clean()) == (2, True)
    assert holding(files_of(a_session.project), "tungsten") == []


def test_the_clients_own_transcript_is_named_and_left_alone(a_session, tmp_path):
    transcript = tmp_path / "session.jsonl"
    transcript.write_text("The tungsten is in the cellar")
    a_session.starts("resume", transcript_path=str(transcript))
    report = forget(reader_of(a_session), a_session.has_a_turn("Where is the tungsten?", "In the cellar."))
    assert report.is_clean() and report.transcripts == [str(transcript)] and transcript.exists()
    assert f"Claude Code's own transcript is out of reach: {transcript}" in erasure_report.lines_of_report(report)


def test_the_clients_own_list_of_prompts_is_named_where_it_holds_it(a_session, a_home):
    history = a_home / ".claude" / "history.jsonl"
    history.parent.mkdir(exist_ok=True)
    history.write_text('{"display": "Where is the tungsten of the workshop?"}\n')
    report = forget(reader_of(a_session), a_session.has_a_turn("Where is the tungsten of the workshop?", "In the cellar."))
    assert f"Claude Code's own list of prompts holds it: {history}" in report.out_of_reach and history.exists()


def test_all_of_it_goes_or_nothing(a_busy_session, monkeypatch):
    before = dump(a_busy_session.store)
    delete, gone = existing.delete, []

    def failing(opened, kind, number):
        gone.append(number)
        if len(gone) == 4:
            raise sqlite3.OperationalError("disk I/O error")
        delete(opened, kind, number)

    monkeypatch.setattr(existing, "delete", failing)
    with pytest.raises(sqlite3.OperationalError):
        forget(reader_of(a_busy_session), names(a_busy_session, "turns")[1])
    assert dump(a_busy_session.store) == before
    in_order(a_busy_session.store)


# No byte is left


FILLERS = {"words": "lamp fuse attic ladder ", "cjk": "梯子の上の電球", "emoji": "🎉🔥💡 ", "one word": "x"}


def a_long_text(filler, size):
    """Return a text with something of its own at its beginning, in its middle and at its end."""
    text = FILLERS[filler] * (size // len(FILLERS[filler]))
    half = len(text) // 2
    return f"zephyrwanderlustig 夜光灯塔前 {text[:half]} wanderlustzephyrig 月光灯塔中 {text[half:]} lustigwanderzephyr 星光灯塔後"


NEEDLES = ("zephyrwanderlustig", "wanderlustzephyrig", "lustigwanderzephyr", "夜光灯塔前", "月光灯塔中", "星光灯塔後")
PARTS = (*[word[3:9] for word in NEEDLES[:3]], "灯塔")


@pytest.mark.check
@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize("kind", ["note", "answer", "output", "edit"])
def test_of_a_long_text_no_byte_is_left_anywhere(a_session, a_project, filler, kind):
    a_session.has_a_turn("Where is the ladder?", "In the attic. " * 200)
    text = a_long_text(filler, {"note": 7500, "answer": 3800, "output": 1000, "edit": 1200}[kind])
    a_session.asks("Mend the lantern")
    if kind == "note":
        note(a_session, text, name=a_session.name)
    elif kind == "output":
        a_session.runs("make lantern", error=f"Exit code 1\nerror: {text}")
    elif kind == "edit":
        a_session.edits("src/lantern.py", "dark", text)
    a_session.is_answered(text if kind == "answer" else "Mended.")
    a_session.has_a_turn("Where is the ferret?", "In the garden. " * 200)
    a_session.store.tidy()
    a_session.store.checkpoint()
    assert len(holding(files_of(a_project), *NEEDLES)) == 6
    report = forget(reader_of(a_session), names(a_session, "turns")[1] if kind == "answer" else last(a_session))
    assert report.is_clean() and holding(files_of(a_project), *NEEDLES, *PARTS) == []
    in_order(a_session.store)


def a_life(session, turns=40, seed=3):
    """Work for some turns as people do: long and short answers, failures, edits, and an index that is merged now and then."""
    drawn = random.Random(seed)
    for number in range(turns):
        own = f"zephyr{'abcdefghijklmnopqrstuvwxyz'[number % 26]}{'abcdefghij'[number // 26]}wanderlust"
        words = ["lamp", "fuse", "attic", "ladder", "shelf", "copper", "engine", own]
        session.asks(f"Question {own} " + " ".join(drawn.choices(words, k=drawn.choice([4, 40, 500]))))
        for _ in range(drawn.randint(0, 3)):
            text = " ".join(drawn.choices(words, k=drawn.choice([9, 150])))
            session.runs(f"make {own}", error=f"Exit code 1\nerror: {text}")
            session.edits(f"src/{own}.py", text, text[::2])
        session.is_answered(" ".join(drawn.choices(words, k=drawn.choice([9, 600]))))
        session.store.tidy()
    return drawn


@pytest.mark.check
@pytest.mark.parametrize("overwrites", ["ON", "OFF"])
def test_no_byte_is_left_after_a_long_life_whatever_sqlite_does_by_itself(a_session, a_project, overwrites):
    # Debian's SQLite overwrites what it frees, most others do not
    a_session.store.execute(f"PRAGMA secure_delete = {overwrites}").fetchone()
    drawn = a_life(a_session)
    gone = drawn.sample(names(a_session, "turns"), 8)
    words = [
        prompt.split()[1] for name in gone for (prompt,) in a_session.rows("SELECT prompt FROM turns WHERE public_id = ?", name)
    ]
    report = forget(reader_of(a_session), *gone)
    assert holding(files_of(a_project), *words, *[word[5:11] for word in words]) == []
    assert report.is_clean()
    in_order(a_session.store)


READING = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("BEGIN")
db.execute("SELECT count(*) FROM turns").fetchone()
print("reading", flush=True)
sys.stdin.read()
"""


@pytest.mark.check
def test_while_another_process_reads_the_report_says_that_the_log_keeps_the_text(a_session, a_project, monkeypatch):
    monkeypatch.setattr(access, "WAIT_MS", 400)
    name = a_session.has_a_turn("Where is the tungsten?", "In the cellar.")
    a_session.store.close()
    command = [sys.executable, "-c", READING, a_project.folder + "/memory.db"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"reading\n"
        stores, watch = access.to_read(a_project), clock.Watch()
        report = forget(lookup.Reader(stores, a_project, a_session.settings), name)
        took = watch.free()
    assert not report.log_is_empty and not report.is_clean()
    assert any("Another process reads the database" in line for line in erasure_report.lines_of_report(report))
    assert not any("holds the text any more" in line for line in erasure_report.lines_of_report(report))
    assert access.empty_log(stores[0]) and holding(files_of(a_project), "tungsten", "cellar") == []
    assert took < 2


# Whatever there is, and whatever of it goes


def a_word(drawn):
    """Return a word that nothing else has, nor a part of it."""
    return "".join(drawn.choices("bcdefghijklmnopqrstuvwxyz", k=16))


def a_random_past(opened, project, drawn):
    """Have sessions with turns, rows, notes and summaries behind them, each with a word of its own; returns these by id."""
    words = {}
    for number in range(drawn.randint(1, 3)):
        session = Session(opened, project, f"session-{number}", NOON + number * DAY)
        session.starts("resume")
        for _ in range(drawn.randint(1, 5)):
            word = a_word(drawn)
            session.asks(f"Mend {word}")
            words[last(session, "turns")] = word
            for _ in range(drawn.randint(0, 3)):
                words |= a_random_row(session, drawn)
            session.is_answered(f"{word} " * drawn.choice([1, 300]))
        if drawn.random() < 0.5:
            word = a_word(drawn)
            session.sends("post-compact", compact_summary=f"All about {word}")
            words[last(session)] = word
        if drawn.random() < 0.5:
            session.sends("session-end", reason="other")
        opened.tidy()
    return words


def a_random_row(session, drawn):
    word = a_word(drawn)
    kind = drawn.choice(["command", "failure", "edit", "page", "note"])
    if kind == "edit":
        session.edits(f"src/{word}.py", word * drawn.choice([1, 60]), "電球" * drawn.choice([1, 200]))
    elif kind == "page":
        session.uses("WebFetch", {"result": f"{word} 🎉"}, url=f"https://lamps.example/{word}")
    elif kind == "note":
        return {session.notes(f"Note {word}", f"{word} " * drawn.choice([1, 500])): word}
    else:
        session.runs(f"make {word}", error=f"Exit code 1\nerror: {word}" if kind == "failure" else None)
    return {last(session): word}


def a_random_selection(opened, words, drawn):
    """Return a selection, and the ids that it names."""
    rows = {
        name: at for table in ("turns", "observations") for name, at in opened.execute(f"SELECT public_id, created_at FROM {table}")
    }
    kind = drawn.choice(["ids", "ids", "word", "since", "until", "session", "type"])
    if kind == "ids":
        chosen = drawn.sample(sorted(rows), drawn.randint(1, min(4, len(rows))))
        return selections.Selection(chosen), set(chosen)
    if kind == "session":
        name, number = drawn.choice(opened.execute("SELECT public_id, id FROM sessions").fetchall())
        both = "SELECT public_id FROM turns WHERE session_id = ?1 UNION SELECT public_id FROM observations WHERE session_id = ?1"
        return selections.Selection(session=name), {row for (row,) in opened.execute(both, (number,))}
    if kind == "type":
        return selections.Selection(types=["turn"]), {name for name in rows if name.startswith("turn-")}
    if kind == "word":
        name = drawn.choice(sorted(words))
        # the lines of a turn hold the words of its commands, its files those of its edits
        told = "SELECT public_id FROM turns WHERE instr(files || lines, ?)"
        return selections.Selection(query=words[name].upper()), {name, *[turn for (turn,) in opened.execute(told, (words[name],))]}
    at = drawn.choice(sorted(rows.values()))
    if kind == "since":
        return selections.Selection(since=at), {name for name in rows if rows[name] >= at}
    return selections.Selection(until=at + 1), {name for name in rows if rows[name] <= at}


def with_what_tells_of_it(opened, chosen):
    """Add what the chosen turns ran, and the summaries that came from a chosen turn or from the turn of a chosen row."""
    turns = {name for name in chosen if name.startswith("turn-")}
    ran = "SELECT o.public_id, t.public_id FROM observations AS o JOIN turns AS t ON t.id = o.turn_id"
    turn_of = dict(opened.execute(ran).fetchall())
    notes = {name for (name,) in opened.execute("SELECT public_id FROM observations WHERE type = 'note'")}
    along = {row for row, turn in turn_of.items() if turn in turns} - notes  # a person typed those meanwhile, about whatever
    sources = turns | {turn_of[row] for row in chosen | along if row in turn_of}
    return (
        chosen | along | {child for child, parent in opened.execute("SELECT child, parent FROM derived_from") if parent in sources}
    )


def told_of(opened):
    """Return what each row says in its own words."""
    texts = "SELECT public_id, prompt, response FROM turns UNION ALL SELECT public_id, title, content FROM observations"
    return {name: said for name, *said in opened.execute(texts)}


@pytest.mark.check
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**6))
@example(74)  # an index page that SQLite rebuilt: the old words stayed in the room between its cells
def test_what_was_selected_is_nowhere_and_everything_else_is_still_there_and_found(tmp_path_factory, seed):
    drawn = random.Random(seed)
    project = Project(str(tmp_path_factory.mktemp("shop")))
    opened = opening.open_ready(project)
    words = a_random_past(opened, project, drawn)
    reader = lookup.Reader([opened], project, dict(Session(opened, project).settings), outside=True)
    selection, chosen = a_random_selection(opened, words, drawn)
    expected, before = with_what_tells_of_it(opened, chosen), told_of(opened)
    report = erase.forget(reader, selections.plan(reader, selection))
    in_order(opened)
    assert told_of(opened) == {name: said for name, said in before.items() if name not in expected}
    assert report.removed == len(expected) and report.is_clean()
    files = {path: data for path, data in files_of(project).items() if path.startswith(project.root)}
    gone = [words[name] for name in expected if name in words]
    assert holding(files, *gone, *[word[3:9] for word in gone]) == []
    for name in words.keys() - expected:
        assert name in ids(search(reader, words[name], NOON, types=lookup.TYPES, limit=100))
    opened.close()


def test_after_a_forget_the_hooks_go_on(a_busy_session, another_session):
    forget(reader_of(a_busy_session), names(a_busy_session, "turns")[1])
    another_session.has_a_turn("Where is the quartz?", "Here.")
    a_busy_session.is_answered("Once more.")
    in_order(a_busy_session.store)
    with closing(sqlite3.connect(a_busy_session.project.folder + "/memory.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


# Where there is no memory


@pytest.fixture
def a_place(tmp_path, a_home):
    """Have a project without a memory, two events that wait for one, and the record of a loop."""
    project = Project(str(tmp_path / "place"))
    for prompt in ("Mend the lantern with tungsten", "Where is the ferret?"):
        spool.put(project.root, [{"verb": "turn", "at": NOON, "prompt": prompt}])
    runs.create(project, "loop-1", {"goal": "no lantern without tungsten", "said": "mend the ferret"})
    return project


def forget_without_memory(project, snapshots=False, **filters):
    """Forget what a person chose in a project, as the command does; returns the preview and the report."""
    reader = lookup.Reader(selections.memories(project), project, dict(effective.DEFAULTS))
    choice = select.choose(reader, selections.Selection(**filters), snapshots=snapshots)
    return select.preview(reader, choice), erase.forget(reader, choice.plans, snapshots=choice.runs())


def test_what_waits_and_what_a_loop_left_is_forgotten_where_there_is_no_memory(a_place):
    record, (waiting, other) = runs.path_of(a_place, "loop-1"), spool.pending(a_place.root)
    shown, report = forget_without_memory(a_place, query="lantern")
    assert shown == [f"outside of the memory: {path}" for path in (waiting, record)]
    assert report.changed == {"spool": [waiting], "loop records": [record]} and report.is_clean()
    assert spool.pending(a_place.root) == [other] and record_of(a_place)["said"] == "mend the ferret"


def record_of(project):
    return runs.record.read(runs.path_of(project, "loop-1"))[0]


def test_all_of_a_place_without_a_memory_is_what_waits_and_with_snapshots_what_loops_left(a_place):
    forget_without_memory(a_place, everything=True)
    assert spool.pending(a_place.root) == [] and record_of(a_place)["said"] == "mend the ferret"
    forget_without_memory(a_place, snapshots=True, everything=True)
    assert runs.all(a_place) == []
    with pytest.raises(RalphMemError, match="nothing is remembered"):
        selections.memories(a_place)


def test_all_of_a_place_is_shown_with_what_waits_where_only_all_projects_have_a_memory(a_place):
    notes_by_hand.inject(projects.everywhere(), a_place, dict(effective.DEFAULTS), "Ada prefers small commits.")
    waiting = spool.pending(a_place.root)
    shown, _ = forget_without_memory(a_place, everything=True)
    assert "Ada prefers small commits." in shown[0] and shown[-2:] == [f"outside of the memory: {path}" for path in waiting]
    assert spool.pending(a_place.root) == []


def test_all_of_a_place_of_which_only_loops_left_something_is_told_with_the_word_that_takes_it(a_place):
    forget_without_memory(a_place, everything=True)
    with pytest.raises(selections.NothingFits) as told:
        forget_without_memory(a_place, everything=True)
    assert "--snapshots" in told.value.hint


def test_what_a_loop_left_of_a_text_is_found_although_no_row_says_it(a_busy_session):
    runs.create(a_busy_session.project, "loop-1", {"goal": "no quetzalcoatlus in the attic"})
    choice = select.choose(reader_of(a_busy_session), selections.Selection(query="quetzalcoatlus in"))
    assert choice.files == [runs.path_of(a_busy_session.project, "loop-1")]
    erase.forget(reader_of(a_busy_session), choice.plans)
    assert record_of(a_busy_session.project)["goal"] == "[forgotten]"


def test_a_text_that_is_looked_for_in_a_session_or_since_a_day_is_looked_for_in_rows_alone(a_busy_session):
    runs.create(a_busy_session.project, "loop-1", {"goal": "no quetzalcoatlus in the attic"})
    with pytest.raises(selections.NothingFits):
        select.choose(reader_of(a_busy_session), selections.Selection(query="quetzalcoatlus in", since=NOON))
