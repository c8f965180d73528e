"""Find the processes that a program started, by its group and by a mark in their environment.

A daemon leaves its group and its session and has no parent that we know; what it keeps is its environment. Where the system does
not show environments, as macOS, the group is all that is found.
"""

import os
import time
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MARK = "RALPH_MEM_PROCESS"
# Between two looks that find nothing: while a program is being replaced by another its environment reads as empty.
AGAIN_S = 0.005


def new_mark() -> str:
    """Return a mark that no other process carries."""
    return os.urandom(16).hex()


def marked(environment: "Mapping[str, str]", mark: str) -> "dict[str, str]":
    """Return an environment with a mark, and with those that it has: a loop within a loop ends with the outer one."""
    return {**environment, MARK: f"{environment.get(MARK, '')}:{mark}".lstrip(":")}


def living(group: int, mark: str) -> "set[int]":
    """Return the processes of a group, and those that carry a mark. A whole group is told as its negative number.

    A mark is found anywhere in an environment; one between two zero bytes is an entry as a whole.
    """
    if not Path("/proc/self").is_dir():
        return {-group} if _lives(-group) else set()
    found = _look(group, mark.encode())
    if not found:
        time.sleep(AGAIN_S)
        found = _look(group, mark.encode())
    return found


def inherited(name: str) -> str:
    """Return a variable of this process or of the nearest one above it that began with it, empty where none has it.

    `env -u` takes it from a process, not from those above. Where the system does not show environments our own alone counts.
    """
    if os.environ.get(name):
        return os.environ[name]
    wanted, process = b"\0" + name.encode() + b"=", os.getppid()
    while process > 1:
        folder = Path("/proc", str(process))
        _, found, value = (b"\0" + _content(folder / "environ")).partition(wanted)
        if found:
            return value.partition(b"\0")[0].decode("utf-8", "replace")
        fields = _content(folder / "stat").rpartition(b")")[2].split()
        process = int(fields[1]) if len(fields) > 1 else 0
    return ""


def send(processes: "Iterable[int]", number: int) -> None:
    """Send a signal to each of them that is still there."""
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):  # it ended, or it runs as somebody else
            pass


def _look(group: int, mark: bytes) -> "set[int]":
    folders = [folder for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    return {int(folder.name) for folder in folders if _is_one(folder, group, mark)} - {os.getpid()}


def _is_one(process: Path, group: int, mark: bytes) -> bool:
    # a number, a name in brackets that may hold brackets itself, then: state, parent, group
    fields = _content(process / "stat").rpartition(b")")[2].split()
    if len(fields) < 3 or fields[0] in b"ZX":  # gone, or dead and not yet buried by its parent
        return False
    return int(fields[2]) == group or mark in b"\0" + _content(process / "environ")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it ended, or it is somebody else's
        return b""


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
