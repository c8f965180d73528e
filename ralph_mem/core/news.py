"""Keep how a loop ended until a session can tell it."""

import posix

from ralph_mem.core import paths

MOST_CHARACTERS = 600  # there is one loop at a time, and a session hears of it at its next prompt


def tell(project: str, line: str) -> None:
    """Keep how a loop ended, in our own words alone, for the next event of a session that somebody attends."""
    if not paths.data_home():
        return
    path = place(project)
    try:
        paths.make_folder(path.rpartition("/")[0])
        waiting = paths.read(path, MOST_CHARACTERS)
        paths.write(path, f"{waiting}; {line}"[-MOST_CHARACTERS:] if waiting else line)
    except OSError:  # `/ralph status` says it as well
        pass


def take(project: str) -> str:
    """Return how loops ended since this was asked last; of two who ask at once one is told."""
    path = place(project)
    taken = f"{path}.{posix.getpid()}"
    try:
        posix.rename(path, taken)
    except OSError:
        return ""
    line = paths.read(taken, MOST_CHARACTERS)
    paths.remove(taken)
    return "".join([char for char in line if char.isprintable()])


def place(project: str) -> str:
    """Return where it waits how a loop of a project ended."""
    return f"{paths.data_home()}/{paths.NEWS}/{paths.key_of(project)}"


def added(project: str, said: "dict[str, str]") -> "dict[str, str]":
    """Return what a session is told with how a loop ended that ran elsewhere, which is said once."""
    line = take(project) if paths.exists(place(project)) else ""
    if not line:
        return said
    return {**said, "message": f"{said['message']}; {line}" if said.get("message") else f"ralph-mem: {line}"}
