"""`python -m tests.bench.rooms [10000 50000]`: what an iteration costs without agent and checks, beside a warm `git status`.

Once in the person's own files and once in a room, which is made and applied as well; ratios as in `tests.bench.large_tree`.
"""

import sys
import time
from pathlib import Path

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import options, passing, prospects, starting
from ralph_mem.ralph.lock import Lock
from ralph_mem.ralph.loop import Loop
from ralph_mem.ralph.record import HEADLESS
from ralph_mem.ralph.room import applying
from ralph_mem.ralph.stop_reasons import DEFAULT
from tests.bench.large_tree import CHANGED, ROUNDS, SETTLED_S, change, each, git_status, say, seconds

# Of a warm `git status` on the same tree.
HERE_AT_MOST, ROOM_AT_MOST = 3.0, 3.5
# Making a room reads and writes every file; applying it looks at every file of the person's again.
MADE_AT_MOST, APPLIED_AT_MOST = 60.0, 12.0
MANY = 1_000_000


def main() -> None:
    """Print a table of ratios for each size."""
    for top, paths in each(sys.argv[1:]):
        for here in (True, False):
            measure(top, [str(path.relative_to(top)) for path in paths], here)


def measure(top: Path, names: list[str], here: bool) -> None:
    """Start a loop, do its iterations, and in a room apply the last one."""
    project, values = Project(str(top)), dict(effective.DEFAULTS)
    limits = DEFAULT._replace(iterations=MANY, no_progress=MANY, duration_ms=MANY * 1000)
    wished = options.Wish(goal="measure", criteria=("marker",), limits=limits, memory=False, here=here)
    git_status(top)
    status = [seconds(lambda: git_status(top))]
    with Lock(project):
        begun: list[starting.Baseline] = []
        prospect = prospects.look(project, wished)
        made = seconds(lambda: begun.append(starting.start(project, values, wished, prospect, HEADLESS)))
        say(len(names), f"begun {'here' if here else 'in a room'}", [made], status, MADE_AT_MOST)
        loop = begun[0].loop
        time.sleep(SETTLED_S)
        iterate(loop, [Path(loop.place.top, name) for name in names], here)
        passing.end(loop, "user_stop", "measured")
    if not here:
        took = [seconds(lambda: applying.apply(project, values, loop.run, ""))]
        say(len(names), "applied", took, [seconds(lambda: git_status(top))], APPLIED_AT_MOST)


def iterate(loop: Loop, paths: list[Path], here: bool) -> None:
    """Do iterations in which an agent that costs nothing changes ten files."""
    took, status = [], []
    for number in range(ROUNDS):
        passing.begin(loop)
        change(paths[number :: len(paths) // CHANGED][:CHANGED], number)
        status.append(seconds(lambda: git_status(Path(loop.place.top))))
        took.append(seconds(lambda: passing.conclude(loop, launch.Answer(launch.DONE, message="done"))))
    where, most = ("here", HERE_AT_MOST) if here else ("in a room", ROOM_AT_MOST)
    say(len(paths), f"iteration {where}", took, status, most)


if __name__ == "__main__":
    main()
