"""Say whether a check passed."""

import re

from ralph_mem.core.format import listed
from ralph_mem.ralph.criteria import BROKEN, CUSTOM, FAILED, PASSED, TEST_PASS, TIMED_OUT, VACUOUS, Criterion, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.core.outputs.report import Report
    from ralph_mem.ralph.criteria.judging import Ran

MOST_NAMED = 5
NOT_STARTED = (126, 127)  # what a shell, env or npx exits with for a command it cannot start
# How tools say that what they were to run is not there. Only of what the command line itself names, or the script behind it: the
# same words about anything else are of a test that fails, and for an agent to mend.
NOT_THERE = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"can't open file '([^'\n]+)'",
        r"Can't open perl script \"([^\"\n]+)\"",
        r"^\S*sh: (?:\d+: )?cannot open ([^\s:]+)",
        r"Cannot find module '([^'\n]+)'",
        r"^ruby: No such file or directory -- (\S+)",
        r"^Could not open input file: (\S+)",
        r"No rule to make target [`']([^'\n]+)'",
        r"[Mm]issing script: \"?([\w:.-]+)",
        r"[Cc]ommand \"?([\w:.-]+)\"? not found",
        r"[Cc]ommand not found: (\S+)",
        r"[Cc]ommand '?([\w:.-]+)'? (?:is not found|could not be found)",
        r"[Ff]ailed to spawn: `([^`\n]+)`",
        r"no such command: `([^`\n]+)`",
        r"Task '([^'\n]+)' not found",
    )
)
NO_MODULE = re.compile(r"No module named '?([\w.]+)'?\)?$", re.MULTILINE)
# Runners and linters: a project that is to get one of these names of its own is not to be expected.
RUNNERS = frozenset(
    "pytest xdist pytest_cov nose nose2 tox nox coverage mypy ruff flake8 pylint pyright black isort django behave robot".split()
)
NOTHING_TO_START = re.compile(r"npx canceled due to missing packages|^make(?:\[\d+\])?: \*\*\* .*\bError 12[67]$", re.MULTILINE)
# Who could not be started, in the words of shells, env and make.
NOT_STARTED_BY_SHELL = re.compile(
    r"^(?:\S*(?:sh|env|make)\S*: )?(?:line \d+: |\d+: )?[\u2018'\"]?([^\s:'\"\u2019]+)[\u2019'\"]?:"
    r" (?:command not found|not found|No such file or directory|Permission denied|Is a directory|cannot execute\b.*)$",
    re.MULTILINE,
)
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
    if outcome.code in (0, criterion.expected):
        return "", ""
    said = ran.output[-LAST_CHARACTERS:]
    if outcome.code in NOT_STARTED:
        return BROKEN, f"exit code {outcome.code}: {_not_started(said)} is not found or not executable"
    missing = _not_there(criterion, said) if ran.report.total is None else ""
    return (BROKEN, f"{missing} is not installed, or not there") if missing else ("", "")


def _not_started(said: str) -> str:
    found = NOT_STARTED_BY_SHELL.findall(said)
    return str(found[-1]) if found else "a command in it"


def _not_there(criterion: "Criterion", said: str) -> str:
    """Return what a check lacks that it cannot run without, empty where it did run."""
    ran = f"{' '.join(criterion.argv or ())}\n{criterion.definition}"
    for module in NO_MODULE.findall(said):
        top = module.partition(".")[0]
        if top in RUNNERS or re.search(rf"-m\s*{re.escape(top)}(?![\w-])", ran):
            return str(top)
    for name in [name for pattern in NOT_THERE for name in pattern.findall(said)]:
        if re.search(rf"(?<![\w.-]){re.escape(name.rstrip('/').rpartition('/')[2])}(?![\w-])", ran):
            return str(name)
    return _not_started(said) if NOTHING_TO_START.search(said) else ""


def _wrong(criterion: "Criterion", ran: "Ran") -> str:
    """Say what is not as expected. A text is expected on top of an exit code of 0."""
    code, text = ran.outcome.code, criterion.expected if isinstance(criterion.expected, str) else None
    wanted = 0 if text is not None else criterion.expected
    if code != wanted:
        ended = f"exit code {code}" if code >= 0 else f"ended by signal {-code}"
        return _failing(ran.report) or ended + (f", and {wanted} is expected" if wanted else "")
    if text is not None and text not in ran.output:
        left_out = f" ({ran.outcome.cut} bytes of it were left out)" if ran.outcome.cut else ""
        return f"the output does not say {text!r}{left_out}"
    if code == 0 and text is None and criterion.type in (TEST_PASS, CUSTOM) and ran.report.total and ran.report.failing:
        return f"{_failing(ran.report)}, whatever the exit code of 0 says"
    return ""


def _failing(report: "Report") -> str:
    if report.failing:
        of = f" of {report.total}" if report.total is not None and report.total >= len(report.failing) else ""
        return f"{len(report.failing)}{of} {'test fails' if len(report.failing) == 1 else 'tests fail'}: {named(report.failing)}"
    if report.diagnostics:
        return f"{report.diagnostics} {'finding' if report.diagnostics == 1 else 'findings'}"
    return "no test was run" if report.total == 0 else ""


def named(ids: "Iterable[str]") -> str:
    """Return the first ids in order, and how many more there are."""
    return listed(sorted(ids), MOST_NAMED)


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
