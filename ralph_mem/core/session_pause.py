"""Pause one session until it ends, and know it ever after, so that no import brings it back."""

import posix
import time

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Activity

OVER = ".over"  # behind the name of a mark: the session goes on or has ended, and what was said meanwhile stays unread
MOST_S = 90 * 86_400  # a client keeps what an import could read for a month


def pause(session: str) -> None:
    """Pause a session from its next event on; marks that no import can need any more go. Raises OSError."""
    mark = paths.pause_of(session)
    folder = mark.rpartition("/")[0]
    paths.make_folder(folder)
    paths.write(mark, "")
    for name in paths.names(folder):
        path = f"{folder}/{name}"
        if name.endswith(OVER) and time.time() - posix.stat(path).st_mtime > MOST_S:
            paths.remove(path)


def end(session: str) -> bool:
    """Record and tell again; says whether the session was paused. Raises OSError where the mark cannot be moved."""
    mark = paths.pause_of(session)
    try:
        posix.rename(mark, mark + OVER)
    except FileNotFoundError:
        return False
    return True


def is_heard(seen: "Activity") -> bool:
    """Say whether an activity is recorded and told: its session is not paused, or no longer from now on.

    A pause ends with the session, or where a client starts with it anew; a compaction is neither.
    """
    if not paths.exists(paths.pause_of(seen.session)):
        return True
    is_over = seen.kind == "end" or (seen.kind == "start" and seen.source != "compact")
    return is_over and end(seen.session)


def was_paused(session: str) -> bool:
    """Say whether a session was ever paused: an import would bring back what was kept out."""
    mark = paths.pause_of(session)
    return paths.exists(mark) or paths.exists(mark + OVER)
