"""The one reader for search, timeline and single memories, which withholds the same in each.

Standard library only: the skills use it. What is withheld in one of the three is withheld in all: text that web and MCP
tools brought in, unless a person at a terminal asks for it, rows about paths that the user excludes, and what today's
rules of redaction find: a rule that came later protects older rows as well.
"""

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count, when
from ralph_mem.core.redaction import gate, stored
from ralph_mem.memory import access
from ralph_mem.memory.recall import candidates, ranking
from ralph_mem.memory.rows import index_text, kinds, query_text, reading
from ralph_mem.memory.rows.row import FACT, NOTE, allowed
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.store.connection import Store

TYPES = ("turn", "note", "error", "success", "tool_use", "decision", "response", "summary", "fact", "item")
WITHHELD = "(text from web or MCP tools is withheld)"
STRANGE = "(from an imported file: withheld)"
# A raw row says less than the turn that it belongs to; half of the turn's own score comes with it.
RAW_SHARE = 0.6
TURN_SHARE = 0.5
# The rows that are read and scored, so many for each that is asked for, of those that hold the rarest words: on the
# development sets five find as much as ten, and two lose four points of twenty.
CANDIDATES_FOR_ONE, FEWEST_CANDIDATES = 5, 40
NEWEST = "SELECT max(id) FROM memories"
# What a search says that finds nothing.
NOTHING = "Nothing that is remembered holds any of these words."
NOTHING_THERE = "Nothing that is remembered of that time or type holds any of these words."
ONLY_COMMON = "Nothing found: common words and single characters are mostly left out of the index. Give a rarer word."
NOTHING_THEN = "Nothing that was looked for is remembered of that time."
COMMON_TOO = "Common words and single characters were not looked up."
AGAINST = "may contradict what was said before"
A_SESSION = "sess-"  # how the id of one begins
RAW_FEWER = 2  # a raw row mostly stands behind its turn
FOREVER = candidates.FOREVER

# What a `Row` is made of, in its order; `of_kind` makes the query.
COLUMNS = (
    "id public_id type session_id seq created_at tainted asked said files lines tokens pinned misled turn_id origin state branch"
    " commit_id speaker redaction_version scan_level"
)
TURN = kinds.reading(kinds.TURN, COLUMNS)
OBSERVATION = kinds.reading(kinds.OBSERVATION, COLUMNS)

# A turn comes into the index with its end; a typed command holds only what it asks for.
NOT_ENDED = " WHERE t.status = 'open' AND t.index_version = 0 AND t.kind <> 'command' ORDER BY t.id DESC LIMIT 20"

# What was done at a time in ms, newest first: turns that are over and say something, and observations; of notes those that hold.
OF_TIME = """
SELECT public_id FROM (
    SELECT 'turn' AS type, public_id, created_at FROM turns
    WHERE id IN (SELECT turn_id FROM memories WHERE created_at >= ?1 AND created_at < ?2)
        AND index_version > 0 AND prompt || response || files || lines <> ''
    UNION ALL SELECT type, public_id, created_at FROM observations WHERE {which})
WHERE created_at >= ?1 AND created_at < ?2 AND type IN ({types}) ORDER BY created_at DESC, public_id"""
KEPT = "id IN (SELECT observation_id FROM memories WHERE created_at >= ?1 AND created_at < ?2)"  # of notes, by an index
DONE, NEVER_DONE = ("turn", NOTE), (FACT, "item")

# There is an order of a session's rows, and no index of a turn's: a tool event would pay for it.
OF_TURN = " WHERE t.session_id = ? AND t.seq >= ? AND t.turn_id = ? ORDER BY t.seq, t.id"

RAW = """
SELECT o.id, o.public_id, o.session_id, o.seq, o.created_at, o.tainted, o.title, o.content, '', o.files, o.lines,
    o.pinned, o.misled, o.speaker, t.public_id
FROM observations AS o LEFT JOIN turns AS t ON t.id = o.turn_id WHERE o.id IN ({numbers})"""
# What a program keeps for one session is nobody else's business: only who names that session finds it.
OF_A_SESSION = '["session"'
NOT_OF_A_SESSION = f" AND NOT (o.type = 'item' AND substr(o.tool_name, 1, {len(OF_A_SESSION)}) = '{OF_A_SESSION}')"
# Nor is what an agent proposed anybody's before a person has confirmed it: `learn --review` shows it to them.
PROPOSED = "proposed"
NOT_PROPOSED = f" AND NOT (o.type = 'fact' AND o.tool_name IS '{PROPOSED}')"
# Of what a team shares and nobody here has approved only a person who asks for text from outside sees more than the number.
STRANGERS = 2  # how tainted a row is that somebody else has written
OF_A_TEAM = '["team"'  # a namespace
NOT_UNAPPROVED = f" AND NOT (o.type = 'item' AND o.tainted = 2 AND substr(o.tool_name, 1, {len(OF_A_TEAM)}) = '{OF_A_TEAM}')"


class Row:
    """A turn or an observation as a reader sees it; `said` and `lines` of outside text are withheld unless asked for.

    `asked` is a turn's prompt or an observation's title, `said` the answer or the content, `host` the client that recorded it where
    that is another than Claude Code, `gone` says that a file is gone which a statement names, `seen` is the version of the rules of
    redaction that have seen it and how closely they looked.
    """

    __slots__ = (
        *("asked", "at", "branch", "commit", "files", "gone", "host", "lines", "misled", "number", "origin", "pinned"),
        *("public_id", "said", "score", "seen", "seq", "session", "speaker", "state", "store", "tainted", "tokens", "turn", "type"),
    )

    def __init__(self, store: "Store", values: "tuple[Any, ...]", outside: bool = False) -> None:
        self.store = store
        self.number, self.public_id, self.type, self.session, self.seq, self.at, self.tainted = values[:7]
        self.asked, self.said, self.files, self.lines, self.tokens, self.pinned, self.misled = values[7:14]
        self.turn, self.origin, self.state, self.branch, self.commit, self.speaker, *self.seen = values[14:]
        self.score, self.host, self.gone = 0.0, "", False
        if self.tainted and not outside:
            self.asked = "subagent's report" if self.type == "response" else self.asked  # its title is its beginning
            self.said = WITHHELD if self.said else ""
            self.lines = self.lines if self.type == "turn" else ""  # those of a turn are its own commands'
            if self.tainted == STRANGERS:  # in somebody else's file nothing is anybody's own
                self.asked, self.lines, self.speaker = STRANGE, "", None


def _is_gone(found: Row) -> bool:
    from ralph_mem.memory.facts import anchors  # lazy: only for a statement
    from ralph_mem.memory.rows import facts  # lazy: as above

    fact = facts.of_id(found.store, found.public_id)
    return fact is not None and bool(anchors.gone(fact.anchors, found.store.tree))


def _is_unapproved(values: "tuple[Any, ...]") -> bool:
    return (values[2], values[6]) == ("item", STRANGERS)


class Wanted(candidates.Wanted):
    """What a search is limited to: times in milliseconds, types of `TYPES` (none means all), how many rows."""

    __slots__ = ()

    def __init__(
        self, limit: int = 10, since: int = 0, until: int = FOREVER, types: "Sequence[str]" = (), tool: str = ""
    ) -> None:  # fmt: skip
        check_types(types)
        super().__init__(limit, since, until, list(types), tool)


def check_types(types: "Sequence[str]") -> None:
    """Raise RalphMemError for a type that no row has."""
    known = [*TYPES, *[kind.name for kind in kinds.ALL if kind.indexed and not kind.has("type") and kind is not kinds.TURN]]
    for name in types:
        if name not in known:
            raise RalphMemError(f"there is no type {name[:40]}", "one of " + ", ".join(known))


class Reader:
    """Reads the memories of a project, its own first, as its settings allow; `outside` shows what is withheld otherwise.

    To a model (`for_model`) that is what came from outside, never what others share and nobody has approved.
    """

    __slots__ = ("for_model", "outside", "project", "settings", "stores")

    def __init__(
        self, stores: "list[Store]", project: "Project", settings: "dict[str, Any]", outside: bool = False, for_model: bool = False
    ) -> None:  # fmt: skip
        self.for_model = for_model
        self.stores = stores
        self.project = project
        self.settings = settings
        self.outside = outside

    def rows(self, store: "Store", sql: str, values: "Sequence[object]" = ()) -> "list[Row]":
        """Return rows of `TURN` or `OBSERVATION`, without those that the user excludes."""
        found = [
            Row(store, row, self.outside and not (self.for_model and _is_unapproved(row))) for row in store.execute(sql, values)
        ]
        return [row for row in found if not self._excluded(row)]

    def protected(self, rows: "list[Row]") -> "list[Row]":
        """Return rows as they may leave, redacted by today's rules and values."""
        texts = [(row.asked, row.said, row.files, row.lines) for row in rows]
        safe = stored.protect(texts, [row.seen for row in rows], self.project, self.settings)
        for row, found in zip(rows, safe):
            row.asked, row.said, row.files, row.lines = found
            row.branch = row.branch and gate.clean(row.branch)  # a repository says what it likes in its HEAD
            row.speaker = row.speaker and gate.clean(row.speaker)
        for store in [each for each in self.stores if each.property(connection.OTHER_HOSTS)]:
            from ralph_mem.memory.rows import session_hosts  # lazy: only where another client was ever heard

            hosts = session_hosts.hosts_of(store, [row.public_id for row in rows if row.store is store])
            for row in [row for row in rows if row.public_id in hosts]:
                row.host = hosts[row.public_id]
        for row in [row for row in rows if row.type in (NOTE, FACT)]:
            row.gone = _is_gone(row)
        return rows

    def _excluded(self, row: Row) -> bool:
        """Say whether a row is about an excluded path; a turn only loses what it tells of such paths."""
        if not self.settings["privacy.exclude_paths"] or row.type == "note":
            return False
        from ralph_mem.core.redaction import path_rules  # lazy: only for a project that excludes paths

        files, lines = allowed(row.files, row.lines, self.settings)
        if row.type == "turn":
            row.files, row.lines = files, lines
            return False
        return files != row.files or path_rules.names_excluded(row.asked, self.settings)


def search(reader: Reader, query: str, now: int, wanted: Wanted, sense: "Sense | None" = None) -> "list[Row]":
    """Return the rows that answer a query, the best first; a raw row only where its turn is not among them.

    They hold words of the query or, where a `sense` is given, mean the same; where it names a time alone, what was done then
    stands first, newest first, without a score. `now` is in milliseconds and only orders. Of the memory of all projects come at
    most half, if the project's own has as many. Raises RalphMemError for a query without a word.
    """
    if not query_text.words(query):
        raise RalphMemError("there is no word to search for", "give a few words of what you look for")
    span, terms = candidates.time_alone(query, now), candidates.terms_of(query)
    if span:
        # besides only what holds the whole of it: the numbers of a day stand in half of all rows
        terms, sense = candidates.whole_of(query), None
    terms += query_text.other_spellings(terms)
    found = [_of_store(reader, store, query, terms, now, wanted, sense) for store in reader.stores]
    if span:
        found = [_of_time(reader, store, span, wanted, rows) for store, rows in zip(reader.stores, found)]
    own, shared = found[0], found[1] if len(found) > 1 else []
    room = max(wanted.limit // 2, wanted.limit - len(own))
    taken = shared[:room]
    return reader.protected(sorted(own[: wanted.limit - len(taken)] + taken, key=_place))


def _place(row: Row) -> "tuple[float, ...]":
    return (1, -row.score) if row.score else (0, -row.at)


def _of_time(reader: Reader, store: "Store", span: "tuple[int, int]", wanted: Wanted, others: "list[Row]") -> "list[Row]":
    """Return what was done at a time in ms, as far as it is wanted, and in the room that is left other rows."""
    types = [name for name in wanted.types or DONE if name not in NEVER_DONE]
    listed = ", ".join([f"?{at + 3}" for at in range(len(types))])
    sql = OF_TIME.format(types=listed, which=KEPT if set(types) <= set(DONE) else f"type <> 'note' OR {KEPT}")
    names = store.execute(sql, (max(span[0], wanted.since), min(span[1], wanted.until), *types)).fetchall()
    done = _rows(reader, store, [(name, 0.0) for (name,) in names], wanted.limit)
    known = {row.public_id for row in done}
    return (done + [row for row in others if row.public_id not in known])[: wanted.limit]


def _of_store(
    reader: Reader, store: "Store", query: str, terms: "list[str]", now: int, wanted: Wanted, sense: "Sense | None"
) -> "list[Row]":  # fmt: skip
    """Return the best rows of one memory: its memories, and raw rows whose turn is not among them."""
    most = max(CANDIDATES_FOR_ONE * wanted.limit, FEWEST_CANDIDATES)
    numbers, weights = candidates.find(store, "memory_fts", terms, now, wanted, most)
    rows, near = reading.load_rows(store, numbers), {}
    if sense:
        near = _add_near(sense, store, query, rows, wanted)
    newest = store.one(NEWEST)[0] or 0
    span = candidates.time_named(query, now)
    scored = list(zip(ranking.scores(rows, weights, set(query_text.words(query)), now, newest, near, span), rows))
    turns = {values[1]: score for score, values in scored}
    for score, values in _raw(reader, store, terms, now, wanted, most):
        if values[-1] not in turns or wanted.types:
            scored.append((RAW_SHARE * score + TURN_SHARE * turns.get(values[-1], 0.0), values))
    scored.sort(key=lambda one: (-one[0], -one[1][3]))
    if store.property("facts"):
        from ralph_mem.memory.recall import fact_order  # lazy: only for a memory that has some

        scored, contradicted = fact_order.folded(store, fact_order.newer_first(store, scored, weights))
        return _with_contradicted(reader, store, _rows(reader, store, _ids(scored), wanted.limit), contradicted)
    return _rows(reader, store, _ids(scored), wanted.limit)


def _ids(scored: "list[tuple[float, tuple[Any, ...]]]") -> "list[tuple[str, float]]":
    return [(values[1], score) for score, values in scored]


def _with_contradicted(reader: Reader, store: "Store", rows: "list[Row]", contradicted: "dict[str, list[str]]") -> "list[Row]":
    """Let each fact say which earlier ones it contradicts: they are told as one, and a person decides which of them holds."""
    for row in rows:
        for old in _rows(reader, store, [(name, 0.0) for name in contradicted.get(row.public_id, ())], len(contradicted)):
            row.said += f"{AGAINST} [{old.public_id}, {when(old.at)}]: {old.asked}\n"
    return rows


def _add_near(sense: "Sense", store: "Store", query: str, rows: "list[tuple[Any, ...]]", wanted: Wanted) -> "dict[int, float]":
    """Add the rows that only mean what a query says, and come near enough; returns how near all of them come."""
    from ralph_mem.memory.recall import meaning  # lazy: only where embeddings are set up

    nearest, alike = meaning.near(sense, store, query, rows)
    known = {row[0] for row in rows}
    new = [str(number) for number, cosine in nearest.items() if number not in known and cosine >= meaning.LEAST]
    rows += candidates.those_wanted(store, reading.load_rows(store, new), wanted)
    return meaning.values(nearest, alike)


def _raw(
    reader: Reader, store: "Store", terms: "list[str]", now: int, wanted: Wanted, most: int
) -> "list[tuple[float, tuple[Any, ...]]]":  # fmt: skip
    """Return raw rows with their scores; what was a fact and holds no longer is found by its type alone."""
    numbers, weights = candidates.find(store, "observations_fts", terms, now, wanted, most // RAW_FEWER)
    if not numbers:
        return []
    hidden = "" if wanted.tool.startswith(OF_A_SESSION) else NOT_OF_A_SESSION
    hidden += "" if reader.outside and not reader.for_model else NOT_UNAPPROVED
    rows = store.execute(RAW.format(numbers=",".join(numbers)) + NOT_PROPOSED + hidden).fetchall()
    if store.property("facts") and not wanted.types:
        from ralph_mem.memory.rows import fact_queries  # lazy: only for a memory that has some

        past = fact_queries.past(store, numbers)
        rows = [row for row in rows if row[0] not in past]
    return list(zip(ranking.scores(rows, weights, set(), now, 0), rows))


def _rows(reader: Reader, store: "Store", scores: "list[tuple[str, float]]", limit: int) -> "list[Row]":
    """Return the rows of the best ids, with their scores; one that is excluded leaves its place to the next."""
    found: list[Row] = []
    for public_id, score in scores:
        if len(found) == limit:
            break
        sql = kinds.reading(kinds.of_id(public_id), COLUMNS)
        for row in reader.rows(store, sql + " WHERE t.public_id = ?", (public_id,)):
            row.score = score
            found.append(row)
    return found


def unapproved(reader: Reader) -> str:
    """Say how many items of a team wait for a person's approval, which is all that a model hears of them; nothing for none."""
    number = sum([store.property(connection.TEAM_WAITING) or 0 for store in reader.stores])
    return f"{count(number, 'item')} of your team not approved yet, and not told: ralph-mem team list" if number else ""


def nothing(query: str, wanted: Wanted) -> "list[str]":
    """Return the sentences that say that a search finds nothing, and what was not looked for."""
    is_limited = wanted.since or wanted.until != FOREVER or wanted.types
    if candidates.time_alone(query, 0):  # it is one, whenever that is
        return [NOTHING_THEN]
    if not query_text.terms(query):
        return [NOTHING_THERE, ONLY_COMMON] if is_limited else [ONLY_COMMON]
    has_common = any([len(word) == 1 or word in index_text.STOPWORDS for word in query_text.words(query)])
    return [NOTHING_THERE if is_limited else NOTHING, *([COMMON_TOO] if has_common else [])]


def not_ended(reader: Reader, query: str, wanted: Wanted) -> str:
    """Say which turns that a search wants and cannot find yet hold a word of a query, as they have not ended; nothing for none."""
    if wanted.types and "turn" not in wanted.types:
        return ""
    terms = set(query_text.terms(query))
    turns = [row for store in reader.stores for row in reader.rows(store, TURN + NOT_ENDED)]
    turns = [row for row in turns if wanted.since <= row.at < wanted.until]
    names = [row.public_id for row in turns if not terms.isdisjoint(query_text.words(row.asked))]
    return f"Not searched before the turn ends, though it holds one of these words: {', '.join(names)}" if names else ""


def find(reader: Reader, public_id: str) -> Row:
    """Return one row by its id. Raises RalphMemError where no memory has it."""
    for store in reader.stores if public_id.isascii() else ():
        for kind in kinds.of_memory(store):
            for row in reader.rows(store, kinds.reading(kind, COLUMNS) + " WHERE t.public_id = ?", (public_id,)):
                return reader.protected([row])[0]
    name = public_id[:40] if public_id.isascii() else ascii(public_id[:40])
    if name.startswith(A_SESSION):
        raise RalphMemError(f"{name} is no memory but a session", "`ralph-mem sessions ID` shows the ids of what happened in it")
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
    found = row.store.one(
        "SELECT s.transcript_path, t.event_id FROM sessions AS s LEFT JOIN turns AS t ON t.id = ? WHERE s.id = ?",
        (row.turn, row.session),
    )
    path, event = [text or "" for text in found or ("", "")]
    return path, event.removeprefix("prompt:") if event.startswith("prompt:") else ""


def is_global(row: Row) -> bool:
    """Say whether a row is remembered for all projects."""
    return access.is_global(row.store)
