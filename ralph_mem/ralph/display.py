"""Write what a loop would run, how it ended, and what a rollback would do or did."""

import os

from ralph_mem.core.format import count
from ralph_mem.core.redaction import terminal
from ralph_mem.ralph import progress, stop_reasons
from ralph_mem.ralph.criteria import PASSED, VACUOUS
from ralph_mem.ralph.record import INTERRUPTED, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.ralph.criteria import Verdict
    from ralph_mem.ralph.record import Iteration, Run
    from ralph_mem.ralph.snapshot.restoring import Plan, Report
    from ralph_mem.ralph.starting import Prospect

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
    why = f" ({rendered(run.why, MOST_WHY)})" if run.why and run.status != stop_reasons.SUCCESS else ""
    passes = count(run.used(), "iteration")
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
    lines = [f"  {verb:<8} {name_of(path)}  ({rendered(why)})" for path, why in found[:MOST_PATHS]]
    return lines + ([f"  {verb:<8} and {len(found) - MOST_PATHS} more"] if len(found) > MOST_PATHS else [])


def name_of(path: bytes) -> str:
    """Return a path fit for a terminal."""
    return rendered(os.fsdecode(path).encode("utf-8", "backslashreplace").decode())


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
            lines.append(f"{run.id}  {run.mode.replace('_', ' ')}  {told}  {rendered(run.goal, 80)}")
    return lines


def replayed(decisions: int, differences: "list[str]") -> "list[str]":
    """Return what came of a replay."""
    lines = [rendered(line, MOST_WHY) for line in differences]
    return [*lines, f"decided anew: {decisions}, differently: {len(differences)}"]


BARS = "▁▂▃▄▅▆▇█"
MOST_SHOWN = 10  # failing tests in a status; the rest is a number
LONGEST_GOAL, LONGEST_ID, LONGEST_NAME, LONGEST_WHY = 200, 160, 40, 300
span = stop_reasons.span
HISTORY_COLUMNS = ("#", "agent", "left", "criteria", "files", "cost", "time", "snapshot", "notes")


def rendered(text: str, most: int = LONGEST_ID) -> str:
    """Return a text of somebody else fit for a terminal: one line, nothing that steers it, not too long."""
    line = " ".join(terminal.plain(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def line(run: "Run", iteration: "Iteration", now: int) -> str:
    """Return the live line of an iteration that has just been judged."""
    before = _before(run, iteration)
    parts = [_verdict(verdict, _same(verdict, before)) for verdict in iteration.verdicts] or ["not judged"]
    parts += [_best(run)] if run.baseline or len(run.tried()) > 1 else []
    parts += [_money(iteration.cost)] if iteration.cost is not None else []
    parts += [count(len(iteration.changed), "file"), f"{span(progress.left_ms(run, now))} left"]
    agent = f"agent: {iteration.kind}" + (f" ({rendered(iteration.why, LONGEST_NAME)})" if iteration.why else "")
    parts += [agent] if iteration.kind != "done" else []
    parts += [f"look: {rendered(tampered)}" for tampered in iteration.tampered]
    return f"{iteration.number}/{run.limits.iterations}  {' · '.join(parts)}"


def start_line(run: "Run") -> str:
    """Return the live line of the checks before the first iteration."""
    return f"start  {in_words(run.baseline) or 'not judged'}"


def in_words(verdicts: "list[Verdict]") -> str:
    """Return what the checks came to, in a few words each."""
    return " · ".join([_verdict(verdict) for verdict in verdicts])


def _before(run: "Run", iteration: "Iteration") -> "list[Verdict]":
    judged = [each.verdicts for each in run.iterations if each.number < iteration.number and each.verdicts]
    return judged[-1] if judged else run.baseline


def _same(verdict: "Verdict", others: "list[Verdict]") -> "Verdict | None":
    return next((other for other in others if (other.type, other.name) == (verdict.type, verdict.name)), None)


def _verdict(verdict: "Verdict", before: "Verdict | None" = None) -> str:
    """Return a verdict in a few words, such as `pytest 3 failing of 40 (was 5)`."""
    name = rendered(verdict.name, LONGEST_NAME)
    luck = f", {len(verdict.flaky)} flaky" if verdict.flaky else ""
    if verdict.status == PASSED:
        return f"{name} ok{luck}"
    if verdict.status == VACUOUS:
        return f"{name} checks nothing ({rendered(verdict.why)})"
    number = _number(verdict)
    if not number:
        return f"{name} {verdict.status.replace('_', ' ')}{luck}"
    what = "failing" if verdict.failing else "finding" if number == 1 else "findings"
    total = f" of {verdict.total}" if verdict.failing and verdict.total else ""
    was = f" (was {_number(before)})" if before and _number(before) != number and before.status != VACUOUS else ""
    return f"{name} {number} {what}{total}{was}{luck}"


def _number(verdict: "Verdict") -> int:
    return len(verdict.failing) or verdict.diagnostics or 0


def _best(run: "Run") -> str:
    top, found = progress.best(run), progress.numbers(run)
    return f"best {found[progress.best_of(found, bool(run.baseline))]} at {top.number if top else 'the start'}"


def _money(cost: float) -> str:
    return f"${cost:.2f}"


def sparkline(numbers: "list[int]") -> str:
    """Return numbers as bars of a height that goes with them, none at all for no numbers; 0 is the lowest."""
    most = max(numbers, default=0)
    return "".join([BARS[-(-number * (len(BARS) - 1) // most) if most else 0] for number in numbers])


def status_lines(run: "Run", now: int) -> "list[str]":
    """Return the state of a run in lines."""
    lines = [f"{run.id}  {run.mode.replace('_', ' ')}  {_state(run)}", f"goal: {rendered(run.goal, LONGEST_GOAL)}"]
    lines += _criteria_lines(run)
    if run.baseline or run.iterations:
        found = progress.numbers(run)
        lines.append(f"left to do: {sparkline(found)}  {' '.join([str(number) for number in found])}  ({_best(run)})")
    lines += [f"spent: {_spent(run, now)}", *_forecast_lines(run, now)]
    if run.waiting and run.status == RUNNING:
        lines.append(f"waiting for the rate limit, {span((run.waits[-1].get('until') or now) - now)} more")
    lines += [f"line {number} of the record is damaged and left out" for number in run.damaged]
    lines += [f"rolled back to {told.get('to', '?')} (snapshot {told.get('target', '?')})" for told in run.rolled_back]
    return [*lines, f"next: {next_step(run)}"]


def _state(run: "Run") -> str:
    if run.status == RUNNING:
        return f"iteration {run.begun or 1} of {run.limits.iterations}"
    if run.status == INTERRUPTED:
        return f"interrupted in iteration {run.begun}" if run.begun else "interrupted before its first iteration"
    reason = stop_reasons.REASONS.get(run.reason)
    why = f": {rendered(run.why, LONGEST_WHY)}" if run.why and run.status != stop_reasons.SUCCESS else ""
    return f"{run.status} after {run.used()} of {run.limits.iterations} iterations, {reason.says if reason else run.reason}{why}"


def _criteria_lines(run: "Run") -> "list[str]":
    """Return the verdicts with what fails, and what failed before the loop began told apart."""
    lines = [_verdict(verdict, _same(verdict, run.baseline)) for verdict in run.verdicts()]
    failing, old = progress.failing(run.verdicts()), set(progress.failing(run.baseline))
    new, named = set(progress.regressed(run)), [what for what in failing if progress.ABOUT in what]
    for what in named[:MOST_SHOWN]:
        note = "  (new)" if what in new else "  (failed at the start)" if what in old and run.iterations else ""
        lines.append(f"  {rendered(what)}{note}")
    return lines + ([f"  and {len(named) - MOST_SHOWN} more"] if len(named) > MOST_SHOWN else [])


def _spent(run: "Run", now: int) -> str:
    elapsed = run.elapsed_ms(now if run.status == RUNNING else run.last_seen)
    parts = [f"{span(elapsed)} of {span(run.limits.duration_ms)}", f"{run.tokens():,} tokens"]
    cost = run.cost()
    if cost or run.limits.cost is not None:
        parts.append(_money(cost) + (f" of {_money(run.limits.cost)}" if run.limits.cost is not None else ""))
    per_test = progress.cost_per_test_fixed(run)
    return ", ".join([*parts, *([f"{_money(per_test)} for each of {len(progress.fixed(run))} fixed"] if per_test else [])])


def _forecast_lines(run: "Run", now: int) -> "list[str]":
    if run.status not in {RUNNING, INTERRUPTED} or not run.tried():
        return []
    next_one, money = progress.forecast(run), progress.left_cost(run)
    price = f"{_money(next_one.cost)} and " if next_one.cost else ""
    left = [f"{max(0, run.limits.iterations - run.used())} iterations", span(progress.left_ms(run, now))]
    left += [_money(money)] if money is not None else []
    return [f"the next iteration takes about {price}{span(int(next_one.seconds * 1000))}; left: {', '.join(left)}"]


def next_step(run: "Run") -> str:
    """Say what the reader can do about a run now."""
    if run.status == RUNNING:
        back = "; `ralph-mem ralph stop --rollback` puts the files back too" if run.start_snapshot else ""
        return f"`ralph-mem ralph stop` ends it{back}"
    if run.status == INTERRUPTED:
        back = "; `ralph-mem ralph rollback` returns to the start" if run.start_snapshot else ""
        return f"`ralph-mem ralph resume` goes on{back}"
    return stop_reasons.next_step(run.reason, run) if run.reason in stop_reasons.REASONS else "`ralph-mem ralph status --history`"


def history(run: "Run") -> "list[tuple[object, ...]]":
    """Return a row of HISTORY_COLUMNS for the start and for each iteration, what is best marked with a star."""
    found, top = progress.numbers(run), progress.best(run)
    rows: list[tuple[object, ...]] = [("start", "", found[0], in_words(run.baseline), "", "", "", run.start_snapshot or "", "")]
    numbers = iter(found[1:])
    for each in run.iterations:
        notes = [*each.tampered, *([each.why] if each.why and each.kind != "done" else [])]
        left = next(numbers) if each in run.tried() else ""
        rows.append((
            each.number, each.kind, f"{left}{' *' if each is top else ''}", in_words(each.verdicts), len(each.changed),
            _money(each.cost) if each.cost is not None else "", span(max(0, each.ended - each.started)),
            each.snapshot or "", "; ".join([rendered(text) for text in notes]),
        ))  # fmt: skip
    return rows


def facts(run: "Run", now: int) -> "dict[str, Any]":
    """Return a run as plain JSON values, for programs and for the notify command; texts are as they were recorded."""
    top, next_one = progress.best(run), progress.forecast(run)
    return {
        "id": run.id, "goal": run.goal, "mode": run.mode, "folder": run.folder, "status": run.status,
        "reason": run.reason, "why": run.why, "next": next_step(run), "started": run.started, "ended": run.ended or None,
        "exit_code": stop_reasons.exit_code(run.reason) if run.reason in stop_reasons.REASONS else None,
        "limits": dict(run.limits._asdict()), "elapsed_ms": run.elapsed_ms(now if run.status == RUNNING else run.last_seen),
        "left_ms": progress.left_ms(run, now), "cost": run.cost(), "tokens": run.tokens(),
        "cost_per_test_fixed": progress.cost_per_test_fixed(run), "forecast": dict(next_one._asdict()),
        "badness": progress.numbers(run), "best": top.number if top else None, "failing": progress.failing(run.verdicts()),
        "regressed": progress.regressed(run), "fixed": progress.fixed(run),
        "start_snapshot": run.start_snapshot or None, "damaged_lines": list(run.damaged),
        "verdicts": [dict(verdict._asdict()) for verdict in run.verdicts()],
        "iterations": [_iteration_facts(each) for each in run.iterations],
    }  # fmt: skip


def _iteration_facts(iteration: "Iteration") -> "dict[str, Any]":
    return {**iteration._asdict(), "verdicts": [dict(verdict._asdict()) for verdict in iteration.verdicts]}
