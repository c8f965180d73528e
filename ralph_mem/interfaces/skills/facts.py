"""The verbs by which a person sees and changes what holds beyond single turns, and what belongs to what."""

from ralph_mem.core.errors import NotAsShown, RalphMemError
from ralph_mem.core.format import day
from ralph_mem.core.redaction import stored
from ralph_mem.interfaces import verbs
from ralph_mem.memory.facts import accepting, by_hand, candidates
from ralph_mem.memory.facts import relations as known
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
NONE_WAITS = "Nothing waits for a yes or no. What you say in passing and may hold is shown here."
HOW_TO_ANSWER = "Type /mem learn {}, or /mem learn no {}; what you leave waits."
NOTHING_RELATED = "Nothing is known here of what belongs to what."
NO_SUCH_RELATION = "There is no relation with that name here; /mem relations lists those that are believed most."


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
        return "\n".join(by_hand.explained(*by_hand.look(reader, name)))
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
    reader = asked.reader(change=True)
    done = by_hand.change(reader, name, by_hand.retire if verb == "retire" else accepting.undo)
    _, fact = by_hand.look(reader, name)
    holds = [f"{other} holds again." for other in done or ()]
    return "\n".join([_line(fact), DONE[verb], *holds])


def learn(asked: "Asked") -> str:
    """Show what waits, or take in the person's answer to what was shown; only their own typed line decides."""
    reader = asked.reader(change=True)
    words = asked.text.split()
    answers = candidates.named(reader, words)
    if words and not answers:
        raise RalphMemError("that names no number, nothing was changed", "for example: /mem learn yes 1 3")
    return "\n".join([*_taken(answers), *_shown(reader)])


def _taken(answers: "list[tuple[candidates.Candidate, bool]]") -> "list[str]":
    lines = []
    for each, is_accepted in answers:
        try:
            replaced = candidates.decide(each, is_accepted)
        except NotAsShown as error:  # somebody else was quicker, or another of these answers has replaced it
            lines.append(f'"{each.fact.text}": {error}')
            continue
        word = "Holds from now on" if is_accepted else "Never proposed again"
        lines.append(f'{word}: "{each.fact.text}"' + (f" ({each.does} {', '.join(replaced)})" if replaced else ""))
    return lines


def _shown(reader: Reader) -> "list[str]":
    found = candidates.show(reader)
    if not found:
        return [NONE_WAITS]
    left = len(candidates.waiting(reader)) - len(found)
    lines = []
    for number, each in enumerate(found, 1):
        first, *rest = candidates.told(each)
        lines += [f"{number}. {first}", *[f"   {line}" for line in rest]]
    how = HOW_TO_ANSWER.format(*(("yes 1 3", 2) if len(found) > 2 else ("yes 1", len(found))))
    return [*lines, *([f"and {left} more"] if left else []), how]


def relations(asked: "Asked") -> str:
    """List the relations that are believed most, or those in which a label stands."""
    label = asked.text.strip()
    reader = asked.reader()
    told = "\n".join([text for text in [known.told(store, asked.now) for store in reader.stores] if text])
    ((most_believed,),) = stored.protect([[told]], [(0, 0)], reader.project, reader.settings)
    if not label or not most_believed:
        return most_believed or NOTHING_RELATED
    found = [
        each
        for store in reader.stores
        for parts in ((label, "", ""), ("", "", label))
        for each in known.listed(store, asked.now, parts)
    ]
    return "\n".join([known.line(each) for each in known.shown(reader, found)]) or NO_SUCH_RELATION
