"""Count from the receipts what facts helped and harmed, where they were used.

All counts follow from what is stored, so that counting anew gives the same numbers. To be told beside a success is no evidence.
"""

import bisect
import re
from collections import Counter

from ralph_mem.memory.facts import prepared, remedies, strength
from ralph_mem.memory.rows import facts, learnt, log, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.rows.learnt import Lesson
    from ralph_mem.memory.store.connection import Store

# What a person says outright counts as two sessions do.
BY_PERSON = 2
# So many harmful outcomes more than helpful ones, and a lesson is told to nobody; a person's statement never goes by a count.
TOO_HARMFUL = 2
HARMFUL = "harmful"
FAILING = re.compile(r": (\d+) failing, was (\d+)$")
NAMES = re.compile(r"[\w./-]+")
QUOTED = re.compile(r"`([^`]+)`")
OFTEN = re.compile(r" \((\d+) times, last on [-\d]+\)$", re.MULTILINE)
PASSED, FAILED = "success", "error"


class Tally:
    """What is counted of one fact: sessions in which it helped and harmed, in which it was ignored; when it was of use last."""

    __slots__ = ("harmed", "helped", "ignored", "touched_at")

    def __init__(self) -> None:
        self.helped: set[int] = set()
        self.harmed: set[int] = set()
        self.ignored: set[int] = set()
        self.touched_at = 0

    def count(self, session: int, has_helped: bool, at: int) -> None:
        """Count one outcome; a session counts once on each side."""
        (self.helped if has_helped else self.harmed).add(session)
        if has_helped:
            self.touched_at = max(self.touched_at, at)


def tallies(store: "Store") -> "dict[str, Tally]":
    """Return what is counted of each fact that was told, by its id."""
    if not facts.are_there(store):
        return {}
    known = {fact.public_id: fact for fact in facts.read(store)}
    advice = {each.public_id: _Advice(store, each) for each in learnt.every(store)}
    found = {name: Tally() for name in known}
    for name, session, title, text, files, since, until in log.in_loops(store):
        numbers = FAILING.search(title)
        ran = log.ran_between(store, row.COMMAND, since, until or since)
        if numbers and _is_used(known[name], advice.get(name), since, text, files.split("\n"), [command for command, _ in ran]):
            _count_iteration(found[name], known[name], session, int(numbers[1]) - int(numbers[2]), until or since)
    told = log.first_told(store)
    _count_commands(store, known, told, found)
    for (name, session), at in log.said_again(store).items():
        if told.get((name, session), at) < at:
            found[name].touched_at = max(found[name].touched_at, at)
            if known[name].kind == facts.CORRECTION:
                found[name].ignored.add(session)
    return found


def _count_iteration(tally: Tally, fact: "Fact", session: int, more: int, at: int) -> None:
    """Count an iteration that used a fact and left so many failures more; a remedy that took none away has failed."""
    if more < 0:
        tally.count(session, True, at)
    elif more > 0 or fact.kind == facts.LESSON:
        tally.count(session, False, at)


class _Advice:
    """What a lesson has told to do: the remedies that had worked by then, as its runs say; its own words change."""

    def __init__(self, store: "Store", lesson: "Lesson") -> None:
        keys = {each.key for each in remedies.tried(lesson.content)}
        told = [(at, text) for _, at, _, text in learnt.accounts(store, lesson.public_id)] or [(lesson.at, lesson.content)]
        self.lines = [
            (at, remedies.shape(line)) for at, text in told for each in remedies.tried(text, remedies.FIXED) if each.key in keys
            for line in remedies.added(each.lines)
        ]  # fmt: skip

    def at(self, at: int) -> "set[str]":
        """Return the lines that it told at a time in ms, as shapes."""
        return {line for when, line in self.lines if when < at}


def _is_used(
    fact: "Fact", advice: "_Advice | None", since: int, text: str, files: "list[str]", ran: "list[str]"
) -> bool:  # fmt: skip
    """Say whether an iteration changed a file or ran a command that a fact names, or did what a lesson had told."""
    wanted = advice.at(since) if advice else set()
    if wanted:
        return bool(wanted & {remedies.shape(line) for line in remedies.added(text.splitlines())})
    named = {each["path"] for each in fact.anchors if each.get("path")} | {word.rstrip(".") for word in NAMES.findall(fact.text)}
    return bool(named & {path for path in files if path}) or any(_runs(command, fact) for command in ran)


def _runs(command: str, fact: "Fact") -> bool:
    return any(part in command for part in commands_of(fact))


def commands_of(fact: "Fact") -> "list[str]":
    """Return the commands that a fact names: what stands in backticks, of a command fact without any all of it."""
    quoted = [part.strip() for part in QUOTED.findall(fact.text) if " " in part.strip()]
    return QUOTED.findall(fact.text) or [fact.text] if fact.kind == facts.COMMAND else quoted


def _count_commands(
    store: "Store", known: "dict[str, Fact]", told: "dict[tuple[str, int], int]", found: "dict[str, Tally]"
) -> None:  # fmt: skip
    """Count of each command that was told how it ended when the session ran it then."""
    for (name, session), at in told.items():
        if known[name].kind == facts.COMMAND:
            ran = log.ran_after(store, row.COMMAND, session, at)
            ended = [(kind, when) for command, kind, when in ran if _runs(command, known[name]) and kind in (PASSED, FAILED)]
            for kind, when in ended[:1]:
                found[name].count(session, kind == PASSED, when)


def counted(store: "Store") -> "dict[str, dict[str, Any]]":
    """Return of each fact the columns that follow from its outcomes: helpful, harmful, touched_at and touched_clock.

    What a person said is among them: a pin, and that it misled. A lesson that took another one's place has its outcomes too.
    """
    found, at = tallies(store), log.accesses(store)
    earlier = {one: other for one, other, kind, *_ in facts.links(store) if kind == facts.SUPERSEDES}
    columns = {}
    for fact in facts.read(store):
        tally = found[fact.public_id]
        before = [found[name] for name in _chain(fact, earlier) if name in found]
        touched = tally.touched_at or None
        columns[fact.public_id] = {
            "helpful": sum(len(each.helped) for each in (tally, *before)) + BY_PERSON * bool(fact.pinned),
            "harmful": sum(len(each.harmed) for each in (tally, *before)) + BY_PERSON * fact.misled,
            "touched_at": touched, "touched_clock": bisect.bisect_right(at, touched) if touched else None,
        }  # fmt: skip
    return columns


def _chain(fact: "Fact", earlier: "dict[str, str]") -> "list[str]":
    """Return the lessons whose place a lesson has taken."""
    names, name = [], fact.public_id
    while fact.kind == facts.LESSON and name in earlier and earlier[name] not in names:
        name = earlier[name]
        names.append(name)
    return names


def update(store: "Store", now: int, columns: "dict[str, dict[str, Any]] | None" = None) -> "list[str]":
    """Write what is counted, and keep lessons that harm from being told; returns the ids of the facts that changed.

    `columns` is what `counted` has returned just before, where nobody is to wait for it. The time is in ms. To do it twice
    changes nothing. In the caller's transaction.
    """
    if not facts.are_there(store):
        return []
    _write_clock(store)
    columns, changed = counted(store) if columns is None else columns, []
    for fact in facts.read(store):
        new = {name: value for name, value in columns.get(fact.public_id, {}).items() if getattr(fact, name) != value}
        if new:
            facts.change(store, fact.number, new)
            changed.append(fact.public_id)
    for lesson in learnt.lessons(store):
        _trust(store, facts.of_id(store, lesson.public_id), lesson.content, now)
    return changed


def _trust(store: "Store", fact: "Fact | None", text: str, now: int) -> None:
    """Retire a lesson that did more harm than good, and take it back where that has changed."""
    if fact is None:
        return
    often = sum(int(times) - 1 for times in OFTEN.findall(text))
    is_harmful = fact.harmful - fact.helpful - often >= TOO_HARMFUL and not fact.pinned
    if is_harmful and fact.status == facts.ACTIVE:
        facts.change(store, fact.number, {"status": facts.RETIRED, "retired_at": now, "retired_why": HARMFUL})
    elif not is_harmful and fact.status == facts.RETIRED and fact.retired_why == HARMFUL:
        facts.hold(store, fact.number)


def _write_clock(store: "Store") -> None:
    at = log.accesses(store)
    for name, value in (
        (prepared.CLOCK, len(at)),
        (prepared.PACE, strength.pace(Counter(when // strength.DAY_MS for when in at).values())),
    ):
        if store.property(name) != value:
            store.set_property(name, value)


def ignored(store: "Store") -> "dict[str, int]":
    """Return in how many sessions a person repeated a correction that had been told there, by the fact's id."""
    return {name: len(tally.ignored) for name, tally in tallies(store).items() if tally.ignored}
