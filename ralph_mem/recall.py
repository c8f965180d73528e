"""Recall: the one reader. A search finds rows, a timeline says what happened around one, and `find` opens it whole.

Standard library only: the skills use it. What is withheld in one of the three is withheld in all: text that web and MCP
tools brought in, unless a person at a terminal asks for it, rows about paths that the user excludes, and what today's
rules of redaction find: a rule that came later protects older rows as well.
"""

from ralph_mem import access
from ralph_mem.core import index_text, privacy, search
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
# The rows that are scored further, of each index; the rest are so far behind that recency cannot bring them back.
CANDIDATES = 100
DAY_MS = 86_400_000
FOREVER = 2**62

TURN = """
SELECT t.id, t.public_id, 'turn', t.session_id, t.seq, t.created_at, t.tainted, t.prompt, t.response, t.files, t.lines,
    t.tokens, t.pinned, t.misled, t.id, t.origin, t.status, t.branch, t.commit_id FROM turns AS t"""
OBSERVATION = """
SELECT t.id, t.public_id, t.type, t.session_id, t.seq, t.created_at, t.tainted, t.title, t.content, t.files, t.lines,
    t.tokens, t.pinned, t.misled, t.turn_id, t.origin, t.tool_name, NULL, NULL FROM observations AS t"""

# There is an order of a session's rows, and no index of a turn's: a tool event would pay for it.
OF_TURN = " WHERE t.session_id = ? AND t.seq >= ? AND t.turn_id = ? ORDER BY t.seq, t.id"

MEMORIES = """
SELECT m.turn_id, m.observation_id, bm25(memory_fts, {weights}) FROM memory_fts JOIN memories AS m ON m.id = memory_fts.rowid
LEFT JOIN observations AS o ON o.id = m.observation_id
WHERE memory_fts MATCH ? AND m.created_at BETWEEN ? AND ? {types} ORDER BY 3 LIMIT ?"""
RAW = """
SELECT o.turn_id, o.id, bm25(observations_fts, {weights}) FROM observations_fts
JOIN observations AS o ON o.id = observations_fts.rowid
WHERE observations_fts MATCH ? AND o.created_at BETWEEN ? AND ? {types} ORDER BY 3 LIMIT ?"""


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
            self.said = WITHHELD if self.said else ""
            self.lines = self.lines if self.type == "turn" else ""  # those of a turn are its own commands'


class Wanted:
    """What a search is limited to: times in milliseconds, types of `TYPES` (none means all), how many rows."""

    __slots__ = ("limit", "since", "types", "until")

    def __init__(self, limit: int = 10, since: int = 0, until: int = FOREVER, types: "Sequence[str]" = ()) -> None:
        unknown = [name for name in types if name not in TYPES]
        if unknown:
            raise RalphMemError(f"there is no type {unknown[0]}", "one of " + ", ".join(TYPES))
        self.limit, self.since, self.until, self.types = limit, since, until, types


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
        if not self.settings["privacy.exclude_paths"]:
            return False
        kept = [path for path in row.files.splitlines() if not privacy.is_excluded(path, self.settings)]
        if row.type == "turn":
            row.files = "\n".join(kept)
            return False
        return len(kept) < len(row.files.splitlines()) or privacy.touches(row.asked, self.settings)


def search_for(reader: Reader, query: str, now: int, wanted: Wanted) -> "list[Row]":
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
    match = " OR ".join(['"' + term.replace('"', '""') + '"' for term in terms])
    scores = {
        (OBSERVATION, number) if number else (TURN, turn): share
        for number, turn, share in _matches(store, MEMORIES, search.WEIGHTS, match, wanted)
    }
    turns = {number: score for (kind, number), score in scores.items() if kind == TURN}
    for number, turn, share in _matches(store, RAW, search.RAW_WEIGHTS, match, wanted):
        if turn not in turns or wanted.types:
            scores[OBSERVATION, number] = RAW_SHARE * share + TURN_SHARE * turns.get(turn, 0.0)
    found: list[Row] = []
    for table in (TURN, OBSERVATION):
        numbers = [str(number) for kind, number in scores if kind == table]
        found += reader.rows(store, f"{table} WHERE t.id IN ({','.join(numbers)})") if numbers else []
    for row in found:
        row.score = _weighed(row, scores[TURN if row.type == "turn" else OBSERVATION, row.number], now)
    return sorted(found, key=lambda row: (-row.score, -row.seq))


def _matches(store: "Store", sql: str, weights: "tuple[float, ...]", match: str, wanted: Wanted) -> "list[tuple[int, int, float]]":
    """Return (observation, turn, score) of the best matches in one index, 0 for none; the best one scores 1."""
    kinds = ", ".join(["?"] * len(wanted.types))
    types = f"AND coalesce(o.type, 'turn') IN ({kinds})" if kinds else ""
    filled = sql.format(weights=", ".join(map(str, weights)), types=types)
    rows = store.execute(filled, (match, wanted.since, wanted.until, *wanted.types, CANDIDATES)).fetchall()
    best = -rows[0][2] if rows else 1.0
    return [(number or 0, turn or 0, -score / best if best > 0 else 1.0) for turn, number, score in rows]


def _weighed(row: Row, score: float, now: int) -> float:
    """Add recency and what the person said about a row to its text score; a question that nobody answered counts half."""
    age = max(0.0, (now - row.at) / DAY_MS)
    score += search.RECENCY / (1 + age / search.RECENCY_DAYS)
    unanswered = row.type == "turn" and not (row.said or row.files or row.lines)
    return search.marked(score * UNANSWERED_SHARE if unanswered else score, row.pinned, row.misled)


def find(reader: Reader, public_id: str) -> Row:
    """Return one row by its id. Raises RalphMemError where no memory has it."""
    for store in reader.stores:
        for table in (TURN, OBSERVATION):
            for row in reader.rows(store, table + " WHERE t.public_id = ?", (public_id,)):
                return reader.protected([row])[0]
    raise RalphMemError(f"no memory has the id {public_id[:40]}", "ids are printed by a search; this one may be forgotten")


def timeline(reader: Reader, row: Row, before: int = 1, after: int = 1) -> "list[Row]":
    """Return what happened around a row, in order: turns before it, its turn with what was run and changed, turns after.

    It stays within the session, so it never crosses into another project.
    """
    if row.turn is None:
        middle = [row]
    else:
        middle = reader.rows(row.store, TURN + " WHERE t.id = ?", (row.turn,))
        middle += reader.rows(row.store, OBSERVATION + OF_TURN, (row.session, middle[0].seq if middle else 0, row.turn))
    start, end = (middle[0].seq, middle[0].seq) if middle else (row.seq, row.seq)
    around = TURN + " WHERE t.session_id = ? AND t.seq {} ? AND t.prompt || t.response <> '' ORDER BY t.seq {} LIMIT ?"
    earlier = reader.rows(row.store, around.format("<", "DESC"), (row.session, start, before))
    later = reader.rows(row.store, around.format(">", "ASC"), (row.session, end, after))
    return reader.protected([*reversed(earlier), *middle, *later])


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
