"""uninstall: everything that ever writes outside a project has done so; all of it goes, and what stays is named."""

import json
import os
import shutil
from pathlib import Path

import pytest

from ralph_mem.core import places

PLACES = {place.name for place in places.IN_DATA_HOME if "/" not in place.name}
NEEDED = {place.name for place in places.IN_DATA_HOME if place.on_uninstall == places.STAYS}


def live_long(person):
    """Do all that leaves something outside the project; returns the person and where an export of theirs lies."""
    person.start()
    export = person.scratch / "shop.jsonl"
    person.reads("export", "--to", str(export))
    person.reads("backup")
    person.confirms("forget", "--query", "grapefruit")
    person.reads("config", "set", "memory.inject_tokens_start", "900")
    person.reads("inject", "--global", "Tungsten is dear.")
    for name in ("loops/key/file", "snapshots/key/file", "spool/key/file", "flaky/file", "embeddings/file", "trouble/key",
                 "crash.txt", "quota", "learner", "key.4711", "scratch/key", "paused/key", "news/key", "hosts/key",
                 "plugin-folder", "rooms/key/file", "git-copies/key/file", "model-costs", "page-files/key",
                 "team/key", "team-found/key", "said-no-sqlite"):  # fmt: skip
        (person.data / name).parent.mkdir(parents=True, exist_ok=True)
        (person.data / name).write_text("x")
    return person, export


@pytest.fixture
def a_long_life(a_person):
    return live_long(a_person)


@pytest.fixture(scope="module")
def a_life_to_look_at(lived_in, tmp_path_factory):
    """Have the same once for all tests that change nothing."""
    return live_long(lived_in.copied_to(tmp_path_factory.mktemp("life") / "person"))


def uninstall(person, *options):
    return person.reads("uninstall", *options)


def outside(person):
    """Return every file outside the project, but for the client's."""
    tops = (person.data, person.home / ".config" / "ralph-mem")
    return sorted(str(path) for top in tops for path in top.rglob("*") if path.is_file())


def test_after_all_that_can_be_done_every_place_has_a_meaning(a_life_to_look_at):
    person, _ = a_life_to_look_at
    there = {path.name.partition(".4711")[0] for path in person.data.iterdir()}
    assert there == PLACES


def test_what_would_go_is_shown_and_nothing_is_removed(a_life_to_look_at):
    person, _ = a_life_to_look_at
    before = outside(person)
    said = uninstall(person, "--memories")
    assert all(str(person.data / name) in said for name in PLACES)
    assert said.splitlines()[-1] == "Nothing is removed yet. To do this, add --confirm."
    assert outside(person) == before and person.database.exists()


@pytest.mark.check
def test_of_what_lies_outside_the_project_what_its_memory_needs_stays_and_the_rest_is_named(a_long_life):
    person, export = a_long_life
    said = uninstall(person, "--confirm")
    assert {path.name for path in person.data.iterdir()} == NEEDED
    for left in (*person.data.iterdir(), person.memory, person.home / ".config" / "ralph-mem", export):
        assert left.exists() and any(line.startswith("stays") and str(left) in line for line in said.splitlines())
    assert "pip uninstall" in said and "transcripts" in said


@pytest.mark.check
def test_the_files_of_other_clients_are_as_they_were_byte_for_byte_and_no_copy_of_them_stays(a_newcomer):
    theirs = a_newcomer.home / ".gemini" / "settings.json"
    theirs.parent.mkdir()
    theirs.write_text('{"theme":"dark",  "x":{"a":1}}')
    for host in ("gemini", "qwen"):
        a_newcomer.reads("hosts", "add", host)
    (a_newcomer.home / ".claude").mkdir(exist_ok=True)
    (a_newcomer.home / ".claude" / "settings.json").write_text("{")  # which nothing of ours can be in
    uninstall(a_newcomer, "--confirm")
    assert theirs.read_text() == '{"theme":"dark",  "x":{"a":1}}'
    assert not (a_newcomer.home / ".qwen" / "settings.json").exists() and not (a_newcomer.data / "hosts").exists()


@pytest.mark.check
def test_a_file_out_of_which_our_hooks_cannot_be_taken_stays_with_what_to_do_and_the_rest_goes(a_newcomer):
    for host in ("codex", "gemini", "qwen"):
        a_newcomer.reads("hosts", "add", host)
    theirs = a_newcomer.home / ".gemini" / "settings.json"
    theirs.write_text("// mine\n" + theirs.read_text())
    shown, said = uninstall(a_newcomer), a_newcomer.cli("uninstall", "--confirm")
    for told in (shown, said.out):
        (line,) = [line for line in told.splitlines() if str(theirs) in line]
        assert line.startswith("stays") and "no plain JSON" in line and "take out by hand each entry that names" in line
    assert said.code == 1 and theirs.exists() and not a_newcomer.data.exists()
    assert not (a_newcomer.home / ".codex" / "hooks.json").exists() and not (a_newcomer.home / ".qwen" / "settings.json").exists()


@pytest.mark.check
def test_a_file_of_a_project_with_our_hooks_stays_for_all_who_work_there_and_is_named(a_newcomer):
    a_newcomer.reads("hosts", "add", "gemini", "--project")
    theirs = a_newcomer.project / ".gemini" / "settings.json"
    (line,) = [line for line in uninstall(a_newcomer, "--confirm").splitlines() if str(theirs) in line]
    assert line.startswith("stays") and "hosts remove NAME --project" in line and theirs.exists()


@pytest.mark.check
def test_after_an_uninstall_the_file_of_a_project_still_comes_back_byte_for_byte(a_newcomer):
    theirs = a_newcomer.project / ".gemini" / "settings.json"
    theirs.parent.mkdir()
    theirs.write_text('{"theme":"dark",  "x":{"a":1}}')
    a_newcomer.reads("hosts", "add", "gemini", "--project")
    uninstall(a_newcomer, "--confirm")
    a_newcomer.reads("hosts", "remove", "gemini", "--project")
    assert theirs.read_text() == '{"theme":"dark",  "x":{"a":1}}'


@pytest.mark.check
def test_who_installs_again_has_the_memories_that_stayed(a_long_life):
    person, _ = a_long_life
    before = person.rows("SELECT public_id FROM turns ORDER BY id")
    uninstall(person, "--confirm")
    again = person.another()
    again.start()
    assert before and again.rows("SELECT public_id FROM turns ORDER BY id")[: len(before)] == before


@pytest.mark.check
def test_where_no_memory_is_left_nothing_stays_for_it(a_long_life):
    person, _ = a_long_life
    shutil.rmtree(person.memory)
    shutil.rmtree(person.home / ".config" / "ralph-mem")
    uninstall(person, "--confirm")
    assert not person.data.exists()


@pytest.mark.check
def test_memories_go_with_the_rest_where_that_is_said_and_nothing_that_a_link_leads_to(a_long_life):
    person, export = a_long_life
    shutil.rmtree(person.data / "snapshots")
    (person.data / "snapshots").symlink_to(export.parent)
    said = uninstall(person, "--memories", "--confirm")
    assert not person.memory.exists() and not person.data.exists() and outside(person) == []
    assert export.exists() and str(export) in said


@pytest.mark.check
def test_whatever_is_left_is_named_file_by_file_or_lies_in_a_folder_that_is(a_long_life):
    person, _ = a_long_life
    (person.data / "somebody-elses").write_text("x")
    said = uninstall(person, "--confirm")
    named = [line.split("  (")[0].split()[-1] for line in said.splitlines() if line.startswith("stays")]
    files = [*outside(person), *map(str, person.memory.rglob("*"))]
    assert files and [path for path in files if not path.startswith(tuple(named))] == []


def test_a_program_is_told_in_json(a_life_to_look_at):
    person, export = a_life_to_look_at
    told = person.json("uninstall")
    assert not told["confirmed"] and str(export) in [each["path"] for each in told["left"]]
    going = {Path(each["path"]).name.partition(".4711")[0] for each in told["would_remove"]}
    assert going >= PLACES - NEEDED
    assert {Path(each["path"]).name for each in told["left"]} >= NEEDED


def test_while_a_loop_is_at_work_nothing_is_removed(a_life_to_look_at):
    person, _ = a_life_to_look_at
    (person.data / "loops" / "key" / "live.json").write_text(json.dumps({"mode": "session", "pid": os.getpid()}))
    before = outside(person)
    said = person.fails("uninstall", "--confirm")
    (person.data / "loops" / "key" / "live.json").unlink()
    assert "a loop is at work" in said and set(before) - set(outside(person)) == {str(person.data / "loops" / "key" / "live.json")}


def test_where_nothing_was_ever_kept_that_is_said(a_newcomer):
    assert uninstall(a_newcomer).startswith("There is nothing to remove.")
