"""Ordinary texts of coding work, to see how many of them make the redactor load its rules."""

import json
import random
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from ralph_mem.core.redaction import gate
from tests.core.test_redact_ordinary import HALVES, outputs

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (
    ["git", "log", "--stat", "-n", "40"], ["git", "diff", "--stat", "HEAD~3"], ["git", "status"], ["ls", "-la"], ["ps", "aux"],
    ["df", "-h"], ["python3", "--help"], ["git", "--help"], ["python3", "-m", "this"], ["pip", "list"], ["uname", "-a"],
    ["python3", "-m", "compileall", "-f", "-d", "x", "ralph_mem"], ["python3", "-m", "unittest", "-v", "test.test_bisect"],
)  # fmt: skip


def shares() -> Iterator[tuple[str, int, int]]:
    """Yield (what kind of text, how many tripped, how many there were)."""
    for name, texts in (
        ("recorded events of the client", list(_recorded())),
        ("output of ordinary commands", list(_outputs())),
        ("a hundred outputs, written down", [text for half in HALVES for text in outputs(half).values()]),
        ("diffs of this repository", list(_diffs())),
        ("2 KB pieces of the standard library", list(_library())),
    ):
        yield name, sum(gate.may_hold(text) for text in texts), len(texts)


def _recorded() -> Iterator[str]:
    for file in sorted((ROOT / "tests/fixtures/claude-code").glob("*.json")):
        fields = json.loads(file.read_text())
        yield "\n".join(
            str(fields[key])
            for key in ("tool_input", "tool_response", "error", "prompt", "last_assistant_message")
            if key in fields
        )


def _outputs() -> Iterator[str]:
    for command in COMMANDS:
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=60)
        except OSError:
            continue
        yield (done.stdout + done.stderr)[:16_384]


def _diffs() -> Iterator[str]:
    done = subprocess.run(["git", "log", "-p", "--format=%x00%s"], cwd=ROOT, capture_output=True, text=True, errors="replace")
    for commit in done.stdout.split("\0")[1:]:
        for piece in commit.split("diff --git")[1:]:
            yield piece[:1500]


def _library() -> Iterator[str]:
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    for file in random.Random(3).sample(files, min(60, len(files))):
        text = file.read_text(errors="replace")
        yield from (text[at : at + 2000] for at in range(0, len(text), 20_000))
