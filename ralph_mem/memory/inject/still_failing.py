"""Tell of commands that failed last what may be told of it, and how each ended."""

from ralph_mem.core import fast
from ralph_mem.core.command_lines import folders
from ralph_mem.memory.inject import block, failure_words
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.command_lines.runs import Step

MOST_COMMANDS, MOST_CHARACTERS = 3, 110  # and characters of each
OR = "\0"  # a sign that is no pipe


def lines(ran: "list[tuple[Any, ...]]", settings: "dict[str, Any]") -> "dict[str, str]":
    """Return a line for each command that failed, of those that ran, the last one first, and that did not pass after that; with
    how it stands in its turn, which may tell it.

    A line that failed because its folder was not there has run nothing, and what only looks for something leaves nothing to mend.
    """
    seen: set[str] = set()
    read: set[tuple[str, str]] = set()  # of what passed: to read a line takes longer than all else
    passed: list[Step] = []
    failing: dict[str, str] = {}
    from ralph_mem.core.command_lines import again  # lazy: only for a command that failed

    while ran and ran[-1][0] != "error":  # what passed before the first failure says nothing of it
        ran = ran[:-1]
    for kind, title, output, public_id, facts in ran:
        if kind == "error" and folders.stayed(title, output):
            continue
        command = title.replace("||", OR).partition("|")[0].partition("2>")[0].rstrip()  # whatever its output went through
        if kind != "error":
            if not (facts and ("interrupted" in facts or "runs_on" in facts)) and (title, kind) not in read:
                passed += again.passed(title, kind == "success")
                read.add((title, kind))
        elif command not in seen and _may_be_told(title, settings) and not again.is_over(title, passed):
            words = failure_words.signed(title, failure_words.last(output, public_id))
            said = ", ".join([each for each in (_exit_code(facts), words) if each]).replace(", (", " (", 1)
            line = row.escaped(block.STILL_FAILING + title[:MOST_CHARACTERS] + (f": {said}" if said else ""))
            failing[line] = "\n  " + row.escaped(row.OUTCOMES[0] + title) + "\n"
            if len(failing) == MOST_COMMANDS:
                break
        seen.add(command)
    return failing


def _exit_code(facts: "str | None") -> str:
    """Return how a command ended, of the facts that were noted of it; nothing where a client did not say."""
    code = fast.loads(facts).get("exit") if facts else None
    return f"exit {code}" if isinstance(code, int) else ""


def _may_be_told(command: str, settings: "dict[str, Any]") -> bool:
    if not settings["privacy.exclude_paths"]:
        return True
    from ralph_mem.core.redaction import path_rules  # lazy: only for a project that excludes paths

    return not path_rules.names_excluded(command, settings)
