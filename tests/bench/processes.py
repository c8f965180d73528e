"""Hooks as processes, as the client starts them: their time beside a bare interpreter, instructions, memory, fsyncs."""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SESSION = "bbbbbbbb-0000-4000-8000-000000000001"
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdin=0)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
OUTPUT = "compiled 14 units in 2.1 seconds, 3 of them from the cache\n" * 12


def interpreter() -> str:
    """Return the real interpreter behind the running one: the system's where there is one, as users have it."""
    return "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else os.path.realpath(sys._base_executable)  # type: ignore[attr-defined]


class Hooks:
    """The hooks of this checkout in one project with a throwaway home."""

    def __init__(self, root: str, home: Path, python: str) -> None:
        self.root, self.python, self.count = root, python, 0
        self.started: list[str] = []
        data = home / ".local/share/ralph-mem"
        data.mkdir(parents=True, exist_ok=True)
        (data / "python").write_text(python + "\n")
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home), "CLAUDE_PROJECT_DIR": root, "CLAUDECODE": "1"}

    def direct(self, event: str) -> list[str]:
        """Return the command line without the launcher."""
        return [self.python, "-I", "-S", "-X", "utf8", str(ROOT / "hooks/run.py"), event]

    def launched(self, event: str) -> list[str]:
        """Return the command line that the client uses."""
        return [str(ROOT / "hooks/run"), event]

    def event(self, name: str, **fields: object) -> bytes:
        """Return an event with fresh ids."""
        self.count += 1
        common = {"session_id": SESSION, "transcript_path": "/nowhere/t.jsonl", "cwd": self.root, "hook_event_name": name}
        return json.dumps({**common, "permission_mode": "default", **fields}).encode()

    def tool(self, output: str = OUTPUT, **more: object) -> bytes:
        """Return a PostToolUse event of a command with that output."""
        response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        given = {"command": f"make build target{self.count}", "description": "Build it"}
        name = f"toolu_{os.getpid()}_{self.count}_{random.random()}"
        return self.event(
            "PostToolUse", tool_name="Bash", tool_input=given, tool_response=response, tool_use_id=name, duration_ms=9, **more
        )

    def prompt(self, text: str) -> bytes:
        """Return a UserPromptSubmit event of a turn of its own."""
        return self.event("UserPromptSubmit", prompt=text, prompt_id=f"p{random.random()}")

    def typed(self, command: str, words: str) -> bytes:
        """Return the event of a command that a person typed, such as mem-search."""
        return self.event("UserPromptExpansion", command_name=f"ralph-mem:{command}", command_args=words, prompt_id="p0")

    def start(self) -> bytes:
        """Return a SessionStart event of a new session."""
        data = self.event("SessionStart", source="startup")
        self.started.append(f"{SESSION[:-6]}{self.count:06d}")
        return data.replace(SESSION.encode(), self.started[-1].encode())

    def stop(self) -> None:
        """Stop the turn, and end what `start` began, as the client would."""
        self.run(self.direct("stop"), self.event("Stop", last_assistant_message="Done as asked.", stop_hook_active=False))
        while self.started:
            data = self.event("SessionEnd", reason="other").replace(SESSION.encode(), self.started.pop().encode())
            self.run(self.direct("session-end"), data)

    def run(self, argv: list[str], data: bytes) -> float:
        """Run a command to its end; returns the seconds it took."""
        start = time.perf_counter()
        subprocess.run(
            argv, input=data, env=self.env, cwd=self.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
        )
        return time.perf_counter() - start

    def instructions(self, argv: list[str], data: bytes) -> int:
        """Count the instructions of a command under callgrind."""
        tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        done = subprocess.run([*tool, *argv], input=data, env=self.env, cwd=self.root, capture_output=True)
        return int(re.findall(rb"Collected : (\d+)", done.stderr)[0])

    def fsyncs(self, argv: list[str], data: bytes) -> int:
        """Count the calls that wait for the disk."""
        done = subprocess.run(
            ["strace", "-f", "-e", "trace=fsync,fdatasync,sync_file_range,msync", *argv],
            input=data,
            env=self.env,
            cwd=self.root,
            capture_output=True,
        )
        return len(re.findall(rb"^(?:\[pid +\d+\] )?(?:fsync|fdatasync|sync_file_range|msync)\(", done.stderr, re.MULTILINE))

    def openings(self, argv: list[str], data: bytes) -> list[str]:
        """Return the databases that a command opens, each as often as it does."""
        order = ["strace", "-f", "-e", "trace=open,openat", *argv]
        done = subprocess.run(order, input=data, env=self.env, cwd=self.root, capture_output=True)
        return [name.decode() for name in re.findall(rb'"([^"]+/memory\.db)", O_RDWR', done.stderr)]

    def peak_mb(self, argv: list[str], data: bytes) -> float:
        """Return the most memory that a command held, in MB. Linux counts in KiB."""
        done = subprocess.run(
            [sys.executable, "-c", PEAK, *argv], input=data, env=self.env, cwd=self.root, capture_output=True, check=True
        )
        return int(done.stdout.split()[-1]) / 1024


Case = tuple[Hooks, list[str], Callable[[], bytes]]


def has(*tools: str) -> bool:
    """Say whether all these tools are there."""
    return all(shutil.which(tool) for tool in tools)


def ratios(cases: dict[str, Case], bare: Hooks, rounds: int, progress: Callable[[], None]) -> dict[str, tuple[float, float, float]]:
    """Run all cases interleaved, in a new order each round.

    Returns for each the median of its ratios to the bare interpreter of the same round, the ratio of the
    quickest runs, and its median in milliseconds.
    """
    times: dict[str, list[float]] = {name: [] for name in ("", *cases)}
    empty = [bare.python, "-I", "-S", "-c", "pass"]
    for _ in range(rounds):
        for name in random.sample(list(times), len(times)):
            if name:
                hooks, argv, data = cases[name]
                times[name].append(hooks.run(argv, data()))
            else:
                times[name].append(bare.run(empty, b""))
        progress()
    return {name: _summary(times[name], times[""]) for name in times}


def _summary(own: Iterable[float], base: Iterable[float]) -> tuple[float, float, float]:
    own, base = list(own), list(base)
    return statistics.median(a / b for a, b in zip(own, base, strict=True)), min(own) / min(base), statistics.median(own) * 1000
