"""Decide what of the paths that git ignores comes into a room, and bring it there.

They are in no snapshot, and most checks need some: installed packages, an environment, built files.
"""

import os
import re
import stat
from collections import namedtuple

from ralph_mem.core import paths
from ralph_mem.core.format import amount
from ralph_mem.ralph.room import filling
from ralph_mem.ralph.snapshot import CREATE, blobs
from ralph_mem.ralph.snapshot.listing import CACHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

COPIED, LINKED, LEFT_OUT = "copied", "linked", "left out"
Choice = namedtuple("Choice", "path how bytes")
Choice.__doc__ = """An ignored path, as bytes seen from the top, what becomes of it in a room, and how large it is."""

MEGABYTE = 1_048_576
RULE = (
    "ignored paths: copied up to ralph.room_copy_mb ({most} MiB) each; larger ones are linked, read-only where bubblewrap can be"
    " used; of what tools build, larger ones are left out, as are their caches"
)
# Tools make these anew at once; packages and environments, which are not made so quickly, are not among them.
MADE_AGAIN = CACHES - frozenset(b"node_modules .tox .nox".split())
# What tools write wherever they read, also in what a room has as a link.
KEPT_BY_TOOLS = frozenset([*map(os.fsdecode, MADE_AGAIN), ".cache", ".vite"])
# What a build writes to. Through a link it would write to the person's.
BUILT = frozenset(
    b"target build dist out bin obj .next .nuxt .svelte-kit .parcel-cache .cache .tox .nox .terraform .dart_tool".split()
)
# A text that names the person's folder would lead there: an environment's scripts, an editable install, what cmake wrote.
MOST_TEXT = MEGABYTE
GIT = ".git"  # as a file or link it leads to a repository of the person's
LOOKED_AT = 8_000  # bytes in which a NUL shows that a file is no text


def choose(top: str, ignored: "Iterable[bytes]", most_mb: int) -> "list[Choice]":
    """Return what becomes of each ignored path of a tree that is there; caches of tools are not even named."""
    most, found = most_mb * MEGABYTE, []
    for path in sorted(ignored):
        name = path.rpartition(b"/")[2]
        if not MADE_AGAIN.isdisjoint(path.split(b"/")) or name.endswith(b".pyc"):
            continue
        full = f"{top}/{os.fsdecode(path)}"
        if os.path.lexists(full):
            size = size_of(full, most)
            how = COPIED if size <= most else LEFT_OUT if name in BUILT else LINKED
            found.append(Choice(path, how, size))
    return found


def told(choices: "list[Choice]") -> "list[str]":
    """Return in lines what becomes of folders, and of files where they are not copied."""
    lines = []
    for how in (COPIED, LINKED, LEFT_OUT):
        those = [each for each in choices if each.how == how]
        named = [
            f"{os.fsdecode(each.path)} ({amount(each.bytes)}{'' if how == COPIED else ' or more'})" for each in those[:MOST_NAMED]
        ]
        more = [f"{len(those) - MOST_NAMED} more"] if len(those) > MOST_NAMED else []
        lines += [f"{how}: {', '.join([*named, *more])}"] if those else []
    return lines


MOST_NAMED = 6


def size_of(path: str, most: int) -> int:
    """Return the bytes of a file, or of all files in a folder, and of each that it takes a block; once above `most` no further."""
    found = os.lstat(path)
    size, waiting = found.st_size, [path] if stat.S_ISDIR(found.st_mode) else []
    while waiting and size <= most:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return size


def bring(choices: "Iterable[Choice]", top: str, room: str) -> None:
    """Copy or link what was chosen into a room. Raises OSError."""
    work = _Bringing(top, room)
    for each in choices:
        source, target = f"{top}/{os.fsdecode(each.path)}", f"{room}/{os.fsdecode(each.path)}"
        if os.path.lexists(target) or not os.path.isdir(os.path.dirname(target)):
            continue
        if each.how == LINKED:
            os.symlink(source, target)
        elif each.how == COPIED:
            work.copy(source, target)


class _Bringing:
    """Copies paths from a person's tree to a room, where whatever names the one names the other."""

    def __init__(self, top: str, room: str) -> None:
        self._top, self._room = top, room
        self._named = re.compile(re.escape(os.fsencode(top)) + rb"(?![\w.-])")
        self._ours = os.path.realpath(paths.data_home() or "/nowhere")

    def copy(self, source: str, target: str) -> None:
        """Copy a file, a link or a folder with all that is in it; what is none of these, or cannot be read, is left out."""
        waiting = [(source, target)]
        while waiting:
            here, there = waiting.pop()
            try:
                found = os.lstat(here)
            except OSError:
                continue
            if os.path.basename(here) == GIT and not stat.S_ISDIR(found.st_mode):
                continue
            if stat.S_ISLNK(found.st_mode):
                os.symlink(self._led(here), there)
            elif stat.S_ISREG(found.st_mode):
                self._file(here, there, found)
            elif stat.S_ISDIR(found.st_mode) and os.path.realpath(here) != self._ours:
                waiting += self._folder(here, there)

    def _folder(self, here: str, there: str) -> "list[tuple[str, str]]":
        os.mkdir(there, 0o755)
        try:
            return [(f"{here}/{name}", f"{there}/{name}") for name in os.listdir(here)]
        except OSError:
            return []

    def _led(self, link: str) -> str:
        """Return where the copy of a link leads: inside of the tree to the room's, outside to what it led to."""
        told = os.readlink(link)
        if self._is_inside(os.path.normpath(os.path.join(os.path.dirname(link), told))):
            return self._in_room(told) if os.path.isabs(told) else told
        real = os.path.realpath(link)
        return self._in_room(real) if self._is_inside(real) else os.path.normpath(os.path.join(os.path.dirname(link), told))

    def _is_inside(self, path: str) -> bool:
        return path == self._top or path.startswith(self._top + "/")

    def _in_room(self, path: str) -> str:
        return self._room + path[len(self._top) :]

    def _file(self, here: str, there: str, found: os.stat_result) -> None:
        if found.st_size > MOST_TEXT or not self._rewritten(here, there):
            filling.copy_file(here, there)

    def _rewritten(self, here: str, there: str) -> bool:
        """Write a text that names the person's folder so that it names the room; False for all others."""
        try:
            with open(here, "rb") as file:
                text, found = file.read(), os.fstat(file.fileno())
        except OSError:
            return False
        if b"\0" in text[:LOOKED_AT] or not self._named.search(text):
            return False
        room = os.fsencode(self._room)
        written = os.open(there, CREATE, 0o600)
        try:
            blobs.write(written, self._named.sub(lambda _: room, text))
            filling.settle(written, found)
        finally:
            os.close(written)
        return True
