"""Keep, correct, promote and look through facts as a person asks for it."""

import time

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import DAY_MS, day
from ralph_mem.core.redaction import privacy, stored
from ralph_mem.core.settings import effective
from ralph_mem.memory import access, notes_by_hand, undoing
from ralph_mem.memory.facts import anchors, core, decision, likeness, pool, prepared, strength, taking, wording
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import fact_queries, facts, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.facts.taking import Statement, Taken
    from ralph_mem.memory.recall.lookup import Reader, Row
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

COLUMNS = ("id", "status", "kind", "said", "times", "statement")
TOLD = {
    decision.ADD: "Kept as {0}.", decision.NOOP: "This is known already, as {1}.",
    decision.UPDATE: "Kept as {0}; it replaces {1}, which stays in its history. `facts undo {0}` takes that back.",
    decision.CONFLICT: "Kept as {0}; it may contradict {1}: both are told, the newer first. `facts retire ID` takes one back.",
    decision.DELETE: "{1} holds no longer, and stays in its history. `facts undo {0}` takes that back.",
}  # fmt: skip
WHENCE = {
    facts.INJECT: "a note", facts.REMEMBER: "a prompt to remember it", facts.ADD: "hand", facts.PROMPT: "a prompt, in passing",
    facts.RAN: "commands that ran", facts.LOOP: "the checks of a loop", facts.PROPOSAL: "a proposal",
}  # fmt: skip
# What a person looks through who folds one into another, and how much of the words two of them share at least.
MOST_ALIKE, LEAST_ALIKE = 5, 0.3
EXTENDED = "This is known already, as {0}; what you said besides is kept with it."
MEANS_NONE = "No fact is meant clearly enough: nothing was changed."
LINKED = {
    facts.SUPERSEDES: "replaces", facts.RETIRES: "takes back", facts.CONFLICTS: "may contradict", facts.SAME: "says the same as",
}  # fmt: skip


def keep(place: "Project", project: "Project", settings: "dict[str, Any]", text: str, **known: "Any") -> "Taken":
    """Keep a statement as a fact in the memory of a place; returns what it meant for those that are there.

    `known` are `kind`, guessed where it is not given, `aliases`, `days` for which it holds, and `source`. Raises RalphMemError
    where recording is off, for a text that is empty or longer than a statement, and for an unknown kind.
    """
    effective.need_recording(project, settings)
    return take_all(place, [statement(text, project, settings, **known)])[0]


def statement(text: str, project: "Project", settings: "dict[str, Any]", **known: "Any") -> "Statement":
    """Return what `keep` keeps, and raise what it raises of the text; nothing is stored."""
    safe, aliases, redactions = _safe(text, known.get("aliases", ""), project, settings)
    now = time.time_ns() // 1_000_000
    kind = known.get("kind") or decision.kind_of(safe)
    until = {"expires_at": now + known["days"] * DAY_MS} if known.get("days") else {}
    return taking.Statement(safe, kind, known.get("source", facts.ADD), now, aliases=aliases, redactions=redactions, **until)


def take_all(place: "Project", statements: "list[Statement]") -> "list[Taken]":
    """Take statements into the facts of a place, all of them or none; returns what each meant."""
    now = time.time_ns() // 1_000_000
    with access.writing(place) as opened:
        taking.take_notes(opened, now)
        found = [taking.take(opened, each, now) for each in statements]
        for taken in found:
            if taken.public_id:
                undoing.pass_over(opened, taken.public_id, now)
        prepared.write(opened, now)
    return found


def _safe(text: str, aliases: str, project: "Project", settings: "dict[str, Any]") -> "tuple[str, str, str | None]":
    """Return a statement and its aliases as they may be stored, and what was cut out of them."""
    words = " ".join(text.split())
    if privacy.INJECTED in text:
        raise RalphMemError("the text quotes what ralph-mem told", f"say it without {privacy.INJECTED}")
    if not words:
        raise RalphMemError("there is nothing to keep", "say it in a sentence: facts add Releases go out with make ship.")
    if len(words) > facts.STATEMENT_CHARACTERS:
        what = f"{len(words)} characters are too long for a statement"
        raise RalphMemError(what, f"at most {facts.STATEMENT_CHARACTERS}; `ralph-mem inject` keeps longer notes")
    (safe, also), redactions = privacy.protect([words, aliases], project, settings)
    return safe, "\n".join([word.strip() for word in also.split(",") if word.strip()]), redactions


def told(taken: "Taken") -> str:
    """Say what became of a statement."""
    if taken.verb == decision.NOOP and not taken.target:
        return MEANS_NONE
    if taken.is_extended:
        return EXTENDED.format(taken.target)
    return TOLD[taken.verb].format(taken.public_id, taken.target)


def find(reader: "lookup.Reader", public_id: str) -> "tuple[Store, Fact]":
    """Return a fact by its id, with the memory that it is in. Raises RalphMemError for an id that names none."""
    for store in reader.stores:
        found = facts.of_id(store, public_id)
        if found is not None:
            return store, found
    raise RalphMemError(f"there is no fact {public_id[:40]}", "`ralph-mem facts` lists them")


def look(reader: "lookup.Reader", public_id: str) -> "tuple[Store, Fact]":
    """Return what `find` does as it may leave."""
    store, fact = find(reader, public_id)
    shown(reader, [fact])
    return store, fact


def shown(reader: "lookup.Reader", found: "list[Fact]") -> "list[Fact]":
    """Return facts as they may leave, by today's rules, patterns and values: nothing of these is written again."""
    stored.show(found, ("text", "aliases"), reader.project, reader.settings)
    return found


def change(reader: "lookup.Reader", public_id: str, what: "Callable[[Store, Fact, int], Any]") -> "Any":
    """Do one of the verbs of `taking` to a fact, in a transaction; returns what it returns. Raises RalphMemError."""
    store, found = find(reader, public_id)
    now = time.time_ns() // 1_000_000
    with access.Change(store) as opened:
        done = what(opened, found, now)
        core.settle(opened, {public_id}, now)
        undoing.pass_over(opened, public_id, now)
        prepared.write(opened, now)
    return done


def retire(store: "Store", fact: "Fact", at: int) -> None:
    """Let a fact hold no longer because a person says so."""
    taking.retire(store, fact, "", at)


def listed(reader: "lookup.Reader", statuses: "tuple[str, ...]", kind: str = "", at: "int | None" = None) -> "list[Fact]":
    """Return the facts of some statuses, all kinds where none is named, the project's first, newest first.

    At a time in ms, those that had expired by then are left out.
    """
    found = [fact for store in reader.stores for fact in facts.of_status(store, *statuses)]
    left = [fact for fact in found if kind in ("", fact.kind) and not (at and fact.expires_at and fact.expires_at <= at)]
    return shown(reader, left)


def at_another_time(
    reader: "lookup.Reader", known: "int | None", true: "int | None", statuses: "tuple[str, ...]" = (), kind: str = ""
) -> "list[Fact]":
    """Return the facts that were known at one time, or true at another, or both; times in ms. Their statuses are those of today."""
    found = []
    for store in reader.stores:
        at_hand = fact_queries.as_of(store, known) if known is not None else fact_queries.valid_at(store, true or 0)
        both = {fact.public_id for fact in fact_queries.valid_at(store, true)} if known is not None and true is not None else None
        found += [fact for fact in at_hand if both is None or fact.public_id in both]
    return shown(reader, [fact for fact in found if kind in ("", fact.kind) and (not statuses or fact.status in statuses)])


def cells(fact: "Fact") -> "tuple[object, ...]":
    """Return a fact as a row under `COLUMNS`."""
    return (fact.public_id, fact.status, fact.kind, day(fact.said_at), max(1, fact.sightings), fact.text)


def as_values(fact: "Fact") -> "dict[str, Any]":
    """Return a fact for a program; times are in ms since 1970."""
    return {
        "id": fact.public_id, "text": fact.text, "kind": fact.kind, "status": fact.status, "source": fact.source,
        "also": fact.aliases.splitlines(), "said_at": fact.said_at, "valid_from": fact.valid_from,
        "valid_until": fact.valid_until, "recorded_at": fact.recorded_at, "retired_at": fact.retired_at,
        "retired_why": fact.retired_why, "expires_at": fact.expires_at, "pinned": bool(fact.pinned), "wrong": fact.misled,
        "sightings": fact.sightings, "helpful": fact.helpful, "harmful": fact.harmful, "tokens": fact.tokens,
    }  # fmt: skip


def alike(store: "Store", fact: "Fact", at: int) -> "list[Fact]":
    """Return the few facts that hold and say most nearly the same as one at a time in ms, the nearest first."""
    there = [each for each in pool.of(store, fact.text, wording.key(fact.text), at) if each.public_id != fact.public_id]
    near = likeness.nearest(fact.text, [each.text for each in there])
    return [there[each.at] for each in near if each.share >= LEAST_ALIKE][:MOST_ALIKE]


def history(reader: "lookup.Reader", store: "Store", fact: "Fact") -> "list[tuple[Fact, str]]":
    """Return a fact, and before it what it replaced, newest first, with what each did to the next one."""
    found, known, waiting = [], {fact.public_id}, [(fact, "")]
    while waiting:
        each, did = waiting.pop(0)
        found.append((each, did))
        for one, other, kind, *_ in facts.links(store, each.public_id):
            old = facts.of_id(store, other) if one == each.public_id and other not in known else None
            if old is not None:
                known.add(other)
                waiting.append((old, f"{LINKED[kind]} it"))
    shown(reader, [each for each, _ in found])
    return found


def explained(store: "Store", fact: "Fact") -> "list[str]":
    """Return all that is known of a fact in lines: what it says, whence, since when, what it replaced and what was made of it."""
    lines = [f"{fact.public_id} ({fact.kind}, {fact.status}): {fact.text}"]
    lines += [f"  also found by: {', '.join(fact.aliases.splitlines())}"] if fact.aliases else []
    ends = fact.valid_until or fact.expires_at
    until = f" until {day(ends)}" if ends else ""
    lines.append(f"  said on {day(fact.said_at)}, by {WHENCE[fact.source]}; holds from {day(fact.valid_from)}{until}")
    parents = facts.sources(store, fact.public_id)
    lines += [f"  said or proved in {', '.join(sorted(parents)[:5])}{' and more' if len(parents) > 5 else ''}"] if parents else []
    for one, other, kind, score, by, at in facts.links(store, fact.public_id):
        did = f"{LINKED[kind]} {other}" if one == fact.public_id else f"{one} {LINKED[kind]} it"
        lines.append(f"  {did} ({by}, likeness {score:.2f}, {day(at)})")
    remark = anchors.shown(fact.anchors, store.tree)
    lines += [f"  {remark}"] if remark else []
    return [*lines, "  " + strength.explained(fact, prepared.clock(store, time.time_ns() // 1_000_000))]


def edit(reader: "lookup.Reader", public_id: str, text: str, as_shown: str = "") -> None:
    """Correct the statement of a fact, which is the person's own word from then on.

    Raises what `notes_by_hand.edit` does, and RalphMemError where another fact says these words.
    """
    store, _ = find(reader, public_id)
    safe, _, _ = _safe(text, "", reader.project, reader.settings)
    same = [each.public_id for each in facts.with_key(store, wording.key(safe)) if each.status in facts.THERE]
    other = next((name for name in same if name != public_id), "")
    if other:
        hint = f"`ralph-mem facts fold {public_id} {other}` has the two told as one"
        raise RalphMemError(f"{other} says that already, nothing was changed", hint)
    notes_by_hand.edit(lookup.find(reader, public_id), reader.project, reader.settings, safe, as_shown)


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
    promoted, now = _promoted(found), time.time_ns() // 1_000_000
    with access.writing(everywhere) as opened:
        taken = taking.take(opened, promoted, now)
        if taken.public_id:
            undoing.pass_over(opened, taken.public_id, now)
        return taken


def _promoted(found: "Row") -> "Statement":
    """Return what a row says as a statement of the person who promotes it. Raises RalphMemError where it says none."""
    fact = facts.of_id(found.store, found.public_id)
    if notes_by_hand.is_from_outside(found) or (found.type == row.NOTE and found.origin != "user"):
        raise RalphMemError(f"{found.public_id} is nobody's own words", "`ralph-mem inject --global` keeps it in yours")
    if not (fact and fact.status == facts.ACTIVE) and found.type != row.NOTE:
        hint = "`ralph-mem facts accept ID` makes a candidate a fact"
        raise RalphMemError(f"{found.public_id} is neither a note nor a fact that holds", hint)
    text = " ".join(f"{found.asked} {found.said if found.type == row.NOTE else ''}".split())
    if len(text) > facts.STATEMENT_CHARACTERS:
        hint = "`ralph-mem inject --global` keeps notes of any length"
        raise RalphMemError(f"{found.public_id} is longer than a statement", hint)
    kind, aliases = (fact.kind, fact.aliases) if fact else (decision.kind_of(text), "")
    return taking.Statement(text, kind, facts.ADD, found.at, found.public_id, aliases=aliases)
