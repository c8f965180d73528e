"""Residue: the raw files are read for what was deleted; that this can fail is proven, and that it does not cry wolf."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem.core import notices, paths, spool
from ralph_mem.maintenance.forget import inventory, verifier, verify
from ralph_mem.maintenance.forget import pending as erasure_report
from ralph_mem.memory import opening
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import rewrite
from tests.readers import LINES, files_of, forget, holding, note, reader_of
from tests.sessions import DAY

TEXTS = {
    "one line": "The tungsten is in the cellar.",
    "many lines": "a line\n" * 300 + "The tungsten is in the cellar.\n" + "a line\n" * 300,
    "short words": "lamp fuse attic ladder " * 190,
    "one word": "x" * 4200,
    "CJK": "梯子の上の電球と夜光灯塔" * 330,
    "emoji": "🎉🔥💡" * 600,
    "umlauts": "Grün ist die Wüste über Öl " * 150,
    "signs": '{"a": [1, 2, "b\\"]}' * 150,
    "tags": "<b>\t</b>" * 400,
}


def kept(session, text):
    """Keep a note between two others; returns it as a forget would know it."""
    session.notes("lamp", "on the shelf " * 90)
    session.now += DAY  # or they would quote each other
    name = session.notes("L", text)
    session.now += DAY
    session.notes("lamp", "in the garden " * 90)
    row = lookup.find(reader_of(session, outside=True), name)
    row.said = text
    return row


def deleted_carelessly(session, row):
    """Delete a row as a program would that knows nothing of this; returns the project's memory, opened anew."""
    session.store.close()
    with closing(sqlite3.connect(session.project.folder + "/memory.db", isolation_level=None)) as db:
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("DELETE FROM observations WHERE public_id = ?", (row.public_id,))
    session.store = opening.open_ready(session.project)
    return session.store


def left_of(row, project, stores):
    """Read every file of ours for what was deleted."""
    return verify.verify(stores, list(inventory.walk(inventory.of(project, stores))), verify.needles_for([row]))


def looked(session, row):
    found = left_of(row, session.project, [session.store])
    return [path.rpartition("/")[2] for path in found.files], found.rows


# That it can fail


@pytest.mark.parametrize("kind", TEXTS)
def test_what_a_careless_delete_leaves_is_found(a_session, kind):
    row = kept(a_session, TEXTS[kind])
    deleted_carelessly(a_session, row)
    assert looked(a_session, row) == (["memory.db"], [])


@pytest.mark.parametrize("kind", ["short words", "CJK", "emoji", "many lines"])
def test_the_end_of_a_text_whose_beginning_is_overwritten_is_found(a_session, kind):
    row = kept(a_session, f"{'z ' * 1000}{TEXTS[kind]}")
    a_session.store.execute("PRAGMA secure_delete = OFF").fetchone()
    rewrite.delete(a_session.store, row.public_id)
    for number in range(9):
        a_session.now += DAY
        a_session.notes(f"basket {number}", "in the garden " * 9)
    a_session.store.checkpoint()
    assert holding(files_of(a_session.project), TEXTS[kind].strip()[-12:].rpartition("\n")[2]) != []
    assert looked(a_session, row) == (["memory.db"], [])


@pytest.mark.parametrize("kind", TEXTS)
def test_what_the_log_still_holds_is_found(a_session, kind):
    a_session.store.checkpoint()
    row = kept(a_session, TEXTS[kind])
    a_session.rows("DELETE FROM observations WHERE public_id = ?", row.public_id)
    assert looked(a_session, row) == (["memory.db-wal"], [])


def test_a_word_that_only_the_index_holds_is_found(a_session):
    row = kept(a_session, "zephyrwanderlustig")
    a_session.store.execute("PRAGMA secure_delete = ON").fetchone()
    a_session.rows("DELETE FROM observations WHERE public_id = ?", row.public_id)
    a_session.store.checkpoint()
    assert holding(files_of(a_session.project), "phyrwanderlusti") == [("memory.db", "phyrwanderlusti")]
    assert looked(a_session, row) == (["memory.db"], [])


@pytest.mark.parametrize("neighbour", ["zephyr", "zephyrwa", "zephyrwand"])
def test_a_word_of_which_the_index_holds_no_first_letters_is_found(a_session, neighbour):
    a_session.notes(neighbour)
    a_session.now += DAY
    row = kept(a_session, "zephyrwanderlustigkeiten")
    # one piece of the index, in which a word shares its first letters with the one before it
    a_session.store.execute("INSERT INTO memory_fts (memory_fts) VALUES ('optimize')")
    a_session.store.execute("PRAGMA secure_delete = ON").fetchone()
    a_session.rows("DELETE FROM observations WHERE public_id = ?", row.public_id)
    a_session.store.execute("UPDATE observations SET context = ''")
    a_session.store.checkpoint()
    assert holding(files_of(a_session.project), "zephyrwanderlust") == [] and looked(a_session, row) == (["memory.db"], [])


@pytest.mark.check
@pytest.mark.parametrize("text", ["The tungsten is in the cellar.", 'Wüste "über" \\ Öl 🎉 and more'])
@pytest.mark.parametrize("place", ["spool", "set aside", "came with the project", "trouble", "settings", "memory of all projects"])
def test_a_file_beside_the_database_that_holds_it_is_found(a_session, everywhere, text, place):
    row = kept(a_session, text)
    forget(reader_of(a_session), row.public_id)
    stores, near = [a_session.store], a_session.project.folder
    if place == "trouble":
        notices.note(a_session.project.root, text)
    elif place == "settings":
        paths.make_folder(paths.data_home() + "/settings")
        paths.write(f"{paths.data_home()}/settings/{paths.key_of(a_session.project.root)}.json", text)
    elif place == "memory of all projects":
        stores.append(opening.open_ready(everywhere))
        Path(everywhere.folder, "memory.db-old").write_text(text)
    else:
        spool.put(a_session.project.root, [{"prompt": text}])
        if place == "came with the project":
            Path(spool.pending(a_session.project.root)[0]).parent.rename(spool.beside(a_session.project.root))
        elif place == "set aside":
            spool.set_aside(spool.pending(a_session.project.root)[0])
    found = left_of(row, a_session.project, stores)
    assert len(found.files) == 1 and found.rows == [] and not found.files[0].startswith(near + "/memory.db")


# That it does not cry wolf


@pytest.mark.check
@pytest.mark.parametrize("kind", TEXTS)
def test_after_a_forget_nothing_is_found(a_session, kind):
    row = kept(a_session, TEXTS[kind])
    report = forget(reader_of(a_session), row.public_id)
    assert report.is_clean() and looked(a_session, row) == ([], [])
    assert erasure_report.lines_of_report(report)[1:] == [
        "Checked by reading the raw files: no file kept for this project or for all projects holds the text any more."
    ]


@pytest.mark.parametrize(
    "text",
    ["The observations are fine", "Write it in a transcription", "redaction_version INTEGER NOT NULL", "the context_since of it"],
)
def test_the_words_of_our_own_schema_are_no_residue(a_session, text):
    a_session.store.execute("UPDATE sessions SET project_path = '/x'")
    assert forget(reader_of(a_session), a_session.notes(text)).is_clean()


def test_the_name_of_a_branch_is_no_residue(a_session, tmp_path):
    git = tmp_path / "shop" / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/fix-authentication-of-lanterns\n")
    a_session.project = type(a_session.project)(a_session.project.root, str(git), str(git))
    a_session.has_a_turn("Where is the ladder?", "There.")
    assert a_session.turns("branch") == [("fix-authentication-of-lanterns",)]
    assert forget(reader_of(a_session), a_session.notes("The authentication is odd")).is_clean()


def test_naming_the_id_of_what_is_forgotten_is_no_residue(a_session):
    name = a_session.notes("The tungsten is in the cellar.")
    a_session.has_a_turn(f"Please forget {name}", "Shall I?")
    assert forget(reader_of(a_session), name).is_clean()


# Who says it too


def test_another_row_that_says_the_same_is_named(a_session):
    turn = a_session.has_a_turn("Where is it?", "The tungsten is in the cellar.")
    report = forget(reader_of(a_session), a_session.notes("The tungsten is in the cellar."))
    assert (report.residue.rows, report.residue.files) == ([turn], [])
    assert any(turn in line and "Forget these as well" in line for line in erasure_report.lines_of_report(report))


def test_where_another_row_says_the_same_nobody_claims_that_it_is_gone(a_session):
    a_session.has_a_turn("Where is it?", "The tungsten is in the cellar.")
    report = forget(reader_of(a_session), a_session.notes("The tungsten is in the cellar."))
    assert not any("no file kept for this project" in line for line in erasure_report.lines_of_report(report))


@pytest.mark.parametrize("case", [str.upper, str.lower, str.title])
def test_another_row_that_says_it_in_another_case_is_named(a_session, case):
    turn = a_session.has_a_turn("Where is it?", case("The tungsten is in the cellar."))
    assert forget(reader_of(a_session), a_session.notes("The tungsten is in the cellar.")).residue.rows == [turn]


def test_a_row_of_the_other_memory_that_says_the_same_is_named(a_session, everywhere):
    name = note(a_session, "The tungsten is in the cellar.", everywhere)
    reader = reader_of(a_session, stores=[opening.open_ready(everywhere)])
    report = forget(reader, a_session.notes("The tungsten is in the cellar."))
    assert report.residue.rows == [name] and report.residue.files == []


# Backups


def a_backup(session, name="schema-1"):
    """Make a backup as a migration does."""
    folder = Path(paths.data_home(), "backups")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session.store.property('project_id')}-{name}.db"
    session.store.execute("VACUUM INTO ?", (str(path),))
    return path


def test_a_backup_that_holds_the_text_is_written_anew_without_it_and_one_that_does_not_is_left_alone(a_session):
    a_session.notes("The basalt is in the attic.")
    older = a_backup(a_session)
    before, name = older.read_bytes(), a_session.notes("The tungsten is in the cellar.")
    newer = a_backup(a_session, "schema-2")
    report = forget(reader_of(a_session), name)
    assert report.changed["copies rewritten"] == [str(newer)] and older.read_bytes() == before
    with closing(sqlite3.connect(newer)) as db:
        assert db.execute("SELECT title FROM observations").fetchall() == [("The basalt is in the attic.",)]
    assert f"A backup is written anew without it: {newer}" in erasure_report.lines_of_report(report)


def test_a_backup_of_an_older_release_that_holds_the_text_is_deleted(a_session):
    name = a_session.notes("The tungsten is in the cellar.")
    backup = a_backup(a_session)
    with closing(sqlite3.connect(backup)) as db:
        db.execute("PRAGMA user_version = 1")
    report = forget(reader_of(a_session), name)
    assert report.changed["copies deleted"] == [str(backup)] and not backup.exists()
    assert f"A backup that held the text is deleted: {backup}" in erasure_report.lines_of_report(report)


@pytest.mark.check
@pytest.mark.parametrize("text", ["PIN 4711", "電球は十", "x\ny\nz", "lamp " * 900, "梯子の上の電球" * 500])
def test_a_backup_is_rid_of_a_short_or_long_text(a_session, text):
    name = a_session.notes("L", text)
    backup = a_backup(a_session)
    assert forget(reader_of(a_session), name).changed["copies rewritten"] == [str(backup)]
    wanted = [name, *[line[:40] for line in text.splitlines() if len(line) > 3]]
    assert holding({str(backup): backup.read_bytes()}, *wanted) == []


def test_a_copy_in_quarantine_whose_log_holds_the_text_is_written_anew_with_what_else_the_log_holds(a_session):
    a_session.store.checkpoint()
    a_session.notes("The basalt is in the attic.")
    name = a_session.notes("The tungsten is in the cellar.")
    kept = Path(a_session.project.folder, "damaged", "2026-01-01")
    kept.mkdir(parents=True)
    for file in ("memory.db", "memory.db-wal"):
        (kept / file).write_bytes(Path(a_session.project.folder, file).read_bytes())
    assert forget(reader_of(a_session), name).changed["copies rewritten"] == [str(kept / "memory.db")]
    with closing(sqlite3.connect(kept / "memory.db")) as db:
        assert db.execute("SELECT title FROM observations").fetchall() == [("The basalt is in the attic.",)]


def test_a_copy_that_is_no_database_any_more_and_holds_the_text_is_deleted(a_session):
    name = a_session.notes("The tungsten is in the cellar.")
    kept = Path(a_session.project.folder, "damaged", "2026-01-01", "memory.db")
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"rubbish The tungsten is in the cellar. rubbish")
    assert forget(reader_of(a_session), name).changed["copies deleted"] == [str(kept)] and not kept.exists()


def test_a_backup_of_another_project_is_named_and_left_alone(a_session):
    name = a_session.notes("The tungsten is in the cellar.")
    other = a_backup(a_session).rename(Path(paths.data_home(), "backups", "project-aaaaaaaaaa-schema-1.db"))
    report = forget(reader_of(a_session), name)
    assert report.changed == {} and other.exists()
    assert report.out_of_reach == [f"another project's file holds it: {other}"]


# What is looked for

REPEATED = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
SAID = st.lists(st.sampled_from(LINES) | st.text("ab <\n.1é日🎉\t", max_size=90), max_size=12).map("\n".join)


@REPEATED
@given(SAID)
def test_what_is_looked_for_is_in_the_text_and_long_enough_to_be_no_accident(a_session, text):
    row = lookup.find(reader_of(a_session), a_session.notes("L"))
    row.said = text
    folded = text.encode().lower().decode()
    plain = verify._folded(text)
    assert all(piece in folded and len(piece.encode()) >= 12 for piece in verify.pieces([row]))
    assert all(word in plain and len(word) == 6 for word in verify.words([row]))


@REPEATED
@given(st.lists(SAID, min_size=1, max_size=3))
def test_something_is_looked_for_in_every_text_that_has_a_long_line(a_session, texts):
    rows = []
    for text in texts:
        rows.append(lookup.find(reader_of(a_session), a_session.notes("L")))
        rows[-1].said = text
    lines = [line.strip() for text in texts for line in text.splitlines()]
    long = any(len(line) >= 12 and any(map(str.isalnum, line)) for line in lines)
    assert bool(verify.pieces(rows)) == long


def test_where_the_process_that_reads_gives_no_answer_nothing_is_proven(a_session, monkeypatch):
    a_session.has_a_turn("Where is the quetzalcoatlus?", "Below the zirconium lantern.")
    monkeypatch.setattr(verifier, "DEADLINE_S", 0)
    report = forget(reader_of(a_session), query="quetzalcoatlus")
    assert report.residue.failed and not report.is_clean()
    assert "nothing is proven" in "\n".join(erasure_report.lines_of_report(report))
