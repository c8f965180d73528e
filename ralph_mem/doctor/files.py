"""Files: who may read what we keep, and the file systems that it lies on."""

import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from ralph_mem import glance
from ralph_mem.core import paths
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, problem, warning

# Written by the person, with the modes of the person's editor; what they lie in is closed to others anyway.
THEIRS = {"config.yaml", "off", ".gitignore"}
FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Shared between machines, on which SQLite's log in shared memory does not work.
ACROSS_MACHINES = re.compile(
    r"(nfs\d?|cifs|smb\d?|smbfs|9p|afs|afpfs|ceph|glusterfs|lustre|beegfs|gpfs|ocfs2|gfs2|virtiofs|vboxsf|fuse\.vmhgfs-fuse"
    r"|fuse\.(sshfs|glusterfs|ceph|rclone|s3fs|gcsfuse|davfs|cifs|nfs|gvfsd-fuse|juicefs|prl_fsd))"
)
LITTLE_SPACE = 200_000_000


def permissions(project: Project) -> Iterator[Finding]:
    """Look whether the memory, and what we keep for the user elsewhere, is the user's own and closed to others."""
    yield _of_tree("permissions", project.folder)
    for name, home in (("data folder", paths.data_home()), ("config folder", paths.config_home())):
        yield _of_tree(name, home) if home else problem(name, "none: HOME is not set", "set HOME to a folder of yours")


def _of_tree(name: str, folder: str) -> Finding:
    top = Path(folder)
    if glance.is_gone(folder) and not top.is_symlink():
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
    open_to_others = [path for path in found if path.name not in THEIRS and stat.S_IMODE(path.lstat().st_mode) & FOR_OTHERS]
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
    seen = f"{glance.amount(free[place])} free for {place}"
    yield ok("disk", seen) if free[place] >= LITTLE_SPACE else warning("disk", seen, "make room: what cannot be written is lost")


def _nearest(folder: str) -> Path:
    """Return the folder, or what there is of the way to it."""
    return next(place for place in (Path(folder), *Path(folder).parents) if place.is_dir())
