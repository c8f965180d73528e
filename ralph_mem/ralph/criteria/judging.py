"""Run all checks in their order and say what each came to, with its evidence."""

import os
import re
import shutil
import time
from collections import namedtuple

from ralph_mem.core import process
from ralph_mem.core.outputs import parsing
from ralph_mem.core.outputs.report import Report
from ralph_mem.core.redaction import terminal
from ralph_mem.ralph import leftovers
from ralph_mem.ralph.criteria import FAILED, MARKER, PASSED, TIMED_OUT, Criterion, Verdict, excerpts, finding, flaky

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any


# The client's own variables hold its keys and let a program speak to a session or believe that it is one. Other keys stay: the
# person's tests had them before the loop, and without them they would fail for a reason that nobody wrote.
OF_THE_CLIENT = ("ANTHROPIC_", "CLAUDE")
OF_OURS = ("RALPH_MEM_LOOP",)
# What a test starts is no session to remember.
ADDED = {"RALPH_MEM_RECORDING": "off"}


def environment_of(environment: "Mapping[str, str] | None" = None) -> "dict[str, str]":
    """Return what a criterion gets of an environment, by default of our own.

    `CI` is not set: with it, tools change what they do, and the person's runs would tell something else.
    """
    given = os.environ if environment is None else environment
    return {**{name: value for name, value in given.items() if not name.startswith(OF_THE_CLIENT + OF_OURS)}, **ADDED}


Ran = namedtuple("Ran", "outcome output report")
Ran.__doc__ = """One run: the outcome of the process, its output as text (stdout, then stderr), and what could be read in it."""


def run_once(
    criterion: "Criterion", environment: "Mapping[str, str]", seconds: float, stopped: "Callable[[], bool] | None" = None
) -> Ran:
    """Run a criterion in its folder; it never raises for what the criterion does."""
    scratch = leftovers.folder()
    try:
        argv = finding.with_details(criterion, scratch)
        outcome = process.run(argv, criterion.folder, environment, seconds, stopped=stopped)
        output = _text(outcome)
        return Ran(outcome, output, _report(criterion.argv, outcome, output, scratch, criterion.folder))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _text(outcome: process.Outcome) -> str:
    # one after the other, since how two streams mix differs from run to run
    out, err = (terminal.plain(data.decode("utf-8", "replace")) for data in (outcome.out, outcome.err))
    return f"{out.rstrip()}\n{err}" if out.strip() and err.strip() else out or err


def _report(argv: "tuple[str, ...]", outcome: process.Outcome, output: str, scratch: str, folder: str) -> Report:
    if outcome.ended_by == "start":
        return Report()
    if finding.is_unittest(argv) and outcome.code == 0 and not os.path.exists(os.path.join(scratch, parsing.REPORT)):
        return Report(0)  # whoever ended it so, what is printed may be anybody's
    return parsing.parse_files(scratch, argv, folder) or parsing.parse(argv, outcome.code, output)


# What opens a block of code; a line with more of its backticks is none.
FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")


def line(promise: str, nonce: str) -> str:
    """Return the line that an agent has to end with. The nonce is new in each run: an earlier run's line is nobody's."""
    return " ".join(f"{promise} {nonce}".split())


def is_given(message: str, promise: str, nonce: str) -> bool:
    """Say whether the last line of an agent's last message is the marker, whitespace aside.

    In prose, as a quotation, in an open block of code, or with text after it, it is talk about the marker.
    """
    if not promise.split() or not nonce.split():
        return False
    lines = [" ".join(text.split()) for text in message.splitlines()]
    lines = [text for text in lines if text]
    return bool(lines) and lines[-1] == line(promise, nonce) and not _in_a_fence(lines[:-1])


def _in_a_fence(lines: "list[str]") -> bool:
    """Say whether a block of code is still open: only as many of its own marks close it, and nothing beside them."""
    fence = ""
    for text in lines:
        found = FENCE.match(text)
        if not fence:
            fence = found[0] if found else ""
        elif text.startswith(fence) and not text.strip(fence[0]):
            fence = ""
    return bool(fence)


# An id tells which test fails; of thousands that fail, nobody reads each message.
MOST_MESSAGES = 100
NO_TIME = "no time was left to run it"

_Court = namedtuple("_Court", "folder environment until known protect stopped")


def judge(  # noqa: PLR0913, PLR0917 - what is judged, what it is compared with, and what it may cost
    criteria: "Iterable[Criterion]", folder: str, baseline: "list[Verdict] | None" = None, message: str = "", nonce: str = "",
    promise: str = "", environment: "Mapping[str, str] | None" = None, seconds: "float | None" = None,
    told: "Callable[[Criterion, int], Any] | None" = None, known: "Iterable[tuple[str, str]]" = (),
    protect: "Callable[[list[str]], list[str]] | None" = None, stopped: "Callable[[], bool] | None" = None,
) -> "list[Verdict]":  # fmt: skip
    """Run every criterion, whatever the ones before came to, and return a verdict for each in their order.

    `baseline` are the verdicts of the start; `message`, `nonce` and `promise` are what a marker is judged by; `seconds` caps all
    of it; `told` hears each criterion and its number from 1 on before it runs. `known` are the pairs of criterion and id that
    were flaky before the loop (`flaky.known`, as it was at its start). `protect` cuts secrets out of texts.
    """
    until = float("inf") if seconds is None else time.monotonic() + seconds
    court = _Court(folder, environment_of(environment), until, set(known), protect, stopped)
    before = {(verdict.type, verdict.name): verdict for verdict in baseline or ()}
    verdicts: list[Verdict] = []
    for position, criterion in enumerate(criteria, 1):
        if told:
            told(criterion, position)
        if criterion.type == MARKER:
            verdicts.append(_of_marker(criterion, message, promise, nonce))
        else:
            verdicts.append(_of_run(criterion, before.get((criterion.type, criterion.name)), court))
    return verdicts


def _of_marker(criterion: "Criterion", message: str, promise: str, nonce: str) -> Verdict:
    given = is_given(message, promise, nonce)
    why = "the last message ends with the marker" if given else "the last message does not end with the marker"
    return Verdict(criterion.type, criterion.name, PASSED if given else FAILED, why, None, {}, [], None, "", 0.0, [])


def _of_run(criterion: "Criterion", before: "Verdict | None", court: _Court) -> Verdict:
    started = time.monotonic()
    if court.until <= started:
        return Verdict(criterion.type, criterion.name, TIMED_OUT, NO_TIME, None, {}, [], None, "", 0.0, [])
    first = _run(criterion, criterion.seconds, court)
    end = min(started + criterion.seconds, court.until)

    def run_again(chosen: "Criterion") -> "Ran | None":
        # each run may take as long as the first one, which took less than half of its time
        left = end - time.monotonic()
        is_stopped = court.stopped is not None and court.stopped()
        return _run(chosen, left, court) if left > first.outcome.seconds and not is_stopped else None

    known = {name for criterion_name, name in court.known if criterion_name == criterion.name}
    known |= set(before.flaky) if before else set()
    judged = flaky.repeat(criterion, first, before, known, run_again)
    return _verdict(criterion, first, judged, time.monotonic() - started, court)


def _run(criterion: "Criterion", seconds: float, court: _Court) -> "Ran":
    seconds = min(seconds, court.until - time.monotonic())
    ran = run_once(criterion, court.environment, seconds, court.stopped)
    return ran._replace(report=_safe(ran.report, court.protect)) if court.protect else ran


def _safe(report: Report, protect: "Callable[[list[str]], list[str]]") -> Report:
    """Return a report without secrets, its ids included: a test's parameters are part of its id."""
    failing, skipped = list(report.failing), list(report.skipped)
    texts = protect([*failing, *skipped, *report.failing.values()]) if failing or skipped else []
    count, messages = len(failing), texts[len(failing) + len(skipped) :]
    return report._replace(
        failing={name: messages[at] for at, name in enumerate(texts[:count])}, skipped=texts[count : count + len(skipped)]
    )


def _verdict(criterion: "Criterion", first: "Ran", judged: flaky.Repeated, seconds: float, court: _Court) -> Verdict:
    report: Report = first.report
    wrong = judged.status != PASSED
    failing = sorted(report.failing) if wrong else []
    told = {name: report.failing[name] if at < MOST_MESSAGES else "" for at, name in enumerate(failing)}
    return Verdict(
        criterion.type,
        criterion.name,
        judged.status,
        court.protect([judged.why])[0] if court.protect else judged.why,
        report.total,
        told or {name: "failed when it was run again" for name in judged.flaky if judged.status == FAILED},
        sorted(report.skipped),
        report.diagnostics,
        excerpts.of(first.output, court.folder, court.protect) if wrong else "",
        round(seconds, 3),
        list(judged.flaky),
    )
