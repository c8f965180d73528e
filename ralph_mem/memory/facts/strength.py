"""Say how strong a fact still is, from its strengths, its outcomes and two clocks.

Nothing here is stored: the same row gives the same number however often somebody looks.
"""

import math

from ralph_mem.memory.rows import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ralph_mem.memory.rows.facts import Fact

COMPONENTS = ("semantic", "episodic", "procedural")
# What an access takes off each: halved after 69, 14 and 347 of them. The rates of the source that the rows of the plan name.
RATES = {"semantic": 0.01, "episodic": 0.05, "procedural": 0.002}
# What a statement is about decides which of the three it has, and no other.
COMPONENT_OF = {
    **dict.fromkeys((facts.RULE, facts.PREFER, facts.CORRECTION, facts.COMMAND), "procedural"),
    **dict.fromkeys((facts.FACT, facts.DECISION, facts.PLACE), "semantic"),
    **dict.fromkeys((facts.LESSON, facts.PATTERN), "episodic"),
}
FRESH = 1.0  # of the one component of a new fact
# At most so much of a rank score comes from strength: until there are real outcomes to fit it to, it only decides between equals.
WEIGHT, CONFLICTING = 0.15, 0.3
DAY_MS = 86_400_000
# Relations lose a twentieth a month, what was mined a tenth a week; below the least a relation is hidden.
RELATION, RELATION_KEEPS, RELATION_DAYS, LEAST_RELATION = 0.7, 0.95, 30, 0.2
MINED_KEEPS, MINED_DAYS = 0.9, 7


class Clock:
    """The two clocks of a memory: how many accesses there have been, the time in ms, and accesses on a middling active day."""

    __slots__ = ("accesses", "now", "pace")

    def __init__(self, accesses: int, now: int, pace: float = 1.0) -> None:
        self.accesses, self.now, self.pace = accesses, now, pace

    def since(self, touched_clock: "int | None", touched_at: "int | None") -> float:
        """Return how much has passed since then, in accesses, by the slower of the two clocks; never less than nothing.

        What was never stamped was touched now.
        """
        accesses = self.accesses - touched_clock if touched_clock is not None else 0
        if touched_at is None:
            return float(max(0, accesses))
        return max(0.0, min(accesses, (self.now - touched_at) / DAY_MS * self.pace))


def decayed(strength: float, rate: float, passed: float) -> float:
    """Return what is left of a strength after so many accesses; nothing of one that is not above nothing."""
    return strength * math.pow(1.0 - min(1.0, max(0.0, rate)), max(0.0, passed)) if strength > 0 else 0.0


def total(strengths: "Mapping[str, float]", passed: "Mapping[str, float]", rates: "Mapping[str, float] | None" = None) -> float:
    """Return the sum of what is left of the three; a component without a time was touched now, one without a strength is nothing.

    `rates` replace those of `RATES` that they name, and count as 0 to 1.
    """
    of_each = {**RATES, **(rates or {})}
    return math.fsum(decayed(strengths.get(name, 0.0), of_each[name], passed.get(name, 0.0)) for name in COMPONENTS)


def usefulness(helpful: float, harmful: float) -> float:
    """Return the share of helpful outcomes, one half where there are none yet."""
    return (helpful + 1) / (helpful + harmful + 2)


def of(fact: "Fact", clock: Clock) -> float:
    """Return the strength of a fact as the clock has it."""
    passed = clock.since(fact.touched_clock, fact.touched_at or fact.recorded_at)
    return total(strengths_of(fact), dict.fromkeys(COMPONENTS, passed))


def strengths_of(fact: "Fact") -> "dict[str, float]":
    """Return the three strengths of a fact; one that was stored without any is as fresh as a new one of its kind."""
    found = {name: float(getattr(fact, name) or 0.0) for name in COMPONENTS}
    return found if any(found.values()) else {COMPONENT_OF[fact.kind]: FRESH}


def score(fact: "Fact", clock: Clock) -> float:
    """Return the score by which facts are kept, listed and told: strength times usefulness, from 0 to 1."""
    return of(fact, clock) * usefulness(fact.helpful, fact.harmful)


def explained(fact: "Fact", clock: Clock) -> str:
    """Return in words of which factors the score of a fact is made."""
    useful = usefulness(fact.helpful, fact.harmful)
    counts = f"helped {fact.helpful} times, harmed {fact.harmful} times"
    strong = f"strength {of(fact, clock):.3f} ({COMPONENT_OF[fact.kind]})"
    return f"score {score(fact, clock):.3f}: {strong} times usefulness {useful:.3f} ({counts})"


def prominence(fact: "Fact", clock: Clock, conflicting: bool = False) -> float:
    """Return what a fact's rank score gains by its strength, and loses where another one contradicts it."""
    return WEIGHT * score(fact, clock) - (CONFLICTING if conflicting else 0.0)


def pace(accesses_of_days: "Iterable[int]") -> float:
    """Return the median of the accesses on days that had any; 1 where there was none."""
    ordered = sorted([number for number in accesses_of_days if number > 0])
    half = len(ordered) // 2
    if not ordered:
        return 1.0
    return float(ordered[half]) if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def of_relation(confirmed_at: int, now: int, confidence: float = RELATION) -> float:
    """Return how much a relation is believed, so long after it was confirmed last; times in ms."""
    return confidence * math.pow(RELATION_KEEPS, max(0, now - confirmed_at) / DAY_MS / RELATION_DAYS)


def is_hidden(confirmed_at: int, now: int, confidence: float = RELATION) -> bool:
    """Say whether a relation is believed too little to be told."""
    return of_relation(confirmed_at, now, confidence) < LEAST_RELATION


def of_mined(seen_at: int, now: int, confidence: float) -> float:
    """Return how much a pattern is believed that was found by counting, so long after it was seen last; times in ms."""
    return confidence * math.pow(MINED_KEEPS, max(0, now - seen_at) / DAY_MS / MINED_DAYS)
