"""Look after the repository of a loop's tree from before its first iteration to its end."""

import functools

from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.format import amount
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph.attribution.writes import Writes
from ralph_mem.ralph.git import copies, journal, words
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.git.touches import NOBODY, Touches, left_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.git.repository import Repository
    from ralph_mem.ralph.git.touches import Hands
    from ralph_mem.ralph.loop import Loop

ENTRY = "git"  # what the record calls it
MEGABYTE = 1_048_576
MOST_NAMED = 6


def begin(loop: "Loop") -> None:
    """Copy what git holds before anything of the loop runs, and note what it knows; what cannot be held is told."""
    main, is_theirs = repositories.of(loop.place), loop.place is loop.project  # what a room holds is borrowed from there
    most_bytes = loop.settings["ralph.git_backup_mb"] * MEGABYTE
    try:
        found, left_out = repositories.in_tree(loop, main)
        if not found:
            return
        found = [each._replace(links=repositories.links(each)) for each in found]
        top = main.top if main else loop.place.top
        held = copies.keep(loop.project, found, loop.run.id, most_bytes, top, objects=is_theirs)
        journal.keep_look(loop.project, loop.run.id, journal.look(found, None, 0, journal.AFTER), None)
    except (SnapshotError, OSError) as error:
        loop.told(f"git is not guarded in this loop: {error}")
        return
    what = [each.what for each in held.values()]
    loop.note(ENTRY, number=0, held=what, bytes=sum([each.bytes for each in held.values()]), told=[], lost=False)
    if is_theirs:
        _tell(loop, [(each, held[each.name].why) for each in found if each.name in held], left_out)


def _tell(loop: "Loop", whys: "list[tuple[Repository, str]]", left_out: "list[str]") -> None:
    """Say what is not held, or not looked after at all."""
    for each, why in whys:
        if why:
            loop.told(words.of_repository(each, why))
    if left_out:
        loop.told(f"git is not guarded in: {', '.join(left_out[:MOST_NAMED])}{' and others' if left_out[MOST_NAMED:] else ''}")


def before(loop: "Loop") -> None:
    """Look at git as an iteration is begun: what has changed since the last one ended is nobody's but the person's."""
    _look(loop, loop.run.next_number(), journal.BEFORE)
    if isinstance(loop.writes, Writes):
        loop.writes.touches = Touches(journal.guarded(loop.project, loop.run.id))


def after(loop: "Loop", number: int) -> "list[str]":
    """Look at git once an iteration and its checks are done, and note what changed; returns it in lines."""
    lines, lost = _look(loop, number, journal.AFTER)
    if lines:
        lines = privately(loop, lines)
        loop.note(ENTRY, number=number, told=lines, lost=lost)
    return lines


def gone(loop: "Loop") -> "list[str]":
    """Look at git once an iteration has broken off; returns what changed in lines where the repository itself is gone."""
    lines, lost = _look(loop, loop.run.next_number(), journal.AFTER)
    return privately(loop, lines) if lost else []


def cut_off(loop: "Loop", just_now: bool = False) -> None:
    """Look at git once an iteration was cut off: `just_now`, or earlier, where it is known what the loop's programs had written."""
    if (just_now or isinstance(loop.writes, Writes)) and loop.run.begun >= loop.run.next_number():
        _look(loop, loop.run.begun, journal.AFTER)


def lost_since(loop: "Loop") -> "list[str]":
    """Return in lines what git lost since the last look, for a session at which a person is at work, whose commits are no news."""
    found = journal.looks_of(loop.project, loop.run.id)
    lines, _ = _look(loop, len(found), journal.AFTER)
    now = journal.looks_of(loop.project, loop.run.id)
    lost = found and now and any([words.losses(state, now[-1].states[name]) for name, state in found[-1].states.items()])
    return privately(loop, lines) if lost else []


def privately(loop: "Loop", lines: "list[str]") -> "list[str]":
    """Return lines as they may be stored: a branch or hook may bear any name."""
    return list(privacy.protect(lines, loop.project, loop.settings)[0])


def _look(loop: "Loop", number: int, when: str) -> "tuple[list[str], bool]":
    """Look at git, and return what changed since the last look, and whether the repository itself is gone."""
    there = journal.guarded(loop.project, loop.run.id)
    found = journal.looks_of(loop.project, loop.run.id)
    if not there or not found:
        return [], False
    former = found[-1]
    now = journal.look(there, former, number, when)
    now = now._replace(others=_others(loop, there, former, now)) if when == journal.AFTER else now
    try:
        journal.keep_look(loop.project, loop.run.id, now, former)
    except OSError as error:
        loop.told(f"what git knew could not be written down: {error.strerror}")
    lines = [line for each in there for line in _changes(each, former, now)]
    # a room of the loop's own goes on without: what counts is its files
    gone = [each for each in there if former.states[each.name].there and not now.states[each.name].there]
    return lines, loop.place is loop.project and any([not repositories.is_apart(each) for each in gone])


def _changes(each: "Repository", former: "journal.Look", now: "journal.Look") -> "list[str]":
    return words.changes(each, former.states[each.name], now.states[each.name], now.others.get(each.name, NOBODY))


def _others(loop: "Loop", there: "list[Repository]", former: "journal.Look", now: "journal.Look") -> "dict[str, Hands]":
    """Return what somebody else than the loop changed in an iteration, nothing where that is not heard."""
    if not isinstance(loop.writes, Writes):
        return {}
    hands = loop.writes.touches.hands if loop.writes.touches else functools.partial(left_in, loop.writes)
    return {each.name: hands(each, former.states[each.name], now.states[each.name]) for each in there}


def foresee(project: "Project", settings: "dict[str, Any]") -> str:
    """Return in a line what of git a loop would hold, without holding anything."""
    main = repositories.of(project)
    if main is None:
        return ""
    try:
        contents = copies.contents_of(main.common)
        held = copies.foresee(contents, main.common, copies.folder_of(project), settings["ralph.git_backup_mb"] * MEGABYTE)
    except (SnapshotError, OSError) as error:
        return f"git: nothing would be held: {error}"
    return (
        f"git: {held.why}: of its objects only those that no remote has"
        if held.why
        else f"git: all of it is held, {amount(held.bytes)}"
    )
