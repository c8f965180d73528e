"""Running: a criterion run once, within its limits, and what its tool told of it."""

import shutil
import tempfile
from collections import namedtuple

from ralph_mem import process
from ralph_mem.core import terminal
from ralph_mem.criteria import Report, finding, parsing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ralph_mem.criteria import Criterion

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
