"""Show what judges a tree, by kinds and counts with some names."""

import os

from ralph_mem.core.format import count
from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph.judges import kinds, placed, references
from ralph_mem.ralph.judges.start import Start
from ralph_mem.ralph.snapshot import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.snapshot.store import Snapshots

    # The paths of each kind.
    Judges = dict[str, list[str]]

SCRIPTS = "scripts"
ONE_OF = {
    kinds.TESTS: "test file",
    kinds.SETTINGS: "settings file",
    kinds.BUILDS: "build file",
    SCRIPTS: "script that a check runs",
}
MOST_NAMED = 3


def of(snapshots: "Snapshots", number: int, criteria: "Sequence[Criterion]", top: str, may_change: "Sequence[str]") -> "Judges":
    """Return what judges in a snapshot, without what a person lets be changed."""
    start = Start(snapshots, number, [each for each in criteria if each.argv], top)
    found: Judges = {name: [] for name in ONE_OF}
    for path, entry in sorted(snapshots.entries(number).items()):
        name = os.fsdecode(path)
        is_script = name in start.named.scripts | start.loaded | start.included or name.startswith(tuple(start.named.folders))
        named = getattr(kinds.of(name), "name", "") if kinds.judges(name) else ""
        kind = SCRIPTS if is_script else named or (kinds.TESTS if _is_test(start, name) else "")
        if kind and entry.kind != FOLDER and not any([path_rules.matches(name, pattern) for pattern in may_change]):
            found[kind].append(name)
    return {kind: names for kind, names in found.items() if names}


def _is_test(start: Start, path: str) -> bool:
    return placed.has(start.placed, path) or references.has(start.named.references, path)


def lines(judges: "Judges", may_change: "Sequence[str]", has_snapshots: bool) -> "list[str]":
    """Return what judges in lines for people."""
    if not has_snapshots:
        return ["not confirmed: without snapshots a success counts with whatever the tests are then"]
    parts = [f"{count(len(names), ONE_OF[kind])} ({_some(names)})" for kind, names in judges.items()]
    found = [f"a success is confirmed by what is now: {', '.join(parts) or 'no file of the project judges'}"]
    return [*found, *[f"  changes of these count: {pattern}" for pattern in may_change]]


def _some(names: "list[str]") -> str:
    return ", ".join([*names[:MOST_NAMED], *([f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else [])])
