"""Say for each judge that a run has changed what stands in its place when a success is confirmed."""

import os
import re
from collections import namedtuple

from ralph_mem.core import paths
from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph.judges import comparisons, doctests, kinds, merging, placed, shadows
from ralph_mem.ralph.judges.start import Start
from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK
from ralph_mem.ralph.snapshot.copying import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ralph_mem.ralph.snapshot import Change, Entry
    from ralph_mem.ralph.snapshot.store import Snapshots

Substitute = namedtuple("Substitute", "path what says piece is_mixed")
Substitute.__doc__ = """A judge that is not as it was.

`what` is `added`, `changed` or `deleted`, `says` what it is in words; `piece` stands for it, None where there is to be nothing.
`is_mixed` says that the piece is the start's in parts only.
"""

MOST_READ = 2_000_000  # of a file that is told apart by its parts
MOST_MOVED = 20  # sources that are compared with each other
DOCUMENT = re.compile(r"\.(py|md|rst|txt)$")  # what may have examples in it
EXAMPLES = "whose examples are those of the start"
VENDOR, NODE = b"vendor", b"node_modules"
OF_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
REQUIRED = re.compile(r"""(?:\brequire\(|\bfrom\s|\bimport\s|\bimport\()\s*['"]((?:@[\w.-]+/)?[\w][\w.-]*)""")
MOST_TESTS, MOST_BYTES = 200, 65_536  # of test files that are read for what they require


def of(
    start: Start, changes: "Sequence[Change]", may_change: "Sequence[str]" = (), sites: "Sequence[str]" = ()
) -> "list[Substitute]":
    """Return what stands for each judge among the changes since the start; none for those that a person let be changed."""
    paths = {change.path: os.fsdecode(change.path) for change in changes}
    added = {paths[change.path] for change in changes if change.what == "added"}
    where, known = shadows.roots(start.criteria, start.top, start.named.tests), shadows.names(sites)
    programs = shadows.programs(start.texts)
    run = start.run_modules & (known | vendored_modules(start.snapshots, start.top))
    moved = _moved(start, changes)
    found = []
    for change in changes:
        path = paths[change.path]
        if path in moved or _is_folder(change) or any([path_rules.matches(path, pattern) for pattern in may_change]):
            continue
        hides = shadows.is_one(path, added, where, known) or shadows.is_run(path, run) or bool(kinds.HEADER.search(path))
        is_shadow = change.what == "added" and (hides or _is_program(change, programs))
        says = "which hides one of that name" if is_shadow else _says(start, change, path)
        if says:
            found += _substitute(start, change, path, says)
    return found


def _is_program(change: "Change", programs: "Collection[str]") -> bool:
    """Say whether a file may be run in place of a program of that name."""
    mode = change.after.mode if change.after else 0
    return os.fsdecode(change.path.rpartition(b"/")[2]) in programs and bool(mode & 0o111)


def _is_folder(change: "Change") -> bool:
    entries = [each for each in (change.before, change.after) if each]
    return all([each.kind == FOLDER for each in entries])


def _says(start: Start, change: "Change", path: str) -> str:
    """Say why a file is a judge, by its own name or by that of a link to it; nothing where it is none."""
    return next(filter(None, [_says_by_name(start, change, name) for name in start.names_of(path)]), "")


def _says_by_name(start: Start, change: "Change", path: str) -> str:
    by_the_checks = _said_by_checks(start, change, path)
    if by_the_checks:
        return by_the_checks
    if start.is_of_others(path):
        folder = os.path.dirname(path) + "/"
        return "which somebody else wrote" if change.what != "added" or start.has_files_in(folder) else ""
    kind = kinds.of(path)
    if kind and kind.name == kinds.IGNORED and start.lints_by_git():
        return "which says what a linter leaves out"
    if kind is None:
        return _said_of_a_source(start, change, path)
    return str(kind.says) if kind.judges and not _is_new_and_free(start, change, path) else ""


def _said_by_checks(start: Start, change: "Change", path: str) -> str:
    if path in start.named.scripts or path.startswith(tuple(start.named.folders)):
        return "which the checks run"
    if path in start.loaded:
        return "which is loaded before the tests"
    if path in start.included:
        return "which a Makefile includes"
    if placed.has(start.placed, path):
        return "a test"
    if change.what == "added" and start.makes(path):
        return "which the checks make"
    is_reference = change.what != "added" and comparisons.is_reference(start.named.references, path)
    return "with which the checks compare, or which they go through" if is_reference else ""


def _said_of_a_source(start: Start, change: "Change", path: str) -> str:
    """Say what a file of the product has in it that judges."""
    if merging.is_source(path):
        return "whose tests are those of the start"
    return EXAMPLES if change.what == "changed" and _has_examples(start, change) else ""


def _has_examples(start: Start, change: "Change") -> bool:
    """Say whether a source or a document had examples that the checks run."""
    before = change.before
    if not DOCUMENT.search(os.fsdecode(change.path)) or before.kind != FILE or not before.stored or before.size > MOST_READ:
        return False
    return doctests.PROMPT.encode() in start.snapshots.content(before) and start.runs_examples()


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
    before = change.before
    if before is not None and before.kind in (FILE, LINK) and not before.stored:
        return []  # nobody has it as it was
    piece = piece_of(start.snapshots, before)
    if says == EXAMPLES and path.endswith(".py"):
        return _with_examples(start, change, piece)
    return _replaced(start, change, path, says, piece)


def _replaced(start: Start, change: "Change", path: str, says: str, piece: "Piece | None") -> "list[Substitute]":
    after, path = change.after, f"{path}.mk" if path in start.included else path  # merged as what includes it
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


def _with_examples(start: Start, change: "Change", piece: "Piece | None") -> "list[Substitute]":
    """Return a source as it is, with the examples that it had; nothing where these are the same."""
    after = change.after
    if piece is None or after is None or after.kind != FILE or not after.stored or after.size > MOST_READ:
        return []
    now = start.snapshots.content(after)
    try:
        data = doctests.merged(piece.data.decode(), now.decode()).encode()
    except (ValueError, SyntaxError, RecursionError):
        return []  # what is no Python fails by itself
    return [Substitute(change.path, change.what, EXAMPLES, Piece(FILE, after.mode, data), True)] if data != now else []


def _with_new_tests(start: Start, path: str, piece: "Piece | None", after: "Entry | None") -> "Piece | None":
    """Return a file of the start with the tests that were named before they were there, None without such a test."""
    names = start.tests_in(path)
    if not names or piece is None or piece.kind != FILE or after is None or after.kind != FILE or not after.stored:
        return None
    before, now = [data.decode("utf-8", "replace") for data in (piece.data, start.snapshots.content(after))]
    text = merging.with_new_tests(before, now, names)
    return Piece(FILE, piece.mode, text.encode()) if text else None


def piece_of(snapshots: "Snapshots", entry: "Entry | None") -> "Piece | None":
    """Return what is written to have an entry again, None where there was no file."""
    if entry is None or entry.kind not in (FILE, LINK):
        return None
    return Piece(entry.kind, entry.mode, snapshots.content(entry))


def _can_be_merged(path: str, piece: "Piece | None", after: "Entry | None") -> bool:
    is_file = after is not None and after.kind == FILE and after.stored and after.size <= MOST_READ
    return merging.is_mixed(path) and is_file and (piece is None or piece.kind == FILE)


def vendored(snapshots: "Snapshots", number: int, top: str) -> "list[str]":
    """Return the paths of what lies in `vendor` folders, and of the packages of Node that the tests of a snapshot require."""
    ignored = [row[0] for row in snapshots.query("SELECT path FROM ignored ORDER BY path")]
    found = [os.path.join(folder, name) for folder in _folders(ignored, VENDOR, top) for name in sorted(paths.names(folder))]
    node = _folders(ignored, NODE, top)
    required = sorted(_required(snapshots, number, top)) if node else []
    found += [os.path.join(folder, name) for folder in node for name in required]
    return [path for path in found if os.path.lexists(path)]


def vendored_modules(snapshots: "Snapshots", top: str) -> "set[str]":
    """Return the names of the Python modules in `vendor` folders."""
    ignored = [row[0] for row in snapshots.query("SELECT path FROM ignored")]
    return {name.partition(".")[0] for folder in _folders(ignored, VENDOR, top) for name in paths.names(folder)}


def _folders(ignored: "list[bytes]", name: bytes, top: str) -> "list[str]":
    found = [os.path.join(top, os.fsdecode(path)) for path in ignored if path.rpartition(b"/")[2] == name]
    return [folder for folder in found if os.path.isdir(folder)]


def _required(snapshots: "Snapshots", number: int, top: str) -> "set[str]":
    return {name for text in _tests(snapshots, number, top) for name in REQUIRED.findall(text)}


def _tests(snapshots: "Snapshots", number: int, top: str) -> "Iterator[str]":
    seen = 0
    rows = snapshots.query(
        "SELECT path FROM entries WHERE first <= ?1 AND (last IS NULL OR last >= ?1) AND kind = 'file'", (number,)
    )
    for path in [os.fsdecode(row[0]) for row in rows]:
        if OF_SCRIPT.search(path) and kinds.TEST.search(path) and seen < MOST_TESTS:
            seen += 1
            yield paths.read(os.path.join(top, path), MOST_BYTES)
