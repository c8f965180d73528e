"""Do what a person asks of memories, facts and relations, by the functions that the commands of a terminal call."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from ralph_mem.core import project as projects
from ralph_mem.core.errors import ConfigError, RalphMemError
from ralph_mem.core.format import not_as_shown
from ralph_mem.hosts.claude_code import event
from ralph_mem.interfaces.page import upkeep_views
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.maintenance import config_change, config_file
from ralph_mem.maintenance.forget import erase, pending, select
from ralph_mem.memory import notes_by_hand, undoing
from ralph_mem.memory.facts import accepting, by_hand, core, relations
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts as rows
from ralph_mem.memory.store.connection import Store

MOST_MS = 10**15  # a time in ms has 13 digits until the year 2286
# What came of a form: what is said of it, and on which view, of which id.
Done = namedtuple("Done", "said view public_id", defaults=("",))
# A page that shows what would be done: its template and values.
Shown = namedtuple("Shown", "template values")
TYPED_FOR_ALL = "forget"  # to be typed before everything goes
Change = Callable[[Store, rows.Fact, int], Any]
SAID = {"accept": "holds", "reject": "is not proposed again", "retire": "holds no longer, and stays in its history"}


def note(asked: Asked) -> Done:
    """Keep a note, in this project or for all of them: `inject`."""
    target = projects.everywhere() if asked.flag("global") else asked.project
    if target is None:
        raise RalphMemError("there is no home folder for notes about all projects", "untick the box")
    name, is_new = notes_by_hand.inject(target, asked.project, asked.settings, asked.text("text"))
    return Done(f"Remembered as {name}." if is_new else f"This is remembered already, as {name}.", "memory", name)


def edit(asked: Asked) -> Done:
    """Correct what a memory says: `edit`."""
    reader = asked.reader()
    row = lookup.find(reader, asked.public_id)
    if lookup.WITHHELD in (row.said, row.lines):
        raise RalphMemError("this text is withheld, so it cannot be corrected here", "show what is withheld first")
    notes_by_hand.edit(row, reader.project, reader.settings, asked.text("text"), asked.word("as_shown"))
    more = f" {notes_by_hand.KEEPS_ITS_MARK}" if notes_by_hand.is_from_outside(row) else ""
    return Done(f"{row.public_id} is corrected.{more}", "memory", row.public_id)


def pin(asked: Asked) -> Done:
    """Keep a memory in view, or let go of it: `pin`, `pin --off`."""
    reader, pinned = asked.reader(), not asked.flag("off")
    row = lookup.find(reader, asked.public_id)
    notes_by_hand.pin(row, pinned=pinned, as_shown=asked.word("as_shown"))
    said = f"{row.public_id} is {'pinned' if pinned else 'pinned no more'}."
    return Done(f"{said} {notes_by_hand.room_of_pins(reader, event.instructions())}".strip(), "memory", row.public_id)


def wrong(asked: Asked) -> Done:
    """Say that a memory misled: `wrong`."""
    reader = asked.reader()
    row = lookup.find(reader, asked.public_id)
    told = notes_by_hand.wrong(reader, row, asked.word("as_shown"))
    return Done(f"{row.public_id} is marked wrong. {notes_by_hand.told_wrong(told)}", "memory", row.public_id)


def undo(asked: Asked) -> Done:
    """Take back the last note, edit, pin or wrong, if nothing came after it: `undo`."""
    return Done(undoing.undo(asked.reader(), asked.number("done_at", 0, 0, MOST_MS)), "today")


def set_(asked: Asked) -> Done:
    """Change a setting as far as it lets no more happen than now; what loosens is a command to copy."""
    key, value, shown = asked.word("key"), asked.text("value").strip(), asked.or_none("as_shown")
    if shown is not None and config_change.written(config_file.find(asked.project, key).value) != shown:
        raise notes_by_hand.not_as_shown(key)
    changed = config_change.tighten(asked.project, asked.settings, key, value)
    if changed is None:
        what = f"{key} would let more happen than now, which this page cannot decide"
        raise ConfigError(what, f"in a terminal, in the project's folder: {upkeep_views.command(key, value)}")
    waiting = " Not all of this file is in force: `ralph-mem trust` shows the rest." if changed.waiting else ""
    return Done(f"{key} is {config_change.written(changed.value)} in {changed.path}.{waiting}", "settings")


def forget(asked: Asked) -> Shown:
    """Show what a selection would take, or delete exactly that under its digits. Raises RalphMemError."""
    digits, everything = asked.word("digits").lower(), asked.flag("all")
    reader = asked.reader(change=True)
    if digits and pending.waits(asked.project):  # as a terminal does: what was begun is what is meant
        erase.resume(reader)
    given = [asked.public_id] if asked.public_id else asked.word("words").split()
    names, text = select.told_apart(given, asked.word("query"))
    chosen = select.Selection(
        names, text, asked.word("session"), asked.moment("since"), asked.moment("until"), types=(), origin=asked.word("origin"),
        everything=everything,
    )  # fmt: skip
    scope = asked.word("scope") or select.BOTH
    choice = select.choose(reader, chosen, scope, asked.flag("snapshots"))
    if not digits:
        return Shown("forget_preview.html", _preview(asked, reader, choice, scope, everything))
    if digits != choice.digits:
        raise not_as_shown(digits)
    if everything and asked.word("typed").lower() != TYPED_FOR_ALL:
        raise RalphMemError(f"the word {TYPED_FOR_ALL} was not typed, nothing was deleted", f"type {TYPED_FOR_ALL} into the field")
    report = erase.forget(reader, choice.plans, len, choice.runs())
    return Shown("forgotten.html", {"lines": pending.lines_of_report(report), "out_of_reach": pending.ALWAYS_OUT_OF_REACH,
                                    "clean": report.is_clean()})  # fmt: skip


def _preview(asked: Asked, reader: Any, choice: select.Choice, scope: str, everything: bool) -> dict[str, Any]:
    again = {name: asked.text(name) for name in ("words", "query", "session", "since", "until", "origin")}
    again |= {"scope": scope, **{name: "yes" for name in ("all", "snapshots") if asked.flag(name)}}
    return {
        "lines": select.preview(reader, choice), "number": len(choice.rows()), "digits": choice.digits, "everything": everything,
        "again": {name: value for name, value in again.items() if value}, "word": TYPED_FOR_ALL,
    }  # fmt: skip


def fact_add(asked: Asked) -> Done:
    """Keep a statement: `facts add`."""
    kind, also = asked.word("kind"), asked.word("also")
    if kind and kind not in rows.SAID:
        raise RalphMemError(f"there is no kind {kind[:40]}", "one of " + ", ".join(rows.SAID))
    days = asked.number("days", 0, 0, 36_500)
    taken = by_hand.keep(asked.project, asked.project, asked.settings, asked.word("text"), kind=kind, aliases=also, days=days)
    return Done(by_hand.told(taken), "fact" if taken.public_id else "facts", taken.public_id)


def fact_edit(asked: Asked) -> Done:
    """Correct what a fact says: `facts edit`."""
    by_hand.edit(asked.reader(), asked.public_id, asked.word("text"), asked.word("as_shown"))
    return Done(f"{asked.public_id} is corrected.", "fact", asked.public_id)


def fact_accept(asked: Asked) -> Done:
    """Make a candidate a fact: `facts accept`."""
    return _decided(asked, "accept", accepting.accept)


def fact_reject(asked: Asked) -> Done:
    """Say no to a candidate: `facts reject`."""
    return _decided(asked, "reject", accepting.reject)


def fact_retire(asked: Asked) -> Done:
    """Let a fact hold no longer: `facts retire`."""
    return _decided(asked, "retire", by_hand.retire)


def fact_fold(asked: Asked) -> Done:
    """Let a fact be told as another one that says the same: `facts fold`."""
    into = asked.word("into")
    by_hand.change(asked.reader(), asked.public_id, _as_shown(asked, lambda store, fact, at: accepting.fold(store, fact, into, at)))
    return Done(f"{asked.public_id} is folded into this one.", "fact", into)


def fact_undo(asked: Asked) -> Done:
    """Take back what a fact did: `facts undo`."""
    back = by_hand.change(asked.reader(), asked.public_id, _as_shown(asked, accepting.undo))
    return Done(f"Taken back: {', '.join(back)} holds again.", "fact", asked.public_id)


def fact_promote(asked: Asked) -> Done:
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
