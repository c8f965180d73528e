"""What goes wrong around a hook: locks, kills, deletions, newer releases. Nothing acknowledged is lost, nobody is disturbed."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import clock
from tests.hook import NAMES, Hook, install
from tests.interfaces.cli.situations import held, set_version, written_by_a_later_release

TOOL_WAIT_S, PROMPT_WAIT_S = 0.15, 2.0
# What a hook may take beyond its wait, on a machine that does other things as well.
ROOM_S = 0.85

HOW = ["writing", "tidying"]


def seconds(act, *given):
    """Return how long an act took while nothing waited for a processor."""
    watch = clock.Watch()
    act(*given)
    return watch.free()


# A rule that goes on without end, and passes over files that are not there

ENDLESS = """

def may_hold(text):
    while "sargasso" in text:
        try:
            open("/nowhere").close()
        except OSError:
            pass
    return False
"""


def test_a_text_that_catches_a_rule_costs_three_seconds_and_its_own_event(tmp_path):
    plugin = install(tmp_path / "plugin")
    with open(plugin / "ralph_mem" / "core" / "redaction" / "gate.py", "a") as gate:
        gate.write(ENDLESS)
    session = Hook(tmp_path / "person", plugin)
    session.start()
    session.prompt("Where is the zeppelin?")
    session.stop("In the sargasso.")
    assert "an event was lost: to look through it took longer than 3 seconds" in session.another().start()["systemMessage"]
    assert session.rows("SELECT prompt, response FROM turns") == [("Where is the zeppelin?", "")]


# Locked


@pytest.mark.parametrize("how", HOW)
def test_a_tool_event_does_not_wait_for_somebody_who_writes_long(a_session, how):
    with held(a_session, how):
        assert seconds(a_session.bash, "make mast", "ok") < TOOL_WAIT_S + ROOM_S
        assert [path.parent for path in a_session.spooled()] == [a_session.spool]
    a_session.bash("make anchor", "ok")
    assert a_session.values("SELECT title FROM observations ORDER BY seq") == ["make mast", "make anchor"]
    assert a_session.spooled() == []
    assert a_session.damage() == []


@pytest.mark.check
@pytest.mark.parametrize("how", HOW)
def test_a_prompt_waits_two_seconds_and_is_then_kept_for_later(a_session, how):
    with held(a_session, how):
        watch = clock.Watch()
        a_session.prompt("Where is the zeppelin?")
        assert watch.seconds() > PROMPT_WAIT_S - 0.2 and watch.free() < PROMPT_WAIT_S + ROOM_S
        assert len(a_session.spooled()) == 1
    a_session.stop("At the mast.")
    assert a_session.rows("SELECT prompt, response FROM turns") == [("Where is the zeppelin?", "At the mast.")]
    assert a_session.spooled() == []


def test_a_prompt_that_gets_its_turn_in_time_is_not_put_off(a_session):
    with held(a_session, "writing") as holder, a_session.open("UserPromptSubmit", stdin=subprocess.PIPE) as process:
        process.stdin.write(a_session.event("UserPromptSubmit", prompt="In time?"))
        process.stdin.close()
        time.sleep(0.5)
        holder.kill()
        assert process.wait(timeout=10) == 0
    assert a_session.values("SELECT prompt FROM turns") == ["In time?"]


@pytest.mark.parametrize("how", HOW)
def test_a_holder_that_was_stopped_is_like_one_that_works(a_session, how):
    with held(a_session, how) as holder:
        holder.send_signal(signal.SIGSTOP)
        assert seconds(a_session.bash, "make mast", "ok") < TOOL_WAIT_S + ROOM_S
        assert seconds(a_session.end) < TOOL_WAIT_S + ROOM_S
        assert len(a_session.spooled()) == 2
    a_session.another().start()
    assert a_session.values("SELECT title FROM observations") == ["make mast"]
    assert a_session.values("SELECT end_reason FROM sessions ORDER BY id LIMIT 1") == ["other"]


def test_what_waited_comes_in_once_although_two_bring_it_in(a_session):
    with held(a_session, "writing"):
        for number in range(5):
            a_session.bash(f"make part {number}", "ok")
    waiting = {path: path.read_bytes() for path in a_session.spooled()}
    assert len(waiting) == 5
    a_session.bash("make whole", "ok")
    # as if the first had been killed between its commit and the removal of the files
    a_session.spool.mkdir(0o700, parents=True, exist_ok=True)
    for path, data in waiting.items():
        path.write_bytes(data)
    a_session.bash("make another", "ok")
    wanted = [f"make part {number}" for number in range(5)] + ["make whole", "make another"]
    assert a_session.values("SELECT title FROM observations ORDER BY seq") == wanted
    assert a_session.spooled() == []
    assert a_session.damage() == []


def test_a_reader_holds_up_nobody(a_session):
    a_session.prompt("Where is the zeppelin?")
    with a_session.connect() as db:
        db.execute("BEGIN")
        assert db.execute("SELECT count(*) FROM turns").fetchone() == (1,)
        assert seconds(a_session.stop, "At the mast.") < TOOL_WAIT_S + ROOM_S
        assert db.execute("SELECT response FROM turns").fetchone() == ("",)
        db.execute("COMMIT")
        assert db.execute("SELECT response FROM turns").fetchone() == ("At the mast.",)
    assert a_session.spooled() == []


def test_what_went_wrong_is_told_once_and_at_the_next_start(a_session):
    with written_by_a_later_release(a_session):
        a_session.bash("make mast", "ok")
    answers = [a_session.bash("make anchor", "ok"), a_session.prompt("Why?"), a_session.stop(), a_session.end()]
    assert answers == [{}] * 4
    first, second = a_session.another().start(), a_session.another().start()
    told = first["systemMessage"]
    assert "an event that could not be stored at once is stored now: " in told and "has schema 99" in told and "waits" not in told
    assert "systemMessage" not in second


def test_that_an_event_came_while_another_process_wrote_is_nothing_to_tell(a_session):
    with held(a_session, "writing"):
        a_session.bash("make mast", "ok")
    start = a_session.another().start()
    assert "systemMessage" not in start
    assert (a_session.values("SELECT title FROM observations"), a_session.spooled()) == (["make mast"], [])


@pytest.mark.check
def test_nothing_is_told_where_nothing_went_wrong(a_project):
    for _ in range(3):
        assert [answer for answer in a_project.another().every_event() if "systemMessage" in answer] == []


# Deleted, newer, full


@pytest.mark.check
def test_a_memory_deleted_in_the_middle_of_a_session_stays_deleted_until_the_next(a_session):
    a_session.prompt("Where is the zeppelin?")
    shutil.rmtree(a_session.memory)
    _, *others = a_session.every_event()[1:]
    assert others == [{}] * len(others)
    shutil.rmtree(a_session.memory)
    for answer in (a_session.prompt("Again?"), a_session.bash("make"), a_session.read("a.py"), a_session.stop(), a_session.end()):
        assert answer == {}
        assert not a_session.memory.exists()
    assert a_session.spooled() == []


@pytest.mark.check
def test_a_memory_deleted_while_a_hook_writes_into_it_is_silent(a_session):
    for number in range(10):
        with a_session.open("PostToolUse", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(a_session.event("PostToolUse", tool_name="Bash", tool_input={"command": "make"}))
            process.stdin.close()
            time.sleep(number * 0.004)
            shutil.rmtree(a_session.memory, ignore_errors=True)
            assert (process.wait(timeout=10), process.stdout.read(), process.stderr.read()) == (0, b"", b"")
        assert not a_session.database.exists()
        shutil.rmtree(a_session.memory, ignore_errors=True)
        a_session.start()


def test_after_a_deletion_the_next_start_begins_anew(a_session):
    a_session.prompt("Where is the zeppelin?")
    shutil.rmtree(a_session.memory)
    later = a_session.another()
    assert later.start() == {}
    later.prompt("Where is the balloon?")
    assert later.values("SELECT prompt FROM turns") == ["Where is the balloon?"]


def test_a_deleted_database_is_not_made_by_an_event_either(a_session):
    for path in a_session.memory.glob("memory.db*"):
        path.unlink()
    a_session.bash("make mast", "ok")
    a_session.prompt("Why?")
    assert not a_session.database.exists()


@pytest.fixture
def a_newer_memory(a_session):
    """Make a memory that a later release has written."""
    a_session.prompt("Where is the zeppelin?")
    a_session.stop("At the mast.")
    set_version(a_session, 99)
    return a_session


def test_a_newer_memory_is_never_written(a_newer_memory):
    before = a_newer_memory.database.read_bytes()
    a_newer_memory.every_event()
    a_newer_memory.another().every_event()
    assert a_newer_memory.database.read_bytes() == before
    assert a_newer_memory.values("PRAGMA user_version") == [99]
    assert {path.name for path in a_newer_memory.memory.iterdir()} - {"memory.db-wal", "memory.db-shm"} == {
        *(".gitignore", "lock", "memory.db")
    }


@pytest.mark.check
def test_a_newer_memory_is_told_in_one_line_at_the_start(a_newer_memory):
    later = a_newer_memory.another()
    start, *others = later.every_event()
    assert "newer" in start["systemMessage"] or "99" in start["systemMessage"]
    assert others == [{}] * len(others)


def test_what_waited_for_the_newer_release_comes_in_with_it(a_newer_memory):
    a_newer_memory.prompt("Will this wait?")
    a_newer_memory.bash("make mast", "ok")
    assert len(a_newer_memory.spooled()) == 2
    with a_newer_memory.connect() as db:
        db.execute("PRAGMA user_version = 1")
    a_newer_memory.stop("It did.")
    assert a_newer_memory.rows("SELECT prompt, response FROM turns ORDER BY seq")[1:] == [("Will this wait?", "It did.")]
    assert a_newer_memory.values("SELECT title FROM observations") == ["make mast"]


@pytest.mark.check
@pytest.mark.parametrize("blocks", [0, 1, 8, 40, 120])
def test_a_full_disk_costs_no_more_than_what_does_not_fit(a_session, blocks):
    a_session.prompt("Is there room?")
    a_session.wrap = ["/bin/sh", "-c", f'ulimit -f {blocks}; "$0" "$@"']
    for number in range(12):
        a_session.bash(f"make part {number}", f"part {number} is " + "made " * 200)
    a_session.wrap = []
    a_session.bash("make whole", "ok")
    kept = a_session.values("SELECT title FROM observations ORDER BY seq")
    assert kept[-1] == "make whole"
    assert kept[:-1] == [f"make part {number}" for number in range(12)][: len(kept) - 1] or blocks
    assert a_session.damage() == []


# Killed

KILLS = 60


def start_writers(hook, number):
    """Start three hooks that write; returns {event id: process}."""
    started = {}
    for writer in range(3):
        use = f"toolu_{number}_{writer}"
        process = hook.open("PostToolUse", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        data = hook.event(
            "PostToolUse", tool_name="Bash", tool_use_id=use, tool_input={"command": f"make part {number} {writer}"},
            tool_response={"stdout": "made\n" * 50},
        )  # fmt: skip
        process.stdin.write(data)
        process.stdin.close()
        started[use] = process
    return started


def kill_at_random(hook, dice):
    """Run three writers sixty times, each time to a random moment; returns what was acknowledged, and how many were killed."""
    acknowledged, killed, longest = [], 0, 0.1
    for number in range(KILLS):
        writers = start_writers(hook, number)
        time.sleep(dice.uniform(0.0, longest))
        ended = 0
        for use, process in writers.items():
            process.kill()
            ended += process.wait() == 0
            acknowledged += [use] if process.returncode == 0 else []
            killed += process.returncode == -signal.SIGKILL
        # machines differ, and one is not always as quick: the moments follow what they hit, to the middle of the three
        longest *= 0.9 if ended > len(writers) / 2 else 1.15
    return acknowledged, killed


@pytest.mark.check
def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(a_session):
    acknowledged, killed = kill_at_random(a_session, random.Random(7))
    assert len(acknowledged) > KILLS / 4 and killed > KILLS / 4, "the moments must be spread"
    stored = " ".join(a_session.values("SELECT event_id FROM observations"))
    waiting = " ".join(path.read_text() for path in a_session.spooled())
    assert [use for use in acknowledged if use not in stored and use not in waiting] == []
    a_session.stop("All made.")
    stored = [event.rpartition(":")[2] for event in a_session.values("SELECT event_id FROM observations")]
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))
    assert a_session.spooled() == []
    assert a_session.damage() == []


@pytest.mark.check
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGALRM])
def test_a_signal_at_a_random_moment_shows_no_traceback_and_leaves_the_memory_whole(a_session, number):
    dice = random.Random(number)
    for turn in range(8):
        with a_session.open("PostToolUse", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(a_session.event("PostToolUse", tool_name="Bash", tool_input={"command": f"make {turn}"}))
            process.stdin.close()
            time.sleep(dice.uniform(0, 0.05))
            process.send_signal(number)
            process.wait(timeout=10)
            assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    a_session.stop()
    assert a_session.damage() == []
    assert a_session.left_behind() == []


@pytest.mark.check
def test_a_kill_while_the_memory_is_made_does_not_matter(a_project):
    dice = random.Random(11)
    for _ in range(20):
        with a_project.another().open("SessionStart", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            process.stdin.write(a_project.event("SessionStart", source="startup"))
            process.stdin.close()
            time.sleep(dice.uniform(0.01, 0.1))
            process.kill()
    a_project.every_event()
    assert a_project.values("SELECT prompt FROM turns") == ["Why does the zeppelin test fail?"]
    assert a_project.damage() == []


# What cannot be brought in

JUNK = {
    "nothing": b"",
    "a word": b"junk",
    "bytes": bytes(range(256)),
    "half a record": b'[{"verb": "observation", "session": "s", "tur',
    "a number": b"7",
    "a list of numbers": b"[1, 2]",
    "a mapping": b'{"verb": "end"}',
    "an unknown verb": b'[{"verb": "fly"}]',
    "a verb that is a list": b'[{"verb": ["end"]}]',
    "a record without fields": b'[{"verb": "observation"}]',
    "a session that is a mapping": b'[{"verb": "end", "session": {"a": 1}, "at": 1, "reason": "x"}]',
    "a number that is too large": b'[{"verb": "session", "session": "s", "project": "p", "source": "", "at": 9999999999999999999}]',
    "nothing where something must be": b'[{"verb": "session", "session": null, "project": null, "source": "startup", "at": 1}]',
    "a lone surrogate": b'[{"verb": "session", "session": "\\ud800", "project": "p", "source": "startup", "at": 1}]',
    "brackets": b"[" * 100_000,
    "10 MB": b"[" + b'"x", ' * 2_000_000 + b"1]",
}


@pytest.mark.parametrize("what", JUNK)
def test_what_cannot_be_brought_in_is_set_aside_and_holds_up_nothing(a_session, what):
    spool = a_session.spool
    spool.mkdir(0o700, parents=True)
    (spool / "1-1.json").write_bytes(JUNK[what])
    a_session.bash("make mast", "ok")
    assert a_session.values("SELECT title FROM observations") == ["make mast"]
    assert a_session.values("SELECT client_session FROM sessions") == [a_session.session]
    assert [path.name for path in spool.iterdir()] == ["1-1.json.unreadable"]
    assert (spool / "1-1.json.unreadable").read_bytes() == JUNK[what]


def test_what_is_set_aside_does_not_take_its_neighbours_along(a_session):
    with held(a_session, "writing"):
        a_session.bash("make mast", "ok")
        a_session.bash("make anchor", "ok")
    first = a_session.spooled()[0]
    first.with_name("0-1.json").write_bytes(b"junk")
    first.with_name(first.stem + "0.json").write_bytes(b'[{"verb": "fly"}]')
    a_session.stop()
    assert a_session.values("SELECT title FROM observations ORDER BY seq") == ["make mast", "make anchor"]
    assert a_session.spooled() == []


def test_a_draft_that_a_kill_left_in_the_spool_is_no_record(a_session):
    spool = a_session.spool
    spool.mkdir(0o700, parents=True)
    (spool / "1-1.json.4711").write_bytes(b'[{"verb": "obs')
    a_session.bash("make mast", "ok")
    assert a_session.values("SELECT title FROM observations") == ["make mast"]


# Crashed


def a_process():
    return subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)


def test_a_session_whose_client_has_gone_ends_at_the_next_start_with_its_last_event(a_project):
    with a_process() as client:
        crashed = a_project.another(CLAUDE_PID=str(client.pid))
        crashed.start()
        crashed.prompt("Where is the zeppelin?")
        crashed.bash("make mast", "ok")
        client.kill()
    (last,) = crashed.values("SELECT max(created_at) FROM observations")
    a_project.start()
    ended = "SELECT ended_at, end_reason FROM sessions WHERE client_session = ?"
    assert a_project.rows(ended, crashed.session) == [(last, "crash")]
    assert a_project.rows("SELECT status, ended_at FROM turns") == [("interrupted", last)]
    assert a_project.rows(ended, a_project.session) == [(None, None)]


def test_a_session_whose_client_lives_goes_on(a_project):
    with a_process() as client:
        alive = a_project.another(CLAUDE_PID=str(client.pid))
        alive.start()
        a_project.start()
        assert a_project.values("SELECT end_reason FROM sessions") == [None, None]
        client.kill()
    a_project.another().start()
    assert a_project.values("SELECT end_reason FROM sessions ORDER BY id") == ["crash", None, None]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="only /proc tells when a process was born")
def test_another_process_with_the_number_of_a_client_is_not_that_client(a_project):
    with a_process() as client:
        crashed = a_project.another(CLAUDE_PID=str(client.pid))
        crashed.start()
        with crashed.connect() as db:
            db.execute("UPDATE sessions SET client_born = client_born - 1")
        a_project.start()
        client.kill()
    assert a_project.values("SELECT end_reason FROM sessions ORDER BY id") == ["crash", None]


@pytest.mark.check
@pytest.mark.parametrize("pid", ["", "0", "x", "-1", "\u00b2", "9" * 30, None])
def test_a_number_of_a_client_that_is_none_does_not_cost_the_session(a_project, pid):
    hook = a_project.another(CLAUDE_PID=pid)
    hook.every_event()
    assert hook.values("SELECT source FROM sessions") == ["startup"]


# Off


def configured(folder, text):
    def configure(hook):
        path = (hook.memory if folder == "project" else hook.home / ".config" / "ralph-mem") / "config.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text)

    return configure


def switched_off(hook):
    hook.memory.mkdir()
    (hook.memory / "off").touch()


OFF = {
    "a variable": {"RALPH_MEM_RECORDING": "off"},
    "a variable, 0": {"RALPH_MEM_RECORDING": "0"},
    "a variable, FALSE": {"RALPH_MEM_RECORDING": "FALSE"},
    "the file off": switched_off,
    "the project's config": configured("project", "recording: off\n"),
    "the project's config, false": configured("project", "# not here\nrecording: false # ever\n"),
    "a config that cannot be read as a whole": configured("project", "recording: off\nmemory: {a: &b}\n\tx"),
    "the user's config": configured("user", "recording: off\n"),
    "nobody there, in CI": {"CLAUDE_CODE_SESSION_ATTENDED": "0", "CI": "true"},
    "nobody there, in CI, 1": {"CLAUDE_CODE_SESSION_ATTENDED": "0", "CI": "1"},
}


def files_below(hook):
    """Return every file of the project and the home with its content, but for the parsed form of a config.

    SQLite marks in its -shm file who reads: a person may look at the status while nothing is recorded.
    """
    files = [path for top in (hook.project, hook.home) for path in top.rglob("*") if path.name != "memory.db-shm"]
    found = {path: path.read_bytes() if path.is_file() else None for path in files}
    kept = hook.data / "settings"
    return {path: data for path, data in found.items() if kept not in path.parents and path not in {kept, *kept.parents}}


@pytest.mark.check
@pytest.mark.parametrize("how", OFF)
def test_where_recording_is_off_nothing_is_written_and_nothing_said(a_project, how):
    hook = a_project.another(**OFF[how]) if isinstance(OFF[how], dict) else a_project
    if hook is a_project:
        OFF[how](hook)
    before = files_below(hook)
    assert hook.every_event() == [{}] * 11
    assert files_below(hook) == before


@pytest.mark.check
@pytest.mark.parametrize("how", OFF)
def test_where_recording_is_switched_off_later_nothing_more_is_written_or_said(a_session, how):
    a_session.prompt("Where is the zeppelin moored?")
    a_session.stop("The zeppelin is moored at the mast.")
    hook = a_session.another(**OFF[how]) if isinstance(OFF[how], dict) else a_session.another()
    if not isinstance(OFF[how], dict):
        hook.memory.rename(hook.home / "memory")
        OFF[how](hook)
        if hook.memory.exists():  # the database stays the same file: one that was copied would be looked at first
            shutil.copytree(hook.memory, hook.home / "memory", dirs_exist_ok=True)
            shutil.rmtree(hook.memory)
        (hook.home / "memory").rename(hook.memory)
    before = files_below(hook)
    assert [*hook.every_event(), hook.prompt("Where is the zeppelin moored?")] == [{}] * 12
    assert files_below(hook) == before


ON = {
    "nothing said": {},
    "a variable over the file": {"RALPH_MEM_RECORDING": "on"},
    "nobody there, but not in CI": {"CLAUDE_CODE_SESSION_ATTENDED": "0"},
    "somebody there, in CI": {"CLAUDE_CODE_SESSION_ATTENDED": "1", "CI": "true"},
    "wanted in CI": {"CLAUDE_CODE_SESSION_ATTENDED": "0", "CI": "true", "RALPH_MEM_RECORDING": "1"},
}


@pytest.mark.check
@pytest.mark.parametrize("how", ON)
def test_otherwise_it_is_on(a_project, how):
    hook = a_project.another(**ON[how])
    if "over the file" in how:
        switched_off(hook)
    hook.every_event()
    assert hook.values("SELECT count(*) FROM turns") == [1]


# Nobody else's


def test_whatever_the_umask_everything_is_its_owners_alone(a_project):
    a_project.wrap = ["/bin/sh", "-c", 'umask 000; "$0" "$@"']
    (a_project.home / ".config" / "ralph-mem").mkdir(parents=True)
    (a_project.home / ".config" / "ralph-mem" / "config.yaml").write_text("memory:\n  auto_inject: true\n")
    (a_project.home / ".config").rename(a_project.folder / "config")
    hook = a_project.another(XDG_CONFIG_HOME=str(a_project.folder / "config"))
    hook.every_event()
    with written_by_a_later_release(hook):
        hook.bash("make mast", "ok")
    with held(hook, "writing"):
        hook.bash("make anchor", "ok")
    everything = [hook.memory, *hook.memory.rglob("*"), *hook.home.rglob("*")]
    assert {path.name for path in everything} >= set("memory.db memory.db-wal lock spool trouble settings projects python".split())
    modes = {path: path.stat().st_mode & 0o777 for path in everything}
    assert {path: oct(mode) for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == {}


def test_the_memory_keeps_itself_out_of_the_repository(a_session):
    assert (a_session.memory / ".gitignore").read_text() == "*\n"


def test_every_event_of_the_manifest_has_been_fired(a_project, monkeypatch):
    """`every_event`, on which so much above rests, means what it says."""
    fired = set()
    send = type(a_project).send
    monkeypatch.setattr(type(a_project), "send", lambda hook, name, data: fired.add(name) or send(hook, name, data))
    a_project.every_event()
    assert fired == set(NAMES)
    assert json.loads(a_project.event("Stop"))["hook_event_name"] == "Stop"
