"""Change the files of a project, on a way that follows no link; no other module does.

A file comes in place by a rename of a new one, so that a hard link or an open handle of the old one is not written to.
"""

import errno
import os
import stat
from collections import namedtuple
from hashlib import blake2b

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import CREATE, FILE, FOLDER, LINK, OTHER, READ, Entry, blobs, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph_mem.ralph.snapshot.copying import Piece
    from ralph_mem.ralph.snapshot.store import Snapshots

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
        while len(self._open) > 1 and not (path + b"/").startswith(self._open[-1][0] + b"/"):
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


ENTER = READ | os.O_DIRECTORY
# An owner without one of these rights cannot work in a folder
OWNERS = 0o700
# No names of files: whoever follows them comes to another place.
NO_NAMES = (b"", b".", b"..")

Seen = namedtuple("Seen", "entry key")
Seen.__doc__ = """What lies at a path, as an Entry, and a key that is another one as soon as it is written, replaced or renamed."""

NOTHING = Seen(None, None)


def is_out_of_bounds(path: bytes) -> bool:
    """Say whether a path is git's own, or ours, or does not lead to a place below the top."""
    return listing.is_barred(path) or b"\0" in path or any(part in NO_NAMES for part in path.split(b"/"))


class Tree:
    """The files below a project's top. Paths are bytes, as seen from there; every method may raise OSError."""

    __slots__ = ("_folder", "_top")

    def __init__(self, top: bytes) -> None:
        self._top = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._folder = -1

    def close(self) -> None:
        """Let go of all folders."""
        self._let_go()
        os.close(self._top)

    def look(self, path: bytes) -> Seen:
        """Return what lies at a path. Files are read, so that an edit within the same moment and of the same size is seen."""
        try:
            folder, name = self._enter(path)
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return NOTHING
        mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISDIR(found.st_mode):
            return Seen(Entry(FOLDER, mode, 0, b"", True), _key(found))
        if stat.S_ISLNK(found.st_mode):
            target = os.readlink(name, dir_fd=folder)
            return Seen(Entry(LINK, mode, len(target), blobs.digest_of(target), True), _key(found))
        if stat.S_ISREG(found.st_mode):
            return Seen(Entry(FILE, mode, found.st_size, _digest(folder, name), True), _key(found))
        return Seen(Entry(OTHER, mode, found.st_size, b"", False), _key(found))

    def is_as_seen(self, path: bytes, seen: Seen, renamed: bool = False) -> bool:
        """Say whether nobody changed a path since it was looked at; that is quick, nothing is read.

        `renamed` says that another name of its file has gone since by our own hand, which shows in the last part of the key.
        """
        try:
            folder, name = self._enter(path)
            now = _key(os.stat(name, dir_fd=folder, follow_symlinks=False))
            return bool(seen.key == now or (renamed and seen.key and seen.key[:-1] == now[:-1]))
        except (FileNotFoundError, NotADirectoryError):
            return seen.key is None

    def draft(self, draft: bytes, path: bytes, entry: Entry, snapshots: "Snapshots") -> "int | None":
        """Make the file or link of an entry beside its path. A file is returned open, for `settle`."""
        folder, name = self._enter(draft)
        file = None
        if entry.kind == LINK:
            os.symlink(snapshots.content(entry), name, dir_fd=folder)
        else:
            file = os.open(name, CREATE, 0o600, dir_fd=folder)
        try:
            if file is not None:
                snapshots.write_content(entry, file)
            _give(folder, name, path.rpartition(b"/")[2])
            if file is not None:
                os.fchmod(file, entry.mode)  # after the owner: a change of owner takes away setuid
        except BaseException:
            if file is not None:
                os.close(file)
            raise
        return file

    def write(self, path: bytes, piece: "Piece") -> None:
        """Write a file, by a draft beside it."""
        folder, name = self._enter(path)
        draft = name + b".ralph-mem-draft"
        file = os.open(draft, CREATE, 0o600, dir_fd=folder)
        try:
            blobs.write(file, piece.data)
            _give(folder, draft, name)
            os.fchmod(file, piece.mode)
            os.fsync(file)
            os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            os.close(file)

    def link(self, draft: bytes, path: bytes) -> None:
        """Make a draft that is another name of the file at a path."""
        folder, name = self._enter(path)
        held = os.dup(folder)
        try:
            folder, beside = self._enter(draft)
            os.link(name, beside, src_dir_fd=held, dst_dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(held)

    def put(self, draft: bytes, path: bytes) -> None:
        """Move a draft to its place."""
        folder, name = self._enter(path)
        os.rename(draft.rpartition(b"/")[2], name, src_dir_fd=folder, dst_dir_fd=folder)

    def remove(self, path: bytes) -> None:
        """Delete a file or link; it may be gone already."""
        try:
            folder, name = self._enter(path)
            os.unlink(name, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            pass

    def make_folder(self, path: bytes) -> None:
        """Make a folder that its owner can work in, or leave the one that is there."""
        folder, name = self._enter(path)
        try:
            os.mkdir(name, OWNERS, dir_fd=folder)
            _give(folder, name, b"")
        except FileExistsError:
            if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                raise

    def remove_folder(self, path: bytes) -> None:
        """Remove a folder, which has to be empty."""
        self._let_go()
        folder, name = self._enter(path)
        os.rmdir(name, dir_fd=folder)

    def mode_of(self, path: bytes) -> "int | None":
        """Return the permission bits of a folder, None where there is none."""
        try:
            folder, name = self._enter(path)
            found = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        return stat.S_IMODE(found) if stat.S_ISDIR(found) else None

    def change_mode(self, path: bytes, mode: int) -> None:
        """Change the permission bits of a folder."""
        folder, name = self._enter(path)
        try:
            file = os.open(name, ENTER, dir_fd=folder)
            can_read = True
        except PermissionError:
            # on Linux it can be held without being read, and be reached by that handle
            file = os.open(name, ENTER | getattr(os, "O_PATH", 0), dir_fd=folder)
            can_read = False
        try:
            os.chmod(file if can_read else f"/proc/self/fd/{file}", mode)
        finally:
            os.close(file)

    def sync(self, path: bytes) -> None:
        """Write the names in the folder of a path to the disk."""
        folder, _ = self._enter(path)
        os.fsync(folder)

    def _enter(self, path: bytes) -> "tuple[int, bytes]":
        """Return the open folder of a path, and its name there. A link on the way is no folder."""
        above, _, name = path.rpartition(b"/")
        if not above:
            return self._top, name
        folder = self._top
        for part in above.split(b"/"):  # again each time: a folder may have been replaced since
            try:
                inner = os.open(part, ENTER, dir_fd=folder)
            except OSError as error:
                if error.errno == errno.ELOOP:  # what some systems say of a link
                    raise NotADirectoryError(*error.args) from error
                raise
            finally:
                if folder != self._top:
                    os.close(folder)
            folder = inner
        self._let_go()
        self._folder = folder
        return folder, name

    def _let_go(self) -> None:
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1


def _key(found: os.stat_result) -> "tuple[int, ...]":
    return found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _digest(folder: int, name: bytes) -> bytes:
    file = os.open(name, READ, dir_fd=folder)
    try:
        told = blake2b(digest_size=blobs.DIGEST_BYTES)
        while True:
            piece = os.read(file, blobs.PIECE)
            if not piece:
                return told.digest()
            told.update(piece)
    finally:
        os.close(file)


def _give(folder: int, name: bytes, former: bytes) -> None:
    """Give a new file the owner of what it replaces, or of its folder: root may put back the files of somebody else."""
    mine = os.stat(name, dir_fd=folder, follow_symlinks=False)
    try:
        model = os.stat(former, dir_fd=folder, follow_symlinks=False)
        same = (model.st_uid, model.st_gid) == (mine.st_uid, mine.st_gid)
    except FileNotFoundError:
        model = os.fstat(folder)
        same = model.st_uid == mine.st_uid
    if not same:
        try:
            os.chown(name, model.st_uid, model.st_gid, dir_fd=folder, follow_symlinks=False)
        except PermissionError:
            pass


def write(top: bytes, pieces: "Mapping[bytes, Piece]") -> None:
    """Write files whose bytes are in no snapshot, each in place of the one that is there. Raises SnapshotError."""
    tree = Tree(top)
    try:
        for path, piece in pieces.items():
            tree.write(path, piece)
    except OSError as error:
        raise SnapshotError(f"files cannot be put back: {error.strerror}", "make room on the disk, then go on") from error
    finally:
        tree.close()
