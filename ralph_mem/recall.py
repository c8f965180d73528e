"""Recall: the one reader. A search finds rows, a timeline says what happened around one, and `find` opens it whole.

Standard library only: the skills use it. What is withheld in one of the three is withheld in all: text that web and MCP
tools brought in, unless a person at a terminal asks for it, rows about paths that the user excludes, and what today's
rules of redaction find: a rule that came later protects older rows as well.
"""

import math

from ralph_mem import access
from ralph_mem.core import index_text, memories, privacy
from ralph_mem.core import search as ranking
from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store

TYPES = ("turn", "note", "error", "success", "tool_use", "decision", "response", "summary")
WITHHELD = "(text from web or MCP tools is withheld)"
# A raw row says less than the turn that it belongs to; half of the turn's own score comes with it.
RAW_SHARE = 0.6
TURN_SHARE = 0.5
UNANSWERED_SHARE = 0.5
# The rows that are read and scored, so many for each that is asked for, of those that hold the rarest words.
CANDIDATES_FOR_ONE, FEWEST_CANDIDATES = 3, 24
DAY_MS = 86_400_000
FOREVER = 2**62

TURN = """
SELECT t.id, t.public_id, 'turn', t.session_id, t.seq, t.created_at, t.tainted, t.prompt, t.response, t.files, t.lines,
    t.tokens, t.pinned, t.misled, t.id, t.origin, t.status, t.branch, t.commit_id FROM turns AS t"""
OBSERVATION = """
SELECT t.id, t.public_id, t.type, t.session_id, t.seq, t.created_at,
    t.tainted OR (t.type = 'response' AND EXISTS (SELECT 1 FROM turns WHERE turns.id = t.turn_id AND turns.tainted)),
    t.title, t.content, t.files, t.lines,
    t.tokens, t.pinned, t.misled, t.turn_id, t.origin, t.tool_name, NULL, NULL FROM observations AS t"""

# There is an order of a session's rows, and no index of a turn's: a tool event would pay for it.
OF_TURN = " WHERE t.session_id = ? AND t.seq >= ? AND t.turn_id = ? ORDER BY t.seq, t.id"

# Where a word stands, newest rows first: counting all of them would cost as much as the word is common.
STANDS = """
SELECT group_concat(number) FROM (SELECT f.rowid AS number FROM {index} AS f {joins}
WHERE {index} MATCH ? {filters} ORDER BY f.rowid DESC LIMIT ?)"""
MEMORY_JOINS = "JOIN memories AS r ON r.id = f.rowid LEFT JOIN observations AS o ON o.id = r.observation_id"
RAW_JOINS = "JOIN observations AS r ON r.id = f.rowid JOIN observations AS o ON o.id = r.id"
RAW = """
SELECT o.id, o.public_id, o.session_id, o.seq, o.created_at, o.tainted, o.title, o.content, '', o.files, o.lines,
    o.pinned, o.misled, t.public_id
FROM observations AS o LEFT JOIN turns AS t ON t.id = o.turn_id WHERE o.id IN ({numbers})"""


class Row:
    """A turn or an observation as a reader sees it; `said` and `lines` of outside text are withheld unless asked for.

    `asked` is a turn's prompt or an observation's title, `said` the answer or the content.
    """

    __slots__ = (
        *("asked", "at", "branch", "commit", "files", "lines", "misled", "number", "origin", "pinned", "public_id", "said"),
        *("score", "seq", "session", "state", "store", "tainted", "tokens", "turn", "type"),
    )

    def __init__(self, store: "Store", values: "tuple[Any, ...]", outside: bool = False) -> None:
        self.store = store
        self.number, self.public_id, self.type, self.session, self.seq, self.at, self.tainted = values[:7]
        self.asked, self.said, self.files, self.lines, self.tokens, self.pinned, self.misled = values[7:14]
        self.turn, self.origin, self.state, self.branch, self.commit = values[14:]
        self.score = 0.0
        if self.tainted and not outside:
            self.asked = "subagent's report" if self.type == "response" else self.asked  # its title is its beginning
            self.said = WITHHELD if self.said else ""
            self.lines = self.lines if self.type == "turn" else ""  # those of a turn are its own commands'


class Wanted:
    """What a search is limited to: times in milliseconds, types of `TYPES` (none means all), how many rows."""

    __slots__ = ("limit", "since", "types", "until")

    def __init__(self, limit: int = 10, since: int = 0, until: int = FOREVER, types: "Sequence[str]" = ()) -> None:
        check_types(types)
        self.limit, self.since, self.until, self.types = limit, since, until, types


def check_types(types: "Sequence[str]") -> None:
    """Raise RalphMemError for a type that no row has."""
    for name in types:
        if name not in TYPES:
            raise RalphMemError(f"there is no type {name[:40]}", "one of " + ", ".join(TYPES))


class Reader:
    """Reads the memories of a project, its own first, as its settings allow; `outside` shows what is withheld otherwise."""

    __slots__ = ("outside", "project", "settings", "stores")

    def __init__(self, stores: "list[Store]", project: "Project", settings: "dict[str, Any]", outside: bool = False) -> None:
        self.stores = stores
        self.project = project
        self.settings = settings
        self.outside = outside

    def rows(self, store: "Store", sql: str, values: "Sequence[object]" = ()) -> "list[Row]":
        """Return rows of `TURN` or `OBSERVATION`, without those that the user excludes."""
        found = [Row(store, row, self.outside) for row in store.execute(sql, values)]
        return [row for row in found if not self._excluded(row)]

    def protected(self, rows: "list[Row]") -> "list[Row]":
        """Return rows as they may leave, redacted by today's rules and values."""
        texts = [text for row in rows for text in (row.asked, row.said, row.files, row.lines)]
        safe = iter(privacy.protect(texts, self.project, self.settings)[0])
        for row in rows:
            row.asked, row.said, row.files, row.lines = next(safe), next(safe), next(safe), next(safe)
        return rows

    def _excluded(self, row: Row) -> bool:
        """Say whether a row is about an excluded path; a turn only loses what it tells of such paths."""
        if not self.settings["privacy.exclude_paths"] or row.type == "note":
            return False
        from ralph_mem.core import path_rules  # only who excludes any needs their rules

        files, lines = path_rules.allowed(row.files, row.lines, self.settings)
        if row.type == "turn":
            row.files, row.lines = files, lines
            return False
        return files != row.files or path_rules.names_excluded(row.asked, self.settings)


def search(reader: Reader, query: str, now: int, wanted: Wanted) -> "list[Row]":
    """Return the rows that hold words of a query, the best first; a raw row only where its turn is not among them.

    `now` is in milliseconds and only orders. Of the memory of all projects come at most half, if the project's own has
    as many. Raises RalphMemError for a query without a word.
    """
    terms = index_text.terms(query) or index_text.words(query)[: index_text.MOST_TERMS]
    if not terms:
        raise RalphMemError("there is no word to search for", "give a few words of what you look for")
    found = [_of_store(reader, store, terms, now, wanted) for store in reader.stores]
    own, shared = found[0], found[1] if len(found) > 1 else []
    room = max(wanted.limit // 2, wanted.limit - len(own))
    taken = shared[:room]
    return reader.protected(sorted(own[: wanted.limit - len(taken)] + taken, key=lambda row: -row.score))


def _of_store(reader: Reader, store: "Store", terms: "list[str]", now: int, wanted: Wanted) -> "list[Row]":
    """Return the best rows of one memory: its memories, and raw rows whose turn is not among them."""
    numbers, weights = _candidates(store, "memory_fts", MEMORY_JOINS, terms, wanted)
    scored = _scored(memories.load(store, numbers), weights)
    turns = {values[1]: share for values, share in scored}
    numbers, weights = _candidates(store, "observations_fts", RAW_JOINS, terms, wanted)
    raw = store.execute(RAW.format(numbers=",".join(numbers))).fetchall() if numbers else []
    for values, share in _scored(raw, weights):
        if values[-1] not in turns or wanted.types:
            scored.append((values, RAW_SHARE * share + TURN_SHARE * turns.get(values[-1], 0.0)))
    ranked = sorted([(_weighed(values, share, now), values) for values, share in scored], key=lambda one: (-one[0], -one[1][3]))
    return _rows(reader, store, [(values[1], score) for score, values in ranked], wanted.limit)


def _rows(reader: Reader, store: "Store", scores: "list[tuple[str, float]]", limit: int) -> "list[Row]":
    """Return the rows of the best ids, with their scores; one that is excluded leaves its place to the next."""
    found: list[Row] = []
    for public_id, score in scores:
        if len(found) == limit:
            break
        table = TURN if public_id.startswith("turn-") else OBSERVATION
        for row in reader.rows(store, table + " WHERE t.public_id = ?", (public_id,)):
            row.score = score
            found.append(row)
    return found


def _candidates(store: "Store", index: str, joins: str, terms: "list[str]", wanted: Wanted) -> "tuple[list[str], dict[str, float]]":
    """Return the numbers of the rows that hold the rarest words together, newest first among equals, and how rare each is."""
    stands = {term: _stands(store, index, joins, term, wanted) for term in terms}
    table = "memories" if index == "memory_fts" else "observations"
    total = store.one("SELECT max(id) FROM " + table)[0] or 0
    rarity = {term: math.log(1 + total / (len(rows) + 0.5)) for term, rows in stands.items() if rows}
    # a word that is everywhere brings nothing, unless all of them are
    telling = [term for term in rarity if len(stands[term]) < ranking.MOST_POSTINGS] or list(rarity)
    held: dict[str, float] = {}
    for term in telling:
        for number in stands[term]:
            held[number] = held.get(number, 0.0) + rarity[term]
    best = sorted(held, key=lambda number: (held[number], int(number)), reverse=True)
    return best[: max(CANDIDATES_FOR_ONE * wanted.limit, FEWEST_CANDIDATES)], rarity


def _stands(store: "Store", index: str, joins: str, term: str, wanted: Wanted) -> "list[str]":
    filters, values = "", []
    if wanted.since or wanted.until < FOREVER:
        filters, values = "AND r.created_at >= ? AND r.created_at < ?", [wanted.since, wanted.until]
    if wanted.types:
        filters += f" AND coalesce(o.type, 'turn') IN ({', '.join('?' * len(wanted.types))})"
    sql = STANDS.format(index=index, joins=joins if filters else "", filters=filters)
    (numbers,) = store.one(sql, (ranking.quoted(term), *values, *wanted.types, ranking.MOST_POSTINGS))
    return numbers.split(",") if numbers else []


def _scored(rows: "list[tuple[Any, ...]]", rarity: "dict[str, float]") -> "list[tuple[tuple[Any, ...], float]]":
    """Return rows with their text scores, the best one's being 1."""
    roots = [(ranking.root_of(term), weight) for term, weight in rarity.items()]
    scores = [ranking.text_score(values, roots) for values in rows]
    best = max(scores, default=0.0) or 1.0
    return [(values, score / best) for values, score in zip(rows, scores)]


def _weighed(values: "tuple[Any, ...]", score: float, now: int) -> float:
    """Add recency and what the person said about a row to its text score; a question that nobody answered counts half."""
    age = max(0.0, (now - values[memories.CREATED_AT]) / DAY_MS)
    score += ranking.RECENCY / (1 + age / ranking.RECENCY_DAYS)
    _, answer, _, files, lines = values[memories.TEXTS]
    if values[1].startswith("turn-") and not (answer or files or lines):
        score *= UNANSWERED_SHARE
    return ranking.marked(score, values[memories.PINNED], values[memories.MISLED])


def find(reader: Reader, public_id: str) -> Row:
    """Return one row by its id. Raises RalphMemError where no memory has it."""
    for store in reader.stores if public_id.isascii() else ():
        for table in (TURN, OBSERVATION):
            for row in reader.rows(store, table + " WHERE t.public_id = ?", (public_id,)):
                return reader.protected([row])[0]
    name = public_id[:40] if public_id.isascii() else ascii(public_id[:40])
    raise RalphMemError(f"no memory has the id {name}", "ids are printed by a search; this one may be forgotten")


def timelines(reader: Reader, rows: "list[Row]", before: int = 1, after: int = 1) -> "list[list[Row]]":
    """Return for each row what happened around it, in order: turns before it, its turn with what was run and changed,
    turns after.

    It stays within the session, so it never crosses into another project.
    """
    found = [_around(reader, row, before, after) for row in rows]
    reader.protected([row for line in found for row in line])
    return found


def _around(reader: Reader, row: Row, before: int, after: int) -> "list[Row]":
    if row.turn is None:
        middle = [row]
    else:
        middle = reader.rows(row.store, TURN + " WHERE t.id = ?", (row.turn,))
        middle += reader.rows(row.store, OBSERVATION + OF_TURN, (row.session, middle[0].seq if middle else 0, row.turn))
    start, end = (middle[0].seq, middle[0].seq) if middle else (row.seq, row.seq)
    around = TURN + " WHERE t.session_id = ? AND t.seq {} ? AND t.prompt || t.response <> '' ORDER BY t.seq {} LIMIT ?"
    earlier = reader.rows(row.store, around.format("<", "DESC"), (row.session, start, before))
    later = reader.rows(row.store, around.format(">", "ASC"), (row.session, end, after))
    # a typed command leaves a turn without a word
    told = [
        entry for entry in middle if entry.public_id == row.public_id or entry.asked or entry.said or entry.lines or entry.files
    ]
    # what a turn did in the background stands where it happened
    return sorted([*earlier, *told, *later], key=lambda entry: entry.seq)


def transcript(row: Row) -> "tuple[str, str]":
    """Return the path of the client's transcript of a row's session and the client's id of its prompt, empty if unknown."""
    path, event = row.store.one(
        "SELECT s.transcript_path, t.event_id FROM sessions AS s LEFT JOIN turns AS t ON t.id = ? WHERE s.id = ?",
        (row.turn, row.session),
    )
    event = event or ""
    return path or "", event.removeprefix("prompt:") if event.startswith("prompt:") else ""


def is_global(row: Row) -> bool:
    """Say whether a row is remembered for all projects."""
    return access.is_global(row.store)
