"""`python -m tests.bench.snapshots [10000 50000]`: what snapshots and a rollback cost beside a warm `git status` on the same tree.

Ratios come from one interleaved run inside this process, since the machine's speed drifts; read them, not the milliseconds.
"""

import os
import posix
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ralph_mem.core.project import Project
from ralph_mem.ralph.snapshot import restoring, store, taking

SIZES = (10_000, 50_000)
FOLDERS, MEAN_BYTES, IGNORED = 500, 8_000, 2_000
ROUNDS = 9
CHANGED, ROLLED_BACK = 10, 100
# Of a warm `git status`, but for the first snapshot: of reading and packing every file.
SECOND_AT_MOST, FIRST_AT_MOST, ROLLBACK_AT_MOST = 3.0, 1.5, 6.0
# git and we look twice at what is younger than this
SETTLED_S = 2.5


def main() -> None:
    """Print a table of ratios for each size."""
    for files in [int(word) for word in sys.argv[1:]] or SIZES:
        with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder:
            os.environ["HOME"] = f"{folder}/home"
            os.environ.pop("XDG_DATA_HOME", None)
            posix.environ.update({b"HOME": f"{folder}/home".encode()})
            posix.environ.pop(b"XDG_DATA_HOME", None)
            top = Path(folder, "project")
            print(f"making {files:,} files ...", file=sys.stderr)
            paths = make_tree(top, files)
            time.sleep(SETTLED_S)
            measure(top, paths)


def make_tree(top: Path, files: int) -> list[Path]:
    """Make a repository of text-like files, committed, with ignored ones beside them."""
    words = Path(store.__file__).read_text(encoding="utf-8").split()
    chance = random.Random(7)
    folders = [top / f"part{number % 20}" / f"unit{number // 20}" for number in range(FOLDERS)]
    for folder in [*folders, top / "node_modules"]:
        folder.mkdir(parents=True)
    paths = [folders[number % FOLDERS] / f"file{number}.py" for number in range(files)]
    for path in paths:
        path.write_text(_text(words, chance, int(chance.expovariate(1 / MEAN_BYTES)) + 1), encoding="utf-8")
    for number in range(IGNORED):
        (top / "node_modules" / f"{number}.js").write_text("ignored", encoding="utf-8")
    (top / ".gitignore").write_text("node_modules/\n", encoding="utf-8")
    for words_of_git in (["init", "-q"], ["add", "-A"], ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "all"]):
        subprocess.run(["git", *words_of_git], cwd=top, check=True)
    return paths


def _text(words: list[str], chance: random.Random, size: int) -> str:
    lines, length = [], 0
    while length < size:
        line = " ".join(chance.choices(words, k=8)) + str(chance.randrange(1000))
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)[:size]


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


def change(paths: list[Path], number: int) -> None:
    """Append a line to files."""
    for path in paths:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"changed {number}\n")


def git_status(top: Path) -> None:
    """Run a `git status` that may use, and refresh, its index as a person's does."""
    subprocess.run(["git", "status", "--porcelain"], cwd=top, stdout=subprocess.DEVNULL, check=True)


def seconds(act: Callable[[], object]) -> float:
    """Return how long something takes."""
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def say(files: int, what: str, took: list[float], beside: list[float], most: float) -> None:
    """Print a line: the median of the ratios of neighbours, and the milliseconds for the curious."""
    ratio = statistics.median([one / other for one, other in zip(took, beside, strict=True)])
    ours, theirs = statistics.median(took) * 1000, statistics.median(beside) * 1000
    print(f"{files:>7,} files  {what:<20} x {ratio:.2f} (at most {most:g})   {ours:.0f} ms beside {theirs:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
