"""`python -m tests.bench.snapshots [10000 50000]`: what snapshots and a rollback cost beside a warm `git status` on the same tree.

Ratios come from one interleaved run; read them, not the milliseconds.
"""

import shutil
import sys
import zlib
from functools import partial
from pathlib import Path

from ralph_mem.core.project import Project
from ralph_mem.ralph.snapshot import restoring, store, taking
from tests.bench.large_tree import CHANGED, ROUNDS, change, each, git_status, say, seconds

ROLLED_BACK = 100
# Of a warm `git status`, but for the first snapshot: of reading and packing every file.
SECOND_AT_MOST, FIRST_AT_MOST, ROLLBACK_AT_MOST = 3.0, 1.5, 6.0


def main() -> None:
    """Print a table of ratios for each size."""
    for top, paths in each(sys.argv[1:]):
        measure(top, paths)


def measure(top: Path, paths: list[Path]) -> None:
    """Take the snapshots and the rollback, each beside what it is compared with."""
    read_and_pack(paths)  # warm: the price of a disk is nobody's merit
    snapshots = store.open_store(Project(str(top)))
    firsts, packed = [], []
    for number in range(3):
        packed.append(seconds(lambda: read_and_pack(paths)))
        snapshots.close()
        shutil.rmtree(snapshots.folder)
        snapshots = store.open_store(Project(str(top)))
        firsts.append(seconds(partial(taking.take, snapshots, "start", f"run-{number}")))
    say(len(paths), "first snapshot", firsts, packed, FIRST_AT_MOST)
    run = f"run-{len(firsts) - 1}"
    start = snapshots.taken()[-1].id
    for what, changed in (("nothing changed", 0), (f"{CHANGED} files changed", CHANGED)):
        took, status = [], []
        for number in range(ROUNDS):
            change(paths[number :: len(paths) // max(changed, 1)][:changed], number)
            status.append(seconds(lambda: git_status(top)))
            took.append(seconds(lambda: taking.take(snapshots, "iteration", run)))
        say(len(paths), what, took, status, SECOND_AT_MOST)
    measure_rollback(top, paths, snapshots, start, run)
    snapshots.close()


def measure_rollback(top: Path, paths: list[Path], snapshots: store.Snapshots, start: int, run: str) -> None:
    """Change a hundred files as a loop would, and put them back, the safety snapshot included."""
    restoring.roll_back(snapshots, start, run=run)
    took, status = [], []
    for number in range(ROUNDS):
        change(paths[number :: len(paths) // ROLLED_BACK][:ROLLED_BACK], number)
        taking.take(snapshots, "iteration", run)
        status.append(seconds(lambda: git_status(top)))
        took.append(seconds(lambda: restoring.roll_back(snapshots, start, run=run)))
    say(len(paths), f"rollback of {ROLLED_BACK}", took, status, ROLLBACK_AT_MOST)


def read_and_pack(paths: list[Path]) -> None:
    """Read and pack every file: what a first snapshot is compared with."""
    for path in paths:
        zlib.compress(path.read_bytes(), 1)


if __name__ == "__main__":
    main()
