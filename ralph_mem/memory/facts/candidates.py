"""Show a person what was found in their prompts, and do what they say about it."""

import time

from ralph_mem.core import fast
from ralph_mem.core.errors import NotAsShown, RalphMemError
from ralph_mem.core.format import day
from ralph_mem.memory import access, undoing
from ralph_mem.memory.facts import accepting, by_hand, decision
from ralph_mem.memory.rows import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.lookup import Reader
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

YES, NO = "yes", "no"
# A person reads so many at a glance and answers them in one line.
MOST_SHOWN = 5
SHOWN = "candidates_shown"  # the property of a database with the ids of those that were shown last, in their order
REPLACES, TAKES_BACK, CONTRADICTS = "replaces", "takes back", "may contradict"
OF_A_PAGE = "it repeats what a web or MCP tool brought in"


class Candidate:
    """A candidate in its memory; `does` says what a yes would mean for the fact `other`, nothing where it concerns none.

    `said` are its words as they are stored, those of `fact` and `other` as they may leave.
    """

    __slots__ = ("does", "fact", "other", "said", "store")

    def __init__(self, store: "Store", fact: "Fact", does: str, other: "Fact | None") -> None:
        self.store, self.fact, self.does, self.other = store, fact, does, other
        self.said = fact.text


def waiting(reader: "Reader") -> "list[Candidate]":
    """Return what waits for a person: candidates, those said most often first, then the newest, and then what agents propose.

    None of a stranger's is among it.
    """
    found = [(store, fact) for store in reader.stores for fact in facts.of_status(store, *facts.UNDECIDED)]
    own = [(store, fact) for store, fact in found if fact.tainted < 2]
    own.sort(key=lambda each: (each[1].status == facts.PROPOSED, -each[1].sightings, -each[1].said_at))
    waiting = [Candidate(store, fact, *_meaning(store, fact)) for store, fact in own]
    by_hand.shown(reader, [fact for each in waiting for fact in (each.fact, each.other) if fact])
    return waiting


def _meaning(store: "Store", fact: "Fact") -> "tuple[str, Fact | None]":
    """Return what the acceptance of a candidate would do, and to which fact."""
    for one, other, kind, score, *_ in facts.links(store, fact.public_id):
        about = facts.of_id(store, other) if one == fact.public_id else None
        if about is None or about.status not in facts.THERE:
            continue
        if kind == facts.RETIRES:
            return TAKES_BACK, about
        if kind == facts.CONFLICTS:
            return (REPLACES if score >= decision.SURE else CONTRADICTS), about
    return "", None


def as_values(each: Candidate) -> "dict[str, Any]":
    """Return a candidate for a program; times are in ms since 1970."""
    about = {"does": each.does, "target": each.other.public_id, "target_text": each.other.text} if each.other else {"does": ""}
    return {**by_hand.as_values(each.fact), **about}


def told(each: Candidate) -> "list[str]":
    """Return a candidate in lines: its words, when they were said, and what a yes would do."""
    times = f", {each.fact.sightings} times" if each.fact.sightings > 1 else ""
    model = each.fact.metadata.get("proposed_by", "")
    by = f", proposed by {model}" if model else ""
    did = "worded by an agent" if each.fact.status == facts.PROPOSED else "said"
    folder = f" in {each.fact.metadata['folder']}/" if each.fact.metadata.get("folder") else ""
    lines = [f'"{each.fact.text}"', f"{each.fact.kind}, {did} {day(each.fact.said_at)}{folder}{times}{by}"]
    lines += [OF_A_PAGE] if each.fact.metadata.get("is_from_outside") else []
    return lines if each.other is None else [*lines, f'{each.does} "{each.other.text}" ({each.other.public_id})']


def decide(each: Candidate, is_accepted: bool) -> "list[str]":
    """Accept or reject a candidate; returns the ids of the facts that it replaced or took back.

    Raises NotAsShown for one that was decided, reworded or forgotten since it was read; it stays as it is.
    """
    with access.Change(each.store) as opened:
        now = _as_shown(opened, each)
        at = time.time_ns() // 1_000_000
        undoing.pass_over(opened, now.public_id, at)
        if is_accepted:
            return accepting.accept(opened, now, at)
        accepting.reject(opened, now, at)
        return []


def reword(reader: "Reader", each: Candidate, text: str) -> None:
    """Let a candidate hold in the person's own words. Raises what `decide` and `by_hand.edit` do."""
    _as_shown(each.store, each)
    by_hand.edit(reader, each.fact.public_id, text)
    _, each.fact = by_hand.find(reader, each.fact.public_id)
    each.said = each.fact.text
    decide(each, is_accepted=True)


def _as_shown(opened: "Store", each: Candidate) -> "Fact":
    """Return the fact of a candidate that still waits in the words that were shown. Raises NotAsShown."""
    now = facts.of_id(opened, each.fact.public_id)
    if now is None:
        raise NotAsShown("it was forgotten meanwhile, nothing was done")
    if now.status not in facts.UNDECIDED:
        raise NotAsShown(f"it was decided meanwhile and is {now.status}, nothing was done")
    if now.text != each.said:
        raise NotAsShown("its words were changed meanwhile, nothing was done; it waits")
    return now


# Short numbers, for a person in the client


def show(reader: "Reader") -> "list[Candidate]":
    """Return the candidates to show now, and note their order: a number that is typed means what stood on the screen."""
    found = waiting(reader)[:MOST_SHOWN]
    with access.Change(reader.stores[0]) as opened:
        opened.set_property(SHOWN, fast.dumps([each.fact.public_id for each in found]) if found else None)
    return found


def named(reader: "Reader", words: "list[str]") -> "list[tuple[Candidate, bool]]":
    """Return what a line such as `yes 1 3 no 2` says: candidates by the numbers shown last, with the answer to each.

    Raises RalphMemError for any word that is none of these, or a number with both answers, before anything is decided.
    """
    shown: list[str] = fast.loads(reader.stores[0].property(SHOWN) or "[]")
    there = {each.fact.public_id: each for each in waiting(reader)}
    found: dict[str, tuple[Candidate, bool]] = {}
    answer = ""
    for word in " ".join(words).lower().replace(",", " ").split():
        if word in (YES, NO):
            answer = word
            continue
        number = int(word) if word.isdecimal() and word.isascii() and len(word) <= 2 else 0
        if not answer or not 1 <= number <= len(shown):
            raise RalphMemError(f"{word[:20]} is no number of what was shown, nothing was changed", "/mem learn shows them again")
        name = shown[number - 1]
        if name not in there:
            raise RalphMemError(f"number {number} waits no longer, nothing was changed", "/mem learn shows what is left")
        if name in found and found[name][1] != (answer == YES):
            raise RalphMemError(f"number {number} has a yes and a no, nothing was changed", "give it one of them")
        found[name] = (there[name], answer == YES)
    return list(found.values())
