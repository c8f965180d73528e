"""Facts under keys, a handful of short ones that every session is told at its start."""

import posix
import time

from ralph_mem.core import fast
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.memory import access, notes_by_hand, undoing
from ralph_mem.memory.facts import taking, wording
from ralph_mem.memory.rows import facts, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

# All of them are told whole at every start, beside pins and notes: at most some 500 of its 1,500 tokens.
MOST_KEYS, KEY_CHARACTERS, VALUE_CHARACTERS = 12, 40, 120
NAME = "core"  # what of a fact's metadata is its key


def all_of(store: "Store") -> "dict[str, Fact]":
    """Return the facts under keys that hold, by their keys, in the order of these."""
    return {fact.metadata[NAME]: fact for fact in sorted(_held(store), key=lambda fact: str(fact.metadata[NAME]))}


def _held(store: "Store") -> "list[Fact]":
    return [fact for fact in facts.of_status(store, facts.ACTIVE) if fact.metadata.get(NAME)]


def settle(store: "Store", came: "set[str]", at: int) -> None:
    """Leave one value under each key, the one that was kept last, and no more keys than there may be. In a transaction.

    `came` are the ids of facts that are new here: where there is no room for their keys they are facts without one.
    """
    held = sorted(_held(store), key=lambda fact: fact.recorded_at or 0, reverse=True)
    here = {fact.metadata[NAME] for fact in held if fact.public_id not in came}
    last: dict[str, Fact] = {}
    for fact in held:
        newer = last.setdefault(fact.metadata[NAME], fact)
        if newer is not fact:
            taking.supersede(store, newer.public_id, fact, newer.said_at, 1.0, at)
    for fact in sorted(last.values(), key=lambda fact: fact.metadata[NAME] not in here)[MOST_KEYS:]:
        facts.let_go(store, fact, NAME)


def value_of(fact: "Fact") -> str:
    """Return what stands behind the key of a fact."""
    return str(fact.text).partition(": ")[2]


def put(
    place: "Project", project: "Project", settings: "dict[str, Any]", key: str, value: str, as_shown: "str | None" = None
) -> "Fact":
    """Keep a fact under a key in the memory of a place; what stood there is replaced and stays in its history. Returns the fact.

    Raises RalphMemError where recording is off, for a key or a value that is empty or too long, and for one key too many; with
    `as_shown`, the id of the fact that was seen there or nothing, NotAsShown where another one stands there now.
    """
    effective.need_recording(project, settings)
    text, redactions = _statement(key, value, project, settings)
    with access.writing(place) as opened:
        there = all_of(opened)
        _check(there, key, as_shown)
        if key not in there and len(there) >= MOST_KEYS:
            what = f"there are {MOST_KEYS} facts under keys already, and each is told at every start"
            raise RalphMemError(what, "`ralph-mem core delete KEY` lets go of one; `ralph-mem facts add` keeps any number")
        old = there.get(key)
        return old if old and old.text == text else _replace(opened, old, key, text, redactions)


def _statement(key: str, value: str, project: "Project", settings: "dict[str, Any]") -> "tuple[str, str | None]":
    """Return the text of a fact under a key as it may be stored, and what was cut out of it."""
    told = " ".join(value.split())
    if not key or len(key) > KEY_CHARACTERS or not key.isprintable() or ":" in key or key != key.strip():
        raise RalphMemError(f"{key[:60]!a} is no key", f"a word or a few without a colon, at most {KEY_CHARACTERS} characters")
    if not told or len(told) > VALUE_CHARACTERS or privacy.INJECTED in told:
        raise RalphMemError(f"a value has 1 to {VALUE_CHARACTERS} characters", "`ralph-mem facts add` keeps longer statements")
    (safe,), redactions = privacy.protect([f"{key}: {told}"], project, settings)
    return safe, redactions


def _replace(store: "Store", old: "Fact | None", key: str, text: str, redactions: "str | None") -> "Fact":
    at = time.time_ns() // 1_000_000
    event = f"core:{posix.urandom(8).hex()}"
    known = {"type": facts.TYPE, "metadata": fast.dumps({NAME: key}), "origin": "user", "redactions": redactions}
    facts.make(store)
    records.apply(store, records.observation(facts.SESSION, at, event, text, "", **known))
    number, name = facts.stored(store, event)
    said = {"kind": facts.FACT, "status": facts.ACTIVE, "source": facts.ADD, "text_key": wording.key(text), "said_at": at}
    facts.add(store, number, said)
    facts.pin(store, number)
    if old:
        taking.supersede(store, name, old, at, 1.0, at, facts.BY_PERSON)
    undoing.pass_over(store, name, at)
    return all_of(store)[key]


def _check(there: "dict[str, Fact]", key: str, as_shown: "str | None") -> None:
    now = there[key].public_id if key in there else ""
    if as_shown is not None and now != as_shown:
        raise notes_by_hand.not_as_shown(f"what stands under {key[:KEY_CHARACTERS]}")


def delete(place: "Project", key: str, as_shown: "str | None" = None) -> bool:
    """Let the fact under a key hold no longer; it stays in the history. Says whether there was one.

    Raises StoreError, and NotAsShown as `put` does.
    """
    if not access.is_there(place):
        return False
    with access.writing(place) as opened:
        there = all_of(opened)
        _check(there, key, as_shown)
        found = there.get(key)
        if found:
            at = time.time_ns() // 1_000_000
            taking.retire(opened, found, "", at)
            undoing.pass_over(opened, found.public_id, at)
        return found is not None
