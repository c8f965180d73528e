"""Read what sessions ran and changed, for what is learnt from the log."""

from ralph_mem.core import fast
from ralph_mem.memory.rows import row, shingles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

OBSERVATION, TURN = row.OBSERVATION.table, row.TURN.table
# What a web or MCP tool had a part in proves nothing, and what came with somebody else's file is not ours.
RAN = f"""
SELECT o.id, o.public_id, o.session_id, o.title, o.type, coalesce(o.metadata, ''), o.created_at, o.content FROM {OBSERVATION} AS o
WHERE o.id > ? AND o.tool_name = '{row.COMMAND}' AND NOT o.tainted ORDER BY o.id LIMIT ?"""
RAN_SINCE = f"""
SELECT o.id, o.public_id, o.session_id, o.title, o.type, coalesce(o.metadata, ''), o.created_at, o.content FROM {OBSERVATION} AS o
WHERE o.created_at > ? AND o.tool_name = '{row.COMMAND}' AND NOT o.tainted ORDER BY o.created_at DESC, o.id DESC LIMIT ?"""
CHANGED = f"""
SELECT t.session_id, t.public_id, t.files, t.created_at FROM {TURN} AS t
WHERE t.created_at > ? AND t.files <> '' AND t.tainted < 2 ORDER BY t.created_at DESC, t.id DESC LIMIT ?"""
EDITED = f"""
SELECT o.session_id, o.title, o.created_at FROM {OBSERVATION} AS o
WHERE o.created_at > ? AND o.tool_name = '{row.EDIT}' AND o.type <> 'error' AND o.tainted < 2 ORDER BY o.created_at LIMIT ?"""
# The turn in which a command ran, and in how many sessions its line did.
TURN_OF = f"""
SELECT coalesce(t.tainted, 0), coalesce(t.created_at, o.created_at), s.client_session FROM {OBSERVATION} AS o
JOIN sessions AS s ON s.id = o.session_id LEFT JOIN {TURN} AS t ON t.id = o.turn_id WHERE o.id = ?"""
PROMPT_OF = f"""
SELECT t.prompt FROM {OBSERVATION} AS o JOIN {TURN} AS t ON t.id = o.turn_id
WHERE o.id = ? AND t.kind = 'prompt' AND t.origin = 'user' AND NOT t.tainted"""
SESSIONS_WITH = f"""
SELECT count(DISTINCT session_id) FROM {OBSERVATION} WHERE tool_name = '{row.COMMAND}' AND title = ? AND type <> 'error'"""
ESTABLISHED = 3  # sessions that ran a line: whoever named it first, it is how this project works by then


class Command:
    """A command that a session ran: its line, how it ended, what it printed, and where it is stored. `at` is in ms."""

    __slots__ = ("at", "interrupted", "line", "number", "outcome", "output", "public_id", "session")

    def __init__(self, values: "tuple[int, str, int, str, str, str, int, str]") -> None:
        self.number, self.public_id, self.session, self.line, self.outcome, metadata, self.at, self.output = values
        self.interrupted = bool(metadata) and bool(fast.loads(metadata).get("interrupted"))


def ran(store: "Store", after: int, most: int) -> "list[Command]":
    """Return the commands that are stored behind the observation of a number, in the order in which they were stored."""
    return [Command(values) for values in store.execute(RAN, (after, most)).fetchall()]


def may_be_dictated(store: "Store", command: Command, text: str) -> bool:
    """Say whether a command may be what a page or another stranger's text told the agent to run; `text` is it without its line.

    So it is where something came in from outside before it in its turn, or holds its words, until three sessions have run the line.
    """
    tainted, since, session = store.one(TURN_OF, (command.number,)) or (0, 0, "")
    if not tainted and not shingles.came_in(store, session, since, command.at) and not shingles.is_part(store, text):
        return False
    (sessions,) = store.one(SESSIONS_WITH, (command.line,))
    return bool(sessions < ESTABLISHED)


def prompt_of(store: "Store", command: Command) -> str:
    """Return what the user typed that a command came of; nothing where a page had a part in that turn."""
    (prompt,) = store.one(PROMPT_OF, (command.number,)) or ("",)
    return str(prompt)


def sessions_of(store: "Store", names: "list[str]") -> "set[int]":
    """Return the numbers of the sessions of observations by their ids."""
    sql = f"SELECT DISTINCT session_id FROM {OBSERVATION} WHERE public_id IN ({', '.join('?' * len(names))})"
    return {number for (number,) in store.execute(sql, tuple(names))}


def ran_since(store: "Store", since: int, most: int) -> "list[Command]":
    """Return the last commands after a time in ms, the oldest first."""
    return [Command(values) for values in reversed(store.execute(RAN_SINCE, (since, most)).fetchall())]


def changed(store: "Store", since: int, most: int) -> "list[tuple[int, str, list[str], int]]":
    """Return the last turns after a time that changed files, the oldest first: session, id, paths, time in ms."""
    rows = store.execute(CHANGED, (since, most)).fetchall()
    return [(session, name, files.splitlines(), at) for session, name, files, at in reversed(rows)]


def edited(store: "Store", since: int, most: int) -> "list[tuple[int, str, int]]":
    """Return the edits after a time, the oldest first: session, path, time in ms."""
    found: list[tuple[int, str, int]] = store.execute(EDITED, (since, most)).fetchall()
    return found
