"""Look at what a loop would run, and see that a person has accepted exactly that."""

import shlex
from collections import namedtuple

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.criteria import MARKER, acceptance, finding
from ralph_mem.ralph.loop import criteria_of
from ralph_mem.ralph.tasks import of_run, reading, telling
from ralph_mem.ralph.wishes import Wish

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.record import Run

Prospect = namedtuple("Prospect", "criteria missing digest shown accepted plan", defaults=(reading.NO_PLAN,))
Prospect.__doc__ = """What would be run: the criteria found, a line for each kind that was not, the digest that a person accepts,
the lines that show what it stands for, whether it was accepted before, and the plan with the checks of its tasks."""

DEFAULT_TIMEOUT_S = 600  # of a check, as in the settings
# So many digits of the hash are shown and typed: nobody can make another set of commands that has them within a day.
LEAST_DIGITS = 12


def look(project: "Project", wished: Wish) -> Prospect:
    """Return what a loop would run, without running anything. Raises LoopError or ConfigError where it could not begin."""
    kinds = [item for item in wished.criteria if item.partition("=")[0].strip() != MARKER]
    criteria, missing = finding.find(project.top, kinds) if kinds else ([], [])
    criteria = [each._replace(seconds=wished.timeout_s) for each in criteria]
    plan = reading.read(project.top, wished.plan, wished.timeout_s) if wished.plan else reading.NO_PLAN
    also = [*telling.to_accept(plan.tasks), *_also(wished)]
    of_tasks = [check.criterion for task in plan.tasks for check in task.checks]
    digest = acceptance.digest([*criteria, *of_tasks], project.top, also)
    accepted = not (criteria or also) or acceptance.is_accepted(project, digest)
    return Prospect(criteria, missing, digest, acceptance.shown(criteria, also), accepted, plan)


def again(project: "Project", run: "Run", allow: "Sequence[str]", plan: str = "") -> Prospect:
    """Return what a run would go on with where its agent may do more than was accepted when it began, or with a changed plan.

    Raises LoopError for a plan that cannot be worked through.
    """
    criteria = [each for each in criteria_of(run) if each.type != MARKER]
    times = [each.seconds for each in [*criteria, *[check.criterion for task in of_run(run) for check in task.checks]]]
    found = reading.read(project.top, plan, max(times, default=DEFAULT_TIMEOUT_S)) if plan else reading.NO_PLAN
    telling.check(found.tasks, bool(criteria))
    kept = {name: tuple(run.options.get(name) or ()) for name in ("agent", "others", "notify")}
    also = [*telling.to_accept(found.tasks), *_also(Wish(run.goal, allow=tuple(allowed(run, allow)), **kept))]
    of_tasks = [check.criterion for task in found.tasks for check in task.checks]
    digest = acceptance.digest([*criteria, *of_tasks], project.top, also)
    return Prospect(criteria, [], digest, acceptance.shown(criteria, also), acceptance.is_accepted(project, digest), found)


def allowed(run: "Run", more: "Sequence[str]" = ()) -> "list[str]":
    """Return the permission rules of a run's agent, with more of them."""
    return list(dict.fromkeys([*(run.options.get("allow") or []), *more]))


def _also(wished: Wish) -> "list[str]":
    """Return what else of a project's config would act: it is accepted along with the checks."""
    found = [f"agent: {shlex.join(wished.agent)}"] if wished.agent else []
    found += [f"then, where that gets nowhere: {presets.command(each)}" for each in wished.others]
    found += [f"notify: {shlex.join(wished.notify)}"] if wished.notify else []
    found += [f"the agent may: {rule}" for rule in wished.allow]
    return found + [f"what it changes of these counts, though they judge: {pattern}" for pattern in wished.may_change]


class Changed(LoopError):
    """What would be run is not what a person was shown."""


def accept(project: "Project", prospect: Prospect, given: str) -> bool:
    """Say whether what would be run is accepted, with what a person gave behind `--accept`, which they read off what was shown.

    Raises Changed where they gave what stands for something else than would be run now.
    """
    if prospect.accepted or not given:
        return bool(prospect.accepted)
    if len(given) < LEAST_DIGITS or not prospect.digest.startswith(given.lower()):
        raise Changed(f"--accept {given[:40]} stands for something else than would be run now", "look at it without --accept")
    acceptance.accept(project, prospect.digest, prospect.shown)
    return True


def short(prospect: Prospect) -> str:
    """Return what a person types to accept it."""
    return str(prospect.digest[:LEAST_DIGITS])
