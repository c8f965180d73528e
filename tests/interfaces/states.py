"""States in which a project may be, each made for real, with what is true of it."""

import json
import os
import shutil
import subprocess
from collections import namedtuple

from tests.faults.layouts import git
from tests.hook import ordinary_owner
from tests.interfaces.cli.broken import newer, without_tables
from tests.interfaces.cli.situations import held, replay
from tests.interfaces.cli.test_ralph import CHECK, program

# What somebody is to be told: the word of the state, what stands behind it, and the environment and folder in which they look.
State = namedtuple("State", "word why environment cwd", defaults=("", {}, None))

RECORDING, NOT_YET, OFF, PAUSED = "recording since", "not yet", "off", "paused"
STATES = {}
NOBODY_HEARD, UNUSABLE = "no session was heard here", "the memory cannot be used"


def state(words, starts="a_person"):
    """Enter a function into the table, under the words that tell what it makes, with the situation that it starts from."""

    def enter(make):
        assert words not in STATES
        STATES[words] = (starts, make)
        return make

    return enter


# Recorded


@state("at work")
def _(person, _stack):
    return State(RECORDING)


@state("begun, with nothing recorded yet", "a_newcomer")
def _(person, _stack):
    person.start()
    return State(RECORDING)


@state("telling is switched off")
def _(person, _stack):
    (person.memory / "config.yaml").write_text("memory:\n  auto_inject: false\n")
    return State(RECORDING, "telling nothing")


@state("told nothing by its level")
def _(person, _stack):
    return State(RECORDING, "telling nothing", {"RALPH_MEM_MEMORY_TELL": "off"})


@state("paused, and switched on by a variable")
def _(person, _stack):
    (person.memory / "off").touch()
    return State(RECORDING, "", {"RALPH_MEM_RECORDING": "on"})


@state("looked at from a folder inside")
def _(person, _stack):
    subprocess.run(["git", "init", "-q", person.project], check=True)
    (person.project / "src").mkdir()
    return State(RECORDING, "", {}, person.project / "src")


@state("looked at from another worktree")
def _(person, _stack):
    subprocess.run(["git", "init", "-q", "-b", "main", person.project], check=True)
    git(person.project, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "x")
    git(person.project, "worktree", "add", "-q", "-b", "side", person.folder / "side")
    return State(RECORDING, str(person.project), {}, person.folder / "side")


@state("events wait for the database")
def _(person, _stack):
    with held(person):
        person.bash("make mast", "ok")
    return State(RECORDING, "1 event waits")


@state("its config is broken")
def _(person, _stack):
    (person.memory / "config.yaml").write_text("memory: [\n")
    return State(RECORDING, "config: ")


@state("the config for all projects is broken")
def _(person, _stack):
    (person.home / ".config" / "ralph-mem").mkdir(parents=True, exist_ok=True)
    (person.home / ".config" / "ralph-mem" / "config.yaml").write_text("recording: perhaps\n")
    return State(RECORDING, "config: ")


@state("the memory of all projects is broken")
def _(person, _stack):
    (person.home / ".config" / "ralph-mem").mkdir(parents=True, exist_ok=True)
    (person.home / ".config" / "ralph-mem" / "memory.db").write_bytes(b"junk" * 2000)
    return State(RECORDING, "trouble: ")


@state("all projects take too much")
def _(person, _stack):
    (person.home / ".config" / "ralph-mem").mkdir(parents=True, exist_ok=True)
    (person.home / ".config" / "ralph-mem" / "config.yaml").write_text("memory:\n  quota_mb: 1\n")
    store = person.data / "snapshots" / "shop-1234abcd" / "store.db"
    store.parent.mkdir(parents=True)
    store.write_bytes(bytes(2_000_000))
    return State(RECORDING)


@state("all of it was forgotten")
def _(person, _stack):
    person.confirms("forget", "--all")
    return State(NOT_YET, "what was recorded here is forgotten")


@state("an earlier release was seen last")
def _(person, _stack):
    with person.connect() as db:
        db.execute("INSERT OR REPLACE INTO properties (key, value) VALUES ('release', '0.0.9')")
    return State(RECORDING)


@state("a loop is at work")
def _(person, _stack):
    looping(person)
    return State(RECORDING)


@state("a loop has ended elsewhere")
def _(person, _stack):
    looping(person)
    person.environment["CLAUDE_CODE_SESSION_ID"] = person.session
    person.cli("ralph", "stop")
    return State(RECORDING)


def looping(person):
    program(person.project / "check.sh", CHECK)
    (person.project / "state").write_text("broken\n")
    shown = person.types("ralph", 'start "mend it" --criteria custom=./check.sh')
    digits = shown.rpartition("--accept ")[2].split()[0]
    person.types("ralph", f'start "mend it" --criteria custom=./check.sh --accept {digits}')


# Not yet recorded


@state("new", "a_newcomer")
def _(person, _stack):
    return State(NOT_YET, NOBODY_HEARD)


@state("new, in a repository", "a_newcomer")
def _(person, _stack):
    subprocess.run(["git", "init", "-q", person.project], check=True)
    return State(NOT_YET, NOBODY_HEARD)


@state("nothing but a note of the terminal", "a_newcomer")
def _(person, _stack):
    person.reads("inject", "a note")
    return State(NOT_YET, NOBODY_HEARD)


@state("nothing but what was imported", "a_newcomer")
def _(person, _stack):
    folder = person.home / ".claude" / "projects" / "-project"
    folder.mkdir(parents=True)
    entry = {"type": "user", "uuid": "1", "sessionId": "22222222-2222-4222-8222-222222222222", "cwd": str(person.project)}
    entry |= {"timestamp": "2026-11-01T10:00:00.000Z", "message": {"role": "user", "content": "Why is zirconium grey?"}}
    (folder / "22222222-2222-4222-8222-222222222222.jsonl").write_text(json.dumps(entry) + "\n")
    person.reads("import")
    return State(NOT_YET, NOBODY_HEARD)


@state("the memory was taken away")
def _(person, _stack):
    shutil.rmtree(person.memory)
    return State(NOT_YET, "the memory was taken away")


@state("the memory is junk")
def _(person, _stack):
    person.database.write_bytes(b"junk" * 2000)
    return State(NOT_YET, UNUSABLE)


@state("the memory is of a newer release")
def _(person, _stack):
    newer(person)
    return State(NOT_YET, UNUSABLE)


@state("the memory has no tables of ours")
def _(person, _stack):
    without_tables(person)
    return State(NOT_YET, UNUSABLE)


@state("the memory is a folder")
def _(person, _stack):
    for path in person.memory.glob("memory.db*"):
        path.unlink()
    person.database.mkdir()
    return State(NOT_YET, UNUSABLE)


@state("somebody else's memory came with the project", "a_newcomer")
def _(person, _stack):
    replay(person)
    shutil.rmtree(person.data)
    shutil.rmtree(person.home / ".config", ignore_errors=True)
    return State(NOT_YET, UNUSABLE)


@state("somebody else's memory was set aside", "a_newcomer")
def _(person, _stack):
    replay(person)
    shutil.rmtree(person.data)
    shutil.rmtree(person.home / ".config", ignore_errors=True)
    person.another().start()
    return State(RECORDING)


# Off


@state("paused")
def _(person, _stack):
    person.types("mem", "pause")
    return State(PAUSED, "/off")


@state("paused before anything was recorded", "a_newcomer")
def _(person, _stack):
    person.reads("pause")
    return State(PAUSED, "/off")


@state("off by its own config")
def _(person, _stack):
    (person.memory / "config.yaml").write_text("recording: off\n")
    return State(OFF, "config.yaml")


@state("off by the config for all projects", "a_newcomer")
def _(person, _stack):
    (person.home / ".config" / "ralph-mem").mkdir(parents=True)
    (person.home / ".config" / "ralph-mem" / "config.yaml").write_text("recording: off\n")
    return State(OFF, "config.yaml")


@state("off by a variable")
def _(person, _stack):
    return State(OFF, "RALPH_MEM_RECORDING", {"RALPH_MEM_RECORDING": "off"})


@state("off where nobody attends", "a_newcomer")
def _(person, _stack):
    return State(OFF, "CI", {"CI": "true", "CLAUDE_CODE_SESSION_ATTENDED": "0"})


# Cannot be written or read


@state("its folder cannot be written")
def _(person, stack):
    rights(person, stack, 0o500)
    return State(NOT_YET, "cannot write in")  # it is read, and what happens waits outside of it


@state("its folder cannot be read")
def _(person, stack):
    rights(person, stack, 0o000)
    return State(NOT_YET, UNUSABLE)


@state("another program holds it")
def _(person, stack):
    stack.enter_context(held(person))
    return State(RECORDING)


def rights(person, stack, mode):
    person.wrap = ordinary_owner() or person.wrap
    for path in sorted(person.memory.rglob("*")):
        stack.callback(os.chmod, path, path.stat().st_mode)
        path.chmod(0o400)
    stack.callback(os.chmod, person.memory, person.memory.stat().st_mode)
    person.memory.chmod(mode)
