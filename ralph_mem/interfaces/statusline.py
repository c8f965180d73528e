"""Say in a few words for a status line how the memory and the loop of a session stand."""

import posix
import time

from ralph_mem.core import fast, notices, paths, project
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

BETWEEN = " \u00b7 "
TROUBLE = "mem trouble: /mem doctor"
TOLD = """
SELECT (SELECT count(*) FROM receipt_items AS i JOIN receipts AS r ON r.id = i.receipt_id
        WHERE r.session_id = s.id AND i.tokens > 0 AND i.outcome <> 'missed'),
    (SELECT coalesce(sum(tokens), 0) FROM receipts WHERE session_id = s.id)
FROM sessions AS s WHERE client_session = ?"""
WAIT_S = 0.05  # a line is drawn again soon
SILENT_MS = 60_000  # a headless loop tells every five seconds that it is at work
LARGEST = 10**9


def enter() -> str:
    """Return the line for what the client says on stdin, with its end. Never fails."""
    told = session.status()
    try:
        return line(told.folder or posix.getcwd(), told.session) + "\n"
    except Exception:  # the edge: whatever is wrong, the client shows a line
        return TROUBLE + "\n"


def line(folder: str, name: str) -> str:
    """Return the line for a session, by its client's name, in a folder: made of our own words and of numbers alone."""
    place = project.find(folder)
    values = effective.load(place)
    parts = [_off(place, values, name) or _memory(place, values, name), _loop(place)]
    return BETWEEN.join([part for part in parts if part])


def _off(place: "Project", values: "dict[str, Any]", name: str) -> str:
    if effective.recording(place, values, name):
        return ""
    if name and paths.exists(paths.pause_of(name)):
        return "mem paused in this session"
    return "mem paused" if paths.exists(f"{place.folder}/{paths.OFF}") else "mem off"


def _memory(place: "Project", values: "dict[str, Any]", name: str) -> str:
    """Return how much is here, what this session was told of it, and whether something waits to be said."""
    if not paths.exists(place.folder + "/memory.db"):
        is_closed = paths.exists(place.folder) and not posix.access(place.folder, posix.R_OK | posix.X_OK)
        return TROUBLE if is_closed else "mem 0"
    from ralph_mem.memory.store import connection  # lazy: a folder without a memory, or one that is off, does without

    if not connection.is_known(place.folder):
        return TROUBLE
    address = connection.address_of(place.folder + "/memory.db", "mode=ro")
    try:
        db = connection.sqlite.connect(address, timeout=WAIT_S, isolation_level=None, uri=True)
        number = connection.counted(db)
        (version,) = db.execute("PRAGMA user_version").fetchone()
        told, tokens = db.execute(TOLD, (name,)).fetchone() or (0, 0)
    except connection.sqlite.OperationalError as error:
        return "mem busy" if "locked" in str(error) else TROUBLE
    except connection.sqlite.Error:
        return TROUBLE
    if version > connection.SCHEMA_VERSION:  # no session records into it
        return TROUBLE
    many = f"mem {number}" if number <= connection.MOST_COUNTED else f"mem {connection.MOST_COUNTED}+"
    parts = [many, f"told {told}/{tokens}t" if told else "" if effective.tells(values) else "telling off"]
    waiting = [paths.read(path, 1024) for path in notices.places(place.root) if paths.exists(path)]
    is_troubled = [line for line in waiting if not effective.is_outdated(place, line)]
    parts += ["trouble: /mem doctor"] if is_troubled else []
    return BETWEEN.join([part for part in parts if part])


def _loop(place: "Project") -> str:
    """Return how the loop of this tree stands, where one is at work."""
    text = paths.read(f"{paths.data_home()}/{paths.LOOPS}/{paths.key_of(place.top)}/live.json")
    try:
        told = fast.loads(text) if text else None
    except ValueError:
        told = None
    if not isinstance(told, dict) or not _is_alive(told):
        return ""
    if told.get("mode") == "guard":
        return "guard"
    at, most, failing = [_number(told, name) for name in ("round", "most", "failing")]
    state = " paused" if _number(told, "paused") > 0 else ""
    state += f" {at}/{most}" if at > 0 and most > 0 else ""
    return f"loop{state}" + (f" {failing} failing" if failing > 0 else "")


def _is_alive(told: "dict[str, Any]") -> bool:
    pid = _number(told, "pid")
    if told.get("mode") == "headless" and time.time() * 1000 - _number(told, "beat") > SILENT_MS:
        return False
    try:
        posix.kill(pid, 0) if 0 < pid < LARGEST else None
    except PermissionError:
        pass
    except OSError:
        return False
    return True


def _number(told: "dict[str, Any]", name: str) -> int:
    """Return a number of a file that anybody may have written, -1 for what is none."""
    value = told.get(name)
    return value if type(value) is int and 0 <= value < 10**15 else -1
