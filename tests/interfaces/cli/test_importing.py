"""`ralph-mem import` as a person types it: what it says, what it leaves, and what a kill does to it."""

import os
import pty
import signal
import subprocess
import time

import pytest

from tests.hook import REPOSITORY
from tests.hosts.claude_code.written import Written
from tests.hosts.others.past import Past
from tests.interfaces.cli.situations import complaint

NAMES = [f"7e57ab1e-0000-4000-8000-{number:012d}" for number in range(60)]


def session(person, name=NAMES[0], project=None, words="the zeppelin hangar"):
    """Let one session of two turns be in the past."""
    written = Written(person.home / ".claude" / "projects" / "-shop", project or person.project, name)
    written.asks(f"Why is {words} empty?")
    written.runs("make hangar", "doors open")
    written.says("The doors of the hangar were open, so it flew away.")
    written.has_a_turn("And now?", "Now they are shut.")
    return written


def many(person, sessions=60, turns=38):
    for name in NAMES[:sessions]:
        written = session(person, name)
        for number in range(turns):
            written.asks(f"Question {number} of {name}")
            written.runs(f"make {number}", "ok " * 100)
            written.says("Answer.")


def test_the_sessions_of_this_project_come_in_and_the_next_prompt_is_told_of_them(a_newcomer):
    session(a_newcomer)
    assert a_newcomer.reads("import") == f"imported: 1 session, 2 turns, 1 observation  {a_newcomer.project}\n"
    assert "hangar" in a_newcomer.reads("search", "zeppelin hangar")
    a_newcomer.start("resume")
    told = a_newcomer.prompt("Is the zeppelin hangar empty again?")
    assert "doors of the hangar were open" in told["hookSpecificOutput"]["additionalContext"]


def test_where_the_client_has_kept_no_session_nothing_comes_in_and_nothing_failed(a_newcomer):
    assert a_newcomer.reads("import").startswith("Nothing came in.")
    assert a_newcomer.types("mem", "import").startswith("Nothing came in.")


def test_a_dry_run_says_what_would_come_in_and_makes_nothing(a_newcomer):
    session(a_newcomer)
    said = a_newcomer.reads("import", "--dry-run")
    assert f"would come in: 1 session, 2 turns, 1 observation  {a_newcomer.project}\n" in said and "leave out --dry-run" in said
    assert not a_newcomer.memory.exists()


def test_what_comes_in_is_told_to_programs(a_newcomer):
    session(a_newcomer)
    session(a_newcomer, NAMES[1], a_newcomer.folder / "gone")
    told = a_newcomer.json("import", "--all")
    assert {key: told[key] for key in ("dry_run", "sessions", "turns", "observations")} == {
        "dry_run": False, "sessions": 1, "turns": 2, "observations": 1,
    }  # fmt: skip
    assert told["projects"] == [{"path": str(a_newcomer.project), "sessions": 1, "turns": 2, "observations": 1}]
    assert told["passed_over"] == [{"why": "its folder is gone", "detail": str(a_newcomer.folder / "gone"), "sessions": 1}]


def test_other_projects_come_in_only_if_asked_for(a_newcomer):
    workshop = a_newcomer.folder / "workshop"
    workshop.mkdir()
    session(a_newcomer, project=workshop)
    said = a_newcomer.reads("import")
    assert "passed over: 1 session, of another project" in said and "import --all" in said
    assert not (workshop / ".ralph-mem").exists()
    assert "1 session" in a_newcomer.reads("import", "--all") and (workshop / ".ralph-mem").exists()
    assert not a_newcomer.memory.exists()


def test_a_named_transcript_comes_in_from_wherever_it_lies(a_newcomer):
    written = session(a_newcomer)
    copied = a_newcomer.folder / f"copy of {written.path.name}"
    written.path.rename(copied)
    assert "1 session, 2 turns" in a_newcomer.reads("import", str(copied), cwd=a_newcomer.home)
    assert a_newcomer.values("SELECT client_session FROM sessions") == [NAMES[0]]


def test_what_another_client_kept_comes_in_by_its_name_and_says_whose_it_is(a_newcomer):
    Past("codex", a_newcomer.home, a_newcomer.project).is_kept()
    told = a_newcomer.json("import", "--from", "codex", "--dry-run")
    assert {key: told[key] for key in ("dry_run", "from", "sessions", "turns")} == {
        "dry_run": True, "from": "codex", "sessions": 1, "turns": 1,
    }  # fmt: skip
    assert not a_newcomer.memory.exists()
    assert "imported: 1 session, 1 turn, 5 observations" in a_newcomer.reads("import", "--from", "codex")
    assert "ended, codex" in a_newcomer.reads("sessions")
    assert "byte order mark" in a_newcomer.reads("search", "zeppelin exporter")


def test_a_database_of_opencode_comes_in_by_its_path(a_newcomer):
    path = Past("opencode", a_newcomer.home, a_newcomer.project).is_kept()
    assert "1 session, 1 turn, 5 observations" in a_newcomer.reads("import", "--from", "opencode", str(path))


def test_a_second_time_says_that_all_is_known(a_newcomer):
    session(a_newcomer)
    a_newcomer.reads("import")
    assert a_newcomer.reads("import") == "Nothing came in.\npassed over: 1 session, known already\n"


def test_lines_that_cannot_be_read_are_told(a_newcomer):
    written = session(a_newcomer)
    written.raw(b"\xff\xfe\x00 rubbish\n{no json}\n" + b'{"type": "user", "mess')
    said = a_newcomer.reads("import")
    assert f"2 lines could not be read and were left out: {written.path}" in said
    assert f"ends in the middle of a line, which was left for later: {written.path}" in said
    assert "1 session, 2 turns, 1 observation" in said


@pytest.mark.check
def test_a_transcript_that_cannot_be_read_is_told_and_the_others_come_in(a_newcomer, as_an_ordinary_owner):
    session(a_newcomer)
    shut = session(a_newcomer, NAMES[1]).path
    as_an_ordinary_owner(a_newcomer, shut.parent)
    shut.chmod(0)
    said = a_newcomer.cli("import")
    assert (said.code, said.err) == (1, "")
    assert f"left out, it cannot be read: {shut}" in said.out and "imported: 1 session" in said.out


@pytest.mark.parametrize(
    "arguments",
    [["/no/such/path"], ["--since", "soon"], ["--project", "nobody"], ["."], ["--from", "nobody"], ["--from", "qwen"]],
)
def test_what_cannot_be_done_is_said_in_one_line_and_a_hint(a_newcomer, arguments):
    said = a_newcomer.cli("import", *arguments)
    assert said.code == 1 and "hint: " in said.err
    complaint(said)
    assert not a_newcomer.memory.exists()


def size(path):
    """Return the bytes of a file, 0 for one that is gone: a journal comes and goes."""
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


@pytest.mark.check
def test_an_import_that_is_killed_is_taken_up_again(a_newcomer):
    many(a_newcomer)
    process = a_newcomer.start_cli("import")
    database = a_newcomer.database
    while not (database.exists() and sum(size(f"{database}{end}") for end in ("", "-wal", "-journal")) > 400_000):
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = a_newcomer.values("SELECT count(*) FROM turns")[0]
    a_newcomer.reads("import")
    assert 0 < before < 60 * 40
    assert a_newcomer.rows("SELECT count(*), min(status), max(status) FROM turns") == [(2400, "stopped", "stopped")]
    assert a_newcomer.values("SELECT count(*) FROM observations") == [60 * 39]
    assert a_newcomer.values("SELECT count(*) FROM sessions WHERE ended_at IS NULL") == [0]
    assert a_newcomer.damage() == []


@pytest.mark.check
def test_three_imports_at_once_bring_in_everything_once(a_newcomer):
    many(a_newcomer, 12)
    imports = [a_newcomer.start_cli("import", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
    assert [(each.communicate()[1], each.returncode) for each in imports] == [(b"", 0)] * 3
    a_newcomer.reads("import")
    assert a_newcomer.rows("SELECT count(*), min(status), max(status) FROM turns") == [(12 * 40, "stopped", "stopped")]
    assert a_newcomer.values("SELECT count(*) FROM observations") == [12 * 39]
    assert a_newcomer.values("SELECT count(*) FROM sessions WHERE ended_at IS NULL") == [0]
    assert a_newcomer.damage() == []


@pytest.mark.check
def test_ctrl_c_ends_it_in_one_line_and_keeps_what_came_in(a_newcomer):
    many(a_newcomer)
    process = a_newcomer.start_cli("import", stderr=subprocess.PIPE)
    while not a_newcomer.database.exists() or not a_newcomer.values("SELECT count(*) FROM sqlite_schema WHERE name = 'imports'")[0]:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == b"ralph-mem: interrupted\n"
    assert process.returncode == 130
    a_newcomer.reads("import")
    assert a_newcomer.values("SELECT count(*) FROM turns") == [2400]


@pytest.mark.check
def test_a_terminal_shows_how_far_it_is(a_newcomer):
    many(a_newcomer, 10)
    ours, theirs = pty.openpty()
    process = a_newcomer.start_cli("import", stderr=theirs, stdout=subprocess.PIPE, environment={"TERM": "xterm", "COLUMNS": "150"})
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other side has closed
        pass
    process.communicate()
    assert b"importing" in shown and b"sessions" in shown and b"observations" in shown
    os.close(ours)


def test_it_imports_without_the_folder_of_the_checkout_in_the_way(a_newcomer):
    session(a_newcomer)
    assert "imported" in a_newcomer.reads("import", PYTHONPATH=str(REPOSITORY))
