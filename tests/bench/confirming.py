"""`python -m tests.bench.confirming [10000]`: what confirming a success costs beside a warm `git status`, without the checks.

That is to find the judges that changed, to copy the tree with those of the start, and to remove the copy.
"""

import os
import sys
import time
from pathlib import Path

from ralph_mem.core.project import Project
from ralph_mem.ralph.criteria import Criterion
from ralph_mem.ralph.judges import installed, scratch, substitutes
from ralph_mem.ralph.judges.start import Start
from ralph_mem.ralph.snapshot import store, taking
from tests.bench.large_tree import CHANGED, ROUNDS, SETTLED_S, change, each, git_status, say, seconds

SIZES = (10_000,)
# Of a warm `git status`: what was aimed at.
AT_MOST = 4.0
COMMAND = (sys.executable, "-m", "pytest", "-q")


def main() -> None:
    """Print a line for each size."""
    for top, paths in each(sys.argv[1:], SIZES):
        (top / "tests").mkdir()
        (top / "tests" / "test_one.py").write_text("def test_one():\n    assert True\n", encoding="utf-8")
        time.sleep(SETTLED_S)
        measure(top, paths)


def measure(top: Path, paths: list[Path]) -> None:
    """Confirm the state after an iteration a few times, each beside a `git status`."""
    criterion = Criterion("test_pass", "pytest", COMMAND, str(top), 600, 0, "", "")
    project = Project(str(top))
    with store.open_store(project) as opened:
        start = taking.take(opened, "start", "run").id
        marks = installed.marks([criterion], str(top), os.environ)
        marked = time.time_ns()
        change(paths[:CHANGED], 1)
        (top / "tests" / "test_one.py").write_text("def test_one():\n    return\n", encoding="utf-8")
        last = taking.take(opened, "iteration 1", "run").id

        def confirm() -> None:
            told = Start(opened, start, [criterion], str(top))
            found = substitutes.of(told, opened.differences(start, last), (), installed.sites([criterion], os.environ))
            installed.patched(marks, [criterion], str(top), os.environ, marked)
            with scratch.made(opened, last, {each.path: each.piece for each in found}, marked) as copy:
                assert copy.files >= len(paths)

        took, status = [], []
        for _ in range(ROUNDS):
            status.append(seconds(lambda: git_status(top)))
            took.append(seconds(confirm))
    say(len(paths), "confirming", took, status, AT_MOST)


if __name__ == "__main__":
    main()
