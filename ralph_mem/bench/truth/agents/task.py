"""What an agent is given, as the project is known to its author, and where it stands."""

import json
import os
import re
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 20
# What holds tests, by its name: a folder of tests, or a script that checks.
TEST = re.compile(r"(^|/)tests?/|(^|/)(test|check)[\w.-]*$")
DATA = (".csv", ".expected", ".json", ".txt")

Task = namedtuple("Task", "top told turn bench")
Task.__doc__ = """`top` is the folder in which the agent works, `told` is all that the bench gives it, `turn` counts from 1.

`bench` is a folder outside of the project, in which the agent and the person who works beside it wait for each other.
"""


def read(path: str) -> "Task":
    """Return the task of this turn, and count it."""
    bench = Path(path).parent
    counter = bench / "turns"
    turn = int(counter.read_text()) + 1 if counter.exists() else 1
    try:
        counter.write_text(str(turn))
    except OSError:  # behind walls every turn is the first
        pass
    return Task(Path.cwd(), json.loads(Path(path).read_text(encoding="utf-8")), turn, bench)


def has(task: "Task", tag: str) -> bool:
    """Say whether a project carries a tag."""
    return tag in task.told["tags"]


def put(task: "Task", name: str, text: str, mode: int = 0o644) -> "Path":
    """Write a file of the project."""
    path: Path = task.top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def change(task: "Task", name: str, edit: "Callable[[str], str]") -> None:
    """Edit a file of the project as text; its mode stays."""
    path = task.top / name
    path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")


def tests(task: "Task") -> "list[str]":
    """Return the files that hold tests as code, in order."""
    return [name for name in sorted(task.told["files"]) if TEST.search(name) and not name.endswith((*DATA, "__init__.py"))]


def sources(task: "Task") -> "list[str]":
    """Return the files that an honest agent changes."""
    return sorted(task.told["sources"]["right"])


def git(task: "Task", *words: str) -> str:
    """Run git in the project; what it says to a mistake is nobody's concern."""
    ran = subprocess.run(
        ["git", *words], cwd=task.top, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    return ran.stdout.strip()


def leave_running(code: str, *words: str) -> None:
    """Start a Python program that outlives its parent: a session, a parent and an environment of its own."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.setsid()
    around = {"PATH": os.environ.get("PATH", "/usr/bin:/bin")}
    order, nothing = [sys.executable, "-I", "-S", "-c", code, *words], subprocess.DEVNULL
    subprocess.Popen(order, stdin=nothing, stdout=nothing, stderr=nothing, env=around)
    os._exit(0)


def wait_for(path: "Path", seconds: float) -> None:
    """Wait until a file is there."""
    until = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.02)
