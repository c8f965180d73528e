"""Build what an event leaves to be stored as plain values, and write it by verb, also from the spool."""

from ralph_mem.core import fast
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.memory.store.connection import Store

    Record = dict[str, Any]
    Write = Callable[[Store, Record], object]

OUTCOME = "outcome"  # the verb of an observation that is known to be stored: how its command ended is known only now
HEARD = "heard"  # the verb of what leaves nothing but hashes

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
