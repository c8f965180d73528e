"""What is known of a rollback while it is carried out: its steps, those that are over, and why others were given up."""

import errno
import os
from collections import namedtuple

from ralph_mem.snapshot import FOLDER, LINK
from ralph_mem.snapshot.journal import UNCHANGING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.snapshot import Entry
    from ralph_mem.snapshot.journal import Journal, Step
    from ralph_mem.snapshot.placing import Tree
    from ralph_mem.snapshot.store import Snapshots

    OnStep = Callable[[str], object] | None
    Entries = dict[bytes, tuple[Any, Any]]  # each an Entry, or None

Outcome = namedtuple("Outcome", "restored deleted kept")
Outcome.__doc__ = """What a journal came to: the paths that were put back, those that were deleted, and why others were kept."""

Draft = namedtuple("Draft", "step seen file")
Draft.__doc__ = """What was written beside a path: its step, what lay at the path, and the open file, None for a link."""

# Not the fault of one path: the next one would fail as well.
EVERYWHERE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM)

MEANWHILE = "was changed while files were being put back"
IN_THE_WAY = "its folder is a link or a file now"
NOT_EMPTY = "holds what no snapshot has"


class Work:
    """What is known of a journal while it is carried out."""

    __slots__ = ("again", "entries", "journal", "kept", "last", "on_step", "over", "snapshots", "steps", "tree")

    def __init__(
        self, snapshots: "Snapshots", tree: "Tree", journal: "Journal", entries: "Entries", again: bool, on_step: "OnStep"
    ) -> None:
        self.snapshots = snapshots
        self.tree = tree
        self.journal = journal
        self.again = again
        self.on_step = on_step
        self.entries = entries
        self.steps = [step for step in journal.steps if step.verb not in UNCHANGING]
        self.kept: dict[bytes, str] = {}
        self.over: set[bytes] = set()
        self.last = b""

    def begin(self, name: str, path: bytes = b"") -> None:
        """Say what comes now."""
        if self.on_step:
            self.on_step(f"{name} {os.fsdecode(path)}".rstrip())

    def of(self, *verbs: str) -> "list[Step]":
        """Return the steps of some verbs, but for those that were given up."""
        return [step for step in self.steps if step.verb in verbs and step.path not in self.kept]

    def did(self, step: "Step") -> None:
        """Note a step that changed something."""
        self.over.add(step.path)
        self.last = step.path

    def was_done(self, step: "Step") -> None:
        """Note a step that need not be done: in a second attempt the first one did it, else somebody else."""
        if self.again:
            self.over.add(step.path)

    def give_up(self, step: "Step", error: OSError) -> None:
        """Keep a path because of an error that is its own; raises any other again."""
        if error.errno in EVERYWHERE:
            raise error
        if isinstance(error, (NotADirectoryError, FileNotFoundError)):
            self.kept[step.path] = IN_THE_WAY
        elif error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            self.kept[step.path] = NOT_EMPTY
        else:
            self.kept[step.path] = f"cannot be changed: {error.strerror}"

    def outcome(self) -> Outcome:
        """Return what it all came to."""
        done = [step.path for step in self.steps if step.path in self.over]
        restored = [path for path in done if self.entries[path][1]]
        deleted = [path for path in done if not self.entries[path][1]]
        return Outcome(restored, deleted, sorted(self.kept.items()))


def draft_of(journal: "Journal", step: "Step") -> bytes:
    """Return the name of a step's temporary file, beside its path."""
    above, slash, _ = step.path.rpartition(b"/")
    name = b".ralph-mem-%s-%d~" % (journal.token.encode(), step.place)
    return bytes(above + slash + name)


def is_as(found: "Entry | None", entry: "Entry | None") -> bool:
    """Say whether a path is as an entry has it; the mode of a folder is looked after apart, that of a link means nothing."""
    if found is None or entry is None:
        return found is entry
    if found.kind != entry.kind or found.kind == FOLDER:
        return bool(found.kind == entry.kind)
    return bool(found.digest == entry.digest and (found.kind == LINK or found[:3] == entry[:3]))
