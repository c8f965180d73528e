"""Look at a run that is at work, from another process, and tell in lines or events how it stands."""

import os
from collections import namedtuple

from ralph_mem.core.errors import LoopError
from ralph_mem.core.format import count, duration
from ralph_mem.ralph import display, progress, runs, stop_reasons
from ralph_mem.ralph import telling as run_telling
from ralph_mem.ralph.record import GUARD, RUNNING, Run
from ralph_mem.ralph.tasks import task_at_hand, telling
from ralph_mem.ralph.watching import steering, transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.record import Iteration

Seen = namedtuple("Seen", "run doing pauses at")
Seen.__doc__ = """How a run stood at a moment (in ms): the run, the lines of what its agent does, whether it is asked to pause."""

Event = namedtuple("Event", "what text facts")
Event.__doc__ = """Something that was not so at the last look: `begun`, `doing`, `judged`, `paused`, `hint` or `end`, in words and
as plain JSON values."""

KEYS = "p pause  s stop  h hint  q leave"
MOST_DOING, MOST_ROUNDS = 4, 5  # lines of what goes on and of earlier iterations, the latest ones
NAMES = 9  # columns of what stands before a line of the frame


class Watcher:
    """Follows one run of a project: the one at work, else the one that is named or was started last."""

    def __init__(self, project: "Project", values: "dict[str, Any]", name: str = "") -> None:
        self._project, self._values = project, values
        live = None if name else runs.live(project)
        found = runs.find(project, live.run if live else name)
        if found.mode == GUARD:
            raise LoopError(f"{found.id} is a guard, which has no iterations", "`ralph-mem ralph runs` lists the runs")
        self.run_id = found.id
        self._read: tuple[object, Run] = ("", Run())

    def look(self) -> Seen:
        """Return how the run stands now. Raises LoopError where its record is gone."""
        live, now = runs.live(self._project), runs.now_ms()
        ours = live if live and live.run == self.run_id else None
        run = self._run(ours)
        began = max([run.started, *[each.ended for each in run.iterations]])
        doing = transcript.lines_now(self._project, self._values, ours, began) if run.status == RUNNING else []
        return Seen(run, doing, steering.is_asked_to_pause(self._project, self.run_id), now)

    def _run(self, live: "runs.Live | None") -> "Run":
        """Return the run; its record is read anew only where it has grown, or where the loop may have died."""
        state = os.stat(runs.path_of(self._project, self.run_id))
        key = (state.st_size, state.st_mtime_ns, live is not None and runs.is_alive(self._project, live))
        if key != self._read[0]:
            self._read = (key, runs.find(self._project, self.run_id))
        return self._read[1]


def is_over(seen: Seen) -> bool:
    """Say whether there is nothing more to watch: the run has ended, or what worked at it is gone."""
    return bool(seen.run.status != RUNNING)


def exit_code(seen: Seen) -> int:
    """Return the code that whoever watched to the end leaves with: that of the reason, 1 for a run that was interrupted."""
    return stop_reasons.exit_code(seen.run.reason) if seen.run.reason in stop_reasons.REASONS else 1


def frame(seen: Seen, rows: int = 24) -> "list[tuple[str, str]]":
    """Return the state of a run as at most so many lines, each with what it is about and what it says.

    Where there are fewer, earlier iterations are left out first; what the agent does just now is always told.
    """
    run = seen.run
    lines = [(run.id, f"{display.state(run)}{', pauses after this iteration' if seen.pauses and not run.is_paused() else ''}")]
    lines += [("goal", display.rendered(run.goal, display.LONGEST_GOAL))]
    lines += [("task", display.rendered(task))] if (task := telling.at_hand(run)) else []
    lines += [("checks", display.in_words(run.verdicts()))] if run.verdicts() else []
    if run.baseline or run.iterations:
        lines.append(("left", f"{display.sparkline(progress.numbers(run))}  {display.best(run)}"))
    lines += [("spent", f"{display.spent(run, seen.at)}; {_left(run, seen.at)}")]
    doing = [steering.SAYS] if run.is_paused() else seen.doing or ["(nothing is heard of it yet)"]
    doing = doing[-max(1, min(MOST_DOING, rows - len(lines))) :]
    room = max(0, min(MOST_ROUNDS, rows - len(lines) - len(doing)))
    lines = [*lines, *_rounds(run, room)][: max(1, rows - len(doing))]
    return lines + [("now" if at == 0 else "", display.rendered(line, 200)) for at, line in enumerate(doing)]


def _left(run: "Run", at: int) -> str:
    times = max(0, run.limits.iterations - run.used())
    return f"{duration(progress.left_ms(run, at))} and {count(times, 'iteration')} left"


def _rounds(run: "Run", most: int) -> "list[tuple[str, str]]":
    shown = run.iterations[max(0, len(run.iterations) - most) :]
    return [("done" if at == 0 else "", _round(each)) for at, each in enumerate(shown)]


def _round(each: "Iteration") -> str:
    cost = f" {display.money(each.cost)}" if each.cost is not None else ""
    cost += f" {each.tokens:,} tokens" if each.tokens else ""
    took = duration(max(0, each.ended - each.started))
    files = display.files_of(each.changed, 3, each.unnamed) if each.snapshot else ""
    return f"{each.number}  {display.in_words(each.verdicts) or each.kind}  {took}{cost}  {files}".rstrip()


def news(before: "Seen | None", now: Seen) -> "list[Event]":
    """Return what happened between two looks, for who reads lines; of the first look how it stands."""
    run, old = now.run, before.run if before else None
    begun, done = (old.begun, len(old.iterations)) if old else (0, max(0, len(run.iterations) - 1))
    events = [] if run.begun == begun or is_over(now) else [_begun(run)]
    events += [_judged(run, each) for each in run.iterations[done:]]
    events += [_event("hint", f"you: {display.rendered(text)}", run) for _, text, _ in run.hints[len(old.hints) if old else 0 :]]
    if run.is_paused() and not (old and old.is_paused()):
        events.append(_event("paused", steering.SAYS, run))
    events += [_event("doing", f"  {line}", run, doing=line) for line in _new_lines(before.doing if before else [], now.doing)]
    return [*events, _event("end", "\n".join(ended(now)), run, **run_telling.facts(run, now.at))] if is_over(now) else events


def _begun(run: "Run") -> Event:
    task = task_at_hand(run)
    told = f", task {display.rendered(telling.at_hand(run))}" if task else ""
    return _event("begun", f"{run.id}: {display.state(run)}{told}", run, task=task["number"] if task else None)


def _event(what: str, text: str, run: "Run", **facts: "Any") -> Event:
    most = run.limits.iterations
    return Event(what, text, {"event": what, "run": run.id, "iteration": run.begun, "iterations": most, **facts})


def _judged(run: "Run", each: "Iteration") -> Event:
    facts = {"iteration": each.number, "kind": each.kind, "verdicts": display.in_words(each.verdicts), "cost": each.cost}
    files = [change[0] for change in each.changed]
    return _event("judged", display.line(run, each, run.last_seen), run, **facts, tokens=each.tokens, changed=files)


def _new_lines(old: "list[str]", new: "list[str]") -> "list[str]":
    """Return the lines that came: those behind the longest end of the old ones with which the new ones begin."""
    for start in range(len(old) + 1):
        if old[start:] == new[: len(old) - start]:
            return new[len(old) - start :]
    return new


def ended(seen: Seen) -> "list[str]":
    """Return how the run ended, and what can be done now."""
    run = seen.run
    return display.ended(run) if run.reason in stop_reasons.REASONS else [f"{run.id} {display.state(run)}", display.next_step(run)]
