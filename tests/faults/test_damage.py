"""Damage: a header, a page, a length, a log, half a migration. Hooks stay silent, what can be read comes back, one line tells it.

Trials are real damage to real files at random places; a kind is tried 25 times, and its worst case counts.
"""

import os
import posix
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import paths, spool
from ralph_mem.core.errors import StoreError
from ralph_mem.core.project import Project
from ralph_mem.interfaces.hooks import session_start
from ralph_mem.maintenance.recovery import backups, damage, salvage
from ralph_mem.memory import access, opening
from ralph_mem.memory.facts import taking
from ralph_mem.memory.ownership import seals
from ralph_mem.memory.rows import facts, row
from ralph_mem.memory.store import connection, schema
from tests import clock
from tests.bench import memory_of
from tests.hook import Hook, ordinary_owner, said_to_model

PAGE = 4096
TRIALS = 25
DAY_MS = 86_400_000
ROWS = "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM turns) + (SELECT count(*) FROM observations)"


# Ways to damage a file


def over(file, at, data):
    with open(file, "r+b") as opened:
        opened.seek(at)
        opened.write(data)


def a_page(file, dice):
    """Choose any page but the first."""
    return dice.randrange(1, file.stat().st_size // PAGE)


def zeroed_page(file, dice):
    over(file, a_page(file, dice) * PAGE, bytes(PAGE))


def random_page(file, dice):
    over(file, a_page(file, dice) * PAGE, dice.randbytes(PAGE))


def without_magic(file, dice):
    over(file, 0, dice.randbytes(16))


def without_header(file, dice):
    over(file, 0, dice.randbytes(100))


def without_page_one(file, dice):
    over(file, 0, dice.randbytes(PAGE))


def cut_short(file, dice):
    os.truncate(file, int(file.stat().st_size * dice.uniform(0.3, 0.9)))


def no_database(file, dice):
    file.write_bytes(dice.randbytes(dice.randrange(1, 50_000)))


def holed(file, dice):
    over(file, a_page(file, dice) * PAGE - PAGE // 2, bytes(2 * PAGE))


# Kind -> the way, and the least share of rows that is back with a backup of yesterday, and without one.
KINDS = {
    "a zeroed page": (zeroed_page, 0.99, 0.0),
    "a random page": (random_page, 0.99, 0.0),
    "no magic": (without_magic, 1.0, 1.0),
    "no header": (without_header, 1.0, 1.0),
    "no first page": (without_page_one, 0.89, 0.0),
    "cut short": (cut_short, 0.89, 0.2),
    "no database": (no_database, 0.89, 0.0),
    "a hole of 8 KiB": (holed, 0.89, 0.0),
}


pytestmark = [pytest.mark.usefixtures("a_home"), pytest.mark.check]  # dozens of damaged memories


@pytest.fixture(scope="module")
def a_large_past(tmp_path_factory):
    """Build once a memory of six hundred rows, and what it was yesterday: without the last tenth."""
    folder = tmp_path_factory.mktemp("past")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(posix, "environ", {b"HOME": os.fsencode(folder / "home")})
        memory_of.build(folder / "today", 120, 4, memory_of.Words(seed=29))
    shutil.copy(folder / "today" / ".ralph-mem" / "memory.db", folder / "yesterday.db")
    with closing(sqlite3.connect(folder / "yesterday.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = DELETE").fetchone()
        for table, column in (("observations", "turn_id"), ("memories", "turn_id"), ("turns", "id")):
            db.execute(f"DELETE FROM {table} WHERE {column} > 108")
    return folder


@pytest.fixture
def person(tmp_path, a_large_past):
    """Give a person that memory, known to the registry, without a backup; `person.start()` begins a session."""
    hook = Hook(tmp_path)
    shutil.copytree(a_large_past / "today" / ".ralph-mem", hook.memory)
    hook.data.mkdir(parents=True)
    shutil.copy(a_large_past / "home" / ".local" / "share" / "ralph-mem" / "key", hook.data)  # or it would be a stranger's
    place = Project(str(hook.project))
    opened = opening.open_ready(place)
    opening.notice(opened, place)
    opened.close()
    return hook


def doubt(person, line):
    """Leave the line that an event leaves which could not be stored."""
    person.trouble.parent.mkdir(exist_ok=True)
    person.trouble.write_text(line)


def yesterdays(person, a_large_past):
    """Put yesterday's backup where a Stop would have made it."""
    number = number_of(person)
    folder = Path(paths.data_home(), "backups")
    folder.mkdir(mode=0o700, exist_ok=True)
    shutil.copy(a_large_past / "yesterday.db", folder / f"{number}-2026-01-01.db")


def number_of(person):
    (number,) = person.values("SELECT value FROM properties WHERE key = 'project_id'")
    return number


def count(person):
    return person.values(ROWS)[0]


def names(person):
    """Return what names every row that counts; a session that was lost gets another name."""
    return set(
        person.values("SELECT public_id FROM sessions UNION SELECT public_id FROM turns UNION SELECT public_id FROM observations")
    )


def told_lost(line):
    """Return how many rows a line says are lost at least and at most, altered ones too; None for as many as there were."""
    altered = sum(map(int, re.findall(r"(\d+) altered ones", line)))
    if "could not be read" not in line:
        return altered, altered
    if "nobody knows" in line:
        return altered, None
    return altered, altered + int(re.search(r"at most (\d+) others could not be read", line)[1])


def assert_honest(line, lost):
    least, most = told_lost(line)
    assert least <= lost and (most is None or lost <= most), (line, lost)


def shares(person, a_large_past, way, with_backup):
    """Damage the memory TRIALS times and let a session start open it; returns which share of its rows is back each time."""
    original, found = person.database.read_bytes(), []
    if with_backup:
        yesterdays(person, a_large_past)
    whole, before = count(person), names(person)
    for trial in range(TRIALS):
        shutil.rmtree(person.memory)
        person.memory.mkdir()
        person.database.write_bytes(original)
        seals.note(str(person.memory))
        way(person.database, random.Random(trial))
        doubt(person, "an event waits to be stored")
        session_start.open_store(Project(str(person.project))).close()
        found.append(count(person) / whole)
        assert_honest(person.trouble.read_text(), len(before - names(person)))
        assert person.damage() == []
    return found


LESS_TELLING = ("no magic", "a hole of 8 KiB")  # than the others, for every run


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.nightly if kind in LESS_TELLING else ()) for kind in KINDS])
def test_of_25_memories_with_yesterdays_backup_the_rows_are_back(person, a_large_past, kind):
    way, least, _ = KINDS[kind]
    found = shares(person, a_large_past, way, with_backup=True)
    assert len(found) == TRIALS
    assert min(found) >= least, found


ALONE = [kind if kind == "a zeroed page" else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS]


@pytest.mark.parametrize("kind", ALONE)
def test_of_25_memories_without_a_backup_what_can_be_read_is_back(person, a_large_past, kind):
    way, _, least = KINDS[kind]
    found = shares(person, a_large_past, way, with_backup=False)
    assert min(found) >= least, found
    if "page" in kind and "first" not in kind:  # an inner page takes all below it along, which only a backup brings back
        assert sorted(found)[2] >= 0.99, found


def test_every_kind_of_damage_is_tried():
    assert (len(KINDS), TRIALS) == (8, 25)


# Through the hooks


@pytest.mark.parametrize("kind", ["no magic", "no first page", "cut short", "no database"])
def test_hooks_are_silent_and_the_next_start_repairs_and_tells(person, a_large_past, kind):
    yesterdays(person, a_large_past)
    whole = count(person)
    KINDS[kind][0](person.database, random.Random(3))
    damaged = person.database.read_bytes()
    assert [person.prompt("Where is the zeppelin?"), person.bash("make mast", "ok"), person.stop("At the mast.")] == [{}] * 3
    assert len(person.spooled()) == 3
    line = person.another().start()["systemMessage"]
    assert "was damaged" in line and "rows are back" in line
    (kept,) = (person.memory / "damaged").iterdir()
    assert str(kept) in line
    assert (kept / "memory.db").read_bytes() == damaged
    assert count(person) >= 0.89 * whole
    assert person.values("SELECT response FROM turns WHERE prompt = 'Where is the zeppelin?'") == ["At the mast."]
    assert person.spooled() == [] and person.damage() == []
    assert "systemMessage" not in person.another().start()


def test_a_memory_keeps_its_name_through_a_repair(person, a_large_past):
    yesterdays(person, a_large_past)
    number = number_of(person)
    no_database(person.database, random.Random(1))
    person.start()
    assert number_of(person) == number


def test_what_is_kept_is_for_its_owner_alone(person):
    without_magic(person.database, random.Random(1))
    person.wrap = ["/bin/sh", "-c", 'umask 000; "$0" "$@"']
    person.start()
    everything = [*person.memory.rglob("*")]
    assert person.memory / "damaged" in everything
    assert {path: oct(path.stat().st_mode & 0o777) for path in everything if path.stat().st_mode & 0o077} == {}


def test_a_damaged_page_that_nobody_reads_holds_up_nobody(person):
    pages = person.database.stat().st_size // PAGE
    over(person.database, pages // 2 * PAGE, bytes(PAGE))
    person.start()
    person.prompt("Where is the zeppelin?")
    person.stop("At the mast.")
    assert person.values("SELECT response FROM turns WHERE prompt = 'Where is the zeppelin?'") == ["At the mast."]


def test_what_a_session_recorded_into_a_damaged_index_is_not_lost(person):
    with person.connect() as db:
        db.execute("UPDATE observations_fts_data SET block = x'ffffffff'")
        db.execute("UPDATE memory_fts_data SET block = x'ffffffff'")
    person.start()
    person.bash("make mast", "ok")
    person.another().start()
    person.another().start()
    assert person.values("SELECT count(*) FROM observations WHERE title = 'make mast'") == [1]
    assert person.damage() == []


def test_a_damaged_memory_of_all_projects_is_repaired_too(person):
    everywhere = Project(paths.config_home())
    everywhere.folder = paths.config_home()
    opened = opening.open_ready(everywhere)
    opened.set_property("kept", "yes")
    opened.checkpoint()
    opened.close()
    file = Path(everywhere.folder, "memory.db")
    without_magic(file, random.Random(1))
    person.start()
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT value FROM properties WHERE key = 'kept'").fetchall() == [("yes",)]
    assert "was damaged" in person.another().start()["systemMessage"]


def test_a_repair_that_is_killed_begins_anew_and_misses_nothing(person, monkeypatch):
    person.start()
    person.prompt("Where is the zeppelin?")  # stands in the log alone
    assert (person.memory / "memory.db-wal").stat().st_size
    whole, dice = count(person), random.Random(2)
    without_magic(person.database, dice)
    over(person.memory / "memory.db-shm", 0, bytes(32768))
    steps = ["copy_file", "remove_log", "finish"]
    for step in steps:
        kill_at(person, step)
    person.another().start()
    assert count(person) >= whole
    assert person.values("SELECT count(*) FROM turns WHERE prompt = 'Where is the zeppelin?'") == [1]
    assert person.damage() == []


def kill_at(person, step):
    """Let a session start die at a step of the quarantine, after it has been done."""
    code = (
        "import posix, sys; sys.path.insert(0, sys.argv[1])\n"
        "from ralph_mem.core.project import Project; from ralph_mem.interfaces.hooks import session_start\n"
        "from ralph_mem.maintenance.recovery import damage\n"
        f"done = damage.{step}\n"
        f"damage.{step} = lambda *given: (done(*given), posix._exit(9))\n"
        "session_start.open_store(Project(sys.argv[2]))\n"
    )
    doubt(person, "an event waits to be stored")
    order = [person.environment["PATH"].split(":")[0] + "/python3", "-I", "-S", "-c", code, str(person.plugin), str(person.project)]
    assert os.spawnve(os.P_WAIT, order[0], order, person.environment) == 9, step


# What is lost is counted


def roots(person, *trees):
    """Return the places of the first pages of tables and indexes."""
    with person.connect() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        pages = dict(db.execute("SELECT name, rootpage FROM sqlite_master"))
    return [(pages[tree] - 1) * PAGE for tree in trees]


def destroy(person, *trees):
    for at in roots(person, *trees):
        over(person.database, at, random.Random(1).randbytes(PAGE))


@pytest.fixture
def a_small_past(tmp_path):
    """Have a session of three turns with two commands each: every table is one page."""
    hook = Hook(tmp_path / "small")
    hook.start()
    for turn in range(3):
        hook.prompt(f"Where is zeppelin {turn}?")
        hook.bash(f"make mast {turn}", "ok")
        hook.bash(f"make winch {turn}", "ok")
        hook.stop(f"At mast {turn}.")
    return hook


@pytest.mark.parametrize("trees", [("turns",), ("observations",), ("sessions",), ("sessions", "turns", "observations")])
def test_of_a_table_of_which_nothing_can_be_read_it_is_told_that_there_was_more(a_small_past, monkeypatch, trees):
    hook = a_small_past
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(hook.home)})
    before = names(hook)
    destroy(hook, *trees)
    doubt(hook, "an event waits to be stored")
    line = hook.another().start()["systemMessage"]
    lost = len(before - names(hook))
    assert "nobody knows how many others could not be read" in line
    assert lost >= {"sessions": 1, "turns": 3, "observations": 6}[trees[0]] and hook.damage() == []


def test_a_start_that_meets_damage_has_the_next_one_repair_it_and_facts_are_made_again(a_small_past, monkeypatch):
    hook = a_small_past
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(hook.home)})
    with closing(opening.open_ready(Project(str(hook.project)))) as opened, access.Change(opened):
        taking.take(opened, taking.Statement("Moor at the northern mast.", facts.RULE, facts.ADD, DAY_MS), DAY_MS)
    destroy(hook, "facts")
    lines = [hook.another().start().get("systemMessage", "") for _ in range(3)]
    assert "malformed" in lines[0] and "1 fact made again" in lines[1] and "damaged" not in lines[2]
    assert hook.rows("SELECT status, source FROM facts") == [("active", "add")]


def test_of_rows_that_neither_the_file_nor_the_backup_has_it_is_told_how_many_they_are_at_most(person, a_large_past):
    yesterdays(person, a_large_past)
    before = names(person)
    roots(person)
    (newer,) = person.values("SELECT content FROM observations WHERE turn_id = 112 ORDER BY length(content) LIMIT 1")
    over(person.database, person.database.read_bytes().index(newer.encode()) // PAGE * PAGE, bytes(PAGE))
    doubt(person, "an event waits to be stored")
    line = person.start()["systemMessage"]
    lost = len(before - names(person))
    assert lost and f"at most {lost} others could not be read" in line


def test_where_only_the_backup_can_be_read_it_is_told_that_there_was_more(person, a_large_past):
    yesterdays(person, a_large_past)
    no_database(person.database, random.Random(1))
    assert "of them from a backup, nobody knows how many others could not be read" in person.start()["systemMessage"]


# Rows that were altered


def test_an_altered_row_is_left_out_named_and_taken_from_the_backup_where_it_is_there(person, a_large_past):
    yesterdays(person, a_large_past)
    with person.connect() as db:
        db.execute("UPDATE turns SET prompt = 'Obey' WHERE id IN (5, 119)")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    lost = person.values("SELECT public_id FROM turns WHERE id = 119")
    without_magic(person.database, random.Random(1))
    (person.memory / "memory.db-wal").unlink(missing_ok=True)
    line = person.start()["systemMessage"]
    assert "1 altered" in line
    assert person.values("SELECT count(*) FROM turns WHERE prompt = 'Obey'") == [0]
    assert person.values("SELECT id FROM turns WHERE id IN (5, 119)") == [5]
    assert person.values("SELECT count(*) FROM turns WHERE public_id = ?", *lost) == [0]


def test_an_altered_row_that_nobody_has_looked_at_yet_is_not_told(person):
    person.start()
    person.prompt("Why does the zeppelin moor crookedly at the northern mast?")
    person.stop("The zeppelin's winch at the northern mast was rusty.")
    asked = "Is the zeppelin's winch at the northern mast rusty again?"
    assert "rusty" in said_to_model(person.another().prompt(asked))
    with person.connect() as db:
        db.execute("UPDATE turns SET response = replace(response, 'rusty', 'rusta') WHERE response LIKE '%rusty%'")
    other = person.another()
    assert "rusta" not in said_to_model(other.start()) + said_to_model(other.prompt(asked))


def test_where_a_line_of_the_schema_makes_no_sense_the_other_tables_are_read(person):
    roots(person)
    whole = dict(person.rows("SELECT public_id, checksum FROM turns"))
    over(person.database, person.database.read_bytes().index(b"CREATE TABLE observations"), b"CREATE TABEL")
    doubt(person, "an event waits to be stored")
    assert "nobody knows how many others could not be read" in person.start()["systemMessage"]
    assert dict(person.rows("SELECT public_id, checksum FROM turns")) == whole


def test_flipped_bits_are_seen_by_the_checksum_whether_or_not_sqlite_sees_them(person):
    dice = random.Random(8)
    with person.connect() as db:
        before = dict(db.execute("SELECT public_id, checksum FROM turns UNION ALL SELECT public_id, checksum FROM observations"))
        (first,) = db.execute("SELECT max(rootpage) FROM sqlite_master").fetchone()  # the schema lies before it
    data = bytearray(person.database.read_bytes())
    for _ in range(64):
        data[dice.randrange(first * PAGE, len(data))] ^= 1 << dice.randrange(8)
    person.database.write_bytes(data)
    without_magic(person.database, dice)
    person.start()
    rows = person.rows("SELECT public_id, checksum, prompt, response, files, lines FROM turns")
    rows += person.rows("SELECT public_id, checksum, title, content, files, lines FROM observations")
    altered = [name for name, checksum, *texts in rows if row.checksum(*texts) != checksum]
    assert altered == [] and len(rows) > 0.85 * len(before)


# The log (rows 12, 13 and 14)


def logged(person, turns=12):
    """Record turns that stand in the log alone; returns their prompts."""
    person.start()
    prompts = [f"Zeppelin number {number}?" for number in range(turns)]
    for prompt in prompts:
        person.prompt(prompt)
    return prompts


def cut_log(log, dice):
    os.truncate(log, dice.randrange(0, log.stat().st_size))


def flipped_log(log, dice):
    data = bytearray(log.read_bytes())
    data[dice.randrange(32, len(data))] ^= 1 << dice.randrange(8)
    log.write_bytes(data)


def zeroed_tail(log, dice):
    size = log.stat().st_size
    at = dice.randrange(32, size)
    over(log, at, bytes(size - at))


def junk_tail(log, dice):
    over(log, log.stat().st_size, dice.randbytes(dice.randrange(1, 20_000)))


LOGS = {"cut": cut_log, "flipped": flipped_log, "zeroed": zeroed_tail, "junk": junk_tail}


@pytest.mark.parametrize("kind", LOGS)
def test_of_a_damaged_log_a_prefix_of_the_commits_is_left_in_25_trials(person, kind):
    prompts = logged(person)
    files = {path: path.read_bytes() for path in person.memory.iterdir() if path.name.startswith("memory.db")}
    seen = set()
    for trial in range(TRIALS):
        for path, data in files.items():
            path.write_bytes(data)
        (person.memory / "memory.db-shm").unlink()  # or the index of the log would be believed
        LOGS[kind](person.memory / "memory.db-wal", random.Random(trial))
        with person.connect() as db:
            found = [prompt for (prompt,) in db.execute("SELECT prompt FROM turns WHERE prompt LIKE 'Zepp%' ORDER BY seq")]
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert found == prompts[: len(found)]
        seen.add(len(found))
    assert seen == {len(prompts)} if kind == "junk" else len(seen) > 3
    person.stop("At the mast.")
    assert person.damage() == []


@pytest.mark.parametrize("how", ["deleted", "random", "zeros"])
def test_without_the_index_of_the_log_nothing_is_lost(person, how):
    prompts = logged(person, 3)
    shared = person.memory / "memory.db-shm"
    shared.unlink() if how == "deleted" else shared.write_bytes({"random": random.Random(1).randbytes, "zeros": bytes}[how](32768))
    person.stop("At the mast.")
    assert person.values("SELECT prompt FROM turns WHERE prompt LIKE 'Zepp%' ORDER BY seq") == prompts
    assert person.damage() == []


def test_a_log_that_was_deleted_is_noticed_and_told_once(person):
    person.start()
    person.prompt("Where is the zeppelin?")
    person.stop("At the mast.")
    for name in ("memory.db-wal", "memory.db-shm"):
        (person.memory / name).unlink()
    first, second = person.another().start(), person.another().start()
    assert first == {} or "is missing" in first["systemMessage"]
    assert person.values("SELECT count(*) FROM turns WHERE prompt LIKE '%zeppelin%'") == [0]
    assert "is missing" in first.get("systemMessage", ""), "the memory was older and nobody said so"
    assert "systemMessage" not in second


def test_an_older_log_is_noticed_and_told(person):
    person.start()
    person.prompt("Where is the balloon?")
    person.stop("In the hall.")
    older = (person.memory / "memory.db-wal").read_bytes()
    person.prompt("Where is the zeppelin?")
    person.stop("At the mast.")
    (person.memory / "memory.db-wal").write_bytes(older)
    (person.memory / "memory.db-shm").unlink()
    assert "is missing" in person.another().start()["systemMessage"]
    assert person.values("SELECT prompt FROM turns ORDER BY seq DESC LIMIT 1") == ["Where is the balloon?"]
    assert person.damage() == []


def test_where_nothing_is_missing_nothing_is_told(person):
    for number in range(3):
        another = person.another()
        assert "systemMessage" not in another.start(), number
        another.prompt("Where is the zeppelin?")
        another.stop("At the mast.")
        another.end()


# Half a migration (row 22)


def without_a_column(db):
    db.execute("ALTER TABLE observations DROP COLUMN speaker")


def without_a_table(db):
    db.execute("DROP TABLE jobs")


def ahead_of_its_number(db):
    db.execute(f"PRAGMA user_version = {schema.VERSION - 1}")


def without_an_index(db):
    db.execute("DROP INDEX turns_in_order")


HALVES = [without_a_column, without_a_table, ahead_of_its_number, without_an_index]


@pytest.mark.parametrize("way", HALVES)
def test_half_a_migration_is_noticed_and_finished_without_a_row_lost(person, way):
    whole = count(person)
    with person.connect() as db:
        way(db)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    line = person.start()["systemMessage"]
    assert "as a migration leaves it that was broken off" in line
    assert count(person) == whole + 1
    assert person.values("PRAGMA user_version") == [schema.VERSION]
    assert person.damage() == []
    with person.connect() as db:
        assert damage.schema_check.missing(db, schema.VERSION) == []


# What is not damage


def test_a_locked_memory_is_not_repaired(person):
    doubt(person, "an event waits to be stored: database is locked")
    with person.connect() as db:
        db.execute("BEGIN EXCLUSIVE")
        person.start()
    assert not (person.memory / "damaged").exists()


def test_a_memory_of_a_newer_release_is_not_repaired(person):
    with person.connect() as db:
        db.execute("PRAGMA user_version = 99")
        db.execute("DROP TABLE jobs")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = person.database.read_bytes()
    person.every_event()
    person.another().start()
    assert person.database.read_bytes() == before
    assert not (person.memory / "damaged").exists()


def test_a_database_of_another_program_is_not_repaired_but_set_aside_as_it_is(person):
    person.database.unlink()
    with person.connect() as db:
        db.execute("CREATE TABLE theirs (a)")
        db.execute("PRAGMA user_version = 1")
    before = person.database.read_bytes()
    assert "set aside" in person.start()["systemMessage"]
    assert not (person.memory / "damaged").exists()
    (aside,) = person.memory.glob("memory.db.unknown-*[0-9]")
    assert aside.read_bytes() == before and count(person) == 1


def test_nobody_is_at_work_while_a_memory_is_repaired(person):
    without_magic(person.database, random.Random(1))
    holder = connection.lock(str(person.memory), 0)
    try:
        assert "systemMessage" in person.start()
        assert not (person.memory / "damaged").exists()
    finally:
        posix.close(holder)
    assert "was damaged" in person.another().start()["systemMessage"]


def test_a_memory_too_large_for_a_start_is_left_for_the_doctor(person, monkeypatch):
    from ralph_mem.maintenance.recovery import repair

    monkeypatch.setattr(repair, "LARGEST_AT_START", 1000)
    without_magic(person.database, random.Random(1))
    with pytest.raises(StoreError, match="ralph-mem doctor --repair --confirm"):
        session_start.open_store(Project(str(person.project)))
    assert not (person.memory / "damaged").exists()


# A memory that can only be read (row 6)


@pytest.fixture
def read_only(person):
    """Record a turn, and take the right to write from whoever is not its owner; root is made an ordinary owner."""
    person.start()
    person.prompt("Why does the zeppelin moor crookedly at the northern mast?")
    person.stop("The zeppelin's winch at the northern mast was rusty.")
    person.wrap = ordinary_owner()
    yield person
    person.memory.chmod(0o700)


@pytest.mark.parametrize("log", ["with a log", "without a log"])
def test_a_memory_that_can_only_be_read_is_told_all_the_same(read_only, log):
    if log == "without a log":
        with read_only.connect() as db:  # the last one to close it takes the log with it
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        assert not (read_only.memory / "memory.db-wal").exists()
    before = {path.name: path.read_bytes() for path in read_only.memory.iterdir() if not path.name.endswith("-shm")}
    read_only.memory.chmod(0o500)
    for path in read_only.memory.iterdir():
        path.chmod(0o400)
    other = read_only.another()
    started = other.start()
    assert "crookedly" in said_to_model(started) and "waits to be stored" in started["systemMessage"]
    assert "rusty" in said_to_model(read_only.another().prompt("Is the zeppelin's winch at the northern mast rusty again?"))
    assert {path.name: path.read_bytes() for path in read_only.memory.iterdir() if not path.name.endswith("-shm")} == before
    assert len(spool.pending(str(read_only.project))) == 2


# The tools of the repair


def test_rows_around_a_gap_are_read_in_few_steps(person):
    with person.connect() as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'observations'").fetchone()
        rows, gaps = salvage.around_damage(db, "observations", ["public_id"])
        assert (len(rows), gaps) == (480, [])
    over(person.database, (root - 1) * PAGE, bytes(PAGE))  # the root of the tree: nothing can be reached
    with person.connect() as db:
        watch = clock.Watch()
        assert salvage.around_damage(db, "observations", ["public_id"]) == ([], None)
        assert watch.free() < 5


def test_the_day_after_a_backup_the_next_one_is_made_by_a_stop(person):
    person.start()
    with person.connect() as db:
        db.execute("UPDATE properties SET value = value - ? WHERE key = ?", (DAY_MS + 1000, backups.MADE_AT))
    person.stop("At the mast.")
    person.stop("At the mast still.")
    (backup,) = (person.data / "backups").iterdir()
    assert backup.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(f"file:{backup}?immutable=1", uri=True)) as db:
        assert db.execute(ROWS).fetchone()[0] == count(person)


def test_a_deleted_memory_is_offered_back_once_and_never_by_itself(person, a_large_past):
    yesterdays(person, a_large_past)
    shutil.rmtree(person.memory)
    first, second = person.another().start(), person.another().start()
    assert "`ralph-mem restore` brings back its backup" in first["systemMessage"]
    assert "systemMessage" not in second
    assert person.values("SELECT count(*) FROM turns") == [0]


def test_a_memory_of_no_bytes_is_offered_back(person, a_large_past):
    yesterdays(person, a_large_past)
    (person.memory / "memory.db-wal").unlink(missing_ok=True)
    os.truncate(person.database, 0)
    assert "ralph-mem restore" in person.start()["systemMessage"]
