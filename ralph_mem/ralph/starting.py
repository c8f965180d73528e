"""Begin a run with its record, its first snapshot and its baseline."""

import os
import time
from collections import namedtuple

from ralph_mem.core import paths
from ralph_mem.core.errors import LoopError
from ralph_mem.core.format import duration
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph import decision, display, files, options, passing, pending, prompt, prospects, record, runs
from ralph_mem.ralph.criteria import BROKEN, Verdict, finding, passed
from ralph_mem.ralph.git import copies, guarding
from ralph_mem.ralph.judges import installed, substitutes, unheld
from ralph_mem.ralph.loop import MEANWHILE, Loop
from ralph_mem.ralph.room import making, parallel, walls
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.snapshot import store, taking
from ralph_mem.ralph.tasks import telling, to_json
from ralph_mem.ralph.watching import commits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.loop import Told
    from ralph_mem.ralph.options import Wish
    from ralph_mem.ralph.prospects import Prospect

Baseline = namedtuple("Baseline", "loop green")
Baseline.__doc__ = """A loop that is ready to go, or has ended where a check cannot run, and whether all its checks pass already."""

PROMISE = "RALPH DONE"
# A typed command has ten minutes (hooks.json), and a snapshot of a large tree takes one of them.
SECONDS_OF_START = 500
# A goal is a few sentences; the plan file is for more.
MOST_GOAL_CHARACTERS = 20_000


def check(project: "Project", wished: "Wish", prospect: "Prospect") -> None:
    """Raise LoopError for what keeps a loop from beginning, before anything is run or written."""
    if not wished.goal.strip():
        raise LoopError("a loop needs a goal", 'ralph-mem ralph start "make the tests pass"')
    if len(wished.goal) > MOST_GOAL_CHARACTERS:
        raise LoopError(f"the goal has {len(wished.goal)} characters", "put the details into a file and name it with --plan")
    prompt.check(wished.goal, wished.prompt_tokens)
    telling.check(prospect.plan.tasks, bool(prospect.criteria))
    if not prospect.criteria and not options.has_marker(wished) and not wished.plan:
        why = "; ".join(prospect.missing) or "none were asked for"
        raise LoopError(f"no criteria, so it would never know that it is done: {why}", "--criteria 'custom=./check.sh' names one")
    parallel.check(wished.parallel, wished.here or not wished.snapshot, wished.limits.cost)
    walls.check(wished.sandbox, wished.here or not wished.snapshot)
    if wished.protect and not wished.snapshot:
        raise LoopError("what is protected is put back from snapshots", "leave out --no-snapshot, or ralph.protect and --protect")
    busy = runs.busy(project)
    if busy:
        raise runs.in_the_way(busy)
    if wished.commit or wished.branch:
        commits.check(project, wished.branch, wished.snapshot)
    if wished.snapshot:
        files.refuse(project)


def start(  # noqa: PLR0913, PLR0917 - who asks, for what, and who hears of it
    project: "Project", values: "dict[str, Any]", wished: "Wish", prospect: "Prospect", mode: str, owner: str = "",
    run_id: str = "", told: "Told | None" = None,
) -> Baseline:  # fmt: skip
    """Begin a run: snapshot, baseline, record. The checks have been accepted. Raises LoopError and SnapshotError.

    The snapshot is taken before the checks are run, which may leave files behind: a rollback returns to what the person had.
    A run with a check that cannot be run is ended at once: no agent could mend that. A headless caller holds the lock.
    """
    settled = pending.settle(project, values)
    run_id = note(project, values, wished, prospect, mode, owner, run_id)
    loop = Loop(project, values, run_id, told)
    for line in settled:
        loop.told(line)
    bounds = f"at most {wished.limits.iterations} iterations and {duration(wished.limits.duration_ms)}"
    loop.told(f"{run_id}: {bounds}; `ralph-mem ralph stop` ends it")
    commits.begin(loop)
    try:
        _baseline(loop, wished, prospect)
    except BaseException:
        discard(loop)
        raise
    broken = cannot_run(loop.run.baseline)
    if broken:
        passing.end(loop, "broken_criteria", "; ".join(broken))
    return Baseline(loop, passed(loop.run.baseline))


def cannot_run(verdicts: "list[Verdict]") -> "list[str]":
    """Return a line for each check that cannot be run: its name and what it lacks."""
    return [f"{verdict.name}: {verdict.why}" for verdict in verdicts if verdict.status == BROKEN]


def note(
    project: "Project", values: "dict[str, Any]", wished: "Wish", prospect: "Prospect", mode: str, owner: str = "",
    run_id: str = "",
) -> str:  # fmt: skip
    """Begin the record of a run; returns its id. Raises LoopError."""
    (goal,) = privacy.protect([wished.goal], project, values)[0]
    run_id = run_id or runs.new_id()
    criteria = [*prospect.criteria, finding.marker(project.top)] if options.has_marker(wished) else prospect.criteria
    runs.create(project, run_id, {
        "at": now_ms(), "goal": goal, "mode": mode, "owner": owner, "folder": project.top, "root": project.root,
        "nonce": os.urandom(4).hex(), "promise": wished.promise or PROMISE if options.has_marker(wished) else "",
        "limits": wished.limits._asdict(),
        "criteria": [dict(_kept(each, project, values)._asdict()) for each in criteria], "plan": _plan(project, values, prospect),
        "options": {**_options(wished, mode), "denials": decision.DENIALS}, "missing": prospect.missing,
    })  # fmt: skip
    return run_id


def _plan(project: "Project", values: "dict[str, Any]", prospect: "Prospect") -> "list[dict[str, Any]]":
    """Return the tasks as a record may hold them."""
    titles = privacy.protect([task.title for task in prospect.plan.tasks], project, values)[0] if prospect.plan.tasks else []
    found = [task._replace(title=title) for task, title in zip(prospect.plan.tasks, titles)]
    return [
        to_json(task._replace(checks=[each._replace(criterion=_kept(each.criterion, project, values)) for each in task.checks]))
        for task in found
    ]


def _kept(criterion: "Criterion", project: "Project", values: "dict[str, Any]") -> "Criterion":
    """Return a check as a record may hold it: its words hold no secret, the script that a file of the project has for them may."""
    return criterion._replace(definition=privacy.redacted(criterion.definition or "", project, values)[0])


def _options(wished: "Wish", mode: str) -> "dict[str, Any]":
    # a room is filled from a snapshot, and what is brought back from it is told by snapshots
    return options.kept_of(wished._replace(here=wished.here or mode != record.HEADLESS or not wished.snapshot))


def _baseline(loop: Loop, wished: "Wish", prospect: "Prospect") -> None:
    if loop.option("snapshot"):
        loop.told(MEANWHILE + "taking a snapshot of every file")
        files.begin(loop)
        commits.mark_uncommitted(loop)
    # a person may have thought about it for long, and the snapshot may have taken minutes
    if prospects.look(loop.project, wished).digest != prospect.digest:
        raise LoopError("what the checks run has changed since it was shown", "begin again, and look at it as it is now")
    if not loop.option("here"):
        making.enter(loop)
    guarding.begin(loop)
    judged = passing.judge_all(loop, seconds=SECONDS_OF_START if loop.run.mode == record.IN_SESSION else None)
    passing.show_boxes(loop, judged.outcome.get("done", ()))
    _mark(loop)
    left = files.settle(loop, 0)
    tree = left.tree if left else ""
    loop.note(**record.baseline_entry(judged.verdicts, now_ms(), tree=tree, tasks=judged.outcome))
    for line in telling.disproved(loop.run):
        loop.told(line)
    loop.told(f"start  {display.in_words(loop.run.baseline) or 'not judged'}")


def _mark(loop: Loop) -> None:
    """Keep what runs the checks as it is before the agent is at work: what lies outside of the snapshots cannot be put back."""
    if loop.option("snapshot"):
        now = time.time_ns()
        with store.open_store(loop.place) as snapshots:
            also = substitutes.vendored(snapshots, loop.run.base or loop.run.start_snapshot, loop.place.top)
            began_ns, may_change = loop.run.started * 1_000_000, loop.option("may_change") or ()
            also += unheld.of(snapshots, loop.every_criterion(), loop.place.top, began_ns, may_change)
        loop.note("runners", marks=installed.marks(loop.every_criterion(), loop.place.top, loop.environment(), also), ns=now)


def discard(loop: Loop) -> None:
    """Forget a run that never began: its record, its snapshots and its room go."""
    paths.remove(loop.path)
    copies.forget(loop.project, loop.run.id)
    with store.open_store(loop.project) as snapshots:
        taking.delete_run(snapshots, loop.run.id)
        making.let_go(loop.project, loop.run.id, snapshots)
