"""Build what an event leaves to be stored as plain values, and write it by verb, also from the spool."""

from ralph_mem.core import fast
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.memory.store.connection import Store

    Record = dict[str, Any]
    Write = Callable[[Store, Record], object]

OUTCOME = "outcome"  # the verb of an observation that is known to be stored: how its command ended is known only now
HEARD = "heard"  # the verb of what leaves nothing but hashes
# Of the sessions that began last the ones that did something last, newest first: the number of each, and the place in the order up
# to which it is not read. A session that went on after a later one had begun stands where it belongs.
BEGAN_LAST, LOOKED_AT, MOST_SESSIONS, WITH_COMMANDS = 20, 80, 8, 3
MOST_RAN = 60  # commands: to read the line of one takes a tenth of a millisecond
LAST_SESSIONS = f"""
SELECT id, coalesce((SELECT seq FROM observations WHERE session_id = s.id ORDER BY seq DESC LIMIT 1 OFFSET ?), 0)
FROM (SELECT id, (SELECT max(seq) FROM observations WHERE session_id = sessions.id) AS latest
    FROM sessions ORDER BY id DESC LIMIT {BEGAN_LAST}) AS s
WHERE latest NOT NULL ORDER BY latest DESC LIMIT {MOST_SESSIONS}"""
# How many commands a session ran and the place of the first that failed, and the commands of several, with a condition or none.
RAN = "session_id IN ({}) AND seq > ? AND tool_name = ? AND NOT tainted{}"
COUNTED = f"SELECT count(*), min(CASE type WHEN 'error' THEN seq END) FROM observations WHERE {RAN}"
RAN_LAST = f"SELECT type, title, lines, public_id, metadata FROM observations WHERE {RAN} ORDER BY seq DESC LIMIT {MOST_RAN}"
NOT_ON = " AND NOT EXISTS (SELECT 1 FROM turns AS t WHERE t.id = turn_id AND t.branch IN ({}))"


def ran(store: "Store", elsewhere: "Sequence[str]") -> "list[tuple[Any, ...]]":
    """Return what the last sessions ran since a command failed, the last one first, that did not work on one of the branches
    `elsewhere`; nothing where none failed.

    It goes back as far as all of it is known: where a session did more than is looked at, nothing is told of before.
    """
    here = NOT_ON.format(", ".join("?" * len(elsewhere))) if elsewhere else ""
    sessions, since, failed = [], 0, []
    for number, before in store.execute(LAST_SESSIONS, (LOOKED_AT,)).fetchall():
        count, first = store.one(COUNTED.format("?", here), (number, before, row.COMMAND, *elsewhere))
        sessions += [str(number)] if count else []
        failed += [first] if first else []
        since = max(since, before)
        if len(sessions) == WITH_COMMANDS:
            break
    if not failed:
        return []
    values = (max(since, min(failed) - 1), row.COMMAND, *elsewhere)
    return list(store.execute(RAN_LAST.format(", ".join(sessions), here), values).fetchall())


# One builder for each verb


def session(name: str, project: str, at: int, source: str, **known: "Any") -> "Record":
    """Begin a session, or go on with one; `known` are model, transcript, branch, commit_id, pid, born, agent, folder, redacted."""
    return {"verb": "session", "session": name, "project": project, "at": at, "source": source, **known}


def end(name: str, at: int, reason: str = "other") -> "Record":
    """End a session."""
    return {"verb": "end", "session": name, "at": at, "reason": reason}


def turn(of: str, event: str, at: int, kind: str, prompt: str = "", **known: "Any") -> "Record":
    """Open a turn of a session; prompt and branch are redacted. `known` are branch, commit_id, origin and redactions."""
    return {
        "verb": "turn", "session": of, "turn": event, "at": at, "kind": kind, "origin": "user", "prompt": prompt, "branch": None,
        "commit_id": None, "redactions": None, "redaction_version": _rules(), **known,
    }  # fmt: skip


def close(of: str, event: str, at: int, response: str, kind: str = "notification", **known: "Any") -> "Record":
    """Close a turn with its redacted answer; it opens the turn as well where its prompt was never seen, otherwise as `turn`."""
    found = turn(of, event, at, kind, **known)
    return {**found, "verb": "close", "status": "stopped", "response": response}


def keep(of: str, at: int) -> "Record":
    """Make the open turns of a session findable as they stand."""
    return {"verb": "keep", "session": of, "at": at}


def files(of: str, event: str, paths: str, read: bool) -> "Record":
    """Note paths, one a line and redacted, on the turn that changed or read them."""
    return {"verb": "files", "session": of, "turn": event, "read": read, "files": paths}


def observation(of: str, at: int, event_id: str, title: str, content: str, **known: "Any") -> "Record":
    """Store an observation, all of it redacted; `known` are further columns, `turn` and `speaker`."""
    return {
        "verb": "observation", "session": of, "turn": "", "at": at, "event_id": event_id, "type": "tool_use", "origin": "tool",
        "tool_name": None, "title": title, "content": content, "files": "", "lines": "", "metadata": None, "agent_id": None,
        "agent_type": None, "tainted": 0, "redactions": None, "redaction_version": _rules(), **known,
    }  # fmt: skip


def memory(of: str, at: int, event_id: str, title: str, content: str, **known: "Any") -> "Record":
    """Store an observation that stands for itself, such as a note; otherwise as `observation`."""
    return {**observation(of, at, event_id, title, content, **known), "verb": "memory"}


def heard(of: str, at: int, event: str, hashes: "tuple[str, str]", place: str) -> "Record":
    """Keep the hashes of what came in from outside, as `shingles.of` returns them; of event and place their marks."""
    return {"verb": HEARD, "session": of, "at": at, "event": event, "hashes": hashes[0], "short": hashes[1], "place": place}


def _rules() -> int:
    from ralph_mem.core.redaction import gate  # lazy: not for what holds no text

    return gate.RULES_VERSION


def _writer(verb: str) -> "Write":
    """Return what writes the records of a verb; its module is loaded now: a tool event must not pay for turns and sessions."""
    if verb == "observation":
        return add
    if verb in ("session", "end"):
        from ralph_mem.memory.rows import sessions  # lazy: as above

        return sessions.start if verb == "session" else sessions.end
    if verb in ("turn", "close", "files", "keep", OUTCOME):
        from ralph_mem.memory.rows import turns  # lazy: as above

        return {"turn": turns.start, "close": turns.close, "files": turns.note_files, "keep": turns.keep, OUTCOME: turns.settle}[
            verb
        ]
    if verb == HEARD:
        from ralph_mem.memory.rows import shingles  # lazy: only for what came in from outside

        return shingles.keep
    if verb == "memory":
        from ralph_mem.memory.rows import notes  # lazy: as above

        return notes.add
    raise LookupError(f"no record has the verb {verb[:40]!a}")


def apply(store: "Store", record: "Record") -> None:
    """Write one record; one that is already stored changes nothing. The caller holds the transaction."""
    write = _writer(record["verb"])
    try:
        write(store, record)
    except fast.errors().UnknownSession:
        _writer("session")(store, {"source": "unknown", "project": store.folder.rpartition("/")[0], **record})
        write(store, record)


# What a tool call, a subagent or a compaction left behind: a row each, with its index entry


def add(store: "Store", record: "dict[str, Any]") -> int:
    """Store one observation with its index entry; returns its row number.

    Returns 0, and changes nothing, where the event is already stored. Raises StoreError for an unknown type and
    UnknownSession. The caller holds the transaction.
    """
    if record["type"] == "response":
        record = {**record, "tainted": _is_repeated(store, record)}
    number = row.observe(store, record)
    if number and record["tainted"]:
        store.execute("UPDATE turns SET tainted = 1 WHERE event_id = ?", (row.turn_of(store, record),))
    return number


def _is_repeated(store: "Store", record: "dict[str, Any]") -> int:
    """Say of a subagent's report whether it repeats what came into its session from outside."""
    if record["tainted"] or not row.has_heard(store):
        return int(record["tainted"])
    from ralph_mem.memory.rows import shingles  # lazy: only where something came in from outside

    return int(shingles.repeats(store, record["session"], record["content"]))
