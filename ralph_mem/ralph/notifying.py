"""Notifying: a command of the user hears of a run, as JSON on its stdin. It can neither fail the loop nor hold it up."""

import json
import os
import shlex

from ralph_mem.core import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MOST_SECONDS = 10.0
MOST_BYTES = 4096  # of what it prints: enough to say what went wrong


def notify(
    command: "str | Sequence[str]",
    facts: "dict[str, Any]",
    seconds: float = MOST_SECONDS,
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
    outcome = process.run(argv, folder, environment or dict(os.environ), seconds, MOST_BYTES, stdin=text, merged=True)
    if outcome.ended_by == "time":
        return f"the notify command took longer than {seconds:g} s and was ended"
    if outcome.ended_by == "start":
        return f"the notify command could not be started: {outcome.err.decode(errors='replace')}"
    return f"the notify command ended with {outcome.code}" if outcome.code else ""
