"""Find the processes that a program started. They are told by its group, and by a mark in environments where these are shown."""

import os
import time
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Table = dict[int, "Process"]

MARK = "RALPH_MEM_PROCESS"
# Between two looks that find nothing: while a program is being replaced by another its environment reads as empty.
AGAIN_S = 0.005

Process = namedtuple("Process", "parent group session born dead")
Process.__doc__ = """What is told of a process. `born` is the tick in which it began: another that gets its number has another one.
`dead` says that only its parent has not taken note of its end."""
# The fields of /proc/PID/stat, counted from behind the name, which may hold spaces and brackets.
STATE, PARENT, GROUP, SESSION, BORN = 0, 1, 2, 3, 19
DEAD = (b"Z", b"X")


def marked(environment: "Mapping[str, str]", mark: str) -> "dict[str, str]":
    """Return an environment with a mark, and with those that it has: a loop within a loop ends with the outer one."""
    return {**environment, MARK: f"{environment.get(MARK, '')}:{mark}".lstrip(":")}


def living(group: int, mark: str, more: "Callable[[Table], set[int]] | None" = None) -> "set[int]":
    """Return the processes of a group (a whole one as its negative number), and those whose environment holds a mark.

    `more` names others in the table of all processes.
    """
    if not is_shown():
        return {-group} if _lives(-group) else set()
    found = _look(group, mark.encode(), more)
    if not found:
        time.sleep(AGAIN_S)
        found = _look(group, mark.encode(), more)
    return found


def is_shown() -> bool:
    """Say whether this system tells of its processes."""
    return os.path.isdir("/proc/self")


def table() -> "Table":
    """Return all processes of this machine by their numbers, none where it does not tell."""
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()] if is_shown() else []
    return {number: found for number in numbers if (found := one(number))}


def one(process: int) -> "Process | None":
    """Return what is told of a process, None where it has ended or nothing is told."""
    fields = content(f"/proc/{process}/stat").rpartition(b")")[2].split()
    if len(fields) <= BORN:
        return None
    parent, group, session, born = [int(fields[at]) for at in (PARENT, GROUP, SESSION, BORN)]
    return Process(parent, group, session, born, fields[STATE] in DEAD)


def below(found: "Table", roots: "Iterable[int]") -> "set[int]":
    """Return those of some processes that are in a table, what they started, what that started, and so on."""
    children: dict[int, list[int]] = {}
    for number, each in found.items():
        children.setdefault(each.parent, []).append(number)
    reached = set(roots) & set(found)
    wanted = list(reached)
    while wanted:
        more = set(children.get(wanted.pop(), [])) - reached
        reached |= more
        wanted += more
    return reached


def children(process: int) -> "list[int]":
    """Return what a process has started and what has come to it, as far as this system tells without a look at all processes."""
    try:
        threads = [f"/proc/{process}/task/{each}/children" for each in os.listdir(f"/proc/{process}/task")]
    except OSError:
        return []
    return [int(number) for each in threads for number in content(each).split()]


def above() -> "list[int]":
    """Return the processes above this one, its parent first, as far as this system tells."""
    found, process = [], os.getppid()
    while process > 1:
        found.append(process)
        told = one(process)
        process = told.parent if told else 0
    return found


def inherited(*names: str) -> str:
    """Return the first of these variables that this process has, or the nearest one above it began with; empty where none has."""
    for name in names:
        if os.environ.get(name):
            return os.environ[name]
    for process in above():
        shown = b"\0" + content(f"/proc/{process}/environ")
        for name in names:
            _, found, value = shown.partition(b"\0" + name.encode() + b"=")
            if found:
                return value.partition(b"\0")[0].decode("utf-8", "replace")
    return ""


def send(processes: "Iterable[int]", number: int) -> None:
    """Send a signal to each of them that is still there."""
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):  # it ended, or it runs as somebody else
            pass


def _look(group: int, mark: bytes, more: "Callable[[Table], set[int]] | None") -> "set[int]":
    found = table()
    named = more(found) if more else set()
    told = {
        number
        for number, each in found.items()
        if not each.dead and (number in named or each.group == group or mark in b"\0" + content(f"/proc/{number}/environ"))
    }
    return told - {os.getpid()}


def content(path: str) -> bytes:
    """Return what a file of /proc holds; nothing where the process has ended, or is somebody else's."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        parts = []
        while part := os.read(file, 65_536):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(file)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
