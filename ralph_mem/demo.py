"""The demonstration: a recorded coding session goes through the real hooks into a throwaway project, then the next
session is told about it. Run as `python3 -m ralph_mem.demo`; needs nothing but Python.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOOK = HERE.parent / "hooks" / "run"
# Where only the package is installed: what the hooks' door does, without its quick ways.
DOOR = "import sys; sys.path.append(sys.argv[1]); from ralph_mem import events; sys.stdout.write(events.enter(sys.argv[2]))"
NEXT_SESSION = "c7d1a0f4-8e52-4b6b-b0a9-5d2e7a913b44"
QUESTIONS = (
    "the timezone bug with the login expiry seems to be back, what did we do about it?",
    "please write a haiku about autumn",
    "continue",
)

RECEIPT = """
SELECT r.event, i.memory, i.outcome, i.evidence, i.tokens FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id
ORDER BY r.id, i.position"""
WHOLE_TEXT = "SELECT group_concat(title || content || lines, '') FROM observations"


class Throwaway:
    """A project and a home that are gone afterwards, and the hooks run in them as the client runs them."""

    def __init__(self, folder: str) -> None:
        self.project = Path(folder, "project")
        self.home = Path(folder, "home")
        self.took: list[float] = []
        self.secret = "ghp_" + os.urandom(18).hex()
        for path in (self.project, self.home):
            path.mkdir()

    def hook(self, event: str, fields: Mapping[str, object]) -> str:
        """Run one hook; returns what it adds to the model's context."""
        text = json.dumps({"cwd": str(self.project), **fields})
        text = text.replace("${PROJECT}", str(self.project)).replace("${SECRET}", self.secret)
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project)}
        start = time.perf_counter()
        done = subprocess.run(
            _order(event), input=text, env=environment, cwd=self.project, capture_output=True, text=True, check=True
        )
        self.took.append(time.perf_counter() - start)
        answer = json.loads(done.stdout) if done.stdout else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """Read the memory that was made."""
        with sqlite3.connect(self.project / ".ralph-mem" / "memory.db") as db:
            return db.execute(sql).fetchall()


def main() -> None:
    """Print the demonstration."""
    with tempfile.TemporaryDirectory(prefix="ralph-mem-demo-") as folder:
        place = Throwaway(folder)
        for part in (first_session(place), next_session(place), _proof(place)):
            for line in part:
                print(line)


def first_session(place: Throwaway) -> Iterator[str]:
    """Replay the recorded session; returns lines that tell of it."""
    yield "Session 1, recorded, replayed through the hooks:"
    for line in (HERE / "demo_session.jsonl").read_text().splitlines():
        fields = json.loads(line)
        place.hook(fields.pop("event"), fields)
        yield f"  {fields['hook_event_name']:<19} {_gist(fields)}".rstrip()
    took, bare = sorted(place.took)[len(place.took) // 2] * 1000, _bare() * 1000
    yield f"  {len(place.took)} hooks, {took:.0f} ms each (a bare python3 here: {bare:.0f} ms)"


def _gist(fields: dict[str, object]) -> str:
    given = fields.get("tool_input")
    said = fields.get("prompt") or fields.get("last_assistant_message") or ""
    if isinstance(given, dict):
        said = given.get("command") or str(given.get("file_path")).replace("${PROJECT}/", "")
    return str(said)[:90]


def _order(event: str) -> list[str]:
    if HOOK.exists():
        return [str(HOOK), event]
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", DOOR, str(HERE.parent), event]


def _bare() -> float:
    times = []
    for _ in range(9):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def next_session(place: Throwaway) -> Iterator[str]:
    """Begin a second session and ask it something; returns lines that show what it is told."""
    yield ""
    yield "Session 2, a new process, is told at its start:"
    start = {"session_id": NEXT_SESSION, "hook_event_name": "SessionStart", "source": "startup"}
    yield _indented(place.hook("session-start", start))
    for number, question in enumerate(QUESTIONS):
        yield f'The user asks "{question}" and the model is told:'
        asked = {"session_id": NEXT_SESSION, "prompt_id": f"q{number}", "hook_event_name": "UserPromptSubmit", "prompt": question}
        yield _indented(place.hook("user-prompt-submit", asked) or "(nothing)")


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def _proof(place: Throwaway) -> Iterator[str]:
    yield "The receipt of session 2:"
    yield f"  {'event':<17} {'memory':<16} {'outcome':<8} {'evidence':>8} {'tokens':>7}"
    for event, memory, outcome, evidence, tokens in place.rows(RECEIPT):
        yield f"  {event:<17} {memory:<16} {outcome:<8} {evidence:>8} {tokens:>7}"
    stored = str(place.rows(WHOLE_TEXT)[0][0])
    kept = any(place.secret.encode() in file.read_bytes() for file in place.project.rglob("*") if file.is_file())
    yield ""
    yield f"The deploy command printed a token. In the memory: {stored[stored.find('using token') :].splitlines()[0]}"
    yield f"The token itself is in the files of the memory: {'yes' if kept else 'no'}"


if __name__ == "__main__":
    main()
