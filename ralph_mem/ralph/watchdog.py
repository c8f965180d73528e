"""End what a loop has started once the loop itself is killed, from a process beside it.

Started as a script by path, as `python3 -I -S watchdog.py LOOP MARK`. On its stdin it is told which programs are at work, and a
regular end; where stdin ends without one, the loop was killed.
"""

import os
import select
import subprocess
import sys

if __name__ == "__main__":  # the folder that holds `ralph_mem`
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from ralph_mem.core import descendants, orphans, process
from ralph_mem.ralph import leftovers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# How often it looks at what the loop has started, to know it again however it hides: what lives for less leaves little behind.
LOOK_S = 1.0
# It has nothing to do at a regular end.
LAST_S = 5.0
CHUNK = 65_536  # what a pipe holds
# What it is told beside numbers of groups, which are negative once nothing is left of them.
OVER, SPARED = "over", "="


class Watchdog:
    """Ends the agent and the checks of a loop in this process, and all they started, if the process is killed within this.

    Used as `with Watchdog(): ...`. Where it cannot be started, or is killed itself, a loop works as without it: what was left
    running is ended by the next command that finds the loop dead.
    """

    def __init__(self) -> None:
        self._started: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> None:
        """Start it in a session of its own, where no signal of a terminal reaches it."""
        argv = [sys.executable, "-I", "-S", os.path.abspath(__file__), str(os.getpid()), leftovers.STARTED_HERE]
        try:
            self._started = subprocess.Popen(
                argv, bufsize=0, cwd=os.sep, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError:
            return
        orphans.spare(self._started.pid)
        os.set_blocking(self._pipe(), False)  # a watchdog that is stopped stops no loop
        self._write(*_spared(descendants.children(os.getpid())))  # its own number, and what whoever became this process started
        process.TOLD.append(self._tell)

    def __exit__(self, *_: object) -> None:
        """Say that this is a regular end, and wait for its own."""
        if self._started is None:
            return
        process.TOLD.remove(self._tell)
        self._write(OVER)
        try:
            self._started.communicate(timeout=LAST_S)
        except subprocess.TimeoutExpired:
            self._started.kill()
            self._started.wait()

    def _pipe(self) -> int:
        return self._started.stdin.fileno() if self._started and self._started.stdin else -1

    def _tell(self, group: int, has_begun: bool) -> None:
        self._write(f"{group if has_begun else -group}", *_spared(orphans.Orphans.spared))

    def _write(self, *words: str) -> None:
        try:
            os.write(self._pipe(), " ".join((*words, "")).encode())
        except OSError:  # somebody has ended it
            pass


def _spared(numbers: "Iterable[int]") -> "list[str]":
    return [f"{SPARED}{each}" for each in numbers]


class _Loop:
    """A loop as its watchdog sees it: what is at work for it, what is not its own, and what was seen of it."""

    def __init__(self, number: int, mark: str) -> None:
        self.number, self.mark = number, mark.encode()
        self.groups, self.spared = set[int](), set[int]()
        self.known: dict[int, int] = {}  # by number, the tick in which it began

    def hear(self, word: str) -> None:
        """Take in a word of the loop."""
        number = abs(int(word.lstrip(SPARED)))
        if not word.startswith(SPARED):
            (self.groups.discard if word.startswith("-") else self.groups.add)(number)
        elif number not in self.spared:
            self.spared.add(number)
            self.known = {}  # it may be among them, with what it started

    def look(self) -> None:
        """Note what has come of its programs, however it hides, and forget what has ended."""
        self.known = {number: born for number, born in self.known.items() if leftovers.born(number) == born}
        below = [number for number in descendants.children(self.number) if number not in self.spared]
        wanted = [(number, self._is_taken_in(number)) for number in below]
        for number, is_above in wanted:  # grows as it goes
            is_its = is_above or number in self.known or self.mark in descendants.content(f"/proc/{number}/environ")
            if is_its:
                self.known[number] = leftovers.born(number)
            wanted += [(each, is_its) for each in descendants.children(number)]

    def _is_taken_in(self, number: int) -> bool:
        """Say whether a child of the loop is in a session of its own, as all that it runs."""
        loop, child = descendants.one(self.number), descendants.one(number)
        return bool(loop and child and child.session != loop.session)


def main(number: int, mark: str) -> None:
    """Watch a loop, and end what it has left running if it is killed."""
    loop = _Loop(number, mark)
    while True:
        ready, _, _ = select.select([0], [], [], LOOK_S)
        words = os.read(0, CHUNK).decode().split() if ready else []
        if OVER in words:
            return
        if ready and not words:
            break
        for word in words:
            loop.hear(word)
        loop.look()
    leftovers.end_marked(mark, loop.known, loop.groups)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
