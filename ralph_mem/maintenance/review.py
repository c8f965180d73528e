"""List what is remembered by where it came from, the most doubtful first."""

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.redaction import gate
from ralph_mem.memory.recall import layers
from ralph_mem.memory.recall.lookup import Reader, Row, find
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store.connection import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

GIST_TOKENS = 60  # a line that says whether to look closer
ORIGINS = ("outside", "tool", "test", "agent", "user")  # from the most doubtful on
SESSION = "SELECT public_id FROM sessions WHERE id = ?"
# A slash command that was answered on the screen is a turn without a word: it costs no token, and there is nothing to review.
ROWS = """
SELECT public_id, origin, {tainted} AS tainted, created_at, {session} AS session_id FROM {table} AS t WHERE tokens > 0{last}"""
# Of what our own session holds, such as notes, and of the last so many of a client.
LAST = """
 AND session_id IN (SELECT id FROM sessions WHERE agent = 'ralph-mem'
    UNION ALL SELECT id FROM (SELECT id FROM sessions ORDER BY started_at DESC, id DESC LIMIT {last:d}))"""
FITS = """
r.created_at >= ?1 AND (?3 = '' OR s.public_id = ?3)
    AND (?2 = '' OR instr(?2, ',' || r.origin || ',') OR (r.tainted AND ?2 LIKE '%,outside,%'))"""
LISTED = f"""
SELECT r.public_id FROM ({{rows}}) AS r LEFT JOIN sessions AS s ON s.id = r.session_id WHERE {FITS}
ORDER BY r.tainted DESC, instr(',outside,tool,test,agent,user,', ',' || r.origin || ','), r.created_at DESC, r.public_id"""
BY_ORIGIN = f"""
SELECT s.public_id, s.started_at, r.origin, count(*), sum(r.tainted > 0)
FROM ({{rows}}) AS r JOIN sessions AS s ON s.id = r.session_id WHERE {FITS}
GROUP BY s.id, r.origin ORDER BY s.started_at DESC, s.id DESC"""


class Wanted:
    """What is looked at: origins, a session, rows since a time in milliseconds. `outside` means what pages had a hand in, too.

    `last` keeps to so many sessions, which costs no look at all the others.
    """

    __slots__ = ("last", "origins", "session", "since")

    def __init__(self, origins: "Sequence[str]" = (), session: str = "", since: int = 0, last: int = 0) -> None:
        for name in origins:
            if name not in ORIGINS:
                raise RalphMemError(f"there is no origin {name[:40]!a}", "one of " + ", ".join(ORIGINS))
        self.origins, self.since, self.last = list(origins), since, last
        self.session = session if session.isascii() else ascii(session)

    def values(self) -> "tuple[Any, ...]":
        """Return the values of a query's parameters."""
        return (self.since, f",{','.join(self.origins)}," if self.origins else "", self.session)


def ids(opened: Store, wanted: Wanted) -> list[str]:
    """Return the ids of rows in one memory, the most doubtful first, then the newest."""
    return [name for (name,) in opened.execute(LISTED.format(rows=_rows(opened, wanted.last)), wanted.values())]


def _rows(opened: Store, last: int) -> str:
    """Return the SQL for the rows that came from somewhere, of the last so many sessions where that is not 0."""
    found = [kind for kind in kinds.of_memory(opened) if kind.has("origin")]
    parts = [(kind.table, kind.column("tainted", "0"), kind.column("session_id")) for kind in found]
    kept = LAST.format(last=last) if last else ""
    rows = [ROWS.format(table=table, tainted=tainted, session=session, last=kept) for table, tainted, session in parts]
    return " UNION ALL ".join(rows)


def counts_of_sessions(reader: Reader, wanted: Wanted) -> "list[dict[str, Any]]":
    """Return how many rows each session has of each origin, "tainted" among them, the newest session first."""
    found: dict[str, dict[str, Any]] = {}
    for opened in reader.stores:
        for session, at, origin, number, tainted in opened.execute(
            BY_ORIGIN.format(rows=_rows(opened, wanted.last)), wanted.values()
        ):
            origins = found.setdefault(session, {"session": session, "began": at, "origins": {}})["origins"]
            origins[origin] = number
            origins["tainted"] = origins.get("tainted", 0) + tainted
    return list(found.values())


def rows(reader: Reader, wanted: Wanted, most: int) -> list[Row]:
    """Return the most doubtful rows, at most so many, as the reader may see them."""
    found: list[Row] = []
    for name in [name for opened in reader.stores for name in ids(opened, wanted)]:
        if len(found) == most:
            break
        try:
            found.append(find(reader, name))
        except RalphMemError:  # about a path that the person excludes
            continue
    return sorted(found, key=lambda row: (-row.tainted, ORIGINS.index(row.origin) if row.origin in ORIGINS else -1, -row.at))


def source(row: Row) -> str:
    """Say in a few words where a row came from, and whether a page or somebody else's file had a hand in it."""
    tool = f" by {gate.clean(row.state)}" if row.type != "turn" and row.state else ""
    return f"{row.origin}{tool}" + (", not to be trusted" if row.tainted else "")


def session_of(row: Row) -> str:
    """Return the id of a row's session."""
    return str(row.store.one(SESSION, (row.session,))[0])


def values(row: Row) -> "dict[str, Any]":
    """Return a row for a program, with where it came from; the time is in ms."""
    return {
        "id": row.public_id, "type": row.type, "origin": row.origin, "source": source(row), "session": session_of(row),
        "at": row.at, "tainted": bool(row.tainted), "gist": layers.gist(row, GIST_TOKENS),
    }  # fmt: skip
