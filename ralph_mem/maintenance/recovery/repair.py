"""Replace a damaged memory by a new one with all that can be read, and tell it in one line.

A session start does what can be done while a person waits; `ralph-mem doctor --repair` takes its time.
"""

import posix
import time

from ralph_mem.core import notices, paths
from ralph_mem.core.errors import StoreError
from ralph_mem.core.format import count
from ralph_mem.core.project import Project
from ralph_mem.maintenance.recovery import backups, damage, restore, salvage
from ralph_mem.memory import opening
from ralph_mem.memory.ownership import check, seals
from ralph_mem.memory.rows import kinds, tombstones
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


MOST_OF_WHY = 160  # characters: our own words for it in full; SQLite's at times quote the file
# Of the ten seconds that the client gives a session start. Measured: 5,000 rows of 8 MB take two.
LOCK_MS, LOOK_S, START_S = 500, 1.0, 5.0
BY_HAND_S = 3600
LARGEST_AT_START = 64_000_000


class Repaired:
    """What a repair did: why, how much is back, what is not, and where the damaged file is kept.

    At most `lost` rows could not be read; None where nobody knows how many.
    """

    __slots__ = ("altered", "from_backup", "kept", "lost", "made_again", "rows", "why")

    def __init__(self, why: str, saved: "salvage.Rescue", kept: str) -> None:
        self.why, self.kept = why, kept
        self.rows, self.from_backup, self.altered = saved.rows, saved.from_backup, saved.altered
        self.lost, self.made_again = saved.lost, saved.made_again

    def line(self, whose: str = "the memory") -> str:
        """Tell it in one line."""
        parts = [f"{self.rows} rows are back" + (f", {self.from_backup} of them from a backup" if self.from_backup else "")]
        unread = "nobody knows how many others" if self.lost is None else f"at most {self.lost} others"
        parts += [f"{unread} could not be read"] if self.lost != 0 else []
        parts += [f"{len(self.altered)} altered ones are left out"] if self.altered else []
        again = f"{count(self.made_again, 'fact')} made again from the words alone: look at `ralph-mem facts`"
        parts += [again] if self.made_again else []
        return f"{whose} was damaged ({self.why[:MOST_OF_WHY]}): {', '.join(parts)}; the damaged file is kept in {self.kept}"


def open_at_start(project: Project, wait_ms: int) -> "connection.Store":
    """Open a memory at a session start, repaired where it is damaged.

    Raises what `adoption.open_ready` raises.
    """
    path = project.folder + "/memory.db"
    is_there = paths.exists(path) and (_bytes_of(project) > 0 or paths.exists(path + "-wal"))
    line = _mended_at_start(project, wait_ms) if is_there else ""
    opened = opening.open_ready(project, wait_ms)
    if line:
        notices.note(project.root, line)
    return opened


def _mended_at_start(project: Project, wait_ms: int) -> str:
    check.admit(project)  # a stranger's is not read
    if not connection.exists(project.folder) or not connection.is_known(project.folder):
        return ""
    try:
        lock = backups.alone(project.folder, min(wait_ms, LOCK_MS))
    except StoreError:  # somebody is at work: the next start looks at it
        return ""
    try:
        why = damage.of(project.folder, LOOK_S)
        if not why:
            return ""
        if _bytes_of(project) > LARGEST_AT_START:
            saved_by = "`ralph-mem doctor --repair --confirm` saves what can be read"
            raise StoreError(f"memory.db is damaged ({why[:MOST_OF_WHY]}), and large: {saved_by}")
        return _mend(project, why, START_S).line(name_of(project))
    finally:
        posix.close(lock)


def name_of(project: Project) -> str:
    """Return how a memory is called in a line for the user."""
    return "the memory of all projects" if project.folder == paths.config_home() else "the memory"


def _bytes_of(project: Project) -> int:
    try:
        return posix.stat(project.folder + "/memory.db").st_size
    except OSError:
        return 0


def look(project: Project) -> str:
    """Return what is wrong with a memory, altered rows included; nothing where it is whole.

    Raises StoreError, also for one that is not known to be ours: that one is not read.
    """
    if not connection.exists(project.folder):
        return ""
    check.admit(project, starting=False)
    lock = backups.alone(project.folder)
    try:
        return damage.of(project.folder) or _told_altered(project)
    finally:
        posix.close(lock)


def _told_altered(project: Project) -> str:
    def found(db: "Any") -> int:
        ours = db.execute("PRAGMA user_version").fetchone()[0] == connection.SCHEMA_VERSION
        return len(altered_rows(db)) if ours else 0

    try:
        number = backups.with_db(project.folder + "/memory.db", "mode=ro", found)
    except connection.sqlite.Error:  # somebody else's
        return ""
    return f"{number} altered: what is stored is not what was written" if number else ""


def altered_rows(db: "Any") -> "list[str]":
    """Return the ids of the rows whose texts do not fit their checksum."""
    found = []
    for kind in kinds.of_memory(db):
        columns = ("public_id", "checksum", "index_version", *kind.hashed)
        for values in db.execute(f"SELECT {', '.join(columns)} FROM {kind.table}"):
            named = dict(zip(columns, values))
            if not salvage.is_unaltered(kind, named):
                found.append(named["public_id"])
    return found


def mend(project: Project, why: str, tell: "Callable[[str], Any]" = len) -> Repaired:
    """Set a damaged memory aside and put what can be read of it in its place. Raises StoreError, OSError."""
    lock = backups.alone(project.folder)
    try:
        return _mend(project, why, BY_HAND_S, tell)
    finally:
        posix.close(lock)


def _mend(project: Project, why: str, seconds: float, tell: "Callable[[str], Any]" = len) -> Repaired:
    """As `mend`, for who holds the memory alone. Killed at any point, the next repair begins anew and misses nothing."""
    tell("setting the damaged file aside")
    kept = damage.copy(project.folder)
    try:
        saved = _rescued(project, kept, seconds, tell)
        tell("putting the new one in its place")
        damage.remove_log(project.folder)
        posix.rename(kept + "/new/memory.db", project.folder + "/memory.db")
        seals.note(project.folder)
    except BaseException:
        if not paths.exists(kept + "/memory.db-wal") or paths.exists(project.folder + "/memory.db-wal"):
            damage.give_up(kept)
        raise
    for name in (paths.LOCK, paths.GITIGNORE):
        paths.remove(f"{kept}/new/{name}")
    posix.rmdir(kept + "/new")
    damage.finish(kept)
    restore.set_marks(project)
    return Repaired(why, saved, damage.finished(kept))


def _rescued(project: Project, kept: str, seconds: float, tell: "Callable[[str], Any]") -> "salvage.Rescue":
    """Make the new database beside the damaged one, from a copy of it and from the newest backup."""
    place = Project(project.root)
    place.folder = kept + "/new"
    opened = opening.open_ready(place, 0)
    opened.execute("PRAGMA foreign_keys = OFF")  # a row may come before what it hangs on, or without it
    opened.begin(durable=True)
    try:
        number = opened.property("project_id")
        opened.execute("DELETE FROM properties")
        saved = salvage.Rescue(opened, seconds)
        tell("reading what can be read")
        _bring_damaged(saved, kept, place.folder)
        tell("looking for the rest in the newest backup")
        number = _name_again(opened, project, number)
        _bring_backup(saved, [each.path for each in backups.of_memories([number])])
        saved.finish(project.root)
        opened.commit()
        if not tombstones.is_empty():  # what was forgotten may stand in the damaged file and in the backup still
            opened.execute("PRAGMA foreign_keys = ON")
            saved.rows -= restore.take_out_forgotten(project, opened)
    finally:
        opened.roll_back()
        opened.checkpoint()
        opened.close()
    return saved


def _bring_damaged(saved: "salvage.Rescue", kept: str, folder: str) -> None:
    """Read a copy of the copy: to be opened, it is changed."""
    work = folder + "/damaged.db"
    try:
        for suffix in ("", "-wal"):
            if paths.exists(f"{kept}/memory.db{suffix}"):
                damage.copy_file(f"{kept}/memory.db{suffix}", work + suffix)
        db = damage.open_copy(work)
        if db is None:  # then all there is, is in the backup
            saved.is_all_named = False
            return
        try:
            saved.bring_over(db)
        finally:
            db.close()
    finally:
        for name in (work, work + "-wal", work + "-shm"):
            paths.remove(name)


def _bring_backup(saved: "salvage.Rescue", copies: "list[str]") -> None:
    for path in copies:
        try:
            backups.with_db(path, "immutable=1", lambda db: saved.bring_over(db, is_backup=True))
        except connection.sqlite.Error:
            continue
        return


def _name_again(opened: "connection.Store", project: Project, number: str) -> str:
    """Let the memory keep its id, the one that it had, or the last one that is known at its place, and our seal; returns the id."""
    opened.properties.clear()
    if seals.can_be_shipped(project.folder) and not seals.is_seal(opened.property(seals.SEAL), seals.key()):
        seals.put(opened, project.folder)
    if not opened.property("project_id"):
        opened.set_property("project_id", next(iter(backups.memories_of(project)), number))
    opened.set_property("checked_schema", opened.one("PRAGMA schema_version")[0])
    opened.execute("INSERT OR IGNORE INTO properties (key, value) VALUES (?, ?)", (backups.MADE_AT, time.time_ns() // 1_000_000))
    opened.properties.clear()
    return str(opened.property("project_id"))
