"""Look at what a loop would run, and see that a person has accepted that, by a code too."""

import json
import os
import shlex
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.core.errors import LoopError
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.criteria import MARKER, acceptance, finding
from ralph_mem.ralph.loop import criteria_of
from ralph_mem.ralph.options import Wish
from ralph_mem.ralph.tasks import of_run, reading, telling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.record import Run

Prospect = namedtuple("Prospect", "criteria missing digest shown accepted plan", defaults=(reading.NO_PLAN,))
Prospect.__doc__ = """What would be run: the criteria found, a line for each kind that was not, the digest that a person accepts,
the lines that show what it stands for, whether it was accepted before, and the plan with the checks of its tasks."""

DEFAULT_TIMEOUT_S = 600  # of a check, as in the settings
# So many digits of the hash are shown and typed: nobody can make another set of commands that has them within a day.
LEAST_DIGITS = 12
MOST_KEPT = 5  # of a project: what was shown before that is typed again
MOST_AGE_MS = 86_400_000  # nobody remembers longer what a code stands for
MOST_BYTES = 1_048_576
HOLDS_ONE = "what looks like a secret stands in the line of {}, and that would be kept as it is typed"
BY_ITS_NAME = "put it into the environment or into a file, and name that in the command"

Shown = namedtuple("Shown", "code typed digest at")
Shown.__doc__ = """What was shown: the code that a person types, what they had typed, the whole digest, when (in milliseconds)."""


def look(project: "Project", wished: Wish) -> Prospect:
    """Return what a loop would run, without running anything. Raises LoopError or ConfigError where it could not begin.

    So it is where a command holds a secret: its words are kept for a resume, and told.
    """
    kinds = [item for item in wished.criteria if item.partition("=")[0].strip() != MARKER]
    criteria, missing = finding.find(project.top, kinds) if kinds else ([], [])
    criteria = [each._replace(seconds=wished.timeout_s) for each in criteria]
    plan = reading.read(project.top, wished.plan, wished.timeout_s) if wished.plan else reading.NO_PLAN
    acts = _also(wished)
    also = [*telling.to_accept(plan.tasks), *acts]
    of_tasks = [check.criterion for task in plan.tasks for check in task.checks]
    _refuse_secrets(project, [*criteria, *of_tasks], acts)
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
    acts = _also(Wish(run.goal, allow=tuple(allowed(run, allow)), **kept))
    also = [*telling.to_accept(found.tasks), *acts]
    of_tasks = [check.criterion for task in found.tasks for check in task.checks]
    _refuse_secrets(project, of_tasks, acts)
    digest = acceptance.digest([*criteria, *of_tasks], project.top, also)
    return Prospect(criteria, [], digest, acceptance.shown(criteria, also), acceptance.is_accepted(project, digest), found)


def _refuse_secrets(project: "Project", criteria: "Iterable[Criterion]", acts: "Iterable[str]") -> None:
    values = effective.load(project)
    commands = [(each.type, f"{shlex.join(each.argv)} {each.expected}") for each in criteria]
    for what, text in [*commands, *[(line.partition(":")[0], line) for line in acts]]:
        if privacy.redacted(text, project, values)[1]:
            raise LoopError(HOLDS_ONE.format(what), BY_ITS_NAME)


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
    values = effective.load(project)  # what a script of the project says behind a command is shown, and not kept, whole
    acceptance.accept(project, prospect.digest, [privacy.redacted(line, project, values)[0] for line in prospect.shown])
    return True


def short(prospect: Prospect) -> str:
    """Return what a person types to accept it."""
    return str(prospect.digest[:LEAST_DIGITS])


def keep_shown(project: "Project", values: "dict[str, Any]", typed: str, digest: str, at: int) -> str:
    """Return the short code for what is shown; nothing where it cannot be kept as it was typed, such as one with a secret."""
    path = _path_of_shown(project)
    if not path or privacy.protect([typed], project, values)[0] != [typed]:
        return ""
    known = _read_shown(project, at)
    same = next((each.code for each in known if (each.typed, each.digest) == (typed, digest)), "")
    code = same or _new_code({each.code for each in known})
    _write_shown(project, [*[each for each in known if each.code != code], Shown(code, typed, digest, at)][-MOST_KEPT:])
    return code


def _new_code(taken: "set[str]") -> str:
    code = os.urandom(2).hex()
    while code in taken:
        code = os.urandom(2).hex()
    return code


def find_shown(project: "Project", code: str, at: int) -> Shown:
    """Return what was shown under a code within the last day. Raises LoopError."""
    found = [each for each in _read_shown(project, at) if code and each.code == code.lower()]
    if not found:
        what = f"nothing was shown here under {code[:20]}" if code else "which? a plan has a code below it"
        raise LoopError(what, "type /ralph start again: what it would run is shown with its code")
    return found[0]


def drop_shown(project: "Project", code: str, at: int) -> None:
    """Forget what was shown under a code: it has been accepted."""
    _write_shown(project, [each for each in _read_shown(project, at) if each.code != code])


def _path_of_shown(project: "Project") -> str:
    home = paths.data_home()
    return f"{home}/{paths.TRUST}/shown-{paths.key_of(project.root)}.json" if home else ""


def _read_shown(project: "Project", at: int) -> "list[Shown]":
    """Return what is kept, oldest first. What cannot be read, or others could have written, holds nothing."""
    path = _path_of_shown(project)
    try:
        state = Path(path).stat()
        if not path or state.st_uid != os.geteuid() or state.st_mode & 0o022:
            return []
        told = [Shown(**{name: each[name] for name in Shown._fields}) for each in json.loads(paths.read(path, MOST_BYTES))]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []
    whole = [each for each in told if all(isinstance(text, str) for text in each[:3]) and isinstance(each.at, int)]
    return [each for each in whole if abs(at - each.at) < MOST_AGE_MS]


def _write_shown(project: "Project", kept: "list[Shown]") -> None:
    path = _path_of_shown(project)
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, json.dumps([dict(each._asdict()) for each in kept]))
    except OSError as error:
        raise LoopError(f"what was shown cannot be kept: {error.strerror}", f"see to it that {path} can be written") from error
