"""What is told of a loop to whoever steers it: what it would run, how it ended, what a rollback would do and what it did."""

import os

from ralph_mem.ralph import stop_reasons, watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.ralph.run import Run
    from ralph_mem.ralph.starting import Prospect
    from ralph_mem.snapshot.planning import Plan
    from ralph_mem.snapshot.restoring import Report

MOST_PATHS = 40  # of each kind: a screen of them, and the number of the rest
MOST_WHY = 300
FORCE = "what you changed afterwards too goes back with --force; a snapshot of it is taken first"


def to_accept(prospect: "Prospect") -> "list[str]":
    """Return what a person has to see before the loop may run it."""
    head = "The loop would run this in your project, before the first iteration and after each one:"
    return [head, *["  " + line for line in prospect.shown], *[f"  ({line})" for line in prospect.missing]]


def ended(run: "Run") -> "list[str]":
    """Return how a run ended, and what its reader can do now."""
    reason = stop_reasons.REASONS[run.reason]
    why = f" ({watching.shown(run.why, MOST_WHY)})" if run.why and run.status != stop_reasons.SUCCESS else ""
    passes = f"{run.used()} iteration{'' if run.used() == 1 else 's'}"
    step = stop_reasons.next_step(run.reason, run)
    lines = [f"{run.id} {run.status} after {passes}: {reason.says}{why}", f"next: {step}"]
    if not run.start_snapshot:
        return [*lines, "no snapshot was taken, so there is no way back"]
    return lines if stop_reasons.ROLL_BACK[:-1] in step else [*lines, f"{stop_reasons.ROLL_BACK} shows the way back"]


def rollback_preview(what: str, plan: "Plan", killed: int = 0) -> "list[str]":
    """Return what a rollback would do to each path, and why it would leave some alone."""
    if not plan.actions and not plan.kept:
        return [f"Nothing differs from {what}."]
    removals = [action for action in plan.actions if action.verb in {"delete", "remove_folder"}]
    others = [action for action in plan.actions if action not in removals]
    return [
        f"To go back to {what}:",
        *_listed("restore", [(action.path, action.why) for action in others]),
        *_listed("delete", [(action.path, action.why) for action in removals]),
        *_listed("keep", plan.kept),
        *_of_killed(killed),
    ]


def _of_killed(number: int) -> "list[str]":
    if not number:
        return []
    return [f"Iteration {number} was cut off: what it had changed cannot be told from your own edits, and is kept."]


def _listed(verb: str, paths: "Iterable[tuple[bytes, str]]") -> "list[str]":
    found = list(paths)
    lines = [f"  {verb:<8} {name_of(path)}  ({watching.shown(why)})" for path, why in found[:MOST_PATHS]]
    return lines + ([f"  {verb:<8} and {len(found) - MOST_PATHS} more"] if len(found) > MOST_PATHS else [])


def name_of(path: bytes) -> str:
    """Return a path fit for a terminal."""
    return watching.shown(os.fsdecode(path).encode("utf-8", "backslashreplace").decode())


def rolled_back(what: str, report: "Report", run: "Run") -> "list[str]":
    """Return what a rollback did, what it left alone, and how to undo it."""
    numbers = f"{len(report.restored)} restored, {len(report.deleted)} deleted, {len(report.kept)} kept"
    lines = [f"Back to {what}: {numbers}.", *_listed("kept", report.kept)]
    unkept = [each for each in report.unstored if each[0] not in dict(report.kept)]
    lines += _listed("no copy", unkept)
    if any([why.endswith("by you") for _, why in report.kept]):
        lines.append(FORCE)
    return [*lines, f"to undo this: ralph-mem ralph rollback {run.id} --undo --confirm"]


def report_facts(what: str, report: "Report") -> "dict[str, object]":
    """Return what a rollback did as plain JSON values."""
    return {
        "to": what, "restored": [os.fsdecode(path) for path in report.restored],
        "deleted": [os.fsdecode(path) for path in report.deleted],
        "kept": [[os.fsdecode(path), why] for path, why in report.kept],
        "unstored": [[os.fsdecode(path), why] for path, why in report.unstored], "safety": report.safety,
    }  # fmt: skip


def plan_facts(what: str, plan: "Plan") -> "dict[str, object]":
    """Return what a rollback would do as plain JSON values."""
    actions = [{"path": os.fsdecode(each.path), "verb": each.verb, "why": each.why} for each in plan.actions]
    return {"to": what, "would": actions, "kept": [[os.fsdecode(path), why] for path, why in plan.kept], "confirmed": False}


def others(runs: "Iterable[Run]", shown: str) -> "list[str]":
    """Return a line for each run but the one that is shown, the newest first."""
    lines = []
    for run in list(runs)[::-1]:
        if run.id != shown:
            told = f"{run.status}{f' ({run.reason})' if run.reason else ''}, {run.used()} iterations"
            lines.append(f"{run.id}  {run.mode.replace('_', ' ')}  {told}  {watching.shown(run.goal, 80)}")
    return lines


def replayed(decisions: int, differences: "list[str]") -> "list[str]":
    """Return what came of a replay."""
    lines = [watching.shown(line, MOST_WHY) for line in differences]
    return [*lines, f"decided anew: {decisions}, differently: {len(differences)}"]
