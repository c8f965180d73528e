"""Write a row with its index entry, checksum and price. Of the kinds only those are declared here that events write."""

import posix
import zlib

from ralph_mem.core import fast, paths
from ralph_mem.memory.rows import index_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ralph_mem.memory.store.connection import Store

    Names = tuple[str, ...]

ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # no l, o, 0, 1: ids are read aloud and retyped

# What a character, a word, a byte beyond ASCII, a punctuation mark and a digit cost in tokens: least squares over 3,000
# pieces of code, diffs, logs, chats and manuals against the o200k vocabulary, mean error 10 % on 3,000 other pieces,
# raised by 8 % so that long texts are not underestimated.
PER_CHARACTER, PER_WORD, PER_FOREIGN_BYTE, PER_MARK, PER_DIGIT = 0.12, 0.54, 0.51, 0.71, 0.81
OUTCOMES = ("failed: ", "passed: ", "ran: ")  # how a command stands in the lines of its turn
# One look at the bytes of a text for both: to count them in it costs less than to take them out.
MARK, DIGIT = b"\1", b"\2"
CLASSES = bytes.maketrans(b"\1\2(){}[]<>=.,:;/_-\"'0123456789", b"\0\0" + MARK * 18 + DIGIT * 10)

MEMORY_INDEX = "memory_fts"
MEMORY_COLUMNS = "title, body, context, files, lines"
NOTHING = "''"  # in SQL
JOINER, MOST_MARKS = "\u200d", 20  # between pictures that are one; characters of one letter or picture: what has more is none


def public_id(kind: str) -> str:
    """Return a new id such as `obs-k3w9x2mfqa`: fifty random bits."""
    number = int.from_bytes(posix.urandom(7), "big")
    return f"{kind}-" + "".join([ALPHABET[number >> shift & 31] for shift in range(0, 50, 5)])


def is_public_id(word: str) -> bool:
    """Say whether a word has the form of an id."""
    kind, _, rest = word.partition("-")
    return kind.isalpha() and len(rest) == 10 and all([char in ALPHABET for char in rest])


def checksum(*texts: str) -> int:
    """Return the CRC-32 of texts: SQLite does not notice a flipped bit inside a value."""
    return zlib.crc32("\0".join(texts).encode("utf-8", "replace"))


def escaped(text: str) -> str:
    """Return a text that opens no tag."""
    return text.replace("<", "&lt;")


def end_before(text: str, at: int) -> int:
    """Return the last place up to one where a text can be cut: no letter loses its mark there, and no picture a part."""
    for end in range(at, max(0, at - MOST_MARKS), -1):
        if end >= len(text) or text[end] < "\u0300" or not (_goes_on(text[end]) or text[end - 1] == JOINER):
            return end
    return at


def _goes_on(char: str) -> bool:
    """Say whether a character belongs to the one before it: a mark, a joiner, or a colour of skin."""
    from unicodedata import category  # lazy: only where a text is cut before a character beyond Latin

    return char == JOINER or category(char) in ("Mn", "Mc", "Me") or "\U0001f3fb" <= char <= "\U0001f3ff"


def tokens(*texts: str) -> int:
    """Estimate what texts cost in a model's context, in tokens; the standard library has no tokenizer."""
    total = 0
    for text in texts:
        if text:
            raw = text.encode("utf-8", "replace")
            classes, characters = raw.translate(CLASSES), len(text)
            cost = PER_CHARACTER * characters + PER_WORD * len(text.split()) + PER_FOREIGN_BYTE * (len(raw) - characters)
            total += int(cost + PER_MARK * classes.count(MARK) + PER_DIGIT * classes.count(DIGIT)) + 1
    return total


def allowed(files: str, lines: str, settings: "dict[str, Any]") -> "tuple[str, str]":
    """Return of the files and the commands of a turn those about no excluded path, a command with its error lines."""
    if not settings["privacy.exclude_paths"]:
        return files, lines
    from ralph_mem.core.redaction import path_rules  # lazy: only for a project that excludes paths

    kept, keep = [], True
    for line in lines.splitlines():
        if line.startswith(OUTCOMES):
            keep = not path_rules.names_excluded(line, settings)
        kept += [line] if keep else []
    return "\n".join([path for path in files.splitlines() if not path_rules.is_excluded(path, settings)]), "\n".join(kept)


# The columns of each table of rows of memory, which are numbers but for the id, the counts of `redactions` and who counted.
MEMORY_ROW = (
    *("id", "public_id", "tokens", "counted_by", "checksum", "redactions", "redaction_version", "scan_level", "index_version"),
    "created_at",
)


class Kind:
    """A kind of row: its table, and what is done with each of the columns. All have the table's own names.

    Every column that holds text is in one of these groups:
    - `texts`: what the row says. They are redacted when they are written, scrubbed, searched by a forget, exported;
    - `labels`: short names that somebody else gave. The same, but nothing is forgotten by them;
    - `derived`: made from other rows, which may be texts too: a scrub makes one anew whose rows no longer say what it finds in it;
    - `paths`: redacted only where they leave this home, which needs them as they are;
    - `names`: ids and words of ours or of the client, no free text; exported as they are;
    - `own`: the same, and of no use elsewhere.
    `given` names those of them that a client or a person calls so, in which a token may stand: redacted and scrubbed as well.
    `json` names the texts that are JSON. `numbers` are exported, all other columns are made anew by an import.

    A row of memory is found by its words: in `index`, a contentless FTS5 table whose `index_columns` hold the texts `indexed`, or,
    if it is a memory, in the one of all memories, by the column `memory` of the table `memories`. It has a `prefix` for its ids,
    `hashed` are the texts of which its checksum and its price are made, and its table has the columns `MEMORY_ROW`. Of the columns
    `session_id`, `turn_id`, `seq`, `event_id`, `type`, `origin`, `tainted`, `pinned`, `misled`, `edited_at` it has those that some
    group lists; `owners` are those that refer to rows of other tables. A reader sees the text `asked` as what it is about, and the
    texts `said`; `state` and `tainted` are SQL for what else it sees of a row `t`.
    """

    prefix = index = memory = ""
    texts: "Names" = ()
    labels: "Names" = ()
    derived: "Names" = ()
    paths: "Names" = ()
    names: "Names" = ()
    own: "Names" = ()
    given: "Names" = ()
    json: "Names" = ()
    numbers: "Names" = ()
    hashed: "Names" = ()
    owners: "Names" = ()
    indexed: "Names" = ()
    index_columns: "Names" = ()
    exported: "Names" = ()
    said: "Names" = ()
    asked = state = tainted = ""

    def __init__(self, name: str, table: str, **declared: "Any") -> None:
        self.name, self.table = name, table
        self.__dict__.update(declared)
        if self.index or self.memory:
            self._complete()

    def _complete(self) -> None:
        """Fill in what nobody declared: all texts count, the first is the title, the rest is said."""
        self.hashed = self.hashed or self.texts
        self.indexed = self.indexed or self.hashed
        self.index_columns = self.index_columns or self.indexed
        self.asked = self.asked or self.texts[0]
        self.said = self.said or tuple([name for name in self.texts if name not in (self.asked, "files", "files_read", "lines")])
        self.state, self.tainted = self.state or "NULL", self.tainted or self.column("tainted", "0")

    def has(self, column: str) -> bool:
        """Say whether the table has a column of those that not every kind has."""
        return column in self.names or column in self.numbers or column in self.owners or column in self.texts

    def column(self, name: str, otherwise: str = "NULL") -> str:
        """Return the SQL for a column of a row `t`, and for what stands for it where the table has none."""
        return "t." + name if self.has(name) else otherwise

    def text(self, *names: str, between: str = " || char(10)") -> str:
        """Return the SQL for texts of a row `t` in one, of those that the table has."""
        kept = [f"coalesce(t.{name}, '')" for name in names if name in self.texts + self.derived]
        return f"{between} || ".join(kept) or NOTHING


TURN = Kind(
    "turn", "turns", prefix="turn", memory="turn_id",
    texts=("prompt", "response", "files", "files_read", "lines"), labels=("branch",), derived=("context", "lines"),
    names=("event_id", "kind", "status", "origin", "commit_id"), given=("event_id",), owners=("session_id",),
    numbers=("seq", "created_at", "ended_at", "tainted", "pinned", "misled", "edited_at"),
    hashed=("prompt", "response", "files", "lines"),
    said=("response",), state="t.status",
)  # fmt: skip
OBSERVATION = Kind(
    "observation", "observations", prefix="obs", memory="observation_id",
    texts=("title", "content", "files", "lines", "metadata"), json=("metadata",), labels=("tool_name", "agent_type", "speaker"),
    derived=("context",), names=("event_id", "type", "origin", "agent_id"), given=("event_id", "agent_id"), owners=("session_id",
    "turn_id"),
    numbers=("seq", "created_at", "emptied_at", "tainted", "pinned", "misled", "edited_at"),
    hashed=("title", "content", "files", "lines"),
    index="observations_fts", indexed=("title", "content", "files", "lines"), index_columns=("title", "body", "files", "lines"),
    said=("content",), state="t.tool_name",
    # a subagent's report is as its turn is
    tainted="max(t.tainted, t.type = 'response' AND EXISTS (SELECT 1 FROM turns WHERE turns.id = t.turn_id AND turns.tainted))",
)  # fmt: skip


def put(
    store: "Store",
    kind: Kind,
    values: "Mapping[str, Any]",
    looked_up: "Mapping[str, str] | None" = None,
    more: str = "WHERE 1",
    given: "tuple[Any, ...]" = (),
    is_memory: bool = False,
) -> int:
    """Insert a row with its id, price, checksum and index entry; returns its number, 0 where one of its event is there already.

    `looked_up` are columns by the SQL for them, `more` is what follows them in that SELECT, `given` are the values of both.
    A row that `is_memory` gets no entry here, `existing.remember` writes it. The caller holds the transaction.
    """
    texts = ["" if values[name] is None else values[name] for name in kind.hashed]
    version = index_text.INDEX_VERSION if kind.index or is_memory else 0
    whole = {"public_id": public_id(kind.prefix), **values}
    whole.update(tokens=tokens(*texts), checksum=checksum(*texts), index_version=version)
    looked_up = looked_up or {}
    sql = f"INSERT INTO {kind.table} ({', '.join([*whole, *looked_up])})"
    sql += f" SELECT {', '.join([*['?'] * len(whole), *looked_up.values()])} {more}"
    if "event_id" in kind.names:
        sql += " ON CONFLICT (event_id) DO NOTHING"
    cursor = store.execute(sql, (*whole.values(), *given))
    if cursor.rowcount <= 0:
        return 0
    number = int(cursor.lastrowid)
    if kind.index and not is_memory:
        enter(store, kind.index, ", ".join(kind.index_columns), (number, *[values[name] for name in kind.indexed]))
    return number


def enter(store: "Store", index: str, columns: str, values: "tuple[Any, ...]", column: str = "", command: str = "") -> None:
    """Write an entry of an index: the number and the texts of a row; `column` and `command` are for what is no new entry."""
    marks = ", ?" * (len(values) - 1)
    sql = f"INSERT INTO {index} ({column}rowid, {columns}) VALUES ({command}?{marks})"
    store.execute(sql, (values[0], *[index_text.of(text or "") for text in values[1:]]))


# Observations, by the records of events

COMMAND, EDIT = "Bash", "Edit"  # the tools of a command and of an edit as they are stored, whatever a client calls them
NOTE, FACT = "note", "fact"
TYPES = frozenset(("tool_use", "error", "success", NOTE, "decision", "response", "summary", FACT, "item"))

# Those of a record that bear the names of their columns.
OBSERVED = (
    *("event_id", "type", "origin", "tool_name", "title", "content", "files", "lines", "metadata", "agent_id", "agent_type"),
    *("tainted", "redactions", "redaction_version"),
)
# What is looked up with the session `s`: its turn, and the next place in its order.
LOOKED_UP = {
    "session_id": "s.id",
    "turn_id": "(SELECT id FROM turns WHERE event_id = ?)",
    "seq": """max(?, 1 + coalesce((SELECT max(seq) FROM observations WHERE session_id = s.id), 0),
           1 + coalesce((SELECT max(seq) FROM turns WHERE session_id = s.id), 0))""",
}
OF_SESSION = "FROM sessions AS s WHERE s.client_session = ?"


def observe(store: "Store", record: "dict[str, Any]", is_memory: bool = False) -> int:
    """Store an observation with its index entry, the one of a memory if it is one. Otherwise as `records.add`."""
    if record["type"] not in TYPES:
        raise fast.errors().StoreError(f"unknown type of observation: {record['type']}", "one of " + ", ".join(sorted(TYPES)))
    values = {name: record[name] for name in OBSERVED}
    values.update(created_at=record["at"], scan_level=1, speaker=record.get("speaker"))
    given = (turn_of(store, record), record["at"] * 1000, record["session"])
    number = put(store, OBSERVATION, values, LOOKED_UP, OF_SESSION, given, is_memory)
    if number:
        return number
    if store.one("SELECT 1 FROM sessions WHERE client_session = ?", (record["session"],)) is None:
        raise fast.errors().UnknownSession(f"unknown session: {record['session']}")
    return 0


def has_heard(store: "Store") -> bool:
    """Say whether anything came in from outside, in any session."""
    return paths.exists(f"{store.folder}/{paths.HEARD}")


def turn_of(store: "Store", record: "dict[str, Any]") -> str:
    """Return the event id of the turn that a record belongs to: the session's last one where the client did not say."""
    if record["turn"]:
        return str(record["turn"])
    last = store.one(
        "SELECT event_id FROM turns WHERE session_id = (SELECT id FROM sessions WHERE client_session = ?)"
        " ORDER BY seq DESC LIMIT 1",
        (record["session"],),
    )
    return str(last[0]) if last else ""
