"""Decide by checks that were run just now which tasks of a plan are done.

A task is done when all of its checks pass, nothing fails in the loop's own criteria that did not fail when the last one was
done, and no check of a task that was done before fails. One without checks is the agent's word until every criterion passes.
"""

import os
import re
from collections import namedtuple

from ralph_mem.core.format import listed
from ralph_mem.ralph import progress
from ralph_mem.ralph.criteria import BROKEN, FAILED, PASSED, PLAN, TASK, VACUOUS, Verdict, judging, passed
from ralph_mem.ralph.record import Run
from ralph_mem.ralph.tasks import Check, Task, from_json, named_paths, next_task, of_run, standing_of, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.ralph.tasks.reading import Plan

    Checked = Callable[[Task], "list[Verdict]"]

Judged = namedtuple("Judged", "verdicts outcome every")
Judged.__doc__ = """The verdicts that tell something, that on the whole plan last, and what the record keeps: under `done`,
`reopened` and `claimed` keys of tasks, and under `now` the number of the task that was worked at. `every` has the verdicts on all
that was run."""

CLAIM = re.compile(r"TASKS? (\d{1,5}(?:, ?\d{1,5})*) DONE")
MOST_NAMED = 3
MOST_OTHERS = 20  # checks that pass of tasks that nobody worked at: a plan may have thousands that pass before it begins


def judge(run: "Run", general: "list[Verdict]", message: str, checked: "Checked", top: str) -> Judged:
    """Return what became of the tasks.

    `general` are the verdicts of the loop's criteria, `checked` runs the checks of a task, in the tree at `top`.
    """
    walk = _Walk(run, general, checked, top)
    walk.hear(message)
    walk.go()
    return walk.judged()


def at_start(plan: "Plan", general: "list[Verdict]", checked: "Checked", top: str) -> "list[Verdict]":
    """Return the verdicts on a plan of which no run has begun, those of the loop's criteria among them."""
    if not plan.tasks:
        return general
    run = Run()
    run.plan, run.options = [to_json(task) for task in plan.tasks], {"plan": plan.name}
    return list(merged(judge(run, general, "", checked, top), general).verdicts)


def merged(judged: Judged, general: "list[Verdict]") -> Judged:
    """Return with the verdicts on tasks those of the loop's criteria; that on the whole plan stays the last."""
    plan = judged.verdicts[-1]
    return judged._replace(verdicts=[*judged.verdicts[:-1], *general, plan], every=[*judged.every, *general, plan])


def first_verdicts(run: "Run") -> "list[Verdict]":
    """Return what each check came to when it was first run, those of tasks as the kind of criterion that they are."""
    if not run.plan:
        return run.baseline
    kinds = {each["criterion"]["name"]: each["criterion"]["type"] for told in run.plan for each in told["checks"]}
    first = {verdict.name: verdict for state in _states(run)[::-1] for verdict in state if verdict.type == TASK}
    general = [verdict for verdict in run.baseline if verdict.type not in (PLAN, TASK)]
    return [*general, *[verdict._replace(type=kinds[name]) for name, verdict in first.items() if name in kinds]]


def of_tasks(run: "Run", verdicts: "list[Verdict]", top: str) -> "list[Verdict]":
    """Return verdicts, those on checks of tasks weighed as such."""
    checks = {check.criterion.name: check for task in of_run(run) for check in task.checks}
    return [_weighed(checks[each.name], each, top)._replace(type=TASK) if each.name in checks else each for each in verdicts]


def confirmed(run: "Run", judged: Judged, verdicts: "list[Verdict]") -> Judged:
    """Return what holds where all that was run, `every`, has been run once more by better judges, with these verdicts.

    A task of which a check does not pass there is not done, nor is one that is done by the agent's word where a criterion fails.
    """
    if not run.plan:
        return Judged(verdicts, {}, verdicts)
    failing = {verdict.name for verdict in verdicts if verdict.status != PASSED}
    is_judged = all([verdict.status == PASSED for verdict in verdicts if verdict.type not in (PLAN, TASK)])
    before, said = standing_of(run).done, judged.outcome
    wrong = {
        told["key"]
        for told in run.plan
        if any([each["criterion"]["name"] in failing for each in told["checks"]]) or not (told["checks"] or is_judged)
    }
    done = [key for key in said.get("done", []) if key not in wrong]
    reopened = sorted({*said.get("reopened", []), *(wrong & before)})
    outcome = {name: value for name, value in {**said, "done": done, "reopened": reopened}.items() if value}
    total, left = len(run.plan), len(run.plan) - len((before | {*done}) - {*reopened})
    plan = verdicts[-1]._replace(status=FAILED if left else PASSED, why=f"{total - left} of {total} tasks done", diagnostics=left)
    told_names = {verdict.name for verdict in judged.verdicts}
    kept = [verdict for verdict in verdicts[:-1] if verdict.name in told_names or verdict.status != PASSED]
    return Judged([*kept, plan], outcome, [*verdicts[:-1], plan])


def claims(message: str, nonce: str) -> "list[int]":
    """Return the numbers of the tasks that the last line of a message says to be done, none without this run's number."""
    lines = [" ".join(line.split()) for line in message.splitlines() if line.strip()]
    found = CLAIM.match(lines[-1]) if lines else None
    if not found or not judging.is_given(message, found[0], nonce):
        return []
    return [int(number) for number in found[1].split(",")]


def claim(numbers: "list[int]", nonce: str) -> str:
    """Return the last line by which an agent says that tasks are done."""
    return judging.line(f"TASK {', '.join(map(str, numbers))} DONE", nonce)


def named(checks: "list[Verdict]", task: Task, top: str) -> "list[Verdict]":
    """Return verdicts as those of a task; a named test that did not run, or was skipped, has not passed.

    What cannot be run because a file that it names is still to be written has failed: an agent can mend that.
    """
    return [_weighed(check, verdict, top)._replace(type=TASK) for check, verdict in zip(task.checks, checks)]


def _weighed(check: Check, verdict: Verdict, top: str) -> Verdict:
    if check.test and verdict.status == PASSED and (not verdict.total or verdict.skipped):
        return verdict._replace(status=VACUOUS, why=f"{check.test} {'was skipped' if verdict.skipped else 'did not run'}")
    missing = _missing(check, top) if verdict.status == BROKEN else []
    return verdict._replace(status=FAILED, why=f"not there yet: {', '.join(missing)}") if missing else verdict


def _missing(check: Check, top: str) -> "list[str]":
    """Return the paths that a check names and that are not there, none where its program is not of the project."""
    paths = named_paths([Task(0, "", "", (check,), (), (), False)])
    return sorted([path for path in paths if not os.path.lexists(os.path.join(top, path))])


class _Walk:
    """A walk through the open tasks, in their order, until one is not proved."""

    def __init__(self, run: "Run", general: "list[Verdict]", checked: "Checked", top: str) -> None:
        self.run, self.general, self.checked, self.top = run, general, checked, top
        now = standing_of(run)
        self.before, self.done, self.claimed = now.done, set(now.done), set(now.claimed)
        self.first = next_task(run.plan, self.done | self.claimed)
        self.broken = _broken(run, general, now.since)
        self.seen: dict[str, list[Verdict]] = {}

    def hear(self, message: str) -> None:
        """Take in the agent's word, which counts for tasks without a check of their own alone; at the start the person's."""
        said = set(claims(message, self.run.nonce))
        for told in self.run.plan:
            is_said = told["number"] in said if self.run.baseline else told["ticked"]
            if is_said and not told["checks"] and told["key"] not in self.done:
                self.claimed.add(told["key"])

    def go(self) -> None:
        """Run the checks of open tasks until one fails, and those of the done ones before another is."""
        if not self.run.baseline:  # a box that was ticked before is believed where its checks pass
            self.done |= {told["key"] for told in self.run.plan if told["ticked"] and told["checks"] and self._passes(told)}
        while True:
            task = next_task(self.run.plan, self.done | self.claimed)
            if task is None or not task["checks"] or not self._passes(task) or self.broken or not self._still_hold():
                break
            self.done.add(task["key"])
        if task is None and (passed(self.general) or not self.general) and self._still_hold():
            self.done |= self.claimed

    def _passes(self, told: "dict[str, Any]") -> bool:
        if told["key"] not in self.seen:
            self.seen[told["key"]] = named(self.checked(from_json(told)), from_json(told), self.top)
        return passed(self.seen[told["key"]])

    def _still_hold(self) -> bool:
        """Say whether the checks of all done tasks pass on these files; one that fails is open again."""
        failing = [told for told in self.run.plan if told["key"] in self.done and told["checks"] and not self._passes(told)]
        self.done -= {told["key"] for told in failing if _fails(self.seen[told["key"]])}
        return not failing

    def judged(self) -> Judged:
        """Return what came of it."""
        outcome: dict[str, Any] = {
            "done": sorted(self.done - self.before),
            "reopened": sorted(self.before - self.done),
            "claimed": sorted(self.claimed - self.done - standing_of(self.run).claimed),
            "now": self.first["number"] if self.first else 0,
        }
        every = [verdict for verdicts in self.seen.values() for verdict in verdicts]
        return Judged([*self._verdicts(), self._of_plan()], {name: value for name, value in outcome.items() if value}, every)

    def _verdicts(self) -> "list[Verdict]":
        """Return the verdicts that tell something: those on the task at hand, those that fail or failed before, a few others."""
        unsettled = _unsettled(self.run)
        telling, others = [], []
        for key, verdicts in self.seen.items():
            is_new = key not in self.before
            for verdict in verdicts:
                if verdict.status != PASSED or verdict.name in unsettled or (is_new and self._is_first(key)):
                    telling.append(verdict)
                elif is_new:
                    others.append(verdict)
        return telling + others[:MOST_OTHERS]

    def _is_first(self, key: str) -> bool:
        return self.first is not None and self.first["key"] == key

    def _of_plan(self) -> Verdict:
        total = len(self.run.plan)
        left = total - len(self.done)
        why = f"{total - left} of {total} tasks done"
        if self.broken and left:
            why += f"; none counts as done while what passed before fails: {listed(self.broken, MOST_NAMED)}"
        by_word = len(self.claimed - self.done)
        if by_word:
            why += f"; {by_word} by the agent's word, until every criterion passes"
        status = FAILED if left else PASSED  # a word is no proof, but a step: it takes none of the patience away
        return Verdict(PLAN, self.run.options.get("plan") or PLAN, status, why, None, {}, [], left - by_word, "", 0.0, [])


def _fails(verdicts: "list[Verdict]") -> bool:
    """Say whether a check failed, and did not only find no time, say."""
    return any([verdict.status in (FAILED, VACUOUS) for verdict in verdicts])


def _broken(run: "Run", general: "list[Verdict]", since: int) -> "list[str]":
    """Return what fails in the loop's criteria and did not when the last task was done."""
    at = [each.verdicts for each in run.iterations if each.number == since]
    before = [verdict for verdict in (at[0] if at else run.baseline) if verdict.type not in (PLAN, TASK)]
    return progress.newly_failing(before, general)


def _unsettled(run: "Run") -> "set[str]":
    """Return the names of checks of tasks whose last verdict was not that they pass."""
    last = {verdict.name: verdict.status for state in _states(run) for verdict in state if verdict.type == TASK}
    return {name for name, status in last.items() if status != PASSED}


def _states(run: "Run") -> "list[list[Verdict]]":
    return [run.baseline, *[each.verdicts for each in run.iterations]]
