"""See the rules, preferences, corrections and lessons of a memory as one list, and what happened to them in order."""

from collections import Counter

from ralph_mem.core.format import count
from ralph_mem.memory import access
from ralph_mem.memory.facts import outcomes, prepared, strength
from ralph_mem.memory.rows import facts, learnt
from ralph_mem.memory.rows.log import injected, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

KINDS = (facts.RULE, facts.PREFER, facts.CORRECTION, facts.LESSON)
# More than a person reads, and at a score of a tenth of a second for each change that nobody feels.
MOST = 400
# Said in so many sessions, a bullet is never archived for want of room.
KEPT_SESSIONS = 3
TENDED = "facts_tended"  # the property of a database that says on which day this was done last
PREVIEW = 120
TOP = 10
COLUMNS = ("score", "helped", "harmed", "kind", "class", "id", "text")


class Bullet:
    """A fact as the playbook shows it: its whole text, its score, its class, in how many sessions it was said and ignored."""

    def __init__(self, fact: "Fact", text: str, score: float, sessions: int = 1, ignored: int = 0) -> None:
        self.fact, self.text, self.score, self.sessions, self.ignored = fact, text, score, sessions, ignored
        self.component = strength.COMPONENT_OF[fact.kind]

    def line(self) -> str:
        """Return it in one line of a log: id, score, counts, kind and the beginning of its text."""
        told = f"score {self.score:.3f}, helped {self.fact.helpful}, harmed {self.fact.harmful}"
        return f"{self.fact.public_id} {self.fact.kind} ({told}): {preview(self.text)}"

    def cells(self) -> "tuple[object, ...]":
        """Return it as a row under `COLUMNS`."""
        fact = self.fact
        named = (fact.kind, self.component, fact.public_id, preview(self.text))
        return (f"{self.score:.3f}", fact.helpful, fact.harmful, *named)

    def values(self) -> "dict[str, Any]":
        """Return it for a program; times are in ms since 1970."""
        fact = self.fact
        return {
            "id": fact.public_id, "kind": fact.kind, "class": self.component, "text": self.text, "score": round(self.score, 6),
            "helpful": fact.helpful, "harmful": fact.harmful, "ignored": self.ignored, "sessions": self.sessions,
            "semantic": fact.semantic, "episodic": fact.episodic, "procedural": fact.procedural,
            "touched_clock": fact.touched_clock, "touched_at": fact.touched_at, "pinned": bool(fact.pinned),
            "status": fact.status, "source": fact.source, "said_at": fact.said_at, "recorded_at": fact.recorded_at,
            "expires_at": fact.expires_at, "also": fact.aliases.splitlines(),
        }  # fmt: skip


def preview(text: str) -> str:
    """Return at most 120 characters of a text in one line, and how many it has where that is more."""
    line = " ".join(text.split())
    return line if len(line) <= PREVIEW else f"{line[:PREVIEW]}... ({len(line)} characters)"


def bullets(store: "Store", now: int, *statuses: str) -> "list[Bullet]":
    """Return the bullets of some statuses, those that hold where none is named, the best first; the time is in ms.

    To look at them touches none. What is past its day is left out of those that hold.
    """
    texts = {each.public_id: f"{each.title}\n{each.content}" for each in learnt.every(store)}
    ignored, clock = outcomes.ignored(store), prepared.clock(store, now)
    found = [
        Bullet(fact, texts.get(fact.public_id, fact.text), strength.score(fact, clock),
               max(1, facts.sessions(store, fact.public_id)), ignored.get(fact.public_id, 0))
        for fact in facts.of_status(store, *(statuses or (facts.ACTIVE,))) if fact.kind in KINDS
        if statuses or not (fact.expires_at and fact.expires_at <= now)
    ]  # fmt: skip
    return sorted(found, key=lambda each: (-each.score, -each.fact.helpful, -each.fact.said_at, each.fact.public_id))


def having(found: "list[Bullet]", words: str) -> "list[Bullet]":
    """Return those of some bullets that hold all words, in their text or in the words that they are known by as well."""
    wanted = words.casefold().split()
    return [each for each in found if all(word in f"{each.text}\n{each.fact.aliases}".casefold() for word in wanted)]


def overview(found: "list[Bullet]") -> "dict[str, Any]":
    """Return how many bullets there are, of which kinds and classes, with which outcomes, and the best ones."""
    return {
        "bullets": len(found), "kinds": dict(Counter(each.fact.kind for each in found)),
        "classes": dict(Counter(each.component for each in found)),
        "helpful": sum(each.fact.helpful for each in found), "harmful": sum(each.fact.harmful for each in found),
        "ignored": sum(each.ignored for each in found), "top": [each.values() for each in found[:TOP]],
    }  # fmt: skip


def prune(store: "Store", now: int, most: int = MOST) -> "list[Bullet]":
    """Archive what is past its day, and the bullets of the lowest scores beyond so many; returns what was archived.

    A bullet that is pinned, or was said in three sessions, stays. To do it twice changes nothing. In the caller's transaction.
    """
    gone = [
        (each, facts.EXPIRED) for each in bullets(store, now, facts.ACTIVE) if each.fact.expires_at and each.fact.expires_at <= now
    ]
    held = bullets(store, now)
    least = [each for each in held[::-1] if not each.fact.pinned and each.sessions < KEPT_SESSIONS]
    gone += [(each, facts.CAPACITY) for each in least[: max(0, len(held) - most)]]
    for each, why in gone:
        ended = {"status": facts.RETIRED, "retired_at": now, "retired_why": why}
        facts.change(store, each.fact.number, ended)
    return [each for each, _ in gone]


def tend(store: "Store", now: int) -> "list[Bullet]":
    """Count what came of facts, and archive what has no room any more; returns that. In the caller's transaction."""
    outcomes.update(store, now)
    return prune(store, now)


def tend_daily(store: "Store", now: int) -> "list[Bullet]":
    """Do what `tend` does once a day at a time in ms, in a transaction of its own; a hook waits for the writing alone."""
    day = now // strength.DAY_MS
    if not facts.are_there(store) or store.property(TENDED) == day:
        return []
    columns = outcomes.counted(store)
    with access.BackgroundChange(store):
        outcomes.update(store, now, columns)
        gone = prune(store, now)
        store.set_property(TENDED, day)
    return gone


def log(gone: "list[Bullet]") -> "list[str]":
    """Return a line for each bullet that was archived, and their number."""
    return [*[each.line() for each in gone], f"archived: {count(len(gone), 'bullet')}"] if gone else []


def as_markdown(found: "list[Bullet]") -> str:
    """Return bullets as a text for people, by their kinds, the best first."""
    lines = ["# Playbook"]
    for kind in KINDS:
        of_kind = [each for each in found if each.fact.kind == kind]
        lines += ["", f"## {kind}", ""] if of_kind else []
        for each in of_kind:
            first, *more = each.text.splitlines()
            lines += [f"- {first} ({each.fact.public_id}, helped {each.fact.helpful}, harmed {each.fact.harmful})"]
            lines += ["  " + line if line else "" for line in more]
    return "\n".join(lines) + "\n"


# What happened to facts, from the rows that say so; nothing of it is stored twice.

# One `loaded` for each time that the memory was asked, with the number of its receipt; `injected` for each fact that was told then.
WORDS = LOADED, INJECTED, ADDED, REINFORCED, MERGED, RETIRED = (
    "loaded", "injected", "added", "reinforced", "merged", "retired",
)  # fmt: skip


def events(store: "Store") -> "list[dict[str, Any]]":
    """Return what happened, oldest first: `at` in ms, `event` as one of `WORDS`, the id of the fact, or the receipt's number."""
    if not facts.are_there(store):
        return []
    found = [{"at": at, "event": LOADED, "receipt": receipt, "told": told} for receipt, at, told in loaded(store)]
    found += [{"at": at, "event": INJECTED, "id": name, "receipt": receipt} for receipt, at, name in injected(store)]
    for fact in facts.read(store):
        told = {"id": fact.public_id, "kind": fact.kind, "text": preview(fact.text)}
        found.append({"at": fact.recorded_at, "event": ADDED, **told})
        if fact.touched_at:
            counts = {"helpful": fact.helpful, "harmful": fact.harmful}
            found.append({"at": fact.touched_at, "event": REINFORCED, **told, **counts})
        if fact.retired_at and fact.status == facts.RETIRED:
            found.append({"at": fact.retired_at, "event": RETIRED, **told, "why": fact.retired_why or "by hand"})
    for one, other, kind, score, _, at in facts.links(store):
        if kind in (facts.SUPERSEDES, facts.SAME):
            found.append({"at": at, "event": MERGED, "id": one, "with": other, "likeness": round(score, 4)})
    return sorted(found, key=lambda each: (each["at"], WORDS.index(each["event"])))
