"""Planning: what a loop would do here, looked at without beginning one: checks, how they stand now, limits, agent, way back."""

import os
import shlex
import shutil
import sys
from collections import namedtuple

from ralph_mem import claude
from ralph_mem.core import privacy
from ralph_mem.core.errors import RalphMemError, SnapshotError
from ralph_mem.criteria import flaky, judging, passed
from ralph_mem.ralph import files, limits, starting, telling, watching
from ralph_mem.snapshot import store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.criteria import Criterion
    from ralph_mem.ralph.starting import Prospect, Wish

Planned = namedtuple("Planned", "prospect wish baseline covers agent obstacles")
Planned.__doc__ = """What a loop would do: what it would run, what was wished for, the verdicts now (None where the checks are not
accepted and so were not run), what a rollback would cover, a line about the agent, and what keeps it from beginning in lines."""

Covers = namedtuple("Covers", "paths bytes unstored why")
Covers.__doc__ = """How many paths and bytes a snapshot would take in, and as `(path, why)` what it would see without storing it;
or why there would be none."""

MOST_NAMED = 10
PLAN = "plan"


def plan(project: "Project", values: "dict[str, Any]", wished: "Wish", told: "Callable[[str], None] | None" = None) -> Planned:
    """Look at everything that a start would need; the checks are run once where they have been accepted."""
    prospect = starting.look(project, wished)
    obstacles = _obstacles(project, wished, prospect)
    baseline = _judged(project, values, prospect, told) if prospect.accepted and prospect.criteria else None
    agent, missing = _agent(wished)
    return Planned(prospect, wished, baseline, covers(project, values), agent, [*obstacles, *missing])


def _obstacles(project: "Project", wished: "Wish", prospect: "Prospect") -> "list[str]":
    try:
        starting.check(project, wished._replace(goal=wished.goal or "a goal"), prospect)
    except RalphMemError as error:
        return [f"{error}{f' ({error.hint})' if error.hint else ''}"]
    return []


def _judged(
    project: "Project", values: "dict[str, Any]", prospect: "Prospect", told: "Callable[[str], None] | None"
) -> "list[Any]":
    def tell(criterion: "Criterion", _position: int) -> None:
        if told:
            told(f"  checking: {criterion.name}")

    def protect(texts: "list[str]") -> "list[str]":
        return privacy.protect(texts, project, values)[0]

    return judging.judge(prospect.criteria, project.top, told=tell, known=flaky.known(project), protect=protect)


def _agent(wished: "Wish") -> "tuple[str, list[str]]":
    """Return a line about the agent, and what is wrong with it."""
    if wished.agent:
        found = shutil.which(wished.agent[0])
        return f"agent: {shlex.join(wished.agent)}", [] if found else [f"{wished.agent[0]} cannot be found or run"]
    wrong = claude.preflight()
    version = "" if wrong else claude.version(claude.find(os.environ), os.environ)
    return f"agent: claude {version}; {claude.may(wished.allow)}".replace(" ;", ";"), wrong


def covers(project: "Project", values: "dict[str, Any]") -> Covers:
    """Return what a snapshot takes in, by taking one that is deleted at once; no other has to go for it."""
    wanted = files.scope_of(values)._replace(quota_bytes=sys.maxsize)
    try:
        with store.open_store(project) as snapshots:
            try:
                taken = taking.take(snapshots, PLAN, run=PLAN, scope=wanted)
            finally:
                taking.delete_run(snapshots, PLAN)
    except SnapshotError as error:
        return Covers(0, 0, [], str(error))
    return Covers(taken.files, taken.bytes, taken.unstored, "")


def lines(planned: Planned) -> "list[str]":
    """Return the plan for people."""
    prospect, wished = planned.prospect, planned.wish
    state = "accepted" if prospect.accepted else f"not accepted yet: --accept {starting.short(prospect)}"
    found = [
        f"runs before the first iteration and after each one ({state}):",
        *["  " + line for line in prospect.shown or ["nothing"]],
    ]
    found += ["  the agent's last line, where it says that the goal is reached"] if starting.has_marker(wished) else []
    found += [f"not found: {line}" for line in prospect.missing]
    found += _now(planned)
    found += [_limits(wished), planned.agent, *_covers_lines(planned.covers)]
    found.append(f"memory: {'told and kept' if wished.memory else 'neither told nor kept'}")
    return found + [f"keeps it from beginning: {line}" for line in planned.obstacles]


def _now(planned: Planned) -> "list[str]":
    if planned.baseline is None:
        return ["now: not run, since it is not accepted"] if planned.prospect.criteria else []
    green = "  (every check passes already)" if passed(planned.baseline) else ""
    return ["now: " + watching.in_words(planned.baseline) + green]


def _limits(wished: "Wish") -> str:
    bounds = wished.limits
    cost = f"${bounds.cost:.2f}" if bounds.cost is not None else "no limit of cost"
    pause = f"{bounds.cooldown_ms} ms between two"
    stale = f"{bounds.no_progress} without progress"
    return f"limits: {bounds.iterations} iterations, {limits.span(bounds.duration_ms)}, {cost}, {pause}, {stale}"


def _covers_lines(found: Covers) -> "list[str]":
    if found.why:
        return [f"no rollback: {found.why}"]
    lines = [f"a rollback would cover {found.paths:,} paths, {watching.megabytes(found.bytes)}"]
    lines += [f"  not stored, so never touched: {telling.name_of(path)} ({why})" for path, why in found.unstored[:MOST_NAMED]]
    more = len(found.unstored) - MOST_NAMED
    return lines + ([f"  and {more} more"] if more > 0 else [])


def facts(planned: Planned) -> "dict[str, Any]":
    """Return the plan as plain JSON values."""
    prospect, wished, seen = planned.prospect, planned.wish, planned.covers
    return {
        "criteria": [dict(each._asdict()) for each in prospect.criteria], "missing": prospect.missing,
        "accepted": prospect.accepted, "accept": starting.short(prospect), "shown": prospect.shown,
        "baseline": None if planned.baseline is None else [dict(each._asdict()) for each in planned.baseline],
        "green": planned.baseline is not None and passed(planned.baseline),
        "limits": dict(wished.limits._asdict()), "agent": planned.agent, "memory": wished.memory,
        "covers": {**seen._asdict(), "unstored": [[os.fsdecode(path), why] for path, why in seen.unstored]},
        "obstacles": planned.obstacles,
    }  # fmt: skip
