"""Read what sessions ran, changed and were told, for what is learnt from the log. Nothing here is for a hook."""

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
SELECT coalesce(t.tainted, 0), coalesce(t.created_at, o.created_at), s.client_session, o.event_id FROM {OBSERVATION} AS o
JOIN sessions AS s ON s.id = o.session_id LEFT JOIN {TURN} AS t ON t.id = o.turn_id WHERE o.id = ?"""
PROMPT_OF = f"""
SELECT t.prompt FROM {OBSERVATION} AS o JOIN {TURN} AS t ON t.id = o.turn_id
WHERE o.id = ? AND t.kind = 'prompt' AND t.origin = 'user' AND NOT t.tainted"""
SESSIONS_WITH = f"""
SELECT count(DISTINCT session_id) FROM {OBSERVATION} WHERE tool_name = '{row.COMMAND}' AND title = ? AND type <> 'error'"""
ESTABLISHED = 3  # sessions that ran a line: whoever named it first, it is how this project works by then


class Command:
    """A command that a session ran: its line, how it ended, what it printed, and where it is stored. `at` is in ms."""

    __slots__ = ("at", "interrupted", "line", "number", "outcome", "output", "public_id", "runs_on", "session")

    def __init__(self, values: "tuple[int, str, int, str, str, str, int, str]") -> None:
        self.number, self.public_id, self.session, self.line, self.outcome, metadata, self.at, self.output = values
        noted = fast.loads(metadata) if metadata else {}
        self.interrupted, self.runs_on = bool(noted.get("interrupted")), bool(noted.get("runs_on"))


def ran(store: "Store", after: int, most: int) -> "list[Command]":
    """Return the commands that are stored behind the observation of a number, in the order in which they were stored."""
    return [Command(values) for values in store.execute(RAN, (after, most)).fetchall()]


def may_be_dictated(store: "Store", command: Command, text: str) -> bool:
    """Say whether a command may be what a page or another stranger's text told the agent to run; `text` is it without its line.

    So it is where something came in from outside before it in its turn, or holds its words, until three sessions have run the line.
    What it printed itself was not there before it.
    """
    tainted, since, session, event = store.one(TURN_OF, (command.number,)) or (0, 0, "", "")
    if not tainted and not shingles.came_in(store, session, since, command.at, event) and not shingles.is_part(store, text):
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


# Of receipts, which facts were told when; and of the rest, what happened with them then.

FACTS = f"SELECT o.public_id FROM facts AS f JOIN {OBSERVATION} AS o ON o.id = f.id"
ACCESSES = f"""
SELECT DISTINCT r.id, r.created_at FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id
WHERE i.outcome <> 'missed' AND i.memory IN ({FACTS}) ORDER BY r.created_at"""
# A fact in the receipt of an iteration, with what is remembered of the iteration, and when that began and ended.
IN_LOOPS = f"""
SELECT i.memory, r.session_id, o.title, o.content, o.files, n.started_at, n.ended_at
FROM receipt_items AS i JOIN receipts AS r ON r.id = i.receipt_id JOIN loop_runs AS l ON l.session_id = r.session_id
JOIN iterations AS n ON n.loop_run_id = l.id AND r.event = 'ralph loop, iteration ' || n.number
JOIN {OBSERVATION} AS o ON o.event_id = 'loop:' || l.public_id || ':' || n.number || ':iteration'
WHERE i.outcome <> 'missed' AND i.memory IN ({FACTS}) AND r.created_at BETWEEN l.started_at AND coalesce(n.ended_at, r.created_at)
ORDER BY n.started_at"""
RAN_BETWEEN = f"""
SELECT title, type FROM {OBSERVATION} WHERE tool_name = ? AND agent_id IS NULL AND created_at BETWEEN ? AND ? ORDER BY created_at"""
# What a session ran after it had been told a fact.
RAN_AFTER = f"""
SELECT o.title, o.type, o.created_at FROM {OBSERVATION} AS o
WHERE o.session_id = ? AND o.tool_name = ? AND o.created_at >= ? ORDER BY o.seq"""
# What the tools of a session did since then, as its client names it.
TOOLS_OF = f"""
SELECT o.title, o.files, o.metadata, o.created_at FROM {OBSERVATION} AS o JOIN sessions AS s ON s.id = o.session_id
WHERE s.client_session = ? AND o.created_at >= ? AND o.tool_name IS NOT NULL ORDER BY o.seq"""
PROMPTED = f"""
SELECT min(t.created_at) FROM {TURN} AS t JOIN sessions AS s ON s.id = t.session_id
WHERE s.client_session = ? AND t.kind = 'prompt' AND t.created_at >= ?"""
FIRST_TOLD = f"""
SELECT i.memory, r.session_id, min(r.created_at) FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id
WHERE i.outcome <> 'missed' AND i.memory IN ({FACTS}) GROUP BY i.memory, r.session_id"""
SAID_AGAIN = f"""
SELECT d.child, t.session_id, max(t.created_at) FROM derived_from AS d JOIN {TURN} AS t ON t.public_id = d.parent
WHERE d.child IN ({FACTS}) GROUP BY d.child, t.session_id"""


def accesses(store: "Store") -> "list[int]":
    """Return when facts were told, in ms, once for each receipt that tells any, in order."""
    return [at for _, at in store.execute(ACCESSES)]


def in_loops(store: "Store") -> "list[tuple[str, int, str, str, str, int, int | None]]":
    """Return the facts that iterations were told: id, session, the iteration's title, text and files, its begin and end in ms."""
    found: list[tuple[str, int, str, str, str, int, int | None]] = store.execute(IN_LOOPS).fetchall()
    return found


def ran_between(store: "Store", tool: str, since: int, until: int) -> "list[tuple[str, str]]":
    """Return the commands that ran in a span, in ms, in any session, with what type of observation each left."""
    found: list[tuple[str, str]] = store.execute(RAN_BETWEEN, (tool, since, until)).fetchall()
    return found


def ran_after(store: "Store", tool: str, session: int, at: int) -> "list[tuple[str, str, int]]":
    """Return the commands that a session ran from a time on, in order, with type and time in ms."""
    found: list[tuple[str, str, int]] = store.execute(RAN_AFTER, (session, tool, at)).fetchall()
    return found


def tools_of(store: "Store", session: str, since: int) -> "list[tuple[str, str, str | None, int]]":
    """Return what a session's tools did from a time on: command or path, the file changed, metadata, when in ms."""
    found: list[tuple[str, str, str | None, int]] = store.execute(TOOLS_OF, (session, since)).fetchall()
    return found


def prompted(store: "Store", session: str, since: int) -> "int | None":
    """Return when a person first had words of their own for a session from a time on, in ms, None where they had none."""
    found: tuple[int | None] = store.one(PROMPTED, (session, since))
    return found[0]


def first_told(store: "Store") -> "dict[tuple[str, int], int]":
    """Return when each fact was first told in each session, in ms, by its id and the session's number."""
    return {(memory, session): at for memory, session, at in store.execute(FIRST_TOLD)}


def said_again(store: "Store") -> "dict[tuple[str, int], int]":
    """Return when each fact was last said in each session, in ms, by its id and the session's number."""
    return {(memory, session): at for memory, session, at in store.execute(SAID_AGAIN)}


LOADED = """
SELECT r.id, r.created_at, count(CASE WHEN i.outcome <> 'missed' THEN 1 END)
FROM receipts AS r LEFT JOIN receipt_items AS i ON i.receipt_id = r.id GROUP BY r.id ORDER BY r.id"""
INJECTED = f"""
SELECT r.id, r.created_at, i.memory FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id
WHERE i.outcome <> 'missed' AND i.memory IN ({FACTS}) ORDER BY r.id, i.position"""


def loaded(store: "Store") -> "list[tuple[int, int, int]]":
    """Return the receipts, oldest first: number, time in ms, how many memories were told."""
    found: list[tuple[int, int, int]] = store.execute(LOADED).fetchall()
    return found


def injected(store: "Store") -> "list[tuple[int, int, str]]":
    """Return the facts that were told, oldest first: number of the receipt, time in ms, id."""
    found: list[tuple[int, int, str]] = store.execute(INJECTED).fetchall()
    return found
