"""Show what a forget would take, and do it when its digits come back."""

from collections import namedtuple
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import not_as_shown
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.maintenance.forget import erase, pending, select

# A page that shows what would be done: its template and values.
Shown = namedtuple("Shown", "template values")
WORD = "forget"  # to be typed before everything goes


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
    if everything and asked.word("typed").lower() != WORD:
        raise RalphMemError(f"the word {WORD} was not typed, nothing was deleted", f"type {WORD} into the field")
    report = erase.forget(reader, choice.plans, len, choice.runs())
    return Shown("forgotten.html", {"lines": pending.lines_of_report(report), "out_of_reach": pending.ALWAYS_OUT_OF_REACH,
                                    "clean": report.is_clean()})  # fmt: skip


def _preview(asked: Asked, reader: Any, choice: select.Choice, scope: str, everything: bool) -> dict[str, Any]:
    again = {name: asked.text(name) for name in ("words", "query", "session", "since", "until", "origin")}
    again |= {"scope": scope, **{name: "yes" for name in ("all", "snapshots") if asked.flag(name)}}
    return {
        "lines": select.preview(reader, choice), "number": len(choice.rows()), "digits": choice.digits, "everything": everything,
        "again": {name: value for name, value in again.items() if value}, "word": WORD,
    }  # fmt: skip
