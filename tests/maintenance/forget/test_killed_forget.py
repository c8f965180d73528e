"""A forget that is killed: wherever that happens nothing tells of the text any more, and the next start or forget finishes it."""

import json
import os
import posix
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import notices, paths, spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective as switches
from ralph_mem.hosts.claude_code import event as host
from ralph_mem.hosts.claude_code.event import Event
from ralph_mem.interfaces import hooks
from ralph_mem.maintenance.forget import erase, pending, resume
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.maintenance.recovery import repair
from ralph_mem.memory import access, opening
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import deletion
from ralph_mem.ralph import runs
from tests.readers import holding, in_order
from tests.sessions import DAY, HOUR, NOON, Session

pytestmark = pytest.mark.check  # a kill at every step of a forget

TEXT = "The quetzalcoatlus sleeps below the zirconium lantern"
STEPS = ("said", "deleted", *[step.name for step in erase.STEPS], "audited")


@pytest.fixture
def a_past(a_session, everywhere, nothing_left_open):
    """Have a text in rows of both memories, in a backup and in the record of a loop; closed, as between two events."""
    a_session.has_a_turn(TEXT, f"{TEXT}, as everybody knows.")
    a_session.has_a_turn("Where is the basalt?", "In the attic.")
    shared = Session(opening.open_ready(everywhere), everywhere, "shared", a_session.now + DAY)
    shared.starts()
    shared.notes(TEXT)
    backup = Path(paths.data_home(), "backups", f"{a_session.store.property('project_id')}-2026.db")
    backup.parent.mkdir(parents=True)
    a_session.store.execute("VACUUM INTO ?", (str(backup),))
    runs.make_folder(a_session.project)
    Path(runs.path_of(a_session.project, "loop-1")).write_text(json.dumps({"what": "start", "goal": TEXT}) + "\n")
    for opened in [*nothing_left_open]:
        opened.close()
    return a_session.project


def reader_of(project):
    return lookup.Reader(access.to_read(project), project, dict(switches.DEFAULTS), outside=True)


def forget(project, on_step=len):
    reader = reader_of(project)
    plans = selections.plan(reader, selections.Selection(query="quetzalcoatlus"))
    return erase.forget(reader, plans, on_step=on_step)


def killed_at(project, step):
    """Forget in a process that is killed at a step, as `kill -9` does it."""
    child = os.fork()
    if not child:
        try:
            forget(project, lambda name: name == step and os.kill(os.getpid(), signal.SIGKILL))
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


@pytest.fixture
def told(nothing_left_open):
    """Let events happen in a session that begins now, each as in a process of its own; returns what the model is told."""

    def happen(project, name="user-prompt-submit", **fields):
        answer = _told(project, name, fields)
        for opened in [*nothing_left_open]:
            opened.close()
        return answer

    return happen


def _told(project, name, fields):
    opened = opening.open_ready(project)
    Session(opened, project, "later", NOON + 3 * DAY).starts("resume")
    event = Event(name, {"session_id": "later", "cwd": project.root, **fields})
    event.at = NOON + 3 * DAY + HOUR
    settings = dict(switches.DEFAULTS)
    opened.close()
    seen = host.activity(event)
    module = hooks.module_of(seen.kind)
    answer = hooks.store(module, hooks.records_of(module, seen, project, settings), seen, project, settings)
    hooks.KEPT.clear()
    return str(answer)


@pytest.mark.parametrize("step", STEPS)
def test_after_a_kill_no_prompt_is_told_of_the_text(a_past, step, told):
    killed_at(a_past, step)
    assert "quetzalcoatlus" not in told(a_past, prompt="Where does the quetzalcoatlus sleep, below the lantern?")


@pytest.mark.parametrize("step", STEPS)
def test_after_a_kill_no_session_is_told_of_it_and_no_search_finds_it(a_past, step, told):
    killed_at(a_past, step)
    assert "quetzalcoatlus" not in told(a_past, "session-start", source="startup")
    reader = lookup.Reader(access.to_change(a_past), a_past, dict(switches.DEFAULTS), outside=True)
    assert lookup.search(reader, "quetzalcoatlus zirconium", NOON + 4 * DAY, lookup.Wanted()) == []


@pytest.mark.parametrize("step", STEPS)
def test_the_next_forget_finishes_it_to_the_last_byte(a_past, step):
    killed_at(a_past, step)
    reader = lookup.Reader(access.to_change(a_past), a_past, dict(switches.DEFAULTS), outside=True)
    report = erase.resume(reader)
    assert report.is_clean() and report.removed == 2
    finished(a_past, reader)


@pytest.mark.parametrize("step", ["said", "hidden", "copies", "audited"])
def test_the_next_session_start_has_it_finished_and_the_one_after_says_so(a_past, step, told, monkeypatch):
    killed_at(a_past, step)
    started = []
    spawn = posix.posix_spawn
    monkeypatch.setattr(posix, "posix_spawn", lambda *given, **how: started.append(spawn(*given, **how)))
    told(a_past, "session-start", source="startup")
    (process,) = started
    assert os.waitpid(process, 0) == (process, 0)
    opened = access.to_read(a_past)
    assert notices.take(a_past.root) == resume.DONE
    finished(a_past, lookup.Reader(opened, a_past, dict(switches.DEFAULTS)))


def test_a_c_library_that_starts_no_session_finishes_it_all_the_same(a_past, told, monkeypatch):
    killed_at(a_past, "hidden")
    started, spawn = [], posix.posix_spawn

    def spawning(*given, setsid=False, **how):
        if setsid:
            raise NotImplementedError
        started.append(spawn(*given, **how))

    monkeypatch.setattr(posix, "posix_spawn", spawning)
    told(a_past, "session-start", source="startup")
    assert [os.waitpid(process, 0) for process in started] == [(started[0], 0)]
    finished(a_past, lookup.Reader(access.to_read(a_past), a_past, dict(switches.DEFAULTS)))


def test_one_that_cannot_be_finished_is_told_and_tried_again(a_past, told, monkeypatch):
    killed_at(a_past, "hidden")
    with monkeypatch.context() as patched:
        patched.setattr(posix, "posix_spawn", lambda *_, **__: exec("raise OSError(11, 'no process')"))
        told(a_past, "session-start", source="startup")
    assert notices.take(a_past.root) == resume.WAITS
    started, spawn = [], posix.posix_spawn
    monkeypatch.setattr(posix, "posix_spawn", lambda *given, **how: started.append(spawn(*given, **how)))
    told(a_past, "session-start", source="startup")
    assert [os.waitpid(process, 0)[1] for process in started] == [0]


@pytest.mark.parametrize("step", ["before the job is more than a draft", "said", "deleted", "hidden", "copies"])
def test_it_goes_on_where_the_project_was_moved(a_past, step, told, monkeypatch, tmp_path):
    with monkeypatch.context() as patched:
        if step not in STEPS:
            patched.setattr(deletion, "begin", lambda _: os.kill(os.getpid(), signal.SIGKILL))
        killed_at(a_past, step)
    os.rename(a_past.root, tmp_path / "store")
    moved, started, spawn = Project(str(tmp_path / "store")), [], posix.posix_spawn
    monkeypatch.setattr(posix, "posix_spawn", lambda *given, **how: started.append(spawn(*given, **how)))
    assert "quetzalcoatlus" not in told(moved, "session-start", source="startup")
    (process,) = started
    assert os.waitpid(process, 0) == (process, 0)
    assert notices.take(moved.root) in {resume.DONE, resume.LEFT} and spool.pending(moved.root) == []
    assert [*Path(paths.data_home(), "forgotten").glob("*.job*")] == []
    assert holding(bytes_at(moved.folder, paths.data_home() + "/backups"), "quetzalcoatlus", "etzalcoat") == []


def bytes_at(*folders):
    """Return every file below folders, byte by byte."""
    return {str(path): path.read_bytes() for folder in folders for path in Path(folder).rglob("*") if path.is_file()}


def finished(project, reader):
    assert holding(bytes_at(project.folder, paths.config_home(), paths.data_home()), "quetzalcoatlus", "etzalcoat") == []
    assert not pending.waits(project) and spool.pending(project.root) == []
    assert [store.property("unfinished") for store in reader.stores] == [None] * len(reader.stores)
    for store in reader.stores:
        in_order(store)
    assert reader.stores[0].execute("SELECT prompt FROM turns").fetchall() == [("Where is the basalt?",)]


@pytest.mark.parametrize("step", ["said", "hidden", "log"])
def test_a_repair_meanwhile_does_not_bring_it_back_from_the_damaged_file_or_a_backup(a_past, step, told):
    killed_at(a_past, step)
    database = Path(a_past.folder, "memory.db")
    with closing(sqlite3.connect(database)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'turns'").fetchone()
    with database.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)
    repair.mend(a_past, "a page is unreadable")
    assert "quetzalcoatlus" not in told(a_past, prompt="Who sleeps below the zirconium lantern?")
    reader = lookup.Reader(access.to_change(a_past), a_past, dict(switches.DEFAULTS), outside=True)
    assert lookup.search(reader, "quetzalcoatlus zirconium", NOON + 4 * DAY, lookup.Wanted()) == []
    assert erase.resume(reader).is_clean() and not pending.waits(a_past)
    assert holding(bytes_at(a_past.folder, paths.data_home()), "quetzalcoatlus", "etzalcoat") == []


def test_a_kill_before_it_began_leaves_everything_as_it_was(a_past):
    killed_at(a_past, "drafted")
    reader = lookup.Reader(access.to_change(a_past), a_past, dict(switches.DEFAULTS), outside=True)
    assert not pending.waits(a_past) and erase.resume(reader) is None
    assert len(selections.plan(reader, selections.Selection(query="quetzalcoatlus"))) == 2
    assert [*Path(paths.data_home(), "forgotten").glob("*.job*")] == []


def test_what_a_kill_left_of_a_job_that_was_just_being_written_is_overwritten_and_goes(a_past):
    half = Path(pending.place_of(a_past) + deletion.DRAFT + ".4711")
    half.parent.mkdir(parents=True)
    half.write_text(TEXT)
    os.link(half, half.with_name("seen"))
    report = forget(a_past)
    assert report.is_clean() and not half.exists()
    assert half.with_name("seen").read_text().strip() == ""


def test_another_forget_finishes_it_first(a_past):
    killed_at(a_past, "hidden")
    reader = lookup.Reader(access.to_change(a_past), a_past, dict(switches.DEFAULTS), outside=True)
    report = erase.forget(reader, selections.plan(reader, selections.Selection(query="Where is the basalt?")))
    assert report.is_clean() and not pending.waits(a_past)
    assert holding(bytes_at(a_past.folder, paths.data_home()), "quetzalcoatlus", "etzalcoat") == []


def test_killed_while_the_job_is_written_anew_it_goes_on_from_what_it_was(a_past):
    killed_at(a_past, "hidden")
    place = pending.place_of(a_past)
    os.replace(place, place + ".before")
    reader = lookup.Reader(access.to_change(a_past), a_past, dict(switches.DEFAULTS), outside=True)
    assert erase.resume(reader).is_clean()
    finished(a_past, reader)


def test_a_session_goes_with_the_last_of_so_many_rows_that_a_file_holds(a_past, monkeypatch):
    monkeypatch.setattr(pending, "IDS_IN_A_FILE", 2)
    job = pending.Job({"ids": ["a", "b", "c"], "sessions": ["s"], "shared": [], "shared_sessions": ["t"]}, None)
    job.removed = 3
    told = [(record["ids"], record["sessions"], record["shared_sessions"]) for record in pending._records(job)]
    assert told == [(["a", "b"], [], []), (["c"], ["s"], ["t"])]


def test_while_one_forget_is_at_work_another_one_is_told_so(a_past):
    def meanwhile(step):
        if step == "spool":
            with pytest.raises(RalphMemError, match="another forget is at work"), pending.Lock(0):
                pass

    assert forget(a_past, meanwhile).is_clean()


def test_a_job_that_is_done_is_no_job(a_past):
    forget(a_past)
    assert erase.resume(reader_of(a_past)) is None
