"""Keep marks of what was forgotten in the data home, so that no record, import or backup brings it back.

A mark is a keyed hash of an id or of a text, and says nothing of what it was made from.
"""

import _blake2
import posix

from ralph_mem.core import paths
from ralph_mem.memory.rows import deletion, facts, kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ralph_mem.memory.recall.lookup import Row
    from ralph_mem.memory.store.connection import Store

FOLDER = f"/{paths.FORGOTTEN}"
MARKS, KEY = f"{FOLDER}/marks", f"{FOLDER}/{paths.KEY}"
DIGEST_BYTES = 9  # twelve letters, of which a million meet by chance once in a hundred million times
KEY_BYTES = 32
MOST_BYTES = 268_435_456
ROW, EVENT, SESSION, TEXT = "row", "event", "session", "text"
# A shorter text, such as `go on`, is said by chance, too.
TEXT_CHARACTERS = 24

# A row as `hold_row` wants it; with the client's id of its session and the event of its turn, unless it is one.
ROW_COLUMNS = "type public_id event_id asked said created_at session_id turn_id"


class Marks:
    """What was forgotten until now, and when."""

    __slots__ = ("at", "key")

    def __init__(self) -> None:
        self.key = bytes.fromhex(paths.read(paths.data_home() + KEY) or "00")
        self.at: dict[str, int] = {}
        for line in paths.read(paths.data_home() + MARKS, MOST_BYTES).splitlines():
            at, *marks = line.split()
            for mark in marks if at.isdigit() else ():
                self.at[mark] = max(int(at), self.at.get(mark, 0))

    def hold(self, kind: str, value: str, at: int) -> bool:
        """Say whether something from this time, in milliseconds, was forgotten after it."""
        return bool(value) and at <= self.at.get(_mark(self.key, kind, value), -1)

    def have(self, kind: str, value: str) -> bool:
        """Say whether something was forgotten that nobody makes twice, whatever time it bears: the clock may have been ahead."""
        return bool(value) and _mark(self.key, kind, value) in self.at

    def hold_row(self, scope: str, row: "tuple[Any, ...]") -> bool:
        """Say whether a row of `rows_of` was forgotten, by an id of its own, its turn's or its session's, or by its text."""
        kind, name, event, asked, said, at, session, turn = row
        text = text_of(scope, kind, asked, said)
        return (
            self.have(ROW, name)
            or (self.hold(EVENT, event, at) if kind == "turn" else self.have(EVENT, event))
            or self.hold(SESSION, session, at)
            or (kind != "note" and self.hold(EVENT, turn, at))
            or self.hold(TEXT, text, at)
        )


def is_empty() -> bool:
    """Say whether nothing was ever forgotten here: one look at a file that is not there."""
    return not paths.exists(paths.data_home() + MARKS)


def scope_of(folder: str) -> str:
    """Return what names a memory in the marks of its texts, by the folder that it lies in."""
    return "everywhere" if folder == paths.config_home() else paths.key_of(folder.rpartition("/")[0])


def text_of(scope: str, kind: str, asked: str, said: str) -> str:
    """Return what the mark of a text in one memory, the `scope`, is made from; nothing where it is too short."""
    return "\0".join((scope, "turn" if kind == "turn" else "row", asked, said)) if len(asked) + len(said) >= TEXT_CHARACTERS else ""


def named(opened: "Store", rows: "Iterable[Row]", sessions: "Iterable[int]") -> "Iterator[tuple[str, str]]":
    """Yield what rows are marked by, their ids, those of their events and their texts; of sessions what the client calls them."""
    scope = scope_of(opened.folder)
    for row in rows:
        yield ROW, row.public_id
        sql = kinds.reading(kinds.of_id(row.public_id), "event_id") + " WHERE t.public_id = ?"
        yield EVENT, opened.one(sql, (row.public_id,))[0] or ""
        yield TEXT, text_of(scope, row.type, row.asked, row.said)
    for number in sessions:
        yield SESSION, opened.one("SELECT client_session FROM sessions WHERE id = ?", (number,))[0]


def marks_of(found: "Iterable[tuple[str, str]]") -> "list[str]":
    """Return the marks of things of these kinds, none where there is no home to keep them in. Raises OSError."""
    home = paths.data_home()
    if not home:
        return []
    paths.make_folder(home + FOLDER)
    key = _key(home)
    return sorted({_mark(key, kind, value) for kind, value in found if value})


def add(marks: "list[str]", at: int) -> None:
    """Mark things as forgotten at a time, for good. Raises OSError."""
    home = paths.data_home()
    if not home:
        return
    line = " ".join([str(at), *marks]) + "\n"
    file = posix.open(home + MARKS, posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600)
    try:
        data = line.encode()
        while data:
            data = data[posix.write(file, data) :]
        posix.fsync(file)
    finally:
        posix.close(file)


def _key(home: str) -> bytes:
    if not paths.exists(home + KEY):
        paths.write(home + KEY, posix.urandom(KEY_BYTES).hex())
    return bytes.fromhex(paths.read(home + KEY))


def _mark(key: bytes, kind: str, value: str) -> str:
    data = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
    return _blake2.blake2b(data, digest_size=DIGEST_BYTES, key=key).hexdigest()


def left(records: "list[dict[str, Any]]", marks: "Marks | None" = None) -> "list[dict[str, Any]]":
    """Return the records without those of what was forgotten after they were made; who asks often gives the marks."""
    if marks is None and is_empty():
        return records
    marks = marks or Marks()
    return [record for record in records if not _is_marked(marks, record)]


def _is_marked(marks: Marks, record: "dict[str, Any]") -> bool:
    at, turn = record.get("at", 0), record.get("turn") or ""
    if record["verb"] == deletion.VERB:
        return False
    return (
        marks.have(EVENT, record.get("event_id") or "")
        or (record.get("type") != "note" and marks.hold(EVENT, turn, at))
        or marks.hold(SESSION, record.get("session") or "", at)
    )


def sweep(opened: "Store", scope: str) -> int:
    """Delete what was forgotten from a memory that came back; returns how many rows went. The caller holds the transaction."""
    if is_empty():
        return 0
    marks = Marks()
    ids = [row[1] for row in rows_of(opened) if marks.hold_row(scope, row)]
    told = opened.execute("SELECT public_id, client_session FROM sessions").fetchall()
    sessions = [name for name, client in told if marks.have(SESSION, client) and not _says_more(opened, name, ids)]
    return deletion.delete(opened, ids + made_from(opened, ids), sessions)


def rows_of(opened: "Store") -> "Iterator[tuple[Any, ...]]":
    """Yield of each row of memory its type, id, event, what it asks and says, its time, the client's id of its session, and the
    event of its turn, nothing for what it has not.
    """
    clients = dict(opened.execute("SELECT id, client_session FROM sessions").fetchall())
    events = dict(opened.execute(kinds.reading(kinds.TURN, "id event_id")).fetchall())
    for kind in kinds.of_memory(opened):
        for *told, event, asked, said, at, session, turn in opened.execute(kinds.reading(kind, ROW_COLUMNS)).fetchall():
            of_turn = "" if kind is kinds.TURN else events.get(turn, "")
            yield (*told, event or "", asked, said, at, clients.get(session, ""), of_turn)


def _says_more(opened: "Store", session: str, gone: "list[str]") -> bool:
    """Say whether a session has rows that stay: it went on after it was forgotten."""
    owned = [kind for kind in kinds.of_memory(opened) if "session_id" in kind.owners]
    sql = " WHERE t.session_id = (SELECT id FROM sessions WHERE public_id = ?)"
    names = [name for kind in owned for (name,) in opened.execute(kinds.reading(kind, "public_id") + sql, (session,))]
    return not set(names) <= set(gone)


def made_from(opened: "Store", names: "list[str]") -> "list[str]":
    """Return what was derived from rows, and from that in its turn, but for facts that a turn says which stays."""
    known, waiting = set(names), list(names)
    while waiting:
        children = opened.execute("SELECT child FROM derived_from WHERE parent = ?", (waiting.pop(),)).fetchall()
        new = [child for (child,) in children if child not in known]
        known.update(new)
        waiting += new
    made = known - set(names)
    return sorted(made.difference(facts.still_supported(opened, made, known)) if facts.are_there(opened) else made)
