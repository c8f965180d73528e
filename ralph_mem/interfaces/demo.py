"""The demonstration, which sends a recorded session through the real hooks and begins another one.

Run as `python3 -m ralph_mem.interfaces.demo`; needs nothing but Python.
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

from ralph_mem.hosts.claude_code import sent
from ralph_mem.memory.rows import kinds

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HOOK = ROOT / "hooks" / "run"
# Where only the package is installed: what the hooks' door does, without its quick ways.
DOOR = (
    "import sys; sys.path.append(sys.argv[1]); from ralph_mem.interfaces import hooks; sys.stdout.write(hooks.enter(sys.argv[2]))"
)
NEXT_SESSION = "c7d1a0f4-8e52-4b6b-b0a9-5d2e7a913b44"
SUBJECT = "auth/tokens.py"  # of the recorded session, and of the first question
QUESTIONS = (
    "the timezone bug with the login expiry seems to be back, what did we do about it?",
    "please write a haiku about autumn",
    "continue",
)

RECEIPT = """
SELECT r.event, i.memory, i.outcome, i.score, i.tokens FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id
ORDER BY r.id, i.position"""


class Throwaway:
    """A project and a home that are gone afterwards, and the hooks run in them as the client runs them."""

    def __init__(self, folder: str) -> None:
        self.project = Path(folder, "project")
        self.home = Path(folder, "home")
        self.took: list[float] = []
        self.secret = "ghp_" + os.urandom(18).hex()
        # a repository, to git as well: the temporary folder may lie in one of the person's, which would be recorded in place of it
        for path in (self.project, self.home, *(self.project / ".git" / name for name in ("", "objects", "refs"))):
            path.mkdir()
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")

    def hook(self, event: str, fields: Mapping[str, object]) -> str:
        """Run one hook; returns what it adds to the model's context."""
        text = json.dumps({"cwd": str(self.project), **fields})
        text = text.replace("${PROJECT}", str(self.project)).replace("${SECRET}", self.secret)
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.home), **sent.environment(str(self.project))}
        environment["RALPH_MEM_MEMORY_WORKER"] = "false"  # what learns would still write here while the folders go
        start = time.perf_counter()
        done = subprocess.run(
            _order(event), input=text, env=environment, cwd=self.project, capture_output=True, text=True, check=True
        )
        self.took.append(time.perf_counter() - start)
        return sent.context(done.stdout)

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """Read the memory that was made."""
        with sqlite3.connect(self.project / ".ralph-mem" / "memory.db") as db:
            return db.execute(sql).fetchall()

    def keeps_the_secret(self) -> bool:
        """Say whether the token that the recorded session printed is in a file of the memory."""
        return any(self.secret.encode() in file.read_bytes() for file in self.project.rglob("*") if file.is_file())


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
        name, gist = sent.name_and_gist(fields)
        yield f"  {name:<19} {gist.replace('${PROJECT}/', '')[:90]}".rstrip()
    took, bare = sorted(place.took)[len(place.took) // 2] * 1000, _bare() * 1000
    yield f"  {len(place.took)} hooks, {took:.0f} ms each (a bare python3 here: {bare:.0f} ms)"


def _order(event: str) -> list[str]:
    if HOOK.exists():
        return [str(HOOK), event]
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", DOOR, str(ROOT), event]


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
    yield _indented(place.hook(*sent.start(NEXT_SESSION)))
    for number, question in enumerate(QUESTIONS):
        yield f'The user asks "{question}" and the model is told:'
        yield _indented(place.hook(*sent.prompt(NEXT_SESSION, f"q{number}", question)) or "(nothing)")


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def _proof(place: Throwaway) -> Iterator[str]:
    yield "The receipt of session 2:"
    yield f"  {'event':<17} {'memory':<16} {'outcome':<8} {'likely':>8} {'tokens':>7}"
    for event, memory, outcome, likely, tokens in place.rows(RECEIPT):
        judged = f"{likely:.2f}" if likely else "-"  # a briefing goes by what is new: nothing was asked
        yield f"  {event:<17} {memory:<16} {outcome:<8} {judged:>8} {tokens:>7}"
    stored = "\n".join(str(text) for row in place.rows(kinds.reading(kinds.OBSERVATION, "asked said lines")) for text in row)
    yield ""
    yield f"The deploy command printed a token. In the memory: {stored[stored.find('using token') :].splitlines()[0]}"
    yield f"The token itself is in the files of the memory: {'yes' if place.keeps_the_secret() else 'no'}"


if __name__ == "__main__":
    main()
