"""Store relations, each two labels with a predicate between them, such as who owns a service."""

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.rows import facts, row
from ralph_mem.memory.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

TABLE = "relations"
# The property of a database by which a reader knows that there are relations.
ANY = "relations"
PREDICATES = LIVES_IN, OWNED_BY, DEPENDS_ON, REPLACED_BY, TESTED_BY, RUN_WITH = (
    "lives_in", "owned_by", "depends_on", "replaced_by", "tested_by", "run_with",
)  # fmt: skip
TYPES = PERSON, MODULE, FILE, TEST, TOOL, THING = ("person", "module", "file", "test", "tool", "thing")
LABEL_CHARACTERS = 128
CONFIDENCE = 0.7  # of one that was said once
# Each time that it is said or seen again a fifth of the doubt goes: four more times bring .7 to .88.
TAKEN_OFF = 0.2
PARTS = ("subject", "predicate", "object")
COLUMNS = ("public_id", "subject", "subject_type", "predicate", "object", "object_type", "confidence", "confirmed_at", "made_at")
# Those that a fact says are hidden with it.
READ = f"""
SELECT {", ".join(["r." + name for name in COLUMNS])} FROM {TABLE} AS r LEFT JOIN facts AS f ON f.id = r.fact
WHERE (r.fact IS NULL OR f.status = '{facts.ACTIVE}')"""


class Relation:
    """A relation as it is stored; `confidence` is that of `confirmed_at`, both times are in ms."""

    __slots__ = COLUMNS

    def __init__(self, values: "tuple[Any, ...]") -> None:
        self.public_id, self.subject, self.subject_type, self.predicate, self.object, *rest = values
        self.object_type, self.confidence, self.confirmed_at, self.made_at = rest


def are_there(store: "Store") -> bool:
    """Say whether a memory has any relations."""
    return bool(store.property(ANY))


def checked(label: str) -> str:
    """Return a label on one line. Raises RalphMemError for one that is empty or too long."""
    plain = " ".join(label.split())
    if not plain or len(plain) > LABEL_CHARACTERS:
        raise RalphMemError(f"a label has 1 to {LABEL_CHARACTERS} characters, not {len(plain)}", "name the thing, and no more")
    return plain


def known_predicate(name: str) -> str:
    """Return a predicate. Raises RalphMemError for one that there is not."""
    if name not in PREDICATES:
        raise RalphMemError(f"there is no predicate {name[:40]}", f"one of {', '.join(PREDICATES)}")
    return name


def upsert(
    store: "Store", subject: "tuple[str, str]", predicate: str, other: "tuple[str, str]", at: int, fact: "int | None" = None
) -> str:
    """Write a relation, or confirm the one that is there; returns its id. Labels come with their types.

    `at` is in ms; what was confirmed at that time or later is left as it is, so that the same evidence counts once. `fact` is the
    number of the observation that says it. In the caller's transaction. Raises RalphMemError for a label or a predicate.
    """
    _make(store)
    triple = (checked(subject[0]), known_predicate(predicate), checked(other[0]))
    sql = f"SELECT id, public_id, confidence, confirmed_at FROM {TABLE} WHERE subject = ? AND predicate = ? AND object = ?"
    found = store.one(sql, triple)
    if found is None:
        name = row.public_id("rel")
        values = (name, triple[0], subject[1], triple[1], triple[2], other[1], CONFIDENCE, at, at, fact)
        names = ", ".join((*COLUMNS, "fact"))
        store.execute(f"INSERT INTO {TABLE} ({names}) VALUES (?{', ?' * len(COLUMNS)})", values)
        return name
    number, name, confidence, confirmed_at = found
    if at > confirmed_at:
        raised = confidence + (1 - confidence) * TAKEN_OFF
        store.execute(f"UPDATE {TABLE} SET confidence = ?, confirmed_at = ? WHERE id = ?", (raised, at, number))
    return str(name)


def _make(store: "Store") -> None:
    schema.make(store, TABLE)
    if not are_there(store):
        facts.make(store)
        store.set_property(ANY, 1)


def with_facts(store: "Store") -> "list[tuple[Relation, int | None]]":
    """Return all relations, each with the number of the fact that says it, or None."""
    if not are_there(store):
        return []
    rows = store.execute(f"SELECT fact, {', '.join(COLUMNS)} FROM {TABLE} ORDER BY id")
    return [(Relation(known), fact) for fact, *known in rows]


def number_of(store: "Store", subject: str, predicate: str, other: str) -> "int | None":
    """Return the number of the relation of these parts, or None."""
    sql = f"SELECT id FROM {TABLE} WHERE subject = ? AND predicate = ? AND object = ?"
    found = store.one(sql, (subject, predicate, other)) if are_there(store) else None
    return found and int(found[0])


def bring(store: "Store", known: "dict[str, Any]", fact: "int | None") -> None:
    """Write a relation of another memory by its columns, with the number of the fact that says it. In the caller's transaction.

    Of one that is here the later confirmation counts; of an id that is taken it gets another one.
    """
    _make(store)
    number = number_of(store, *[known[name] for name in PARTS])
    if number is not None:
        values = (known["confidence"], known["confirmed_at"], number)
        store.execute(
            f"UPDATE {TABLE} SET confidence = ?, confirmed_at = ? WHERE id = ? AND confirmed_at < ?", (*values, values[1])
        )
        return
    if store.one(f"SELECT 1 FROM {TABLE} WHERE public_id = ?", (known["public_id"],)):
        known = {**known, "public_id": row.public_id("rel")}
    names = ", ".join((*COLUMNS, "fact"))
    store.execute(f"INSERT INTO {TABLE} ({names}) VALUES (?{', ?' * len(COLUMNS)})", (*[known[name] for name in COLUMNS], fact))


def query(store: "Store", subject: str = "", predicate: str = "", other: str = "", most: int = 20) -> "list[Relation]":
    """Return the relations with these parts, all where none is given, the last confirmed first."""
    if not are_there(store):
        return []
    given = [(name, value) for name, value in zip(PARTS, (subject, predicate, other)) if value]
    where = "".join([f" AND r.{name} = ? COLLATE NOCASE" for name, _ in given])
    values = (*[value for _, value in given], most)
    return [Relation(found) for found in store.execute(f"{READ}{where} ORDER BY r.confirmed_at DESC, r.id DESC LIMIT ?", values)]


def of_id(store: "Store", public_id: str) -> "Relation | None":
    """Return the relation with an id, or None."""
    found = store.execute(f"{READ} AND r.public_id = ?", (public_id,)).fetchall() if are_there(store) else []
    return Relation(found[0]) if found else None


def said_by(store: "Store", public_id: str) -> str:
    """Return the id of the fact that a relation was found in, nothing where it was counted."""
    found = facts.read(store, f"WHERE f.id IN (SELECT fact FROM {TABLE} WHERE public_id = ?)", (public_id,))
    return found[0].public_id if found else ""


def change(store: "Store", public_id: str, **values: "str | float") -> None:
    """Write columns of a relation. In the caller's transaction. Raises RalphMemError where another one says the same already."""
    found = of_id(store, public_id)
    if found is None:
        return
    triple = tuple([values.get(name, getattr(found, name)) for name in PARTS])
    sql = f"SELECT public_id FROM {TABLE} WHERE subject = ? AND predicate = ? AND object = ? AND public_id <> ?"
    other = store.one(sql, (*triple, public_id))
    if other:
        raise RalphMemError(f"{other[0]} says that already", f"`ralph-mem relations remove {public_id}`")
    assigned = ", ".join([f"{name} = ?" for name in values])
    store.execute(f"UPDATE {TABLE} SET {assigned} WHERE public_id = ?", (*values.values(), public_id))


def remove(store: "Store", public_id: str) -> None:
    """Delete a relation. In the caller's transaction."""
    store.execute(f"DELETE FROM {TABLE} WHERE public_id = ?", (public_id,))
