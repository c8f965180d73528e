"""Copy a fact or a note of a project to all projects, with where it came from."""

import time

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory import access, notes_by_hand, undoing
from ralph_mem.memory.facts import decision, taking
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.facts.taking import Statement, Taken
    from ralph_mem.memory.recall.lookup import Reader, Row


def promote(reader: "Reader", public_id: str) -> "Taken":
    """Take a fact that holds, or a short note of a person, into the facts of all projects; returns what it meant for those.

    The original stays as it is, and its id is among the sources of the copy. Raises RalphMemError for anything else, for what came
    from outside or holds in all projects already, and without a home.
    """
    found = lookup.find(reader, public_id)
    everywhere = projects.everywhere()
    if everywhere is None:
        raise RalphMemError("there is no home folder for what holds in all projects", "set HOME")
    if lookup.is_global(found):
        raise RalphMemError(f"{public_id} holds in all projects already", f"`ralph-mem show {public_id}` shows it")
    statement, now = _statement(found), time.time_ns() // 1_000_000
    with access.writing(everywhere) as opened:
        taken = taking.take(opened, statement, now)
        if taken.public_id:
            undoing.pass_over(opened, taken.public_id, now)
        return taken


def _statement(found: "Row") -> "Statement":
    """Return what a row says as a statement of the person who promotes it. Raises RalphMemError where it says none."""
    fact = facts.of_id(found.store, found.public_id)
    if notes_by_hand.is_from_outside(found) or (found.type == row.NOTE and found.origin != "user"):
        raise RalphMemError(f"{found.public_id} is nobody's own words", "`ralph-mem inject --global` keeps it in yours")
    if not (fact and fact.status == facts.ACTIVE) and found.type != row.NOTE:
        hint = "`ralph-mem facts accept ID` makes a candidate a fact"
        raise RalphMemError(f"{found.public_id} is neither a note nor a fact that holds", hint)
    text = " ".join(f"{found.asked} {found.said if found.type == row.NOTE else ''}".split())
    if len(text) > facts.STATEMENT_CHARACTERS:
        raise RalphMemError(
            f"{found.public_id} is longer than a statement", "`ralph-mem inject --global` keeps notes of any length"
        )
    kind, aliases = (fact.kind, fact.aliases) if fact else (decision.kind_of(text), "")
    return taking.Statement(text, kind, facts.ADD, found.at, found.public_id, aliases=aliases)
