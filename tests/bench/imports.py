"""`python -m tests.bench.imports [SESSIONS]`: how many observations a second an import stores.

The transcripts are as the client writes them: beside what is kept they hold what makes up most of a real one, bookkeeping,
whole files, reads. Processor time of one process is what counts; the wall clock says as much only on a quiet machine.
"""

import json
import os
import posix
import random
import sys
import tempfile
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

from ralph_mem.core.project import Project
from ralph_mem.hosts.claude_code import archive
from ralph_mem.maintenance.transfer import import_transcripts as importing
from tests.bench.memory_of import NOW_MS, Words

MUST = 2_000
SESSIONS, TURNS, TOOLS = 40, 6, 10
ROUNDS = 3
KINDS = ("run", "run", "check", "fail", "edit", "edit", "write", "read")


class Scribe:
    """Writes transcripts of sessions in a project, from natural text."""

    def __init__(self, project: Path, seed: int = 5) -> None:
        self.project = project
        self.words = Words(seed)
        self.random = random.Random(seed)
        self.at = NOW_MS - 90 * 86_400_000

    def session(self, folder: Path, turns: int = TURNS, tools: int = TOOLS) -> Path:
        """Write the transcript of one session; returns its path."""
        folder.mkdir(parents=True, exist_ok=True)
        session = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        self.common = {
            "cwd": str(self.project),
            "sessionId": session,
            "version": "2.1.329",
            "gitBranch": "main",
            "isSidechain": False,
        }
        path = folder / f"{session}.jsonl"
        with path.open("w") as file:
            for _ in range(turns):
                file.writelines(json.dumps(entry, separators=(",", ":")) + "\n" for entry in self.turn(tools))
        return path

    def turn(self, tools: int):
        """Yield the entries of one turn."""
        self.common["promptId"] = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        yield self.entry("user", message={"role": "user", "content": self.words.text(90)})
        for _ in range(tools):
            yield {"type": "api-request", "body": self.words.text(2500), "sessionId": self.common["sessionId"]}
            yield from self.tool(self.random.choice(KINDS))
        yield self.said([{"type": "text", "text": self.words.text(350)}])
        yield self.entry("system", subtype="stop_hook_summary", hookErrors=[])

    def tool(self, kind: str):
        """Yield a call with its result."""
        call, path = f"toolu_{self.random.getrandbits(96):024x}", f"{self.project}/src/part{self.random.randrange(40)}.py"
        name, given, response, error = getattr(self, "_" + kind)(path)
        yield self.said([{"type": "tool_use", "id": call, "name": name, "input": given}])
        result = {"type": "tool_result", "tool_use_id": call, "content": error or str(response)[:2000], "is_error": bool(error)}
        yield self.entry(
            "user", message={"role": "user", "content": [result]}, toolUseResult="Error: " + error if error else response
        )

    def said(self, content):
        """Return what the agent says or does."""
        return self.entry(
            "assistant", message={"role": "assistant", "model": "claude-opus-5-5", "content": content, "usage": {"in": 9}}
        )

    def entry(self, kind: str, **fields):
        """Return an entry a second after the one before."""
        self.at += 1000
        told = datetime.fromtimestamp(self.at / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        return {"parentUuid": None, **self.common, "type": kind, "uuid": str(uuid.UUID(int=self.random.getrandbits(128))),
                "timestamp": told, **fields}  # fmt: skip

    def _run(self, path):
        return "Bash", {"command": "make " + self.words.text(30)}, _printed(self.words.text(self.random.randint(80, 1600))), ""

    def _check(self, path):
        return "Bash", {"command": "pytest -q " + path}, _printed(self.words.text(self.random.randint(80, 1600))), ""

    def _fail(self, path):
        return "Bash", {"command": "make test"}, None, f"Exit code 2\n{self.words.text(800)}\nerror: {self.words.text(60)}"

    def _edit(self, path):
        old, new = self.words.text(200), self.words.text(260)
        patch = [{"lines": [f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()]}]
        given = {"file_path": path, "old_string": old, "new_string": new}
        return "Edit", given, {"filePath": path, "originalFile": self.words.text(8000), "structuredPatch": patch}, ""

    def _write(self, path):
        text = self.words.text(3000)
        return "Write", {"file_path": path, "content": text}, {"type": "create", "content": text, "structuredPatch": []}, ""

    def _read(self, path):
        return "Read", {"file_path": path}, {"type": "text", "file": {"filePath": path, "content": self.words.text(4000)}}, ""


def _printed(text: str):
    return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}


def main() -> None:
    """Print the best of some rounds, each into a new memory."""
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder:
        posix.environ[b"HOME"] = os.fsencode(folder)
        scribe = Scribe(Path(folder, "round-0"))
        size = sum(scribe.session(Path(folder, "transcripts")).stat().st_size for _ in range(sessions))
        rounds = [_round(Path(folder, "transcripts"), Path(folder, f"round-{number}")) for number in range(ROUNDS)]
    rows, took, wall = max(rounds, key=lambda each: each[0] / each[1])
    print(
        f"import of {sessions} sessions, {size / 1e6:.0f} MB: {rows:,} observations (with {sessions * TURNS} turns) in {took:.2f} s"
        f" of one processor, {wall:.2f} s in all: {rows / took:,.0f} a second (must {MUST:,}), {size / took / 1e6:.0f} MB a second"
    )


def _round(transcripts: Path, project: Path) -> "tuple[int, float, float]":
    project.mkdir()
    place = Project(str(project))
    cpu, wall = time.process_time(), time.perf_counter()
    kept, passed = archive.look(archive.files_in(transcripts))
    report = importing.run({place.root: (place, kept)}, importing.Report(passed))
    assert report.total("sessions") == len(kept) and not report.passed, report.passed
    return report.total("observations"), time.process_time() - cpu, time.perf_counter() - wall


if __name__ == "__main__":
    main()
