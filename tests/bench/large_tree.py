"""A repository of many files to measure on, and what is measured there beside a warm `git status`.

Ratios come from one interleaved run inside a process, since the machine's speed drifts; read them, not the milliseconds.
"""

import os
import posix
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ralph_mem.ralph.snapshot import store

SIZES = (10_000, 50_000)
FOLDERS, MEAN_BYTES, IGNORED = 500, 8_000, 2_000
ROUNDS = 9
CHANGED = 10
# git and we look twice at what is younger than this
SETTLED_S = 2.5


def each(words: Sequence[str], sizes: Sequence[int] = SIZES) -> Iterator[tuple[Path, list[Path]]]:
    """Yield a tree of each size, of those that were typed if any were, and its files, in a home of its own that goes again."""
    for files in [int(word) for word in words] or sizes:
        with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder:
            os.environ["HOME"] = f"{folder}/home"
            os.environ.pop("XDG_DATA_HOME", None)
            posix.environ.update({b"HOME": f"{folder}/home".encode()})
            posix.environ.pop(b"XDG_DATA_HOME", None)
            top = Path(folder, "project")
            print(f"making {files:,} files ...", file=sys.stderr)
            paths = make_tree(top, files)
            time.sleep(SETTLED_S)
            yield top, paths


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
    for words_of_git in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "gc.auto=0", "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "all"],
    ):
        subprocess.run(["git", *words_of_git], cwd=top, check=True)
    return paths


def _text(words: list[str], chance: random.Random, size: int) -> str:
    lines, length = [], 0
    while length < size:
        line = " ".join(chance.choices(words, k=8)) + str(chance.randrange(1000))
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)[:size]


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
