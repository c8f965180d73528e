"""Write down durably what a rollback is about to do. Each step can be done twice, so the files tell how far it got."""

import errno
import os
import time
from collections import namedtuple
from contextlib import contextmanager

from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK, Entry, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ralph_mem.ralph.snapshot.placing import Tree

    OnStep = Callable[[str], object] | None
    Entries = dict[bytes, tuple[Any, Any]]  # each an Entry, or None

Journal = namedtuple("Journal", "id target safety token steps")
Journal.__doc__ = """A rollback to the snapshot `target` from `safety`, both by number; `token` is in the names of its drafts."""

Step = namedtuple("Step", "place path verb why early mode")
Step.__doc__ = """One row of a journal, numbered by `place`.

Its verb is one of the plan, or `keep` for what is left as it is, or `open` for a folder without the owner's rights, which has
them while its files are put back and then gets its `mode` again.
"""
# The properties that tell in which of the trees of a store the rollback is that was begun last.
TREE, IN_ROOM = "journal tree", "journal in a room"
# The verbs that take a path away, and those that leave it as it was.
REMOVING = ("delete", "remove_folder")
UNCHANGING = ("keep", "open")

TABLES = (
    """CREATE TABLE IF NOT EXISTS journals (
        id INTEGER PRIMARY KEY, target INTEGER NOT NULL, safety INTEGER NOT NULL,
        token TEXT NOT NULL, at INTEGER NOT NULL, open INTEGER NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS journal_steps (
        journal INTEGER NOT NULL, place INTEGER NOT NULL, path BLOB NOT NULL,
        verb TEXT NOT NULL, why TEXT NOT NULL, early INTEGER NOT NULL, mode INTEGER NOT NULL,
        PRIMARY KEY (journal, place)) WITHOUT ROWID""",
)
DONE = """SELECT id, target, safety FROM journals WHERE safety >= ? AND NOT open AND target IN (SELECT number FROM snapshots)
    AND safety IN (SELECT number FROM snapshots WHERE run = ?) ORDER BY id"""
# Journals of which nobody can ask any more, since one of their snapshots is gone.
FORGET = (
    """DELETE FROM journals WHERE safety NOT IN (SELECT number FROM snapshots) OR target NOT IN (SELECT number FROM snapshots)""",
    """DELETE FROM journal_steps WHERE journal NOT IN (SELECT id FROM journals)""",
)


def begin(snapshots: "store.Snapshots", target: int, safety: int, steps: "list[Step]") -> Journal:
    """Write down what is going to be done. When this returns, a power cut cannot make it forgotten."""
    token = os.urandom(4).hex()
    with snapshots.transaction() as db:
        for statement in (*TABLES, *FORGET):
            db.execute(statement)
        row = db.execute(
            "INSERT INTO journals (target, safety, token, at, open) VALUES (?, ?, ?, ?, 1)",
            (target, safety, token, int(time.time() * 1000)),
        )
        number = row.lastrowid
        snapshots.set_property(TREE, snapshots.top)
        snapshots.set_property(IN_ROOM, int(snapshots.is_room))
        db.executemany("INSERT INTO journal_steps VALUES (?, ?, ?, ?, ?, ?, ?)", [(number, *step) for step in steps])
    return Journal(number, target, safety, token, steps)


def unfinished(snapshots: "store.Snapshots") -> "Journal | None":
    """Return the rollback that was begun and not finished."""
    if not _exists(snapshots):
        return None
    for row in snapshots.query("SELECT id, target, safety, token FROM journals WHERE open ORDER BY id"):
        number, target, safety, token = row
        return Journal(number, target, safety, token, _steps(snapshots, number))
    return None


def place(snapshots: "store.Snapshots") -> "store.Snapshots":
    """Return the store over the tree in which the last rollback was begun, where it lies now."""
    top, in_room = snapshots.property(TREE), bool(snapshots.property(IN_ROOM))
    is_here = top in (None, snapshots.top) or not (in_room or snapshots.is_room)
    return snapshots if is_here else snapshots.at(top, in_room)


def finish(snapshots: "store.Snapshots", journal: Journal, kept: "dict[bytes, str]") -> None:
    """Close a journal. Steps that found their path changed by somebody else become rows that say so."""
    with snapshots.transaction() as db:
        rows = [(why, journal.id, step.place) for step in journal.steps for why in [kept.get(step.path)] if why]
        db.executemany("UPDATE journal_steps SET verb = 'keep', why = ? WHERE journal = ? AND place = ?", rows)
        db.execute("UPDATE journals SET open = 0 WHERE id = ?", (journal.id,))


def put_back(snapshots: "store.Snapshots", since: int) -> "dict[bytes, Entry | None]":
    """Return the paths that rollbacks changed from a snapshot of their run on, each with the entry that is the run's, or None.

    That is what these gave it. What one of them brings again, which another had taken away, may be the person's: the run's is then
    what it was before. What other runs put back is not this run's.
    """
    if not _exists(snapshots):
        return {}
    found: dict[bytes, Entry | None] = {}
    earlier: dict[int, dict[bytes, Entry | None]] = {}
    for number, target, safety in snapshots.query(DONE, (since, snapshots.run_of(since))):
        earlier[safety] = dict(found)
        changed = [step.path for step in _steps(snapshots, number) if step.verb not in UNCHANGING]
        if target in earlier:
            entries = {**snapshots.some(since, changed), **earlier[target]}
        else:
            entries = {change.path: change.before for change in snapshots.differences(target, safety)}
        found.update((path, entries.get(path)) for path in changed)
    return found


def steps_from(snapshots: "store.Snapshots", safety: int) -> "list[Step] | None":
    """Return the steps of the rollback from a snapshot, as `finish` left them; None where none was ever begun."""
    found = snapshots.query("SELECT id FROM journals WHERE safety = ?", (safety,)) if _exists(snapshots) else []
    return _steps(snapshots, found[0][0]) if found else None


def _steps(snapshots: "store.Snapshots", number: int) -> "list[Step]":
    rows = snapshots.query(
        "SELECT place, path, verb, why, early, mode FROM journal_steps WHERE journal = ? ORDER BY place", (number,)
    )
    return [Step(*row) for row in rows]


def _exists(snapshots: "store.Snapshots") -> bool:
    return bool(snapshots.query("SELECT 1 FROM sqlite_master WHERE name = 'journals'"))


Outcome = namedtuple("Outcome", "restored deleted kept")
Outcome.__doc__ = """What a journal came to: the paths that were put back, those that were deleted, and why others were kept."""

Draft = namedtuple("Draft", "step seen file")
Draft.__doc__ = """What was written beside a path: its step, what lay at the path, and the open file, None for a link."""

# Not the fault of one path: the next one would fail as well.
EVERYWHERE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM)

MEANWHILE = "was changed while files were being put back"
IN_THE_WAY = "its folder is a link or a file now"
NOT_EMPTY = "holds what no snapshot has"
CANNOT = "cannot be changed"


class Work:
    """What is known of a journal while it is carried out."""

    __slots__ = (
        *("again", "entries", "journal", "kept", "last", "on_step", "over", "snapshots", "steps", "tree"),
        *("files", "owners", "renamed"),
    )

    def __init__(
        self, snapshots: "store.Snapshots", tree: "Tree", journal: "Journal", entries: "Entries", again: bool, on_step: "OnStep"
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
        self.files: dict[bytes, bytes] = {}  # of the names of one file, together: the path at which that is
        self.owners: dict[tuple[int, ...], bytes] = {}  # a file that is there, as device and inode, and whose names may keep it
        self.renamed: set[tuple[int, ...]] = set()  # files to which we gave a name, or of which we took one

    def begin(self, name: str, path: bytes = b"") -> None:
        """Say what comes now."""
        if self.on_step:
            self.on_step(f"{name} {os.fsdecode(path)}".rstrip())

    def of(self, *verbs: str) -> "list[Step]":
        """Return the steps of some verbs, but for those that were given up."""
        return [step for step in self.steps if step.verb in verbs and step.path not in self.kept]

    def names_of(self, step: "Step") -> bytes:
        """Return what the names have in common that are to be one file; that of a file of one name is its path."""
        return bytes(self.entries[step.path][1].twins or step.path)

    def is_shared(self, step: "Step") -> bool:
        """Say whether a file is to have several names, or has them now."""
        now, target = self.entries[step.path]
        return bool(target and target.kind == FILE and (target.twins or (now and now.twins)))

    def did(self, step: "Step") -> None:
        """Note a step that changed something."""
        self.over.add(step.path)
        self.last = step.path

    def was_done(self, step: "Step") -> None:
        """Note a step that need not be done: in a second attempt the first one did it, else somebody else."""
        if self.again:
            self.over.add(step.path)

    @contextmanager
    def or_give_up(self, step: "Step") -> "Iterator[None]":
        """Keep the path of a step whose error is its own; raises any other again."""
        try:
            yield
        except OSError as error:
            self.give_up(step, error)

    def give_up(self, step: "Step", error: OSError) -> None:
        """Keep a path because of an error that is its own; raises any other again."""
        if error.errno in EVERYWHERE:
            raise error
        if isinstance(error, (NotADirectoryError, FileNotFoundError)):
            self.kept[step.path] = IN_THE_WAY
        elif error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            self.kept[step.path] = NOT_EMPTY
        else:
            self.kept[step.path] = f"{CANNOT}: {error.strerror}"

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
