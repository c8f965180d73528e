"""Do what a person asks of facts, facts under keys, candidates and relations, as the commands of a terminal do."""

from collections.abc import Callable
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.interfaces.page.memory_forms import Done
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.facts import by_hand, candidates, core, promoting, relations, taking
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
    return _decided(asked, "accept", taking.accept)


def reject(asked: Asked) -> Done:
    """Say no to a candidate: `facts reject`."""
    return _decided(asked, "reject", taking.reject)


def retire(asked: Asked) -> Done:
    """Let a fact hold no longer: `facts retire`."""
    return _decided(asked, "retire", by_hand.retire)


def undo(asked: Asked) -> Done:
    """Take back what a fact did: `facts undo`."""
    back = by_hand.change(asked.reader(), asked.public_id, _as_shown(asked, taking.undo))
    return Done(f"Taken back: {', '.join(back)} holds again.", "fact", asked.public_id)


def promote(asked: Asked) -> Done:
    """Copy a fact or a note to all projects: `facts promote`."""
    return Done(by_hand.told(promoting.promote(asked.reader(), asked.public_id)), "memory", asked.public_id)


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
            raise notes_by_hand.NotAsShown(
                f"{fact.public_id} has changed since it was shown, nothing was done", "look at it as it is now"
            )
        return what(store, now, at)

    return change


def all_waiting(asked: Asked) -> Done:
    """Say yes to what is ticked among what waits, and no to what is crossed: `learn --review`."""
    answers = {name[4:]: given[0] for name, given in asked.fields.items() if name.startswith("say-")}
    done = 0
    for each in candidates.waiting(asked.reader()):
        answer = answers.get(each.fact.public_id, "")
        if answer in (candidates.YES, candidates.NO):
            candidates.decide(each, is_accepted=answer == candidates.YES)
            done += 1
    return Done(f"Decided: {done}.", "review")


def key_set(asked: Asked) -> Done:
    """Keep a short fact under a key: `core set`."""
    fact = core.put(asked.project, asked.project, asked.settings, asked.word("key"), asked.word("value"))
    return Done(f"Kept as {fact.public_id}: {fact.text}", "facts")


def key_delete(asked: Asked) -> Done:
    """Let the fact under a key hold no longer: `core delete`."""
    key = asked.word("key")
    if not core.delete(asked.project, key):
        raise RalphMemError(f"nothing stands under {key[:40]}", "the list has the keys that there are")
    return Done(f"{key} is told no more.", "facts")


def relation_edit(asked: Asked) -> Done:
    """Correct a relation: `relations edit`."""
    reader = asked.reader()
    _, found = relations.find(reader, asked.public_id)
    if asked.word("as_shown") and relations.line(found) != asked.word("as_shown"):
        raise notes_by_hand.NotAsShown(
            f"{asked.public_id} has changed since it was shown, nothing was done", "look at it as it is now"
        )
    given = asked.word("confidence")
    try:
        confidence = float(given) if given else None
    except ValueError as error:
        raise RalphMemError(f"{given[:20]} is no confidence", "a number from 0 to 1") from error
    relations.edit(reader, asked.public_id, asked.word("subject"), asked.word("predicate"), asked.word("object"), confidence)
    return Done(f"{asked.public_id} is corrected.", "relations")


def relation_remove(asked: Asked) -> Done:
    """Delete a relation: `relations remove`."""
    relations.remove(asked.reader(), asked.public_id)
    return Done(f"{asked.public_id} is gone.", "relations")
