"""Stage: a throwaway home and project in which real hooks are run, as the client runs them, to try what they do."""

import json
import os
import resource
import sqlite3
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

NAMES = {
    "SessionStart": "session-start", "UserPromptSubmit": "user-prompt-submit", "PostToolUse": "post-tool-use", "Stop": "stop",
}  # fmt: skip
DEADLINE_S = 10
QUESTION = "Where is the zeppelin moored?"


class Unmet(Exception):
    """What was expected did not happen."""


class Stage:
    """One session in a project of its own; whatever a hook does that it must never do raises Unmet."""

    def __init__(self, folder: Path, hooks: Path) -> None:
        self.hooks = hooks
        self.home, self.project = folder / "home", folder / "project"
        self.limits: dict[int, int] = {}
        self.session, self.turn = str(uuid.uuid4()), str(uuid.uuid4())
        for path in (self.home, self.project):
            path.mkdir()
        self.environment = {
            "HOME": str(self.home), "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "CLAUDE_PROJECT_DIR": str(self.project),
            "RALPH_MEM_RECORDING": "on", "LANG": "C.UTF-8",
        }  # fmt: skip

    @property
    def memory(self) -> Path:
        """The project's `.ralph-mem`."""
        return self.project / ".ralph-mem"

    @property
    def database(self) -> Path:
        """The database in it."""
        return self.memory / "memory.db"

    def connect(self) -> sqlite3.Connection:
        """Open the database, to be closed by the caller."""
        return sqlite3.connect(self.database, isolation_level=None)

    def values(self, sql: str, *values: object) -> list[Any]:
        """Return the first column of a query."""
        with closing(self.connect()) as db:
            return [row[0] for row in db.execute(sql, values)]

    # What happens

    def fire(self, name: str, **fields: object) -> dict[str, Any]:
        """Run the hook of an event; returns its answer."""
        return self.send(name, self._event(name, fields))

    def send(self, name: str, data: bytes) -> dict[str, Any]:
        """Run a hook with these bytes; returns its answer."""
        done = subprocess.run(
            [self.hooks / "run", NAMES[name]], input=data, env=self.environment, cwd=self._folder(), capture_output=True,
            timeout=DEADLINE_S, preexec_fn=self._limiter(), check=False,
        )  # fmt: skip
        self.expect(done.returncode == 0, f"{name} left with {done.returncode}")
        self.expect(not done.stderr, f"{name} printed {done.stderr[:200]!r}")
        answer = json.loads(done.stdout) if done.stdout else {}
        self.expect(name == "SessionStart" or "systemMessage" not in answer, f"{name} was not silent")
        return dict(answer)

    @contextmanager
    def begin(self, name: str, **fields: object) -> "Iterator[subprocess.Popen[bytes]]":
        """Run a hook for as long as the block lasts."""
        nowhere = subprocess.DEVNULL
        order = [str(self.hooks / "run"), NAMES[name]]
        with subprocess.Popen(order, env=self.environment, cwd=self.project, stdin=subprocess.PIPE, stdout=nowhere) as process:
            if process.stdin:
                process.stdin.write(self._event(name, fields))
                process.stdin.close()
            yield process

    def tool(self, command: str, output: str = "ok") -> None:
        """Let the agent run a command."""
        response = {"stdout": output, "stderr": "", "interrupted": False}
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"toolu_{uuid.uuid4().hex}"}
        self.fire("PostToolUse", **call, tool_response=response)

    def stop(self, said: str = "Done.") -> None:
        """End the turn."""
        self.fire("Stop", last_assistant_message=said, stop_hook_active=False)

    def remember(self, question: str = QUESTION) -> None:
        """Begin a session and end a turn in it."""
        self.fire("SessionStart")
        self.turn = str(uuid.uuid4())
        self.fire("UserPromptSubmit", prompt=question)
        self.stop("At the mast.")

    def settle(self) -> None:
        """Put all of the log into the database."""
        with closing(self.connect()) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def back_up(self) -> None:
        """Have the day's backup made, as if the last one were two days old."""
        with closing(self.connect()) as db:
            db.execute("UPDATE properties SET value = ? WHERE key = 'backed_up_at'", (time.time_ns() // 1_000_000 - 172_800_000,))
        self.stop("At the mast.")

    # What is expected

    def expect(self, is_met: bool, otherwise: str) -> None:
        """Raise Unmet where something is not as it should be."""
        if not is_met:
            raise Unmet(otherwise)

    def waiting(self) -> int:
        """Return how many events wait to be stored."""
        return len([*self.memory.glob("spool/*.json"), *self.home.glob(".local/share/ralph-mem/spool/*/*.json")])

    def told(self, words: str) -> None:
        """Begin another session, which has to be told something."""
        self.session = str(uuid.uuid4())
        line = self.fire("SessionStart", source="startup").get("systemMessage", "")
        self.expect(words in line, f"the session start said {line!r}")

    def still_remembers(self) -> None:
        """Look whether the first question is there, once."""
        found = self.values("SELECT prompt FROM turns WHERE prompt = ?", QUESTION)
        self.expect(found == [QUESTION], f"what was remembered is there {len(found)} times")

    def is_whole(self) -> None:
        """Let SQLite look at every page."""
        self.expect(self.values("PRAGMA integrity_check") == ["ok"], "the database is damaged")

    def _event(self, name: str, fields: dict[str, Any]) -> bytes:
        common = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": name, "prompt_id": self.turn}
        return json.dumps({"source": "startup", **common, **fields}).encode()

    def _folder(self) -> Path:
        return self.project if self.project.exists() else self.home

    def _limiter(self) -> Callable[[], None] | None:
        limits = dict(self.limits)
        if not limits:
            return None

        def limit() -> None:
            for kind, most in limits.items():
                resource.setrlimit(kind, (most, most))

        return limit
