"""Keep one line about what went wrong until the next session start tells the user."""

import posix

from ralph_mem.core import paths

UNSAID = "something was lost, and the disk had no room left to say what"


def note(project: str, line: str) -> None:
    """Keep a line; a newer one takes its place. On a full disk an empty file says that there was one."""
    for text in (line[:300].replace("\n", " "), ""):
        for path in places(project):
            try:
                paths.make_folder(path.rpartition("/")[0])
                if text:
                    paths.write(path, text)
                else:  # without a draft, for which there may be no room either
                    posix.close(posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600))
            except OSError:
                continue
            return


def take(project: str) -> str:
    """Return the line that waits, and forget it."""
    for path in places(project):
        if paths.exists(path):
            line = paths.read(path, 1024)
            paths.remove(path)
            return line or UNSAID
    return ""


def withdraw(project: str, beginning: str) -> None:
    """Forget a line that waits and begins so: what it tells of is no longer so."""
    for path in places(project):
        if paths.read(path, 1024).startswith(beginning):
            paths.remove(path)


def places(project: str) -> "list[str]":
    """Return where a line may wait: as the spool, in the user's data home, where no repository can put one."""
    home = paths.data_home()
    far = [f"{home}/{paths.TROUBLE}/{paths.key_of(project)}"] if home else []
    if home and not paths.is_out_of_use(home):
        return far
    near = beside(project)
    return [*far, near] if paths.is_folder(near.rpartition("/")[0]) else far


def beside(project: str) -> str:
    """Return the place beside the database, in which a stranger may have put something."""
    return f"{project.rstrip('/')}/{paths.STATE}/{paths.TROUBLE}"
