"""Show what a loop would do, take the first snapshot and the baseline, and begin the record."""

import os
import shlex
from collections import namedtuple

from ralph_mem.core.errors import LoopError
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph import display, files, passing, prompt, record, runs, stop_reasons
from ralph_mem.ralph.criteria import BROKEN, MARKER, acceptance, finding, passed
from ralph_mem.ralph.runs import MEANWHILE, Loop, now_ms
from ralph_mem.ralph.snapshot import store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Criterion, Verdict
    from ralph_mem.ralph.runs import Told

Wish = namedtuple(
    "Wish",
    "goal criteria limits plan promise snapshot memory agent allow notify protect wait timeout_s prompt_tokens",
    defaults=("", (), stop_reasons.DEFAULT, "", "", True, True, (), (), (), (), True, 600, 6000),
)
Wish.__doc__ = """What a person asked for.

`criteria` are items such as `test_pass` or `custom=./check.sh`; `agent` and `notify` are commands as lists of words, empty for
claude and for nobody; `allow` are permission rules; `wait` says whether a rate limit is waited for.
"""

Prospect = namedtuple("Prospect", "criteria missing digest shown accepted")
Prospect.__doc__ = """What would be run: the criteria found, a line for each kind that was not, the digest that a person accepts,
the lines that show what it stands for, and whether it was accepted before."""

Baseline = namedtuple("Baseline", "loop green")
Baseline.__doc__ = (
    """A loop that is ready to go, or has ended where a check cannot be run, and whether all its checks pass already."""
)

PROMISE = "RALPH DONE"
# A typed command has ten minutes (hooks.json), and a snapshot of a large tree takes one of them.
SECONDS_OF_START = 500
# So many digits of the hash are shown and typed: nobody can make another set of commands that has them within a day.
LEAST_DIGITS = 12
# A goal is a few sentences; the plan file is for more.
MOST_GOAL_CHARACTERS = 20_000


def wish(values: "dict[str, Any]", goal: str, **asked: "Any") -> Wish:
    """Return what is wished for: what was asked, else what the settings say; None counts as not asked."""
    cents = values["ralph.max_cost_cents"]
    by_settings = {
        "criteria": tuple(values["ralph.success_criteria"]), "agent": tuple(values["ralph.agent"]),
        "memory": values["ralph.memory"],
        "allow": tuple(values["ralph.allow"]), "notify": tuple(values["ralph.notify"]), "protect": tuple(values["ralph.protect"]),
        "timeout_s": values["ralph.timeout_s"], "prompt_tokens": values["ralph.prompt_tokens"],
        "limits": stop_reasons.Limits(
            values["ralph.max_iterations"], values["ralph.max_duration_ms"], values["ralph.cooldown_ms"],
            cents / 100 if cents else None, values["ralph.no_progress_threshold"],
        ),
    }  # fmt: skip
    given = {name: value for name, value in asked.items() if value is not None}
    bounds = {name: given.pop(name) for name in stop_reasons.Limits._fields if name in given}
    found = {**by_settings, **given}
    return Wish(goal=goal, **{**found, "limits": found["limits"]._replace(**bounds)})


def look(project: "Project", wished: Wish) -> Prospect:
    """Return what a loop would run, without running anything. Raises LoopError or ConfigError where it could not begin."""
    kinds = [item for item in wished.criteria if item.partition("=")[0].strip() != MARKER]
    criteria, missing = finding.find(project.top, kinds) if kinds else ([], [])
    criteria = [each._replace(seconds=wished.timeout_s) for each in criteria]
    also = _also(wished)
    digest = acceptance.digest(criteria, project.top, also)
    accepted = not (criteria or also) or acceptance.is_accepted(project, digest)
    return Prospect(criteria, missing, digest, acceptance.shown(criteria, also), accepted)


def _also(wished: Wish) -> "list[str]":
    """Return what else of a project's config would act: it is accepted along with the checks."""
    found = [f"agent: {shlex.join(wished.agent)}"] if wished.agent else []
    found += [f"notify: {shlex.join(wished.notify)}"] if wished.notify else []
    return found + [f"the agent may: {rule}" for rule in wished.allow]


def accept(project: "Project", prospect: Prospect, given: str) -> bool:
    """Say whether what would be run is accepted, with what a person gave behind `--accept`, which they read off what was shown.

    Raises LoopError where they gave what stands for something else than would be run now.
    """
    if prospect.accepted or not given:
        return bool(prospect.accepted)
    if len(given) < LEAST_DIGITS or not prospect.digest.startswith(given.lower()):
        raise LoopError(f"--accept {given[:40]} stands for something else than would be run now", "look at it without --accept")
    acceptance.accept(project, prospect.digest, prospect.shown)
    return True


def short(prospect: Prospect) -> str:
    """Return what a person types to accept it."""
    return str(prospect.digest[:LEAST_DIGITS])


def has_marker(wished: Wish) -> bool:
    """Say whether the agent's word that it is done is asked for."""
    return bool(wished.promise) or any([item.partition("=")[0].strip() == MARKER for item in wished.criteria])


def check(project: "Project", wished: Wish, prospect: Prospect) -> None:
    """Raise LoopError for what keeps a loop from beginning, before anything is run or written."""
    if not wished.goal.strip():
        raise LoopError("a loop needs a goal", 'ralph-mem ralph start "make the tests pass"')
    if len(wished.goal) > MOST_GOAL_CHARACTERS:
        raise LoopError(f"the goal has {len(wished.goal)} characters", "put the details into a file and name it with --plan")
    prompt.check(wished.goal, wished.prompt_tokens)
    if wished.plan and not prompt.tasks_of(prompt.read(project.top, wished.plan)):
        raise LoopError(f"the plan {wished.plan} holds no task", "a task is a line like `- [ ] what is to be done`")
    if not prospect.criteria and not has_marker(wished) and not wished.plan:
        why = "; ".join(prospect.missing) or "none were asked for"
        raise LoopError(f"no criteria, so it would never know that it is done: {why}", "--criteria 'custom=./check.sh' names one")
    if wished.protect and not wished.snapshot:
        raise LoopError("what is protected is put back from snapshots", "leave out --no-snapshot, or ralph.protect and --protect")
    busy = runs.busy(project)
    if busy:
        raise LoopError(
            f"a loop is at work here already ({busy.run})", "`ralph-mem ralph status` shows it, `ralph-mem ralph stop` ends it"
        )
    if wished.snapshot:
        files.refuse(project)


def start(  # noqa: PLR0913, PLR0917 - who asks, for what, and who hears of it
    project: "Project", values: "dict[str, Any]", wished: Wish, prospect: Prospect, mode: str, owner: str = "", run_id: str = "",
    told: "Told | None" = None,
) -> Baseline:  # fmt: skip
    """Begin a run: snapshot, baseline, record. The checks have been accepted. Raises LoopError and SnapshotError.

    The snapshot is taken before the checks are run, which may leave files behind: a rollback returns to what the person had.
    A run with a check that cannot be run is ended at once: no agent could mend that. A headless caller holds the lock.
    """
    run_id = note(project, values, wished, prospect, mode, owner, run_id)
    loop = Loop(project, values, run_id, told)
    bounds = f"at most {wished.limits.iterations} iterations and {stop_reasons.span(wished.limits.duration_ms)}"
    loop.told(f"{run_id}: {bounds}; `ralph-mem ralph stop` ends it")
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
    project: "Project", values: "dict[str, Any]", wished: Wish, prospect: Prospect, mode: str, owner: str = "", run_id: str = "",
) -> str:  # fmt: skip
    """Begin the record of a run; returns its id. Raises LoopError."""
    (goal,) = privacy.protect([wished.goal], project, values)[0]
    run_id = run_id or runs.new_id()
    runs.create(project, run_id, {
        "at": now_ms(), "goal": goal, "mode": mode, "owner": owner, "folder": project.top, "nonce": os.urandom(4).hex(),
        "promise": wished.promise or PROMISE if has_marker(wished) else "", "limits": wished.limits._asdict(),
        "criteria": [dict(each._asdict()) for each in _with_marker(prospect.criteria, wished, project)],
        "options": _options(wished), "missing": prospect.missing,
    })  # fmt: skip
    return run_id


def _with_marker(criteria: "list[Criterion]", wished: Wish, project: "Project") -> "list[Criterion]":
    return [*criteria, finding.marker(project.top)] if has_marker(wished) else criteria


def _options(wished: Wish) -> "dict[str, Any]":
    names = ("plan", "snapshot", "memory", "agent", "allow", "notify", "protect", "wait", "prompt_tokens")
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in zip(names, [getattr(wished, n) for n in names])
    }


def _baseline(loop: Loop, wished: Wish, prospect: Prospect) -> None:
    taken = None
    if loop.option("snapshot"):
        loop.told(MEANWHILE + "taking a snapshot of every file")
        taken = files.take(loop, "start")
        loop.note(
            "snapshot", snapshot=taken.id, tree=taken.tree, files=taken.files, bytes=taken.bytes, unstored=len(taken.unstored)
        )
    # a person may have thought about it for long, and the snapshot may have taken minutes
    if look(loop.project, wished).digest != prospect.digest:
        raise LoopError("what the checks run has changed since it was shown", "begin again, and look at it as it is now")
    verdicts = passing.judge(loop, seconds=SECONDS_OF_START if loop.run.mode == record.IN_SESSION else None)
    left = files.settle(loop, 0)
    entry = record.baseline_entry(verdicts, now_ms(), tree=left.tree if left else "")
    loop.note(**{name: value for name, value in entry.items() if name != "at"})
    loop.told(display.start_line(loop.run))


def discard(loop: Loop) -> None:
    """Forget a run that never began: its record and its snapshot go."""
    try:
        os.unlink(loop.path)
    except OSError:
        pass
    snapshots = store.open_store(loop.project)
    try:
        taking.delete_run(snapshots, loop.run.id)
    finally:
        snapshots.close()
