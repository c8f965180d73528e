"""Find the packages in folders that git ignores from which the checks take what they judge by."""

import os
import re

from ralph_mem.core import paths
from ralph_mem.ralph.judges import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.ralph.snapshot.store import Snapshots

VENDOR, NODE = b"vendor", b"node_modules"
OF_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
REQUIRED = re.compile(r"""(?:\brequire\(|\bfrom\s|\bimport\s|\bimport\()\s*['"]((?:@[\w.-]+/)?[\w][\w.-]*)""")
MOST_TESTS, MOST_BYTES = 200, 65_536  # of test files that are read for what they require


def packages(snapshots: "Snapshots", number: int, top: str) -> "list[str]":
    """Return the paths of what lies in `vendor` folders, and of the packages of Node that the tests of a snapshot require."""
    ignored = [row[0] for row in snapshots.query("SELECT path FROM ignored ORDER BY path")]
    found = [os.path.join(folder, name) for folder in _folders(ignored, VENDOR, top) for name in sorted(paths.names(folder))]
    node = _folders(ignored, NODE, top)
    required = sorted(_required(snapshots, number, top)) if node else []
    found += [os.path.join(folder, name) for folder in node for name in required]
    return [path for path in found if os.path.lexists(path)]


def modules(snapshots: "Snapshots", top: str) -> "set[str]":
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
