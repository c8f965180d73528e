"""Take the snapshots of a run, and note who else has written."""

import time

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.attribution import explaining, overwritten, tool_events, writes
from ralph_mem.ralph.attribution.writes import Writes
from ralph_mem.ralph.git import guarding
from ralph_mem.ralph.loop import Loop
from ralph_mem.ralph.record import IN_SESSION
from ralph_mem.ralph.snapshot import (
    FILE,
    Entry,
    Taken,
    blobs,
    ignoring,
    journal,
    listing,
    others,
    restoring,
    rollback_plan,
    store,
    taking,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph import record
    from ralph_mem.ralph.attribution.overwritten import Kept
    from ralph_mem.ralph.snapshot import Change
    from ralph_mem.ralph.snapshot.store import Snapshots

MEGABYTE = 1_048_576
NS_PER_MS = 1_000_000
RESUMED = "resumed"  # the label of a snapshot of what a run finds as it goes on
CUT_OFF = ", cut off"  # ends the label of a snapshot of what a killed iteration left
HAS_IT = "SELECT 1 FROM entries WHERE path = ? AND digest = ? LIMIT 1"


def scope_of(settings: "dict[str, Any]") -> "listing.Scope":
    """Return what a snapshot takes in, as the settings have it."""
    return listing.DEFAULT._replace(
        include_ignored=tuple(settings["snapshot.include_ignored"]),
        most_file_bytes=settings["snapshot.max_file_mb"] * MEGABYTE,
        quota_bytes=settings["snapshot.quota_mb"] * MEGABYTE,
    )


def refuse(project: "Project") -> None:
    """Raise SnapshotError for a tree that gets no snapshot, such as the home folder."""
    listing.refuse(project.top, listing.DEFAULT)


def take(loop: "Loop", label: str) -> "Taken":
    """Take a snapshot for a run; what a crash left of a rollback is finished first. Raises SnapshotError."""
    with store.open_store(loop.place) as snapshots:
        restoring.recover(snapshots)
        settle_overwritten(loop, snapshots)
        taken = taking.take(snapshots, label, run=loop.run.id, scope=scope_of(loop.settings))
        if loop.run.start_snapshot:
            note_others(loop, snapshots, taken.id)
        return taken


def settle_cut_off(project: "Project", settings: "dict[str, Any]", run: "record.Run") -> None:
    """Take in what an iteration left that was cut off, and whose it is, where that is known. Raises SnapshotError, LoopError."""
    if not (run.cut_off() and run.start_snapshot):
        return
    loop = Loop(project, settings, run.id)
    in_session = run.mode == IN_SESSION
    loop.writes = tool_events.of_cut_off(loop, checked_ns(run)) if in_session else writes.left_by(project, run.id)
    if loop.writes is None:
        return
    taken = take(loop, f"iteration {run.begun}{CUT_OFF}")
    guarding.cut_off(loop)
    loop.note("settled", number=run.begun, snapshot=taken.id)
    run.settled, run.looked = run.begun, taken.id


def begin(loop: "Loop") -> None:
    """Take the snapshot to which a rollback leads, and write it down. Raises SnapshotError."""
    taken = take(loop, "start")
    loop.note("snapshot", snapshot=taken.id, tree=taken.tree, files=taken.files, bytes=taken.bytes, unstored=len(taken.unstored))


def note_others(loop: "Loop", snapshots: "store.Snapshots", number: int) -> "set[bytes]":
    """Note what has changed since the last look that none of the loop's programs wrote; returns all of it in this run."""
    if loop.writes and not loop.writes.heard():
        loop.told(f"{explaining.ALL_IS_THE_LOOPS}: {explaining.NOT_HERE}")
        loop.writes = None
    if loop.writes:
        found = _changed_since(snapshots, loop.run.looked or last_snapshot(loop.run), number)
        paths = explaining.unexplained(loop.writes, loop.place.top, found, snapshots)
        others.note(snapshots, loop.run.id, number, others.PERSON, paths)
    return {*others.since(snapshots, loop.run.id, 0)}


def note_between(loop: "Loop") -> None:
    """Note what changed since a run ended as the person's, whatever the system tells: none of the loop's was at work then.

    After an iteration that was cut off it is what none of the loop's programs wrote, where that is known. Raises SnapshotError.
    """
    if loop.run.cut_off() or loop.run.settled >= loop.run.next_number():
        loop.writes = writes.left_by(loop.project, loop.run.id)
        if loop.writes:
            take(loop, f"iteration {loop.run.begun}{CUT_OFF}")
        if loop.run.cut_off():  # else that was looked at as it was settled
            guarding.cut_off(loop)
        loop.writes = None  # those of what works from now on are the caller's to set
        return
    with store.open_store(loop.place) as snapshots:
        restoring.recover(snapshots)
        before, done = restoring.last_of(snapshots, loop.run.id), checked_ns(loop.run)
        taken = taking.take(snapshots, RESUMED, run=loop.run.id, scope=scope_of(loop.settings))
        found = [each.path for each in _changed_since(snapshots, before, taken.id) if snapshots.changed_ns(each.path) > done]
        others.note(snapshots, loop.run.id, taken.id, others.PERSON, found)


def _changed_since(snapshots: "Snapshots", before: int, number: int) -> "list[Change]":
    """Return what differs between two snapshots but by rollbacks meanwhile."""
    ours = journal.put_back(snapshots, before)
    return [each for each in snapshots.differences(before, number) if each.path not in ours or ours[each.path] != each.after]


def checked_ns(run: "record.Run") -> int:
    """Return when the last checks were done; `passing.begin` lets the clock of the file system go on before the next agent."""
    return (run.iterations[-1].ended + 1) * NS_PER_MS if run.iterations else 0


def settle(loop: "Loop", number: int) -> "Taken | None":
    """Take in what the last checks left behind, as it is the loop's and not the person's.

    Between two iterations the time of the last change tells that as well. Number 0 are the checks before the first iteration.
    Returns the snapshot, None without one.
    """
    if loop.option("snapshot"):
        if loop.writes and not loop.writes.checks_are_heard:
            loop.writes = None  # they are all that has been at work since the last look
        try:
            return take(loop, f"checks {number}")
        except SnapshotError as error:  # the agent's own work is safe: a rollback keeps what the checks wrote, and names it
            loop.told(f"what the checks left is in no snapshot: {error}")
    return None


def newest(loop: "Loop") -> int:
    """Return the number of the newest snapshot of a run's own work, 0 without snapshots."""
    if not loop.option("snapshot"):
        return 0
    with store.open_store(loop.place) as snapshots:
        return int(restoring.last_of(snapshots, loop.run.id) or 0)


def last_snapshot(run: "record.Run") -> int:
    """Return the number of the snapshot that the next iteration begins with, 0 for none."""
    kept = [each.snapshot for each in run.iterations if each.snapshot]
    return int(kept[-1] if kept else run.start_snapshot)


def look_for_last(project: "Project", run: "record.Run") -> None:
    """Raise SnapshotsGone where a run cannot go on, since what it would go on from is not there any more."""
    number = last_snapshot(run)
    opened = store.open_to_read(project) if number else None
    if number and opened is None:
        raise store.gone(run.id)
    if opened:
        with opened:
            opened.find_of(run.id, number)


def settle_overwritten(loop: "Loop", snapshots: "Snapshots") -> "list[str]":
    """Write a snapshot of what was overwritten since the last one, just before the next; returns it in lines.

    Raises SnapshotError.
    """
    if isinstance(loop.writes, Writes) and loop.writes.overwritten:
        loop.writes.overwritten.since_ns = time.time_ns()
    if not loop.run.start_snapshot:
        return []
    kept = overwritten.taken_from(loop.project, loop.run.id)
    found = {each.path: (each, blobs.digest_of(each.data)) for each in _wanted(loop, snapshots, kept)}
    new = {path: told for path, told in found.items() if not snapshots.query(HAS_IT, (path, told[1]))}
    if new:
        wanted: dict[bytes, Entry | None] = {
            path: Entry(FILE, each.mode, len(each.data), digest, True) for path, (each, digest) in new.items()
        }
        content = [blobs.pack(digest, each.data) for each, digest in new.values()]
        number = taking.write_down(snapshots, restoring.OVERWRITTEN, loop.run.id, wanted, content)
        others.note(snapshots, loop.run.id, number, others.OVERWRITTEN, new)
    names = [path.decode("utf-8", "backslashreplace") for path in sorted(new)]
    return [f"overwrote what you had written meanwhile, which a rollback brings back: {name}" for name in names]


def _wanted(loop: "Loop", snapshots: "Snapshots", kept: "dict[bytes, Kept]") -> "list[Kept]":
    """Leave out what no snapshot takes in."""
    rules = ignoring.of_run(snapshots, loop.run.id) if kept else None
    if rules is None:
        return [*kept.values()]
    above = {path: {*rollback_plan.folders_above(path)} for path in kept}
    try:
        out = rules.ignored({**dict.fromkeys(set().union(*above.values()), True), **dict.fromkeys(kept, False)})
    finally:
        rules.close()
    out |= {row[0] for row in snapshots.query("SELECT path FROM ignored")}
    return [each for each in kept.values() if out.isdisjoint({each.path, *above[each.path]})]
