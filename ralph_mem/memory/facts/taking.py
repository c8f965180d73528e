"""Take statements into the facts of a memory."""

import posix

from ralph_mem.core import fast
from ralph_mem.memory.facts import anchors, decision, pool, retraction, wording
from ralph_mem.memory.rows import facts, records, rewrite, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

# Facts of one group are compared with one another: what people said is, whatever kind it was taken for.
GROUPS = dict.fromkeys(facts.SAID, "said")
AGENT = "agent"  # the origin of what no person said


class Statement:
    """A redacted statement with what is known of it. `parent` is the id of the turn or observation that it comes from, or nothing.

    `said_at` is in ms; `source` one of `facts.SOURCES` and `facts.BY_HAND`. More is given by name: `aliases`, further words by
    which it is found; `branch`, where it holds on one alone; `folder`, in which it was said where it speaks of that; `strength`,
    how clearly it was said, from 0 to 1; `proposed_by`, the model that found it, or the client whose agent worded it; `origin`,
    whose words they are where it is the agent; `is_from_outside`, where they repeat a page; `redactions`, as JSON; and columns of
    `facts.COLUMNS`.
    """

    def __init__(self, text: str, kind: str, source: str, said_at: int, parent: str = "", **known: "Any") -> None:
        self.text, self.kind, self.source, self.said_at, self.parent = text, kind, source, said_at, parent
        self.aliases: str = known.pop("aliases", "")
        self.branch: str = known.pop("branch", "")
        self.folder: str = known.pop("folder", "")
        self.proposed_by: str = known.pop("proposed_by", "")
        self.strength: float = known.pop("strength", 0.0)
        self.redactions: str | None = known.pop("redactions", None)
        self.is_from_outside: bool = known.pop("is_from_outside", False)
        self.origin: str = known.pop("origin", "test" if source in (facts.RAN, facts.LOOP) else "user")
        self.known = known

    @property
    def is_by_hand(self) -> bool:
        """Say whether a person asked for it to be kept, which makes it a fact; what was found in a prompt is a candidate."""
        return self.source in facts.BY_HAND

    @property
    def undecided(self) -> str:
        """Return the status in which it waits for a person."""
        return facts.PROPOSED if self.origin == AGENT else facts.CANDIDATE


class Taken:
    """What became of a statement: the verb, the id of the fact that says it now, that of the fact it is about, and the score.

    `is_extended` says that a fact that was known has got further words, or a day on which it ends.
    """

    __slots__ = ("is_extended", "public_id", "score", "target", "verb")

    def __init__(self, verb: str, public_id: str = "", target: str = "", score: float = 0.0, is_extended: bool = False) -> None:
        self.verb, self.public_id, self.target, self.score = verb, public_id, target, score
        self.is_extended = is_extended


def take(store: "Store", statement: Statement, at: int) -> Taken:
    """Take a statement in at a time in ms; the same one of the same parent changes nothing. In the caller's transaction."""
    facts.make(store)
    known = facts.with_key(store, wording.key(statement.text))
    refused = [fact for fact in known if fact.status == facts.REJECTED]
    if refused and not statement.is_by_hand:
        return Taken(decision.NOOP, "", refused[0].public_id, 1.0)
    archived = [fact for fact in known if fact.retired_why == facts.CAPACITY]
    if archived and _stands(statement):
        facts.hold(store, archived[0].number)
    there = comparable(store, statement, at)
    dropped = retraction.of(statement.text)
    found = retraction.meant(dropped, [fact.text for fact in there]) if dropped else None
    if found and dropped and not dropped.goes_on:
        return _retire(store, statement, there[found[0]], found[1], at, is_order=dropped.is_order)
    if dropped and dropped.is_order:  # to forget what nobody knows
        return Taken(decision.NOOP)
    decided = _decided(statement.text, [fact.text for fact in there])
    target = None if decided.target is None else there[decided.target]
    if decided.verb == decision.NOOP and target:
        _sight_again(store, target, statement, at)
        is_extended = statement.is_by_hand and _extend(store, target, statement)
        return Taken(decision.NOOP, target.public_id, target.public_id, decided.score, is_extended)
    _, name = _store(store, statement, facts.ACTIVE if _stands(statement) else statement.undecided)
    if not target:
        return Taken(decided.verb, name, "", decided.score)
    return Taken(_relate(store, name, statement, target, decided, at), name, target.public_id, decided.score)


def correct(store: "Store", statement: Statement, there: "list[Fact]", at: int) -> Taken:
    """Take a statement in that a person put in the place of these, if they are known. In the caller's transaction."""
    _, name = _store(store, statement, statement.undecided)
    decided = decision.Decision(decision.UPDATE, 0, 1.0)
    verbs = [_relate(store, name, statement, target, decided, at) for target in there]
    return Taken(verbs[0], name, there[0].public_id, decided.score) if there else Taken(decision.ADD, name)


def _decided(statement: str, there: "list[str]") -> decision.Decision:
    """Decide what a statement that stays means: what it takes back it is an update of."""
    dropped, decided = retraction.of(statement), decision.decide(statement, there)
    found = retraction.meant(dropped, there) if dropped and decided.verb != decision.NOOP else None
    return decision.Decision(decision.UPDATE, *found) if found else decided


def comparable(store: "Store", statement: Statement, at: int) -> "list[Fact]":
    """Return the facts that a statement may repeat, replace or contradict: those that hold, of its group and its branch."""
    group = GROUPS.get(statement.kind, statement.kind)
    return [
        fact for fact in pool.of(store, statement.text, wording.key(statement.text), at)
        if GROUPS.get(fact.kind, fact.kind) == group and fact.metadata.get("branch", "") in ("", statement.branch)
        and fact.metadata.get("folder", "") in ("", statement.folder)
        and not (fact.expires_at and fact.expires_at <= at)
    ]  # fmt: skip


def compare(store: "Store", fact: "Fact", at: int, apart: "set[str]") -> None:
    """Let a fact that came in with others, apart from these, be in conflict with the one here that it is about. In a transaction.

    It replaces none, since nobody said it here; a person may let it.
    """
    statement = Statement(fact.text, fact.kind, fact.source, fact.said_at, branch=fact.metadata.get("branch", ""))
    statement.folder = fact.metadata.get("folder", "")
    there = [each for each in comparable(store, statement, at) if each.public_id not in apart]
    decided = _decided(fact.text, [each.text for each in there])
    if decided.target is not None and decided.verb in (decision.UPDATE, decision.CONFLICT):
        facts.link(store, fact.public_id, facts.CONFLICTS, there[decided.target].public_id, decided.score, at)


def _stands(statement: Statement) -> bool:
    return statement.is_by_hand or statement.source in (facts.RAN, facts.LOOP)


def _store(store: "Store", statement: Statement, status: str) -> "tuple[int, str]":
    """Store a statement as an observation and a fact; returns its number and its id."""
    key = wording.key(statement.text)
    event = f"fact:{statement.parent or posix.urandom(8).hex()}:{key}"
    more = {
        "branch": statement.branch,
        "folder": statement.folder,
        "strength": statement.strength,
        "proposed_by": statement.proposed_by,
    }
    more["is_from_outside"] = statement.is_from_outside
    metadata = fast.dumps({name: value for name, value in more.items() if value}) if any(more.values()) else None
    record = records.observation(
        facts.SESSION, statement.said_at, event, statement.text, "", type=facts.TYPE, lines=statement.aliases, metadata=metadata,
        origin=statement.origin, redactions=statement.redactions,
    )  # fmt: skip
    records.apply(store, record)
    number, name = facts.stored(store, event)
    known = {"kind": statement.kind, "status": status, "source": statement.source, "text_key": key, "said_at": statement.said_at}
    facts.add(store, number, {**known, "anchors": _named(store, statement.text), **statement.known})
    if statement.parent:
        facts.sight(store, name, statement.parent)
    return number, name


def _named(store: "Store", text: str) -> "list[anchors.Anchor]":
    # who learns of what was said in another worktree finds it where the memory lies at least
    return anchors.of(text, store.tree) or anchors.of(text, store.folder.rpartition("/")[0])


def _sight_again(store: "Store", fact: "Fact", statement: Statement, at: int) -> None:
    if statement.parent:
        facts.sight(store, fact.public_id, statement.parent)
    if statement.said_at > fact.said_at:
        facts.change(store, fact.number, {"said_at": statement.said_at})
    if statement.is_by_hand and fact.status == facts.CANDIDATE:
        facts.change(store, fact.number, {"status": facts.ACTIVE, "recorded_at": at})


def _extend(store: "Store", fact: "Fact", statement: Statement) -> bool:
    """Keep what a person adds to a fact: words by which it is found as well, the day on which it ends; says whether that is new."""
    known = fact.aliases.splitlines()
    more = [word for word in statement.aliases.splitlines() if word not in known]
    ends = statement.known.get("expires_at")
    if more:
        rewrite.texts_of(store, row.OBSERVATION, fact.number, {"lines": "\n".join([*known, *more])})
    if ends:
        facts.change(store, fact.number, {"expires_at": ends})
    return bool(more or ends)


def _relate(store: "Store", name: str, statement: Statement, target: "Fact", decided: decision.Decision, at: int) -> str:
    """Let a new fact replace the one that it is an update of, or leave both where a person has to say which one holds."""
    is_open = target.status in (facts.CANDIDATE, facts.RETIRED)  # the latter by the order that the statement goes on from
    may_replace = _stands(statement) or (is_open and statement.source != facts.PROPOSAL)
    if decided.verb == decision.UPDATE and may_replace and not target.is_protected:
        supersede(store, name, target, statement.said_at, decided.score, at)
        return decision.UPDATE
    facts.link(store, name, facts.CONFLICTS, target.public_id, decided.score, at)
    return decision.CONFLICT


def supersede(
    store: "Store", name: str, old: "Fact", said_at: int, score: float, at: int, decided_by: str = facts.BY_RULE
) -> None:  # fmt: skip
    """Let the fact of an id replace another one, whose text stays. In the caller's transaction."""
    ended = {"status": facts.SUPERSEDED, "valid_until": said_at, "retired_at": at, "retired_why": name}
    facts.change(store, old.number, ended)
    facts.unlink(store, name, facts.CONFLICTS, old.public_id)
    facts.link(store, name, facts.SUPERSEDES, old.public_id, score, at, decided_by)


def _retire(store: "Store", statement: Statement, target: "Fact", score: float, at: int, is_order: bool) -> Taken:
    """Retire the fact that a statement takes back, if it may be; otherwise a person is asked.

    A prompt that orders to forget it may do so, and one that says how things are only with a candidate.
    """
    number, name = _store(store, statement, facts.RETIRED)
    facts.link(store, name, facts.RETIRES, target.public_id, score, at)
    is_typed = is_order and statement.source == facts.PROMPT
    may_retire = statement.is_by_hand or is_typed or (target.status == facts.CANDIDATE and statement.source != facts.PROPOSAL)
    if target.is_protected or not may_retire:
        facts.change(store, number, {"status": statement.undecided})
        return Taken(decision.CONFLICT, name, target.public_id, score)
    for other, sure in _before(store, target):
        facts.link(store, name, facts.CONFLICTS, other, sure, at)
        facts.change(store, number, {"status": statement.undecided})
    retire(store, target, name, at)
    return Taken(decision.DELETE, name, target.public_id, score)


def _before(store: "Store", candidate: "Fact") -> "list[tuple[str, float]]":
    """Return the facts that hold and of which a candidate was an update: who takes that back does not bring them back."""
    found = [(other, score) for one, other, kind, score, *_ in facts.links(store, candidate.public_id)
             if one == candidate.public_id and kind == facts.CONFLICTS and score >= decision.SURE]  # fmt: skip
    held = [(facts.of_id(store, other), score) for other, score in found]
    return [(fact.public_id, score) for fact, score in held if fact is not None and fact.status in facts.HOLDING]


def retire(store: "Store", fact: "Fact", why: str, at: int) -> None:
    """Let a fact hold no longer, for what the fact or turn of an id says; it stays in the history. In a transaction."""
    facts.change(store, fact.number, {"status": facts.RETIRED, "valid_until": at, "retired_at": at, "retired_why": why or None})


def reword(store: "Store", public_id: str, at: int) -> None:
    """Know a fact by the words that it has since a time in ms, and tie it to the paths that they name; what is no fact stays.

    In a transaction.
    """
    fact = facts.of_id(store, public_id)
    if fact is not None:
        known = {"text_key": wording.key(fact.text), "anchors": _named(store, fact.text)}
        facts.change(store, fact.number, {**known, "recorded_at": at})


# Notes, which are facts of a person's own hand


def take_notes(store: "Store", at: int) -> int:
    """Make facts of the notes of a person that are none yet, and see to those that were corrected; returns how many.

    A note of one paragraph is a statement; a longer one is a document. In the caller's transaction.
    """
    facts.make(store)
    for name, edited_at in facts.corrected(store):
        reword(store, name, edited_at)
    notes = facts.untaken_notes(store)
    for number, name, title, said_at, metadata in notes:
        noted = fast.loads(metadata) if metadata else {}
        source = noted.get("source", facts.INJECT)
        tied = anchors.still_named(noted.get("anchors"), title)
        statement = Statement(title, facts.FACT, source, said_at)
        there = comparable(store, statement, at)
        decided = _decided(title, [fact.text for fact in there])
        known = {"kind": decision.kind_of(title), "status": facts.ACTIVE, "source": source, "text_key": wording.key(title)}
        facts.add(store, number, {**known, "said_at": said_at, "anchors": tied or _named(store, title)})
        if decided.target is not None and decided.verb in (decision.UPDATE, decision.CONFLICT):
            _relate(store, name, statement, there[decided.target], decided, at)
    return len(notes)
