"""Store facts. A fact is an observation whose title is the statement, with what is known of it in a row of its own beside it.

So the index, redaction, forgetting, exports, receipts and vectors treat it as any other observation. An active fact is a
memory; one of any other status is found among the raw rows alone, and told only where a module asks for it.
"""

import time

from ralph_mem.core import fast
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.rows import existing, reading, row
from ralph_mem.memory.store import connection, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.memory.store.connection import Store

TYPE = row.FACT
# What people said; what the log proves.
SAID = RULE, PREFER, FACT, DECISION, CORRECTION = ("rule", "prefer", "fact", "decision", "correction")
PROVED = COMMAND, PLACE = ("command", "place")
# What a loop left; and what was found by counting, such as a command that fails again and again.
LESSON, PATTERN = "lesson", "pattern"
KINDS = (*SAID, *PROVED, LESSON, PATTERN)
STATUSES = CANDIDATE, ACTIVE, SUPERSEDED, RETIRED, REJECTED, EXPORTED, PROPOSED = (
    "candidate", "active", "superseded", "retired", "rejected", "exported", "proposed",
)  # fmt: skip
# What a person is asked about: sentences of their own, and what an agent would have kept, which nobody but them is shown.
UNDECIDED = (CANDIDATE, PROPOSED)
PAST = (SUPERSEDED, RETIRED, REJECTED)
# What a person's file of rules says holds as well, and is told where the file says it no longer.
HOLDING = (ACTIVE, EXPORTED)
# What a new statement may repeat, replace or contradict.
THERE = (*HOLDING, CANDIDATE)
# How it came here: `/mem inject`, "remember that", `facts add` and edits by a person; a prompt; a command that ran; the end of a
# loop; a proposal of a model or an import.
BY_HAND = INJECT, REMEMBER, ADD = ("inject", "remember", "add")
SOURCES = PROMPT, RAN, LOOP, PROPOSAL = ("prompt", "ran", "loop", "proposal")
# The fact `a` and what it has to do with the fact `b`.
LINKS = SUPERSEDES, CONFLICTS, RETIRES, SAME = ("supersedes", "conflicts", "retires", "same")
SURE = 0.33  # from this score on a conflict is an update that waits for a person; how it was chosen stands in `decision`
# Why a fact was retired that nobody said anything against: it had no room, or its day is over.
CAPACITY, EXPIRED = "capacity", "expired"
BY_RULE, BY_PERSON = "rule", "person"
TABLE, LINK_TABLE = "facts", "fact_links"
# The property of a database by which a reader knows, without a look at the tables, that there are facts.
ANY = "facts"
GAINS = "facts_gains"  # the property that says how strong they are in a search, which each change of a fact drops
# What a terminal or the worker stores belongs to no session of a client.
SESSION = "ralph-mem"
STATEMENT_CHARACTERS = 320
# The columns of a fact's own row besides its number.
COLUMNS = (
    *("kind", "status", "source", "text_key", "said_at", "valid_from", "valid_until", "recorded_at", "retired_at", "retired_why"),
    *("expires_at", "semantic", "episodic", "procedural", "touched_clock", "touched_at", "helpful", "harmful", "anchors"),
)
# A lesson bears the name of the loop there.
MARK = "UPDATE observations SET tool_name = ? WHERE id = ? AND type IN ('fact', 'note') AND tool_name IS NOT 'ralph'"
READ = f"""
SELECT o.id, o.public_id, o.title, o.lines, o.pinned, o.misled, o.tainted, o.origin, o.tokens, o.metadata, o.type,
    {", ".join(["f." + name for name in COLUMNS])}, (SELECT count(*) FROM derived_from AS d WHERE d.child = o.public_id)
FROM facts AS f JOIN observations AS o ON o.id = f.id"""
UNTAKEN = """
SELECT o.id, o.public_id, o.title, o.created_at, o.metadata FROM observations AS o
WHERE o.type = 'note' AND o.origin = 'user' AND o.speaker IS NULL AND o.tainted < 2 AND o.content = ''
    AND NOT EXISTS (SELECT 1 FROM facts AS f WHERE f.id = o.id) ORDER BY o.id"""
# In how many sessions the texts that support a fact were said: those of its turns, and of observations.
SESSIONS = """
SELECT count(DISTINCT s) FROM (
    SELECT t.session_id AS s FROM derived_from AS d JOIN turns AS t ON t.public_id = d.parent WHERE d.child = ?1
    UNION ALL SELECT o.session_id FROM derived_from AS d JOIN observations AS o ON o.public_id = d.parent WHERE d.child = ?1)"""


class Fact:
    """A fact as it is stored: the text, its id, and all that `COLUMNS` names; times in ms since 1970; `sightings` is how often."""

    def __init__(self, values: "tuple[Any, ...]") -> None:
        self.number, self.public_id, self.text, self.aliases, self.pinned, self.misled, self.tainted, *rest = values
        self.origin, self.tokens, metadata, self.type, *known, self.sightings = rest
        self.metadata: dict[str, Any] = fast.loads(metadata) if metadata else {}
        self.kind: str = known[0]
        self.status: str = known[1]
        self.source: str = known[2]
        self.text_key: str = known[3]
        self.said_at: int = known[4]
        self.valid_from, self.valid_until, self.recorded_at, self.retired_at, self.retired_why, self.expires_at = known[5:11]
        self.semantic, self.episodic, self.procedural, self.touched_clock, self.touched_at = known[11:16]
        self.helpful, self.harmful = known[16:18]
        self.anchors: list[dict[str, Any]] = fast.loads(known[18]) if known[18] else []

    @property
    def is_protected(self) -> bool:
        """Say whether only a person replaces or retires it: pinned, written with `/mem inject`, or proved by a loop."""
        return bool(self.pinned) or self.source in (INJECT, LOOP)


def are_there(store: "Store") -> bool:
    """Say whether a memory has any facts, as it stands now: another process may have made the first one since it was opened."""
    if not store.property(ANY):
        store.properties.clear()
    return bool(store.property(ANY))


def make(store: "Store") -> None:
    """Make the table of facts where it is missing; that of links comes with the first. The caller holds the transaction."""
    if not are_there(store):
        schema.make(store, TABLE)
        store.set_property(ANY, 1)
        from ralph_mem.memory.rows import sessions  # lazy: once in the life of a memory

        sessions.own(store, SESSION, time.time_ns() // 1_000_000)


def _changed(store: "Store") -> None:
    """Drop what hooks would tell of facts as they were."""
    store.drop(connection.STANDING, GAINS)


def add(store: "Store", number: int, known: "dict[str, Any]") -> None:
    """Make a stored observation a fact; `known` are columns of `COLUMNS`, at least kind, status, source, text_key and said_at.

    The caller holds the transaction. Raises RalphMemError for an unknown kind or status.
    """
    if known["kind"] not in KINDS or known["status"] not in STATUSES:
        raise RalphMemError(f"no fact is a {known['kind']} that is {known['status']}", f"kinds: {', '.join(KINDS)}")
    make(store)
    whole = {"recorded_at": known["said_at"], "valid_from": known["said_at"], **known}
    if isinstance(whole.get("anchors"), list):
        whole["anchors"] = fast.dumps(whole["anchors"]) if whole["anchors"] else None
    sql = f"INSERT OR IGNORE INTO facts (id, {', '.join(whole)}) VALUES (?{', ?' * len(whole)})"
    store.execute(sql, (number, *whole.values()))
    show(store, number, known["status"])


def show(store: "Store", number: int, status: str, is_others: bool = False) -> None:
    """Make a fact a memory if it is active, and take it from among them if it is not; `is_others` as in `existing.remember`."""
    _changed(store)
    mark = (None if status == ACTIVE else status, number)
    store.execute(MARK, mark)  # where readers see the state of a row
    is_memory = store.one("SELECT 1 FROM memories WHERE observation_id = ?", (number,))
    if status == ACTIVE and not is_memory:
        existing.remove_entry(store, row.OBSERVATION, number)
        existing.remember(store, row.OBSERVATION, number, is_others)
    elif status != ACTIVE and is_memory:
        existing.remove_entry(store, row.OBSERVATION, number)
        store.execute("DELETE FROM memories WHERE observation_id = ?", (number,))
        existing.add_entry(store, row.OBSERVATION, number)


def show_all(store: "Store") -> None:
    """Let facts be memories as their status says, where their table was brought over and the memories were found anew."""
    if store.one("SELECT 1 FROM sqlite_master WHERE name = ?", (TABLE,)):
        store.set_property(ANY, 1)
        for number, status in store.execute("SELECT id, status FROM facts ORDER BY id").fetchall():
            show(store, number, status)


def change(store: "Store", number: int, known: "dict[str, Any]") -> None:
    """Write columns of a fact's own row, and show or hide it where its status is among them. In the caller's transaction."""
    _changed(store)
    if isinstance(known.get("anchors"), list):
        known = {**known, "anchors": fast.dumps(known["anchors"]) if known["anchors"] else None}
    assigned = ", ".join([f"{name} = ?" for name in known])
    store.execute(f"UPDATE facts SET {assigned} WHERE id = ?", (*known.values(), number))
    if "status" in known:
        show(store, number, known["status"])


def hold(store: "Store", number: int, status: str = ACTIVE) -> None:
    """Let a fact that was taken away hold again, or wait again. In the caller's transaction."""
    change(store, number, {"status": status, "valid_until": None, "retired_at": None, "retired_why": None})


def pin(store: "Store", number: int) -> None:
    """Keep a fact in view: told whole at every session's start. In the caller's transaction."""
    _changed(store)
    store.execute("UPDATE observations SET pinned = 1 WHERE id = ?", (number,))
    store.set_property(reading.WAS_PINNED, 1)


def let_go(store: "Store", fact: Fact, mark: str) -> None:
    """Keep a fact in view no longer, and let it hold without what is known of it under a mark. In a transaction."""
    _changed(store)
    known = fast.dumps({name: value for name, value in fact.metadata.items() if name != mark})
    store.execute("UPDATE observations SET pinned = 0, metadata = ? WHERE id = ?", (known, fact.number))


def read(store: "Store", where: str = "", values: "tuple[Any, ...]" = ()) -> "list[Fact]":
    """Return facts, none where the memory has no table of them; `where` is SQL on `f`, the fact, and `o`, its observation."""
    if not are_there(store):
        return []
    return [Fact(found) for found in store.execute(f"{READ} {where}", values)]


def of_status(store: "Store", *statuses: str) -> "list[Fact]":
    """Return the facts of these statuses, newest first; what is past its `expires_at` is the reader's business."""
    marks = ", ".join("?" * len(statuses))
    return read(store, f"WHERE f.status IN ({marks}) ORDER BY f.said_at DESC, o.id DESC", statuses)


def began(store: "Store") -> int:
    """Return when the first fact was recorded, in ms; 0 where there is none."""
    found = store.one("SELECT min(recorded_at) FROM facts") if are_there(store) else None
    return int(found[0] or 0) if found else 0


def of_id(store: "Store", public_id: str) -> "Fact | None":
    """Return the fact with an id, or None."""
    return next(iter(read(store, "WHERE o.public_id = ?", (public_id,))), None)


def among(store: "Store", names: "list[str]") -> "set[str]":
    """Return of the ids of rows those of facts."""
    sql = "SELECT o.public_id FROM observations AS o JOIN facts AS f ON f.id = o.id WHERE o.public_id IN "
    return {name for (name,) in store.execute(f"{sql}({', '.join('?' * len(names))})", names)}


def with_key(store: "Store", text_key: str) -> "list[Fact]":
    """Return the facts of any status that say the same words, newest first."""
    return read(store, "WHERE f.text_key = ? ORDER BY f.said_at DESC, o.id DESC", (text_key,))


def sight(store: "Store", public_id: str, parent: str) -> bool:
    """Note that a turn or an observation said or proved a fact again; says whether that was not known. In a transaction."""
    _changed(store)
    sql = "INSERT OR IGNORE INTO derived_from (child, parent) VALUES (?, ?)"
    return bool(store.execute(sql, (public_id, parent)).rowcount > 0)


def sources(store: "Store", public_id: str) -> "list[str]":
    """Return the ids of the turns and observations that said or proved a fact, in no order."""
    return [parent for (parent,) in store.execute("SELECT parent FROM derived_from WHERE child = ?", (public_id,))]


def sessions(store: "Store", public_id: str) -> int:
    """Return in how many sessions a fact was said or proved."""
    return int(store.one(SESSIONS, (public_id,))[0])


def link(store: "Store", one: str, kind: str, other: str, score: float, at: int, decided_by: str = BY_RULE) -> None:
    """Write that a fact supersedes, retires, conflicts with or is the same as another one, at a time in ms. In a transaction."""
    _changed(store)
    schema.make(store, LINK_TABLE)  # only now: to read of it costs every event 0.05 million instructions
    sql = "INSERT OR REPLACE INTO fact_links (a, b, kind, score, decided_by, at) VALUES (?, ?, ?, ?, ?, ?)"
    store.execute(sql, (one, other, kind, score, decided_by, at))


def links(store: "Store", public_id: str = "") -> "list[tuple[str, str, str, float, str, int]]":
    """Return the links of a fact, or all, oldest first: `a`, `b`, kind, score, who decided it, when."""
    if not schema.is_made(store, LINK_TABLE):
        return []
    where = "WHERE a = ?1 OR b = ?1" if public_id else "WHERE ?1 = ''"
    found: list[tuple[str, str, str, float, str, int]] = store.execute(
        f"SELECT a, b, kind, score, decided_by, at FROM fact_links {where} ORDER BY at, a, b", (public_id,)
    ).fetchall()
    return found


def unlink(store: "Store", one: str, kind: str, other: str) -> None:
    """Take a link back. In a transaction."""
    _changed(store)
    if schema.is_made(store, LINK_TABLE):
        store.execute("DELETE FROM fact_links WHERE a = ? AND b = ? AND kind = ?", (one, other, kind))


def unlink_all(store: "Store", public_id: str) -> None:
    """Take all links of a fact away that goes. In a transaction."""
    if schema.is_made(store, LINK_TABLE):
        store.execute("DELETE FROM fact_links WHERE a = ?1 OR b = ?1", (public_id,))


def still_supported(store: "Store", gone: "Iterable[str]", going: "Iterable[str]") -> "list[str]":
    """Return of facts that go with their sources those that stay: another turn said the same words, another run proved them.

    `gone` are the ids of the facts, `going` those of all rows that go.
    """
    if not are_there(store):
        return []
    leaving = set(going)
    sql = """
        SELECT d.parent FROM derived_from AS d JOIN turns AS t ON t.public_id = d.parent
        JOIN observations AS o ON o.public_id = d.child WHERE d.child = ? AND instr(lower(t.prompt), lower(o.title))"""
    said = [name for name in gone if any([parent not in leaving for (parent,) in store.execute(sql, (name,))])]
    return said + [name for name in gone if name not in said and _is_proved(store, name, leaving)]


def _is_proved(store: "Store", public_id: str, leaving: "set[str]") -> bool:
    """Say whether a run that does not go has the command of a fact in its line."""
    fact = of_id(store, public_id)
    if fact is None or fact.kind != COMMAND:
        return False
    sql = "SELECT d.parent, o.title FROM derived_from AS d JOIN observations AS o ON o.public_id = d.parent WHERE d.child = ?"
    runs = store.execute(sql, (public_id,)).fetchall()
    return any([parent not in leaving and fact.metadata.get("command", line + " ") in line for parent, line in runs])


def stored(store: "Store", event_id: str) -> "tuple[int, str]":
    """Return the number and the id of the observation of an event that is stored."""
    found: tuple[int, str] = store.one("SELECT id, public_id FROM observations WHERE event_id = ?", (event_id,))
    return found


def observed(store: "Store", public_id: str) -> "tuple[int, str]":
    """Return the number and the first text of an observation by its id."""
    found: tuple[int, str] = store.one("SELECT id, title FROM observations WHERE public_id = ?", (public_id,))
    return found


def stated(store: "Store") -> "list[tuple[int, str, str, str | None, str | None, int]]":
    """Return the statements that are facts, also where the rows with what is known of them are lost.

    Each is its number, text, origin, its status unless it is active, its metadata and the time in ms.
    """
    sql = "SELECT id, title, origin, tool_name, metadata, created_at FROM observations WHERE type = ? ORDER BY id"
    found: list[tuple[int, str, str, str | None, str | None, int]] = store.execute(sql, (TYPE,)).fetchall()
    return found


def untaken_notes(store: "Store") -> "list[tuple[int, str, str, int, str | None]]":
    """Return the notes of a person that are no facts yet, oldest first: number, id, text, time, metadata.

    What a note says that somebody else said is no word of theirs, and a note of more than one paragraph is a document.
    """
    found: list[tuple[int, str, str, int, str | None]] = store.execute(UNTAKEN).fetchall()
    return found


def corrected(store: "Store") -> "list[tuple[str, int]]":
    """Return the facts whose text a person has corrected since it was recorded: id, when."""
    sql = "SELECT o.public_id, o.edited_at FROM facts AS f JOIN observations AS o ON o.id = f.id"
    found: list[tuple[str, int]] = store.execute(sql + " WHERE o.edited_at > f.recorded_at").fetchall()
    return found
