"""Make facts again of statements that were saved, where what is known of them could not be read."""

from ralph_mem.core import fast
from ralph_mem.core.command_lines import runs
from ralph_mem.memory.facts import commands, decision, wording
from ralph_mem.memory.rows import facts
from ralph_mem.memory.store import connection, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

AGAIN = """
INSERT INTO facts (id, kind, status, source, text_key, said_at, valid_from, recorded_at, valid_until, retired_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?7, ?7)"""


def make(store: "Store") -> int:
    """Make what the memory says it has, and a fact of each statement without one; returns how many. In the caller's transaction.

    Whose words they are and whether they hold stands beside the statement; since when, and what they replaced, is lost.
    """
    if store.property(connection.NOTES_INDEXED):
        schema.make(store, schema.NOTES)
    stated = facts.stated(store)
    if facts.are_there(store) or stated:
        schema.make(store, facts.TABLE)
    known = {number for (number,) in store.execute("SELECT id FROM facts")} if schema.is_made(store, facts.TABLE) else set()
    lost = [each for each in stated if each[0] not in known]
    for number, text, origin, mark, metadata, at in lost:
        status = mark if mark in facts.STATUSES else facts.ACTIVE
        kind, source, key = _known(text, origin, status, _read(metadata))
        store.execute(AGAIN, (number, kind, status, source, key, at, at if status in facts.PAST else None))
    return len(lost)


def _read(metadata: "str | None") -> "dict[str, Any]":
    """Return the metadata of a statement; no checksum tells whether it is as it was written."""
    try:
        found = fast.loads(metadata) if metadata else {}
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def _known(text: str, origin: str, status: str, metadata: "dict[str, Any]") -> "tuple[str, str, str]":
    """Return the kind of a statement, its source, and the key by which it is known again."""
    if "purpose" in metadata and isinstance(metadata.get("command"), str):
        return facts.COMMAND, facts.RAN, _key(metadata)
    if "confidence" in metadata:
        return facts.PATTERN, facts.PROPOSAL, wording.key(text.rpartition(", in ")[0])
    if origin == "test":
        return facts.PLACE, facts.RAN, wording.key(text.rpartition(" (")[0])
    was_typed = facts.ADD if status in (facts.ACTIVE, facts.EXPORTED) else facts.PROMPT
    return decision.kind_of(text), was_typed if origin == "user" else facts.PROPOSAL, wording.key(text)


def _key(told: "dict[str, Any]") -> str:
    run = next(iter(runs.of(told["command"])), None)
    return commands.key_of(told["purpose"], run.same if run else told["command"], told.get("place", ""))
