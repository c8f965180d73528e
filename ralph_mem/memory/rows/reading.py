"""Read the rows of memories by number, with what was said about them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# What `load` returns: number, public id, session, seq, created_at, tainted, the texts of the index's columns, what a
# person said about it: pinned, and how often it misled; who said it, where that is neither the user nor the agent; the
# origin of its first text, nothing where it is not to be trusted; the checksum of its texts; whether it is a turn that broke off.
CREATED_AT, FILES, PINNED, MISLED, SPEAKER = 4, 9, 11, 12, 13
CAME_OF_IT = (7, FILES, 10)  # the answer, the files and the lines of a turn
INDEXED, MARKS = slice(6, 11), slice(11, 13)
WAS_PINNED = "pinned"  # the property of a database in which something was pinned once
TURN = """
SELECT m.id, t.public_id, t.session_id, t.seq, t.created_at, t.tainted, t.prompt, t.response, t.context, t.files, t.lines,
    t.pinned, t.misled, NULL, CASE WHEN t.tainted THEN '' ELSE 'user' END, t.checksum,
    t.status = 'interrupted' AND t.kind = 'prompt'
FROM turns AS t JOIN memories AS m ON m.turn_id = t.id"""
OBSERVATION = """
SELECT m.id, o.public_id, o.session_id, o.seq, o.created_at, o.tainted, o.title, o.content, o.context, o.files, o.lines,
    o.pinned, o.misled, o.speaker, CASE WHEN o.tainted THEN '' ELSE o.origin END, o.checksum, 0
FROM observations AS o JOIN memories AS m ON m.observation_id = o.id"""

NEWEST = "(SELECT max(id) FROM turns WHERE index_version > 0 AND prompt <> '')"  # of the turns with a prompt that are over

# Of a time in ms, without what happened in a context window: number, id, when, how many files it changed and how many lines tell
# what it ran, the beginnings of its texts. Left out is what misled, and what could only say that its answer is withheld.
OF_TIME = """
SELECT m.id, t.public_id, m.created_at, (t.files <> '') + length(t.files) - length(replace(t.files, char(10), '')),
    (t.lines <> '') + length(t.lines) - length(replace(t.lines, char(10), '')), substr(t.prompt, 1, 200), substr(t.response, 1, 200)
FROM memories AS m JOIN turns AS t ON t.id = m.turn_id
WHERE m.created_at >= ? AND m.created_at < ? AND NOT (t.session_id = ? AND t.seq > ?) AND NOT t.misled AND t.tainted < 2
    AND (t.response <> '' AND NOT t.tainted OR t.files <> '' OR t.lines <> '')
ORDER BY m.id DESC"""


def load_rows(store: "Store", numbers: "list[str]", has_turns: bool = True) -> "list[tuple[Any, ...]]":
    """Return the rows of memories by number, in that order; `has_turns` is whether any may be a turn."""
    listed = ",".join(numbers)
    rows = store.execute(f"{TURN} WHERE m.id IN ({listed})").fetchall() if has_turns else []
    if len(rows) < len(numbers):  # mostly they are turns, and preparing the other question costs as much again
        rows += store.execute(f"{OBSERVATION} WHERE m.id IN ({listed})").fetchall()
    found = {str(values[0]): values for values in rows}
    return [found[number] for number in numbers if number in found]
