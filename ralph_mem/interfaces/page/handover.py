"""Lead a browser to the page by a file that only its owner reads, and find the pages at work."""

import os
import posix
import re
import secrets
import select
import signal
import sys
import time

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError

LOG = "log"
MOST_BYTES = 65_536  # of the log: what is older says nothing about today
STARTED = "a page begins, process "
BY = "served by "  # behind it stands the interpreter
POLL_S = 0.05
MOST_FILES = 65_536  # of a process, as far as what it has open at its start goes
REDIRECT = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>ralph-mem</title>'
    '<meta http-equiv="refresh" content="0;url={0}"><a href="{0}">Open the page</a>\n'
)


def folder() -> str:
    """Return the folder of the page, made where it is missing. Raises RalphMemError."""
    home = paths.data_home()
    if not home:
        raise RalphMemError("there is no home folder", "set HOME to a folder of yours")
    try:
        paths.make_folder(f"{home}/{paths.PAGE}")
    except OSError as error:
        raise RalphMemError(f"cannot write {home}: {error.strerror}", "is the folder yours?") from error
    return f"{home}/{paths.PAGE}"


class Log:
    """The log of all pages; each that is at work has noted its process, and holds the byte of that number locked.

    The system lets go of that however it ends, so that nothing has to be tidied, and no other process is taken for one.
    """

    def __init__(self) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self.path = f"{folder()}/{LOG}"
        self.file = os.open(self.path, flags, 0o600)

    def hold(self) -> None:
        """Be found by `at_work` as long as this process lives."""
        if os.fstat(self.file).st_size > MOST_BYTES // 2 and not self.at_work():
            os.ftruncate(self.file, 0)
        paths.hold_byte(self.file, os.getpid())
        self.note(f"{BY}{sys.executable}")
        self.note(f"{STARTED}{os.getpid()}")

    def interpreter(self) -> str:
        """Return the interpreter that served a page last, which has what a page needs; nothing where it is gone."""
        noted = re.findall(rf"{BY}(/.+)$", paths.read(self.path, 2 * MOST_BYTES), re.MULTILINE)
        return noted[-1] if noted and os.path.isfile(noted[-1]) and os.access(noted[-1], os.X_OK) else ""

    def at_work(self) -> list[int]:
        """Return the processes of the pages that are at work."""
        noted = re.findall(rf"{STARTED}(\d+)$", paths.read(self.path, 2 * MOST_BYTES), re.MULTILINE)
        return [number for number in dict.fromkeys(map(int, noted)) if paths.is_byte_held(self.file, number)]

    def note(self, words: str) -> None:
        """Add a line: what failed and where in our code, and never a text of a memory."""
        if os.fstat(self.file).st_size > MOST_BYTES:
            return
        os.write(self.file, f"{time.strftime('%Y-%m-%d %H:%M:%S')} {words}\n".encode())


def stop(log: Log, seconds: float = 5.0) -> int:
    """End all pages of this person that are at work; returns how many those were. Raises RalphMemError where one stays."""
    found = log.at_work()
    for process in found:
        try:
            os.kill(process, signal.SIGTERM)
        except ProcessLookupError:  # which ended meanwhile
            continue
    end = time.monotonic() + seconds
    while set(found) & set(log.at_work()):
        if time.monotonic() > end:
            raise RalphMemError("a page does not end", f"kill {found[0]}")
        time.sleep(POLL_S)
    return len(found)


class Handed:
    """The file that leads a browser to an address; it is gone after so many seconds, when it is used, or with this process.

    A child of ours waits for that, and ends with it: what kills a process takes no file along.
    """

    def __init__(self, address: str, seconds: float) -> None:
        self.path = f"{folder()}/open-{secrets.token_hex(8)}.html"
        paths.write(self.path, REDIRECT.format(address))
        reading, self.pipe = os.pipe2(os.O_CLOEXEC)
        child = os.fork()
        if child == 0:
            self._outlive(reading, seconds)
        os.close(reading)
        os.waitpid(child, 0)

    def used(self) -> None:
        """Take the file away, which is of no use any more."""
        if self.pipe >= 0:
            os.close(self.pipe)
        self.pipe = -1

    def _outlive(self, reading: int, seconds: float) -> None:
        """Wait in a process of its own, without any file of ours, until the other end is closed."""
        try:
            if os.fork() == 0:
                os.setsid()
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                os.dup2(reading, 0)
                nowhere = os.open(os.devnull, os.O_RDWR)
                os.dup2(nowhere, 1)
                os.dup2(nowhere, 2)
                os.closerange(3, MOST_FILES)
                select.select([0], [], [], seconds)
                posix.unlink(self.path)
        finally:
            os._exit(0)
