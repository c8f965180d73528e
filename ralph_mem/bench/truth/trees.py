"""Read a tree byte for byte, and say what differs between two readings."""

import os
import stat
from collections import namedtuple
from pathlib import Path

# What tools write anew whenever they run: nobody's bytes.
CACHES = frozenset({".git", "__pycache__", ".pytest_cache", ".ralph-mem", "build"})

# Nothing of a person's in the scene comes near it, and an agent may write more than there is memory.
MOST_BYTES = 16_000_000

File = namedtuple("File", "mode text")
File.__doc__ = """A file with its rights and bytes, or a link with where it leads; `text` is None where it cannot be read.

Of a file above MOST_BYTES it is size and time, and what is no file has the kind before its rights."""

Tree = dict[str, File]


def read(top: Path) -> Tree:
    """Return all files and links below a folder by their paths, caches of tools left out."""
    found: Tree = {}
    for folder, folders, names in os.walk(top):
        folders[:] = [each for each in folders if each not in CACHES]
        links = [each for each in folders if Path(folder, each).is_symlink()]
        for name in [*names, *links]:
            path = Path(folder, name)
            found[os.path.relpath(path, top)] = _file(path)
    return found


def _file(path: Path) -> File:
    found = path.lstat()
    mode = found.st_mode
    try:
        if stat.S_ISLNK(mode):
            return File("link", os.fsencode(path.readlink()))
        if not stat.S_ISREG(mode):
            return File(stat.filemode(mode), b"")
        if found.st_size > MOST_BYTES:
            return File(oct(stat.S_IMODE(mode)), b"%d bytes of %d" % (found.st_size, found.st_mtime_ns))
        return File(oct(stat.S_IMODE(mode)), path.read_bytes())
    except OSError:
        return File(oct(stat.S_IMODE(mode)), None)


def lost(wanted: Tree, now: Tree) -> dict[str, int]:
    """Return the paths whose bytes are not there any more, with how many; a changed mode alone counts one."""
    found = {}
    for name, file in wanted.items():
        other = now.get(name)
        if other is None or other.text != file.text:
            found[name] = max(1, len(file.text or b""))
        elif other.mode != file.mode:
            found[name] = 1
    return found


def differing(one: Tree, other: Tree) -> set[str]:
    """Return the paths that are not the same in both."""
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
