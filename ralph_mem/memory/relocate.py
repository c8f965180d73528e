"""Let what lies outside of a project follow it when it moves to another place.

It lies there by the project's path, and paths change hands: another project may begin in the place of one.
"""

import posix

from ralph_mem.core import fast, paths, places, spool
from ralph_mem.memory.ownership import check, foreign
from ralph_mem.memory.rows import tombstones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

RECORD = "loop-"  # how the files of a run begin; a random name follows


def settle(project: "Project", number: str, known: "dict[str, Any]") -> None:
    """Before what waits is brought into a memory that is new here: see to it that it is this memory's own.

    `known` is what the registry has of its id. What waits for another one, which the registry has in this place, is left behind
    under that one's id.
    """
    _leave_behind(project, number)
    if known:
        follow(project, number, known)


def follow(project: "Project", number: str, known: "dict[str, Any]") -> None:
    """Bring along what waits where the registry has a project, unless that was a copy's original, to which it belongs."""
    home = paths.data_home()
    is_gone = not is_another(known, project)
    here = paths.key_of(project.root)
    for root in {known["path"], str(known.get("seen") or known["path"])} - {project.root}:
        there = paths.key_of(root)
        jobs = [f"{home}{tombstones.FOLDER}/{key}{places.JOB}" for key in (there, here)]
        for place in places.IN_DATA_HOME:
            folder = f"{home}/{place.name}"
            if place.on_move == places.JOINS:
                for name in [f"{there}.{number}"] + [there] * is_gone:
                    _move(f"{folder}/{name}", f"{folder}/{here}", jobs)
            elif is_gone and place.on_move == places.FOLLOWS:
                for name in [name for name in paths.names(folder) if name.partition(".")[0] == there]:
                    _bring(f"{folder}/{name}", f"{folder}/{here}{name[len(there) :]}")


def is_another(known: "dict[str, Any]", project: "Project") -> bool:
    """Say whether the registered place still has a memory of its own, in another folder than this one."""
    there = f"{known['path']}/{paths.STATE}/memory.db"
    try:
        other, here = posix.stat(there), posix.stat(project.folder + "/memory.db")
    except OSError:
        return False
    return (other.st_dev, other.st_ino) != (here.st_dev, here.st_ino)


def _leave_behind(project: "Project", number: str) -> None:
    """Put out of the way what waits for another memory; what came before there was any is for the one that is begun."""
    folder = f"{paths.data_home()}/{paths.SPOOL}/{paths.key_of(project.root)}"
    waiting = [name for name in paths.names(folder) if not name.endswith(spool.EARLY)]
    former = _known_at(project.root, number) if waiting else ""
    for name in waiting if former and not _was_set_aside(project, former) else ():
        _rename(f"{folder}/{name}", f"{folder}.{former}/{name}")


def _was_set_aside(project: "Project", former: str) -> bool:
    """Say whether the memory that was here is kept beside the new one: it was broken, and what waited is left of it."""
    known, here = check.registered(former), posix.stat(project.root)
    return [known.get("device"), known.get("inode")] == [here.st_dev, here.st_ino] and bool(foreign.aside(project))


def _known_at(root: str, number: str) -> str:
    """Return the id of another project that the registry has in a place, the one that was used last, or nothing."""
    home, found = paths.data_home(), []
    for name in paths.names(f"{home}/{paths.PROJECTS}"):
        other = name.partition(".")[0]
        known = check.registered(other)
        if known and other != number and root in (known["path"], known.get("seen")):
            found.append((posix.stat(f"{home}/{paths.PROJECTS}/{name}").st_mtime_ns, other))
    return max(found)[1] if found else ""


def _move(old: str, new: str, jobs: "list[str]") -> None:
    """Move the files of a folder into another one; what says to forget something names the file of its job."""
    former, present = [fast.dumps(job) for job in jobs]
    for name in paths.names(old):
        text = spool.take(f"{old}/{name}")
        if former in text:
            try:
                paths.write(f"{old}/{name}", text.replace(former, present))
            except OSError:  # what it says is done all the same
                pass
        _rename(f"{old}/{name}", f"{new}/{name}")
    try:
        posix.rmdir(old)
    except OSError:
        pass


def _bring(old: str, new: str) -> None:
    """Move a file or folder, unless a loop is at work in it; records of runs join those in the new place."""
    if not paths.exists(old) or _is_at_work(old):
        return
    if not paths.exists(new):
        _rename(old, new)
        return
    for name in paths.names(old):
        if name.startswith(RECORD):
            _rename(f"{old}/{name}", f"{new}/{name}")


def _is_at_work(folder: str) -> bool:
    """Say whether somebody holds the lock of a folder."""
    try:
        file = posix.open(f"{folder}/{paths.LOCK}", posix.O_RDWR | posix.O_NOFOLLOW | posix.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not paths.lock(file)
    except OSError:  # a file system without locks
        return False
    finally:
        posix.close(file)


def _rename(old: str, new: str) -> None:
    """Rename a file, unless it is not there or another one is in its new place."""
    if not paths.exists(old) or paths.exists(new):
        return
    try:
        paths.make_folder(new.rpartition("/")[0])
        posix.rename(old, new)
    except OSError:  # another session was quicker, or nothing can be written
        pass
