"""Do what a person asks of facts, facts under keys, candidates and relations, as the commands of a terminal do."""

from collections.abc import Callable
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.interfaces.page.memory_forms import Done
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.facts import accepting, by_hand, core, relations
from ralph_mem.memory.rows import facts as rows
from ralph_mem.memory.store.connection import Store

Change = Callable[[Store, rows.Fact, int], Any]
SAID = {"accept": "holds", "reject": "is not proposed again", "retire": "holds no longer, and stays in its history"}


def add(asked: Asked) -> Done:
    """Keep a statement: `facts add`."""
    kind, also = asked.word("kind"), asked.word("also")
    if kind and kind not in rows.SAID:
        raise RalphMemError(f"there is no kind {kind[:40]}", "one of " + ", ".join(rows.SAID))
    days = asked.number("days", 0, 0, 36_500)
    taken = by_hand.keep(asked.project, asked.project, asked.settings, asked.word("text"), kind=kind, aliases=also, days=days)
    return Done(by_hand.told(taken), "fact" if taken.public_id else "facts", taken.public_id)


def edit(asked: Asked) -> Done:
    """Correct what a fact says: `facts edit`."""
    by_hand.edit(asked.reader(), asked.public_id, asked.word("text"), asked.word("as_shown"))
    return Done(f"{asked.public_id} is corrected.", "fact", asked.public_id)


def accept(asked: Asked) -> Done:
    """Make a candidate a fact: `facts accept`."""
    return _decided(asked, "accept", accepting.accept)


def reject(asked: Asked) -> Done:
    """Say no to a candidate: `facts reject`."""
    return _decided(asked, "reject", accepting.reject)


def retire(asked: Asked) -> Done:
    """Let a fact hold no longer: `facts retire`."""
    return _decided(asked, "retire", by_hand.retire)


def fold(asked: Asked) -> Done:
    """Let a fact be told as another one that says the same: `facts fold`."""
    into = asked.word("into")
    by_hand.change(asked.reader(), asked.public_id, _as_shown(asked, lambda store, fact, at: accepting.fold(store, fact, into, at)))
    return Done(f"{asked.public_id} is folded into this one.", "fact", into)


def undo(asked: Asked) -> Done:
    """Take back what a fact did: `facts undo`."""
    back = by_hand.change(asked.reader(), asked.public_id, _as_shown(asked, accepting.undo))
    return Done(f"Taken back: {', '.join(back)} holds again.", "fact", asked.public_id)


def promote(asked: Asked) -> Done:
    """Copy a fact or a note to all projects: `facts promote`."""
    return Done(by_hand.told(by_hand.promote(asked.reader(), asked.public_id)), "memory", asked.public_id)


def _decided(asked: Asked, verb: str, what: Change) -> Done:
    by_hand.change(asked.reader(), asked.public_id, _as_shown(asked, what))
    view = "review" if asked.word("from") == "review" else "fact"
    return Done(f"{asked.public_id} {SAID[verb]}.", view, "" if view == "review" else asked.public_id)


def _as_shown(asked: Asked, what: Change) -> Change:
    """Return a change that is made only to a fact that is as it was shown, looked at anew in the same transaction."""

    def change(store: Store, fact: rows.Fact, at: int) -> Any:
        shown, status = asked.word("as_shown"), asked.word("status")
        now = rows.of_id(store, fact.public_id)
        if now is None or (status and now.status != status) or (shown and notes_by_hand.version(store, fact.public_id) != shown):
            raise notes_by_hand.not_as_shown(fact.public_id)
        return what(store, now, at)

    return change


def key_set(asked: Asked) -> Done:
    """Keep a short fact under a key: `core set`."""
    key, value = asked.word("key"), asked.word("value")
    fact = core.put(asked.project, asked.project, asked.settings, key, value, asked.or_none("as_shown"))
    return Done(f"Kept as {fact.public_id}: {fact.text}", "facts")


def key_delete(asked: Asked) -> Done:
    """Let the fact under a key hold no longer: `core delete`."""
    key = asked.word("key")
    if not core.delete(asked.project, key, asked.or_none("as_shown")):
        raise RalphMemError(f"nothing stands under {key[:40]}", "the list has the keys that there are")
    return Done(f"{key} is told no more.", "facts")


def relation_edit(asked: Asked) -> Done:
    """Correct a relation: `relations edit`."""
    given = asked.word("confidence")
    try:
        confidence = float(given) if given else None
    except ValueError as error:
        raise RalphMemError(f"{given[:20]} is no confidence", "a number from 0 to 1") from error
    subject, predicate, other = [asked.word(name) for name in ("subject", "predicate", "object")]
    relations.edit(asked.reader(), asked.public_id, subject, predicate, other, confidence, asked.word("as_shown"))
    return Done(f"{asked.public_id} is corrected.", "relation", asked.public_id)


def relation_remove(asked: Asked) -> Done:
    """Delete a relation: `relations remove`."""
    return Done(relations.remove(asked.reader(), asked.public_id, asked.word("as_shown")), "relations")
