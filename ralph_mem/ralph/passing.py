"""Run one pass of the loop around its agent, headless or in session, from prompt to checks, record and decision."""

import contextlib
import time

from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.redaction import privacy
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import decision, display, experience, files, iteration_files, lessons, prompt, record, stop_reasons, telling
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.criteria import Criterion, Verdict, flaky, judging
from ralph_mem.ralph.git import guarding
from ralph_mem.ralph.judges import confirming
from ralph_mem.ralph.loop import MEANWHILE
from ralph_mem.ralph.room import ignored, walls
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.snapshot import store
from ralph_mem.ralph.snapshot.walk import TICK_NS
from ralph_mem.ralph.tasks import Task, boxes, standing_of, task_at_hand
from ralph_mem.ralph.tasks import judging as task_judging
from ralph_mem.ralph.watching import commits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from ralph_mem.ralph.loop import Loop


# What is kept of the agent's last words: enough to see what it believed, too little to crowd out what is known.
MESSAGE_CHARACTERS = 1_000
# A Stop hook has an hour (hooks.json), of which files and record take seconds.
SECONDS_OF_STOP = 3_500
# After these there is nothing to judge: the agent was never at work, or was told to stop.
UNJUDGED = (launch.STOPPED, launch.MISSING, launch.RATE_LIMITED)


def begin(loop: "Loop", most_characters: int = 0, again: bool = False) -> str:
    """Begin the next iteration; returns what its agent is told, in so many characters where there is a limit. Raises LoopError.

    `again` is for an agent that has been told of the loop already, and still knows it.
    """
    asks = loop.option("memory") and not again
    known = experience.know(loop.project, loop.settings, loop.run) if asks else experience.NOTHING
    _tell_without_memory(loop, known.said)
    number = loop.run.next_number()
    _let_clock_go_on(loop)
    guarding.before(loop)
    ignored.look_at_links(loop)
    loop.hear()
    text, loop.facts = prompt.build(loop.run, number, known, loop.option("prompt_tokens"), most_characters, again)
    loop.note("begun", number=number, prompt=loop.facts, hints=len(loop.run.hints), **_task_begun(loop))
    loop.begun = now_ms()
    _keep(loop, lessons.of_prompt, loop.facts, loop.begun)
    return text


def _let_clock_go_on(loop: "Loop") -> None:
    """Wait until a file that is written now bears a later time than what the last checks wrote."""
    if loop.option("snapshot"):
        time.sleep(max(0.0, (files.checked_ns(loop.run) + TICK_NS - time.time_ns()) / 1e9))


def _task_begun(loop: "Loop") -> "dict[str, Any]":
    """Return which task of a plan is begun now for the first time, with the snapshot to which a rollback of it leads."""
    task = task_at_hand(loop.run)
    if task is None or task["key"] in standing_of(loop.run).begun:
        return {}
    return {"task": task["key"], "snapshot": files.newest(loop)}


def _tell_without_memory(loop: "Loop", why: str) -> None:
    """Say that a loop goes on without what earlier ones learned, once, and keep it: nobody may listen now."""
    if why and not loop.run.without_memory:
        (why,) = safe(loop, why)
        loop.told(why)
        loop.note("without_memory", why=why)


def conclude(loop: "Loop", answer: "launch.Answer") -> decision.Decision:
    """Look at what the agent has done, write it down and decide whether to go on; a run that is over is ended."""
    try:
        iteration = _looked_at(loop, answer)
    except SnapshotError as error:
        if isinstance(error, store.SnapshotsGone):
            loop.note("snapshots_gone")
        lost = guarding.gone(loop)  # as where the agent deleted the whole folder
        if lost:
            return end(loop, "repository_lost", "; ".join(lost))
        return end(loop, "snapshot_failed", f"{error} ({error.hint})" if error.hint else str(error))
    entry = record.entry_of(iteration)
    record.append(loop.path, entry)
    loop.run.add(entry)
    _note_back(loop, iteration)
    commits.after(loop, iteration)
    _keep(loop, lessons.of_iteration, iteration)
    loop.told(display.line(loop.run, iteration, now_ms()))
    return decide(loop, checked=True)


def _note_back(loop: "Loop", iteration: record.Iteration) -> None:
    """Write down what iterations changed that is as at the start by now, where that is otherwise than after the last one."""
    with contextlib.suppress(SnapshotError):  # its names are told as changed then
        back = iteration_files.as_at_start(loop, iteration.snapshot)
        if back != loop.run.back:
            loop.note("back", names=back)


def decide(loop: "Loop", checked: bool = False) -> decision.Decision:
    """Decide whether to go on, and write that down; a run that is over is ended. `checked` says that checks have just been run."""
    at = now_ms()
    decided = decision.decide(loop.run, at)
    number = loop.run.iterations[-1].number if loop.run.iterations else 0
    loop.note("decision", number=number, go_on=decided.go_on, reason=decided.reason, why=decided.why, now=at)
    if decided.reason == record.NEXT_AGENT:
        loop.told(f"{presets.label(presets.at_turn(loop.run))} takes over: {display.rendered(decided.why)}")
    if decided.go_on:
        return decided
    if checked:
        files.settle(loop, number)
    return end(loop, decided.reason, decided.why)


def _looked_at(loop: "Loop", answer: "launch.Answer") -> record.Iteration:
    """Return the iteration: the files as the agent left them, and what the checks say of them."""
    number = loop.run.next_number()
    left = iteration_files.after(loop, number)
    ticked = boxes.ticked_by_others(loop.run, loop.place.top)
    until = time.monotonic() + SECONDS_OF_STOP if loop.run.mode == record.IN_SESSION else None
    judged = task_judging.Judged([], {}, [])
    if answer.kind not in UNJUDGED:
        judged = judge_all(loop, answer.message, loop.is_asked_to_stop, _left(until))
    if confirming.is_due(judged.verdicts):
        left, judged = _confirmed(loop, number, left, judged, until)
    noticed = [*ticked, *left.tampered]
    left = _with_boxes(loop, number, left, judged)
    beyond = [*ignored.links_written(loop, number), *guarding.after(loop, number)]
    message, why = safe(loop, answer.message[-MESSAGE_CHARACTERS:], answer.why)
    return record.NO_ITERATION._replace(
        number=number, started=loop.begun, ended=now_ms(), kind=answer.kind, why=why, verdicts=judged.verdicts,
        tree=left.tree, snapshot=left.snapshot, changed=left.changed, tampered=[*safe(loop, *noticed), *beyond],
        cost=_cost(loop, answer), tokens=answer.tokens, message=message, prompt=loop.facts,
        denied=safe(loop, *answer.denials), forbidden=safe(loop, *answer.forbidden), tasks=judged.outcome, agent=_agent(loop),
        unnamed=left.unnamed,
    )  # fmt: skip


def _agent(loop: "Loop") -> str:
    return presets.label(presets.at_turn(loop.run)) if loop.run.mode == record.HEADLESS else ""


def _left(until: "float | None") -> "float | None":
    return None if until is None else max(0.0, until - time.monotonic())


def _confirmed(
    loop: "Loop", number: int, left: iteration_files.After, judged: "task_judging.Judged", until: "float | None"
) -> "tuple[iteration_files.After, task_judging.Judged]":
    """Judge an iteration that looks like a success by the judges of the start, and write down what came of it.

    Returns the files and the verdicts that hold: where the judges of the start say otherwise, theirs, with these judges put back.
    """
    if not left.snapshot:
        loop.note("confirmed", number=number, says=confirming.UNCONFIRMED, named=[])
        return left, judged

    def again(criteria: "Sequence[Criterion]", folder: str, environment: "dict[str, str]") -> "list[Verdict]":
        verdicts = _judged(loop, criteria, folder, environment, "", loop.is_asked_to_stop, _left(until))
        return task_judging.of_tasks(loop.run, verdicts, folder)

    began = time.monotonic()
    outcome = confirming.confirm(loop, left.snapshot, judged.every, again)
    if outcome.says == confirming.TAMPERED:
        taken, theirs = confirming.put_back(loop, left.snapshot, outcome.judges) if outcome.judges else (None, set())
        left = left._replace(tampered=[*confirming.lines(outcome, theirs), *left.tampered])
        left = left._replace(snapshot=taken.id, tree=taken.tree) if taken else left
    names = safe(loop, *confirming.names(outcome, loop.settings)) if outcome.judges or outcome.patched else []
    loop.note(
        "confirmed", number=number, says=outcome.says, named=names, where=outcome.where, copied_s=outcome.copied_s,
        seconds=round(time.monotonic() - began, 3),
    )  # fmt: skip
    return left, task_judging.confirmed(loop.run, judged, outcome.verdicts)


def _cost(loop: "Loop", answer: "launch.Answer") -> "float | None":
    """Return what the agent cost. A claude that was ended tells no price: it counts as the others did, or as all it was given."""
    known = sorted([each.cost for each in loop.run.iterations if each.cost])
    if (
        answer.cost is not None
        or loop.run.limits.cost is None
        or loop.run.mode != record.HEADLESS
        or not presets.is_claude(presets.at_turn(loop.run))
    ):
        return float(answer.cost) if answer.cost is not None else None
    return float(known[len(known) // 2] if known else loop.run.limits.cost)


def judge(
    loop: "Loop", message: str = "", stopped: "Callable[[], bool] | None" = None, seconds: "float | None" = None
) -> "list[Verdict]":
    """Return what the loop's criteria say of the files as they are, redacted.

    `seconds` is for all of them together: what is not checked by then has timed out.
    """
    return _remembered(loop, _judged(loop, loop.criteria(), loop.place.top, loop.environment(), message, stopped, seconds))


def judge_all(
    loop: "Loop", message: str = "", stopped: "Callable[[], bool] | None" = None, seconds: "float | None" = None
) -> "task_judging.Judged":
    """Return what the loop's criteria and the checks of its tasks say, and what that makes of the tasks."""
    until = None if seconds is None else time.monotonic() + seconds
    general = judge(loop, message, stopped, seconds) if loop.run.criteria else []
    if not loop.run.plan:
        return task_judging.Judged(general, {}, general)

    def checked(task: "Task") -> "list[Verdict]":
        left = None if until is None else max(0.0, until - time.monotonic())
        criteria = loop.placed([check.criterion for check in task.checks])
        return _remembered(loop, _judged(loop, criteria, loop.place.top, loop.environment(), "", stopped, left))

    return task_judging.merged(task_judging.judge(loop.run, general, message, checked, loop.place.top), general)


def _judged(
    loop: "Loop", criteria: "Sequence[Criterion]", folder: str, environment: "dict[str, str]", message: str,
    stopped: "Callable[[], bool] | None", seconds: "float | None",
) -> "list[Verdict]":  # fmt: skip
    with walls.around(loop, is_agent=False, folder=folder):
        return judging.judge(
            criteria,
            folder,
            baseline=task_judging.first_verdicts(loop.run) or None,
            message=message,
            nonce=loop.run.nonce,
            promise=loop.run.promise,
            environment=environment,
            told=lambda criterion, _position: loop.told(f"{MEANWHILE}checking: {criterion.name}"),
            known=flaky.known(loop.project, before=loop.run.started / 1000),  # not what this run found itself
            protect=lambda texts: safe(loop, *texts),
            seconds=seconds,
            stopped=stopped,
        )


def _remembered(loop: "Loop", verdicts: "list[Verdict]") -> "list[Verdict]":
    flaky.remember(loop.project, [(verdict.name, test) for verdict in verdicts for test in verdict.flaky])
    return verdicts


def _with_boxes(loop: "Loop", number: int, left: iteration_files.After, judged: "task_judging.Judged") -> iteration_files.After:
    """Have the boxes of the plan say what was judged, in the snapshot of the iteration too: it is what a person gets of it."""
    before = standing_of(loop.run).done - {*judged.outcome.get("reopened", ())}
    turned = show_boxes(loop, {*before, *judged.outcome.get("done", ())})
    if not turned or not left.snapshot:
        return left
    taken = files.take(loop, f"iteration {number}")
    return left._replace(snapshot=taken.id, tree=taken.tree)


def show_boxes(loop: "Loop", done: "Collection[str]") -> int:
    """Tick in the plan file the tasks that are done, by their keys, and untick the others; returns how many boxes that were."""
    turned, why = boxes.show(loop.run, loop.place.top, done)
    _tell(loop, why)
    if turned:
        loop.wrote(str(loop.option("plan")))
    return turned


def safe(loop: "Loop", *texts: str) -> "list[str]":
    """Return texts as they may be stored."""
    return privacy.protect(list(texts), loop.project, loop.settings)[0] if texts else []


def end(loop: "Loop", reason: str, why: str = "") -> decision.Decision:
    """End a run for one of the reasons; returns that there is nothing to go on with."""
    (why,) = safe(loop, why)
    loop.note("end", status=stop_reasons.status_of(reason), reason=reason, why=why)
    _keep(loop, lessons.of_end)
    if loop.run.taught:
        loop.note("taught", **loop.run.taught)
        loop.told(display.taught(loop.run))
    if not loop.is_beside:
        telling.of_end(loop)
    return decision.Decision(False, reason, why)


def _keep(loop: "Loop", write: "Callable[..., None]", *what: "Any") -> None:
    if loop.option("memory"):
        _tell(loop, experience.keep(loop.project, loop.settings, loop.run, write, *what))


def _tell(loop: "Loop", line: str) -> None:
    if line:
        loop.told(line)
