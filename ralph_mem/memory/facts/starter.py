"""Small sets of rules that many projects have, proposed on request to one that has none yet."""

import time

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.memory import access
from ralph_mem.memory.facts import decision, taking
from ralph_mem.memory.rows import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.facts.taking import Taken

# Each a statement that a person can accept as it stands. What differs from project to project is in none of them.
SETS = {
    "changes": (
        "Run the tests before you say that a change is done.",
        "Keep a change to what was asked for; name what else you found instead of mending it.",
        "Ask before you delete files, rewrite history or change a public interface.",
    ),
    "commits": (
        "Write the subject of a commit in the imperative, in at most 72 characters, and the reason below it.",
        "Commit one idea at a time, with its tests and its documentation.",
        "Never commit secrets, generated files or what .gitignore names.",
    ),
    "tests": (
        "Mend the code and not the test, unless the test is wrong.",
        "Never skip, delete or loosen a failing test to make it pass.",
        "Begin the repair of a bug with a test that fails because of it.",
    ),
}


def load(project: "Project", settings: "dict[str, Any]", name: str) -> "list[Taken]":
    """Propose the statements of a set as candidates; returns what became of each. What is there already is proposed no second time.

    They are told to nobody before a person has accepted them. Raises RalphMemError for an unknown set, and where recording is off.
    """
    if name not in SETS:
        raise RalphMemError(f"there is no set {name[:40]}", "one of " + ", ".join(SETS))
    effective.need_recording(project, settings)
    now = time.time_ns() // 1_000_000
    opened = access.to_write(project)
    try:
        with access.Change(opened):
            # as what somebody may prefer: a rule would be quoted as the person's own words before anybody looked at it
            said = [taking.Statement(text, facts.PREFER, facts.PROPOSAL, now) for text in SETS[name]]
            return [taking.take(opened, statement, now) for statement in said]
    finally:
        opened.close()


def proposed(taken: "list[Taken]") -> "list[str]":
    """Return the ids of what was proposed and not there before."""
    return [each.public_id for each in taken if each.verb != decision.NOOP]
