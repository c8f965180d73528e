"""Sessions of before the plugin come into the memory as its hooks would have recorded them, once, and no more than that."""

import shutil
import sqlite3
import threading
import tracemalloc
from pathlib import Path

import pytest

from ralph_mem.core import session_pause, spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import archive
from ralph_mem.maintenance.forget import erase
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.maintenance.transfer import import_transcripts as importing
from ralph_mem.maintenance.transfer import intake
from ralph_mem.memory import conversation, opening
from ralph_mem.memory.store import connection
from tests.hook import Hook
from tests.hosts.claude_code.written import SESSION, Written
from tests.readers import dump, in_order, reader_of, search, waits
from tests.sessions import DAY, HOUR, NOON, Session

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def projects_folder(a_home):
    """Name the folder of the client's transcripts in the person's home."""
    return a_home / ".claude" / "projects"


@pytest.fixture
def written(projects_folder, a_project):
    """Begin a transcript of the project in the client's folder."""
    return Written(projects_folder / "-shop", a_project.root)


@pytest.fixture
def a_past(written):
    """Let two sessions be in the past, each of two turns."""
    tell(written)
    tell(written.another("7e57ab1e-0000-4000-8000-000000000002"), "fuse")
    return written


def tell(session, subject="lantern"):
    """Let a session, written or live, have two turns in which something happens."""
    session.asks(f"Why is the {subject} dark?")
    session.runs(f"make {subject}", "wick missing")
    session.runs("make test", error=f"Exit code 2\nerror: no {subject} light")
    session.edits(f"{subject}.py", "dark = True", "dark = False")
    session.says("The wick was missing.") if isinstance(session, Written) else session.is_answered("The wick was missing.")
    session.asks("And the page about it?")
    session.uses("WebFetch", {"result": "Strangers praise wicks."}, url="https://wicks.example")
    session.says("They like it.") if isinstance(session, Written) else session.is_answered("They like it.")


def take(place=None, path=None, only=None, since=0, dry=False):
    """Import what lies at a path, the client's own folder unless told otherwise; returns the report."""
    kept, passed = archive.look(archive.files_in(path or place or archive.place()))
    sorted_by, others = archive.sort(kept, only, since)
    return importing.run(sorted_by, importing.Report(passed + others), dry=dry)


def counts(report):
    return tuple(report.total(what) for what in ("sessions", "turns", "observations"))


def why(report):
    return sorted({each.why for each in report.passed})


def opened(project):
    return connection.connect(project.folder, 1000)


def content(db):
    """Return what a memory holds, without what is made at random."""
    turns = (
        "SELECT event_id, kind, status, origin, prompt, response, context, files, files_read, lines, branch, tainted, tokens,"
        " checksum, redactions, redaction_version, index_version, created_at, ended_at FROM turns ORDER BY seq"
    )
    rows = (
        "SELECT o.event_id, t.event_id, o.type, o.origin, tool_name, title, content, o.files, o.lines, metadata, agent_id,"
        " agent_type, o.tainted, o.tokens, o.checksum, o.redactions, o.created_at"
        " FROM observations AS o LEFT JOIN turns AS t ON t.id = turn_id ORDER BY o.seq"
    )
    sessions = "SELECT client_session, project_path, source, agent, branch, context_since, summary FROM sessions ORDER BY id"
    return [db.execute(sql).fetchall() for sql in (sessions, turns, rows)]


# As the hooks record it


def test_an_imported_session_equals_one_that_hooks_recorded(written, a_project, another_project):
    live = Session(opening.open_ready(a_project), a_project, SESSION)
    live.starts()
    tell(live)
    live.sends("session-end")
    written.now = NOON + 1000
    tell_alike(written)
    report = take()
    assert counts(report) == (0, 0, 0)
    recorded = content(live.store)
    shutil.rmtree(a_project.folder)
    assert counts(take()) == (1, 2, 4)
    assert content(opened(a_project))[1:] == recorded[1:]


def tell_alike(written):
    """Let a transcript tell the same at the same times; a hook fires when the result is there, and not at the call."""
    entry = written.entry

    def unhurried(kind, **fields):
        written.now -= 1000 if kind == "assistant" and fields["message"]["content"][0]["type"] == "tool_use" else 0
        return entry(kind, **fields)

    written.entry = unhurried
    tell(written)


def test_what_came_in_is_in_order_and_indexed(a_past, a_project):
    take()
    in_order(opened(a_project))


def test_both_indexes_are_left_merged(a_past, a_project, monkeypatch):
    monkeypatch.setattr(intake, "RECORDS_AT_ONCE", 1)
    for number in range(20):
        a_past.asks(f"Question {number}")
        a_past.runs(f"make {number}")
    take()
    for index in ("memory_fts", "observations_fts"):
        assert opened(a_project).one(f"SELECT count(DISTINCT segid) FROM {index}_idx")[0] <= 2


def test_how_far_it_is_can_be_heard(a_past, monkeypatch):
    monkeypatch.setattr(intake, "RECORDS_AT_ONCE", 2)
    heard = []
    (kept, *_), _ = archive.look([a_past.path])
    sorted_by, _ = archive.sort([kept], None, 0)
    importing.run(sorted_by, importing.Report([]), lambda _kept, position, _report: heard.append(position))
    assert heard == sorted(heard) and heard[0] < heard[-1] == a_past.path.stat().st_size


def test_a_search_finds_an_imported_turn_at_once(a_past, a_project):
    take()
    reader = reader_of(Session(opened(a_project), a_project))
    assert next(iter(search(reader, "lantern dark wick", NOON + DAY))).type == "turn"


def test_the_prompt_of_the_next_session_is_told_of_an_imported_one(a_past, a_project):
    take()
    session = Session(opened(a_project), a_project, "today", NOON + DAY)
    session.starts("resume")
    assert "wick was missing" in session.asks("The lantern lost its wick again, what was it?")


def test_sessions_come_in_by_their_times_and_bear_them(a_past, a_project):
    take()
    db = opened(a_project)
    assert [row for (row,) in db.execute("SELECT created_at FROM memories ORDER BY id")] == sorted(
        row for (row,) in db.execute("SELECT created_at FROM turns")
    )
    (first, _), (_, last) = db.execute("SELECT started_at, ended_at FROM sessions ORDER BY id")
    assert NOON < first < last < NOON + 2 * HOUR


def test_a_secret_never_reaches_the_memory(written, a_project):
    written.asks(f"Use {SECRET} for it")
    written.runs("make login", f"token {SECRET}")
    written.says(f"I used {SECRET}.")
    take()
    opened(a_project).checkpoint()
    files = [path.read_bytes() for path in Path(a_project.folder).iterdir() if path.is_file()]
    assert not any(SECRET.encode() in data for data in files)


def test_a_value_of_the_projects_env_file_is_cut_out(written, a_project):
    with open(a_project.root + "/.env", "w") as file:
        file.write("DB_PASSWORD=wick-and-tallow-77\n")
    written.asks("Log in.")
    written.runs("make login", "with wick-and-tallow-77")
    take()
    assert opened(a_project).one("SELECT content FROM observations")[0] == "with [REDACTED:known-value]"
    assert not privacy.HELD


def test_an_excluded_path_does_not_come_in(written, a_project):
    opening.prepare(a_project)
    with open(a_project.folder + "/config.yaml", "w") as file:
        file.write("privacy:\n  exclude_paths: [lantern.py]\n")
    tell(written)
    take()
    assert opened(a_project).one("SELECT count(*) FROM observations WHERE title = 'lantern.py'") == (0,)


def test_a_turn_has_the_branch_of_then_and_not_what_is_checked_out_now(written, a_project):
    git = Path(a_project.root, ".git")
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/today\n")
    written.asks("Which branch?", gitBranch="yesterday")
    written.asks("And now?")
    take()
    assert opened(a_project).execute("SELECT branch, commit_id FROM turns ORDER BY seq").fetchall() == [("yesterday", ""), ("", "")]


def test_what_was_injected_does_not_come_in_again(written, a_project):
    written.asks("<ralph-mem-0123456789>An old memory.</ralph-mem-0123456789> A new question.")
    written.says("An answer.")
    take()
    assert opened(a_project).one("SELECT prompt FROM turns") == ("A new question.",)


def test_a_search_of_ours_leaves_neither_its_words_nor_its_answer(written, a_project):
    written.asks(
        "<command-message>mem-search</command-message>\n<command-name>/mem-search</command-name>\n<command-args>a</command-args>"
    )
    written.says("The memory says: lanterns.")
    written.asks("Search yourself.")
    written.runs('"/x/hooks/run" mem-search lantern', "an old memory")
    take()
    db = opened(a_project)
    assert db.execute("SELECT kind, prompt, response FROM turns ORDER BY seq").fetchall()[0] == ("command", "", "")
    assert db.one("SELECT count(*) FROM observations") == (0,)


def test_the_words_of_strangers_are_marked_and_their_turn_with_them(a_past, a_project):
    take()
    db = opened(a_project)
    assert db.one("SELECT DISTINCT tainted FROM observations WHERE tool_name = 'WebFetch'") == (1,)
    assert db.execute("SELECT tainted FROM turns ORDER BY seq").fetchall() == [(0,), (1,), (0,), (1,)]


def test_a_subagent_comes_in_under_its_parents_turn(written, a_project):
    written.asks("Send somebody.")
    errand = written.subagent("a1")
    errand.runs("make fuse", "blown")
    errand.says("It is the fuse.")
    written.now = errand.now
    written.says("It came back.")
    take()
    rows = opened(a_project).execute("SELECT event_id, agent_id, agent_type, turn_id FROM observations ORDER BY seq").fetchall()
    assert rows == [(f"{SESSION}-call-1a1", "a1", "Explore", 1), ("agent:a1", "a1", "Explore", 1)]


# Once


def test_what_hooks_recorded_is_not_touched(written, a_session, a_project):
    a_session.name = SESSION
    a_session.starts()
    tell(a_session)
    before = dump(a_session.store)
    written.now = a_session.now - 60_000
    tell(written)
    report = take()
    assert (counts(report), why(report)) == ((0, 0, 0), [importing.NOTHING])
    assert dump(a_session.store) == before


def test_a_second_import_adds_nothing(a_past, a_project):
    take()
    before = dump(opened(a_project))
    report = take()
    assert (counts(report), why(report)) == ((0, 0, 0), [intake.KNOWN])
    assert dump(opened(a_project)) == before


def test_a_transcript_that_grew_brings_what_is_new(a_past, a_project):
    take()
    a_past.has_a_turn("And the candle?", "It is lit.")
    assert counts(take()) == (1, 1, 0)
    assert opened(a_project).one("SELECT response, context != '' FROM turns ORDER BY id DESC LIMIT 1") == ("It is lit.", 1)


def test_of_a_session_that_was_joined_in_the_middle_what_came_before_is_added_in_its_place(written, a_session, a_project):
    tell(written)
    a_session.name, a_session.now, a_session.prompts, a_session.calls = SESSION, written.now + 1000, 2, 4
    a_session.starts("resume")
    a_session.has_a_turn("What the hooks saw.", "That.")
    assert counts(take()) == (1, 2, 4)
    db = opened(a_project)
    assert [p for (p,) in db.execute("SELECT prompt FROM turns ORDER BY seq")][-1] == "What the hooks saw."
    rows = db.execute(
        "SELECT client_session, started_at < ?, end_reason FROM sessions WHERE client_session = ?", (a_session.now - 2000, SESSION)
    )
    assert rows.fetchall() == [(SESSION, 1, None)]
    assert db.one("SELECT count(DISTINCT session_id) FROM turns") == (1,)
    in_order(db)


def test_a_session_that_its_person_paused_does_not_come_in(a_past, a_project):
    session_pause.pause(SESSION)
    report = take()
    assert (counts(report), why(report)) == ((1, 2, 4), ["you paused it"])  # the other one comes in
    session_pause.end(SESSION)  # also once it is over
    assert counts(take()) == (0, 0, 0)


def test_what_was_forgotten_does_not_come_back(a_past, a_project):
    take()
    session = Session(opened(a_project), a_project)
    reader = reader_of(session)
    (hit,) = [hit for hit in search(reader, "lantern dark", NOON + DAY) if hit.type == "turn"][:1]
    erase.forget(reader, selections.plan(reader, selections.Selection([hit.public_id])))
    a_past.has_a_turn("And the candle?", "It is lit.")
    take()
    assert session.rows("SELECT count(*) FROM turns WHERE prompt LIKE '%lantern%'") == [(0,)]


def test_what_hooks_recorded_since_the_import_and_was_forgotten_does_not_come_back(a_past, a_project, the_environment):
    take()
    the_environment(CLAUDE_PID=1)
    session = Session(opened(a_project), a_project, SESSION, a_past.now + 1000)
    session.prompts = a_past.prompts
    session.starts("resume")
    a_past.has_a_turn("And the candle?", "It is lit.")
    candle = session.has_a_turn("And the candle?", "It is lit.")
    erase.forget(reader_of(session), selections.plan(reader_of(session), selections.Selection([candle])))
    report = take()
    assert (counts(report), why(report)) == ((0, 0, 0), [intake.KNOWN])


def test_a_session_that_hooks_recorded_and_was_forgotten_does_not_come_back(a_past, a_project):
    session = Session(opening.open_ready(a_project), a_project, SESSION, a_past.now)
    session.starts("startup")
    session.has_a_turn("And the candle?", "It is lit.")
    reader = reader_of(session)
    (name,) = session.rows("SELECT public_id FROM sessions")[0]
    erase.forget(reader, selections.plan(reader, selections.Selection(session=name)))
    report = take()
    assert (counts(report)[0], why(report)) == (1, [intake.FORGOTTEN])


def test_a_fork_brings_its_own_turns_alone(written, projects_folder, a_project):
    tell(written)
    fork = written.another("7e57ab1e-0000-4000-8000-0000000000f0")
    fork.asks("Why is the lantern dark?", "fork-1")
    fork.uses("Bash", {"stdout": "wick missing"}, call=f"{SESSION}-call-1", command="make lantern")
    fork.says("The wick was missing.")
    fork.asks("Elsewhere.", "fork-1")
    fork.says("There.")
    assert counts(take()) == (2, 3, 4)
    assert opened(a_project).one("SELECT source, summary FROM sessions ORDER BY id DESC") == (
        "fork",
        "1 prompt, 0 failed commands: Elsewhere. -> There.",
    )


# Broken off


class Killed(BaseException):
    """What a kill is to a transaction."""


@pytest.mark.parametrize("transactions", [1, 2, 3, 5])
def test_an_import_that_is_killed_goes_on_where_it_was(a_past, a_project, another_project, monkeypatch, transactions):
    monkeypatch.setattr(intake, "RECORDS_AT_ONCE", 3)
    take()
    whole = content(opened(a_project))
    shutil.rmtree(a_project.folder)
    kill_after(monkeypatch, transactions)
    with pytest.raises(Killed):
        take()
    monkeypatch.undo_last()
    report = take()
    assert counts(report)[1] > 0
    assert content(opened(a_project)) == whole
    in_order(opened(a_project))


@pytest.mark.parametrize("transactions", [1, 2, 3])
def test_so_does_one_of_what_came_before_the_hooks(written, a_session, a_project, monkeypatch, transactions):
    monkeypatch.setattr(intake, "RECORDS_AT_ONCE", 3)
    tell(written)
    a_session.name, a_session.now, a_session.prompts, a_session.calls = SESSION, written.now + 1000, 2, 4
    a_session.starts("resume")
    a_session.has_a_turn("What the hooks saw.", "That.")
    kill_after(monkeypatch, transactions)
    with pytest.raises(Killed):
        take()
    monkeypatch.undo_last()
    take()
    rows = opened(a_project).execute("SELECT prompt, status, session_id, context != '' FROM turns ORDER BY seq").fetchall()
    assert [row[0] for row in rows] == ["Why is the lantern dark?", "And the page about it?", "What the hooks saw."]
    assert [row[1:] for row in rows[:2]] == [("stopped", rows[2][2], 0), ("stopped", rows[2][2], 1)]
    assert opened(a_project).execute("SELECT client_session FROM sessions WHERE client_session LIKE 'earlier:%'").fetchall() == []


@pytest.fixture
def monkeypatch(monkeypatch):
    """Let the last change be taken back alone."""
    changes = []
    monkeypatch.undo_last = lambda: setattr(*changes.pop())
    monkeypatch.change = lambda owner, name, value: (
        changes.append((owner, name, getattr(owner, name))),
        setattr(owner, name, value),
    )
    yield monkeypatch
    while changes:
        monkeypatch.undo_last()


def kill_after(monkeypatch, transactions):
    """Let the process be killed before it commits one transaction too many."""
    left, commit = [transactions], connection.Store.commit

    def committing(opened):
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        commit(opened)

    monkeypatch.change(connection.Store, "commit", committing)


@pytest.mark.check
def test_an_import_while_a_session_of_hooks_is_at_work_loses_neither(a_past, a_project, tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "RECORDS_AT_ONCE", 1)
    for number in range(40):
        a_past.has_a_turn(f"Question {number}", f"Answer {number}")
    hook = Hook(tmp_path, project=a_project.root)
    hook.start()
    hook.prompt("Beside an import.")
    importer = threading.Thread(target=take)
    importer.start()
    for number in range(5):
        hook.bash(f"make {number}", "ok")
    importer.join()
    hook.stop()
    assert hook.values("SELECT count(*) FROM observations WHERE title LIKE 'make _'") == [5] and hook.spooled() == []
    assert hook.values("SELECT count(*) FROM turns") == [45]
    assert hook.damage() == []


def test_a_write_lock_is_waited_for(a_past, a_project):
    opening.open_ready(a_project).close()
    with sqlite3.connect(a_project.folder + "/memory.db", check_same_thread=False, isolation_level=None) as holder:
        holder.execute("BEGIN IMMEDIATE")
        waiting = threading.Timer(0.3, lambda: holder.execute("ROLLBACK"))
        waiting.start()
        assert counts(take()) == (2, 4, 8)
        waiting.join()


def test_an_import_that_another_overtakes_leaves_the_session_to_it(written, a_project, monkeypatch):
    written.asks(f"Use {SECRET}.")
    written.says("Done.")
    write = intake.Memory._write

    def overtaken(memory, *given):
        monkeypatch.setattr(intake.Memory, "_write", write)
        assert counts(take()) == (1, 1, 0)
        write(memory, *given)

    monkeypatch.setattr(intake.Memory, "_write", overtaken)
    report = take()
    assert (counts(report), why(report)) == ((0, 0, 0), [intake.BESIDE])
    assert opened(a_project).one("SELECT redactions FROM turns") == ('{"github-token": 1}',)


def test_while_many_come_in_the_indexes_never_have_so_much_to_merge_that_a_hook_would_wait(a_past, a_project, monkeypatch):
    monkeypatch.setattr(intake, "RECORDS_AT_ONCE", 1)
    monkeypatch.setattr(intake.Memory, "_settle", lambda *_: None)
    for number in range(60):
        a_past.runs(f"make {number}")
    take()
    for index in ("memory_fts", "observations_fts"):
        assert opened(a_project).one(f"SELECT count(DISTINCT segid) FROM {index}_idx")[0] < 2 * intake.TRANSACTIONS_BETWEEN_MERGES


def test_the_spool_stays_as_it_is(a_past, a_session, a_project):
    waits(a_session, "A prompt that waits.")
    take()
    assert len(spool.pending(a_project.root)) == 1


# Which sessions


def test_each_session_goes_into_the_memory_of_its_own_project(written, projects_folder, a_project, another_project):
    tell(written)
    Written(projects_folder / "-workshop", another_project.root, "7e57ab1e-0000-4000-8000-000000000009").has_a_turn(
        "Saw?", "Sharp."
    )
    assert counts(take()) == (2, 3, 4)
    assert opened(another_project).execute("SELECT prompt FROM turns").fetchall() == [("Saw?",)]
    assert opened(a_project).one("SELECT count(*) FROM turns") == (2,)


def test_only_one_project_may_be_wanted(written, projects_folder, another_project):
    tell(written)
    Written(projects_folder / "-workshop", another_project.root, "7e57ab1e-0000-4000-8000-000000000009").has_a_turn(
        "Saw?", "Sharp."
    )
    report = take(only=another_project)
    assert (counts(report), why(report)) == ((1, 1, 0), [archive.ELSEWHERE])


def test_a_folder_inside_a_repository_belongs_to_it(projects_folder, a_project, tmp_path):
    (tmp_path / "shop" / ".git").mkdir()
    (tmp_path / "shop" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    Written(projects_folder / "-shop-gone", a_project.root + "/gone/worktree").has_a_turn("Below?", "Yes.")
    take()
    assert opened(a_project).one("SELECT prompt FROM turns") == ("Below?",)


def test_a_session_of_a_folder_that_is_gone_is_told_and_passed_over(projects_folder, tmp_path):
    Written(projects_folder / "-gone", tmp_path / "gone").has_a_turn("Where?", "Nowhere.")
    report = take()
    assert [(each.why, each.detail) for each in report.passed] == [(archive.GONE, str(tmp_path / "gone"))]
    assert not (tmp_path / "gone").exists()


def test_where_recording_is_off_nothing_comes_in(a_past, a_project):
    opening.prepare(a_project)
    open(a_project.folder + "/off", "w").close()
    report = take()
    assert (counts(report), why(report)) == ((0, 0, 0), [importing.OFF]) and not connection.exists(a_project.folder)


def test_sessions_that_ended_before_a_day_are_passed_over(a_past):
    report = take(since=NOON + HOUR)
    assert (counts(report)[0], why(report)) == (1, [archive.OLD])


def test_a_session_that_began_before_a_day_and_went_on_after_it_comes_in(written):
    written.has_a_turn("Before.", "Yes.")
    since = written.now + 1
    written.has_a_turn("After.", "Yes.")
    assert counts(take(since=since)) == (1, 2, 0)


def test_an_empty_session_leaves_nothing(written, a_project):
    written.asks("<command-name>/clear</command-name>")
    report = take()
    assert why(report) == [importing.NOTHING] and not connection.exists(a_project.folder)


def test_the_client_may_keep_its_files_elsewhere(tmp_path, the_environment):
    the_environment(CLAUDE_CONFIG_DIR=tmp_path / "elsewhere")
    assert archive.place() == tmp_path / "elsewhere" / "projects"


def test_a_rehearsal_counts_and_makes_nothing(a_past, a_project):
    report = take(dry=True)
    assert counts(report) == (2, 4, 8) and not connection.exists(a_project.folder)
    assert counts(take()) == (2, 4, 8)
    before = dump(opened(a_project))
    a_past.has_a_turn("And the candle?", "It is lit.")
    assert counts(take(dry=True)) == (1, 1, 0) and dump(opened(a_project)) == before


# Bad input


def test_one_broken_transcript_does_not_keep_the_others(a_past, projects_folder):
    (projects_folder / "-shop" / "rubbish.jsonl").write_bytes(bytes(range(256)) * 40)
    (projects_folder / "-shop" / "empty.jsonl").touch()
    report = take()
    assert counts(report) == (2, 4, 8)
    assert sorted(each.path.name for each in report.passed) == ["empty.jsonl", "rubbish.jsonl"]


def test_a_session_that_fails_in_a_way_that_nobody_foresaw_does_not_keep_the_others(a_past, monkeypatch):
    failing = conversation.OF_KIND["prompt"]
    monkeypatch.setitem(
        conversation.OF_KIND, "prompt", lambda seen, *rest: None if "lantern" in seen.text else failing(seen, *rest)
    )
    report = take()
    assert (counts(report)[0], why(report)) == (1, [importing.FAILED])


def test_a_file_that_cannot_be_read_is_told(a_past, monkeypatch):
    look = archive._head
    monkeypatch.setattr(
        archive, "_head", lambda path: look(path) if "0002" in path.name else (_ for _ in ()).throw(OSError(13, "no"))
    )
    report = take()
    assert (counts(report)[0], why(report)) == (1, [archive.UNREACHABLE])


def test_a_memory_that_cannot_be_written_is_told_and_the_next_goes_on(written, projects_folder, a_project, another_project):
    tell(written)
    Written(projects_folder / "-workshop", another_project.root, "7e57ab1e-0000-4000-8000-000000000009").has_a_turn(
        "Saw?", "Sharp."
    )
    opening.prepare(a_project)
    with open(a_project.folder + "/memory.db", "w") as file:
        file.write("no database at all" * 400)
    report = take()
    assert (counts(report)[0], why(report)) == (1, [importing.FAILED])


@pytest.mark.parametrize("path", ["nothing", "agent-a1.jsonl", "empty"])
def test_a_path_without_transcripts_is_said(tmp_path, path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "agent-a1.jsonl").touch()
    with pytest.raises(RalphMemError):
        archive.files_in(tmp_path / path)


def test_of_a_transcript_that_became_shorter_only_new_turns_come_in(a_past, a_project):
    take()
    before = dump(opened(a_project))
    data = a_past.path.read_bytes()
    a_past.path.write_bytes(data[: len(data) // 2])
    assert counts(take()) == (0, 0, 0)
    assert dump(opened(a_project)) == before
    a_past.path.unlink()
    a_past.prompts = 7
    a_past.has_a_turn("Quite another?", "Yes.")
    assert counts(take()) == (1, 1, 0)
    assert opened(a_project).one("SELECT count(*), count(DISTINCT prompt || session_id) FROM turns") == (5, 5)


# Bounds


def test_looking_at_many_sessions_holds_none_of_them(projects_folder, a_project):
    one = Written(projects_folder / "-shop", a_project.root)
    tell(one)
    data = one.path.read_bytes() + b'{"type":"api-request","x":"' + b"x" * 100_000 + b'"}\n'
    for number in range(300):
        (projects_folder / "-shop" / f"7e57ab1e-0000-4000-9000-{number:012d}.jsonl").write_bytes(data)
    tracemalloc.start()
    kept, _ = archive.look(archive.files_in(projects_folder))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(kept) == 301 and peak < 3_000_000


@pytest.mark.check
def test_a_long_session_is_never_held_whole(written, a_project, monkeypatch):
    for number in range(40):
        written.asks(f"Question {number}")
        for _ in range(5):
            written.runs(f"make {number}", f"{number} " + "wick " * 12_000)
    assert written.path.stat().st_size > 10_000_000
    place, values = a_project, dict(effective.DEFAULTS)
    (kept,), _ = archive.look([written.path])
    opening.open_ready(a_project).close()
    tracemalloc.start()
    target = intake.Memory(Project(place.root), values)
    assert target.take(kept).observations == 200
    target.leave()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000


def test_a_rehearsal_works_on_a_memory_into_which_nothing_was_imported_and_leaves_it_so(a_past, a_project):
    opening.open_ready(a_project)
    assert counts(take(dry=True)) == (2, 4, 8)
    assert opened(a_project).one("SELECT count(*) FROM sqlite_schema WHERE name = 'imports'") == (0,)
