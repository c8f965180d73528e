"""Take in what an agent would have kept, or a set of rules, for a person to decide.

Until then nobody is told of it, and no search finds it.
"""

import time

from ralph_mem.core.errors import RalphMemError, StoreError
from ralph_mem.core.redaction import blocks, gate, privacy
from ralph_mem.core.settings import effective
from ralph_mem.memory import access, opening
from ralph_mem.memory.facts import by_hand, decision, taking, wording
from ralph_mem.memory.rows import facts, index_text, shingles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.facts.taking import Taken
    from ralph_mem.memory.store.connection import Store

MOST_CHARACTERS = 1_000
MOST_WAITING = 20  # a person answers five at a glance: more than four times that is a heap that nobody reads
NAME_CHARACTERS = 40
HOW = "`/mem learn` in a session, or `ralph-mem learn --review`"


def propose(
    project: "Project", settings: "dict[str, Any]", text: str, client: str, session: str = "", wait_ms: int = access.WAIT_MS
) -> "Taken":  # fmt: skip
    """Let a statement of an agent wait for a person; one that waits or is known already changes nothing. Returns what became of it.

    `client` is what the agent's program calls itself, `session` the client's id of the session. Raises RalphMemError where
    recording is off, for a text that is empty, too long or quotes what was told, and where enough wait; whatever SQLite raises
    where the memory is busy.
    """
    if not effective.recording(project, settings, session):
        raise RalphMemError("recording is switched off here, nothing was proposed", "a person switches it on: `ralph-mem resume`")
    safe, redactions = _safe(text, project, settings)
    (name,), _ = privacy.protect([" ".join(gate.clean(client).split())], project, settings)
    with access.Change(_open(project, wait_ms), closes=True) as opened:
        at = time.time_ns() // 1_000_000
        is_from_outside = bool(session) and shingles.repeats(opened, session, safe)
        known: dict[str, Any] = {"proposed_by": name[:NAME_CHARACTERS], "is_from_outside": is_from_outside}
        statement = taking.Statement(
            safe, decision.kind_of(safe), facts.PROPOSAL, at, origin=taking.AGENT, redactions=redactions, **known
        )
        return _taken(opened, statement, at)


def _safe(text: str, project: "Project", settings: "dict[str, Any]") -> "tuple[str, str | None]":
    """Return a statement as it may be stored, and what was cut out of it."""
    statement = " ".join(text.split())
    if len(text) > MOST_CHARACTERS:
        raise RalphMemError(f"{len(text):,} characters are too long", f"at most {MOST_CHARACTERS:,}: propose one statement")
    if privacy.INJECTED in text:
        raise RalphMemError("the text quotes what ralph-mem told", "it is remembered already: propose what is new")
    (safe,), redactions = privacy.protect([statement], project, settings)
    if not index_text.without_marks(safe).replace(blocks.PRIVATE, "").strip():
        raise RalphMemError("there is nothing to propose", "say it in a sentence")
    return safe, redactions


def _open(project: "Project", wait_ms: int) -> "Store":
    try:
        opened = opening.open_ready(project, wait_ms)
    except OSError as error:
        raise StoreError(
            f"cannot write to {project.folder}: {error.strerror}", "is the folder yours, and the disk not full?"
        ) from error
    opening.notice(opened, project)  # this may be the first that the machine hears of a project
    return opened


def _taken(store: "Store", statement: "taking.Statement", at: int) -> "Taken":
    facts.make(store)
    waiting = facts.of_status(store, facts.PROPOSED)
    same = [fact for fact in waiting if fact.text_key == wording.key(statement.text)]
    if same:
        return taking.Taken(decision.NOOP, same[0].public_id, same[0].public_id, 1.0)
    if len(waiting) >= MOST_WAITING:
        raise RalphMemError(f"{len(waiting)} proposals wait already", f"a person says yes or no to them: {HOW}")
    return taking.take(store, statement, at)


def told(taken: "Taken") -> str:
    """Say what became of a proposal."""
    if taken.verb != decision.NOOP:
        return f"Proposed as {taken.public_id}. It is told to nobody before a person confirms it: {HOW}."
    if taken.public_id:
        return f"Nothing new: {taken.public_id} says it, or waits for a person's yes or no."
    return "A person said no to this before: nothing was proposed." if taken.target else by_hand.MEANS_NONE


# Small sets of rules that many projects have, for one that has none yet.

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


def propose_set(project: "Project", settings: "dict[str, Any]", name: str) -> "list[Taken]":
    """Propose the statements of a set as candidates; returns what became of each. What is there already is proposed no second time.

    They are told to nobody before a person has accepted them. Raises RalphMemError for an unknown set, and where recording is off.
    """
    if name not in SETS:
        raise RalphMemError(f"there is no set {name[:40]}", "one of " + ", ".join(SETS))
    effective.need_recording(project, settings)
    now = time.time_ns() // 1_000_000
    with access.writing(project) as opened:
        # as what somebody may prefer: a rule would be quoted as the person's own words before anybody looked at it
        said = [taking.Statement(text, facts.PREFER, facts.PROPOSAL, now) for text in SETS[name]]
        return [taking.take(opened, statement, now) for statement in said]


def new_ids(taken: "list[Taken]") -> "list[str]":
    """Return the ids of what was proposed and not there before."""
    return [each.public_id for each in taken if each.verb != decision.NOOP]
