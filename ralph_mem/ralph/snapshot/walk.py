"""Compare what `stat` says of each path in scope with the last snapshot; no file is opened.

First what is known, while git makes its list; then what is new; then the folders whose names have changed.
"""

import errno
import os
from collections import namedtuple
from stat import S_IMODE, S_ISDIR, S_ISLNK, S_ISREG

from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK, OTHER, ignoring, store
from ralph_mem.ralph.snapshot import listing as scoping
from ralph_mem.ralph.snapshot.placing import Folders, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


SECOND_NS = 1_000_000_000
# The kernel stamps a file with the time of its last tick (10 ms at 100 Hz); file systems with whole seconds keep two on FAT.
TICK_NS, COARSE_NS = 20_000_000, 2 * SECOND_NS
KEY = store.KEY.pack
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

Known = namedtuple("Known", "keys folders ignored looked_ns")
Known.__doc__ = """What the store knows of a tree: the key of each path, which paths are folders, what is ignored in this run, and
when it looked last."""


class Walk:
    """What a walk found: `changed` as path -> stat, `gone`, `unseen` as (path, why), `ignored`.

    `linked` has the files with several names, as path -> device and inode; other names may lie outside of the tree.
    """

    __slots__ = (
        *("_folders", "_known", "_scan", "_scope", "_seen", "_skip", "_top"),
        *("changed", "gone", "ignored", "linked", "unseen"),
    )

    def __init__(self, top: bytes, scope: "scoping.Scope", known: Known) -> None:
        self.changed: dict[bytes, os.stat_result] = {}
        self.unseen: dict[bytes, str] = {}
        self.ignored: set[bytes] = set()
        self.gone: set[bytes] = set()
        self.linked: dict[bytes, tuple[int, int]] = {}
        self._top = top
        self._folders = Folders(top)
        self._scope = scope
        self._skip = scoping.own_folder(os.fsdecode(top))
        self._known = known
        self._scan: set[bytes] = {b""}
        self._seen: set[bytes] = set()

    def go(self, listing: "scoping.Listing", fresh: bool, rules: "ignoring.Rules | None" = None) -> None:
        """Look at everything. A fresh walk, for a run's first snapshot, forgets what was in scope before. Raises SnapshotError.

        `rules` are those that held at a run's start: what is new is judged by them, and not by what says now what git ignores.
        """
        known = self._known.keys
        with self._folders:
            if not fresh:
                self._look_at_known(known)
            found = listing.paths()
            while found:
                self._look_at_listed(found, fresh, rules)
                repositories = found & (self._known.folders | self._scan)
                found = {path for repository in sorted(repositories) for path in listing.inside(repository)}
            self._scan_all(rules or listing)
        self.gone = known.keys() - self._seen

    def _look_at_listed(self, found: "set[bytes]", fresh: bool, rules: "ignoring.Rules | None") -> None:
        known = self._known.keys
        if fresh:
            folders = _folders_of(found)
            self._look_at_known({path: known[path] for path in known.keys() & (found | folders)})
            self._scan |= folders
        new = {path for path in found - known.keys() if not self._is_out(path)}
        out = rules.ignored_by_git(dict.fromkeys(new, False)) if rules else set()
        out = {path for path in out if not self._is_wanted(path)}
        self.ignored |= out
        self._look_at_new(new - out)

    def _look_at_known(self, known: "dict[bytes, bytes]") -> None:
        """Look at all that is known: paths with the same key are done, at half a million a second; others get a careful look."""
        lstat, key, base, coarse_ns = os.lstat, KEY, self._top + b"/", self._known.looked_ns - COARSE_NS
        folders, doubtful = self._known.folders, []
        for path, former in known.items():
            try:
                st = lstat(base + path)
            except OSError:
                doubtful.append(path)
                continue
            if st.st_nlink > 1 and S_ISREG(st.st_mode):
                self.linked[path] = st.st_dev, st.st_ino
            modified_ns, changed_ns = st.st_mtime_ns, st.st_ctime_ns
            if key(st.st_size, modified_ns, changed_ns, st.st_ino, st.st_mode) != former:
                doubtful.append(path)
                if path in folders and S_ISLNK(st.st_mode):  # what was below it was found through it
                    doubtful += [below for below in known if below.startswith(path + b"/")]
            elif (changed_ns >= coarse_ns or modified_ns >= coarse_ns) and self._is_racy(st):
                doubtful.append(path)
        self._seen.update(known)
        self._seen.difference_update(doubtful)
        self._look(doubtful)

    def twins(self) -> "list[list[bytes]]":
        """Return the paths that are names of one file, together."""
        found: dict[tuple[int, int], list[bytes]] = {}
        for path, file in self.linked.items():
            found.setdefault(file, []).append(path)
        return [names for names in found.values() if len(names) > 1]

    def _is_out(self, path: bytes) -> bool:
        """Say whether a path is, or lies below, what was ignored earlier in this run."""
        ignored = self._known.ignored
        while path and ignored:
            if path in ignored:
                return True
            path = parent(path)
        return False

    def _look_at_new(self, new: "Iterable[bytes]") -> None:
        """Look at new paths and the folders that lead to them."""
        wanted = {path for path in new if self._is_fine(path)}
        self._look(wanted | (_folders_of(wanted) - self._seen))

    def _is_fine(self, path: bytes) -> bool:
        """Say whether a path may be in scope: git's own files and ours are not, nor what an odd index says lies outside."""
        if scoping.is_barred(path) or (self._skip and (path + b"/").startswith(self._skip + b"/")):
            return False
        return not (b".." in path and b".." in path.split(b"/")) and path[:1] not in (b"/", b"")

    def _look(self, chosen: "Iterable[bytes]") -> None:
        """Look at paths on the way that follows no link."""
        for path in sorted(chosen):
            self.linked.pop(path, None)
            try:
                folder = self._folders.at(parent(path))
                st = os.stat(path.rpartition(b"/")[2], dir_fd=folder, follow_symlinks=False)
            except OSError as error:
                self._name_unseen(path, error)
                continue
            self._seen.add(path)
            self.changed[path] = st
            if st.st_nlink > 1 and S_ISREG(st.st_mode):
                self.linked[path] = st.st_dev, st.st_ino
            if S_ISDIR(st.st_mode):
                self._scan.add(path)

    def _is_racy(self, st: os.stat_result) -> bool:
        """Say whether a path may have changed after the last look within the tick of its own time, so that nothing shows it."""
        is_coarse = not st.st_mtime_ns % SECOND_NS and not st.st_ctime_ns % SECOND_NS
        youngest: int = self._known.looked_ns - (COARSE_NS if is_coarse else TICK_NS)
        return max(st.st_mtime_ns, st.st_ctime_ns) >= youngest

    def _name_unseen(self, path: bytes, error: OSError) -> None:
        if error.errno not in GONE:
            self.unseen[path] = f"cannot be looked at: {error.strerror}"
            self._seen.add(path)

    def _is_wanted(self, path: bytes) -> bool:
        """Say whether a path is in scope though it is ignored."""
        return ignoring.is_rule(path) or scoping.is_included(path, self._scope.include_ignored)

    def _scan_all(self, listing: "scoping.Listing | ignoring.Rules") -> None:
        """Look through the names of folders that are new or have changed, for what no list has."""
        while self._scan:
            chosen, self._scan = sorted(self._scan), set()
            unlisted: dict[bytes, bool] = {}
            for folder in chosen:
                try:
                    unlisted.update(self._unlisted(folder))
                except OSError as error:
                    self._name_unseen(folder, error)
            included = {
                path for path, is_folder in unlisted.items() if self._is_wanted(path) and not (is_folder and ignoring.is_rule(path))
            }
            ignored = listing.ignored({path: is_folder for path, is_folder in unlisted.items() if path not in included})
            self.ignored |= ignored
            # an empty folder, a special file, what was made since git made its list
            self._look_at_new(unlisted.keys() - ignored)

    def _unlisted(self, folder: bytes) -> "dict[bytes, bool]":
        """Return the paths in a folder that no list has, and whether they are folders."""
        prefix = folder + b"/" if folder else b""
        with os.scandir(self._folders.at(folder)) as entries:
            found = {prefix + os.fsencode(entry.name): entry.is_dir(follow_symlinks=False) for entry in entries}
        return {path: found[path] for path in found.keys() - self._seen if self._is_fine(path) and not self._is_out(path)}


def _folders_of(chosen: "Iterable[bytes]") -> "set[bytes]":
    """Return the folders that lead to paths, without the top."""
    found: set[bytes] = set()
    for folder in {path.rpartition(b"/")[0] for path in chosen}:
        above = folder
        while above and above not in found:
            found.add(above)
            above = parent(above)
    return found


def kind_of(st: os.stat_result) -> str:
    """Return what a path is."""
    mode = st.st_mode
    return FILE if S_ISREG(mode) else LINK if S_ISLNK(mode) else FOLDER if S_ISDIR(mode) else OTHER


def key_of(st: os.stat_result) -> bytes:
    """Return what of a stat changes whenever the path does; the change time and inode tell what a set-back time hides."""
    return KEY(st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino, st.st_mode)


def mode_of(st: os.stat_result) -> int:
    """Return the permission bits; those of a link mean nothing."""
    return 0o777 if S_ISLNK(st.st_mode) else S_IMODE(st.st_mode)
