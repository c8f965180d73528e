"""Tell what a loop did to a file that its person had changed too."""

from collections import namedtuple

from ralph_mem.ralph.room import lines
from ralph_mem.ralph.snapshot import FILE, LINK
from ralph_mem.ralph.watching import file_patch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.ralph.snapshot import Change, Entry
    from ralph_mem.ralph.snapshot.store import Snapshots

Side = namedtuple("Side", "mode data")
Side.__doc__ = """A file or link as a commit has it: its mode in git's digits, and its bytes."""

MIXED = Side(b"", b"")  # nobody can tell both changes apart
LINKS = file_patch.MODE_OF_LINK


def over(committed: "Side | None", steps: "Iterable[Change]", snapshots: "Snapshots") -> "Side | None":
    """Return what is committed of a path with the changes of a loop, the oldest first; None where that deletes it.

    MIXED where they are in the same lines as what the person had changed, or side by side with it, or in a file that is only
    the person's, or where no snapshot keeps what was there. Raises SnapshotError for a content that is damaged.
    """
    now = committed
    for change in steps:
        if not all([entry.stored for entry in (change.before, change.after) if entry and entry.kind == FILE]):
            return MIXED
        now = _merged(side_of(change.before, snapshots), now, side_of(change.after, snapshots))
        if now is MIXED:
            break
    return now


def side_of(entry: "Entry | None", snapshots: "Snapshots") -> "Side | None":
    """Return an entry as a commit has it, None for what no commit has."""
    if entry is None or entry.kind not in (FILE, LINK):
        return None
    return Side(file_patch.mode_of(entry), snapshots.content(entry))


def _merged(before: "Side | None", now: "Side | None", after: "Side | None") -> "Side | None":
    if after is None or now in (before, after):
        return after
    if before is None or now is None or LINKS in (before.mode, now.mode, after.mode):
        return MIXED
    text = now.data if before.data == after.data else lines.merge(before.data, now.data, after.data)
    return MIXED if text is None else Side(after.mode if after.mode != before.mode else now.mode, text)
