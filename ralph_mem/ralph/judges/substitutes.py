"""Say for each judge that a run has changed what stands in its place when a success is confirmed."""

import os
from collections import namedtuple

from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph.judges import kinds, loaded, merging, named, new_tests, placed, shadows, vendored
from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK
from ralph_mem.ralph.snapshot.copying import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.snapshot import Change, Entry
    from ralph_mem.ralph.snapshot.store import Snapshots

Substitute = namedtuple("Substitute", "path what says piece is_mixed")
Substitute.__doc__ = """A judge that is not as it was.

`what` is `added`, `changed` or `deleted`, `says` what it is in words; `piece` stands for it, None where there is to be nothing.
`is_mixed` says that the piece is the start's in parts only.
"""

MOST_BYTES = 262_144  # of a script that is read for what it runs
MOST_READ = 2_000_000  # of a file that is told apart by its parts
MOST_MOVED = 20  # sources that are compared with each other


class Start:
    """What the start of a run says about its judges."""

    def __init__(
        self, snapshots: "Snapshots", number: int, criteria: "Sequence[Criterion]", top: str, tests: "Iterable[str]" = ()
    ) -> None:
        self.snapshots = snapshots
        self.number = number
        self.criteria = criteria
        self.top = top
        self.named = named.of(criteria, top, self.text)
        self.loaded = loaded.of(self.settings(), self.text)
        self.placed = placed.of(criteria, top, self.settings(), self.text)
        self.tests = [*tests, *[word for each in criteria for word in each.argv or () if "::" in word]]

    @property
    def run_modules(self) -> "frozenset[str]":
        """Return the modules that the checks, or the scripts behind them, run by `-m`."""
        texts = [" ".join([*(each.argv or ()), each.definition or ""]) for each in self.criteria]
        return shadows.run_by([*texts, *[self.text(path) or "" for path in self.named.scripts]])

    def settings(self) -> "list[str]":
        """Return the paths that set or define checks."""
        rows = self.snapshots.query(
            "SELECT path FROM entries WHERE first <= ?1 AND (last IS NULL OR last >= ?1) AND kind = 'file'", (self.number,)
        )
        return [path for path in map(os.fsdecode, [row[0] for row in rows]) if loaded.is_setting(path)]

    def tests_in(self, path: str) -> "list[str]":
        """Return the names of the tests of a file that a person has named."""
        return [test for file, _, test in [each.partition("::") for each in self.tests] if file == path and test]

    def entry(self, path: bytes) -> "Entry | None":
        """Return a path as it was."""
        return self.snapshots.some(self.number, [path]).get(path)

    def text(self, path: str) -> "str | None":
        """Return the text of a file as it was, None where there was none that could be read."""
        entry = self.entry(os.fsencode(path))
        if entry is None or entry.kind != FILE or not entry.stored or entry.size > MOST_BYTES:
            return None
        return self.snapshots.content(entry).decode("utf-8", "replace")

    def is_of_others(self, path: str) -> bool:
        """Say whether a file belongs to a package of somebody else that is kept with the project."""
        return any([self.entry(os.fsencode(name)) for name in kinds.signs_of_others(path)])

    def has_files_in(self, folder: str) -> bool:
        """Say whether there was anything in a folder."""
        return bool(self.snapshots.query(
            "SELECT 1 FROM entries WHERE path > ?1 AND path < ?2 AND first <= ?3 AND (last IS NULL OR last >= ?3)"
            " AND kind = 'file' LIMIT 1", (os.fsencode(folder), os.fsencode(folder[:-1] + "0"), self.number),
        ))  # fmt: skip


def of(
    start: Start, changes: "Sequence[Change]", may_change: "Sequence[str]" = (), sites: "Sequence[str]" = ()
) -> "list[Substitute]":
    """Return what stands for each judge among the changes since the start; none for those that a person let be changed."""
    paths = {change.path: os.fsdecode(change.path) for change in changes}
    added = {paths[change.path] for change in changes if change.what == "added"}
    where, known = shadows.roots(start.criteria, start.top, start.named.tests), shadows.names(sites)
    run = start.run_modules & (known | vendored.modules(start.snapshots, start.top))
    moved = _moved(start, changes)
    found = []
    for change in changes:
        path = paths[change.path]
        if path in moved or _is_folder(change) or any([path_rules.matches(path, pattern) for pattern in may_change]):
            continue
        hides = shadows.is_one(path, added, where, known) or shadows.is_run(path, run) or bool(kinds.HEADER.search(path))
        is_shadow = change.what == "added" and hides
        says = "which hides a module of that name" if is_shadow else _says(start, change, path)
        if says:
            found += _substitute(start, change, path, says)
    return found


def _is_folder(change: "Change") -> bool:
    entries = [each for each in (change.before, change.after) if each]
    return all([each.kind == FOLDER for each in entries])


def _says(start: Start, change: "Change", path: str) -> str:
    """Say why a file is a judge, nothing where it is none."""
    if path in start.named.scripts or path.startswith(tuple(start.named.folders)):
        return "which the checks run"
    if path in start.loaded:
        return "which is loaded before the tests"
    if placed.has(start.placed, path):
        return "a test"
    if start.is_of_others(path):
        folder = os.path.dirname(path) + "/"
        return "which somebody else wrote" if change.what != "added" or start.has_files_in(folder) else ""
    kind = kinds.of(path)
    if kind is None:
        return "whose tests are those of the start" if merging.is_source(path) else ""
    return str(kind.says) if kind.judges and not _is_new_and_free(start, change, path) else ""


def _is_new_and_free(start: Start, change: "Change", path: str) -> bool:
    """Say whether a file was added that was named before, or that lies in a folder of its own."""
    folder = kinds.unsure_folder(path) or kinds.folder_of_a_package(path)
    return change.what == "added" and bool(path in start.named.tests or (folder and not start.has_files_in(folder)))


def _moved(start: Start, changes: "Sequence[Change]") -> "set[str]":
    """Return the sources that were moved with the tests in them: from where, and to where."""
    sources = [each for each in changes if merging.is_source(os.fsdecode(each.path))]
    gone = [each for each in sources if each.what == "deleted" and each.before.kind == FILE and each.before.stored]
    come = [each for each in sources if each.what == "added" and _can_be_merged(os.fsdecode(each.path), None, each.after)]
    found = set()
    for old, new in [(old, new) for old in gone[:MOST_MOVED] for new in come[:MOST_MOVED]]:
        path, before, after = os.fsdecode(new.path), *[start.snapshots.content(each) for each in (old.before, new.after)]
        if merging.has_tests(path, before) and merging.merged(path, before, after) == after:
            found |= {os.fsdecode(old.path), path}
    return found


def _substitute(start: Start, change: "Change", path: str, says: str) -> "list[Substitute]":
    before, after = change.before, change.after
    if before is not None and before.kind in (FILE, LINK) and not before.stored:
        return []  # nobody has it as it was
    piece = piece_of(start.snapshots, before)
    with_new = _with_new_tests(start, path, piece, after)
    if with_new:
        return [Substitute(change.path, change.what, says, with_new, True)]
    if after is None and merging.is_source(path) and piece and not merging.has_tests(path, piece.data):
        return []
    if not _can_be_merged(path, piece, after):
        return [Substitute(change.path, change.what, says, piece, False)]
    now = start.snapshots.content(after)
    data = merging.merged(path, piece.data if piece else None, now)
    if data == now and (piece is None or piece.mode == after.mode or merging.is_source(path)):
        return []
    is_mixed = data is not None and data != (piece.data if piece else None)
    return [Substitute(change.path, change.what, says, Piece(FILE, after.mode, data) if is_mixed else piece, is_mixed)]


def _with_new_tests(start: Start, path: str, piece: "Piece | None", after: "Entry | None") -> "Piece | None":
    """Return a file of the start with the tests that were named before they were there, None without such a test."""
    names = start.tests_in(path)
    if not names or piece is None or piece.kind != FILE or after is None or after.kind != FILE or not after.stored:
        return None
    before, now = [data.decode("utf-8", "replace") for data in (piece.data, start.snapshots.content(after))]
    text = new_tests.added(before, now, names)
    return Piece(FILE, piece.mode, text.encode()) if text else None


def piece_of(snapshots: "Snapshots", entry: "Entry | None") -> "Piece | None":
    """Return what is written to have an entry again, None where there was no file."""
    if entry is None or entry.kind not in (FILE, LINK):
        return None
    return Piece(entry.kind, entry.mode, snapshots.content(entry))


def _can_be_merged(path: str, piece: "Piece | None", after: "Entry | None") -> bool:
    is_file = after is not None and after.kind == FILE and after.stored and after.size <= MOST_READ
    return merging.is_mixed(path) and is_file and (piece is None or piece.kind == FILE)
