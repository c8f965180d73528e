"""Write what a loop would run, how it stands, and how it ended."""

import os

from ralph_mem.core.format import count, duration
from ralph_mem.core.redaction import terminal
from ralph_mem.ralph import progress, stop_reasons
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.criteria import PASSED, PLAN, VACUOUS, Verdict, native_build
from ralph_mem.ralph.record import GUARD, HEADLESS, INTERRUPTED, RUNNING, Iteration, Run
from ralph_mem.ralph.tasks import telling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.ralph.prospects import Prospect

MOST_WHY = 300


def to_accept(prospect: "Prospect", mode: str = HEADLESS) -> "list[str]":
    """Return what a person has to see before the loop, or a guard, may run it."""
    head = "The loop would run this in your project, before the first iteration and after each one:"
    if mode == GUARD:
        head = "The guard would run this in your project, at the end of each turn of this session:"
    notes = [*prospect.missing, *native_build.warnings(prospect.criteria)]
    return [head, *["  " + line for line in prospect.shown], *[f"  ({line})" for line in notes]]


def ended(run: "Run") -> "list[str]":
    """Return how a run ended, and what its reader can do now."""
    reason = stop_reasons.REASONS[run.reason]
    why = f" ({rendered(run.why, MOST_WHY)})" if run.why and run.status != stop_reasons.SUCCESS else ""
    passes = count(run.used(), "iteration")
    step = stop_reasons.next_step(run.reason, run)
    took = f"spent: {spent(run, run.last_seen)}"
    lines = [
        f"{run.id} {run.status} after {passes}: {reason.says}{why}",
        took,
        *confirmed(run),
        *commits(run),
        *_memory_lines(run),
        f"next: {step}",
    ]
    if not run.start_snapshot:
        return [*lines, "no snapshot was taken, so there is no way back"]
    if run.snapshots_gone or (run.room and not run.has_brought()):
        return lines
    return lines if stop_reasons.ROLL_BACK[:-1] in step else [*lines, f"{stop_reasons.ROLL_BACK} shows the way back"]


def confirmed(run: "Run") -> "list[str]":
    """Return a line on whether the judges of the start have confirmed the last iteration, none where that was not asked."""
    told = run.confirmations.get(run.iterations[-1].number if run.iterations else 0)
    if not told or run.reason != stop_reasons.SUCCESS:
        return []
    if told.get("says") == "unconfirmed":
        return ["not confirmed: without snapshots nobody knows whether the tests are those of the start"]
    where = "in a copy of the tree" if told.get("where") == "copy" else "in the tree itself"
    more = f", after {len(told['named'])} changes to them were put back" if told.get("says") == "tampered" else ""
    return [f"confirmed by the tests and settings of the start, {where}{more}"]


def name_of(path: bytes, most: int = 0) -> str:
    """Return a path fit for a terminal; one with bytes that are no UTF-8, or that nobody can see, in quotes as git writes it."""
    text = path.decode("utf-8", "surrogateescape")
    if text.isprintable():
        return rendered(text, most or LONGEST_ID)
    from ralph_mem.ralph.watching import file_patch  # lazy: names of that kind are rare

    return rendered(file_patch.quoted(path).decode(), most or LONGEST_ID)


def others(found: "Sequence[Run]") -> "list[str]":
    """Return where the other runs are listed, if there are any."""
    return ["`ralph-mem ralph runs` lists the other runs"] if len(found) > 1 else []


def replayed(decisions: int, differences: "list[str]") -> "list[str]":
    """Return what came of a replay."""
    lines = [rendered(line, MOST_WHY) for line in differences]
    return [*lines, f"decided anew: {decisions}, differently: {len(differences)}"]


BARS = "▁▂▃▄▅▆▇█"
MOST_SHOWN = 10  # failing tests in a status; the rest is a number
MOST_FILES = 5  # names of changed files in a line; `ralph diff` has all of them
LONGEST_GOAL, LONGEST_ID, LONGEST_NAME, LONGEST_WHY = 200, 160, 40, 300


def rendered(text: str, most: int = LONGEST_ID) -> str:
    """Return a text of somebody else fit for a terminal: one line, nothing that steers it, not too long."""
    line = " ".join(terminal.plain(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def line(run: "Run", iteration: "Iteration", now: int) -> str:
    """Return the live line of an iteration that has just been judged."""
    before = _before(run, iteration)
    parts = [_verdict(verdict, _same(verdict, before)) for verdict in iteration.verdicts] or ["not judged"]
    parts += [best(run)] if run.baseline or len(run.tried()) > 1 else []
    parts += [money(iteration.cost)] if iteration.cost is not None else []
    parts += [count(len(iteration.changed) + iteration.unnamed, "file")] if iteration.snapshot else []
    parts += [f"{duration(progress.left_ms(run, now))} left"]
    agent = f"agent: {iteration.kind}" + (f" ({rendered(iteration.why)})" if iteration.why else "")
    parts += [agent] if iteration.kind != "done" else []
    parts += [f"look: {rendered(tampered)}" for tampered in iteration.tampered]
    return f"{iteration.number}/{run.limits.iterations}  {' · '.join(parts)}"


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
    if verdict.type == PLAN:
        return f"{name} {rendered(verdict.why)}"
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


def best(run: "Run") -> str:
    """Return what came closest, in words."""
    top, found = progress.best(run), progress.numbers(run)
    return f"best {found[progress.place_of_best(run)]} at {top.number if top else 'the start'}"


def money(cost: float) -> str:
    """Return a price in dollars."""
    return f"${cost:.2f}"


def sparkline(numbers: "list[int]") -> str:
    """Return numbers as bars of a height that goes with them, none at all for no numbers; 0 is the lowest."""
    most = max(numbers, default=0)
    return "".join([BARS[-(-number * (len(BARS) - 1) // most) if most else 0] for number in numbers])


def status_lines(run: "Run", now: int) -> "list[str]":
    """Return the state of a run in lines."""
    if run.mode == GUARD:
        return _guard_lines(run)
    lines = [f"{run.id}  {run.mode.replace('_', ' ')}  {state(run)}", f"goal: {rendered(run.goal, LONGEST_GOAL)}"]
    lines += [presets.told_turn(run)] if run.options.get("others") else []
    lines += [*telling.status(run), *_criteria_lines(run), *confirmed(run)]
    if run.baseline or run.iterations:
        found = progress.numbers(run)
        lines.append(f"left to do: {sparkline(found)}  {' '.join([str(number) for number in found])}  ({best(run)})")
    lines += _changed_lines(run)
    lines += [f"spent: {spent(run, now)}", *_forecast_lines(run, now)]
    if run.waiting and run.status == RUNNING:
        lines.append(f"waiting for the rate limit, {duration((run.waits[-1].get('until') or now) - now)} more")
    lines += [f"line {number} of the record is damaged and left out" for number in run.damaged]
    lines += [*_memory_lines(run), *_room_lines(run)]
    lines += [f"rolled back to {told.get('to', '?')} (snapshot {told.get('target', '?')})" for told in run.rolled_back]
    lines += [f"a rollback is at work or was cut off; then {stop_reasons.ROLL_BACK} finishes it"] if run.rolling_back else []
    return [*lines, *commits(run), *([taught(run)] if run.taught else []), f"next: {next_step(run)}"]


def _guard_lines(run: "Run") -> "list[str]":
    """Return whether a guard is on, and what its checks said at the end of the last turn."""
    is_on = run.status == RUNNING
    state = (
        "on: its checks run at the end of each turn of its session"
        if is_on
        else "ended with its session"
        if run.reason
        else "switched off"
    )
    step = "`/ralph guard off` ends it, in its session" if is_on else "`/ralph guard` puts another one on, in a session"
    return [f"{run.id}  guard  {state}", *(_criteria_lines(run) or ["its checks have not run yet"]), f"next: {step}"]


def _memory_lines(run: "Run") -> "list[str]":
    return [f"{rendered(run.without_memory, MOST_WHY)}; `ralph-mem doctor` says more"] if run.without_memory else []


def files_of(changed: "list[list[Any]]", most: int, unnamed: int = 0) -> str:
    """Return how many files were changed and the names of the first ones, such as `2 files: a.py, b.py`."""
    number = len(changed) + unnamed
    names = [name_of(str(each[0]).encode("utf-8", "replace"), LONGEST_NAME) for each in changed[:most]]
    more = f" and {number - len(names)} more" if number > len(names) else ""
    return f"{count(number, 'file')}{': ' if names else ''}{', '.join(names)}{more}"


def commits(run: "Run") -> "list[str]":
    """Return which branch a run wrote, if it did."""
    name = rendered(str(run.branch.get("name") or ""), LONGEST_NAME)
    why = f": {rendered(str(run.brought['why']))}" if run.brought.get("why") else ""
    where = "" if not run.room else ", in your repository" if run.brought.get("name") else f", in the repository of its room{why}"
    return [f"branch: {name}, {count(len(run.commits), 'commit')}{where}"] if run.branch else []


def _room_lines(run: "Run") -> "list[str]":
    """Return where a run in a room works, and what of it is in the person's files."""
    told = [f"applied: at work or cut off; then {stop_reasons.APPLY} finishes it"] if run.applying else []
    told += ["applied: nothing; your files are as they were"] if run.room and not run.has_brought() and not run.applying else []
    for each in run.applied[-1:]:
        if each.get("remains"):
            told.append(f"applied: taken out, except from {files_of([[name] for name in each['remains']], MOST_FILES)}")
            continue
        counted = "brought" in each  # what a crash cut off was not
        numbers = brought(each["brought"], each["deleted"], each["mixed"]) if counted else "? written, ? deleted"
        told += [f"applied: {numbers}"] if run.has_brought() else []
        told += [
            f"in conflict, so as you have it: {name_of(path.encode('utf-8', 'replace'))}" for path in each["conflicts"][:MOST_SHOWN]
        ]
    return [f"its room: {run.room}", *told] if os.path.isdir(run.room) else told


def brought(restored: int, deleted: int, mixed: int) -> str:
    """Return how many files came out of a room, and how: one that was merged is not counted as written too."""
    return f"{restored - mixed} written, {deleted} deleted" + (f", {mixed} merged" if mixed else "")


def taught(run: "Run") -> str:
    """Return what a run did to the lessons of its project in a line."""
    return "lessons: " + ", ".join([f"{number} {what}" for what, number in run.taught.items()])


def state(run: "Run") -> str:
    """Return in words which iteration a run is in, or how it ended."""
    if run.is_paused():
        return (
            f"paused after iteration {run.begun} of {run.limits.iterations}" if run.begun else "paused before its first iteration"
        )
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


def spent(run: "Run", now: int) -> str:
    """Return what a run took of time, tokens and money, and of how much, in words."""
    elapsed = run.elapsed_ms(now if run.status == RUNNING else run.last_seen)
    parts = [f"{duration(elapsed)} of {duration(run.limits.duration_ms)}", f"{run.tokens():,} tokens"]
    cost = run.cost()
    if cost or run.limits.cost is not None:
        parts.append(money(cost) + (f" of {money(run.limits.cost)}" if run.limits.cost is not None else ""))
    per_test = progress.cost_per_test_fixed(run)
    return ", ".join([*parts, *([f"{money(per_test)} for each of {len(progress.fixed(run))} fixed"] if per_test else [])])


def _changed_lines(run: "Run") -> "list[str]":
    """Return which files the iterations changed and nobody put back, and what the person said that no iteration was told yet."""
    changed = [each for each in run.iterations if each.changed]
    every = dict.fromkeys([each[0] for iteration in changed for each in iteration.changed])
    names = [name for name in every if name not in run.back]
    total = max([len(every), *[len(each.changed) + each.unnamed for each in changed]]) - len(every) + len(names)
    least = "at least " if changed[1:] and any([each.unnamed for each in changed]) else ""  # others may be the same ones
    waiting = [f"you said, for the next iteration: {rendered(text)}" for _, text, told in run.hints if not told]
    told = files_of([[name] for name in names], MOST_FILES, total - len(names))
    return [*([f"changed: {least}{told}"] if names else []), *waiting]


def _forecast_lines(run: "Run", now: int) -> "list[str]":
    if run.status not in {RUNNING, INTERRUPTED} or not run.tried():
        return []
    next_one, left_cost = progress.forecast(run), progress.left_cost(run)
    price = f"{money(next_one.cost)} and " if next_one.cost else ""
    left = [f"{max(0, run.limits.iterations - run.used())} iterations", duration(progress.left_ms(run, now))]
    left += [money(left_cost)] if left_cost is not None else []
    return [f"the next iteration takes about {price}{duration(int(next_one.seconds * 1000))}; left: {', '.join(left)}"]


def _going_on(run: "Run") -> str:
    """Say how a run that pauses goes on: of one in a session only that can let it."""
    if not run.is_paused():
        return ""
    return "`ralph-mem ralph continue` goes on; " if run.mode == HEADLESS else "`/ralph continue` goes on, in its session; "


def next_step(run: "Run") -> str:
    """Say what the reader can do about a run now."""
    if run.status == RUNNING:
        back = "; `ralph-mem ralph stop --rollback` puts the files back too" if run.start_snapshot else ""
        return f"{_going_on(run)}`ralph-mem ralph stop` ends it{back}"
    if run.status == INTERRUPTED:
        back = "; `ralph-mem ralph rollback` returns to the start" if run.start_snapshot else ""
        return f"`ralph-mem ralph resume` goes on{back}"
    return stop_reasons.next_step(run.reason, run) if run.reason in stop_reasons.REASONS else "`ralph-mem ralph status --history`"
