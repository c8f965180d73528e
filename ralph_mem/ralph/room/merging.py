"""Decide what becomes of each path that both a loop and the person changed, line by line where possible."""

import os
from collections import namedtuple
from difflib import SequenceMatcher

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK, OTHER, Change, blobs, same
from ralph_mem.ralph.snapshot.placing import is_out_of_bounds
from ralph_mem.ralph.snapshot.rollback_plan import folders_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from ralph_mem.ralph.snapshot import Entry
    from ralph_mem.ralph.snapshot.store import Snapshots

    Lines = list[bytes]

Merged = namedtuple("Merged", "wanted content conflicts mixed")
Merged.__doc__ = """What a result leads to: `wanted` has the entry that each path is to get, None for deleted ones, and `content`
the blobs of merged texts, which no snapshot has. `conflicts` are the paths that stay as they are, with the reason; `mixed` those
in which both changes are.
"""

Room = namedtuple("Room", "top led")
Room.__doc__ = """Where a result comes from: the top of the room, and the links that it had otherwise than the person from the
start, as path -> Change from theirs to its own."""

BOTH = "changed by the loop and by you"
LOOP_DELETED = "deleted by the loop, changed by you"
YOU_DELETED = "changed by the loop, deleted by you"
BOTH_ADDED = "added by the loop and by you"
# difflib takes a tenth of a second for texts of this size; a larger one is rarely written by hand.
MOST_BYTES = 1_000_000
MOST_LINES = 20_000


def merge(snapshots: "Snapshots", base: int, theirs: int, ours: int, only: "Collection[bytes]", room: "Room") -> Merged:
    """Return what brings the changes from the snapshot `base` to `theirs` into the tree as `ours` has it, all by number.

    Only these paths are looked at.
    """
    mine = {change.path: change.after for change in snapshots.differences(base, ours)}
    work = _Work(snapshots, Merged({}, [], {}, []), room)
    for change in snapshots.differences(base, theirs):
        if change.path in only:
            work.take(work.as_yours(change), mine.get(change.path, change.before), change.path in mine)
    entries = snapshots.entries(ours)
    _add_folders(work.found, entries, snapshots.entries(theirs))
    _keep_what_holds(work.found, entries)
    return work.found


def together(one: Merged, other: Merged) -> Merged:
    """Return two merges of different paths as one."""
    return Merged(
        {**one.wanted, **other.wanted}, one.content + other.content, {**one.conflicts, **other.conflicts}, one.mixed + other.mixed
    )


def changes_of(snapshots: "Snapshots", merged: Merged, ours: int) -> "list[Change]":
    """Return what is to be done as changes from what is wanted to what is there now, as a rollback takes them."""
    entries = snapshots.entries(ours)
    return [Change(path, "changed", merged.wanted[path], entries.get(path)) for path in sorted(merged.wanted)]


class _Work:
    """The merge so far."""

    def __init__(self, snapshots: "Snapshots", found: Merged, room: Room) -> None:
        self._snapshots = snapshots
        self._room = room
        self.found = found

    def as_yours(self, change: Change) -> Change:
        """Return a change in which a link is as the person has it, or would: one into the room leads into their tree."""
        led = self._room.led.get(change.path)
        pair = [led.before if led and each == led.after else self._led_back(each) for each in (change.before, change.after)]
        return change._replace(before=pair[0], after=pair[1])

    def _led_back(self, entry: "Entry | None") -> "Entry | None":
        if entry is None or entry.kind != LINK or not entry.stored:
            return entry
        told, room = self._snapshots.content(entry), os.fsencode(self._room.top)
        if not (told + b"/").startswith(room + b"/"):
            return entry
        text = self._snapshots.top + told[len(room) :]
        digest = blobs.digest_of(text)
        self.found.content.append(blobs.pack(digest, text))
        return entry._replace(size=len(text), digest=digest)

    def take(self, change: Change, ours: "Entry | None", is_touched: bool) -> None:
        """Decide about one change of the loop; `ours` is what the person has there now."""
        before, after = change.before, change.after
        if same(ours, after):
            return
        why = _beyond_us(before, after, ours, change.path)
        if why:
            self.found.conflicts[change.path] = why
        elif not is_touched or same(ours, before):
            self.found.wanted[change.path] = after
        elif before and after and ours and before.kind == after.kind == ours.kind == FILE:
            self._mix(change.path, before, after, ours)
        elif not (after and ours and after.kind == ours.kind == FOLDER):  # two modes of a folder: the person's stays
            self.found.conflicts[change.path] = _why(before, after, ours)

    def _mix(self, path: bytes, before: "Entry", after: "Entry", ours: "Entry") -> None:
        """Take both changes of a file, those of its mode and those of its lines."""
        mode = after.mode if after.mode != before.mode else ours.mode
        entry, blob = self._text(before, after, ours)
        if entry is None:
            self.found.conflicts[path] = BOTH
            return
        self.found.wanted[path] = entry._replace(mode=mode)
        self.found.content.extend([blob] if blob else [])
        self.found.mixed.append(path)

    def _text(self, before: "Entry", after: "Entry", ours: "Entry") -> "tuple[Entry | None, Any]":
        if after.digest in {before.digest, ours.digest}:
            return ours, None
        if ours.digest == before.digest:
            return after, None
        try:
            text = merged_lines(*[self._snapshots.content(each) for each in (before, ours, after)])
        except SnapshotError:  # a blob that is damaged: the person's own stays
            text = None
        if text is None or len(text) > blobs.LARGEST_ROW:
            return None, None
        digest = blobs.digest_of(text)
        return ours._replace(size=len(text), digest=digest), blobs.pack(digest, text)


def _beyond_us(before: "Entry | None", after: "Entry | None", ours: "Entry | None", path: bytes) -> str:
    """Say why a path cannot be brought over or back, whoever changed it."""
    if is_out_of_bounds(path):
        return "is never touched"
    if any([each and each.kind == OTHER for each in (before, after, ours)]):
        return "is a FIFO, socket or device"
    if after and after.kind != FOLDER and not after.stored:
        return "is not stored: it lies in the loop's room alone"
    if ours and ours.kind != FOLDER and not ours.stored:
        return "is not stored as you have it"
    return ""


def _why(before: "Entry | None", after: "Entry | None", ours: "Entry | None") -> str:
    if before is None:
        return BOTH_ADDED
    return LOOP_DELETED if after is None else YOU_DELETED if ours is None else BOTH


def _add_folders(found: Merged, ours: "dict[bytes, Entry]", theirs: "dict[bytes, Entry]") -> None:
    """Make the folders that a path needs where the person has deleted them; where something else is, it is a conflict."""
    for path in sorted([path for path, entry in found.wanted.items() if entry]):
        for folder in folders_above(path):
            there = found.wanted[folder] if folder in found.wanted else ours.get(folder)
            if there is None and folder in theirs:
                found.wanted[folder] = theirs[folder]
            elif there is None or there.kind != FOLDER:
                del found.wanted[path]
                found.conflicts[path] = f"{folder.decode('utf-8', 'backslashreplace')} is in its place"
                break


def _keep_what_holds(found: Merged, ours: "dict[bytes, Entry]") -> None:
    """Keep the folders, which are to go or to be replaced, that hold something of the person's."""
    going = {path for path, entry in found.wanted.items() if path in ours and (entry is None or entry.kind != FOLDER)}
    folders = {path for path in going if ours[path].kind == FOLDER}
    for path in ours if folders else ():
        if path in going:
            continue
        for folder in folders.intersection(folders_above(path)):
            del found.wanted[folder]
            found.conflicts[folder] = f"holds {path.decode('utf-8', 'backslashreplace')}"
            folders.discard(folder)


def merged_lines(base: bytes, ours: bytes, theirs: bytes) -> "bytes | None":
    """Return a text with both changes of `base`; None where they touch the same lines or lines side by side, or are no text."""
    if any([b"\0" in text or len(text) > MOST_BYTES for text in (base, ours, theirs)]):
        return None
    split = [text.splitlines(keepends=True) for text in (base, ours, theirs)]
    if max([len(lines) for lines in split]) > MOST_LINES:
        return None
    merged: Lines = []
    for part in _parts(*split):
        chosen = _chosen(*part)
        if chosen is None:
            return None
        merged += chosen
    return b"".join(merged)


def _chosen(base: "Lines", ours: "Lines", theirs: "Lines") -> "Lines | None":
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None


def _parts(base: "Lines", ours: "Lines", theirs: "Lines") -> "Iterator[tuple[Lines, Lines, Lines]]":
    """Yield the three texts in parts that belong together: what all have, and what lies between."""
    at = (0, 0, 0)
    for start, mine, other, length in [*_common(base, ours, theirs), (len(base), len(ours), len(theirs), 0)]:
        yield base[at[0] : start], ours[at[1] : mine], theirs[at[2] : other]
        yield base[start : start + length], ours[mine : mine + length], theirs[other : other + length]
        at = start + length, mine + length, other + length


def _common(base: "Lines", ours: "Lines", theirs: "Lines") -> "list[tuple[int, int, int, int]]":
    """Return the stretches that all three have, as where each begins and how long it is."""
    one, two = _matches(base, ours), _matches(base, theirs)
    found, i, j = [], 0, 0
    while i < len(one) and j < len(two):
        (a, mine, long), (b, other, wide) = one[i], two[j]
        start, end = max(a, b), min(a + long, b + wide)
        if start < end:
            found.append((start, mine + start - a, other + start - b, end - start))
        i, j = (i + 1, j) if a + long < b + wide else (i, j + 1)
    return found


def _matches(base: "Lines", other: "Lines") -> "list[tuple[int, int, int]]":
    """Return the stretches that two texts share; what they begin and end with alike is not compared, which is most of it."""
    least = min(len(base), len(other))
    head = next((at for at in range(least) if base[at] != other[at]), least)
    tail = next((at for at in range(least - head) if base[-1 - at] != other[-1 - at]), least - head)
    inner = SequenceMatcher(None, base[head : len(base) - tail], other[head : len(other) - tail], autojunk=False)
    found = [(head + each.a, head + each.b, each.size) for each in inner.get_matching_blocks()]
    return [each for each in [(0, 0, head), *found, (len(base) - tail, len(other) - tail, tail)] if each[2]]
