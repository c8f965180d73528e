"""The quota over all projects: everything is counted, the largest are named, a day lies between two warnings, nothing goes."""

import json
import os
import posix
import time
from pathlib import Path

import pytest

from ralph_mem.core import notices, paths
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance import usage as quota
from ralph_mem.maintenance.doctor import files as check
from ralph_mem.memory import opening
from tests import command_line

KINDS = ("memory", "snapshots", "loops", "backups", "waiting")


@pytest.fixture
def data(a_home):
    return Path(a_home, ".local", "share", "ralph-mem")


def take(path, size):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)


def register(folder, memory=0):
    """Give a folder a memory and an entry in the registry, as a session start does; returns its id."""
    folder.mkdir(parents=True)
    opened = opening.open_ready(Project(str(folder)))
    opening.notice(opened, Project(str(folder)))
    number = opened.property("project_id")
    opened.checkpoint()
    opened.close()
    for path in (folder / ".ralph-mem").iterdir():
        path.unlink()
    take(folder / ".ralph-mem" / "memory.db", memory)
    return number


@pytest.fixture
def a_shop(tmp_path, data):
    """Have 100 bytes of memory, 200 of snapshots, 30 of loops, 40 of backups and 5 that wait, of one project."""
    number, key = register(tmp_path / "shop", 100), paths.key_of(str(tmp_path / "shop"))
    take(data / "snapshots" / key / "store.db", 150)
    take(data / "snapshots" / key / "blobs" / "ab" / "cd", 50)
    take(data / "loops" / key / "loop-1.jsonl", 30)
    take(data / "backups" / f"{number}-schema-1.db", 15)
    take(data / "backups" / number / "2026-01-01.db", 25)
    take(data / "spool" / key / "1-1.json", 4)
    take(data / "settings" / f"{key}.json", 1)
    return tmp_path / "shop"


def limit(megabytes):
    return {**effective.DEFAULTS, "memory.quota_mb": megabytes}


def test_everything_that_a_project_has_is_counted_by_its_kind(a_shop):
    assert quota.measure().projects == [quota.Use(str(a_shop), 100, 200, 30, 40, 5)]
    assert quota.taken(quota.measure()) == 375


def test_what_lies_under_the_name_of_a_worktree_belongs_to_its_repository(a_shop, data):
    take(data / "snapshots" / paths.key_of("/elsewhere/side") / "store.db", 1000)
    (a_shop / ".git" / "worktrees" / "side").mkdir(parents=True)
    (a_shop / ".git" / "worktrees" / "side" / "gitdir").write_text("/elsewhere/side/.git\n")
    assert quota.measure().projects == [quota.Use(str(a_shop), 100, 1200, 30, 40, 5)]


def test_what_belongs_to_no_known_project_counts_too(a_shop, data):
    take(data / "snapshots" / "gone-1234abcd" / "store.db", 7000)
    assert quota.measure().projects[0] == quota.Use("", 0, 7000, 0, 0, 0)


def test_what_all_projects_share_is_counted_apart(data, a_home):
    take(data / "embeddings" / "model" / "weights", 900)
    take(a_home / ".config" / "ralph-mem" / "memory.db", 90)
    take(a_home / ".config" / "ralph-mem" / "config.yaml", 5)
    assert quota.measure() == quota.Usage([], 990, True)


def test_the_largest_project_comes_first(tmp_path, a_shop):
    register(tmp_path / "small", 10)
    register(tmp_path / "large", 9000)
    assert [Path(use.path).name for use in quota.measure().projects] == ["large", "shop", "small"]


def test_links_lead_nowhere_and_count_for_nothing(tmp_path, a_shop, data):
    take(tmp_path / "big", 50_000)
    before = quota.measure()
    (a_shop / ".ralph-mem" / "link").symlink_to(tmp_path / "big")
    (a_shop / ".ralph-mem" / "folder").symlink_to(tmp_path)
    (data / "spool" / "round").symlink_to(data)
    assert quota.measure() == before


def test_more_files_than_there_is_time_for_are_told_as_at_least(a_shop, data):
    for number in range(50):
        take(data / "snapshots" / paths.key_of(str(a_shop)) / "blobs" / str(number), 1)
    usage = quota.measure(most_files=20)
    assert not usage.is_whole and 0 < quota.taken(usage) < quota.taken(quota.measure())


@pytest.mark.parametrize("text", ["", "junk", "[]", '{"path": 7}', '{"path": "relative"}', "[" * 5000])
def test_an_entry_that_cannot_be_read_spoils_nothing(a_shop, data, text):
    (data / "projects" / "project-aaaa.json").write_text(text)
    assert [use.path for use in quota.measure().projects] == [str(a_shop)]


def test_nothing_is_taken_where_there_is_no_home(the_environment):
    the_environment(HOME="/")
    assert quota.measure() == quota.Usage([], 0, True)


# The warning


@pytest.fixture
def too_much(a_shop, data):
    take(data / "snapshots" / paths.key_of(str(a_shop)) / "blobs" / "large", 2 * quota.MEGABYTE)
    return a_shop


def test_a_warning_names_the_sum_the_limit_the_largest_projects_and_what_to_do(too_much):
    seen, do = quota.warning(quota.measure(), limit(1))
    assert seen == (f"all projects together take 2.0 MB, more than the 1.0 MB of memory.quota_mb: {too_much} 2.0 MB")
    assert "`ralph-mem projects --sizes` shows all" in do and "snapshot.quota_mb" in do and "nothing goes by itself" in do


@pytest.mark.parametrize("megabytes", [0, 3, quota.DEFAULT_MB])
def test_within_the_quota_or_without_one_there_is_no_warning(too_much, megabytes):
    assert quota.warning(quota.measure(), limit(megabytes)) == ("", "")


def test_what_to_do_is_about_the_largest_part(a_shop):
    take(a_shop / ".ralph-mem" / "memory.db", 2 * quota.MEGABYTE)
    assert "`ralph-mem compress`" in quota.warning(quota.measure(), limit(1))[1]


def test_a_warning_deletes_nothing(too_much, a_home):
    before = sorted(path for path in a_home.rglob("*") if path.is_file())
    quota.warning(quota.measure(), limit(1))
    check_finding(too_much, 1)
    assert sorted(path for path in a_home.rglob("*") if path.is_file()) == before


def check_finding(folder, megabytes, monkeypatch=None):
    if monkeypatch:
        monkeypatch.setattr(check, "settings_of", lambda _project: limit(megabytes))
    (finding,) = check.size_of_all(Project(str(folder)))
    return finding


def test_the_doctor_says_how_much_is_taken(too_much, monkeypatch):
    finding = check_finding(too_much, 1, monkeypatch)
    assert (finding.state, finding.seen[:36]) == ("warning", "all projects together take 2.0 MB, m") and finding.do
    fine = check_finding(too_much, 100, monkeypatch)
    assert (fine.state, fine.seen) == ("ok", "2.0 MB of 100.0 MB taken")


# Once a day


def days_ago(data, days):
    at = time.time() - days * quota.DAY_S
    os.utime(data / "quota", (at, at))


def test_the_first_day_has_nothing_to_tell(too_much, data):
    quota.tell_daily(str(too_much), limit(1))
    assert notices.take(str(too_much)) == "" and (data / "quota").exists()


def test_the_next_session_start_is_told_once_a_day(too_much, data):
    quota.tell_daily(str(too_much), limit(1))
    told = []
    for days in (0.5, 1.1, 0, 0.9, 1.1):
        days_ago(data, days)
        quota.tell_daily(str(too_much), limit(1))
        told.append(bool(notices.take(str(too_much))))
    assert told == [False, True, False, False, True]


def test_a_clock_that_was_set_back_does_not_silence_it_for_long(too_much, data):
    quota.tell_daily(str(too_much), limit(1))
    days_ago(data, -400)
    quota.tell_daily(str(too_much), limit(1))
    assert "take 2.0 MB" in notices.take(str(too_much))


def test_the_line_says_what_to_do_however_long_the_names_are(tmp_path, data):
    for name in "abc":
        register(tmp_path / (name * 200), quota.MEGABYTE)
    quota.tell_daily(str(tmp_path), limit(1))
    days_ago(data, 2)
    quota.tell_daily(str(tmp_path), limit(1))
    line = notices.take(str(tmp_path))
    assert len(line) <= 300 and line.endswith("; nothing goes by itself") and "..." in line


@pytest.mark.parametrize("megabytes", [0, 100])
def test_nothing_is_told_where_all_is_well(too_much, data, megabytes):
    quota.tell_daily(str(too_much), limit(1))
    days_ago(data, 2)
    quota.tell_daily(str(too_much), limit(megabytes))
    assert notices.take(str(too_much)) == ""


# On the command line


@pytest.fixture
def sizes(a_home, tmp_path):
    """Run `ralph-mem projects --sizes`, with more words; returns what it prints."""

    def run(*words):
        environment = {"HOME": os.fsdecode(posix.environ[b"HOME"]), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        done = command_line.says("projects", "--sizes", *words, env=environment, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


def test_the_sizes_are_a_table_with_a_sum(sizes, too_much):
    heading, row, total = sizes().splitlines()
    assert heading.split() == ["name", "total", *KINDS, "path"]
    assert row.split()[:3] == ["shop", "2.0", "MB"] and row.endswith(str(too_much))
    assert total == "together 2.0 MB of 4.1 GB"


def test_programs_get_the_sizes_in_bytes(sizes, a_shop):
    told = json.loads(sizes("--json"))
    parts = dict(zip(KINDS, (100, 200, 30, 40, 5), strict=True))
    assert told["projects"] == [{"path": str(a_shop), **parts, "total": 375}]
    assert (told["taken"], told["allowed"], told["whole"]) == (375, quota.DEFAULT_MB * quota.MEGABYTE, True)
