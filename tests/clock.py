"""A clock that no load moves: it stands still while something on this machine waits for a processor or a disk.

What is promised in seconds is held against it. On a quiet machine it is like any other clock; beside others, who take time from
what is measured and from the processes that it starts, that time does not count. Only Linux tells of it: elsewhere it is the
ordinary clock.

Linux tells the mean over the processors: where two of them have work and one makes somebody wait, half of the wait. All of it is
taken off, and never more than the clock on the wall says.
"""

import os
import time

PRESSURE = ("/proc/pressure/cpu", "/proc/pressure/io")
PROCESSORS = os.cpu_count() or 1
HANGS_S = 120  # when nobody believes any more that it will happen, whatever else the machine has to do


def stalled():
    """Return for how many seconds, since the machine started, something has waited for a processor or a disk."""
    return sum(map(_total, PRESSURE))


class Watch:
    """A watch that runs from the moment when it is made."""

    def __init__(self):
        self._began, self._stalled = time.monotonic(), stalled()

    def seconds(self):
        """Return how long it has run by the clock on the wall: what a wait has to reach."""
        return time.monotonic() - self._began

    def free(self):
        """Return how long it has run while nothing waited: what a promise is held against."""
        return max(0.0, self.seconds() - self.lost())

    def lost(self):
        """Return for how long something may have waited since."""
        return min(self.seconds(), PROCESSORS * (stalled() - self._stalled))


def wait_for(condition, seconds, otherwise="it never happened"):
    """Return the first true answer of `condition`, asked again and again; fail with `otherwise` after so many free seconds."""
    watch = Watch()
    while not (answer := condition()):
        if watch.free() > seconds or watch.seconds() > max(seconds, HANGS_S):
            raise AssertionError(otherwise() if callable(otherwise) else otherwise)
        time.sleep(0.02)
    return answer


def _total(path):
    try:
        with open(path, encoding="ascii") as file:
            some = file.readline()
    except OSError:
        return 0
    return int(some.rpartition("total=")[2]) / 1e6
