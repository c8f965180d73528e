"""The verbs by which a person adds to a memory and corrects it."""

from ralph_mem.core import project
from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts.claude_code import event
from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.skills import typed_words
from ralph_mem.interfaces.skills.memory import one_id
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.recall import layers, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked

GLOBAL, BEHIND = "--global", "--"
UNDO = "/mem undo takes it back."


def inject(asked: "Asked") -> str:
    """Keep what was typed, for this project or with `--global` in front for all of them; returns its id."""
    text, everywhere = _note(asked.text)
    place = project.everywhere() if everywhere else asked.project
    if place is None:
        raise RalphMemError("there is no home folder for notes about all projects", f"leave out {GLOBAL}")
    name, is_new = notes_by_hand.inject(place, asked.project, asked.settings, text, asked.session, asked.turn)
    where = "for all projects" if everywhere else "for this project"
    return f"Remembered {where} as {name}. {UNDO}" if is_new else f"This is remembered already, as {name}."


def _note(text: str) -> "tuple[str, bool]":
    """Return a note, and whether it is for all projects. Raises RalphMemError for an option in front of it that nobody knows."""
    first, rest = [*text.split(None, 1), "", ""][:2]
    everywhere = first == GLOBAL
    if everywhere:
        text = text.lstrip()[len(GLOBAL) :].lstrip()
        first = [*text.split(None, 1), ""][0]
    if first == BEHIND:
        return text.lstrip()[len(BEHIND) :].lstrip(), everywhere
    if first[:2] == BEHIND and first[2:3].isalpha() and rest:
        raise RalphMemError(
            f"there is no option {first[:40]} for a note, so nothing was kept", "-- in front of it makes it a part of the note"
        )
    return text, everywhere


def edit(asked: "Asked") -> str:
    """Correct what a memory says; returns its line."""
    name, text = [*asked.text.split(None, 1), "", ""][:2]
    if not text.strip():
        raise RalphMemError("/mem edit takes an id and the new text", f"for example: /mem {verbs.OF['edit'].example}")
    reader = asked.reader(change=True)
    found = lookup.find(reader, name)
    notes_by_hand.edit(found, asked.project, asked.settings, text, session=asked.session)
    kept = [notes_by_hand.KEEPS_ITS_MARK] if notes_by_hand.is_from_outside(found) else []
    return "\n".join([layers.index(lookup.find(reader, name)), *kept, UNDO])


def pin(asked: "Asked") -> str:
    """Keep a memory in view, or with `--off` let go of it; returns its line and what the pins take."""
    typed = typed_words.Typed(asked.text, (), verbs.OF["pin"].flags())
    reader = asked.reader(change=True)
    name = one_id(typed, "pin")
    is_new = notes_by_hand.pin(lookup.find(reader, name), pinned="--off" not in typed.options)
    room = notes_by_hand.room_of_pins(reader, event.instructions())
    return "\n".join(
        [layers.index(lookup.find(reader, name)), *([room] if room else []), UNDO if is_new else notes_by_hand.UNCHANGED]
    )


def wrong(asked: "Asked") -> str:
    """Say that a memory misled; returns its line and how many receipts say so now."""
    reader = asked.reader(change=True)
    name = one_id(typed_words.Typed(asked.text, ()), "wrong")
    told = notes_by_hand.wrong(reader, lookup.find(reader, name))
    return "\n".join([layers.index(lookup.find(reader, name)), notes_by_hand.told_wrong(told), UNDO])


def undo(asked: "Asked") -> str:
    """Take back the last thing that a person did here."""
    if asked.text.strip():
        raise RalphMemError("/mem undo takes no words", "it takes back the last note, edit, pin or wrong")
    from ralph_mem.memory import undoing  # lazy: only for what is taken back

    return undoing.undo(asked.reader(change=True))
