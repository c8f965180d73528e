"""Projects are found by folder, id and name; what is left of those that are gone is shown, and removed when asked."""

import json
import os
import posix
import shutil
import sqlite3

import pytest

from ralph_mem.core import notices, paths, spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.maintenance import registry
from ralph_mem.memory import opening
from ralph_mem.memory.store import connection
from tests.hook import Hook

pytestmark = pytest.mark.usefixtures("a_home")


@pytest.fixture
def data(a_home):
    return a_home / ".local" / "share" / "ralph-mem"


def remember(folder):
    """Give a folder a memory, as a session start does; returns the project's id."""
    folder.mkdir(parents=True, exist_ok=True)
    project = Project(str(folder))
    opened = opening.open_ready(project)
    opening.notice(opened, project)
    number = opened.property("project_id")
    opened.close()
    return number


def of(number):
    return next(each for each in registry.known() if each.id == number)


# Which one is meant


def test_without_a_word_the_project_of_the_current_folder_is_meant(tmp_path, monkeypatch):
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "shop" / "src").mkdir()
    monkeypatch.chdir(tmp_path / "shop" / "src")
    assert registry.choose().root == str(tmp_path / "shop")


def test_a_folder_means_the_project_that_it_belongs_to(tmp_path, monkeypatch):
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "shop" / "src").mkdir()
    monkeypatch.chdir(tmp_path)
    assert registry.choose("shop/src/../src").root == str(tmp_path / "shop")


@pytest.mark.parametrize("by", ["id", "name"])
def test_an_id_or_a_name_means_a_project_that_is_registered(tmp_path, monkeypatch, by):
    number = remember(tmp_path / "work" / "shop")
    monkeypatch.chdir(tmp_path)
    assert registry.choose(number if by == "id" else "shop").root == str(tmp_path / "work" / "shop")


def test_a_folder_here_comes_before_a_name(tmp_path, monkeypatch):
    remember(tmp_path / "work" / "shop")
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path)
    assert registry.choose("shop").root == str(tmp_path / "shop")


def test_a_registered_memory_is_meant_although_its_folder_lies_in_a_repository_by_now(tmp_path):
    number = remember(tmp_path / "work" / "shop")
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert registry.choose(number).root == str(tmp_path / "work" / "shop")


@pytest.mark.parametrize("name", ["shop", "project-aaaaaaaaaa", "./shop", "x" * 5000])
def test_an_unknown_name_is_told_with_where_to_look(name):
    with pytest.raises(RalphMemError, match="no project is called") as told:
        registry.choose(name)
    assert "ralph-mem projects" in told.value.hint


def test_a_link_that_runs_in_a_circle_is_no_folder(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(RalphMemError, match="no project is called"):
        registry.choose(str(tmp_path / "loop"))


def test_of_two_projects_with_one_name_both_are_told(tmp_path):
    remember(tmp_path / "a" / "shop")
    remember(tmp_path / "b" / "shop")
    with pytest.raises(RalphMemError, match=f"2 projects are called shop: {tmp_path}/a/shop, {tmp_path}/b/shop") as told:
        registry.choose("shop")
    assert "folder" in told.value.hint


def test_of_two_projects_with_one_name_the_one_that_is_there_is_meant(tmp_path):
    remember(tmp_path / "a" / "shop")
    remember(tmp_path / "b" / "shop")
    shutil.rmtree(tmp_path / "a")
    assert registry.choose("shop").root == str(tmp_path / "b" / "shop")


def test_a_project_made_anew_in_the_same_place_is_one_project(tmp_path):
    remember(tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop" / ".ralph-mem")
    remember(tmp_path / "shop")
    assert registry.choose("shop").root == str(tmp_path / "shop")


def test_a_project_whose_folder_is_gone_is_told(tmp_path):
    number = remember(tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop")
    with pytest.raises(RalphMemError, match=f"the folder of {number} is gone: {tmp_path}/shop"):
        registry.choose(number)


def test_a_current_folder_that_was_deleted_is_told(tmp_path, monkeypatch):
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    (tmp_path / "shop").rmdir()
    with pytest.raises(RalphMemError, match="current folder is gone"):
        registry.choose()


# What is known


def test_a_project_is_listed_with_what_is_in_its_memory(tmp_path):
    hook = Hook(tmp_path)
    for name, fields in (("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "Why is the lamp off?"})):
        assert hook.run(name, hook.event(name, **fields)).code == 0
    (listed,) = registry.known()
    assert (listed.path, listed.there, listed.state) == (str(hook.project), True, "ok")
    assert (listed.sessions, listed.turns, listed.observations) == (1, 1, 0)
    assert listed.at == hook.values("SELECT created_at FROM turns")[0]


def test_the_size_counts_the_log_and_what_waits(tmp_path):
    number = remember(tmp_path / "shop")
    before = of(number).bytes
    spool.put(str(tmp_path / "shop"), [{"verb": "x" * 100}])
    waiting = os.stat(spool.pending(str(tmp_path / "shop"))[0]).st_size
    assert before >= os.stat(tmp_path / "shop" / ".ralph-mem" / "memory.db").st_size
    assert of(number).bytes == before + waiting


def test_the_last_active_project_comes_first(tmp_path, monkeypatch):
    hook = Hook(tmp_path)
    remember(tmp_path / "another")
    hook.run("SessionStart", hook.event("SessionStart", source="startup"))
    assert [each.path for each in registry.known()] == [str(hook.project), str(tmp_path / "another")]


def test_nothing_is_known_where_there_is_no_home(tmp_path, monkeypatch):
    remember(tmp_path / "shop")
    monkeypatch.setattr(posix, "environ", {})
    assert (registry.known(), registry.unknown(), registry.clean()) == ([], [], [])


def break_it(database):
    with open(database, "r+b") as file:
        file.write(b"no database at all, but as long as a page" * 200)


def make_it_newer(database):
    db = sqlite3.connect(database)
    db.execute(f"PRAGMA user_version = {connection.SCHEMA_VERSION + 1}")
    db.close()


def empty_it(database):
    os.truncate(database, 0)


def make_it_a_folder(database):
    os.unlink(database)
    os.mkdir(database)


@pytest.mark.parametrize(
    ("harm", "state"), [(break_it, "broken"), (make_it_newer, "newer"), (empty_it, "empty"), (make_it_a_folder, "unreadable")]
)
def test_a_memory_that_cannot_be_read_is_listed_as_such_and_is_not_gone(tmp_path, harm, state):
    number = remember(tmp_path / "shop")
    for log in ("memory.db-wal", "memory.db-shm"):
        paths.remove(str(tmp_path / "shop" / ".ralph-mem" / log))
    harm(str(tmp_path / "shop" / ".ralph-mem" / "memory.db"))
    assert of(number).state == state
    assert registry.clean() == []


def test_a_memory_of_a_newer_release_is_counted_all_the_same(tmp_path):
    number = remember(tmp_path / "shop")
    make_it_newer(tmp_path / "shop" / ".ralph-mem" / "memory.db")
    assert of(number).sessions == 0


def test_a_locked_memory_is_listed_as_locked(tmp_path):
    number = remember(tmp_path / "shop")
    db = sqlite3.connect(tmp_path / "shop" / ".ralph-mem" / "memory.db", isolation_level=None)
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("BEGIN EXCLUSIVE")
    assert of(number).state == "locked"
    db.close()


@pytest.mark.parametrize("entry", ["", "[]", '{"path": 7}', '{"path": "shop"}', "no json"])
def test_a_broken_entry_is_listed_and_left_alone(tmp_path, data, entry):
    number = remember(tmp_path / "shop")
    (data / "projects" / f"{number}.json").write_text(entry)
    assert (of(number).state, of(number).there) == ("entry broken", False)
    assert registry.clean() == []


def test_looking_writes_nothing_into_a_memory(tmp_path):
    remember(tmp_path / "shop")
    folder = tmp_path / "shop" / ".ralph-mem"
    before = (folder / "memory.db").read_bytes()
    registry.known()
    assert (folder / "memory.db").read_bytes() == before
    assert [path.name for path in folder.iterdir() if path.name.endswith("-wal") and path.stat().st_size] == []


# What is gone


def test_a_project_whose_folder_was_deleted_is_an_orphan(tmp_path):
    number = remember(tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop")
    assert (of(number).state, of(number).there) == (registry.FOLDER_GONE, False)


def test_a_project_whose_memory_was_deleted_is_an_orphan(tmp_path):
    number = remember(tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop" / ".ralph-mem")
    assert (of(number).state, of(number).there) == (registry.MEMORY_GONE, True)


def test_a_memory_that_was_deleted_and_made_anew_leaves_its_first_id_as_an_orphan(tmp_path):
    first = remember(tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop" / ".ralph-mem")
    second = remember(tmp_path / "shop")
    assert (of(first).state, of(second).state) == (registry.REPLACED, "ok")


def test_a_project_on_a_drive_that_was_taken_out_is_no_orphan(tmp_path, data):
    number = remember(tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop")
    entry = data / "projects" / f"{number}.json"
    entry.write_text(entry.read_text().replace('"device": ', '"device": 9'))
    assert of(number).state == registry.NOT_MOUNTED
    assert registry.clean() == []


def test_a_place_that_cannot_be_looked_at_is_no_orphan(tmp_path):
    number = remember(tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop")
    (tmp_path / "shop").symlink_to(tmp_path / "shop")  # a loop, for which root needs no permission to be refused
    assert of(number).state == "unreadable"
    assert registry.clean() == []


# What is left


@pytest.fixture
def a_past(tmp_path, data):
    """Leave something of a project everywhere outside it, and delete the project; returns its id."""
    number = remember(tmp_path / "shop")
    key = paths.key_of(str(tmp_path / "shop"))
    shutil.rmtree(tmp_path / "shop")
    spool.put(str(tmp_path / "shop"), [{"verb": "turn"}])
    notices.note(str(tmp_path / "shop"), "an event waits")
    of_key = (f"settings/{key}.json", f"snapshots/{key}/store.db", f"loops/{key}/run-1.jsonl", f"flaky/{key}.json")
    approved = (f"trust/approved-{key}.json", f"trust/criteria-{key}.json")
    for place in (*of_key, *approved, f"forgotten/{key}.job", f"backups/{number}-schema-1.db"):
        (data / place).parent.mkdir(parents=True, exist_ok=True)
        (data / place).write_text("12345")
    return number


def verdict(folder):
    """Name the file that says which memory of a folder is known."""
    return "/".join(connection.verdict_of("", str(folder / ".ralph-mem"), 0)[0].split("/")[1:])


def files(data):
    return sorted(str(path.relative_to(data)) for path in data.rglob("*") if path.is_file())


def test_what_is_left_of_a_project_is_told_with_its_sizes(tmp_path, data, a_past):
    key = paths.key_of(str(tmp_path / "shop"))
    left = {os.path.relpath(each.path, data): each.bytes for each in registry.leftovers(a_past)}
    assert left.keys() == {f"{kind}/{key}" for kind in ("spool", "trouble", "snapshots", "loops")} | {
        *(f"settings/{key}.json", f"backups/{a_past}-schema-1.db", f"projects/{a_past}.json", f"flaky/{key}.json"),
        *(f"trust/approved-{key}.json", f"trust/criteria-{key}.json", f"forgotten/{key}.job", verdict(tmp_path / "shop")),
    }
    assert left[f"backups/{a_past}-schema-1.db"] == left[f"snapshots/{key}"] == 5 and left[f"spool/{key}"] > 5


def test_cleaning_leaves_nothing_of_a_project_that_is_gone(data, a_past):
    left = registry.leftovers(a_past)
    assert registry.clean() == left
    assert files(data) == ["key"]  # which belongs to the person, and not to a project
    assert registry.clean() == []


def test_snapshots_and_loops_stay_where_only_the_memory_was_deleted_and_the_project_is_known_until_they_go(tmp_path, data, a_past):
    (tmp_path / "shop").mkdir()
    registry.clean()
    assert [name.split("/")[0] for name in files(data)] == ["key", "loops", "projects", "snapshots"]
    assert [each.path.split("/")[-2] for each in registry.kept(a_past)] == ["snapshots", "loops"] and registry.unknown() == []
    (tmp_path / "shop").rmdir()
    registry.clean()
    assert files(data) == ["key"]


def test_what_loops_left_in_a_worktree_is_left_of_its_project(tmp_path, data, a_past):
    record = data / "loops" / paths.key_of(str(tmp_path / "tree")) / "loop-1.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"what": "start", "folder": str(tmp_path / "tree"), "root": str(tmp_path / "shop")}) + "\n")
    assert registry.unknown() == [] and str(record.parent) in [leftover.path for leftover in registry.leftovers(a_past)]


def test_cleaning_leaves_everything_of_a_project_that_is_there(tmp_path, data, a_past):
    number = remember(tmp_path / "another")
    (data / "settings" / f"{paths.key_of(str(tmp_path / 'another'))}.json").write_text("{}")
    (data / "backups" / f"{number}-schema-1.db").write_text("a backup")
    mine = {name for name in files(data) if number in name or "another" in name} | {"key", verdict(tmp_path / "another")}
    registry.clean()
    assert set(files(data)) == mine and len(mine) == 5
    assert connection.exists(str(tmp_path / "another" / ".ralph-mem"))


def test_what_a_project_made_anew_in_the_same_place_uses_is_not_left_over(tmp_path, data, a_past):
    second = remember(tmp_path / "shop")
    kept = {os.path.relpath(each.path, data) for each in registry.clean()}
    assert kept == {f"backups/{a_past}-schema-1.db", f"projects/{a_past}.json"}
    assert spool.waits_for_a_memory(str(tmp_path / "shop")) and of(second).state == "ok"


def test_a_project_that_comes_back_just_before_the_cleaning_is_left_alone(tmp_path, monkeypatch, a_past):
    found = registry.orphans()
    monkeypatch.setattr(registry, "orphans", lambda: found)
    monkeypatch.setattr(registry, "_why_gone", lambda *_: "")
    monkeypatch.setattr(registry.inspect, "of", lambda _: registry.inspect.Glance("ok", a_past, 1, 1, 1, 1))
    assert registry.clean() == []
    assert registry.leftovers(a_past)


def test_what_waited_for_a_memory_that_another_one_took_the_place_of_is_left_of_its_project(tmp_path, data, a_past):
    aside = data / "spool" / f"{paths.key_of(str(tmp_path / 'shop'))}.{a_past}"
    aside.mkdir(parents=True)
    assert str(aside) in [leftover.path for leftover in registry.leftovers(a_past)]


def test_what_belongs_to_no_registered_project_is_told_and_stays(tmp_path, data, a_past):
    (data / "projects" / f"{a_past}.json").unlink()
    before = files(data)
    of_them = "spool settings trouble flaky trust forgotten known snapshots loops backups".split()
    assert list(dict.fromkeys(each.path.split("/")[-2] for each in registry.unknown())) == of_them
    assert registry.clean() == []
    assert files(data) == before


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path, data, a_past):
    spooled = data / "spool" / paths.key_of(str(tmp_path / "shop"))
    shutil.rmtree(spooled)
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("x")
    spooled.symlink_to(tmp_path / "precious")
    registry.clean()
    assert not spooled.is_symlink() and (tmp_path / "precious" / "file").exists()


def test_what_cannot_be_removed_is_told(monkeypatch, a_past):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(registry.shutil, "rmtree", refuse)
    with pytest.raises(RalphMemError, match=r"cannot remove .*/spool/.*: Permission denied"):
        registry.clean()
