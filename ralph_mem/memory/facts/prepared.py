"""Prepare what hooks tell of facts, so that they read a property of a memory and look nothing up.

For a start these are whole lines, in the words of the facts and priced; for a search how strong each fact is.

Each change of a fact drops what was prepared, and so does whatever takes its words away. Whoever needs it next makes it anew: the
learner, a command, or at worst a session's start.
"""

from ralph_mem.core import fast
from ralph_mem.core.format import day
from ralph_mem.memory.facts import mining, strength, wording
from ralph_mem.memory.inject import standing
from ralph_mem.memory.rows import fact_queries, facts, row
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.memory.inject.standing import Command, Line
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

    Against = dict[str, dict[str, float]]

# More than a briefing has room for, since the project's instructions may say some of it, and paths may be gone.
MOST_STATEMENTS, STATEMENT_CHARACTERS = 24, 240
SAID, PROPOSED = "- you said: ", "- proposed: "
BEFORE, DOUBT = "before that", "may contradict"
# Of what was counted: it comes last, and only where statements leave room.
MOST_HINTS, WEEK_MS = 2, 7 * 86_400_000
# Who says one of these may mean the whole project; who says `this folder` does not.
HERE = frozenset("here hier ici aquí aqui".split())
# Between facts of one score what says how to do something comes first, then what happened, then what is so.
PLACES = {"procedural": 0, "episodic": 1, "semantic": 2}
# Properties of a database, which the outcomes of facts write.
CLOCK, PACE = "facts_clock", "facts_pace"


def clock(store: "Store", now: int) -> "strength.Clock":
    """Return the clocks of a memory at a time in ms, as they were counted last: to look never moves the access clock."""
    return strength.Clock(int(store.property(CLOCK) or 0), now, float(store.property(PACE) or 1.0))


def write(store: "Store", at: int) -> "dict[str, str]":
    """Prepare what a memory's facts are told as, at a time in ms, and return it by the name of its property.

    The caller holds the transaction. Of a memory that is open for reading alone it is returned, and nothing is written.
    """
    against = _contradictions(store)
    commands = [[_short(fact.text).replace("(passed ", "("), fact.public_id] for fact in fact_queries.commands(store)]
    notes = facts.read(store, "WHERE o.type = 'note' AND f.status = 'active' AND f.anchors NOT NULL")
    lines = _ready(_lines(store, against, at), commands, notes)
    folders = _folders(store)
    if folders:
        lines["folders"] = folders
    made = {connection.STANDING: fast.dumps(lines), facts.GAINS: fast.dumps(_gains(store, against, at))}
    is_reader = store.one("PRAGMA query_only")[0]
    for name, text in made.items():
        if not is_reader and store.property(name) != text:
            store.set_property(name, text)
    return made


def _folders(store: "Store") -> "dict[str, str]":
    """Return by the ids of facts that speak of the folder alone in which they were said which one that is."""
    said_in = facts.read(store, "WHERE f.status IN (?, ?, ?) AND instr(coalesce(o.metadata, ''), '\"folder\"')", facts.THERE)
    return {fact.public_id: fact.metadata["folder"] for fact in said_in if HERE.isdisjoint(wording.folded(fact.text).split())}


def _contradictions(store: "Store") -> "Against":
    """Return what facts contradict, or would take back, with how sure that is, by the id of the newer one of two."""
    against: Against = {}
    for one, other, kind, score, *_ in facts.links(store):
        if kind in (facts.CONFLICTS, facts.RETIRES):
            against.setdefault(one, {})[other] = score
    return against


def _lines(store: "Store", against: "Against", at: int) -> "list[Line]":
    """Return the statements that are worth telling at a session's start, the worthiest first, a contradiction in one.

    What contradicts a worthier one takes its place, as it was said later.
    """
    lines: list[Line] = []
    done: set[str] = set()
    found = {fact.public_id: fact for fact in fact_queries.standing(store, at)}
    for name in found:
        while name not in done and len(lines) < MOST_STATEMENTS:
            fact = found[_last_said(name, [each for each in found if each not in done], against)]
            scores = _before(fact.public_id, against)
            others = [each for each in _that_hold(store, scores) if each.public_id not in done]
            lines.append(_line(fact, others, scores))
            done |= {fact.public_id, *[each.public_id for each in others]}
    return lines + [_hint(fact, at) for fact in mining.hints(store, at, MOST_HINTS)]


def _last_said(name: str, names: "list[str]", against: "Against") -> str:
    """Return of the ids of facts the one that contradicts that of an id, and that no other one contradicts; or that itself."""
    passed = {name}
    while newer := [each for each in names if each not in passed and name in against.get(each, {})]:
        name = newer[0]
        passed.add(name)
    return name


def _before(name: str, against: "Against") -> "dict[str, float]":
    """Return what a fact contradicts, and what that is an update of in its turn, with how sure that is, by the id."""
    found = dict(against.get(name, {}))
    waiting = list(found)
    while waiting:
        one = waiting.pop(0)
        for other, score in against.get(one, {}).items():
            if score >= facts.SURE and other not in found and other != name:
                found[other] = min(score, found[one])
                waiting.append(other)
    return found


def _hint(fact: "Fact", at: int) -> "Line":
    """Return the line of what was counted in the log, which is believed less each week."""
    return _kept("", f"- [{fact.public_id}] counted: {_short(fact.text)}", [fact], at + WEEK_MS)


def _that_hold(store: "Store", names: "Iterable[str]") -> "list[Fact]":
    found = [facts.of_id(store, name) for name in names]
    holding = [fact for fact in found if fact is not None and fact.status in facts.THERE]
    return [fact for fact in holding if not fact.misled and fact.tainted < 2]


def _line(fact: "Fact", others: "list[Fact]", scores: "dict[str, float]") -> "Line":
    """Return the line of a statement, behind which stands what it contradicts; `scores` say by id how sure that is.

    What was said by hand has a line of its own, with its id; what was said in passing is quoted, some of it in one line.
    """
    times = f"in {fact.sightings} turns, last on " if fact.sightings > 1 else ""
    is_fact = fact.status in facts.HOLDING
    said, on = _short(fact.text), day(fact.said_at)
    folder = f", in {row.escaped(fact.metadata['folder'])}/" if fact.metadata.get("folder") else ""
    text = f"- [{fact.public_id}, {on}{folder}] {said}" if is_fact else f'"{said}" ({times}{on}{folder})'
    for other in others:
        is_told = other.type == row.NOTE and other.status == facts.ACTIVE  # above, among the notes
        quoted = "" if is_told else f', on {day(other.said_at)}: "{_short(other.text)}"'
        text += f" ({BEFORE if scores[other.public_id] >= facts.SURE else DOUBT} [{other.public_id}]{quoted})"
    until = min([each for each in (fact.expires_at, _passes(fact)) if each], default=0)
    return _kept("" if is_fact else SAID if fact.source == facts.PROMPT else PROPOSED, text, [fact, *others], until)


def _kept(head: str, text: str, found: "list[Fact]", until: int) -> "Line":
    """Return what is kept of a fact and of those that it contradicts, told until a time in ms, or for ever."""
    first, names = found[0], [fact.public_id for fact in found]
    anchors = [anchor for fact in found for anchor in fact.anchors]
    words, statement = (first.text, "") if first.origin == "user" else ("", first.text)
    return [head, text, row.tokens(text), words, names, until, anchors, statement]


def _ready(lines: "list[Line]", commands: "list[Command]", notes: "list[Fact]") -> "dict[str, Any]":
    """Return what is kept for a start: the lines, the commands one by one and in a line, and the anchors of notes that name paths.

    A start has to look at the lines again from a time in ms, or always where one of them names a path.
    """
    anchored, ends = (
        any([each[standing.ANCHORS] for each in lines]),
        [each[standing.UNTIL] for each in lines if each[standing.UNTIL]],
    )
    again = 1 if anchored else min(ends, default=0)
    # in this order: a start knows by its beginning where there is nothing to tell
    made = {"lines": lines, "commands": commands, "line": standing.command_line(commands), "again": again}
    return {**made, "notes": {note.public_id: note.anchors for note in notes}} if notes else made


def _short(text: str) -> str:
    text = " ".join(text.split())
    return row.escaped(text if len(text) <= STATEMENT_CHARACTERS else text[: text.rfind(" ", 0, STATEMENT_CHARACTERS)] + "...")


def _passes(fact: "Fact") -> int:
    """Return until when what was said once in passing is news, in ms; 0 for what stays."""
    return fact_queries.passes(fact) if fact.status == facts.CANDIDATE and fact.sightings < 2 else 0


def _gains(store: "Store", against: "Against", at: int) -> "dict[str, list[Any]]":
    """Return what facts that hold gain or lose in rank, by id, the place among equals, expiry or 0, and if they have anchors."""
    held = facts.of_status(store, facts.ACTIVE)
    names, now = {fact.public_id for fact in held}, clock(store, at)
    torn = {name for one, others in against.items() for other in others if {one, other} <= names for name in (one, other)}
    return {
        fact.public_id: [
            round(strength.prominence(fact, now, fact.public_id in torn), 4), PLACES[strength.COMPONENT_OF[fact.kind]],
            fact.expires_at or 0, int(bool(fact.anchors)),
        ]
        for fact in held
    }  # fmt: skip
