"""The way down a tree from its top, folder by folder, so that a folder that became a link leads nobody out of the tree."""

import errno
import os

DEEPEST = 100  # a descriptor for each level, of the 256 that some systems allow
FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Folders:
    """The folders of a tree, opened one at a time; those above the last one stay open, since the next is likely beside it."""

    __slots__ = ("_open",)

    def __init__(self, top: bytes) -> None:
        self._open: list[tuple[bytes, int]] = [(b"", os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))]

    def at(self, path: bytes) -> int:
        """Return a descriptor of the folder at a path, good until the next call.

        Raises OSError: no such folder, or a link or a file in its place or on the way.
        """
        while len(self._open) > 1 and not _is_at_or_below(path, self._open[-1][0]):
            os.close(self._open.pop()[1])
        here, folder = self._open[-1]
        if path == here:
            return folder
        if path.count(b"/") >= DEEPEST:
            raise OSError(errno.ENAMETOOLONG, "too deep")
        for name in path[len(here) :].lstrip(b"/").split(b"/"):
            folder = os.open(name, FLAGS, dir_fd=folder)
            here = here + b"/" + name if here else name
            self._open.append((here, folder))
        return folder

    def close(self) -> None:
        """Close them all."""
        for _, folder in self._open:
            os.close(folder)
        self._open = []

    def __enter__(self) -> "Folders":  # noqa: PYI034 - typing has no Self before 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def parent(path: bytes) -> bytes:
    """Return the folder that holds a path; the top is empty."""
    return path.rpartition(b"/")[0]


def _is_at_or_below(path: bytes, folder: bytes) -> bool:
    return path.startswith(folder) and path[len(folder) : len(folder) + 1] in (b"", b"/")
