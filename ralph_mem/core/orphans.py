"""Take in what a program leaves behind without a parent, to be ended with it however it hides.

Linux gives such processes to the nearest one above them that asks for it; elsewhere there are none to be found here.
"""

import os
import threading

from ralph_mem.core import descendants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.descendants import Table

SET_CHILD_SUBREAPER = 36  # of prctl(2): the standard library has no name for it


class Orphans:
    """The processes that came to this one while a program of ours ran. Used as `with Orphans() as orphans: ...`.

    Those count that are in a session of their own, as all that `process.run` starts, and that were not below us before. Where
    programs run side by side, in threads, nobody can tell whose they are: they are left to the one that ends last.
    """

    at_work = 0
    before: "set[tuple[int, int]]" = set()  # by their number and the tick in which they began
    spared: "set[int]" = set()
    lock = threading.Lock()

    def __init__(self) -> None:
        self._dead: set[int] = set()

    def __enter__(self) -> "Orphans":  # noqa: PYI034 - Self came with Python 3.11
        """Have orphans come to this process from now on."""
        with Orphans.lock:
            if not Orphans.at_work:
                Orphans.before = _children()
                _adopt(True)
            Orphans.at_work += 1
        return self

    def __exit__(self, *_: object) -> None:
        """Bury the dead, and let others take in what comes from now on."""
        for number in self._dead:
            try:
                os.waitpid(number, os.WNOHANG)
            except OSError:  # somebody else was quicker
                pass
        with Orphans.lock:
            Orphans.at_work -= 1
            if not Orphans.at_work:
                _adopt(False)

    def among(self, found: "Table", program: int) -> "set[int]":
        """Return which processes of a table are orphans of ours, a program's own, or below one of these."""
        ours = os.getpid()
        own_session = found[ours].session if ours in found else 0
        taken_in = {
            number
            for number, each in found.items()
            if each.parent == ours
            and each.session != own_session
            and (number, each.born) not in Orphans.before
            and number not in Orphans.spared | {program}
        }
        alone = Orphans.at_work == 1
        self._dead = {number for number in taken_in if found[number].dead} if alone else set()
        return descendants.below(found, taken_in | {program} if alone else {program})


def spare(number: int) -> None:
    """Leave alone a program that this process has started to go its own way."""
    Orphans.spared = Orphans.spared | {number}


def _children() -> "set[tuple[int, int]]":
    """Return what is below this process now; the whole table is read only where there is anything."""
    try:
        threads = [f"/proc/self/task/{each}/children" for each in os.listdir("/proc/self/task")]
    except OSError:
        return set()
    if os.path.exists(threads[0]) and not any([descendants.content(each) for each in threads]):
        return set()
    found = descendants.table()
    return {(number, found[number].born) for number in descendants.below(found, {os.getpid()})}


def _adopt(wanted: bool) -> None:
    """Ask the kernel for orphans, or no more; where it knows no such thing they go to the first of all processes."""
    try:
        import ctypes  # lazy: only where a program is run, and some interpreters are built without it

        library: Any = ctypes.CDLL(None)
        library.prctl(SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass
