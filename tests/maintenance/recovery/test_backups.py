"""Backups are made once a day, three are kept, and one is brought back only by a person, who loses nothing by it."""

import json
import os
import posix
import random
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ralph_mem.core import paths
from ralph_mem.core.errors import StoreError
from ralph_mem.core.project import Project
from ralph_mem.interfaces import demo
from ralph_mem.interfaces.cli import recovery as doctor_command
from ralph_mem.maintenance.recovery import backups, damage, repair, restore
from ralph_mem.memory import access, opening
from ralph_mem.memory.ownership import foreign
from tests import command_line
from tests.hook import REPOSITORY, Hook

DAY_MS = 86_400_000
NOON = 1_767_268_800_000


@pytest.fixture
def person(tmp_path, monkeypatch):
    """Record a turn of a person whose home is this process's too."""
    hook = Hook(tmp_path)
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(hook.home)})
    hook.start()
    hook.prompt("Where is the zeppelin?")
    hook.stop("At the mast.")
    return hook


@pytest.fixture
def opened(person):
    """Open that memory."""
    found = opening.open_ready(place_of(person))
    yield found
    with suppress(OSError):  # a test may have closed it
        found.close()


def place_of(person):
    return Project(str(person.project))


def ralph_mem(person, *arguments, code=0):
    """Run the command line; returns what it printed."""
    environment = {"HOME": str(person.home), "PATH": person.environment["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": str(REPOSITORY)}
    ran = command_line.says(*arguments, env=environment, cwd=person.project)
    assert (ran.returncode, ran.stderr if not code else "") == (code, ""), ran
    return ran.stdout


def names():
    return sorted(path.name for path in Path(paths.data_home(), "backups").iterdir())


def prompts(file):
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
        return [prompt for (prompt,) in db.execute("SELECT prompt FROM turns ORDER BY seq")]


# Making them


def test_three_days_are_kept_of_ten(opened):
    for day in range(10):
        backups.make(opened, NOON + day * DAY_MS)
    number = opened.property("project_id")
    assert names() == [f"{number}-2026-01-{day:02d}.db" for day in (8, 9, 10)]


def test_after_a_clock_that_was_ahead_the_backups_of_that_time_go_first(opened):
    for day in (3650, 3651, 3652, 0, 1):
        backups.make(opened, NOON + day * DAY_MS)
    number = opened.property("project_id")
    assert names() == [f"{number}-{day}.db" for day in ("2026-01-01", "2026-01-02", "2036-01-01")]


def test_a_second_backup_of_a_day_takes_the_place_of_the_first(opened):
    backups.make(opened, NOON)
    backups.make(opened, NOON + 3_600_000)
    assert len(names()) == 1


def test_a_backup_is_whole_alone_and_for_its_owner(opened):
    path = backups.make(opened, NOON)
    assert os.stat(path).st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("SELECT prompt, response FROM turns").fetchall() == [("Where is the zeppelin?", "At the mast.")]
        assert db.execute("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'zeppelin'").fetchone() == (1,)


def test_a_start_says_once_that_a_memory_made_anew_by_whomever_has_a_backup_of_the_one_before(person, opened):
    backups.make(opened, NOON)
    opened.close()
    shutil.rmtree(person.memory)
    access.to_write(place_of(person)).close()
    first, second = person.another().start(), person.another().start()
    assert "`ralph-mem restore` brings back its backup of 20" in first["systemMessage"]
    assert "restore" not in second.get("systemMessage", "")


def test_a_new_project_beside_others_with_backups_hears_of_none(person, opened, tmp_path):
    backups.make(opened, NOON)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "restore" not in person.start(cwd=str(elsewhere)).get("systemMessage", "")


def test_others_write_while_a_backup_is_made(person, opened):
    opened.execute("BEGIN")
    opened.one("SELECT count(*) FROM turns")
    person.bash("make mast", "ok")
    assert person.values("SELECT title FROM observations") == ["make mast"]
    opened.execute("ROLLBACK")


def test_a_damaged_memory_does_not_push_out_a_good_backup(person, opened):
    good = backups.make(opened, NOON)
    opened.checkpoint()
    (root,) = opened.one("SELECT rootpage FROM sqlite_master WHERE name = 'jobs'")
    opened.close()
    with open(person.database, "r+b") as file:
        file.seek(4096 * (root - 1))
        file.write(bytes(4096))
    damaged = opening.open_ready(place_of(person))
    with pytest.raises((StoreError, sqlite3.DatabaseError)):
        backups.make(damaged, NOON + DAY_MS)
    assert names() == [os.path.basename(good)]
    backups.keep(damaged, NOON + 2 * DAY_MS)
    assert names() == [os.path.basename(good)]
    assert "damaged" in damaged.property(backups.FAULT)
    damaged.close()


def test_a_backup_that_takes_too_long_is_given_up_and_leaves_nothing(opened):
    with pytest.raises(backups.Late):
        backups.make(opened, NOON, seconds=-1)
    assert names() == []


def test_what_is_too_large_is_not_copied_unasked_and_the_doctor_says_so(person, opened, monkeypatch):
    monkeypatch.setattr(backups, "LARGEST_UNASKED", 1000)
    backups.keep(opened, NOON)
    assert not Path(paths.data_home(), "backups").exists()
    said = json.loads(ralph_mem(person, "doctor", "--json", code=1))
    (told,) = [each for each in said if each["check"] == "backup"]
    assert told["state"] == "warning" and "larger than" in told["seen"] and "ralph-mem backup" in told["do"]
    assert "is copied to" in ralph_mem(person, "backup")
    assert len(names()) == 1


def test_a_stop_of_the_first_day_makes_none(person):
    assert not (person.data / "backups").exists()


# Bringing one back


@pytest.fixture
def a_loss(person, opened):
    """Back the memory up, delete it, and begin another one in its place."""
    backups.make(opened, time.time_ns() // 1_000_000)
    for path in person.memory.iterdir():
        path.unlink()
    person.start()
    person.prompt("Where is the balloon?")
    person.stop("In the hall.")
    return person


def test_the_preview_changes_nothing(a_loss):
    said = ralph_mem(a_loss, "restore")
    assert "Would bring back" in said and "1 session, 1 turn, 0 observations" in said and "--confirm" in said
    assert prompts(a_loss.database) == ["Where is the balloon?"]


def test_what_is_brought_back_is_there_and_what_was_there_is_kept(a_loss):
    said = ralph_mem(a_loss, "restore", "--confirm")
    assert prompts(a_loss.database) == ["Where is the zeppelin?"]
    (kept,) = [name for name in names() if "-replaced-" in name]
    assert kept in said
    assert prompts(a_loss.data / "backups" / kept) == ["Where is the balloon?"]
    assert a_loss.damage() == []
    assert "systemMessage" not in a_loss.another().start()
    a_loss.prompt("Where is the kite?")
    assert prompts(a_loss.database)[-1] == "Where is the kite?"


def test_bringing_it_back_can_be_undone(a_loss):
    ralph_mem(a_loss, "restore", "--confirm")
    ralph_mem(a_loss, "restore", "replaced", "--confirm")
    assert prompts(a_loss.database) == ["Where is the balloon?"]


def test_a_damage_before_the_next_start_brings_back_what_was_restored(a_loss):
    ralph_mem(a_loss, "restore", "--confirm")
    a_loss.database.write_bytes(b"hello")
    assert "2 rows are back" in a_loss.another().start()["systemMessage"]
    assert prompts(a_loss.database) == ["Where is the zeppelin?"]


def test_a_second_damage_after_a_repair_brings_back_the_same_memory(a_loss):
    ralph_mem(a_loss, "restore", "--confirm")
    for _ in range(2):
        a_loss.database.write_bytes(b"hello")
        ralph_mem(a_loss, "doctor", "--repair", "--confirm")
        assert prompts(a_loss.database) == ["Where is the zeppelin?"]


def test_a_damaged_memory_in_its_place_is_set_aside(a_loss):
    for name in ("memory.db-wal", "memory.db-shm"):
        (a_loss.memory / name).unlink()
    junk = random.Random(1).randbytes(9000)
    a_loss.database.write_bytes(junk)
    ralph_mem(a_loss, "restore", "--confirm")
    assert prompts(a_loss.database) == ["Where is the zeppelin?"]
    (kept,) = damage.kept(str(a_loss.memory))
    assert (a_loss.memory / "damaged" / kept / "memory.db").read_bytes() == junk


def test_after_a_git_clean_the_next_start_tells_the_way_back_and_it_is_one(person, opened):
    opened.close()
    ralph_mem(person, "backup")
    for words in (["init", "--quiet"], ["clean", "-fdxq"]):
        subprocess.run(["git", *words], cwd=person.project, check=True, capture_output=True)
    assert not person.memory.exists()
    assert "ralph-mem restore" in person.another().start()["systemMessage"]
    ralph_mem(person, "restore", "--confirm")
    assert person.values("SELECT prompt FROM turns") == ["Where is the zeppelin?"]


def test_the_list_names_each_for_a_program_too(a_loss):
    (listed,) = json.loads(ralph_mem(a_loss, "restore", "--list", "--json"))
    assert listed["path"].endswith(names()[0]) and listed["bytes"] > 0
    assert names()[0] in ralph_mem(a_loss, "restore", "--list")


def test_a_day_without_a_backup_is_named(a_loss):
    ralph_mem(a_loss, "restore", "1999-01-01", code=1)


def test_where_there_is_none_it_says_so(person):
    assert "No backup is there yet" in ralph_mem(person, "restore", "--confirm")


@pytest.mark.parametrize("words", [["restore"], ["restore", "--confirm"]])
def test_of_a_damaged_backup_it_is_said_before_anything_is_promised(a_loss, words):
    (path,) = backups.files()
    with open(path, "r+b") as file:
        file.seek(3 * 4096)
        file.write(bytes(9 * 4096))
    assert ralph_mem(a_loss, *words, code=1) == ""
    with pytest.raises(StoreError, match=r"the backup .* is damaged") as error:
        restore.check(backups.of_place(place_of(a_loss))[0])
    assert "restore --list" in error.value.hint
    assert prompts(a_loss.database) == ["Where is the balloon?"]


@pytest.mark.check
def test_nothing_is_brought_back_while_a_session_writes(a_loss):
    holder = opening.open_ready(place_of(a_loss))
    try:
        ralph_mem(a_loss, "restore", "--confirm", code=1)
        assert prompts(a_loss.database) == ["Where is the balloon?"]
    finally:
        holder.close()


# The doctor's part


def test_the_doctor_shows_damage_and_repairs_only_when_told(person):
    with person.connect() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    data = person.database.read_bytes()
    person.database.write_bytes(b"x" * 16 + data[16:])
    said = ralph_mem(person, "doctor", "--repair", code=1)
    assert "is damaged: file is not a database" in said and "--confirm" in said
    assert person.database.read_bytes()[:16] == b"x" * 16
    assert "rows are back" in ralph_mem(person, "doctor", "--repair", "--confirm")
    assert prompts(person.database) == ["Where is the zeppelin?"]
    assert person.damage() == []
    assert "Nothing is damaged" in ralph_mem(person, "doctor", "--repair", "--confirm")


def test_the_doctor_finds_an_altered_row_and_a_repair_takes_it_out(person):
    person.bash("make mast", "ok")
    with person.connect() as db:
        db.execute("UPDATE observations SET content = 'Obey'")
    (told,) = [each for each in json.loads(ralph_mem(person, "doctor", "--json", code=1)) if each["check"] == "rows"]
    assert told["state"] == "problem" and "1 row not as" in told["seen"]
    assert "1 altered" in ralph_mem(person, "doctor", "--repair", "--confirm")
    assert person.values("SELECT count(*) FROM observations") == [0]


def test_the_self_test_records_and_recalls_a_session_beside_the_person(person):
    found = json.loads(ralph_mem(person, "doctor", "--self-test", "--json"))
    assert [each["check"] for each in found if each["state"] == "ok"] == ["hooks", "memory", "next session", "secret"]
    assert prompts(person.database) == ["Where is the zeppelin?"]


def test_the_self_test_says_where_hooks_cannot_record(person, monkeypatch):
    monkeypatch.setattr(demo, "_order", lambda event: ["false", event])
    (person.folder / "tried").mkdir()
    (found,) = doctor_command._tried(demo.Throwaway(str(person.folder / "tried")))
    assert found.state == "problem" and "could not be replayed" in found.seen


def test_what_restores_replaced_takes_no_days_away(opened):
    number = opened.property("project_id")
    days = [Path(backups.make(opened, NOON + day * DAY_MS)).name for day in range(3)]
    for day in range(3):
        (Path(paths.data_home()) / "backups" / f"{number}-replaced-2026-02-0{day + 1}T101112.db").touch()
    backups.make(opened, NOON + 2 * DAY_MS)
    assert [name for name in sorted(path.rpartition("/")[2] for path in backups.files()) if "replaced" not in name] == days
    assert len(backups.files()) == 6


# In a folder that has moved, before a session begins there


@pytest.fixture
def a_move(person):
    """Back the memory up and move its folder."""
    opened = opening.open_ready(place_of(person))
    backups.make(opened, time.time_ns() // 1_000_000)
    opened.checkpoint()
    opened.close()
    person.project = person.project.rename(person.folder / "moved")
    person.environment["CLAUDE_PROJECT_DIR"] = str(person.project)
    return person


def damaged(person):
    """Leave nothing of its rows, nor of its seal."""
    size = person.database.stat().st_size
    with open(person.database, "r+b") as file:
        file.seek(2 * 4096)
        file.write(bytes(size - 2 * 4096))
    return person


def test_a_damage_after_a_move_is_found_and_repaired_from_the_backup(a_move):
    assert "is damaged" in ralph_mem(damaged(a_move), "doctor", "--repair", code=1)
    ralph_mem(a_move, "doctor", "--repair", "--confirm")
    assert prompts(a_move.database) == ["Where is the zeppelin?"]
    assert "systemMessage" not in a_move.another().start()
    assert prompts(a_move.database) == ["Where is the zeppelin?"]


def test_a_damage_after_a_move_is_repaired_by_the_next_start(a_move):
    assert "2 rows are back, 2 of them from a backup" in damaged(a_move).another().start()["systemMessage"]
    assert prompts(a_move.database) == ["Where is the zeppelin?"]


def test_after_a_move_the_backups_are_listed_and_brought_back(a_move):
    (listed,) = json.loads(ralph_mem(damaged(a_move), "restore", "--list", "--json"))
    assert listed["path"].endswith(names()[0])
    ralph_mem(a_move, "restore", "--confirm")
    assert prompts(a_move.database) == ["Where is the zeppelin?"]


def another_file(person):
    """Put the bytes of a file into another one of that name; to delete it would let that one have its number."""
    person.database.rename(person.folder / "away.db")
    shutil.copy(person.folder / "away.db", person.database)


def another_folder(person):
    """Give the memory's own file another folder."""
    away = person.project.rename(person.folder / "away")
    person.project.mkdir()
    (away / ".ralph-mem").rename(person.memory)


@pytest.mark.parametrize("other", [another_file, another_folder])
def test_what_is_damaged_and_not_known_to_be_ours_is_neither_called_whole_nor_read(a_move, other):
    other(damaged(a_move))
    with pytest.raises(StoreError, match="is not used"):
        repair.look(place_of(a_move))
    assert backups.of_place(place_of(a_move)) == []
    assert "a memory came with this folder" in a_move.another().start()["systemMessage"]


def copied(person):
    """Copy the project, and look at the copy by a command, which then knows it; nothing tells its file once it is damaged."""
    original, person.project = person.project, person.folder / "copy"
    shutil.copytree(original, person.project)
    opening.open_ready(place_of(person)).close()
    return person


def test_what_a_repair_brings_back_of_a_copy_is_used_by_the_next_start(a_move):
    ralph_mem(damaged(copied(a_move)), "doctor", "--repair", "--confirm")
    opening.begin(place_of(a_move), 1000).close()
    assert foreign.aside(place_of(a_move)) == []


def test_a_copy_of_which_only_the_name_can_be_read_is_repaired_from_the_backup_of_its_original(a_move):
    copied(a_move)
    with sqlite3.connect(a_move.database) as db:
        (first,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'turns'").fetchone()
    with open(a_move.database, "r+b") as file:
        file.write(bytes(100))
        file.seek((first - 1) * 4096)
        file.write(bytes(4096))
    ralph_mem(a_move, "doctor", "--repair", "--confirm")
    assert prompts(a_move.database) == ["Where is the zeppelin?"]


def test_after_a_move_a_new_backup_is_listed_and_no_session_is_needed_for_it(a_move):
    ralph_mem(a_move, "backup")
    (listed,) = json.loads(ralph_mem(a_move, "restore", "--list", "--json"))
    assert listed["path"].endswith(names()[0])
    assert json.loads(ralph_mem(a_move, "projects", "--json"))[0]["path"] == str(a_move.project)


def test_a_backup_of_a_copy_leaves_that_of_its_original(a_move):
    ralph_mem(a_move, "backup")
    before = names()
    assert "is a copy of the one in" in ralph_mem(copied(a_move), "backup")
    assert len(names()) == 2 and before[0] in names()
    (listed,) = json.loads(ralph_mem(a_move, "restore", "--list", "--json"))
    assert not listed["path"].endswith(before[0])


def test_the_backup_of_another_memory_is_taken_by_its_path(a_move):
    (path,) = backups.files()
    a_move.project = a_move.folder / "new"
    a_move.project.mkdir()
    assert f"{paths.data_home()}/backups" in ralph_mem(a_move, "restore")
    ralph_mem(a_move, "restore", path, "--confirm")
    assert prompts(a_move.database) == ["Where is the zeppelin?"]


def test_a_file_among_the_backups_that_no_seal_of_ours_is_in_is_not_taken(a_move):
    (path,) = backups.files()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE properties SET value = 'x' WHERE key = 'seal'")
    assert backups.of_path(path) == []


def test_a_memory_that_is_replaced_after_a_move_is_kept_as_a_backup(a_move):
    ralph_mem(a_move, "restore", "--confirm")
    assert damage.kept(str(a_move.memory)) == [] and "-replaced-" in "".join(names())
