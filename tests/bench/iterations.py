"""`python -m tests.bench.iterations [10000 50000]`: what an iteration without agent and checks costs beside `git status`.

Ratios as in `tests.bench.large_tree`.
"""

import cProfile
import pstats
import sys
from pathlib import Path

from ralph_mem.core import project as projects
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import files, options, passing, prospects, record, starting, stop_reasons
from ralph_mem.ralph.git import guarding
from ralph_mem.ralph.loop import Loop
from tests.bench.large_tree import CHANGED, ROUNDS, change, each, git_status, say, seconds

AT_MOST = 3.0
PROFILE = "--profile"


def main() -> None:
    """Print a line of ratios for each size; with --profile where the time goes."""
    for top, paths in each([word for word in sys.argv[1:] if word != PROFILE]):
        measure(top, paths)


def measure(top: Path, paths: list[Path]) -> None:
    """Run iterations in which nothing, and then ten files, changed, each beside a `git status`."""
    loop = a_loop(top)
    git_status(top)
    iterate(loop)
    for what, changed in (("nothing changed", 0), (f"{CHANGED} files changed", CHANGED)):
        took, status, taken = [], [], count_of(loop)
        profile = cProfile.Profile()
        for number in range(ROUNDS):
            change(paths[number :: len(paths) // max(changed, 1)][:changed], number)
            status.append(seconds(lambda: git_status(top)))
            if PROFILE in sys.argv:
                profile.enable()
            took.append(seconds(lambda: iterate(loop)))
            profile.disable()
        say(len(paths), f"iteration, {what}", took, status, AT_MOST)
        print(f"{'':>14}  {(count_of(loop) - taken) / ROUNDS:.0f} snapshot(s) an iteration")
        if PROFILE in sys.argv:
            pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


def a_loop(top: Path) -> Loop:
    """Begin a run that has no checks and never ends by itself."""
    project = projects.find(str(top))
    wished = options.Wish(
        goal="nothing", criteria=(), limits=stop_reasons.DEFAULT._replace(iterations=1000, no_progress=1000, cooldown_ms=0)
    )
    values = effective.load(project)
    prospect = prospects.Prospect([], [], "", [], True)
    loop = Loop(project, values, starting.note(project, values, wished._replace(memory=False), prospect, record.HEADLESS))
    taken = files.take(loop, "start")
    loop.note("snapshot", snapshot=taken.id, tree=taken.tree, files=taken.files, bytes=taken.bytes, unstored=0)
    guarding.begin(loop)
    return loop


def iterate(loop: Loop) -> None:
    """Do all of an iteration but for its agent and its checks."""
    passing.begin(loop)
    passing.conclude(loop, launch.Answer(launch.DONE))


def count_of(loop: Loop) -> int:
    """Return how many snapshots there are."""
    with files.store.open_store(loop.place) as opened:
        return len(opened.taken())


if __name__ == "__main__":
    main()
