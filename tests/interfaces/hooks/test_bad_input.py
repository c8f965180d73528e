"""Whatever a hook is given on stdin, as argument, as place or as interpreter: exit 0, silent, and the next event is stored."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ralph_mem.hosts.claude_code import event
from tests import clock
from tests.hook import HANGS_S, INTERPRETER, NAMES, Hook, fixture, ordinary_owner

KB, MB = 1024, 1024 * 1024
# The interpreter alone takes some 9 MB. Of an event, 2 MiB are kept in a few forms.
PEAK_MB = {1: 25, 100: 64}
LARGEST_S = 5
SILENCE_S = 2
# The client gives the hook of a tool five seconds, then kills it.
PATIENCE_S = 4

BASH = json.loads(fixture("PostToolUse.Bash.json"))
EVENTS = {
    "SessionStart": "SessionStart.startup-interactive.json",
    "UserPromptSubmit": "UserPromptSubmit.json",
    "PostToolUse": "PostToolUse.Bash.json",
    "PostToolUse (edit)": "PostToolUse.Edit.json",
    "PostToolUse (read)": "PostToolUse.Read.json",
    "PostToolUseFailure": "PostToolUseFailure.json",
    "Stop": "Stop.json",
    "SubagentStop": "SubagentStop.json",
    "PreCompact": "PreCompact.json",
    "PostCompact": "PostCompact.json",
    "SessionEnd": "SessionEnd.json",
}
WRONG = [None, True, 7, -1, 10**30, 1e308, [], {}, "", [["x"]], {"x": {"y": 1}}, "x" * 300]


def fields_of(hook, name):
    """Return a captured event as a mapping, moved into this project and session."""
    fields = json.loads(fixture(EVENTS[name]).replace(b"/home/user/project", bytes(hook.project)))
    return {**fields, "session_id": hook.session, "prompt_id": hook.turn}


def is_well(hook):
    """Say whether the memory still takes an event, holds only text that is UTF-8 and JSON, and is whole."""
    before = hook.values("SELECT count(*) FROM observations")[0]
    hook.bash("make something", "made")
    assert hook.values("SELECT count(*) FROM observations")[0] == before + 1
    assert hook.spooled() == []
    assert hook.values("SELECT metadata FROM observations WHERE NOT json_valid(coalesce(metadata, '{}'))") == []
    return hook.damage() == []


# What stands on stdin

UNREADABLE = {
    "nothing": b"",
    "white space": b" \n\t ",
    "a word": b"hello",
    "null": b"null",
    "a number": b"7",
    "a list": b"[1, 2, 3]",
    "an empty object": b"{}",
    "an object without a session": b'{"tool_name": "Bash"}',
    "junk": bytes(range(256)) * 64,
    "zeros": b"\0" * 4096,
    "UTF-16": json.dumps(BASH).encode("utf-16"),
    "half a character": b'{"session_id": "\xe2\x82',
    "200,000 brackets": b"[" * 200_000,
    "200,000 braces": b'{"a":' * 200_000,
}


@pytest.mark.check
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_understood_leaves_nothing(a_project, name, what):
    assert a_project.send(name, UNREADABLE[what]) == {}
    assert not a_project.memory.exists()
    assert a_project.spooled() == []


@pytest.mark.check
@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_understood_does_not_disturb_a_session(a_session, data):
    for name in ("PostToolUse", "UserPromptSubmit", "Stop"):
        a_session.send(name, data)
    assert a_session.values("SELECT count(*) FROM turns") == [0]
    assert is_well(a_session)


@pytest.mark.check
@pytest.mark.parametrize("name", EVENTS)
def test_an_event_cut_anywhere_is_stored_as_far_as_it_goes_or_not_at_all(a_session, name):
    whole = json.dumps(fields_of(a_session, name)).encode()
    for end in range(1, len(whole), 50):
        a_session.send(name.split()[0], whole[:end])
    assert set(a_session.values("SELECT client_session FROM sessions")) == {a_session.session}
    assert is_well(a_session)


def test_a_command_whose_output_was_cut_off_is_stored_with_what_there_is(a_session):
    whole = a_session.event("PostToolUse", tool_name="Bash", tool_input={"command": "make it"}, tool_response={"stdout": "one two"})
    a_session.send("PostToolUse", whole[: whole.index(b" two")])
    assert a_session.rows("SELECT title, content FROM observations") == [("make it", "one")]


@pytest.mark.check
@pytest.mark.parametrize("name", EVENTS)
def test_a_field_of_the_wrong_type_counts_as_missing(a_session, name):
    whole = fields_of(a_session, name)
    for number, value in enumerate(WRONG):
        for key in set(whole) - {"session_id", "hook_event_name"}:
            strange = {**whole, "tool_use_id": f"toolu_{name}_{number}_{key}", key: value}
            a_session.send(name.split()[0], json.dumps(strange).encode())
    assert a_session.spooled() == []
    assert is_well(a_session)


@pytest.mark.check
@pytest.mark.parametrize("value", WRONG)
def test_a_session_id_that_is_no_text_leaves_nothing(a_project, value):
    for name in NAMES:
        fields = {"session_id": value, "prompt": "hi", "tool_name": "Bash", "tool_input": {"command": "make"}}
        if not isinstance(value, str) or not value:
            a_project.send(name, json.dumps(fields).encode())
    assert not a_project.database.exists()


STRANGE = {
    "half a pair": chr(0xD800),
    "a pair the wrong way round": chr(0xDFFF) + chr(0xD83D),
    "a byte in disguise": chr(0xDC80),
    "a NUL": "\0",
    "a terminal sequence": "\x1b[31m",
    "a change of direction": "\u202e",
    "an emoji": "\U0001f600",
}
TEXTS = {
    "sessions": "SELECT client_session || coalesce(transcript_path, '') || coalesce(model, '') FROM sessions",
    "turns": "SELECT event_id || prompt || response || files || files_read || lines FROM turns",
    "observations": "SELECT event_id || title || content || files || lines || coalesce(tool_name, '') FROM observations",
}


def texts_in(value, way=()):
    """Return the ways to every text inside an event."""
    if isinstance(value, str):
        return [way]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    return [found for key, item in items for found in texts_in(item, (*way, key))]


def with_text(value, way, added):
    """Return an event with something added to the text at this way."""
    if not way:
        return value + added
    changed = value.copy()
    changed[way[0]] = with_text(value[way[0]], way[1:], added)
    return changed


@pytest.mark.check
@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("added", STRANGE.values(), ids=STRANGE)
def test_a_strange_character_in_any_text_does_not_cost_the_event(a_session, name, added):
    whole = fields_of(a_session, name)
    ways = [way for way in texts_in(whole) if way not in {("hook_event_name",), ("tool_name",), ("source",)}]
    for number, way in enumerate(ways):
        data = json.dumps(with_text({**whole, "tool_use_id": f"toolu_{number}", "prompt_id": f"prompt-{number}"}, way, added))
        a_session.send(name.split()[0], data.encode())
    for name_of, sql in TEXTS.items():
        for text in a_session.values(sql):
            assert text.encode("utf-8"), name_of
    assert [path.read_text() for path in [*a_session.data.glob("spool/*/*"), *a_session.data.glob("trouble/*")]] == []
    assert is_well(a_session)


def test_a_lone_surrogate_is_stored_as_a_replacement_character(a_session):
    a_session.prompt("a \ud800 b")
    a_session.bash("make \udfff", "c \ud83d d")
    a_session.stop("e \udc80 f")
    assert a_session.rows("SELECT prompt, response FROM turns") == [("a \ufffd b", "e \ufffd f")]
    assert a_session.rows("SELECT title, content FROM observations") == [("make \ufffd", "c \ufffd d")]


def test_of_a_key_that_comes_twice_the_last_one_counts(a_session):
    whole = a_session.event("UserPromptSubmit", prompt="first").decode()
    a_session.send("UserPromptSubmit", whole.replace('"prompt": "first"', '"prompt": "first", "prompt": "last"').encode())
    assert a_session.values("SELECT prompt FROM turns") == ["last"]


def test_numbers_that_are_none_in_json_do_not_get_into_the_metadata(a_session):
    whole = a_session.event("PostToolUse", tool_name="Bash", tool_input={"command": "make"}, duration_ms="HERE").decode()
    for number, strange in enumerate(("NaN", "Infinity", "-Infinity", "1e999")):
        data = whole.replace('"HERE"', f'{strange}, "tool_use_id": "toolu_{number}"')
        a_session.send("PostToolUse", data.encode())
    assert a_session.values("SELECT count(*) FROM observations") == [4]
    assert is_well(a_session)


@pytest.mark.parametrize("depth", [5, 300, 900, 5000])
def test_a_deeply_nested_response_does_not_cost_the_event(a_session, depth):
    response = "HERE"
    data = a_session.event("PostToolUse", tool_name="mcp__files__tree", tool_input={"path": "src"}, tool_response=response)
    a_session.send("PostToolUse", data.replace(b'"HERE"', b"[" * depth + b'"leaf"' + b"]" * depth))
    assert a_session.values("SELECT title FROM observations") == ["mcp__files__tree: src"]


# How much of it, and how fast

MEASURE = (
    "import os, resource, sys\n"
    "status = os.spawnv(os.P_WAIT, sys.argv[2], sys.argv[2:])\n"
    "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
    "sys.exit(status)\n"
)


@pytest.mark.check
@pytest.mark.parametrize("megabytes", PEAK_MB)
def test_a_large_event_costs_little_memory_and_keeps_head_tail_and_id(a_session, megabytes):
    peak = a_session.home / "peak"
    a_session.wrap = [str(INTERPRETER), "-I", "-S", "-c", MEASURE, str(peak)]
    output = "the first line\n" + "x = 1234567\n" * (megabytes * MB // 12) + "the last line"
    watch = clock.Watch()
    a_session.bash("make everything", output, tool_use_id="toolu_large")
    assert watch.free() < LARGEST_S
    assert int(peak.read_text()) / KB <= PEAK_MB[megabytes]
    ((event_id, content),) = a_session.rows("SELECT event_id, content FROM observations")
    assert event_id.endswith("toolu_large")
    assert content.startswith("the first line\n") and content.endswith("\nthe last line") and len(content) < 4 * KB


def test_the_measure_of_memory_sees_memory(tmp_path):
    """The figures above would mean nothing if a hook that took 100 MB showed less."""
    hungry = [str(INTERPRETER), "-c", "print(len(b'x' * 100_000_000))"]
    subprocess.run([str(INTERPRETER), "-I", "-S", "-c", MEASURE, str(tmp_path / "peak"), *hungry], check=True, capture_output=True)
    assert int((tmp_path / "peak").read_text()) / KB > PEAK_MB[100]


def wait_for(process):
    """Return exit code, both streams, and how long it took."""
    watch = clock.Watch()
    process.wait(timeout=HANGS_S)
    return process.returncode, process.stdout.read(), process.stderr.read(), watch.free()


@pytest.mark.check
@pytest.mark.parametrize("name", NAMES)
def test_a_stdin_that_is_never_closed_does_not_hold_up_the_client(a_session, name):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with a_session.open(name, **pipes) as process:
        code, out, err, seconds = wait_for(process)
    assert (code, out, err) == (0, b"", b"")
    assert seconds < SILENCE_S


def test_an_event_that_is_whole_counts_although_stdin_stays_open(a_session):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with a_session.open("UserPromptSubmit", **pipes) as process:
        process.stdin.write(a_session.event("UserPromptSubmit", prompt="Is anybody there?"))
        process.stdin.flush()
        code, _, err, seconds = wait_for(process)
    assert (code, err) == (0, b"")
    assert seconds < SILENCE_S
    assert a_session.values("SELECT prompt FROM turns") == ["Is anybody there?"]


@pytest.mark.check
@pytest.mark.parametrize("pause", [1, 0.2])
def test_an_event_that_trickles_in_is_given_up(a_session, pause):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    watch = clock.Watch()
    with a_session.open("PostToolUse", **pipes) as process:
        data = a_session.event("PostToolUse", tool_name="Bash", tool_input={"command": "make"})
        for byte in data[:60]:
            if process.poll() is not None:
                break
            process.stdin.write(bytes([byte]))
            process.stdin.flush()
            time.sleep(pause)
        code, out, err, _ = wait_for(process)
        assert (code, out, err) == (0, b"", b"")
        assert watch.free() < PATIENCE_S


def test_an_event_that_comes_in_pieces_is_stored(a_session):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    data = a_session.event("UserPromptSubmit", prompt="piece by piece")
    with a_session.open("UserPromptSubmit", **pipes) as process:
        for start in range(0, len(data), 100):
            process.stdin.write(data[start : start + 100])
            process.stdin.flush()
            time.sleep(0.05)
        process.stdin.close()
        assert wait_for(process)[:3] == (0, b"", b"")
    assert a_session.values("SELECT prompt FROM turns") == ["piece by piece"]


# How it is called


@pytest.mark.parametrize("words", [[], [""], ["no-such-event"], ["../door"], ["--help"], ["SESSION-START"], ["é\udcff"]])
def test_an_unknown_name_of_an_event_leaves_nothing(a_project, words):
    command = [str(a_project.plugin / "hooks" / "run"), *words]
    data = a_project.event("SessionStart", source="startup")
    done = subprocess.run(command, input=data, env=a_project.environment, cwd=a_project.project, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not a_project.database.exists()


SHELL = ["/bin/sh", "-c"]
CLOSED = {
    "stdin": '"$0" "$@" <&-',
    "stdout": '"$0" "$@" >&-',
    "stderr": '"$0" "$@" 2>&-',
    "stdout and stderr": '"$0" "$@" >&- 2>&-',
    "all three": '"$0" "$@" <&- >&- 2>&-',
    "stdout, which is full": '"$0" "$@" >/dev/full',
    "stderr, which is full": '"$0" "$@" 2>/dev/full',
    "stdout, whose reader has gone": '"$0" "$@" | true',
}


@pytest.fixture
def a_session_with_much_to_say(a_session):
    """Make a memory that answers "zeppelin" with a few hundred words."""
    a_session.prompt("Why does the zeppelin leak hydrogen?")
    a_session.stop("The zeppelin leaks because its valve is open. " * 20)
    later = a_session.another()
    later.start()
    return later


@pytest.mark.check
@pytest.mark.parametrize("what", CLOSED)
@pytest.mark.parametrize("name", NAMES)
def test_a_closed_stream_costs_nothing_but_itself(a_session_with_much_to_say, name, what):
    hook = a_session_with_much_to_say
    hook.wrap = [*SHELL, CLOSED[what]]
    data = hook.event(name, prompt="What of the zeppelin and its hydrogen?", tool_name="Bash", tool_input={"command": "make"})
    ran = hook.run(name, data)
    assert (ran.code, ran.err) == (0, b"")
    # a file that is opened gets the number of a stream that is closed
    assert (hook.memory / "lock").read_bytes() == b""
    hook.wrap = []
    assert is_well(hook)


@pytest.mark.parametrize("what", [what for what in CLOSED if "stdin" not in what and "three" not in what])
def test_a_prompt_is_stored_although_nobody_hears_the_answer(a_session_with_much_to_say, what):
    hook = a_session_with_much_to_say
    hook.wrap = [*SHELL, CLOSED[what]]
    hook.run("UserPromptSubmit", hook.event("UserPromptSubmit", prompt="What of the zeppelin and its hydrogen?"))
    assert hook.values("SELECT prompt FROM turns ORDER BY seq DESC LIMIT 1") == ["What of the zeppelin and its hydrogen?"]


# Where it is called


def as_an_ordinary_owner(hook):
    """Let permissions count for the hook even where the tests are run by root."""
    hook.wrap = ordinary_owner() or hook.wrap


@pytest.fixture
def read_only():
    """Take the right to write from a folder and what is in it, until the test is over."""
    taken = []

    def take(folder, mode=0o500):
        for path in [folder, *folder.rglob("*")] if mode else [folder]:
            taken.append((path, path.stat().st_mode))
            path.chmod(mode if path.is_dir() else 0o400)

    yield take
    for path, mode in taken:
        if path.parent.exists() and path.exists():
            path.chmod(mode)


@pytest.mark.check
def test_a_project_that_cannot_be_written_keeps_its_events_in_the_home(a_project, read_only):
    as_an_ordinary_owner(a_project)
    read_only(a_project.project)
    answers = a_project.every_event()
    assert [answer for answer in answers[1:] if answer] == []
    assert not a_project.memory.exists()
    assert len(a_project.spooled()) >= 5


def test_what_waited_in_the_home_comes_in_once_the_project_can_be_written(a_project, read_only):
    as_an_ordinary_owner(a_project)
    read_only(a_project.project)
    a_project.start()
    a_project.prompt("Where is the zeppelin?")
    a_project.project.chmod(0o700)
    a_project.another().start()
    assert a_project.values("SELECT prompt FROM turns") == ["Where is the zeppelin?"]
    assert a_project.spooled() == []


@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_memory_that_cannot_be_written_loses_nothing(a_session, read_only, mode):
    as_an_ordinary_owner(a_session)
    read_only(a_session.memory, mode)
    a_session.prompt("Where is the zeppelin?")
    a_session.bash("make anchor", "ok")
    assert len(list(a_session.spool.glob("*.json"))) == 2
    a_session.memory.chmod(0o700)
    for path in a_session.memory.iterdir():
        path.chmod(0o600)
    a_session.stop("It is at the mast.")
    assert a_session.rows("SELECT prompt, response FROM turns") == [("Where is the zeppelin?", "It is at the mast.")]
    assert is_well(a_session)


DAMAGES = {
    "a file for a folder": lambda hook: (shutil.rmtree(hook.memory), hook.memory.write_text("mine")),
    "a folder for a database": lambda hook: (hook.database.unlink(), hook.database.mkdir()),
    "junk": lambda hook: hook.database.write_bytes(b"This is not a database. " * 1000),
    "a database cut short": lambda hook: hook.database.write_bytes(hook.database.read_bytes()[:9000]),
    "an empty file": lambda hook: hook.database.write_bytes(b""),
    "a link to nowhere": lambda hook: (hook.database.unlink(), hook.database.symlink_to("/nowhere/memory.db")),
    "a FIFO": lambda hook: (hook.database.unlink(), os.mkfifo(hook.database)),
    "a lock that is a folder": lambda hook: ((hook.memory / "lock").unlink(), (hook.memory / "lock").mkdir()),
    "a lock that is a FIFO": lambda hook: ((hook.memory / "lock").unlink(), os.mkfifo(hook.memory / "lock")),
    "a spool that came along": lambda hook: (hook.database.write_bytes(b"junk" * 999), (hook.memory / "spool").write_text("x")),
}


# The first is a new memory, the second can be locked like a file.
HARMLESS = ("an empty file", "a lock that is a FIFO")


def break_memory(hook, what):
    for path in hook.memory.glob("memory.db-*"):
        path.unlink()
    DAMAGES[what](hook)


@pytest.fixture
def a_checkpointed_session(a_session):
    """Start a session whose database file holds everything: none of it is in the log."""
    a_session.prompt("Where is the zeppelin?")
    a_session.bash("make anchor", "ok\n" * 400)
    with a_session.connect() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return a_session


@pytest.mark.check
@pytest.mark.parametrize("what", DAMAGES)
def test_a_broken_memory_is_silent_within_the_session(a_checkpointed_session, what):
    hook = a_checkpointed_session
    break_memory(hook, what)
    for answer in (hook.prompt("Why?"), hook.bash("make mast"), hook.read("a.py"), hook.pre_compact(), hook.stop(), hook.end()):
        assert answer == {}


@pytest.mark.parametrize("what", [what for what in DAMAGES if what not in HARMLESS])
def test_a_broken_memory_is_told_in_one_line_at_the_next_start(a_checkpointed_session, what):
    hook = a_checkpointed_session
    break_memory(hook, what)
    hook.bash("make mast", "ok")
    assert "ralph-mem: " in hook.another().start().get("systemMessage", "")


@pytest.mark.parametrize("what", ["junk", "a database cut short", "a folder for a database"])
def test_a_broken_memory_is_kept_beside_the_new_one_and_nothing_new_is_lost(a_checkpointed_session, what):
    hook = a_checkpointed_session
    break_memory(hook, what)
    before = hook.database.read_bytes() if hook.database.is_file() else None
    hook.prompt("Will this be kept?")
    hook.another().start()
    kept = [*hook.memory.glob("memory.db.unknown-*"), *hook.memory.glob("damaged/*/memory.db")]
    assert any((path.read_bytes() if path.is_file() else None) == before for path in kept)
    assert "Will this be kept?" in hook.values("SELECT prompt FROM turns") and hook.spooled() == []


HOMES = {
    "none": {"HOME": None},
    "empty": {"HOME": ""},
    "the root": {"HOME": "/"},
    "relative": {"HOME": "home"},
    "nowhere": {"HOME": "/proc/nowhere/at/all"},  # where not even root can make a folder
    "a file": {"HOME": "/etc/passwd"},
    "none, and a relative data home": {"HOME": None, "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"},
    "none, and the root as data home": {"HOME": None, "XDG_DATA_HOME": "/", "XDG_CONFIG_HOME": "/"},
}
OURS_AT_THE_ROOT = [Path("/.local"), Path("/.config/ralph-mem"), Path("/ralph-mem"), Path("/.ralph-mem")]


@pytest.mark.check
@pytest.mark.parametrize("what", HOMES)
def test_without_a_home_the_project_has_its_memory_and_nothing_else_is_written(a_project, what):
    hook = a_project.another(**HOMES[what])
    there = [path.exists() for path in OURS_AT_THE_ROOT]
    hook.every_event()
    assert hook.values("SELECT prompt FROM turns") == ["Why does the zeppelin test fail?"]
    assert list(hook.home.iterdir()) == []
    assert [path.exists() for path in OURS_AT_THE_ROOT] == there
    assert hook.damage() == []


def test_a_home_that_cannot_be_written_costs_nothing(a_project, read_only):
    as_an_ordinary_owner(a_project)
    read_only(a_project.home)
    assert [answer for answer in a_project.every_event()[1:] if answer] == []
    assert a_project.values("SELECT count(*) FROM observations") == [5]


def test_the_data_home_that_xdg_names_is_honoured(a_project):
    hook = a_project.another(XDG_DATA_HOME=str(a_project.home / "data"), XDG_CONFIG_HOME=str(a_project.home / "config"))
    hook.every_event()
    assert [path.name for path in hook.home.iterdir()] == ["data"]
    assert (hook.home / "data" / "ralph-mem" / "python").read_text().strip() == str(INTERPRETER)


def test_a_data_home_that_a_repository_could_bring_names_no_interpreter(a_project):
    """XDG says that a relative path counts for nothing; here it would run a program that came with a clone."""
    hook = a_project.another(XDG_DATA_HOME="data")
    planted = hook.project / "data" / "ralph-mem"
    planted.mkdir(parents=True)
    program(planted / "evil", f"touch {hook.home}/evil")
    (planted / "python").write_text(str(planted / "evil") + "\n")
    hook.every_event()
    assert not (hook.home / "evil").exists()
    assert hook.values("SELECT count(*) FROM turns") == [1]


def test_a_folder_that_is_gone_does_not_matter_to_a_known_project(a_session, tmp_path):
    a_session.cwd = tmp_path / "elsewhere"
    a_session.cwd.mkdir()
    a_session.wrap = [*SHELL, 'rmdir "$PWD"; "$0" "$@" 2>"$HOME/err"']
    a_session.prompt("Where am I?")
    assert a_session.values("SELECT prompt FROM turns") == ["Where am I?"]
    # the shell itself may complain, before our script is read
    assert "Traceback" not in (a_session.home / "err").read_text()


@pytest.mark.check
def test_a_project_that_is_gone_is_not_brought_back(a_session, tmp_path):
    shutil.rmtree(a_session.project)
    a_session.cwd = tmp_path
    for _ in range(2):
        a_session.every_event()
    assert not a_session.project.exists()


PLACES = {
    "spaces": "my  project ",
    "quotes": 'it\'s "quoted" `here` $(there)',
    "a new line": "two\nlines",
    "an emoji": "rocket \U0001f680",
    "a percent sign": "100%20%zz",
    "a question mark": "what?mode=memory&x=",
    "a hash": "number#1",
    "a semicolon": "a;b&&c|d",
    "a backslash": "back\\slash",
    "a leading dash": "-rf",
    "bytes that are no UTF-8": b"caf\xe9 \xff",
    "250 characters": "x" * 250,
    "370 characters": "/".join(["y" * 92] * 4),
}


@pytest.fixture(params=PLACES)
def a_project_at_a_strange_place(request, tmp_path, plugin):
    """Make a project whose path needs care."""
    return Hook(tmp_path / "person", plugin, PLACES[request.param])


@pytest.mark.check
def test_a_project_may_lie_anywhere(a_project_at_a_strange_place):
    hook = a_project_at_a_strange_place
    for answer in hook.every_event():
        assert answer == {}
    assert hook.rows("SELECT prompt, response, files_read, files FROM turns") == [
        ("Why does the zeppelin test fail?", "It flies.", "hello.py\n", "hello.py\n")
    ]
    assert hook.values("SELECT end_reason FROM sessions") == ["other"]
    assert list(hook.project.iterdir()) == [hook.memory]
    assert is_well(hook)


def test_a_path_too_long_for_sqlite_is_told_at_the_start_and_silent_after(tmp_path, plugin):
    start, *others = Hook(tmp_path, plugin, "/".join(["y" * 200] * 5)).every_event()
    assert "too long for a database" in start.get("systemMessage", "")
    assert others == [{}] * len(others)


@pytest.mark.parametrize("way", ["/{}", "{}/", "{}/.", "{}//"])
def test_a_path_may_be_written_in_more_than_one_way(a_project, way):
    hook = a_project.another(CLAUDE_PROJECT_DIR=way.format(a_project.project))
    hook.every_event()
    assert hook.values("SELECT prompt FROM turns") == ["Why does the zeppelin test fail?"]


# Which interpreter there is


def program(path, script):
    """Write a shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + script + "\n")
    path.chmod(0o700)
    return path


def remember(hook, interpreter):
    """Let `hooks/run` start this in place of the python3 on PATH, as if an earlier session start had found it."""
    hook.data.mkdir(parents=True, exist_ok=True)
    (hook.data / "python").write_text(f"{interpreter}\n")


# Runs hooks/run.py under the real interpreter, after something that takes a module's place.
INSTEAD = """while [ "${{1##*/}}" != run.py ]; do shift; done
exec {python} -W ignore -I -S -c 'import sys
{poison}
del sys.argv[0]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {{"__name__": "__main__", "__file__": sys.argv[0]}})' "$@"
"""
NO_SQLITE = 'sys.modules["_sqlite3"] = sys.modules["sqlite3"] = None'
NO_FTS5 = """
import _sqlite3
class Connection(_sqlite3.Connection):
    def execute(self, sql, *values):
        if "fts" in sql:
            raise _sqlite3.OperationalError("no such module: fts5")
        return super().execute(sql, *values)
real = _sqlite3.connect
_sqlite3.connect = lambda *given, **named: real(*given, **dict(named, factory=Connection))
"""
POOR = {"no sqlite": NO_SQLITE, "no FTS5": NO_FTS5}


def poor_interpreter(hook, what):
    script = INSTEAD.format(python=INTERPRETER, poison=POOR[what].replace("'", "'\\''"))
    return program(hook.home / "poor" / "python3", script)


def test_an_interpreter_that_lacks_nothing_is_what_the_next_tests_start_from(a_project, monkeypatch):
    monkeypatch.setitem(POOR, "nothing", "")
    remember(a_project, poor_interpreter(a_project, "nothing"))
    a_project.every_event()
    assert a_project.values("SELECT prompt FROM turns") == ["Why does the zeppelin test fail?"]


@pytest.mark.check
@pytest.mark.parametrize("what", POOR)
def test_an_interpreter_that_lacks_something_is_told_at_the_start_and_silent_after(a_project, what):
    remember(a_project, poor_interpreter(a_project, what))
    start, *others = a_project.every_event()
    assert [answer for answer in others if answer] == []
    assert "ralph-mem" in start.get("systemMessage", "")


def test_an_interpreter_without_sqlite_is_told_of_once_and_with_what_to_do(a_project):
    remember(a_project, poor_interpreter(a_project, "no sqlite"))
    first, again = [a_project.every_event()[0] for _ in range(2)]
    assert "was built without SQLite; put a python3 that has it first on PATH" in first["systemMessage"] and not again


def test_a_memory_made_by_a_full_interpreter_loses_nothing_under_one_without_fts5(a_session):
    remember(a_session, poor_interpreter(a_session, "no FTS5"))
    a_session.prompt("Is this kept?")
    a_session.bash("make mast", "ok")
    remember(a_session, INTERPRETER)
    a_session.stop("It was.")
    assert a_session.rows("SELECT prompt, response FROM turns") == [("Is this kept?", "It was.")]
    assert is_well(a_session)


@pytest.mark.parametrize("interpreter", ["/nowhere/python3", "", "/", "/etc/passwd"])
def test_a_remembered_interpreter_that_is_gone_does_not_matter(a_project, interpreter):
    remember(a_project, interpreter)
    a_project.every_event()
    assert a_project.values("SELECT prompt FROM turns") == ["Why does the zeppelin test fail?"]


def versions(*wanted):
    """Return what a version manager has, looked for before the suite's own home takes the place of the real one."""
    return {version: sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3")) for version in wanted}


OLD = versions("3.6", "3.7", "3.8")
NEW = versions("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")


def interpreter_of(version):
    """Return a Python of this version that can be run, or skip and say that there is none."""
    for found in filter(None, [shutil.which(f"python{version}"), *{**OLD, **NEW}[version]]):
        done = subprocess.run([found, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
        if done.stdout.strip() == version:
            return found
    return pytest.skip(f"there is no Python {version} here")


@pytest.mark.check
@pytest.mark.parametrize("version", NEW)
def test_every_python_from_3_9_on_will_do_and_warns_of_nothing(a_project, version):
    remember(a_project, program(a_project.home / "strict" / "python3", f'exec {interpreter_of(version)} -W error "$@"'))
    a_project.every_event()
    assert a_project.rows("SELECT prompt, response FROM turns") == [("Why does the zeppelin test fail?", "It flies.")]
    assert is_well(a_project)
    assert a_project.another().prompt("Why does the zeppelin test fail again?") != {}


@pytest.mark.parametrize("version", OLD)
def test_an_interpreter_that_is_too_old_says_so_once(a_project, version):
    remember(a_project, interpreter_of(version))
    assert f"python3 is {version}" in a_project.start()["systemMessage"]
    assert [answer for answer in a_project.every_event() if answer] == []
    assert not a_project.memory.exists()


@pytest.fixture
def without_python(a_project):
    """Make a client on whose PATH there is no python3."""
    tools = a_project.home / "bin"
    tools.mkdir()
    (tools / "mkdir").symlink_to(shutil.which("mkdir"))
    a_project.environment["PATH"] = str(tools)
    return a_project


def test_without_python_the_shell_says_so_once(without_python):
    assert without_python.start()["systemMessage"].startswith("ralph-mem remembers nothing here: python3")
    assert [answer for answer in without_python.every_event() if answer] == []
    assert not without_python.memory.exists()


def test_without_python_a_large_event_is_no_broken_pipe(without_python):
    assert without_python.bash("make", "x" * MB) == {}


@pytest.mark.parametrize("version", ["none", *OLD])
def test_what_remembers_that_it_was_said_is_nobody_elses(without_python, version):
    if version != "none":
        without_python.environment["PATH"] += os.pathsep + str(Path(interpreter_of(version)).parent)
    without_python.wrap = [*SHELL, 'umask 000; "$0" "$@"']
    without_python.start()
    assert without_python.data.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in without_python.data.iterdir()] == [0o600]


@pytest.mark.parametrize("version", ["none", *OLD])
def test_without_a_home_an_unfit_interpreter_writes_nothing(without_python, version):
    if version != "none":
        without_python.environment["PATH"] += os.pathsep + str(Path(interpreter_of(version)).parent)
    hook = without_python.another(HOME=None, XDG_DATA_HOME="data")
    hook.start()
    assert list(hook.project.iterdir()) == []


# Random events

KEYS = st.sampled_from(sorted({key for name in EVENTS.values() for key in json.loads(fixture(name))} | {"command", "content"}))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=6),
    max_leaves=20,
)
DOCUMENTS = VALUES.map(lambda value: json.dumps(value).encode())
QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=500, **QUIET)
@given(DOCUMENTS | st.binary(max_size=300), st.binary(max_size=60), st.integers(0, 300))
def test_whatever_comes_is_understood_as_a_mapping(document, junk, cut):
    pieces = [(document, b""), (document[:cut], b""), (document + junk, b""), (document[:cut], document[cut:]), (junk, document)]
    for head, tail in pieces:
        assert type(event.parse(head, tail)) is dict


@settings(max_examples=150, **QUIET)
@given(st.dictionaries(KEYS, VALUES, max_size=12))
@example({"session_id": "\ud800"})
@example({"cwd": "\0"})
def test_a_whole_mapping_is_understood_as_it_is(mapping):
    wanted = json.loads(json.dumps(mapping))
    assert repr(event.parse(json.dumps(mapping).encode())) == repr(wanted)


IDS = ("session_id", "prompt_id", "tool_name", "tool_use_id")
LINES = st.lists(st.text(st.characters(codec="utf-8"), max_size=80), min_size=1, max_size=30)


@st.composite
def large_events(draw):
    """Make an event whose output is what is cut: as one text, as a diff of many lines, or as a list of texts."""
    lines = draw(LINES)
    text = "\n".join(lines) * 30 + "x" * 400
    response = draw(
        st.sampled_from([
            {"stdout": text, "stderr": "", "interrupted": False},
            {"filePath": "a.py", "originalFile": text, "structuredPatch": [{"oldStart": 1, "lines": lines * 9}], "newString": text},
            [{"type": "text", "text": line} for line in lines * 9],
            {"file": {"content": text, "numLines": 7}, "more": [[line] for line in lines * 9]},
        ])
    )  # fmt: skip
    whole = {**BASH, "tool_input": {"command": "make " + text}, "tool_response": response}
    return json.dumps(whole, ensure_ascii=draw(st.booleans())).encode()


# What is before the cut ends inside the key that follows the command.
WITH_A_KEY_CUT = json.dumps({**BASH, "tool_input": {"command": "make "}, "tool_response": ""}).encode()


@settings(max_examples=400, **QUIET)
@given(large_events(), st.floats(0, 1), st.floats(0, 1))
@example(WITH_A_KEY_CUT, 0.4, 1.0)
def test_an_event_without_its_middle_still_has_its_ids(whole, first, second):
    start, end = whole.index(b'"make ') + 6, whole.rindex(b'"tool_use_id"')
    head, tail = sorted(int(start + share * (end - start)) for share in (first, second))
    fields = event.parse(whole[:head], whole[tail:])
    assert {key: fields.get(key) for key in IDS} == {key: BASH[key] for key in IDS}


@settings(max_examples=150, **QUIET)
@given(st.data())
def test_random_events_leave_the_contract_and_the_memory_whole(a_session, data):
    name = data.draw(st.sampled_from(sorted(NAMES)))
    fields = data.draw(st.dictionaries(KEYS, VALUES, max_size=12))
    a_session.send(name, json.dumps({"session_id": a_session.session, **fields}).encode())
    assert a_session.values("PRAGMA quick_check") == ["ok"]
    assert [path.name for path in a_session.data.glob("spool/*/*")] == []
