"""What agents do that fail as programs."""

import os
import signal
import sys
import time
from pathlib import Path

from ralph_mem.bench.truth.agents import task as tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.bench.truth.agents.task import Task

LONGEST_S = 60


def leave(_task: "Task", code: str) -> None:
    """End with an exit code."""
    sys.stdout.flush()
    os._exit(int(code))


def killed(_task: "Task", _: str) -> None:
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def loop_killed(_task: "Task", _: str) -> None:
    """Kill the loop that has started this agent, by the name of its program."""
    number = os.getppid()
    while number > 1:
        folder = Path(f"/proc/{number}")
        if b"ralph_mem.interfaces.cli" in (folder / "cmdline").read_bytes():
            os.kill(number, signal.SIGKILL)
            return
        number = int((folder / "stat").read_text().rpartition(")")[2].split()[1])


def hang(_task: "Task", _: str) -> None:
    """Say nothing and never end."""
    time.sleep(LONGEST_S)


def deaf(task: "Task", _: str) -> None:
    """Never end, and hear no polite signal, nor does its child."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
    hang(task, "")


def garbage(_task: "Task", _: str) -> None:
    """Print what is no text."""
    os.write(1, bytes(range(256)) * 64 + b'\x1b[2J\x1b]0;title\x07\x00\xff\xfe{"result": \x00}')


def flood(_task: "Task", megabytes: str) -> None:
    """Print very much."""
    for _ in range(int(megabytes)):
        os.write(1, (b"x" * 127 + b"\n") * 8192)


def line(_task: "Task", megabytes: str) -> None:
    """Print one line that does not end."""
    for _ in range(int(megabytes)):
        os.write(1, b"y" * 1_048_576)


def closed(_task: "Task", _: str) -> None:
    """Close what it could speak through, and work on for a moment."""
    for number in (0, 1, 2):
        os.close(number)
    time.sleep(0.2)


def report(_task: "Task", text: str) -> None:
    """Print a JSON object as its last line."""
    os.write(1, text.encode() + b"\n")


def torn(task: "Task", _: str) -> None:
    """Write half of a source and die."""
    for name in tasks.sources(task):
        path = task.top / name
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    killed(task, "")


def endless(task: "Task", _: str) -> None:
    """Make the sources run for ever."""
    first = {"python": "while True:\n    pass\n", "javascript": "for (;;) {}\n", "shell": "#!/bin/sh\nwhile :; do sleep 1; done\n"}
    for name in tasks.sources(task):
        text = next(text for tag, text in first.items() if tasks.has(task, tag))
        tasks.put(task, name, text + (task.top / name).read_text())
