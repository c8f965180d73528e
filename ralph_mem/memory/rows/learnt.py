"""Store the lessons of loops, which are facts of their own kind, and what each run says for them.

A run's own account is a raw observation, told to nobody. The lesson of a failure is a memory that is made from the accounts of all
runs that met it: they are its sightings.
"""

from ralph_mem.core import fast
from ralph_mem.memory.rows import existing, facts, records, rewrite, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ralph_mem.memory.store.connection import Store

OBSERVATION = row.OBSERVATION.table
# What begins the event of an account, of a run each, and of a lesson. They stand in stored rows.
ACCOUNT, LESSON = "lesson:", "learnt:"
LESSONS = f"""
SELECT o.id, o.public_id, o.event_id, o.title, o.content, o.files, o.created_at, o.metadata,
    o.edited_at NOT NULL OR o.pinned OR o.misled, f.status, f.helpful, f.harmful
FROM facts AS f JOIN {OBSERVATION} AS o ON o.id = f.id
WHERE f.kind = 'lesson' AND {{which}} ORDER BY o.created_at, o.id"""
ACCOUNTS = f"""
SELECT a.public_id, a.created_at, a.title, a.content FROM derived_from AS d JOIN {OBSERVATION} AS a ON a.public_id = d.parent
WHERE d.child = ? AND a.event_id >= 'lesson:' AND a.event_id < 'lesson;' ORDER BY a.created_at, a.id"""
# Of an older release, which left one for each run; those that a person touched come first, and stay as they are.
UNFOLDED = f"""
SELECT o.id, o.public_id, o.event_id, o.content, o.created_at, o.edited_at NOT NULL OR o.pinned OR o.misled AS touched,
    s.client_session
FROM {OBSERVATION} AS o JOIN sessions AS s ON s.id = o.session_id JOIN memories AS m ON m.observation_id = o.id
WHERE o.event_id >= 'lesson:' AND o.event_id < 'lesson;' AND o.type = 'note' AND NOT o.tainted{{without}}
ORDER BY touched DESC, o.created_at, o.id"""
WITHOUT = " AND NOT EXISTS (SELECT 1 FROM facts AS f WHERE f.id = o.id)"
# Those that may be told, newest first, but for one that only a given run has taught.
TOLD_LESSONS = f"""
SELECT o.public_id, o.title, o.content, o.created_at FROM facts AS f JOIN {OBSERVATION} AS o ON o.id = f.id
WHERE f.kind = 'lesson' AND f.status = 'active' AND NOT o.tainted AND NOT o.misled AND (
    EXISTS (SELECT 1 FROM derived_from AS d JOIN {OBSERVATION} AS a ON a.public_id = d.parent
        WHERE d.child = o.public_id AND a.event_id <> ?1)
    OR NOT EXISTS (SELECT 1 FROM derived_from AS d WHERE d.child = o.public_id) AND o.event_id <> ?1)
ORDER BY o.created_at DESC, o.id DESC LIMIT ?2"""


class Lesson:
    """A lesson as it is stored. `is_touched` says that a person has corrected, pinned or called it wrong; `owned` are the keys of
    the failures that it is for.
    """

    def __init__(self, values: "tuple[Any, ...]") -> None:
        self.number, self.public_id, self.event, self.title, self.content, self.files, self.at, metadata, *rest = values
        self.is_touched, self.status, self.helpful, self.harmful = rest
        self.owned: set[str] = set(fast.loads(metadata).get("signatures", ()) if metadata else ())


def lessons(store: "Store") -> "list[Lesson]":
    """Return the lessons, oldest first, with those that were retired, and without those that another one replaced."""
    return _read(store, "f.status IN ('active', 'retired')")


def every(store: "Store") -> "list[Lesson]":
    """Return all lessons, oldest first."""
    return _read(store, "1")


def _read(store: "Store", which: str) -> "list[Lesson]":
    return [Lesson(values) for values in store.execute(LESSONS.format(which=which))] if facts.are_there(store) else []


def told(store: "Store", but: str, most: int) -> "list[tuple[str, str, str, int]]":
    """Return the lessons that may be told, newest first: id, title, text, time in ms; not the one that only run `but` taught."""
    if not facts.are_there(store):
        return []
    found: list[tuple[str, str, str, int]] = store.execute(TOLD_LESSONS, (ACCOUNT + but, most)).fetchall()
    return found


def accounts(store: "Store", public_id: str) -> "list[tuple[str, int, str, str]]":
    """Return what the runs say that taught a lesson, oldest first: id, time in ms, title, text."""
    found: list[tuple[str, int, str, str]] = store.execute(ACCOUNTS, (public_id,)).fetchall()
    return found


def accounts_of_alone(store: "Store", public_id: str) -> "list[str]":
    """Return the ids of the accounts that teach this lesson and no other one."""
    return [name for name, *_ in accounts(store, public_id) if taught(store, name) == {public_id}]


def title_of(store: "Store", account: str) -> str:
    """Return the title of an account."""
    return str(store.one(f"SELECT title FROM {OBSERVATION} WHERE public_id = ?", (account,))[0])


def taught(store: "Store", account: str) -> "set[str]":
    """Return the ids of the lessons that an account belongs to."""
    return {child for (child,) in store.execute("SELECT child FROM derived_from WHERE parent = ?", (account,))}


def unsay(store: "Store", account: str) -> None:
    """Take an account from the lessons that it belongs to. In the caller's transaction."""
    store.execute("DELETE FROM derived_from WHERE parent = ?", (account,))


def unfolded(store: "Store") -> "list[tuple[int, str, str, str, int, bool, str]]":
    """Return what an older release left: number, id, event, text, time in ms, whether a person touched it, client's session."""
    found: list[tuple[int, str, str, str, int, bool, str]] = store.execute(
        UNFOLDED.format(without=WITHOUT if facts.are_there(store) else "")
    ).fetchall()
    return found


def to_account(store: "Store", number: int, is_reached: bool) -> None:
    """Make an account of what an older release told as a memory. In the caller's transaction."""
    existing.remove_entry(store, row.OBSERVATION, number)
    store.execute("DELETE FROM memories WHERE observation_id = ?", (number,))
    store.execute(f"UPDATE {OBSERVATION} SET type = ? WHERE id = ?", ("success" if is_reached else "error", number))
    existing.add_entry(store, row.OBSERVATION, number)


def write_account(store: "Store", record: "dict[str, Any]") -> str:
    """Store what a run says, or other words where it has said something before; returns its id. In the caller's transaction."""
    found = store.one(f"SELECT id FROM {OBSERVATION} WHERE event_id = ?", (record["event_id"],))
    if found:
        texts = ("title", "content", "files", "metadata", "redactions")
        rewrite.texts_of(store, row.OBSERVATION, found[0], {name: record[name] for name in texts})
        store.execute(f"UPDATE {OBSERVATION} SET type = ? WHERE id = ?", (record["type"], found[0]))
    else:
        records.apply(store, record)
    return facts.stored(store, record["event_id"])[1]


def add(store: "Store", record: "dict[str, Any]", known: "Mapping[str, Any]") -> str:
    """Store a lesson as a memory and a fact; returns its id. In the caller's transaction."""
    records.apply(store, record)
    number, name = facts.stored(store, record["event_id"])
    facts.add(store, number, {"kind": facts.LESSON, "status": facts.ACTIVE, "source": facts.LOOP, **known})
    return name


def rewrite_lesson(store: "Store", number: int, texts: "Mapping[str, str | None]", at: int) -> None:
    """Give a lesson other words and the day of its last account, in ms. In the caller's transaction."""
    rewrite.texts_of(store, row.OBSERVATION, number, texts)
    store.execute(f"UPDATE {OBSERVATION} SET created_at = ? WHERE id = ?", (at, number))
    store.execute("UPDATE memories SET created_at = ? WHERE observation_id = ?", (at, number))


def drop(store: "Store", public_id: str) -> None:
    """Delete a lesson that no run teaches any more. In the caller's transaction."""
    store.execute("DELETE FROM derived_from WHERE child = ?", (public_id,))
    facts.unlink_all(store, public_id)
    rewrite.delete(store, public_id)
