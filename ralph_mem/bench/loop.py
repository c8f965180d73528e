"""Measure whether the memory helps a Ralph loop, with a stub agent that only follows its prompt.

Each pair of tasks is worked at twice, with the memory and without, from the same seeds: a first task, then a similar one in
the same project. It all happens in a home of its own, in processes of its own. The stub shows whether what was learnt
reaches the agent in time; what a model makes of it, it cannot show.
"""

import os
import sys
import tempfile
from collections import Counter, namedtuple
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ralph_mem.bench import loop_tasks, measures
from ralph_mem.bench.loop_tasks import MISLEADING, MISLED_TWICE, PAIRS, REPEATED, agent
from ralph_mem.bench.retrieval import Announce, silent
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.ralph import headless, options, prospects
from ralph_mem.ralph.criteria import TEST_PASS
from ralph_mem.ralph.record import Run

ARMS = ON, OFF = ("on", "off")
FIRST = "first"
SECOND_LOOKALIKE = "misled once"  # which only makes ready for the third
GROUPS = (FIRST, REPEATED, MISLEADING, MISLED_TWICE)
# Of a run that does not get there, all its iterations count.
MOST_ITERATIONS = 10
SEEDS = 5
MINUTES_MS = 600_000
GOAL = "Make the tests pass"
NOTES = (
    "a run that was not successful counts with all of its 10 iterations",
    "the stub agent was made to heed its prompt: this measures what reaches an agent, not what a model makes of it",
    "without a memory the agent may write again what it wrote before, which ends a loop as oscillation",
    "in the lookalike tasks the memory tells of a fix that is wrong this time; in the last ones it has done so twice before",
)

Outcome = namedtuple("Outcome", "pair seed arm group success iterations tokens reason")
Outcome.__doc__ = """One run: `iterations` until it was green, `tokens` of all its prompts, and the reason for which it stopped."""


def run(
    pairs: Sequence[loop_tasks.Pair] = PAIRS, seeds: int = SEEDS, announce: Announce = silent, workers: int | None = None
) -> dict[str, Any]:
    """Work at each pair of tasks with each seed, with memory and without; returns the report: plain values, ready for JSON."""
    wanted = [(pair.name, seed, arm) for pair in pairs for seed in range(seeds) for arm in ARMS]
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(workers or os.cpu_count(), mp_context=get_context("spawn")) as pool:
        working = {pool.submit(work, *each): each for each in wanted}
        for done, future in enumerate(as_completed(working), 1):
            outcomes += future.result()
            announce(working[future][0], done, len(wanted))
    return report(outcomes)


def work(name: str, seed: int, arm: str) -> list[Outcome]:
    """Work at the tasks of a pair in a fresh home and project; the process is given over to that."""
    (pair,) = [each for each in PAIRS if each.name == name]
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder:
        _live_in(folder)
        project = Project(str(Path(folder, "project")))
        top = Path(project.top)
        top.mkdir()
        found = []
        for group, task in zip(
            (FIRST, pair.kind, SECOND_LOOKALIKE, MISLED_TWICE), (pair.first, pair.again, *pair.later), strict=False
        ):
            loop_tasks.write(top, task)
            found.append(_worked_at(pair, seed, arm, group, project))
            loop_tasks.write(top, task, mended=True)
        return found


def _live_in(folder: str) -> None:
    """Make a folder the home of this process and of those that it starts, without the person's settings."""
    for name in [name for name in os.environ if name.startswith(("XDG_", "RALPH_MEM_"))]:
        del os.environ[name]
    os.environ.update(HOME=folder, PYTHONDONTWRITEBYTECODE="1")


def _worked_at(pair: loop_tasks.Pair, seed: int, arm: str, group: str, project: Project) -> Outcome:
    values = dict(effective.DEFAULTS)
    command = (sys.executable, "-I", "-S", str(agent.__file__), f"{seed} {group}", "{prompt_file}")
    checks = (f"{TEST_PASS}={sys.executable} -m unittest discover -t . -s tests",)
    wished = options.wished(
        values, GOAL, criteria=checks, agent=command, memory=arm == ON, iterations=MOST_ITERATIONS, duration_ms=MINUTES_MS,
        cooldown_ms=0, no_progress=MOST_ITERATIONS,
    )  # fmt: skip
    ended = headless.start(project, values, wished, prospects.look(project, wished), lambda _loop: True)
    assert ended is not None  # noqa: S101 - every task is broken at first
    return outcome(ended, pair.name, seed, arm, group)


def outcome(ended: Run, pair: str, seed: int, arm: str, group: str) -> Outcome:
    """Return what a run that has ended counts."""
    success = ended.reason == "success"
    iterations = len(ended.iterations) if success else MOST_ITERATIONS
    tokens = sum(each.prompt.get("tokens", 0) for each in ended.iterations)
    return Outcome(pair, seed, arm, group, success, iterations, tokens, ended.reason)


def report(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Return what the outcomes say: figures by group and arm, and of each group how the arms differ, pair by pair."""
    every = sorted(outcomes, key=lambda each: (each.pair, each.seed, each.arm, each.group))
    found: dict[str, Any] = {"runs": len(every), "groups": {}, "against": {}, "notes": list(NOTES)}
    for group in GROUPS:
        arms = {arm: [each for each in every if (each.group, each.arm) == (group, arm)] for arm in ARMS}
        if arms[ON] and arms[OFF]:
            found["groups"][group] = {arm: _figures(those) for arm, those in arms.items()}
            found["against"][group] = {name: _difference(arms, name) for name in ("iterations", "tokens", "success")}
    return found


def _figures(those: Sequence[Outcome]) -> dict[str, Any]:
    means = {name: _mean([getattr(each, name) for each in those]) for name in ("iterations", "tokens", "success")}
    return {"runs": len(those), **means, "reasons": dict(Counter(each.reason for each in those))}


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)


def _difference(arms: dict[str, list[Outcome]], name: str) -> dict[str, float]:
    """Compare the arms on the same tasks and seeds: the mean difference, its bootstrapped interval, and an exact p."""
    ours, theirs = ([int(getattr(each, name)) for each in arms[arm]] for arm in ARMS)
    gaps = [one - other for one, other in zip(ours, theirs, strict=True)]
    return {**measures.difference(ours, theirs), "p": exact_p(gaps)}


def exact_p(gaps: Sequence[int]) -> float:
    """Return how likely a mean as far from nothing would be, were it a coin's toss for each gap which way it goes.

    A permutation test over all of the 2 ** n signs, counted by their sums rather than drawn.
    """
    sums = Counter({0: 1})
    for gap in gaps:
        sums = Counter(
            {total: sums[total - gap] + sums[total + gap] for total in {each + way * gap for each in sums for way in (1, -1)}}
        )
    as_far = sum(count for total, count in sums.items() if abs(total) >= abs(sum(gaps)))
    return as_far / sum(sums.values())
