"""Tell by git's index, without a process, which files and folders of a work tree git tracks."""

import posix

MOST_BYTES = 25_165_824  # of a quarter of a million paths; an event may take 64 MB
SHARED = "sharedindex."
COMPRESSED = b"\0\0\0\x04"  # a version in which paths are not written whole
MOST_LOOKS = 64


class Index:
    """What git tracks in a work tree, whose private git folder is `git`. Where that cannot be told, `is_known` is False."""

    __slots__ = ("data", "is_known")

    def __init__(self, git: str) -> None:
        self.data = _read(git + "/index")
        if b"link" in self.data[-1024:] or b"link" in self.data[:512]:  # it goes by a file beside it
            self.data += b"".join([_read(f"{git}/{name}") for name in _names(git) if name.startswith(SHARED)])
        self.is_known = self.data[:4] == b"DIRC" and self.data[4:8] != COMPRESSED and len(self.data) < MOST_BYTES

    def holds(self, path: str) -> bool:
        """Say whether git tracks a file, or anything in a folder, at a path as seen from the top of the work tree."""
        name = path.encode("utf-8", "surrogateescape")
        if not name:
            return True
        whole = bytes((min(len(name), 0xFFF) & 0xFF,)) + name + b"\0"  # the length of a path ends what stands before it
        return whole in self.data or self._holds_folder(name + b"/") or b"\0" + name + b"\0" in self.data

    def _holds_folder(self, name: bytes) -> bool:
        at = self.data.find(name)
        for _ in range(MOST_LOOKS):
            if at < 0:
                return False
            length = self.data.find(b"\0", at) - at
            if self.data[at - 1] in (min(length, 0xFFF) & 0xFF, 0):
                return True
            at = self.data.find(name, at + 1)
        return False


def _read(path: str) -> bytes:
    try:
        file = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        return posix.read(file, MOST_BYTES)
    except OSError:
        return b""
    finally:
        posix.close(file)


def _names(folder: str) -> "list[str]":
    try:
        return sorted(posix.listdir(folder))
    except OSError:
        return []
