"""The hook contract: fires hooks the way the client does, and checks after each what client and person rely on.

A hook exits with 0, says nothing or one JSON object with documented fields, is silent on stderr, leaves no process, is over
before the client would kill it, takes little memory, and writes nowhere but below the project's `.ralph-mem`, the home, and the
plugin's `__pycache__`.
"""

import atexit
import contextlib
import copy
import functools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import uuid
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from ralph_mem.core import paths
from tests.launcher import Launcher

REPOSITORY = Path(__file__).resolve().parents[1]
FIXTURES = REPOSITORY / "tests" / "fixtures" / "claude-code"
HOOKS_FILES = sorted((REPOSITORY / "hooks").glob("*.json"))
MANIFEST = {event: entry for file in HOOKS_FILES for event, entry in json.loads(file.read_text(encoding="utf-8"))["hooks"].items()}
# Event of the client -> what the manifest has the shell run.
COMMANDS = {event: ["/bin/sh", "-c", entry["hooks"][0]["command"]] for event, (entry,) in MANIFEST.items()}
NAMES = {event: re.sub(r"(?<!^)(?=[A-Z])", "-", event).lower() for event in MANIFEST}
# Event -> after how many seconds the client kills its hook.
PATIENCE = {event: entry["hooks"][0]["timeout"] for event, (entry,) in MANIFEST.items()}

INTERPRETER = Path(sys.base_prefix, "bin", "python3")
OURS = {"", str(INTERPRETER), str(INTERPRETER.resolve())}
ORDINARY_PATH = f"{INTERPRETER.parent}:/usr/bin:/bin"
DEADLINE_S = 20
HANGS_S = 120  # when nobody believes any more that it will end, whatever else the machine has to do
# What an event of any size may take at its peak; a tenth of it is the bare interpreter. A loop's checks run inside its Stop, and
# count for it.
MOST_MB = 64
# The client cuts an answer of more characters, and shows a note in its place.
LONGEST_ANSWER = 10_000
MARK = "RALPH_MEM_TEST_MARK"

COMMON_FIELDS = {"continue", "stopReason", "suppressOutput", "systemMessage"}
FIELDS = {
    "SessionStart": {"hookSpecificOutput"},
    "UserPromptSubmit": {"hookSpecificOutput", "decision", "reason"},
    "UserPromptExpansion": {"hookSpecificOutput", "decision", "reason"},
    "PostToolUse": {"hookSpecificOutput", "decision", "reason"},
    "Stop": {"hookSpecificOutput", "decision", "reason"},
    "SubagentStop": {"decision", "reason"},
}

# What root has that nobody else has: with it, permissions would prove nothing.
CAPABILITIES = "-dac_override,-dac_read_search,-fowner"


# Plugins that no test changes: the hooks of these are forks in `make test`, which a new interpreter takes ten times as long as.
# `make check` starts every one as the client does.
FORKED: "set[Path]" = set()
# Those that are looked at once, when all tests are over.
SHARED: "set[Path]" = set()


@functools.cache
def launcher(plugin=None):
    """Return what starts the hooks of this test process, or what is forked to be those of a plugin."""
    found = Launcher(INTERPRETER, plugin)
    atexit.register(found.close)
    return found


def ordinary_owner():
    """Return what to start a command with so that permissions count for it, even where the tests are run by root."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root passes over permissions, and setpriv is not installed")
    return [shutil.which("setpriv"), f"--bounding-set={CAPABILITIES}"]


def install(into):
    """Copy what an installed plugin consists of; returns the folder. A test may then do to it what it likes."""
    for name in ("hooks", "ralph_mem", "skills", ".claude-plugin"):
        shutil.copytree(REPOSITORY / name, Path(into, name), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / ".mcp.json", into)
    return Path(into)


class Hook:
    """One session of the client in a throwaway project and home. `hook.prompt("...")` fires UserPromptSubmit, and so on.

    Each of these returns what the hook answered, {} for nothing. `wrap` is put in front of the command line of each.
    """

    def __init__(self, folder, plugin=REPOSITORY, project="project"):
        self.folder, self.plugin = Path(folder), Path(plugin)
        self.home, self.cwd = self.folder / "home", None
        self.project = self.folder / os.fsdecode(project)
        self.session, self.turn = str(uuid.uuid4()), str(uuid.uuid4())
        self.wrap = []
        for path in (self.home, self.project):
            path.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "PATH": ORDINARY_PATH,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.folder),
            "CLAUDECODE": "1",
            "CLAUDE_CODE_SESSION_ATTENDED": "0",  # so that a message for the person is about trouble
            "CLAUDE_PID": str(os.getpid()),
            "CLAUDE_PROJECT_DIR": str(self.project),
            "CLAUDE_CODE_SESSION_ID": self.session,
            MARK: str(uuid.uuid4()),
        }

    def attended(self):
        """Return another session, with somebody in front of its screen."""
        return self.another(CLAUDE_CODE_SESSION_ATTENDED="1")

    def another(self, **environment):
        """Return another session of the same person in the same project; None takes a variable away."""
        other = copy.copy(self)
        other.session, other.turn = str(uuid.uuid4()), str(uuid.uuid4())
        changed = {**self.environment, "CLAUDE_CODE_SESSION_ID": other.session, MARK: str(uuid.uuid4()), **environment}
        other.environment = {name: value for name, value in changed.items() if value is not None}
        return other

    # Where things lie

    @property
    def memory(self):
        """The project's `.ralph-mem`."""
        return self.project / ".ralph-mem"

    @property
    def database(self):
        return self.memory / "memory.db"

    @property
    def data(self):
        """The person's data home."""
        return self.home / ".local" / "share" / "ralph-mem"

    @property
    def spool(self):
        """Where the events of the project wait that its database could not take."""
        return self.data / "spool" / paths.key_of(str(self.project))

    @property
    def trouble(self):
        """The line that the next session start in the project tells."""
        return self.data / "trouble" / paths.key_of(str(self.project))

    def spooled(self):
        """Return the files that wait, beside the database and in the data home."""
        return sorted([*self.memory.glob("spool/*.json"), *self.data.glob("spool/*/*.json")])

    def rows(self, sql, *values):
        """Return the rows of a query; the database is opened to be read only."""
        with closing(sqlite3.connect(f"file:{quote(os.fsencode(self.database))}?mode=ro", uri=True)) as db:
            return db.execute(sql, values).fetchall()

    def values(self, sql, *values):
        """Return the first column of a query."""
        return [row[0] for row in self.rows(sql, *values)]

    def connect(self):
        """Open the database to do something to it: `with hook.connect() as db`."""
        return closing(sqlite3.connect(self.database, isolation_level=None))

    def damage(self):
        """Name what is wrong with the database and its two indexes; to be called when nobody writes."""
        with self.connect() as db:
            found = [line for (line,) in db.execute("PRAGMA integrity_check") if line != "ok"]
            found += [str(line) for line in db.execute("PRAGMA foreign_key_check")]
            for index in ("memory_fts", "observations_fts"):
                db.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            found += _differences(db, "memories", "SELECT id FROM memories", "memory_fts")
            raw = "SELECT id FROM observations EXCEPT SELECT observation_id FROM memories"
            return found + _differences(db, "observations", raw, "observations_fts")

    # The events

    def start(self, source="startup", **fields):
        return self.fire("SessionStart", source=source, **fields)

    def prompt(self, words, **fields):
        """Say something; it opens a turn, to which the events after it belong."""
        self.turn = fields.setdefault("prompt_id", str(uuid.uuid4()))
        return self.fire("UserPromptSubmit", prompt=words, permission_mode="default", **fields)

    def tool(self, name, given, response, **fields):
        return self.fire("PostToolUse", **_call(name, given, fields), tool_response=response, duration_ms=12)

    def bash(self, command, output="", **fields):
        response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        return self.tool("Bash", {"command": command, "description": "Run it"}, response, **fields)

    def bash_failed(self, command, error, **fields):
        called = _call("Bash", {"command": command, "description": "Run it"}, fields)
        return self.fire("PostToolUseFailure", **called, error=error, is_interrupt=False, duration_ms=12)

    def edit(self, path, old, new, **fields):
        path = str(self.project / path)
        given = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
        patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-" + old, "+" + new]}]
        response = {"filePath": path, "oldString": old, "newString": new, "originalFile": old, "structuredPatch": patch}
        return self.tool("Edit", given, response, **fields)

    def read(self, path, content="", **fields):
        path = str(self.project / path)
        file = {"filePath": path, "content": content, "numLines": 1, "startLine": 1, "totalLines": 1}
        return self.tool("Read", {"file_path": path}, {"type": "text", "file": file}, **fields)

    def stop(self, said="Done.", **fields):
        return self.fire("Stop", last_assistant_message=said, stop_hook_active=False, background_tasks=[], **fields)

    def subagent_stop(self, said, agent="a0401f69919addc6e", kind="general-purpose", **fields):
        return self.fire("SubagentStop", agent_id=agent, agent_type=kind, last_assistant_message=said, **fields)

    def pre_compact(self, **fields):
        return self.fire("PreCompact", trigger="auto", custom_instructions=None, **fields)

    def post_compact(self, summary, **fields):
        return self.fire("PostCompact", trigger="auto", compact_summary=summary, **fields)

    def end(self, reason="other", **fields):
        return self.fire("SessionEnd", reason=reason, **fields)

    def every_event(self):
        """Fire each event once, as in a short session; returns the answers, but for that to a typed command."""
        answers = [
            *(self.start(), self.prompt("Why does the zeppelin test fail?"), self.read("hello.py"), self.bash("make", "ok")),
            *(self.bash_failed("make test", "Exit code 1\nError: zeppelin"), self.edit("hello.py", "a", "b")),
            *(self.subagent_stop("I looked."), self.pre_compact(), self.post_compact("<summary>It flew.</summary>")),
        ]
        self.typed("mem-status")
        return [*answers, self.stop("It flies."), self.end()]

    def typed(self, command, words=""):
        """A person types a command of ours."""
        return self.fire("UserPromptExpansion", command_name=f"ralph-mem:{command}", command_args=words)

    # How they are fired

    def event(self, name, **fields):
        """Return the JSON of an event as the client writes it."""
        common = {
            "session_id": self.session,
            "transcript_path": f"{self.home}/.claude/projects/-project/{self.session}.jsonl",
            "cwd": str(self.project),
            "prompt_id": self.turn,
            "hook_event_name": name,
        }
        if name == "SessionStart":
            del common["prompt_id"]
        return json.dumps({**common, **fields}).encode()

    def fire(self, name, **fields):
        """Fire an event under the contract."""
        return self.send(name, self.event(name, **fields))

    def send(self, name, data):
        """Fire an event with these bytes under the contract."""
        before = self._elsewhere()
        ran = self.run(name, data)
        assert ran.code == 0, ran
        assert ran.err == b"", ran
        assert ran.seconds < PATIENCE.get(name, DEADLINE_S), ran
        assert ran.peak_mb < MOST_MB or self.looping(), ran
        assert self.left_behind() == []
        assert _changes(before, self._elsewhere()) == []
        return answer_of(name, ran.out)

    def run(self, name, data=b""):
        """Run a hook and return what it did, whatever that is."""
        if self.may_be_a_fork():
            where = {"env": self.surroundings(), "cwd": str(self.cwd or self.project)}
            return launcher(self.plugin).run(data, HANGS_S, door=NAMES.get(name, name), **where)
        given = {"argv": self.wrap + self.command(name), "env": self.surroundings(), "cwd": str(self.cwd or self.project)}
        return launcher().run(data, HANGS_S, **given)

    def may_be_a_fork(self):
        """Say whether an interpreter that starts here is like the one that is forked."""
        others = [name for name in self.environment if name.startswith(("PYTHON", "LC_", "XDG_"))]
        is_ordinary = self.environment.get("PATH") == ORDINARY_PATH and self.environment.get("LANG") == "C.UTF-8"
        return self.plugin in FORKED and is_ordinary and not others and not self.wrap and self._remembered() in OURS

    def _remembered(self):
        """Return the interpreter that a session start has found here, nothing before the first."""
        try:
            return (self.data / "python").read_text().strip()
        except OSError:
            return ""

    def open(self, name, **options):
        """Start a hook and leave the rest to the caller."""
        return subprocess.Popen(self.wrap + self.command(name), cwd=self.cwd or self.project, env=self.surroundings(), **options)

    def command(self, name):
        """Return the command line of an event: the manifest's, else the script with the event's name."""
        return COMMANDS.get(name, [str(self.plugin / "hooks" / "run"), name])

    def surroundings(self):
        """Return the environment of a hook, in which the client names the plugin's folder."""
        return {**self.environment, "CLAUDE_PLUGIN_ROOT": str(self.plugin)}

    # What it must not do

    def left_behind(self):
        """Return the processes that our hooks started and that still run."""
        mark = f"{MARK}={self.environment[MARK]}".encode()
        # a system without /proc tells nobody's environment
        names = os.listdir("/proc") if os.path.isdir("/proc") else []
        return [int(name) for name in names if name.isdecimal() and mark in _environment_of(name)]

    def looping(self):
        """Say whether a loop is live for this person."""
        return any(self.data.glob("loops/*/live.json"))

    def _elsewhere(self):
        """Return the state of every file that a hook may not touch, of those it could reach by mistake."""
        ours = {str(self.home), str(self.memory)}
        own = {**_tree(self.folder, ours), **_tree(self.plugin / "hooks", set())}
        # what no test changes is looked at once, when all of them are over
        return own if self.plugin in SHARED else {**own, **_tree(self.plugin / "ralph_mem", set())}


def answer_of(name, out):
    """Return what a hook printed as a mapping; it may say only what the client documents for this event."""
    if not out:
        return {}
    answer = json.loads(out)
    assert isinstance(answer, dict) and answer, answer
    assert answer.keys() <= COMMON_FIELDS | FIELDS.get(name, set()), answer
    if "hookSpecificOutput" in answer:
        specific = answer["hookSpecificOutput"]
        assert specific["hookEventName"] == name
        if "decision" in answer:
            assert name == "UserPromptExpansion" and answer["decision"] == "block" and answer["reason"], answer
            assert specific.keys() <= {"hookEventName", "suppressOriginalPrompt"}, answer
        else:
            assert specific.keys() == {"hookEventName", "additionalContext"}, answer
            assert 0 < len(specific["additionalContext"]) < LONGEST_ANSWER
    if "systemMessage" in answer:
        assert answer["systemMessage"].startswith("ralph-mem"), answer
        assert "\n" not in answer["systemMessage"]
    return answer


def said_to_model(answer):
    """Return the text that an answer puts into the model's context."""
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def said_to_anybody(answer):
    """Return what a typed command answers: on the screen alone, or to the model."""
    return answer.get("reason", "") or said_to_model(answer)


def fixture(name):
    """Return a captured event of the real client as it was."""
    return (FIXTURES / name).read_bytes()


def _call(name, given, fields):
    return {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{uuid.uuid4().hex[:24]}", **fields}


def _differences(db, table, wanted, index):
    have = {number for (number,) in db.execute(wanted)}
    indexed = [number for (number,) in db.execute(f"SELECT id FROM {index}_docsize")]
    if have == set(indexed) and len(indexed) == len(have):
        return []
    return [f"{index} has {len(indexed)} entries for {len(have)} {table}: {sorted(have.symmetric_difference(indexed))[:9]}"]


def _environment_of(process):
    try:
        file = os.open(f"/proc/{process}/environ", os.O_RDONLY)
    except OSError:
        return b""
    try:
        return b"".join(iter(lambda: os.read(file, 131_072), b""))
    except OSError:
        return b""
    finally:
        os.close(file)


def _tree(top, leave_out):
    found, waiting = {}, [str(top)]
    while waiting:
        folder = waiting.pop()
        with os.scandir(folder) if os.path.isdir(folder) else contextlib.nullcontext(()) as entries:
            for entry in entries:
                is_folder = entry.is_dir()
                if is_folder and (entry.name == "__pycache__" or entry.path in leave_out):
                    continue
                state = entry.stat(follow_symlinks=False)
                found[entry.path] = state.st_mode if is_folder else (state.st_mode, state.st_size, state.st_mtime_ns)
                if is_folder and not entry.is_symlink():
                    waiting.append(entry.path)
    return found


@contextlib.contextmanager
def unchanged(plugin):
    """Let hooks be those of a plugin that no test changes, and see at the end that no hook has changed it either."""
    before = _tree(plugin / "ralph_mem", set())
    SHARED.add(plugin)
    try:
        yield plugin
    finally:
        SHARED.discard(plugin)
    assert _changes(before, _tree(plugin / "ralph_mem", set())) == []


def _changes(before, after):
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
