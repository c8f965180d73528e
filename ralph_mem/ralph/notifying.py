"""Tell how a run ended to the next session and to a command of the user."""

import json
import os

from ralph_mem.core import news, process
from ralph_mem.ralph import run_facts, short_lines
from ralph_mem.ralph.record import HEADLESS
from ralph_mem.ralph.runs import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.ralph.loop import Loop

NOTICE_SECONDS = 10.0
NOTICE_BYTES = 4096  # of what it prints: enough to say what went wrong


def notify(command: "Sequence[str]", facts: "dict[str, Any]", seconds: float = NOTICE_SECONDS) -> str:
    """Start the command, hand it the facts on stdin, and return in a line what went wrong, nothing if all went well.

    It starts in the folder of the run, without a shell.
    """
    text, folder = json.dumps(facts, default=str).encode(), str(facts.get("folder") or "/")
    outcome = process.run(command, folder, dict(os.environ), seconds, NOTICE_BYTES, stdin=text, merged=True)
    if outcome.ended_by == "time":
        return f"the notify command took longer than {seconds:g} s and was ended"
    if outcome.ended_by == "start":
        return f"the notify command could not be started: {outcome.err.decode(errors='replace')}"
    return f"the notify command ended with {outcome.code}" if outcome.code else ""


def of_end(loop: "Loop") -> None:
    """Tell that a run is over; the session of one that works in it is told by its own hook."""
    if loop.run.mode == HEADLESS:
        news.tell(loop.project.root, short_lines.of_end(loop.run))
    command = loop.option("notify")
    wrong = notify(command, run_facts.of(loop.run, now_ms())) if command else ""
    if wrong:
        loop.told(wrong)
