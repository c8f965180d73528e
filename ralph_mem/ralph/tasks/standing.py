"""Say from a run's record alone which of its tasks are done, and where each was begun."""

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from ralph_mem.ralph.record import Run

Standing = namedtuple("Standing", "done claimed begun since")
Standing.__doc__ = """Where a run stands with its plan, by the keys of tasks.

`done` are those whose checks passed when they were run, `claimed` those without a check of their own of which the agent says
that they are done. `begun` tells of a task the number of the iteration before it was begun and the snapshot of that moment.
`since` is the last iteration in which one was done, 0 for the start."""


def of(run: "Run") -> Standing:
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


def next_of(plan: "list[dict[str, Any]]", over: "Collection[str]") -> "dict[str, Any] | None":
    """Return the first task that is open and waits for none, where those of `over` are out of the way."""
    for told in plan:
        if told["key"] not in over and all([plan[number - 1]["key"] in over for number in told["after"]]):
            return told
    return None


def current(run: "Run") -> "dict[str, Any] | None":
    """Return the task that a run works at, None where all are done or claimed, or where it has no plan."""
    now = of(run)
    return next_of(run.plan, now.done | now.claimed)
