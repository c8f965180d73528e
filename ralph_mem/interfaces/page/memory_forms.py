"""Do what a person asks of memories, by the functions that the commands of a terminal call."""

from collections import namedtuple
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
from ralph_mem.memory.recall import lookup

MOST_MS = 10**15  # a time in ms has 13 digits until the year 2286
# What came of a form: what is said of it, and on which view, of which id.
Done = namedtuple("Done", "said view public_id", defaults=("",))
# A page that shows what would be done: its template and values.
Shown = namedtuple("Shown", "template values")
TYPED_FOR_ALL = "forget"  # to be typed before everything goes


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
