"""Write what a rollback or an apply would do, and what it did."""

import os

from ralph_mem.core.format import count
from ralph_mem.ralph import display
from ralph_mem.ralph.record import IN_SESSION
from ralph_mem.ralph.snapshot import LOST, MEANWHILE
from ralph_mem.ralph.snapshot.rollback_plan import AFTER_LOOP, BY_YOU, MERGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.snapshot.restoring import Report
    from ralph_mem.ralph.snapshot.rollback_plan import Plan

MOST_PATHS = 40  # of each kind: a screen of them, and the number of the rest
FORCE = "what was changed afterwards too goes back with --force; a snapshot of it is taken first"
ALL = "what changed before the run was over, not by its programs, goes back with --all"
CUT_OFF = "what it had changed cannot be told from your own edits, and is kept; --force takes that back too"
UNHEARD = "what a command had changed that was still running counts as yours"


def rollback_preview(what: str, plan: "Plan", run: "Run | None" = None) -> "list[str]":
    """Return what a rollback would do to each path, and why it would leave some alone."""
    if not plan.actions and not plan.kept and not plan.git:
        return [f"Nothing differs from {what}."]
    removals = [action for action in plan.actions if action.verb in {"delete", "remove_folder"}]
    others = [action for action in plan.actions if action not in removals]
    return [
        f"To go back to {what}:",
        *_listed("restore", [(action.path, action.why) for action in others]),
        *_listed("delete", [(action.path, action.why) for action in removals]),
        *_kept("keep", plan.kept),
        *_of_git(plan.git),
        *([f"({ALL})"] if any([why == MEANWHILE for _, why in plan.kept]) else []),
        *([f"({FORCE})"] if _has_of_both(plan.kept) else []),
        *_cut_off(plan.kept, run),
    ]


def _cut_off(kept: "Sequence[tuple[bytes, str]]", run: "Run | None") -> "list[str]":
    """Return why something is kept that an iteration which was cut off may have changed, and not the person."""
    whys = {why for _, why in kept}
    if run and run.cut_off() and BY_YOU in whys:
        return [f"Iteration {run.cut_off()} was cut off: {CUT_OFF}"]
    if run and run.mode == IN_SESSION and run.settled and MEANWHILE in whys:
        return [f"Iteration {run.settled} was cut off: {UNHEARD}"]
    return []


def _has_of_both(kept: "Sequence[tuple[bytes, str]]") -> bool:
    """Say whether something is kept that the loop changed, and then the person or another loop."""
    return any([why.startswith(AFTER_LOOP) for _, why in kept])


def _kept(verb: str, paths: "Sequence[tuple[bytes, str]]") -> "list[str]":
    """Return what is left alone, and apart from it what is gone and cannot be brought back."""
    here, lost = [each for each in paths if each[1] != LOST], [each for each in paths if each[1] == LOST]
    return [*_listed(verb, here), *_listed("no copy", lost)]


def _of_git(told: "Sequence[tuple[str, str]]") -> "list[str]":
    lines = [f"  {verb:<8} {display.rendered(says.removeprefix('git: '), display.MOST_WHY)}" for verb, says in told[:MOST_PATHS]]
    return lines + ([f"  git      and {len(told) - MOST_PATHS} more"] if len(told) > MOST_PATHS else [])


def _listed(verb: str, paths: "Iterable[tuple[bytes, str]]") -> "list[str]":
    found = list(paths)
    lines = [f"  {verb:<8} {display.name_of(path)}  ({display.rendered(why)})" for path, why in found[:MOST_PATHS]]
    return lines + ([f"  {verb:<8} and {len(found) - MOST_PATHS} more"] if len(found) > MOST_PATHS else [])


def rolled_back(what: str, report: "Report", run: "Run") -> "list[str]":
    """Return what a rollback did, what it left alone, and how to undo it."""
    is_done = report.restored or report.deleted or any([verb == "git" for verb, _ in report.git])
    if not report.safety or not (is_done or report.kept or report.unstored or report.git):
        return [f"Nothing differs from {what}."]
    lost = len([path for path, why in report.kept if why == LOST])
    numbers = f"{len(report.restored)} restored, {len(report.deleted)} deleted, {len(report.kept) - lost} kept"
    more = f", {lost} not brought back" if lost else ""
    lines = [f"{'Back' if is_done else 'Nothing goes back'} to {what}: {numbers}{more}.", *_kept("kept", report.kept)]
    unkept = [each for each in report.unstored if each[0] not in dict(report.kept)]
    lines += _listed("no copy", unkept)
    lines += _of_git(report.git)
    lines += [ALL] if any([why == MEANWHILE for _, why in report.kept]) else []
    lines += [FORCE] if _has_of_both(report.kept) else []
    lines += _cut_off(report.kept, run)
    return [*lines, *([f"to undo this: ralph-mem ralph rollback {run.id} --undo --confirm"] if is_done else [])]


def apply_preview(what: str, plan: "Plan", mixed: "Iterable[bytes]", run: "Run") -> "list[str]":
    """Return what applying a result would do to each path, and where the person's own stays."""
    if not plan.actions and not plan.kept:
        return [f"Nothing is left to bring of {what}.", *_brought_before(run)]
    both, removals = set(mixed), [action for action in plan.actions if action.verb in {"delete", "remove_folder"}]
    others = [action for action in plan.actions if action not in removals]
    why = {True: MERGED, False: "changed by the loop alone"}
    return [
        f"To bring {what} into your files:",
        *_listed("write", [(action.path, why[action.path in both]) for action in others]),
        *_listed("delete", [(action.path, why[False]) for action in removals]),
        *_listed("conflict", plan.kept),
    ]


def applied(what: str, report: "Report", mixed: int, run: "Run") -> "list[str]":
    """Return what came into the person's files, what did not, and how to undo it."""
    conflicts = f", {count(len(report.kept), 'conflict')}" if report.kept else ""
    lines = _listed("conflict", report.kept)
    if report.kept:
        lines.append(f"these are as you have them; as the loop has them they lie in {run.room}: copy from there what you want")
    if not (report.restored or report.deleted):
        if report.kept and not run.has_brought():
            return [f"Nothing of {what} came into your files{conflicts}.", *lines]
        was_brought = run.applied and run.applied[-1]["safety"] != report.safety
        return [f"Nothing is left to bring of {what}{conflicts}.", *lines, *(_brought_before(run) if was_brought else [])]
    numbers = display.brought(len(report.restored), len(report.deleted), mixed) + conflicts
    return [f"Your files have {what}: {numbers}.", *lines, f"to undo this: ralph-mem ralph apply {run.id} --undo --confirm"]


def _brought_before(run: "Run") -> "list[str]":
    """Return what became of a result that was brought already, and how it comes once more; nothing where none was."""
    again = f"`ralph-mem ralph apply {run.id} --undo --confirm`, then `ralph-mem ralph apply {run.id} --confirm`, bring it anew"
    return [f"what was brought before is as you have it now; {again}"] if run.has_brought() else []


def report_facts(what: str, report: "Report") -> "dict[str, object]":
    """Return what a rollback did as plain JSON values."""
    return {
        "to": what, "restored": [os.fsdecode(path) for path in report.restored],
        "deleted": [os.fsdecode(path) for path in report.deleted],
        "kept": [[os.fsdecode(path), why] for path, why in report.kept],
        "unstored": [[os.fsdecode(path), why] for path, why in report.unstored], "safety": report.safety,
        "git": [list(each) for each in report.git],
    }  # fmt: skip


def plan_facts(what: str, plan: "Plan") -> "dict[str, object]":
    """Return what a rollback would do as plain JSON values."""
    actions = [{"path": os.fsdecode(each.path), "verb": each.verb, "why": each.why} for each in plan.actions]
    return {
        "to": what, "would": actions, "kept": [[os.fsdecode(path), why] for path, why in plan.kept],
        "git": [list(each) for each in plan.git], "confirmed": False,
    }  # fmt: skip
