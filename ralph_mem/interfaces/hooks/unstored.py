"""Keep and tell of an event that could not be stored."""

import sys

from ralph_mem.core import notices, paths, spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ralph_mem.core.project import Activity, Project

    Values = dict[str, Any]
    Records = list[dict[str, Any]]

WAITS = "an event waits to be stored"
NOTHING = "nothing can be remembered"
NO_SQLITE = "{} was built without SQLite; put a python3 that has it first on PATH, then start anew"
STORED = "an event that could not be stored at once is stored now"


def told(
    module: "ModuleType | None", found: "Records", seen: "Activity", place: "Project", values: "Values", error: Exception
) -> "dict[str, str]":
    """Keep the records of an event for later; returns the trouble, and an answer from what can be read."""
    is_busy = _is_busy(error)
    outcome = _keep(place, found, is_busy)
    said = {} if is_busy and outcome == WAITS and seen.kind != "start" else trouble(seen, place, outcome, error)
    if not hasattr(module, "answer"):
        return said
    from ralph_mem.memory import inspect  # lazy: only for an event that is answered

    return {**inspect.answer(module, found, seen, place, values), **said}


def _is_busy(error: Exception) -> bool:
    """Say whether another process was quicker, and nothing is wrong: the next event brings in what waits."""
    from ralph_mem.core.errors import BusyStore  # lazy: only for an event that could not be stored
    from ralph_mem.memory import inspect  # lazy: as above

    return isinstance(error, BusyStore) or inspect.why(error) == inspect.LOCKED


def _is_damaged(error: Exception) -> bool:
    from ralph_mem.memory import inspect  # lazy: only for an event that could not be stored

    return inspect.is_damaged(error) or inspect.is_damaged(error.__cause__)


def _keep(place: "Project", found: "Records", is_busy: bool) -> str:
    """Keep records for later; returns what became of them, nothing where there is no memory to keep them for."""
    there = paths.exists(place.folder)
    starting = any([record["verb"] == "session" for record in found])
    # a memory that was deleted in the middle of a session stays deleted until the next start
    if not (there or starting or spool.waits_for_a_memory(place.root) or _is_new(place)):
        return ""
    return WAITS if found and spool.put(place.root, found, is_busy) else "an event was lost"


def _is_new(place: "Project") -> bool:
    from ralph_mem.memory.ownership import check  # lazy: only where nothing is there

    return check.is_new(place)


def trouble(seen: "Activity", place: "Project", outcome: str, error: Exception) -> "dict[str, str]":
    """Tell about trouble: at a session start at once, otherwise at the next one."""
    line = f"{outcome}: {_why(error)}"
    if seen.kind == "start":
        notices.take(place.root)
        if _is_damaged(error):  # the next start looks at the memory before it uses it
            notices.note(place.root, line)
        return {"message": "ralph-mem: " + line[:300].replace("\n", " ")}
    if outcome:
        notices.note(place.root, line)
    return {}


def missing(seen: "Activity", place: "Project", error: ImportError) -> "dict[str, str]":
    """Tell at a session start of a module that cannot be loaded: of a Python without SQLite once, with what to do."""
    if seen.kind != "start" or error.name not in ("sqlite3", "_sqlite3"):
        return trouble(seen, place, NOTHING if seen.kind == "start" else "", error)
    return {} if _was_said() else {"message": f"ralph-mem: {NOTHING}: {NO_SQLITE.format(sys.executable)}"}


def _was_said() -> bool:
    """Say whether it was told before, and keep that it is told now; without a home it is told each time."""
    from ralph_mem.core import places  # lazy: only for a Python without SQLite

    home = paths.data_home()
    if not home or paths.exists(f"{home}/{places.NO_SQLITE}"):
        return bool(home)
    try:
        paths.make_folder(home)
        paths.write(f"{home}/{places.NO_SQLITE}", "")
    except OSError:
        pass
    return False


def _why(error: Exception) -> str:
    """Return what an error says, of one of the system the file and the reason without a number."""
    path = getattr(error, "filename", None)
    return f"{path}: {getattr(error, 'strerror', '')}" if path else str(error)
