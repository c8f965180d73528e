"""Declare each kind of rows once. A table that holds text and is missing here is a secret that survives a scrub."""

from ralph_mem.memory.rows.row import MEMORY_INDEX, MEMORY_ROW, OBSERVATION, TURN, Kind

__all__ = ["OBSERVATION", "TURN", "Kind"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from ralph_mem.memory.store.connection import Store

    class Database(Protocol):
        """What runs SQL: a store, or a connection."""

        def execute(self, sql: str, values: Any = ..., /) -> Any:
            """Run one statement; returns the cursor."""


SESSION = Kind(
    "session", "sessions", prefix="sess", texts=("summary",), derived=("summary",), labels=("branch",),
    paths=("project_path", "transcript_path"),
    names=("client_session", "source", "agent", "model", "commit_id", "end_reason"), own=("fence",),
    given=("client_session", "model", "end_reason", "transcript_path", "project_path"),
    numbers=("started_at", "ended_at"),
)  # fmt: skip
# What a kind is made of comes after it, so that a scrub, from the last to the first, does not meet the same secret again.
ALL = (
    SESSION,
    TURN,
    OBSERVATION,
    Kind(
        "loop_run", "loop_runs", texts=("goal", "stop_reason", "settings"), json=("settings",),
        own=("public_id", "status", "snapshot_id"), owners=("session_id",),
    ),
    Kind(
        "iteration", "iterations", texts=("verdicts", "summary"), json=("verdicts",), own=("snapshot_id", "tree"),
        owners=("loop_run_id",),
    ),
    Kind("job", "jobs", texts=("subject", "error"), own=("kind", "status")),
    Kind("receipt", "receipts", own=("event",), owners=("session_id", "turn_id")),
    Kind("receipt_item", "receipt_items", own=("memory", "outcome"), owners=("receipt_id",)),
    Kind("derived", "derived_from", own=("child", "parent")),
    Kind("property", "properties", own=("key",)),
    Kind("vector", "vectors", own=("model",)),
    Kind("import", "imports", own=("transcript",)),
    Kind(
        "fact", "facts", texts=("anchors",), json=("anchors",), own=("kind", "status", "source", "text_key", "retired_why"),
        owners=("id",),
    ),
    Kind("fact_link", "fact_links", own=("a", "b", "kind", "decided_by")),
    Kind(
        "relation", "relations", texts=("subject", "object"), own=("public_id", "subject_type", "predicate", "object_type"),
        owners=("fact",),
    ),
    Kind("outbox", "outbox", texts=("text",), own=("id", "team", "state")),
)  # fmt: skip


# Tables of our own: indexes and what SQLite keeps of them are none.
TABLES = """
SELECT name FROM sqlite_master AS m WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT EXISTS (
    SELECT 1 FROM sqlite_master AS i
    WHERE i.sql LIKE 'CREATE VIRTUAL TABLE%' AND (m.name = i.name OR substr(m.name, 1, length(i.name) + 1) = i.name || '_'))
ORDER BY rowid"""


def there(database: "Database") -> "list[Kind]":
    """Return the kinds of which a database has the table: an older one, or one without the need, lacks some."""
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()}
    return [kind for kind in ALL if kind.table in tables]


def of_memory(database: "Database") -> "list[Kind]":
    """Return the kinds of rows of memory in a database: those with an id that people name, and an entry in an index."""
    return [kind for kind in there(database) if kind.indexed]


def of_id(public_id: str) -> Kind:
    """Return the kind of row that an id names, an observation for one that nobody knows."""
    return next((kind for kind in ALL if kind.indexed and public_id.startswith(kind.prefix + "-")), OBSERVATION)


def redacted(kind: Kind) -> "tuple[str, ...]":
    """Return the columns that a scrub goes through."""
    return tuple(dict.fromkeys((*kind.texts, *kind.labels, *kind.derived, *kind.given)))


def exported(kind: Kind) -> "tuple[str, ...]":
    """Return the columns that an export holds; the rest is made anew, or nobody else's business."""
    of_memory = ("created_at", "redactions") if kind.indexed else ()
    return tuple(dict.fromkeys(("public_id", *kind.names, *kind.texts, *kind.labels, *kind.paths, *kind.numbers, *of_memory)))


def said_in(kind: Kind, record: "Mapping[str, Any]") -> str:
    """Return what a row says, by its columns, as `reading` has it in `said`."""
    return "\n".join([record[name] or "" for name in kind.said])


def merge(opened: "Store", pages: int) -> bool:
    """Merge the indexes by one step, so many pages of each; says whether there is more to do."""
    more = False
    for index in indexes(opened):
        (before,) = opened.one("SELECT total_changes()")
        opened.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', {pages})")
        more = more or opened.one("SELECT total_changes()")[0] - before > 1  # the order itself counts one
    return more


def beside(database: "Database") -> "list[Kind]":
    """Return the kinds of rows with texts that nobody forgets by an id: their texts are taken out of them."""
    return [kind for kind in there(database) if kind.texts and not kind.prefix]


def indexes(database: "Database") -> "dict[str, str]":
    """Return the names of the indexes of words that a database has, each with the SQL for the numbers that belong into it."""
    found = {MEMORY_INDEX: "SELECT id FROM memories"}
    for kind in of_memory(database):
        if kind.index:
            elsewhere = f" EXCEPT SELECT {kind.memory} FROM memories" if kind.memory else ""
            found[kind.index] = f"SELECT id FROM {kind.table}{elsewhere}"
    return found


def rewrite_indexes(database: "Database") -> None:
    """Write each index anew, without what was deleted from it."""
    for index in indexes(database):
        database.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")


def reading(kind: Kind, names: str) -> str:
    """Return the beginning of a query for rows of memory, `t`, with columns by their names, NULL for those that a kind has not.

    Beside the table's own: `type`, of a turn and of a kind without types its name; the texts `asked`, `said`, `files`, `lines` and
    `all_files`; `turn_id`, of a turn its own number; `state` and `tainted`, as readers see them.
    """
    return f"SELECT {', '.join([_column(kind, name) for name in names.split()])} FROM {kind.table} AS t"


def memories(database: "Database") -> str:
    """Return the SQL for the memories in a database: number, time, id, session, place in its order."""
    return " UNION ALL ".join([
        f"SELECT m.id, m.created_at, t.public_id, {kind.column('session_id')} AS session_id, {kind.column('seq')} AS seq"
        f" FROM memories AS m JOIN {kind.table} AS t ON t.id = m.{kind.memory}"
        for kind in of_memory(database) if kind.memory
    ])  # fmt: skip


def _column(kind: Kind, name: str) -> str:
    if name in MEMORY_ROW or name in kind.labels:
        return "t." + name
    if name == "type" and not kind.has(name):
        return f"'{kind.name}'"
    if name in ("files", "lines"):
        return kind.text(name)
    found = {"asked": kind.text(kind.asked), "said": kind.text(*kind.said), "all_files": kind.text("files", "files_read")}
    found |= {"state": kind.state, "tainted": kind.tainted}
    if kind is TURN:
        found["turn_id"] = "t.id"
    for number in ("pinned", "misled"):
        found[number] = kind.column(number, "0")
    return found.get(name) or kind.column(name)


# Turns, prompts of a person, slash commands, observations, errors, notes, pinned rows but for facts that hold no longer, which
# their `tool_name` says; those without their body; when the last one was made: an import brings older ones, behind what is
# there. No index has the kind of a turn, which every prompt would pay for: one pass looks for the few turns that are none of a
# person's, and to filter costs a third of what it costs to add up.
OF_STATUS = """
SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM turns) - others, commands, observations, errors, notes,
    (SELECT count(*) FROM turns WHERE pinned) + (SELECT count(*) FROM observations
        WHERE pinned AND coalesce(tool_name, '') NOT IN ('superseded', 'retired', 'rejected')), emptied,
    max(coalesce((SELECT created_at FROM observations ORDER BY id DESC LIMIT 1), 0),
        coalesce((SELECT created_at FROM turns ORDER BY id DESC LIMIT 1), 0),
        coalesce((SELECT value FROM properties WHERE key = 'stopped_at'), 0))
FROM
    (SELECT count(*) AS others, count(CASE kind WHEN 'command' THEN 1 END) AS commands FROM turns WHERE kind <> 'prompt'),
    (SELECT count(*) AS observations, count(CASE type WHEN 'error' THEN 1 END) AS errors,
        count(CASE type WHEN 'note' THEN 1 END) AS notes, count(emptied_at) AS emptied FROM observations)"""
# What happened in a session: both kinds are numbered in one order.
ENTRIES = """
SELECT {what} FROM (SELECT id, seq, 0 AS is_detail FROM turns WHERE session_id = ?1
    UNION ALL SELECT id, seq, 1 FROM observations WHERE session_id = ?1)"""
NOTES = "SELECT count(*) FROM observations WHERE type = 'note'"
# Sessions of a client, turns, observations; when something was last recorded.
OF_MEMORY = """
SELECT (SELECT count(*) FROM sessions WHERE agent <> 'ralph-mem'), (SELECT count(*) FROM turns),
    (SELECT count(*) FROM observations),
    max(coalesce((SELECT max(coalesce(ended_at, started_at)) FROM sessions), 0),
        coalesce((SELECT max(created_at, coalesce(ended_at, 0)) FROM turns ORDER BY id DESC LIMIT 1), 0),
        coalesce((SELECT created_at FROM observations ORDER BY id DESC LIMIT 1), 0))"""
# The highest number of a turn, and of an observation.
NEWEST = "SELECT coalesce((SELECT max(id) FROM turns), 0), coalesce((SELECT max(id) FROM observations), 0)"
