"""Copy files into a room without sharing one with the person, by reflinks where the file system has them."""

import os
import stat

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
PIECE = 1_048_576
NO_CLONES: "set[tuple[int, int]]" = set()  # pairs of file systems that have refused: asked once


def copy(source: "str | bytes", target: "str | bytes", is_right: "Callable[[os.stat_result], bool] | None" = None) -> bool:
    """Copy a regular file with its mode and time; says whether that was possible, and leaves nothing where it was not.

    With `is_right` it has to be so before and after it was read. Raises OSError for the target.
    """
    try:
        file = os.open(source, READ)
    except OSError:
        return False
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or (is_right and not is_right(found)):
            return False
        written = os.open(target, CREATE, stat.S_IMODE(found.st_mode) & 0o777)
        try:
            made = os.fstat(written)
            _fill(written, file, (found.st_dev, made.st_dev))
            settle(written, found, made)
        finally:
            os.close(written)
        after = os.fstat(file)
    finally:
        os.close(file)
    if (is_right and not is_right(after)) or (after.st_size, after.st_mtime_ns) != (found.st_size, found.st_mtime_ns):
        os.unlink(target)
        return False
    return True


def settle(written: int, found: os.stat_result, made: "os.stat_result | None" = None) -> None:
    """Give an open file mode and time of another: a build tool goes by times. `made` is what it was made as."""
    if made is None or made.st_mode != found.st_mode:
        os.fchmod(written, stat.S_IMODE(found.st_mode))
    os.utime(written, ns=(found.st_atime_ns, found.st_mtime_ns))


def _fill(written: int, file: int, pair: "tuple[int, int]") -> None:
    if pair not in NO_CLONES:
        if paths.clone(file, written):
            return
        NO_CLONES.add(pair)
    while True:
        piece = os.read(file, PIECE)
        if not piece:
            return
        write(written, piece)


def write(written: int, data: bytes) -> None:
    """Write all of it. Raises OSError."""
    left = memoryview(data)
    while left:
        left = left[os.write(written, left) :]
