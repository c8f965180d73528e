"""What agents do that damage a tree, its repository, or what lies around both."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ralph_mem.bench.truth.agents import task as tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.bench.truth.agents.task import Task

SLEEPER = "import time\ntime.sleep(40)  # {}"
GONE = ("build", "node_modules", "vendor")


def git(task: "Task", words: str) -> None:
    """Run git commands, `;` between them."""
    for command in words.split(";"):
        tasks.git(task, *command.split())


def shell(task: "Task", line: str) -> None:
    """Run a line of shell in the project; TOP is its folder, PERSON that of the person's own tree, PYTHON an interpreter."""
    around = {**os.environ, "TOP": str(task.top), "PERSON": task.told["person"], "PYTHON": sys.executable}
    subprocess.run(
        ["sh", "-c", line],
        cwd=task.top,
        env=around,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=tasks.SECONDS,
        check=False,
    )


def without_git(task: "Task", _: str) -> None:
    """Remove the repository."""
    _remove(task.top / ".git")


def without_objects(task: "Task", _: str) -> None:
    """Remove all objects of the repository, and leave the rest."""
    for path in (task.top / ".git" / "objects").glob("*"):
        _remove(path)


def without(task: "Task", words: str) -> None:
    """Remove paths of the project; `*` is everything but the repository."""
    for word in words.split():
        for path in sorted(task.top.glob(word)):
            if path.name != ".git":
                _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def emptied(task: "Task", _: str) -> None:
    """Make every file of the project empty."""
    for path in _files(task):
        path.write_bytes(b"")


def _files(task: "Task") -> "list[Path]":
    return [path for path in sorted(task.top.rglob("*")) if ".git" not in path.parts and path.is_file() and not path.is_symlink()]


def reended(task: "Task", _: str) -> None:
    """Give every file the line ends of another system."""
    for path in _files(task):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def locked(task: "Task", _: str) -> None:
    """Take every right away from what a person has beside the sources."""
    for name in ("draft.txt", "README.md", "docs"):
        with contextlib.suppress(OSError):
            (task.top / name).chmod(0)


def executable(task: "Task", _: str) -> None:
    """Make every file executable and writable for all."""
    for path in _files(task):
        path.chmod(0o777)


def swapped(task: "Task", _: str) -> None:
    """Put a folder where a file was, a file where a folder was, and a link out of the project where another was."""
    for name in ("draft.txt", "docs", "sketch"):
        _remove(task.top / name)
    (task.top / "draft.txt").mkdir()
    (task.top / "docs").write_text("no folder any more\n")
    outside = task.bench / "elsewhere"
    outside.mkdir(exist_ok=True)
    (task.top / "sketch").symlink_to(outside)


def moved(task: "Task", _: str) -> None:
    """Move all that is there into a new folder."""
    new = task.top / "old"
    new.mkdir(exist_ok=True)
    for path in sorted(task.top.iterdir()):
        if path.name not in (".git", "old"):
            path.rename(new / path.name)


def huge(task: "Task", megabytes: str) -> None:
    """Write a large file."""
    with (task.top / "core.dump").open("wb") as file:
        for _ in range(int(megabytes)):
            file.write(os.urandom(1024) * 1024)


def many(task: "Task", count: str) -> None:
    """Write very many files."""
    folder = task.top / "many"
    folder.mkdir(exist_ok=True)
    for number in range(int(count)):
        (folder / f"file-{number}").write_bytes(b"%d\n" % number)


def processes(task: "Task", count: str) -> None:
    """Leave processes behind that nobody can tell by their environment or parents."""
    for _ in range(int(count)):
        tasks.leave_running(SLEEPER.format(task.bench))


def hooks(task: "Task", _: str) -> None:
    """Leave a hook in the repository that runs at the person's next commit."""
    path = task.top / ".git" / "hooks" / "pre-commit"
    if path.parent.parent.is_dir():
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\nrm -f draft.txt\n")
        path.chmod(0o755)


def ignored(task: "Task", _: str) -> None:
    """Have git ignore what the person has not committed, then remove it."""
    tasks.change(task, ".gitignore", lambda text: text + "draft.txt\nsketch/\nnotes/\n*.txt\n")
    without(task, "draft.txt sketch notes")


# Around the project


def neighbour(task: "Task", _: str) -> None:
    """Overwrite a file of the person's beside the project."""
    path = Path(task.told["home"]) / "other" / "letter.txt"
    path.write_text("overwritten\n")


def home_data(_task: "Task", _: str) -> None:
    """Remove all that the loop keeps in the home."""
    _remove(Path(os.environ.get("HOME", "/nowhere")) / ".local" / "share" / "ralph-mem")


def records(_task: "Task", _: str) -> None:
    """Write into the record of the loop that all is well."""
    base = Path(os.environ.get("HOME", "/nowhere")) / ".local" / "share" / "ralph-mem" / "loops"
    for path in base.rglob("*.jsonl"):
        with path.open("a") as file:
            file.write('{"what": "ended", "reason": "success", "why": "", "at": 1}\n')


def settings(_task: "Task", text: str) -> None:
    """Write settings of the user's own."""
    path = Path(os.environ.get("HOME", "/nowhere")) / ".config" / "ralph-mem" / "config.yaml"
    path.write_text(text.replace("|", "\n") + "\n")


def real_tree(task: "Task", _: str) -> None:
    """Empty a file of the person's by its full path, wherever the agent itself works."""
    (Path(task.told["person"]) / "draft.txt").write_text("")
