"""Run the corpus, or a sample of it, by several processes."""

import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from ralph_mem.bench.retrieval import Announce, silent
from ralph_mem.bench.truth import case, command_line, figures, kinds, projects
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph.room import walls

WORKERS = 2
Case = tuple[str, str, str]  # a kind and a project by their names, and where


def run(
    only: str = "", project: str = "", where: str = "", sample: int = 0, seed: int = 0, announce: Announce = silent,
    workers: int = WORKERS,
) -> dict[str, Any]:  # fmt: skip
    """Run the cases that are asked for; returns the report. Raises LoopError where there is none."""
    wanted, skipped = cases(only, project, where)
    if sample:
        wanted = sampled(wanted, sample, seed)
    outcomes = []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        working = {pool.submit(work, each): each for each in wanted}
        for done, future in enumerate(as_completed(working), 1):
            outcomes.append(future.result())
            announce(" ".join(working[future]), done, len(wanted))
    return figures.report(outcomes, skipped)


def work(wanted: Case) -> case.Outcome:
    """Run one case in this process."""
    kind, project, where = wanted
    (chosen,) = [each for each in kinds.KINDS if each.name == kind]
    return case.work(chosen, projects.read(projects.HERE / f"{project}.txt"), where)


def cases(only: str = "", project: str = "", where: str = "") -> tuple[list[Case], list[tuple[str, str]]]:
    """Return the cases by kinds or groups, a project, and a way; and what cannot be run here, with what is missing."""
    every = projects.every()
    skipped = [(each.name, missing) for each in every if (missing := projects.missing(each))]
    there = [each for each in every if not projects.missing(each)]
    names = {name.strip() for name in only.split(",") if name.strip()}
    chosen = [each for each in kinds.KINDS if not names or names & {each.name, each.group}]
    walled = [each for each in chosen if {*kinds.WALLS} & {*each.options}]
    if walled and walls.why_not():
        skipped += [(each.name, "bubblewrap") for each in walled]
        chosen = [each for each in chosen if each not in walled]
    found = [
        (kind.name, each.name, way)
        for kind in chosen
        for each in case.applies(kind, there)
        if project in ("", each.name)
        for way in ways(where)
        if way == case.ROOM or not kind.rooms_only
    ]
    if not found:
        raise LoopError(
            "no run of the corpus is called so", f"--only takes kinds and groups, commas between: {', '.join(kinds.GROUPS)}"
        )
    return found, skipped


def ways(where: str) -> tuple[str, ...]:
    """Return where runs work: in a room and in the person's tree, unless one is asked for, or there is but one."""
    if not command_line.knows("start", "--here"):
        return (case.HERE,)
    return (where,) if where else case.WHERE


def sampled(wanted: Sequence[Case], count: int, seed: int) -> list[Case]:
    """Draw cases in turn from each group of kinds and language of projects, the same ones for the same seed."""
    group_of = {each.name: each.group for each in kinds.KINDS}
    language_of = {each.name: each.tags[0] for each in projects.every()}
    drawn = random.Random(seed)  # noqa: S311 - no secret
    piles: dict[tuple[str, str], list[Case]] = {}
    for each in drawn.sample(list(wanted), len(wanted)):
        piles.setdefault((group_of[each[0]], language_of[each[1]]), []).append(each)
    found: list[Case] = []
    while len(found) < count and any(piles.values()):
        found += [pile.pop() for pile in piles.values() if pile]
    return found[:count]
