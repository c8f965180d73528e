"""Take back the last thing that a person did to a memory."""

import time

from ralph_mem.core import fast
from ralph_mem.core.errors import NotAsShown, RalphMemError
from ralph_mem.memory import access
from ralph_mem.memory.rows import deletion, kinds, rewrite, row
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.lookup import Reader
    from ralph_mem.memory.store.connection import Store

DAY_MS = 86_400_000
NOTE, EDIT, PIN, WRONG = "note", "edit", "pin", "wrong"
MARKS = ("edited_at", "redactions", "misled", "origin")
UNTOLD = "UPDATE receipt_items SET misled_at = NULL WHERE memory = ? AND misled_at = ?"
NOTHING = "there is nothing to take back here"
NOT_TAKEN_BACK = "what you did last was about {}, and undo takes back only a note, edit, pin or wrong: nothing was done"
# What does, for a fact that holds, one that was let go of, also under a key, and a relation.
HOW_ELSE = "`ralph-mem facts undo {0}` brings back what it replaced, `ralph-mem facts retire {0}` lets it hold no longer"
AGAIN = "`ralph-mem facts accept {0}` has it hold again"
LEARNT = "`ralph-mem facts add` keeps a fact, and a relation that you removed comes back where one says it"


def remember(store: "Store", what: str, public_id: str, at: int) -> None:
    """Keep how a row is before the last change to it, in its transaction, until a row is forgotten or scrubbed."""
    names = _columns(what, public_id)
    values: Any = ()
    if names:
        sql = f"SELECT {', '.join(names)} FROM {kinds.of_id(public_id).table} WHERE public_id = ?"
        values = store.one(sql, (public_id,)) or ()
    kept = {"what": what, "id": public_id, "at": at, "values": dict(zip(names, values))}
    _note_owed(store)
    store.drop(connection.PASSED_OVER)
    store.set_property(deletion.UNDO, fast.dumps(kept))


def pass_over(store: "Store", public_id: str, at: int) -> None:
    """Keep that a person changed a fact or a relation, in its transaction: an undo takes nothing older for the last thing then."""
    _note_owed(store)
    store.drop(deletion.UNDO)
    store.set_property(connection.PASSED_OVER, fast.dumps({"id": public_id, "at": at}))


def _columns(what: str, public_id: str) -> "tuple[str, ...]":
    texts = ("response",) if kinds.of_id(public_id) is kinds.TURN else ("title", "content", "lines")
    return {NOTE: (), EDIT: (*texts, *MARKS), PIN: ("pinned",), WRONG: ("misled", "pinned")}[what]


def let_go(store: "Store", at: int) -> None:
    """Drop after a day what could be brought back: a text that somebody corrected is not to stay for ever."""
    if abs(at - int(fast.loads(store.property(deletion.UNDO))["at"])) > DAY_MS:
        _note_owed(store)
        store.set_property(deletion.UNDO, None)


def owes(store: "Store") -> bool:
    """Say whether a text that a person corrected or took back may still stand in the bytes of the file, or for an undo."""
    return bool(store.property(connection.FORGETTING)) or _holds_text(store)


def let_go_of_text(store: "Store") -> None:
    """Drop what an undo would need of a text that a person corrected, in its transaction."""
    if _holds_text(store):
        _note_owed(store)
        store.drop(deletion.UNDO)


def _holds_text(store: "Store") -> bool:
    kept = store.property(deletion.UNDO)
    return bool(kept) and fast.loads(kept)["what"] == EDIT


def _note_owed(store: "Store") -> None:
    """Keep that the file is to be written anew, where a text goes from what an undo needs: its bytes stay until then."""
    if _holds_text(store):
        store.set_property(connection.FORGETTING, 1)


def _last(reader: "Reader") -> "tuple[dict[str, Any], Store] | None":
    names = (deletion.UNDO, connection.PASSED_OVER)
    found = [(fast.loads(kept), store) for store in reader.stores for kept in map(store.property, names) if kept]
    return max(found, key=lambda each: int(each[0]["at"])) if found else None


def last(reader: "Reader") -> "tuple[str, str, int] | None":
    """Return what would be taken back: note, edit, pin or wrong, the id of its row, and when it was, in ms; None for nothing."""
    found = _last(reader)
    return (found[0]["what"], found[0]["id"], int(found[0]["at"])) if found and "what" in found[0] else None


def undo(reader: "Reader", done_at: int = 0) -> str:
    """Take back what was done last, in whichever memory that was; says what it was.

    Raises RalphMemError where nothing is kept, and where the last thing is a change to a fact or a relation.

    With `done_at`, in ms, only what was done then: something else may have come after it.
    """
    found = _last(reader)
    if found is None:
        raise RalphMemError(NOTHING, "only the last note, edit, pin or wrong of yours is kept; a forget is for good")
    last, store = found
    if "what" not in last:
        raise RalphMemError(NOT_TAKEN_BACK.format(last["id"]), _how_else(store, last["id"]))
    if done_at and int(last["at"]) != done_at:
        raise NotAsShown(f"the last thing is {last['what']} of {last['id']} now, nothing was done", "look at it as it is now")
    _let_go_of_older(reader, store)
    with access.Change(store) as opened:
        _note_owed(store)
        store.drop(deletion.UNDO, connection.STANDING)
        if last["what"] == NOTE:
            deletion.delete(opened, [last["id"]])
            return f"Taken back: the note {last['id']} is gone."
        _restore(opened, last)
    if last["what"] == WRONG:
        for each in reader.stores:
            with access.Change(each) as opened:
                opened.execute(UNTOLD, (last["id"], last["at"]))
    still = " It was marked wrong before, and still is." if last["what"] == WRONG and last["values"]["misled"] else ""
    return f"Taken back: {last['what']} of {last['id']}.{still}"


def _how_else(store: "Store", public_id: str) -> str:
    """Say how a person takes back what they did to a fact or a relation."""
    from ralph_mem.memory.rows import facts  # lazy: only for what an undo does not take back

    fact = facts.of_id(store, public_id)
    return (LEARNT if fact is None else AGAIN if fact.status == facts.RETIRED else HOW_ELSE).format(public_id)


def _let_go_of_older(reader: "Reader", store: "Store") -> None:
    """Drop what the other memories keep: only the last thing is taken back, and an older one would be taken for it next."""
    names = (deletion.UNDO, connection.PASSED_OVER)
    for each in reader.stores:
        if each is not store and any(map(each.property, names)):
            with access.Change(each):
                _note_owed(each)
                each.drop(*names)


def _restore(store: "Store", last: "dict[str, Any]") -> None:
    kind, values = kinds.of_id(last["id"]), last["values"]
    there = store.one(f"SELECT id FROM {kind.table} WHERE public_id = ?", (last["id"],))
    if not there:
        raise RalphMemError(NOTHING, f"{last['id']} is forgotten")
    if "response" in values:
        rewrite.say(store, there[0], values["response"])
    elif "title" in values:
        rewrite.texts_of(store, row.OBSERVATION, there[0], {name: values[name] for name in ("title", "content", "lines")})
    marks = [name for name in values if name not in ("response", "title", "content", "lines")]
    assigned = ", ".join([f"{name} = ?" for name in marks])
    store.execute(f"UPDATE {kind.table} SET {assigned} WHERE id = ?", (*[values[name] for name in marks], there[0]))
    from ralph_mem.memory.facts import taking  # lazy: only for what is taken back

    taking.reword(store, last["id"], time.time_ns() // 1_000_000)


def drop_what_holds(stores: "list[Store]", text: str) -> None:
    """Let go of what is kept where it holds a text that somebody wants to be forgotten."""
    for store in stores:
        kept = store.property(deletion.UNDO)
        if text and kept and text.casefold() in str(list(fast.loads(kept)["values"].values())).casefold():
            with access.Change(store) as opened:
                opened.execute("PRAGMA secure_delete = ON").fetchone()
                opened.set_property(deletion.UNDO, None)
