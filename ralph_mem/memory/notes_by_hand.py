"""Store what a person says about their memory, such as a note, a better text, or that something misled."""

import posix
import time

from ralph_mem.core.errors import NotAsShown, RalphMemError
from ralph_mem.core.format import count, digits_of
from ralph_mem.core.redaction import blocks, privacy
from ralph_mem.core.settings import effective as switches
from ralph_mem.memory import access, opening, undoing
from ralph_mem.memory.rows import index_text, kinds, notes, reading, records, rewrite, row, sessions
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.recall.lookup import Reader, Row
    from ralph_mem.memory.store.connection import Store

# What is typed in a terminal belongs to no session of the client.
TERMINAL = "ralph-mem"
# 2,000 tokens: a note is read whole, and what is longer is a document.
MOST_CHARACTERS = 8_000
TITLE_CHARACTERS = 300
REMEMBERED = '{"source": "remember"}'  # a later statement may replace it, which one by `/mem inject` is asked for
# Behind an opening such as "remember that"; Chinese needs none of them, where the sign is not that of what is done or described.
BLANKS, BEHIND, NO_ORDER = " \t\n\u3000", ":,\uff1a\uff0c\u3001", "\u4e86\u7684"
ASKS, ENDS = "?\uff1f\u061f", "\u3002\uff01\uff1b\uff61"  # a question in other scripts as well, and a sentence in theirs
MARKS = ("pinned", "misled", "edited_at")
KEEPS_ITS_MARK = "Text from outside was in it, so it is still told to no model unasked. A note in your own words is."
UNCHANGED = "Nothing was changed."
TOLD = "UPDATE receipt_items SET misled_at = ? WHERE memory = ? AND outcome <> 'missed' AND misled_at IS NULL"


def inject(
    place: "Project", project: "Project", settings: "dict[str, Any]", text: str, session: str = "", turn: str = ""
) -> "tuple[str, bool]":
    """Keep a note in a place, from a client's `session` and `turn`; returns its id, and if it is new. Raises RalphMemError."""
    switches.need_recording(project, settings, session)
    safe, redactions = _safe(text, project, settings)
    title, content = parts(safe)
    with access.writing(place) as opened:
        if turn and place is project:  # or Stop, where this memory begins with the note, would take the answer for a memory
            records.apply(opened, records.turn(session, turn, time.time_ns() // 1_000_000, "command"))
        known = notes.known(opened, title, content)
        if not known:
            _add(opened, place, title, content, redactions, session)
            opened.drop(connection.LEARNED_AT)  # as below
        name = known or notes.known(opened, title, content)
        if not known:
            undoing.remember(opened, undoing.NOTE, name, time.time_ns() // 1_000_000)
    return name, not known


def asked_for(sentence: str, openings: "list[str]") -> str:
    """Return what a sentence asks to keep behind one of some openings; nothing for a question, and where it is more than one."""
    said = behind(sentence, openings)
    return "" if any([mark in said for mark in ASKS]) or any([mark in said[:-1] for mark in ENDS]) else said


def behind(words: str, openings: "list[str]") -> str:
    """Return what stands behind one of some openings of a person's words, nothing where they begin with none of these."""
    low = words.lower()
    ends = [len(opening) for opening in openings if low.startswith(opening.lower())]
    return next((words[end:].lstrip(BLANKS + BEHIND).rstrip() for end in ends if _is_apart(words[:end], words[end : end + 1])), "")


def _is_apart(opening: str, following: str) -> bool:
    """Say whether an opening ends before a character; of `remember that, and mend it` it only points at something."""
    if following == ",":
        return not opening.lower().endswith(" that")
    is_chinese = "\u4e00" <= opening[-1:] <= "\u9fff" and following not in NO_ORDER
    return is_chinese or not following.strip() or following in BEHIND


def keep(opened: "Store", project: "Project", settings: "dict[str, Any]", session: str, at: int, text: str) -> str:
    """Keep a note of a session within its event's transaction; returns its id, nothing where the text leaves nothing to keep."""
    try:
        safe, redactions = _safe(text, project, settings)
    except RalphMemError:
        return ""
    title, content = parts(safe)
    known = notes.known(opened, title, content)
    if known:
        return known
    event = f"note:{posix.urandom(8).hex()}"
    metadata = _noted(opened, title, REMEMBERED)
    known_as = {"type": row.NOTE, "origin": "user", "redactions": redactions, "metadata": metadata}
    records.apply(opened, records.memory(session, at, event, title, content, **known_as))
    opened.drop(connection.LEARNED_AT)  # what it says holds from the end of this turn on, not some minutes later
    name = notes.known(opened, title, content)
    undoing.remember(opened, undoing.NOTE, name, at)
    return name


def _add(opened: "Store", place: "Project", title: str, content: str, redactions: "str | None", session: str) -> None:
    at = time.time_ns() // 1_000_000
    where = session if session and opened.one("SELECT 1 FROM sessions WHERE client_session = ?", (session,)) else TERMINAL
    if where == TERMINAL:
        _terminal(opened, place, at)
    event = f"note:{posix.urandom(8).hex()}"
    known_as = {"type": row.NOTE, "origin": "user", "redactions": redactions, "metadata": _noted(opened, title)}
    records.apply(opened, records.memory(where, at, event, title, content, **known_as))


def _noted(opened: "Store", title: str, metadata: "str | None" = None) -> "str | None":
    if "/" not in title and "." not in title[:-1]:
        return metadata
    from ralph_mem.memory.facts import anchors  # lazy: only for a note that may name a path

    return anchors.noted(title, opened.tree, metadata)


def _terminal(opened: "Store", place: "Project", at: int) -> None:
    sessions.own(opened, TERMINAL, at)
    if not access.is_global(opened):  # a note may be the first that this machine hears of a project
        opening.notice(opened, place)


def _safe(text: str, project: "Project", settings: "dict[str, Any]") -> "tuple[str, str | None]":
    """Return a text as it may be stored, and what was cut out of it."""
    if text.count(privacy.INJECTED) > text.count("</ralph-mem-"):  # one that does not end would take the rest along
        raise RalphMemError("the text quotes what ralph-mem told", f"say it without {privacy.INJECTED}")
    if len(text) > MOST_CHARACTERS:
        raise RalphMemError(f"{len(text):,} characters are too long to remember", f"at most {MOST_CHARACTERS:,}; keep the gist")
    (safe,), redactions = privacy.protect([text.strip()], project, settings)
    safe = safe.strip()
    if not index_text.without_marks(safe).replace(blocks.PRIVATE, "").strip():
        raise RalphMemError("there is nothing to remember", "give a text that is not empty or private as a whole")
    return safe, redactions


def parts(text: str) -> "tuple[str, str]":
    """Return the title and the content of a note: its first line and the rest, or all of it where that line is too long."""
    first, _, rest = text.partition("\n")
    if len(first) <= TITLE_CHARACTERS:
        return first, rest
    return first[: first.rfind(" ", 0, 100) if " " in first[:100] else 100] + "...", text


def version(store: "Store", public_id: str) -> str:
    """Return digits for a row as it is stored now, texts and marks, that are others once any of it has changed; "" for none."""
    kind = kinds.of_id(public_id)
    names = [*kind.texts, *[name for name in MARKS if kind.has(name)]]
    found = store.one(f"SELECT {', '.join(names)} FROM {kind.table} WHERE public_id = ?", (public_id,))
    return digits_of([f"{name} {value}" for name, value in zip(names, found)]) if found else ""


def _check(store: "Store", public_id: str, as_shown: str) -> None:
    if as_shown and version(store, public_id) != as_shown:
        raise not_as_shown(public_id)


def not_as_shown(what: str) -> NotAsShown:
    """Return what to raise where something has changed since it was shown."""
    return NotAsShown(f"{what} has changed since it was shown, nothing was done", "look at it as it is now")


def editable(row: "Row") -> str:
    """Return the text of a note, or of a turn's answer, as a person corrects it."""
    return "\n".join([part for part in (row.asked, row.said) if part]) if row.type == "note" else row.said


def edit(found: "Row", project: "Project", settings: "dict[str, Any]", text: str, as_shown: str = "", session: str = "") -> None:
    """Replace what a row says: the text of a note, the answer of a turn, the content of anything else.

    It is the user's word from now on, and no longer marked as misleading. What web or MCP text has reached, or another home
    wrote, keeps its origin and its mark: to change a word of it says nothing for the rest. Raises RalphMemError for an empty or
    overlong text or where nothing is recorded, in a client's `session` if one is given, NotAsShown where the row has another
    `version` than that of `as_shown`.
    """
    switches.need_recording(project, settings, session)
    safe, redactions = _safe(text, project, settings)
    at = time.time_ns() // 1_000_000
    with access.Change(found.store) as store:
        _check(store, found.public_id, as_shown)
        undoing.remember(store, undoing.EDIT, found.public_id, at)
        if found.type == "turn":
            rewrite.say(store, found.number, safe)
        else:
            title, content = _titled(found, safe)
            rewrite.texts_of(store, row.OBSERVATION, found.number, {"title": title, "content": content, "lines": ""})
        store.execute(
            f"UPDATE {_table_of(found)} SET edited_at = ?, redactions = ?, misled = 0, origin = ? WHERE id = ?",
            (at, redactions, found.origin if is_from_outside(found) else "user", found.number),
        )
        from ralph_mem.memory.facts import taking  # lazy: what is typed for a note loads this module too

        taking.reword(store, found.public_id, at)


def _titled(found: "Row", text: str) -> "tuple[str, str]":
    """Return the title and the content of a corrected row: a statement is its title, a note has its first line there."""
    if found.type == row.FACT:
        return text, ""
    return parts(text) if found.type == row.NOTE else (found.asked, text)


def edited_at(found: "Row") -> int:
    """Return when a row was corrected last, in ms; 0 where it never was."""
    kept = found.store.one(f"SELECT edited_at FROM {_table_of(found)} WHERE id = ?", (found.number,))
    return int(kept[0] or 0) if kept else 0


def is_from_outside(found: "Row") -> bool:
    """Say whether web or MCP text has reached a row, or somebody else's file brought it: it is told to no model unasked."""
    return bool(found.tainted) or found.origin == "outside"


def pin(found: "Row", pinned: bool = True, as_shown: str = "") -> bool:
    """Keep a row in view: told first at a session's start, and preferred where it fits; or let go of it again.

    Says whether that changed anything; where it did not, an undo takes back what was done before. Raises NotAsShown.
    """
    with access.Change(found.store) as opened:
        _check(opened, found.public_id, as_shown)
        if opened.one(f"SELECT pinned FROM {_table_of(found)} WHERE id = ?", (found.number,)) == (int(pinned),):
            return False
        undoing.remember(opened, undoing.PIN, found.public_id, time.time_ns() // 1_000_000)
        opened.execute(f"UPDATE {_table_of(found)} SET pinned = ? WHERE id = ?", (int(pinned), found.number))
        opened.set_property(reading.WAS_PINNED, 1)
        opened.drop(connection.STANDING)
    return True


def wrong(reader: "Reader", found: "Row", as_shown: str = "") -> int:
    """Note that a memory misled, which is told later and less easily now, and unpin it; returns how many receipts told it.

    Raises NotAsShown.
    """
    now = time.time_ns() // 1_000_000
    with access.Change(found.store) as store:
        _check(store, found.public_id, as_shown)
        undoing.remember(store, undoing.WRONG, found.public_id, now)
        store.execute(f"UPDATE {_table_of(found)} SET misled = misled + 1, pinned = 0 WHERE id = ?", (found.number,))
        store.drop(connection.STANDING)
    told = 0
    for each in reader.stores:
        with access.Change(each) as store:
            told += store.execute(TOLD, (now, found.public_id)).rowcount
    return told


def told_wrong(receipts: int) -> str:
    """Say what became of a memory that was marked wrong."""
    return f"Noted in {count(receipts, 'receipt')}. If it is simply untrue: edit it, or forget it."


def room_of_pins(reader: "Reader", instructions: "tuple[str, ...]") -> str:
    """Say what the pins take of a session start, and how many of them find no room there; nothing where nothing is pinned."""
    from ralph_mem.memory.inject import block, briefing  # lazy: only for what is pinned

    known = block.read_instructions(reader.project, instructions)
    number, left_out, tokens = briefing.pins(reader.stores, reader.settings, known)
    budget = reader.settings["memory.inject_tokens_start"]
    if not left_out:
        what = "memory" if number == 1 else "memories"
        return f"Pinned: {number} {what}, {tokens:,} of the {budget:,} tokens of a session start." if number else ""
    return (
        f"Pins no longer fit: {number} of them take {tokens:,} tokens, and a session start has {budget:,} and {block.ROOM:,}"
        f" characters. {left_out} are not told there, the oldest first. Let go of some with `ralph-mem pin ID --off`, or raise"
        " memory.inject_tokens_start."
    )


def _table_of(found: "Row") -> str:
    return kinds.of_id(found.public_id).table
