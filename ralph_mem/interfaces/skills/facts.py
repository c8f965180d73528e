"""The verb by which a person sees and changes what holds beyond single turns."""

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import day
from ralph_mem.interfaces import verbs
from ralph_mem.memory import access
from ralph_mem.memory.facts import accepting, by_hand
from ralph_mem.memory.recall.lookup import Reader
from ralph_mem.memory.rows import facts as rows
from ralph_mem.memory.rows import prompts, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked
    from ralph_mem.memory.store.connection import Store

MOST_LISTED = 20
NOTHING = "Nothing is known here that holds beyond single turns. /mem facts add TEXT keeps a statement."
NOT_YET = "Your notes are kept, and become facts when they are looked at, after a later turn. /mem facts add TEXT makes one now."
AS_IN_A_TERMINAL = ("show", "history")  # what explains one there
DONE = {"retire": "It holds no longer, and stays in the history.", "undo": "Taken back."}


def facts(asked: "Asked") -> str:
    """List facts and candidates, explain the one of an id, or add, retire or undo one."""
    word, rest = [*asked.text.split(None, 1), "", ""][:2]
    if word == "add" and rest.strip():
        return _added(asked, rest)
    if word in DONE and rest.strip():
        return _changed(asked, word, rest.strip())
    if word in ("add", *DONE):
        missing = "a statement" if word == "add" else "an id"
        raise RalphMemError(f"/mem facts {word} needs {missing} behind it", "/mem facts lists them")
    reader = asked.reader()
    name = rest.strip() if word in AS_IN_A_TERMINAL else "" if rest else word
    if row.is_public_id(name):
        return "\n".join(by_hand.explained(*by_hand.find(reader, name)))
    if word:
        raise RalphMemError(f"/mem facts knows no {word[:40]}", verbs.usage(verbs.OF["facts"], "/mem "))
    return _listed(reader, asked.now)


def _listed(reader: Reader, now: int) -> str:
    found = by_hand.listed(reader, rows.THERE, "", now)
    lines = [_line(fact) for fact in found[:MOST_LISTED]]
    more = [f"and {len(found) - MOST_LISTED} more; `ralph-mem facts` lists all"] if len(found) > MOST_LISTED else []
    return "\n".join([*lines, *more]) or (NOT_YET if _notes_wait(reader.stores[0]) else NOTHING)


def _notes_wait(store: "Store") -> bool:
    """Say whether a person has kept notes of which no facts were made yet, nor could be while there is no table of them."""
    return bool(rows.untaken_notes(store)) if rows.are_there(store) else prompts.are_notes_there(store)


def _line(fact: "rows.Fact") -> str:
    kind = fact.kind if fact.status == rows.ACTIVE else f"{fact.kind}, {fact.status}"
    return f"{fact.public_id}  {day(fact.said_at)}  {kind}: {fact.text}"


def _added(asked: "Asked", text: str) -> str:
    taken = by_hand.keep(asked.project, asked.project, asked.settings, text, session=asked.session)
    return by_hand.told(taken).replace("`facts undo", "`/mem facts undo")


def _changed(asked: "Asked", verb: str, name: str) -> str:
    reader = Reader(access.to_change(asked.project), asked.project, asked.settings)
    done = by_hand.change(reader, name, by_hand.retire if verb == "retire" else accepting.undo)
    _, fact = by_hand.find(reader, name)
    holds = [f"{other} holds again." for other in done or ()]
    return "\n".join([_line(fact), DONE[verb], *holds])
