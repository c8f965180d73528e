"""Files: who may read what we keep, git included, the file systems that it lies on, and how much room it takes."""

import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from ralph_mem.core import paths, places
from ralph_mem.core.finding import Finding, ok, problem, warning
from ralph_mem.core.format import amount, count
from ralph_mem.core.process import printed_by
from ralph_mem.core.project import Project
from ralph_mem.maintenance import usage as quota
from ralph_mem.maintenance.doctor.recording import settings_of
from ralph_mem.memory import inspect
from ralph_mem.memory.ownership import foreign

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
WHAT = "`ralph-mem compress` shows what could be cut; a smaller memory.max_observations cuts more, `ralph-mem forget` deletes"


def permissions(project: Project) -> Iterator[Finding]:
    """Look whether the memory, and what we keep for the user elsewhere, is the user's own and closed to others."""
    yield _of_tree("permissions", project.folder)
    for name, home in (("data folder", paths.data_home()), ("config folder", paths.config_home())):
        yield _of_tree(name, home) if home else problem(name, "none: HOME is not set", "set HOME to a folder of yours")


def _of_tree(name: str, folder: str) -> Finding:
    top = Path(folder)
    if inspect.is_gone(folder) and not top.is_symlink():
        return ok(name, f"{folder} is not there yet")
    if top.is_symlink():
        return warning(name, f"{folder} is a link to {top.resolve()}", "if you did not make it, remove it")
    found = [top, *_inside(top)]
    foreign = [path for path in found if path.lstat().st_uid != os.geteuid()]
    if foreign:
        take_it = f"sudo chown -R {os.geteuid()} {shlex.quote(folder)}"
        return problem(name, f"{_some(foreign)} not yours", take_it if os.geteuid() else "run this as their owner, not as root")
    if not os.access(folder, os.W_OK | os.X_OK):
        do = f"chmod u+rwx {shlex.quote(folder)}, unless its file system is read-only"
        return problem(name, f"{folder} cannot be written", do)
    open_to_others = [path for path in found if path.name not in FOR_ALL and stat.S_IMODE(path.lstat().st_mode) & FOR_OTHERS]
    if open_to_others:
        return warning(name, f"{_some(open_to_others)} open to others", f"chmod -R go= {shlex.quote(folder)}")
    return ok(name, f"{folder} is yours alone")


def _inside(top: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(top):
        for name in (*folders, *names):
            path = Path(folder, name)
            if not path.is_symlink():
                yield path


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
    yield ok("disk", seen) if free[place] >= LITTLE_SPACE else warning("disk", seen, "make room: what cannot be written is lost")


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
        taken = sum(file.stat().st_size for file in Path(project.folder).glob("memory.db*"))
        seen = f"{amount(taken)} in {project.folder}"
        yield warning("size", f"{seen}, more than {amount(LARGE_MEMORY)}", WHAT) if taken > LARGE_MEMORY else ok("size", seen)


def size_of_all(project: Project) -> Iterator[Finding]:
    """Look at how much room memories, snapshots, loops and backups of all projects take."""
    usage, values = quota.measure(), settings_of(project)
    seen, do = quota.warning(usage, values)
    most = f" of {amount(quota.allowed(values))}" if quota.allowed(values) else ""
    yield warning("all projects", seen, do) if seen else ok("all projects", f"{amount(quota.taken(usage))}{most} taken")
