"""Hold in memory what no agent may take from a person's data home, and put it back."""

import os

from ralph_mem.core import paths

# What cannot be made again, is small, and decides whose memories these are, what counts and what was forgotten; the rest, such as
# snapshots and backups, is too large to be held.
FILES = (paths.KEY, paths.EXPORT_KEY, paths.EXPORTS)
FOLDERS = (paths.TRUST, paths.PROJECTS, paths.FORGOTTEN, paths.PAUSED)
LARGEST = 4_194_304  # of one file: a list of what was forgotten has a hundred bytes for each


class HeldHome:
    """The data home as it is now, of which `put_back` brings back what an agent took away. `more` are other files to hold."""

    __slots__ = ("_held", "_key", "_more")

    def __init__(self, *more: str) -> None:
        home = paths.data_home()
        inside = [f"{folder}/{name}" for folder in FOLDERS for name in paths.names(f"{home}/{folder}")]
        wanted = [*[f"{home}/{name}" for name in (*FILES, *inside)], *more] if home else []
        self._held = {path: content for path in wanted if (content := _read(path))}
        self._key, self._more = f"{home}/{paths.KEY}", more

    def put_back(self) -> int:
        """Write again what is missing where the key is another one, or that or one of the other files is gone.

        Returns how many files that were. Raises OSError.
        """
        if _read(self._key) == self._held.get(self._key, b"") and all([paths.exists(path) for path in self._more]):
            return 0
        lost = [path for path in self._held if path == self._key or not paths.exists(path)]
        for path in lost:
            paths.make_folder(path.rpartition("/")[0])
            paths.write(path, self._held[path].decode("utf-8", "surrogateescape"))
        return len(lost)


def _read(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, LARGEST)
    except OSError:  # a folder
        return b""
    finally:
        os.close(file)
