"""Check the databases and all other files of ours for being whole, private, and not too large."""

import contextlib
import os
import re
import shlex
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ralph_mem.core import paths, places
from ralph_mem.core import project as projects
from ralph_mem.core.finding import Finding, ok, problem, warning
from ralph_mem.core.format import amount, count, when
from ralph_mem.core.process import printed_by
from ralph_mem.core.project import Project
from ralph_mem.core.settings import trust
from ralph_mem.maintenance import usage as quota
from ralph_mem.maintenance.doctor.recording import is_strange, settings_of
from ralph_mem.maintenance.forget import pending
from ralph_mem.maintenance.recovery import backups, damage, repair
from ralph_mem.memory import inspect
from ralph_mem.memory.ownership import check, foreign
from ralph_mem.memory.rows import deletion, kinds
from ralph_mem.memory.store import connection, long_paths, schema, schema_check

REPAIR = "`ralph-mem doctor --repair` shows what can be saved, and --confirm saves it"
# What a copy in memory may take; a hundred thousand turns are some 200 MB.
LARGEST_COPY = 1_000_000_000
FACTS = """
SELECT application_id, user_version, journal_mode, page_count * page_size, (SELECT count(*) FROM sqlite_master)
FROM pragma_application_id, pragma_user_version, pragma_journal_mode, pragma_page_count, pragma_page_size"""
SET_ASIDE = "nothing: the next session start sets it aside and begins a new one; `ralph-mem trust` shows it then"
SHARE = "`ralph-mem trust` shows each; to share one memory with a container, give both homes the same XDG_DATA_HOME folder"


def databases(project: Project) -> Iterator[Finding]:
    """Look at the database of a project, and at that of all projects where there is one."""
    everywhere = projects.everywhere()
    places = [("", project.folder)] + ([("global ", everywhere.folder)] if everywhere else [])
    for prefix, folder in places:
        if inspect.is_gone(folder + "/memory.db"):
            yield from [] if prefix else [_missing(project)]
            continue
        try:
            with contextlib.closing(inspect.connect(folder)) as db:
                yield from _examine(prefix, folder, db)
                if not prefix and inspect.of(folder).state == inspect.OK and is_strange(project, db):
                    yield problem("database", f"{folder}/memory.db was not made by you here, and is not used", SET_ASIDE)
        except inspect.FAILURES as error:
            yield _unreadable(prefix + "database", folder, error)


def _missing(project: Project) -> Finding:
    """Say why there is no database: none yet, or what stands in its place is not used."""
    seen, _, do = check.refusal(project).partition("; ")
    return problem("database", seen, do or trust.HOW) if seen else ok("database", "none yet: the next session start makes it")


def _unreadable(check: str, folder: str, error: BaseException) -> Finding:
    state = inspect.why(error)
    if long_paths.too_long(folder):
        return problem(check, long_paths.too_long(folder), long_paths.SHORTER)
    if state == inspect.LOCKED:
        return warning(check, f"{folder}/memory.db is locked by another program", "close what has it open, then look again")
    if state == inspect.UNREADABLE:
        return problem(check, f"{folder}/memory.db cannot be read: {error}", "is it yours? see the permissions above")
    return problem(check, f"{folder}/memory.db is damaged: {error}", REPAIR)


def _examine(prefix: str, folder: str, db: sqlite3.Connection) -> Iterator[Finding]:
    application, version, journal, size, tables = db.execute(FACTS).fetchone()
    if not tables:
        yield warning(prefix + "database", f"{folder}/memory.db is empty", "the next session start fills it")
        return
    yield _identity(prefix + "database", folder, application, version, f"schema {version}, {journal}, {amount(size)}")
    yield _whole(prefix + "integrity", db)
    if application == schema.APPLICATION_ID and version <= connection.SCHEMA_VERSION:
        gone = schema_check.missing(db, version)
        if gone:
            yield problem(prefix + "schema", f"{count(len(gone), 'part')} of schema {version} missing: {gone[0]}", REPAIR)
        yield _indexed(prefix + "search index", db, size)


def _identity(check: str, folder: str, application: int, version: int, seen: str) -> Finding:
    """Say whether it is a database of ours and of this release."""
    if application != schema.APPLICATION_ID:
        return problem(check, f"{folder}/memory.db is not ours", "move it away; the next session start makes a new one")
    if version > connection.SCHEMA_VERSION:
        return problem(check, f"{seen}; this release knows schema {connection.SCHEMA_VERSION}", "update ralph-mem")
    if ", wal," not in seen and os.access(folder, os.W_OK):  # where it is read in another way
        return warning(
            check, f"{seen}: not in WAL mode", f"sqlite3 {shlex.quote(folder + '/memory.db')} 'PRAGMA journal_mode = WAL'"
        )
    older = "" if version == connection.SCHEMA_VERSION else f"; the next session start makes it schema {connection.SCHEMA_VERSION}"
    return ok(check, f"{folder}/memory.db: {seen}{older}")


def _whole(check: str, db: sqlite3.Connection) -> Finding:
    faults = [fault for (fault,) in db.execute("PRAGMA quick_check(20)") if fault != "ok"]
    if faults:
        return problem(check, f"{len(faults)} faults, the first: {' '.join(faults[0].split())}", REPAIR)
    return ok(check, "every page is in order")


def _indexed(check: str, db: sqlite3.Connection, size: int) -> Finding:
    """Look at the indexes in a copy in memory: FTS5's own check counts as writing, which would keep sessions waiting."""
    if size > LARGEST_COPY:
        return ok(check, f"not looked at: larger than {amount(LARGEST_COPY)}")
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        db.backup(copy)
        faults = [fault for index, wanted in kinds.indexes(copy).items() for fault in _faults(copy, index, wanted)]
    if faults:
        return problem(check, "; ".join(faults), f"the rows are whole, a search may miss them; {REPAIR}")
    return ok(check, "both indexes are in order")


def _faults(db: sqlite3.Connection, index: str, wanted: str) -> Iterator[str]:
    """Say what is wrong with an index; the check of one without contents does not see that a row is missing."""
    try:
        db.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")  # a check that is spelled as an INSERT
        astray = {*db.execute(wanted)} ^ {*db.execute(f"SELECT id FROM {index}_docsize")}
    except inspect.FAILURES as error:
        yield f"{index} is damaged: {str(error) or type(error).__name__}"
        return
    if astray:
        yield f"{index} and its rows differ in {count(len(astray), 'place')}"


def backup(project: Project) -> Iterator[Finding]:
    """Look at the backups of a memory; in the first day of one there is none."""
    found = backups.of_place(project)
    if inspect.is_gone(project.folder + "/memory.db"):
        if found:
            seen = f"the memory is gone, a backup of {when(found[0].at)} is there"
            yield warning("backup", seen, "`ralph-mem restore` brings it back")
        return
    fault, newest = _fault(project), when(found[0].at) if found else "none"
    if fault:
        yield warning("backup", f"the last one could not be made: {fault}; the newest is {newest}", "`ralph-mem backup` makes one")
    elif found:
        yield ok("backup", f"{len(found)}, the newest of {newest}, {amount(found[0].bytes)}")


def _fault(project: Project) -> str:
    return str(_property(project, backups.FAULT) or "")


def _property(project: Project, key: str) -> Any:
    try:
        with contextlib.closing(inspect.connect(project.folder)) as db:
            found = db.execute("SELECT value FROM properties WHERE key = ?", (key,)).fetchone()
    except inspect.FAILURES:  # the database has a line of its own
        return None
    return found and found[0]


def forgetting(project: Project) -> Iterator[Finding]:
    """Look for a forget that was cut off."""
    is_there = not inspect.is_gone(project.folder + "/memory.db")
    what = pending.unfinished(project, bool(_property(project, connection.UNFINISHED))) if is_there else ""
    if what:
        yield warning("forget", f"one is not finished: {what}", deletion.FINISH)


def altered(project: Project) -> Iterator[Finding]:
    """Look for rows whose texts do not fit their checksum: SQLite does not notice a flipped bit inside a value."""
    if inspect.is_gone(project.folder + "/memory.db"):
        return
    try:
        with contextlib.closing(inspect.connect(project.folder)) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] != connection.SCHEMA_VERSION:
                return
            names = repair.altered_rows(db)
    except (sqlite3.Error, MemoryError, OverflowError):  # the database has a line of its own
        return
    if names:
        seen = f"{count(len(names), 'row')} not as they were written, such as {names[0]}"
        yield problem("rows", seen, inspect.REPAIR)


def kept(project: Project) -> Iterator[Finding]:
    """Look at damaged files that were set aside; they hold what could not be read, and are never removed by us."""
    names = damage.kept(project.folder)
    if names:
        where = f"{project.folder}/{damage.FOLDER}"
        yield warning("set aside", f"{count(len(names), 'damaged file')} in {where}", "remove them once nothing is missed")


def set_aside(project: Project) -> Iterator[Finding]:
    """Look for databases that a session start set aside."""
    found = foreign.aside(project)
    if found:
        seen = f"{count(len(found), 'database')} beside the memory, of another home such as a container's, or not yours"
        yield warning("aside", f"{seen}: the latest is {found[0]}", SHARE)


# Such as what is written by the person, with the modes of the person's editor; what they lie in is closed to others anyway.
FOR_ALL = {place.name for place in places.IN_MEMORY if place.others != places.PRIVATE}
FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Shared between machines, on which SQLite's log in shared memory does not work.
ACROSS_MACHINES = re.compile(
    r"(nfs\d?|cifs|smb\d?|smbfs|9p|afs|afpfs|ceph|glusterfs|lustre|beegfs|gpfs|ocfs2|gfs2|virtiofs|vboxsf|fuse\.vmhgfs-fuse"
    r"|fuse\.(sshfs|glusterfs|ceph|rclone|s3fs|gcsfuse|davfs|cifs|nfs|gvfsd-fuse|juicefs|prl_fsd))"
)
LITTLE_SPACE = 200_000_000
# fsmonitor and hooks are programs that a repository may name.
GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
# These a team may share: a config of others acts only once it was approved, and the other one says what git ignores.
SHARED = [place.name for place in places.IN_MEMORY if place.others == places.TRACKED]
# Some 300,000 tool outputs, of which one with 60,000 has 96 MB.
LARGE_MEMORY = 500_000_000
HOME = "set HOME to a folder of yours, by its whole path"
WHAT = "`ralph-mem compress` shows what could be cut; a smaller memory.max_observations cuts more, `ralph-mem forget` deletes"


def permissions(project: Project) -> Iterator[Finding]:
    """Look whether the memory, and what we keep for the user elsewhere, is the user's own and closed to others."""
    yield _of_tree("permissions", project.folder)
    for name, home in (("data folder", paths.data_home()), ("config folder", paths.config_home())):
        yield _of_tree(name, home) if home else problem(name, f"none: HOME is {paths.environment('HOME') or 'not set'}", HOME)


def _of_tree(name: str, folder: str) -> Finding:
    top = Path(folder)
    if inspect.is_gone(folder) and not top.is_symlink():
        return _to_be_made(name, folder)
    if top.is_symlink():
        return warning(name, f"{folder} is a link to {top.resolve()}", "if you did not make it, remove it")
    found = [top, *_inside(top)]
    foreign = [path for path in found if path.lstat().st_uid != os.geteuid()]
    if foreign:
        take_it = f"sudo chown -R {os.geteuid()} {shlex.quote(folder)}"
        return problem(name, f"{_some(foreign)} not yours", take_it if os.geteuid() else "run this as their owner, not as root")
    for path, able in ((top, os.W_OK | os.X_OK), (top / "memory.db", os.W_OK)):
        if path.exists() and not os.access(path, able):
            do = f"chmod u+rw{'x' * (path == top)} {shlex.quote(str(path))}, unless its file system is read-only"
            return problem(name, f"{path} cannot be written", do)
    open_to_others = [path for path in found if path.name not in FOR_ALL and stat.S_IMODE(path.lstat().st_mode) & FOR_OTHERS]
    if open_to_others:
        return warning(name, f"{_some(open_to_others)} open to others", f"chmod -R go= {shlex.quote(folder)}")
    return ok(name, f"{folder} is yours alone")


def _to_be_made(name: str, folder: str) -> Finding:
    place = _nearest(folder)
    beyond = place / Path(folder).relative_to(place).parts[0]
    if os.path.lexists(beyond):
        return problem(name, f"{beyond} is no folder, and {folder} belongs there", "move it away, or set HOME to a folder of yours")
    if os.access(place, os.W_OK | os.X_OK):
        return ok(name, f"{folder} is not there yet")
    is_ours = place.stat().st_uid == os.geteuid()
    do = f"chmod u+rwx {shlex.quote(str(place))}" if is_ours else "have its owner let you write there, or use a folder of your own"
    return problem(name, f"cannot write in {place}, where {folder} belongs", f"{do}, unless its file system is read-only")


def _inside(top: Path) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(top):
        found += [Path(folder, name) for name in (*folders, *names)]
        if Path(folder).parent == top / paths.ROOMS:  # behind this closed one a room has the modes of the person's files
            folders.clear()
    return [path for path in found if not path.is_symlink()]


def _some(found: list[Path]) -> str:
    more = f" and {len(found) - 1} more are" if len(found) > 1 else " is"
    return f"{found[0]}{more}"


def system(project: Project) -> Iterator[Finding]:
    """Look at the file system of a project: one that several machines share, or that nobody can write."""
    place = _nearest(project.folder)
    where, kind = mount_of(str(place.resolve()), paths.read("/proc/self/mountinfo", 4_194_304))
    seen = f"{kind} at {where}" if kind else "of unknown kind"
    if os.statvfs(place).f_flag & os.ST_RDONLY:
        yield problem("file system", f"read-only: {seen}", "make it writable; until then events wait in the data folder")
    elif ACROSS_MACHINES.fullmatch(kind):
        yield warning("file system", f"{seen}, which machines may share", "open this project on one machine at a time")
    else:
        yield ok("file system", seen)


def mount_of(path: str, mounts: str) -> tuple[str, str]:
    """Return where the file system of a path is mounted and of which kind it is, by the text of Linux's `mountinfo`."""
    best = ("", "")
    for line in mounts.splitlines():
        front, _, back = line.partition(" - ")
        fields = front.split()
        if len(fields) > 4 and back:
            # spaces, tabs, line ends and backslashes stand there in octal
            where = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[4])
            if (path == where or path.startswith(where.rstrip("/") + "/")) and len(where) >= len(best[0]):
                best = (where, back.split()[0])
    return best


def space(project: Project) -> Iterator[Finding]:
    """Look at the room that is left for the memory, and for what waits in the data folder."""
    places = {_nearest(folder) for folder in (project.folder, paths.data_home()) if folder}
    free = {place: shutil.disk_usage(place).free for place in places}
    place = min(free, key=lambda each: free[each])
    seen = f"{amount(free[place])} free for {place}"
    waits = paths.data_home() and free[_nearest(paths.data_home())] >= LITTLE_SPACE
    do = "make room: until then events wait in the data folder" if waits else "make room: what cannot be written is lost"
    yield ok("disk", seen) if free[place] >= LITTLE_SPACE else warning("disk", seen, do)


def _nearest(folder: str) -> Path:
    """Return the folder, or what there is of the way to it."""
    return next(place for place in (Path(folder), *Path(folder).parents) if place.is_dir())


def tracked(project: Project) -> Iterator[Finding]:
    """Look into the index of the repository that the memory lies in, and into that of the worktree in hand."""
    if not project.git:
        return
    found = {place: _tracked_names(place, git) for place, git in ((project.root, project.common), (project.top, project.git))}
    private = {place: names for place, names in found.items() if any(name not in SHARED for name in names)}
    if not private and foreign.is_tracked(project):  # where git is missing, or refuses to tell
        private = {project.root: ["memory.db"]}
    for place, names in private.items():
        told = next(name for name in names if name not in SHARED)
        seen = f"git tracks {count(len(names), 'file')} in {place}/{paths.STATE}, such as {told}: a push would publish it"
        yield warning("git", seen, f"`git rm --cached -r {paths.STATE}` there, then commit; what was pushed stays in the history")
    if not private:
        yield ok("git", "tracks nothing of what is remembered")


def _tracked_names(place: str, git: str) -> list[str]:
    """Return what git tracks in a place's folder of ours, as seen from that; the environment of a git hook leads nowhere else."""
    order = [*GIT, "-C", place, f"--git-dir={git}", f"--work-tree={place}", "ls-files", "-z", "--", paths.STATE]
    told = printed_by(order, GIT_INDEX_FILE=f"{git}/index", GIT_OPTIONAL_LOCKS="0")
    return [name.partition("/")[2] or name for name in told.split("\0") if name]


def size_of_memory(project: Project) -> Iterator[Finding]:
    """Look at how much room a project's memory takes."""
    if not inspect.is_gone(project.folder):
        taken = sum(file.lstat().st_size for file in Path(project.folder).glob("memory.db*"))
        seen = f"{amount(taken)} in {project.folder}"
        yield warning("size", f"{seen}, more than {amount(LARGE_MEMORY)}", WHAT) if taken > LARGE_MEMORY else ok("size", seen)


def size_of_all(project: Project) -> Iterator[Finding]:
    """Look at how much room memories, snapshots, loops and backups of all projects take."""
    usage, values = quota.measure(), settings_of(project)
    seen, do = quota.warning(usage, values)
    most = f" of {amount(quota.allowed(values))}" if quota.allowed(values) else ""
    yield warning("all projects", seen, do) if seen else ok("all projects", f"{amount(quota.taken(usage))}{most} taken")
