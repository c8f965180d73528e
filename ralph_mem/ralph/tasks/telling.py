"""Say what a plan would run, which task comes next, and how far it is."""

import shlex
import shutil

from ralph_mem.core.errors import LoopError
from ralph_mem.core.format import listed
from ralph_mem.ralph.criteria import acceptance
from ralph_mem.ralph.tasks import boxes, from_json, judging, next_task, standing_of, task_at_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.tasks import Task

MOST_TITLE = 200
MOST_CHECKS = 8  # of the task at hand in a prompt; the rest is counted
MOST_BEFORE = 3  # done tasks that a prompt names
DONE, SAID, NOW, WAITS, OPEN = "done", "said to be done", "now", "waits", "open"
BY_WORD = "nothing of its own that is executed proves it: the agent's word counts once every criterion of the loop passes"


def to_accept(plan: "Iterable[Task]") -> "list[str]":
    """Return what a person accepts of a plan: each task with all that its checks run."""
    lines = []
    for task in plan:
        lines.append(f"task {task.number}: {task.title}")
        lines += [f"  {line}" for line in acceptance.shown([check.criterion for check in task.checks])]
        lines += [] if task.checks else [f"  {BY_WORD}"]
        lines += [f"  may change {', '.join(task.files)}"] if task.files else []
        lines += [f"  comes after {', '.join(map(str, task.after))}"] if task.after else []
    return [acceptance.escaped(line) for line in lines]


def check(plan: "Iterable[Task]", is_judged: bool) -> None:
    """Raise LoopError for a plan that could never be done: a program that is not here, or a task that nothing could prove.

    `is_judged` says whether the loop has a criterion of its own that is executed.
    """
    for task in plan:
        if not task.checks and not is_judged:
            hint = "write `check: COMMAND` or `test: NAME` below it, or name a check of the whole with --criteria"
            raise LoopError(f"nothing that is executed would prove task {task.number} ({task.title[:60]})", hint)
        for program in [each.criterion.argv[0] for each in task.checks]:
            if "/" not in program and not shutil.which(program):
                raise LoopError(f"task {task.number} runs {program[:60]}, which is not there", "install it, or correct the check")


def lines(run: "Run") -> "list[str]":
    """Return what a prompt says of the task at hand, with what it may touch, what is done and what comes next; nothing without."""
    if not run.plan:
        return []
    now = standing_of(run)
    over = now.done | now.claimed
    told = next_task(run.plan, over)
    if told is None:
        return [f"All {len(run.plan)} tasks of the plan are done; what fails now has to be mended without breaking one of them."]
    task = from_json(told)
    after = next_task(run.plan, {*over, told["key"]})
    before = [each for each in run.plan if each["key"] in now.done][-MOST_BEFORE:]
    return [
        f"Task {task.number} of {len(run.plan)}, the one to work at now: {_title(told)}",
        *_proved_by(task, run),
        *([f"- change no file but {', '.join(task.files)}"] if task.files else []),
        f"- done: {len(now.done)} of {len(run.plan)}{_named(before)}; they have to stay so",
        *([f"- next: {_title(after)}"] if after else []),
        "- The plan is not to be edited: boxes are ticked by the loop when it has run the checks.",
    ]


def at_hand(run: "Run") -> str:
    """Return the task that a run works at as a plan has it, in a line; nothing where it has none."""
    told = task_at_hand(run)
    return f"{told['number']} of {len(run.plan)}: {_title(told)}" if told else ""


def _proved_by(task: "Task", run: "Run") -> "list[str]":
    if not task.checks:
        word = judging.claim([task.number], run.nonce)
        return [f"- nothing that is run proves it: when it is done, end your last message with this as its last line: {word}"]
    found = [
        f"- test {check.test} has to pass; write it where it is not there"
        if check.test
        else f"- check: {shlex.join(check.criterion.argv)}"
        for check in task.checks
    ]
    more = len(found) - MOST_CHECKS
    return [line[:MOST_TITLE] for line in found[:MOST_CHECKS]] + ([f"- and {more} more checks"] if more > 0 else [])


def _named(tasks: "list[dict[str, Any]]") -> str:
    return f" ({'; '.join([_title(told) for told in tasks])})" if tasks else ""


def _title(told: "dict[str, Any]") -> str:
    title = str(told["title"])
    return title if len(title) <= MOST_TITLE else title[:MOST_TITLE] + "..."


def state_of(run: "Run") -> "list[tuple[dict[str, Any], str]]":
    """Return each task with its state in a word."""
    now = standing_of(run)
    over = now.done | now.claimed
    current = next_task(run.plan, over)
    found = []
    for told in run.plan:
        key = told["key"]
        is_ready = all([run.plan[number - 1]["key"] in over for number in told["after"]])
        state = DONE if key in now.done else SAID if key in now.claimed else OPEN if is_ready else WAITS
        found.append((told, NOW if told is current else state))
    return found


def status(run: "Run") -> "list[str]":
    """Return how far a plan is in lines for a person: a count, and the tasks around the one at hand."""
    if not run.plan:
        return []
    found = state_of(run)
    done = len([1 for _, state in found if state == DONE])
    at = next((position for position, (_, state) in enumerate(found) if state == NOW), len(found))
    near = found[max(0, at - 2) : at + 3]
    marks = {DONE: "[x]", NOW: "[>]", SAID: "[?]"}
    lines = [f"plan {boxes.name_of(run)}: {done} of {len(found)} tasks done"]
    lines += [f"  {marks.get(state, '[ ]')} {told['number']}. {_title(told)}{_note(state)}" for told, state in near]
    return [acceptance.escaped(line) for line in lines]


def _note(state: str) -> str:
    return f"  ({state})" if state in (SAID, WAITS) else ""


def disproved(run: "Run") -> "list[str]":
    """Return a line about the boxes that a person had ticked and that the checks do not bear out."""
    done = standing_of(run).done
    wrong = [str(told["number"]) for told in run.plan if told["ticked"] and told["checks"] and told["key"] not in done]
    return [f"ticked in {boxes.name_of(run)}, but the checks do not pass: task {listed(wrong, MOST_CHECKS)}"] if wrong else []


def worked_at(run: "Run", outcome: "dict[str, Any]") -> "list[str]":
    """Return a line that says which task an iteration worked at and what came of it, nothing without one."""
    number = outcome.get("now", 0)
    if not 0 < number <= len(run.plan):
        return []
    told = run.plan[number - 1]
    return [f"task {number}: {_title(told)} ({DONE if told['key'] in outcome.get('done', ()) else OPEN})"]


def facts(run: "Run") -> "list[dict[str, Any]]":
    """Return the tasks of a run as plain JSON values."""
    begun = standing_of(run).begun
    return [
        {
            "number": told["number"], "title": told["title"], "state": state, "after": list(told["after"]),
            "files": list(told["files"]), "checks": [shlex.join(each["criterion"]["argv"]) for each in told["checks"]],
            "begun_after": begun[told["key"]][0] if told["key"] in begun else None,
        }
        for told, state in state_of(run)
    ]  # fmt: skip
