"""Show what a loop would do here without beginning one.

That is its checks and how they stand now, limits, agent, and way back.
"""

import os
import shlex
import shutil
import sys
from collections import namedtuple

from ralph_mem.core.errors import LoopError, RalphMemError, SnapshotError
from ralph_mem.core.format import amount
from ralph_mem.core.redaction import privacy
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import display, files, starting, stop_reasons
from ralph_mem.ralph.criteria import judging, passed, weighing
from ralph_mem.ralph.snapshot import store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.starting import Prospect, Wish

UNITS = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000}
# A second is for trying it out; a month is longer than anybody's patience, and still a limit.
SHORTEST_MS, LONGEST_MS = 1000, 30 * 24 * 3_600_000
# A cent is what the smallest of all iterations costs; a hundred thousand is a typing error.
LEAST_COST, MOST_COST = 0.01, 100_000.0
# From the least to the most that an option may say: those of the config, and room to go on after a limit was reached.
RANGES = {"iterations": (1, 1000), "cooldown": (0, 3_600_000), "no_progress": (1, 1000), "timeout": (1, 7200)}


def duration_ms(text: str) -> int:
    """Return a length of time such as `90s`, `30m` or `2h` in ms; a bare number counts minutes. Raises LoopError."""
    plain = text.strip().lower()
    digits = plain.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = plain[len(digits) :].strip() or "m"
    found = float(digits) * UNITS[unit] if unit in UNITS and _is_number(digits) else 0.0
    if not SHORTEST_MS <= found <= LONGEST_MS:
        raise LoopError(f"{text[:40]} is no length of time from a second to a month", "for example: --max-duration 90s, 30m or 2h")
    return int(found)


def dollars(text: str) -> float:
    """Return an amount of US dollars, such as `2.50` or `$2.50`. Raises LoopError."""
    plain = text.strip().removeprefix("$")
    found = float(plain) if _is_number(plain) else 0.0
    if not LEAST_COST <= found <= MOST_COST:
        raise LoopError(f"{text[:40]} is no amount of dollars from 0.01 up", "for example: --max-cost 2.50")
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdigit() and len(text) <= 12


def number(name: str, text: "str | int") -> int:
    """Return the whole number of an option of RANGES. Raises LoopError."""
    low, high = RANGES[name]
    plain = str(text).strip()
    if not (plain.isascii() and plain.isdigit() and len(plain) < 10 and low <= int(plain) <= high):
        raise LoopError(f"{plain[:40]} is no number from {low} to {high:,} for --{OPTIONS[name]}", f"for example: {high // 10}")
    return int(plain)


OPTIONS = {"iterations": "max-iterations", "cooldown": "cooldown", "no_progress": "no-progress", "timeout": "timeout"}


def words(option: str, command: str) -> "tuple[str, ...]":
    """Return the words of a command as a shell would see them; nothing else of a shell happens to it. Raises LoopError."""
    try:
        found = tuple(shlex.split(command))
    except ValueError as error:
        raise LoopError(f"{option} {command[:40]} cannot be read: {error}", "quote it as for a shell") from error
    if not found:
        raise LoopError(f"{option} names no command", f"for example: {option} './my-command --quick'")
    return found


def bounds(
    max_iterations: "str | int | None" = None,
    max_duration: "str | None" = None,
    max_cost: "str | None" = None,
    cooldown: "str | int | None" = None,
    no_progress: "str | int | None" = None,
) -> "dict[str, Any]":
    """Return the limits that were asked for as fields of Limits; None is not asked. Raises LoopError."""
    found: dict[str, Any] = {
        "iterations": max_iterations if max_iterations is None else number("iterations", max_iterations),
        "duration_ms": max_duration if max_duration is None else duration_ms(max_duration),
        "cost": max_cost if max_cost is None else dollars(max_cost),
        "cooldown_ms": cooldown if cooldown is None else number("cooldown", cooldown),
        "no_progress": no_progress if no_progress is None else number("no_progress", no_progress),
    }
    return {name: value for name, value in found.items() if value is not None}


def wish(values: "dict[str, Any]", goal: str, given: "dict[str, Any]", limits: "dict[str, Any]") -> "Wish":
    """Return what is wished for: the options as they were typed, else what the settings say. Raises LoopError.

    `given` has what Wish has, commands as one text; None and an empty list are not asked, and `limits` is what `bounds` returns.
    """
    asked = {name: value for name, value in given.items() if value is not None and value not in ([], ())}
    for name in ("agent", "notify"):
        if name in asked:
            asked[name] = words(f"--{name}", asked[name])
    if "timeout_s" in asked:
        asked["timeout_s"] = number("timeout", asked["timeout_s"])
    for name in ("criteria", "allow", "protect"):
        if name in asked:
            asked[name] = tuple(asked[name])
    return starting.wish(values, plain(goal), **asked, **limits)


def plain(goal: str) -> str:
    """Return a goal as text that any file and any agent can take: no NUL, no half characters."""
    return goal.replace("\0", "").encode("utf-8", "replace").decode().strip()


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
    return Planned(
        prospect, wished, baseline, covers(project, values), agent, [*obstacles, *starting.cannot_run(baseline or []), *missing]
    )


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

    return judging.judge(prospect.criteria, project.top, told=tell, known=weighing.known(project), protect=protect)


def _agent(wished: "Wish") -> "tuple[str, list[str]]":
    """Return a line about the agent, and what is wrong with it."""
    if wished.agent:
        found = shutil.which(wished.agent[0])
        return f"agent: {shlex.join(wished.agent)}", [] if found else [f"{wished.agent[0]} cannot be found or run"]
    wrong = launch.preflight()
    version = "" if wrong else launch.version(launch.find(os.environ), os.environ)
    return f"agent: claude {version}; {launch.may(wished.allow)}".replace(" ;", ";"), wrong


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
    return ["now: " + display.in_words(planned.baseline) + green]


def _limits(wished: "Wish") -> str:
    bounds = wished.limits
    cost = f"${bounds.cost:.2f}" if bounds.cost is not None else "no limit of cost"
    pause = f"{bounds.cooldown_ms} ms between two"
    stale = f"{bounds.no_progress} without progress"
    return f"limits: {bounds.iterations} iterations, {stop_reasons.span(bounds.duration_ms)}, {cost}, {pause}, {stale}"


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
        "criteria": [dict(each._asdict()) for each in prospect.criteria], "missing": prospect.missing,
        "accepted": prospect.accepted, "accept": starting.short(prospect), "shown": prospect.shown,
        "baseline": None if planned.baseline is None else [dict(each._asdict()) for each in planned.baseline],
        "green": planned.baseline is not None and passed(planned.baseline),
        "limits": dict(wished.limits._asdict()), "agent": planned.agent, "memory": wished.memory,
        "covers": {**seen._asdict(), "unstored": [[os.fsdecode(path), why] for path, why in seen.unstored]},
        "obstacles": planned.obstacles,
    }  # fmt: skip
