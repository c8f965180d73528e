"""Running: a criterion run once, within its limits, and what its tool told of it."""

import os
import shutil
import tempfile
from collections import namedtuple

from ralph_mem.core import process
from ralph_mem.core.outputs import parsing
from ralph_mem.core.outputs.report import Report
from ralph_mem.core.redaction import terminal
from ralph_mem.ralph.criteria import finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ralph_mem.ralph.criteria import Criterion

# The client's own variables hold its keys and let a program speak to a session or believe that it is one. Other keys stay: the
# person's tests had them before the loop, and without them they would fail for a reason that nobody wrote.
OF_THE_CLIENT = ("ANTHROPIC_", "CLAUDE")
OF_OURS = ("RALPH_MEM_LOOP",)
# What a test starts is no session to remember.
ADDED = {"RALPH_MEM_RECORDING": "off"}


def of(environment: "Mapping[str, str] | None" = None) -> "dict[str, str]":
    """Return what a criterion gets of an environment, by default of our own.

    `CI` is not set: with it, tools change what they do, and the person's runs would tell something else.
    """
    given = os.environ if environment is None else environment
    return {**{name: value for name, value in given.items() if not name.startswith(OF_THE_CLIENT + OF_OURS)}, **ADDED}


Ran = namedtuple("Ran", "outcome output report")
Ran.__doc__ = """One run: the outcome of the process, its output as text (stdout, then stderr), and what could be read in it."""


def run(
    criterion: "Criterion", environment: "Mapping[str, str]", seconds: float, stopped: "Callable[[], bool] | None" = None
) -> Ran:
    """Run a criterion in its folder; it never raises for what the criterion does."""
    scratch = tempfile.mkdtemp(prefix="ralph-mem-")
    try:
        argv, more = finding.with_details(criterion, scratch)
        outcome = process.run(argv, criterion.folder, {**environment, **more}, seconds, stopped=stopped)
        output = _text(outcome)
        return Ran(outcome, output, _report(argv, outcome, output, scratch, criterion.folder))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _text(outcome: process.Outcome) -> str:
    # one after the other, since how two streams mix differs from run to run
    out, err = (terminal.plain(data.decode("utf-8", "replace")) for data in (outcome.out, outcome.err))
    return f"{out.rstrip()}\n{err}" if out.strip() and err.strip() else out or err


def _report(argv: "tuple[str, ...]", outcome: process.Outcome, output: str, scratch: str, folder: str) -> Report:
    if outcome.ended_by == "start":
        return Report()
    return parsing.parse_files(scratch, argv, folder) or parsing.parse(argv, outcome.code, output)
