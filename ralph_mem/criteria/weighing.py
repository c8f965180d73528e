"""Weighing: whether a run passed, and in words why, from its outcome, its report and the baseline alone.

An exit code of 0 is not enough: with no test run, with fewer than at the baseline, or with newly skipped ones it says nothing.
"""

import re

from ralph_mem.criteria import BROKEN, CUSTOM, FAILED, PASSED, TEST_PASS, TIMED_OUT, VACUOUS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.criteria import Criterion, Report, Verdict
    from ralph_mem.criteria.running import Ran

MOST_NAMED = 5
NOT_STARTED = (126, 127)  # what a shell, env or npx exits with for a command it cannot start
# A runner that is not installed is nothing that an agent should be sent to repair.
MISSING = re.compile(r"^.*: No module named \S+$|npx canceled due to missing packages", re.MULTILINE)
LAST_CHARACTERS = 2_000


def weigh(criterion: "Criterion", ran: "Ran", before: "Verdict | None" = None) -> "tuple[str, str]":
    """Return the status of a run, and a line that says why. `before` is this criterion's verdict at the baseline."""
    unfinished = _unfinished(criterion, ran)
    if unfinished[0]:
        return unfinished
    wrong = _wrong(criterion, ran)
    if wrong:
        return FAILED, wrong
    vacuous = _vacuous(criterion, ran.report, before)
    if vacuous:
        return VACUOUS, vacuous
    return PASSED, _passed(ran.report)


def _unfinished(criterion: "Criterion", ran: "Ran") -> "tuple[str, str]":
    outcome = ran.outcome
    if outcome.ended_by == "start":
        return BROKEN, outcome.err.decode("utf-8", "replace")
    if outcome.ended_by == "time":
        return TIMED_OUT, f"not done after {outcome.seconds:.0f} s, and ended"
    if outcome.ended_by == "stop":
        return BROKEN, "stopped before it was done"
    if outcome.code in NOT_STARTED and outcome.code != criterion.expected:
        return BROKEN, f"exit code {outcome.code}: a command in it is not found or not executable"
    if outcome.code and ran.report.total is None and MISSING.search(ran.output[-LAST_CHARACTERS:]):
        return BROKEN, "the program that would check this is not installed"
    return "", ""


def _wrong(criterion: "Criterion", ran: "Ran") -> str:
    """Say what is not as expected. A text is expected on top of an exit code of 0."""
    code, text = ran.outcome.code, criterion.expected if isinstance(criterion.expected, str) else None
    wanted = 0 if text is not None else criterion.expected
    if code != wanted:
        return _failing(ran.report) or _ended(code) + (f", and {wanted} is expected" if wanted else "")
    if text is not None and text not in ran.output:
        left_out = f" ({ran.outcome.cut} bytes of it were left out)" if ran.outcome.cut else ""
        return f"the output does not say {text!r}{left_out}"
    return ""


def _ended(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"ended by signal {-code}"


def _failing(report: "Report") -> str:
    if report.failing:
        of = f" of {report.total}" if report.total is not None and report.total >= len(report.failing) else ""
        return f"{len(report.failing)}{of} {'test fails' if len(report.failing) == 1 else 'tests fail'}: {named(report.failing)}"
    if report.diagnostics:
        return f"{report.diagnostics} {'finding' if report.diagnostics == 1 else 'findings'}"
    return "no test was run" if report.total == 0 else ""


def named(ids: "Iterable[str]") -> str:
    """Return the first ids in order, and how many more there are."""
    every = sorted(ids)
    return ", ".join(every[:MOST_NAMED]) + (f" and {len(every) - MOST_NAMED} more" if len(every) > MOST_NAMED else "")


def _vacuous(criterion: "Criterion", report: "Report", before: "Verdict | None") -> str:
    if criterion.type not in (TEST_PASS, CUSTOM) or (criterion.expected != 0 and not isinstance(criterion.expected, str)):
        return ""  # whoever expects another exit code knows what it stands for
    if report.total == 0:
        return "no test was run"
    if before is None:
        return ""
    if before.total and report.total is None:
        return f"the output does not say any more how many tests ran: {before.total} at the start"
    if before.total and report.total < before.total:
        return f"fewer tests than at the start: {report.total}, then {before.total}"
    skipped = set(report.skipped) - set(before.skipped)
    return f"skipped, and not skipped at the start: {named(skipped)}" if skipped else ""


def _passed(report: "Report") -> str:
    if report.total:
        return f"{report.total} {'test passes' if report.total == 1 else 'tests pass'}"
    return "nothing found" if report.diagnostics == 0 else "as expected"
