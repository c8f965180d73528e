"""Tell of commands that failed last what may be told of it, and how each ended."""

from ralph_mem.core import fast
from ralph_mem.memory.inject import block, failure_words
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_COMMANDS, MOST_CHARACTERS = 3, 110  # and characters of each


def lines(ran: "list[tuple[Any, ...]]", settings: "dict[str, Any]") -> "list[str]":
    """Return a line for each command that failed, of those that ran, the last one first, and that did not pass after that."""
    seen: set[str] = set()
    failing = []
    for kind, title, output, public_id, facts in ran:
        command = title.partition("|")[0].partition("2>")[0].rstrip()  # whatever its output went through
        if kind == "error" and command not in seen and _may_be_told(title, settings):
            said = _exit_code(facts) + failure_words.signed(title, failure_words.last(output, public_id))
            failing.append(row.escaped(f"{block.STILL_FAILING}{title[:MOST_CHARACTERS]}: {said}"))
        seen.add(command)
    return failing[:MOST_COMMANDS]


def _exit_code(facts: "str | None") -> str:
    """Return how a command ended, of the facts that were noted of it; nothing where a client did not say."""
    code = fast.loads(facts).get("exit") if facts else None
    return f"exit {code}, " if isinstance(code, int) else ""


def _may_be_told(command: str, settings: "dict[str, Any]") -> bool:
    if not settings["privacy.exclude_paths"]:
        return True
    from ralph_mem.core.redaction import path_rules  # lazy: only for a project that excludes paths

    return not path_rules.names_excluded(command, settings)
