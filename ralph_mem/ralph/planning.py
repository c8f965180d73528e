"""Show what a loop would do here without beginning one. That is its checks as they stand, limits, agent, and way back."""

import os
import sys
from collections import namedtuple

from ralph_mem.core.errors import LoopError, RalphMemError, SnapshotError
from ralph_mem.core.format import amount, duration
from ralph_mem.core.redaction import privacy
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import display, files, options, prospects, starting
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.criteria import flaky, judging, native_build, passed
from ralph_mem.ralph.git import guarding
from ralph_mem.ralph.judges import start
from ralph_mem.ralph.room import dependencies, making
from ralph_mem.ralph.snapshot import store, taking
from ralph_mem.ralph.tasks import judging as task_judging
from ralph_mem.ralph.tasks import to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Criterion, Verdict


def wish(values: "dict[str, Any]", goal: str, given: "Mapping[str, Any]") -> "options.Wish":
    """Return what is wished for: the options as they were typed, else what the settings say. Raises LoopError.

    `given` has by an option's name what was typed behind it, as `options.meant` takes it.
    """
    return options.wished(values, plain(goal), **options.meant(given))


def plain(goal: str) -> str:
    """Return a goal as text that any file and any agent can take: no NUL, no half characters."""
    return goal.replace("\0", "").encode("utf-8", "replace").decode().strip()


Planned = namedtuple("Planned", "prospect wish baseline covers judges agent obstacles room git", defaults=("",))
Planned.__doc__ = """What a loop would do: what it would run, what was wished for, the verdicts now (None where the checks are not
accepted and so were not run), what a rollback would cover, the paths that judge by their kind, a line about the agent, in lines
what keeps it from beginning and where it would work, and a line about what of git is held."""

Covers = namedtuple("Covers", "paths bytes unstored why ignored", defaults=((),))
Covers.__doc__ = """How many paths and bytes a snapshot would take in, and as `(path, why)` what it would see without storing it;
or why there would be none. `ignored` is what becomes of ignored paths in a room."""

MOST_NAMED = 10
PLAN = "plan"
UNASKED = "no snapshots are taken"


def plan(
    project: "Project", values: "dict[str, Any]", wished: "options.Wish", told: "Callable[[str], None] | None" = None
) -> Planned:
    """Look at everything that a start would need; the checks are run once where they have been accepted."""
    prospect = prospects.look(project, wished)
    obstacles = _obstacles(project, wished, prospect)
    every = [*prospect.criteria, *[check.criterion for task in prospect.plan.tasks for check in task.checks]]
    is_run = prospect.accepted and (prospect.criteria or prospect.plan.tasks)
    baseline = _judged(project, values, prospect, told) if is_run else None
    agent, missing = _agent(wished)
    seen, judges = covers(project, values, every, wished.may_change) if wished.snapshot else (Covers(0, 0, [], UNASKED), {})
    room, led_out = _room(project, values, wished, prospect, seen)
    obstacles += [*starting.cannot_run(baseline or []), *missing, *led_out]
    of_git = guarding.foresee(project, values) if wished.here else ""
    return Planned(prospect, wished, baseline, seen, judges, agent, obstacles, room, of_git)


def _obstacles(project: "Project", wished: "options.Wish", prospect: "prospects.Prospect") -> "list[str]":
    try:
        starting.check(project, wished._replace(goal=wished.goal or "a goal"), prospect)
    except RalphMemError as error:
        return [f"{error}{f' ({error.hint})' if error.hint else ''}"]
    return []


def _judged(
    project: "Project", values: "dict[str, Any]", prospect: "prospects.Prospect", told: "Callable[[str], None] | None"
) -> "list[Any]":
    def ran(criteria: "list[Criterion]") -> "list[Verdict]":
        return judging.judge(
            criteria,
            project.top,
            told=lambda criterion, _position: told(f"  checking: {criterion.name}") if told else None,
            known=flaky.known(project),
            protect=lambda texts: privacy.protect(texts, project, values)[0],
        )

    general = ran(prospect.criteria)
    return task_judging.at_start(prospect.plan, general, lambda task: ran([check.criterion for check in task.checks]), project.top)


def _agent(wished: "options.Wish") -> "tuple[str, list[str]]":
    """Return a line about the agent, and what is wrong with it."""
    every = (wished.agent, *wished.others)
    wrong = list(dict.fromkeys([line for agent in every for line in presets.obstacles(agent)]))
    then = "".join([f"; where that gets nowhere: {presets.command(agent)}" for agent in wished.others])
    if not presets.is_claude(wished.agent):
        return f"agent: {presets.command(wished.agent)}{then}", wrong
    version = "" if wrong else launch.version(launch.find(os.environ), os.environ)
    named = " ".join(filter(None, [presets.command(wished.agent), version]))
    return f"agent: {named}; {launch.may(wished.allow)}{then}", wrong


def covers(
    project: "Project", values: "dict[str, Any]", criteria: "Sequence[Criterion]", may_change: "Sequence[str]"
) -> "tuple[Covers, dict[str, list[str]]]":
    """Return what a snapshot takes in, and what of it judges, by taking one that is deleted at once; no other has to go for it."""
    wanted = files.scope_of(values)._replace(quota_bytes=sys.maxsize)
    try:
        with store.open_store(project) as snapshots:
            try:
                taken = taking.take(snapshots, PLAN, run=PLAN, scope=wanted)
                judges = start.judges_of(snapshots, taken.id, criteria, project.top, may_change)
                ignored = making.chosen(snapshots, project.top, values)
            finally:
                taking.delete_run(snapshots, PLAN)
    except SnapshotError as error:
        return Covers(0, 0, [], str(error)), {}
    return Covers(taken.files, taken.bytes, taken.unstored, "", ignored), judges


def _room(
    project: "Project", values: "dict[str, Any]", wished: "options.Wish", prospect: "prospects.Prospect", seen: Covers
) -> "tuple[list[str], list[str]]":
    """Return where the loop would work, with what of the ignored paths, and what stands in the way of that."""
    if wished.here or not wished.snapshot:
        return ["works in your own files"], []
    apply = "its result comes into your files by itself" if wished.apply != "never" else "`ralph-mem ralph apply` brings its result"
    held = f"behind walls ({wished.sandbox})" if wished.sandbox else "no walls: --sandbox holds an agent that writes elsewhere"
    rule = dependencies.RULE.format(most=values["ralph.room_copy_mb"])
    inside = [held, rule, *dependencies.told(seen.ignored)]
    found = [f"works in a room of its own, {apply}", *[f"  {line}" for line in inside]]
    try:
        outside = making.check(project.top, prospect.criteria, seen.ignored)
    except LoopError as error:
        return found, [f"{error} ({error.hint})"]
    return [*found, *[f"  installed as editable, imported from the room: {root}" for root in outside.roots]], []


def lines(planned: Planned) -> "list[str]":
    """Return the plan for people."""
    prospect, wished = planned.prospect, planned.wish
    state = "accepted" if prospect.accepted else f"not accepted yet: --accept {prospects.short(prospect)}"
    found = [
        f"runs before the first iteration and after each one ({state}):",
        *["  " + line for line in prospect.shown or ["nothing"]],
    ]
    found += ["  the agent's last line, where it says that the goal is reached"] if options.has_marker(wished) else []
    found += [f"not found: {line}" for line in prospect.missing]
    found += [f"look: {line}" for line in native_build.warnings(prospect.criteria)]
    found += _now(planned)
    tasks, most = len(prospect.plan.tasks), wished.limits.iterations
    found += [f"{tasks} tasks, and {most} iterations for them: --max-iterations allows more"] if tasks > most else []
    found += [*_limits(wished), planned.agent, *planned.room, *_covers_lines(planned.covers)]
    found += start.judges_in_lines(planned.judges, wished.may_change, wished.snapshot and not planned.covers.why)
    found += [planned.git] if planned.git else []
    found.append(f"memory: {'told and kept' if wished.memory else 'neither told nor kept'}")
    return found + [f"keeps it from beginning: {line}" for line in planned.obstacles]


def _now(planned: Planned) -> "list[str]":
    if planned.baseline is None:
        return ["now: not run, since it is not accepted"] if planned.prospect.criteria or planned.prospect.plan.tasks else []
    green = "  (every check passes already)" if passed(planned.baseline) else ""
    return ["now: " + display.in_words(planned.baseline) + green]


def _limits(wished: "options.Wish") -> "list[str]":
    bounds = wished.limits
    cost = f"${bounds.cost:.2f}" if bounds.cost is not None else "no limit of cost"
    pause = f"{bounds.cooldown_ms} ms between two"
    stale = f"{bounds.no_progress} without progress"
    agent = f"an agent has {duration(bounds.iteration_ms)}, {duration(bounds.silence_ms)} without a word"
    lines = [f"limits: {bounds.iterations} iterations, {duration(bounds.duration_ms)}, {cost}, {pause}, {stale}; {agent}"]
    if wished.parallel > 1:
        together = f"; {cost} is for all together" if bounds.cost is not None else ""
        lines.append(f"{wished.parallel} attempts at once, each with these limits{together}")
    return lines


def _covers_lines(found: Covers) -> "list[str]":
    if found.why:
        return [f"no rollback: {found.why}"]
    lines = [f"a rollback would cover {found.paths:,} paths, {amount(found.bytes)}"]
    lines += [f"  not stored, so never touched: {display.name_of(path)} ({why})" for path, why in found.unstored[:MOST_NAMED]]
    more = len(found.unstored) - MOST_NAMED
    return lines + ([f"  and {more} more"] if more > 0 else [])


def facts(planned: Planned) -> "dict[str, Any]":
    """Return the plan as plain JSON values."""
    prospect, wished, seen = planned.prospect, planned.wish, planned.covers
    return {
        "criteria": [dict(each._asdict()) for each in prospect.criteria], "plan": [to_json(task) for task in prospect.plan.tasks],
        "missing": prospect.missing,
        "accepted": prospect.accepted, "accept": prospects.short(prospect), "shown": prospect.shown,
        "baseline": None if planned.baseline is None else [dict(each._asdict()) for each in planned.baseline],
        "green": planned.baseline is not None and passed(planned.baseline),
        "limits": dict(wished.limits._asdict()), "agent": planned.agent, "memory": wished.memory,
        "room": planned.room, "here": wished.here,
        "covers": {
            **seen._asdict(), "unstored": [[os.fsdecode(path), why] for path, why in seen.unstored],
            "ignored": [[os.fsdecode(path), *more] for path, *more in seen.ignored],
        },
        "judges": planned.judges, "may_change": list(wished.may_change), "tampering": wished.tampering,
        "obstacles": planned.obstacles, "git": planned.git,
    }  # fmt: skip
