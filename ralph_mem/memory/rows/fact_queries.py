"""Ask for the facts that a reader wants, by what holds, held, or contradicts another one."""

from ralph_mem.memory.rows.facts import (
    ACTIVE,
    CANDIDATE,
    COMMAND,
    CONFLICTS,
    EXPORTED,
    HOLDING,
    LINK_TABLE,
    PAST,
    PROMPT,
    RETIRED,
    SAID,
    SUPERSEDED,
    THERE,
    TYPE,
    are_there,
    read,
    sessions,
)
from ralph_mem.memory.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

# What a session's start may tell of what people said: facts of their own hand that are no notes, what was said in several turns,
# and what was said in prompts of the last days. Of what three invented users said again .64 had been told by that, .52 with rules
# and corrections of 14 days alone; .07 and .03 of the lines were useless. More than have room, as the instructions say some, and
# most of what a busy person says in passing is unlikely.
STANDING_DAYS_MS, MOST_STANDING = 30 * 86_400_000, 120
# What is very likely of use stays so much longer: nobody says a rule of the house each month.
LIKELY, LIKELY_DAYS_MS = 0.6, 120 * 86_400_000
# How likely what was said once has to be of use, to be told. Of what ten users teach again that had no part in the weights .66 had
# been told from here on, among .12 useless lines (.64 among .11 from 0.52 on).
LEAST_TOLD = 0.46
STANDING = f"""
WHERE o.type = '{TYPE}' AND NOT o.misled AND NOT o.pinned AND o.tainted < 2
    AND f.kind IN ({", ".join([f"'{kind}'" for kind in SAID])})
    AND coalesce(f.expires_at, ?1 + 1) > ?1 AND (f.status IN ('{ACTIVE}', '{EXPORTED}') OR f.status = '{CANDIDATE}' AND (
        f.source = '{PROMPT}' AND f.said_at > ?1 - {LIKELY_DAYS_MS}
        OR (SELECT count(*) FROM derived_from AS d WHERE d.child = o.public_id) > 1))
ORDER BY f.status, f.said_at DESC, o.id DESC LIMIT {MOST_STANDING}"""


def are_more_than(store: "Store", most: int) -> bool:
    """Say whether more than so many facts hold or wait to be decided about."""
    sql = f"SELECT 1 FROM facts WHERE status IN {THERE} LIMIT 1 OFFSET ?"
    return are_there(store) and store.one(sql, (most,)) is not None


def of_numbers(store: "Store", memories: "list[str]", observations: "list[str]") -> "list[Fact]":
    """Return facts that hold, and candidates, by their numbers as memories or as observations, newest first."""
    numbers = f"SELECT observation_id FROM memories WHERE id IN ({', '.join(memories)})"
    where = f"f.id IN ({numbers} UNION SELECT id FROM facts WHERE id IN ({', '.join(observations)}))"
    return read(store, f"WHERE {where} AND f.status IN {THERE} ORDER BY f.said_at DESC, o.id DESC")


def made_from(store: "Store", public_id: str) -> "list[Fact]":
    """Return the facts that a turn or an observation said or proved, of any status."""
    return read(store, "WHERE o.public_id IN (SELECT child FROM derived_from WHERE parent = ?)", (public_id,))


# What was told as a fact at some time: what holds, and what held until it was replaced or taken back.
EVER = f"(f.status IN ('{ACTIVE}', '{EXPORTED}') OR f.status IN ('{SUPERSEDED}', '{RETIRED}') AND f.retired_at NOT NULL)"
IN_TIME = "coalesce(f.expires_at, ?1 + 1) > ?1 ORDER BY f.said_at DESC, o.id DESC"


def as_of(store: "Store", at: int) -> "list[Fact]":
    """Return the facts that were known at a time in ms, newest first, with the words that they have today."""
    return read(store, f"WHERE {EVER} AND f.recorded_at <= ?1 AND coalesce(f.retired_at, ?1 + 1) > ?1 AND {IN_TIME}", (at,))


def valid_at(store: "Store", at: int) -> "list[Fact]":
    """Return the facts that were true at a time in ms as far as is known today, newest first."""
    where = f"WHERE {EVER} AND f.valid_from <= ?1 AND coalesce(f.valid_until, ?1 + 1) > ?1 AND {IN_TIME}"
    return read(store, where, (at,))


def standing(store: "Store", at: int) -> "list[Fact]":
    """Return the statements of people that a session's start at a time in ms may tell, the worthiest first.

    Facts come before candidates; of each, what was said in more sessions comes first, then what was said more clearly, then
    what is newer.
    """
    found = read(store, STANDING, (at,))
    often = {fact.public_id: sessions(store, fact.public_id) for fact in found if fact.sightings > 1}
    return sorted(
        [fact for fact in found if fact.status in HOLDING or _is_likely(fact, at) or often.get(fact.public_id, 1) > 1],
        key=lambda fact: (fact.status not in HOLDING, -often.get(fact.public_id, 1), -_clearness(fact), -fact.said_at),
    )


def _clearness(fact: "Fact") -> float:
    """Return how clearly a statement was said, in tenths: what differs less is a matter of chance."""
    return round(float(fact.metadata.get("strength") or 1.0), 1)


def _is_likely(fact: "Fact", at: int) -> bool:
    """Say whether what was said once, and lately, is likely enough to be of use."""
    is_recent = fact.source == PROMPT and passes(fact) > at
    return is_recent and float(fact.metadata.get("strength") or 1.0) >= LEAST_TOLD


def passes(fact: "Fact") -> int:
    """Return until when what was said once in passing is news, in ms."""
    is_very_likely = float(fact.metadata.get("strength") or 1.0) >= LIKELY
    return fact.said_at + (LIKELY_DAYS_MS if is_very_likely else STANDING_DAYS_MS)


def commands(store: "Store") -> "list[Fact]":
    """Return the commands that the log proves, one of a purpose, in the order of the purposes."""
    from ralph_mem.core.command_lines.purposes import PURPOSES  # lazy: a prompt needs none of it

    found = read(store, f"WHERE f.status = '{ACTIVE}' AND f.kind = '{COMMAND}' AND NOT o.misled ORDER BY f.said_at DESC LIMIT 7")
    return sorted(found, key=lambda fact: [not fact.text.startswith(name) for name in PURPOSES])


def contradicted(store: "Store", names: "list[str]") -> "list[tuple[str, str]]":
    """Return of the ids of facts each pair that cannot both hold: the one that was said against the other one first."""
    if not schema.is_made(store, LINK_TABLE):
        return []
    marks = ", ".join("?" * len(names))
    sql = f"SELECT a, b FROM fact_links WHERE kind = '{CONFLICTS}' AND a IN ({marks}) AND b IN ({marks})"
    found: list[tuple[str, str]] = store.execute(sql, (*names, *names)).fetchall()
    return found


def past(store: "Store", numbers: "list[str]") -> "set[int]":
    """Return of the numbers of observations those of what was a fact and holds no longer."""
    marks = ", ".join("?" * len(PAST))
    sql = f"SELECT id FROM facts WHERE status IN ({marks}) AND id IN ({', '.join(numbers)})"
    return {number for (number,) in store.execute(sql, PAST)}
