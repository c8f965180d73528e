"""The tasks of a plan, each with the checks that prove it, and how a run stands with them."""

from collections import namedtuple

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph.criteria import Criterion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from ralph_mem.ralph.record import Run

Item = namedtuple("Item", "line title ticked words")
Item.__doc__ = """A task as a file tells of it: the number of its line, its title, whether its box is ticked, and as
`(line, word, value)` what is said below it. A value is a text, or in YAML a list of texts."""

Task = namedtuple("Task", "number key title checks files after ticked")
Task.__doc__ = """A task: its number in its file from 1 on, a key that stays the same wherever its title stands, its title, its
checks, patterns of the files that it may touch (none: any), the numbers of the tasks it comes after, and whether its box was
ticked when it was read."""

Check = namedtuple("Check", "criterion test")
Check.__doc__ = """One check of a task: the criterion that is run, and the test that has to exist for it to pass, empty for a
command."""

Standing = namedtuple("Standing", "done claimed begun since")
Standing.__doc__ = """Where a run stands with its plan, by the keys of tasks.

`done` are those whose checks passed when they were run, `claimed` those without a check of their own of which the agent says
that they are done. `begun` tells of a task the number of the iteration before it was begun and the snapshot of that moment.
`since` is the last iteration in which one was done, 0 for the start."""


def wrong(name: str, line: int, what: str, hint: str) -> LoopError:
    """Return the error of a plan, with the line that it is about."""
    return LoopError(f"{name}, line {line}: {what}", hint)


def named_paths(plan: "Iterable[Task]") -> "set[str]":
    """Return the paths that the checks of tasks name, as seen from the project: files of tests, scripts and folders.

    A path is a word of a command that could be one; whether it is there nobody has looked.
    """
    found = set()
    for check in [check for task in plan for check in task.checks]:
        words = [check.test] if check.test else check.criterion.argv
        found |= {_path(word) for word in words if not word.startswith("-")}
    return {path for path in found if "/" in path or "." in path.strip(".")}


def _path(word: str) -> str:
    path = word.partition("::")[0]
    while path.startswith("./"):
        path = path[2:]
    return "" if path.startswith(("/", "~")) else path.rstrip("/")


def of_run(run: "Run") -> "tuple[Task, ...]":
    """Return the tasks of a run as they were accepted, none without a plan."""
    return tuple([from_json(told) for told in run.plan])


def named_tests(run: "Run") -> "list[str]":
    """Return the tests that the tasks of a run name: they count as the agent wrote them where they were not there before."""
    return [each["test"] for told in run.plan for each in told["checks"] if each["test"]]


def to_json(task: Task) -> "dict[str, Any]":
    """Return a task as plain JSON values."""
    checks = [{"criterion": dict(check.criterion._asdict()), "test": check.test} for check in task.checks]
    return {**task._asdict(), "checks": checks}


def from_json(told: "dict[str, Any]") -> Task:
    """Return the task that plain JSON values tell of."""
    checks = [
        Check(Criterion(**{**each["criterion"], "argv": tuple(each["criterion"]["argv"])}), each["test"]) for each in told["checks"]
    ]
    values = {**told, "checks": tuple(checks), "files": tuple(told["files"]), "after": tuple(told["after"])}
    return Task(**{name: values[name] for name in Task._fields})


def standing_of(run: "Run") -> Standing:
    """Return where a run stands; a rollback leads back to how it stood at that moment."""
    done: frozenset[str] = frozenset()
    claimed: frozenset[str] = frozenset()
    since, begun = 0, {}
    moments: dict[int, tuple[frozenset[str], frozenset[str], int]] = {}
    for told in run.task_log:
        if "begun" in told:
            begun[told["begun"]] = (told["iteration"], told["snapshot"])
        elif "back_to" in told:
            done, claimed, since = moments.get(told["back_to"], (done, claimed, since))
        elif "proven" in told:
            done, claimed = done & {*told["proven"]}, claimed & {*told["proven"]}
        else:
            done = (done - {*told.get("reopened", ())}) | {*told.get("done", ())}
            claimed = (claimed | {*told.get("claimed", ())}) - done
            since = told.get("iteration", 0) if told.get("done") else since
            moments[told.get("iteration", 0)] = (done, claimed, since)
    return Standing(done, claimed, begun, since)


def next_task(plan: "list[dict[str, Any]]", over: "Collection[str]") -> "dict[str, Any] | None":
    """Return the first task that is open and waits for none, where those of `over` are out of the way."""
    for told in plan:
        if told["key"] not in over and all([plan[number - 1]["key"] in over for number in told["after"]]):
            return told
    return None


def task_at_hand(run: "Run") -> "dict[str, Any] | None":
    """Return the task that a run works at, None where all are done or claimed, or where it has no plan."""
    now = standing_of(run)
    return next_task(run.plan, now.done | now.claimed)
