"""Run one pass of the loop around its agent, from its prompt to checks, record and decision.

It is the same headless and in session: only who the agent is differs. The command that a user has told of a run can neither
fail the loop nor hold it up.
"""

import json
import os
import shlex

from ralph_mem.core import process
from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.redaction import privacy
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import display, experience, files, leftovers, progress, prompt, record, runs, stop_reasons
from ralph_mem.ralph.criteria import FAILED, PASSED, judging, weighing
from ralph_mem.ralph.runs import MEANWHILE, now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ralph_mem.ralph.criteria import Verdict
    from ralph_mem.ralph.runs import Loop

NOTICE_SECONDS = 10.0
NOTICE_BYTES = 4096  # of what it prints: enough to say what went wrong


def notify(
    command: "str | Sequence[str]",
    facts: "dict[str, Any]",
    seconds: float = NOTICE_SECONDS,
    folder: str = "",
    environment: "Mapping[str, str] | None" = None,
) -> str:
    """Start the command, hand it the facts, and return in a line what went wrong, nothing if all went well.

    It starts in the folder of the run, or in another one. No shell: a text is split as a shell would, and that is all; the
    facts stand on stdin alone.
    """
    try:
        argv = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        return f"the notify command cannot be read: {error}"
    text = json.dumps(facts, default=str).encode()
    folder = folder or str(facts.get("folder") or "/")
    outcome = process.run(argv, folder, environment or dict(os.environ), seconds, NOTICE_BYTES, stdin=text, merged=True)
    if outcome.ended_by == "time":
        return f"the notify command took longer than {seconds:g} s and was ended"
    if outcome.ended_by == "start":
        return f"the notify command could not be started: {outcome.err.decode(errors='replace')}"
    return f"the notify command ended with {outcome.code}" if outcome.code else ""


# What is kept of the agent's last words: enough to see what it believed, too little to crowd out what is known.
MESSAGE_CHARACTERS = 1_000
# A Stop hook has an hour (hooks.json), of which files and record take seconds.
SECONDS_OF_STOP = 3_500
PLAN = "plan"  # the type of the verdict on a plan file
# After these there is nothing to judge: the agent was never at work, or was told to stop.
UNJUDGED = (launch.STOPPED, launch.MISSING, launch.RATE_LIMITED)


def begin(loop: "Loop", most_characters: int = 0) -> str:
    """Begin the next iteration; returns what its agent is told, in so many characters where there is a limit. Raises LoopError."""
    known = experience.NOTHING
    if loop.option("memory"):
        known = experience.know(loop.project, loop.settings, loop.run)
    number = loop.run.next_number()
    text, loop.facts = prompt.build(loop.run, number, known, plan_text(loop), loop.option("prompt_tokens"), most_characters)
    loop.note("begun", number=number, prompt=loop.facts)
    loop.begun = now_ms()
    if loop.option("memory"):
        _tell(loop, experience.keep_prompt(loop.project, loop.settings, loop.run, loop.facts, loop.begun))
    return text


def plan_text(loop: "Loop") -> str:
    """Return the plan as it stands now, empty without one."""
    return prompt.read(loop.project.top, loop.option("plan")) if loop.option("plan") else ""


def conclude(loop: "Loop", answer: "launch.Answer") -> progress.Decision:
    """Look at what the agent has done, write it down and decide whether to go on; a run that is over is ended."""
    try:
        iteration = _looked_at(loop, answer)
    except SnapshotError as error:
        return end(loop, "snapshot_failed", f"{error} ({error.hint})" if error.hint else str(error))
    entry = record.entry_of(iteration)
    record.append(loop.path, entry)
    loop.run.add(entry)
    files.settle(loop, iteration.number)
    if loop.option("memory"):
        _tell(loop, experience.keep_iteration(loop.project, loop.settings, loop.run, iteration))
    loop.told(display.line(loop.run, iteration, now_ms()))
    return decide(loop)


def decide(loop: "Loop") -> progress.Decision:
    """Decide whether to go on, and write that down; a run that is over is ended."""
    at = now_ms()
    decided = progress.decide(loop.run, at)
    number = loop.run.iterations[-1].number if loop.run.iterations else 0
    loop.note("decision", number=number, go_on=decided.go_on, reason=decided.reason, why=decided.why, now=at)
    return decided if decided.go_on else end(loop, decided.reason, decided.why)


def _looked_at(loop: "Loop", answer: "launch.Answer") -> record.Iteration:
    """Return the iteration: the files as the agent left them, and what the checks say of them."""
    number = loop.run.next_number()
    left = files.after(loop, number)
    asked = runs.is_asked_to_stop
    seconds = SECONDS_OF_STOP if loop.run.mode == record.IN_SESSION else None
    verdicts = [] if answer.kind in UNJUDGED else judge(loop, answer.message, lambda: asked(loop.project, loop.run.id), seconds)
    message, why = safe(loop, answer.message[-MESSAGE_CHARACTERS:], "; ".join([answer.why, *answer.denials]).strip("; "))
    return record.NO_ITERATION._replace(
        number=number, started=loop.begun, ended=now_ms(), kind=answer.kind, why=why, verdicts=verdicts, tree=left.tree,
        snapshot=left.snapshot, changed=left.changed, tampered=safe(loop, *left.tampered) if left.tampered else [],
        cost=_cost(loop, answer), tokens=answer.tokens, message=message, prompt=loop.facts,
    )  # fmt: skip


def _cost(loop: "Loop", answer: "launch.Answer") -> "float | None":
    """Return what the agent cost. A claude that was ended tells no price: it counts as the others did, or as all it was given."""
    known = sorted([each.cost for each in loop.run.iterations if each.cost])
    if answer.cost is not None or loop.run.limits.cost is None or loop.option("agent") or loop.run.mode != record.HEADLESS:
        return float(answer.cost) if answer.cost is not None else None
    return float(known[len(known) // 2] if known else loop.run.limits.cost)


def judge(
    loop: "Loop", message: str = "", stopped: "Callable[[], bool] | None" = None, seconds: "float | None" = None
) -> "list[Verdict]":
    """Return what the checks say of the files as they are, redacted; a plan that is not done is a check as well.

    `seconds` is for all of them together: what is not checked by then has timed out.
    """
    verdicts = judging.judge(
        loop.criteria(),
        loop.project.top,
        baseline=loop.run.baseline or None,
        message=message,
        nonce=loop.run.nonce,
        promise=loop.run.promise,
        environment={**os.environ, leftovers.MARK: loop.run.id},
        told=lambda criterion, _position: loop.told(f"{MEANWHILE}checking: {criterion.name}"),
        known=weighing.known(loop.project, before=loop.run.started / 1000),  # not what this run found itself
        protect=lambda texts: safe(loop, *texts),
        seconds=seconds,
        stopped=stopped,
    )
    weighing.remember(loop.project, [(verdict.name, test) for verdict in verdicts for test in verdict.flaky])
    return [*verdicts, *_of_plan(loop)]


def _of_plan(loop: "Loop") -> "list[Verdict]":
    if not loop.option("plan"):
        return []
    text = plan_text(loop)
    waiting, total = prompt.open_tasks(text), len(prompt.tasks_of(text))
    status = PASSED if total and not waiting else FAILED
    why = f"{len(waiting)} of {total} tasks are open" if waiting else "every task is ticked off" if total else "it holds no task"
    found = record.NO_VERDICT._replace(type=PLAN, name=loop.option("plan"), status=status, why=why, total=total)
    return [found._replace(failing=dict.fromkeys(safe(loop, *waiting), "open") if waiting else {})]


def safe(loop: "Loop", *texts: str) -> "list[str]":
    """Return texts as they may be stored."""
    return privacy.protect(list(texts), loop.project, loop.settings)[0]


def end(loop: "Loop", reason: str, why: str = "") -> progress.Decision:
    """End a run for one of the reasons; returns that there is nothing to go on with."""
    (why,) = safe(loop, why)
    loop.note("end", status=stop_reasons.status_of(reason), reason=reason, why=why)
    if loop.option("memory"):
        _tell(loop, experience.keep_end(loop.project, loop.settings, loop.run))
    _notify(loop)
    return progress.Decision(False, reason, why)


def _notify(loop: "Loop") -> None:
    if loop.option("notify"):
        _tell(loop, notify(loop.option("notify"), display.facts(loop.run, now_ms())))


def _tell(loop: "Loop", line: "str | None") -> None:
    if line:
        loop.told(line)
