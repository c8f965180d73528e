"""Have a loop work in a room, made at its start or where it goes on without one."""

import os

from ralph_mem.ralph import files, runs
from ralph_mem.ralph.loop import MEANWHILE
from ralph_mem.ralph.room import keeping, making, walls
from ralph_mem.ralph.snapshot import store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.loop import Loop

MOST_NAMED = 5


def enter(loop: "Loop") -> None:
    """Make the room of a loop from its newest snapshot and work there. Raises LoopError and SnapshotError.

    The caller holds the lock. Rooms that nobody needs any more go first.
    """
    loop.told(MEANWHILE + "making a room for the loop")
    if not loop.option("attempt_of"):  # others are at work beside it
        _sweep(loop)
    loop.run.room = ""  # its checks as the person's tree has them
    loop.see_room()
    if not files.last_snapshot(loop.run):  # it was killed before there was one
        files.begin(loop)
    checks = loop.every_criterion()
    made = making.make(
        loop.project, loop.run.id, files.last_snapshot(loop.run), files.scope_of(loop.settings), loop.settings, checks
    )
    loop.note("room", path=made.path, base=made.base, linked=made.linked, roots=made.roots)
    loop.see_room()
    for line in _lines(made, walls.holds_links(loop)):
        loop.told(line)


def _sweep(loop: "Loop") -> None:
    with store.open_store(loop.project) as snapshots:
        keeping.sweep(loop.project, [run for run in runs.all(loop.project) if run.id != loop.run.id], snapshots)


def is_there(loop: "Loop") -> bool:
    """Say whether the room of a loop is there to go on in, or none is needed."""
    return bool(loop.option("here") is not False or (loop.run.room and os.path.isdir(loop.run.room)))


def _lines(made: "making.Room", held: bool) -> "list[str]":
    """Return what a person should know of a room."""
    lines = ["works in a room of its own; your files stay as they are"]
    rule = "and read-only there" if held else "and yours: the loop ends where something is written there"
    lines += [f"linked, {rule}: {', '.join(made.linked[:MOST_NAMED])}"] if made.linked else []
    missing = [path.decode("utf-8", "backslashreplace") for path in made.missing[:MOST_NAMED]]
    return lines + ([f"not in it: {', '.join(missing)}"] if missing else [])
