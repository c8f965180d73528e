"""Find relations in what holds, and tell those that are believed most."""

import re
import time

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import digits_of
from ralph_mem.core.redaction import privacy, stored
from ralph_mem.memory import access, notes_by_hand, undoing
from ralph_mem.memory.facts import strength
from ralph_mem.memory.rows import facts
from ralph_mem.memory.rows import relations as rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ralph_mem.memory.recall.lookup import Reader
    from ralph_mem.memory.rows.relations import Relation
    from ralph_mem.memory.store.connection import Store

    Found = tuple[tuple[str, str], str, tuple[str, str]]

MOST_TOLD, MOST_CHARACTERS = 10, 800
# A name of a thing: some words, of which none ends a sentence. Three ways of saying, and no other, make a relation.
THING = r"[\w@./#-]+(?: [\w@./#-]+){0,5}"
LIVES = re.compile(rf"^(?:the )?({THING}) lives? in (`[^`\n]+`)\.?$", re.IGNORECASE)
OWNS = re.compile(r"^([A-Z@][\w.'-]*(?: [A-Z][\w.'-]*){0,2}) owns (?:the |our )?" + rf"({THING})\.?$")
REPLACED = re.compile(
    rf"^(?:the )?(`[^`\n]+`|{THING}) (?:is|was|has been|got) replaced (?:by|with) (?:the )?(`[^`\n]+`|{THING})\.?$", re.IGNORECASE
)

# Words at the beginning of a sentence that name no owner.
NOBODY = frozenset(
    "who whoever nobody everybody everyone somebody someone anybody he she it they we you i this that which what".split()
)


def of(statement: str) -> "Iterator[Found]":
    """Yield the relation that a statement says, if it says one of the few that are known: subject, predicate, object."""
    text = " ".join(statement.split())
    lives, owns, replaced = LIVES.match(text), OWNS.match(text), REPLACED.match(text)
    if lives:
        yield (_plain(lives[1]), rows.MODULE), rows.LIVES_IN, (_plain(lives[2]), rows.FILE)
    elif owns and owns[1].split()[0].lower() not in NOBODY:
        yield (_plain(owns[2]), rows.MODULE), rows.OWNED_BY, (_plain(owns[1]), rows.PERSON)
    elif replaced:
        yield (_plain(replaced[1]), rows.TOOL), rows.REPLACED_BY, (_plain(replaced[2]), rows.TOOL)


def _plain(label: str) -> str:
    return label.strip("`").rstrip(".")[: rows.LABEL_CHARACTERS].strip()


def learn(store: "Store") -> int:
    """Make relations of the facts that hold; returns how many say one. The same fact counts once. In the caller's transaction."""
    found = 0
    for fact in facts.of_status(store, facts.ACTIVE):
        for subject, predicate, other in of(fact.text) if fact.kind in facts.SAID else ():
            if subject[0] and other[0]:
                rows.upsert(store, subject, predicate, other, fact.said_at, fact.number)
                found += 1
    return found


def believed(relation: "Relation", now: int) -> float:
    """Return how much a relation is believed at a time in ms."""
    return strength.of_relation(relation.confirmed_at, now, relation.confidence)


def listed(store: "Store", now: int, parts: "tuple[str, str, str]" = ("", "", ""), most: int = 20) -> "list[Relation]":
    """Return the relations with these parts, subject, predicate and object, that are still believed, the most believed first."""
    found = [each for each in rows.query(store, *parts, 10_000) if not strength.is_hidden(each.confirmed_at, now, each.confidence)]
    return sorted(found, key=lambda each: (-believed(each, now), -each.confirmed_at, each.public_id))[:most]


def shown(reader: "Reader", found: "list[Relation]") -> "list[Relation]":
    """Return relations as they may leave, by today's rules, patterns and values: nothing of these is written again."""
    stored.show(found, ("subject", "object"), reader.project, reader.settings)
    return found


def line(relation: "Relation") -> str:
    """Return a relation as a text."""
    return f"{relation.subject} --{relation.predicate}--> {relation.object}"


def told(store: "Store", now: int) -> str:
    """Return the ten most believed relations in lines, of at most 800 characters, none of them cut."""
    kept: list[str] = []
    for relation in listed(store, now, most=MOST_TOLD):
        if len("\n".join([*kept, line(relation)])) > MOST_CHARACTERS:
            break
        kept.append(line(relation))
    return "\n".join(kept)


# What a person does to them

SAID_STILL = " {0} says it still, and brings it back at the next learning: `ralph-mem facts retire {0}` takes that back."


def version(relation: "Relation") -> str:
    """Return the digits that stand for how a relation is now."""
    return digits_of([f"{line(relation)} {relation.confidence} {relation.confirmed_at}"])


def _check(store: "Store", public_id: str, as_shown: str) -> None:
    """Raise NotAsShown for a relation of another version; looked at in the transaction of the change."""
    now = rows.of_id(store, public_id)
    if as_shown and (now is None or version(now) != as_shown):
        raise notes_by_hand.not_as_shown(public_id)


def find(reader: "Reader", public_id: str) -> "tuple[Store, Relation]":
    """Return a relation by its id, with the memory that it is in. Raises RalphMemError for an id that names none."""
    for store in reader.stores:
        found = rows.of_id(store, public_id)
        if found is not None:
            return store, found
    raise RalphMemError(f"there is no relation {public_id[:40]}", "`ralph-mem relations` lists them")


def edit(
    reader: "Reader", public_id: str, subject: str, predicate: str, other: str, confidence: "float | None", as_shown: str = ""
) -> None:
    """Correct parts of a relation, those that are not empty. Raises RalphMemError, and changes nothing then.

    With `as_shown` only a relation of that `version` is changed; NotAsShown for any other.
    """
    store, _ = find(reader, public_id)
    (subject, other), _ = privacy.protect([subject, other], reader.project, reader.settings)
    values: dict[str, Any] = {name: rows.checked(text) for name, text in (("subject", subject), ("object", other)) if text}
    if predicate:
        values["predicate"] = rows.known_predicate(predicate)
    if confidence is not None:
        if not 0 <= confidence <= 1:
            raise RalphMemError(f"{confidence:g} is no confidence", "a number from 0 to 1")
        values["confidence"] = confidence
    if not values:
        raise RalphMemError("nothing is to be changed", "give --subject, --predicate, --object or --confidence")
    with access.Change(store) as opened:
        _check(opened, public_id, as_shown)
        rows.change(opened, public_id, **values)
        undoing.pass_over(opened, public_id, time.time_ns() // 1_000_000)


def remove(reader: "Reader", public_id: str, as_shown: str = "") -> str:
    """Delete a relation, from the bytes of the file too; returns what the person is told. Raises what `edit` does.

    A fact that says it stays, and so does the log: what is learnt from them brings it back.
    """
    store, _ = find(reader, public_id)
    fact = rows.said_by(store, public_id)
    store.execute("PRAGMA secure_delete = ON").fetchone()
    with access.Change(store) as opened:
        _check(opened, public_id, as_shown)
        rows.remove(opened, public_id)
        undoing.pass_over(opened, public_id, time.time_ns() // 1_000_000)
    access.empty_log(store)
    return f"{public_id} is gone." + (SAID_STILL.format(fact) if fact else "")


def as_values(relation: "Relation", now: int) -> "dict[str, Any]":
    """Return a relation for a program; times are in ms since 1970, the confidence is that of now."""
    found: dict[str, Any] = {name: getattr(relation, name) for name in rows.COLUMNS}
    return {**found, "id": found.pop("public_id"), "confidence": round(believed(relation, now), 4)}
