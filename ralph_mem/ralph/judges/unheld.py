"""Find the judges that no snapshot has, in what git ignores and outside of the tree."""

import os
import re
from itertools import islice

from ralph_mem.core import paths
from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph.judges import built, comparisons, kinds, named
from ralph_mem.ralph.room.dependencies import BUILT, MADE_AGAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.snapshot.store import Snapshots

# What tools make anew is no judge, and what they install is watched as what runs the checks.
NOT_LOOKED_INTO = frozenset(map(os.fsdecode, BUILT | MADE_AGAIN)) | kinds.INSTALLED
MOST = 2_000  # files in a folder that are looked at by their names
MOST_BYTES = 262_144  # of a script that is read for what it runs
WORD = re.compile(r"[^\s\"'`=;&|<>(){}$]+")
WRITTEN = re.compile(r">{1,2}\s*\S+|(?<!\S)-o\s*\S+")


def of(
    snapshots: "Snapshots", criteria: "Sequence[Criterion]", top: str, before_ns: int, may_change: "Sequence[str]" = ()
) -> "list[str]":
    """Return the full paths of files that the checks run, compare with or have as tests, and that cannot be put back.

    What was written since `before_ns` is left out, as is what was compiled: the checks themselves may have made it. So is what a
    person let be changed.
    """

    def text(path: str) -> "str | None":
        return paths.read(f"{top}/{path}", MOST_BYTES) if os.path.isfile(f"{top}/{path}") else None

    found = named.of([each for each in criteria if each.argv], top, text)
    ignored = [os.fsdecode(row[0]) for row in snapshots.query("SELECT path FROM ignored ORDER BY path")]
    inside = [path for root in ignored for path in _files(top, root)]
    inside = [path for path in inside if not any([path_rules.matches(path, pattern) for pattern in may_change])]
    judges = [
        path for path in inside if path in found.scripts or comparisons.is_reference(found.references, path) or _is_test(path)
    ]
    said = [text(path) or "" for path in sorted(found.scripts)]
    every = [*[f"{top}/{path}" for path in judges], *_outside(criteria, top, said)]
    return [path for path in dict.fromkeys(every) if _is_old(path, before_ns)]


def _files(top: str, root: str) -> "Iterator[str]":
    """Yield the files at and below a path, as seen from the top, but for what tools make and install."""
    return islice(_every_file(top, root), MOST)


def _every_file(top: str, root: str) -> "Iterator[str]":
    if not NOT_LOOKED_INTO.isdisjoint(root.split("/")):
        return
    if os.path.isfile(f"{top}/{root}"):
        yield root
    for folder, below, names in os.walk(f"{top}/{root}"):
        below[:] = sorted(set(below) - NOT_LOOKED_INTO)
        yield from [os.path.relpath(f"{folder}/{name}", top) for name in sorted(names)]


def _is_test(path: str) -> bool:
    return bool(kinds.TEST_FILE.search(path))


def _outside(criteria: "Sequence[Criterion]", top: str, scripts: "list[str]") -> "Iterator[str]":
    """Yield the files outside of the tree that a command line names, or that is run by what is behind it."""
    real = os.path.realpath(top)
    for each in criteria:
        words = WORD.findall(WRITTEN.sub("", " ".join(each.argv or ())))
        words += [word for said in (each.definition or "", *scripts) for _, _, word in named.COMMAND.findall(said)]
        for word in dict.fromkeys([word for word in words if "/" in word]):
            path = os.path.normpath(os.path.join(each.folder or top, word))
            if os.path.commonpath([os.path.realpath(path), real]) not in (real, os.path.realpath(path)):
                yield from [path] if os.path.isfile(path) else []
                yield from [f"{path}/{file}" for file in _files(path, ".") if _is_test(file)] if os.path.isdir(path) else []


def _is_old(path: str, before_ns: int) -> bool:
    try:
        return os.stat(path).st_mtime_ns < before_ns and not built.is_program(path)
    except OSError:
        return False
