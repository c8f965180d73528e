"""Begin and end sessions; one that is resumed or compacted goes on in its row."""

import posix
import zlib

from ralph_mem.core import fast, paths
from ralph_mem.core.redaction import gate
from ralph_mem.memory.rows import row
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# A session whose process is not known counts as crashed when nothing came from it for so long.
SILENT_MS = 12 * 3600 * 1000
SUMMARY_CHARACTERS = 400
# A tick is a hundredth of a second: that many bits are seven hundred years, and leave room for a mark of where it was counted.
TICK_BITS = 41
TICKS = (1 << TICK_BITS) - 1
MOST_FOLDERS = 50  # sessions of which the folder is kept: what learns from a session does so soon after it
AGENT, OURS = "claude-code", "ralph-mem"

START = """
INSERT INTO sessions (public_id, client_session, project_path, source, agent, fence, context_since, started_at,
    model, transcript_path, branch, commit_id, client_pid, client_born)
VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (client_session) DO UPDATE SET ended_at = NULL, end_reason = NULL,
    source = CASE source WHEN 'unknown' THEN excluded.source ELSE source END, model = coalesce(excluded.model, model),
    transcript_path = coalesce(excluded.transcript_path, transcript_path), branch = excluded.branch,
    commit_id = excluded.commit_id, client_pid = excluded.client_pid, client_born = excluded.client_born"""
EMPTIED = """
UPDATE sessions SET context_since = max(context_since, coalesce((SELECT max(seq) FROM turns WHERE session_id = ?1), 0),
    coalesce((SELECT max(seq) FROM receipts WHERE session_id = ?1), 0)) WHERE id = ?1"""
# What a person typed, and no slash command; a path at the beginning is none.
TYPED = "(kind = 'prompt' AND NOT (prompt GLOB '/[A-Za-z]*' AND instr(substr(prompt, 2, instr(prompt || ' ', ' ') - 2), '/') = 0))"
# Of a session: prompts, commands, turns of loops, failed commands.
PROMPTS = f"""
SELECT total({TYPED}), total(kind = 'command' OR (kind = 'prompt' AND NOT {TYPED})), total(kind = 'loop'),
    (SELECT count(*) FROM observations WHERE session_id = ?1 AND type = 'error') FROM turns WHERE session_id = ?1"""
LAST_EVENT = """
SELECT max(s.started_at,
    coalesce((SELECT max(created_at) FROM turns WHERE session_id = s.id), 0),
    coalesce((SELECT max(ended_at) FROM turns WHERE session_id = s.id), 0),
    coalesce((SELECT created_at FROM observations WHERE session_id = s.id ORDER BY seq DESC LIMIT 1), 0))
FROM sessions AS s WHERE s.id = ?"""

IS_OWN = " AND EXISTS (SELECT 1 FROM turns AS t WHERE t.session_id = sessions.id AND t.tainted < 2)"  # not of a stranger's file
LAST_LOOP = "SELECT status FROM loop_runs WHERE session_id = ? ORDER BY id DESC LIMIT 1"

# The process of sessions, their end, and when the first is known of them.
FIRST_KNOWN = """
SELECT client_session, client_pid, ended_at,
    min(started_at, coalesce((SELECT min(created_at) FROM turns WHERE session_id = s.id), started_at))
FROM sessions AS s WHERE client_session IN (?, ?)"""
# Of rows that a session is told.
SEEN_BY = """
SELECT count(*), min(redaction_version), min(scan_level) FROM (
    SELECT public_id, redaction_version, scan_level FROM turns
    UNION ALL SELECT public_id, redaction_version, scan_level FROM observations
) WHERE public_id IN ({})"""


def folder_of(store: "Store", client_session: str) -> str:
    """Return the folder below the project's top at work in which a session of late was, as seen from there; nothing for another."""
    folders: dict[str, str] = fast.loads(store.property(connection.FOLDERS) or "{}")
    return folders.get(client_session, "")


def _at_work(store: "Store", client_session: str, folder: str) -> None:
    folders: dict[str, str] = fast.loads(store.property(connection.FOLDERS) or "{}")
    folders.pop(client_session, None)
    last = [*folders.items(), (client_session, folder)][-MOST_FOLDERS:]
    store.set_property(connection.FOLDERS, fast.dumps(dict(last)))


def start(store: "Store", record: "dict[str, Any]") -> int:
    """Begin a session, or go on with one that is already known; returns its row number. The caller holds the transaction."""
    known = [record.get(key) for key in ("model", "transcript", "branch", "commit_id", "pid", "born")]
    store.execute(
        START,
        (
            *(row.public_id("sess"), record["session"], _readable(record["project"]), record["source"]),
            *(record.get("agent", AGENT), posix.urandom(12).hex(), record["at"], *known),
        ),
    )
    number = int(store.one("SELECT id FROM sessions WHERE client_session = ?", (record["session"],))[0])
    if record.get("agent", AGENT) not in (AGENT, OURS):
        store.set_property(connection.OTHER_HOSTS, 1)
    if record.get("folder"):
        _at_work(store, record["session"], record["folder"])
    if record["source"] == "compact":  # the context window holds nothing any more of what was said or injected before
        store.execute(EMPTIED, (number,))
    return number


def own(store: "Store", name: str, at: int) -> int:
    """Return the number of the session of what belongs to none of a client's; made at a time in ms where it is missing, as one
    that is over, so that nothing waits for it. No list shows it. The caller holds the transaction.
    """
    found = store.one("SELECT id FROM sessions WHERE client_session = ?", (name,))
    if found:
        return int(found[0])
    folder = store.folder.rpartition("/")[0]
    number = start(store, {"session": name, "project": folder, "source": "terminal", "agent": OURS, "at": at})
    store.execute("UPDATE sessions SET ended_at = ?, end_reason = 'terminal' WHERE id = ?", (at, number))
    return number


def _readable(path: str) -> str:
    """Return a path as text that fits UTF-8, without tokens; bytes that are none came in as surrogates."""
    return gate.redact(path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))[0]


def end(store: "Store", record: "dict[str, Any]") -> None:
    """End a session, with a summary of what it did. One that is unknown stays so."""
    found = store.one("SELECT id FROM sessions WHERE client_session = ?", (record["session"],))
    if found:
        from ralph_mem.memory.rows import turns  # lazy: the start of a session seldom ends another one

        turns.close_abandoned(store, found[0], record["at"])
        _end(store, found[0], record["at"], record["reason"])


def _end(store: "Store", number: int, at: int, reason: str) -> None:
    store.execute(
        "UPDATE sessions SET ended_at = ?, end_reason = ?, summary = ? WHERE id = ?",
        (at, reason, summary_of(store, number), number),
    )


def sum_up_again(store: "Store", number: int) -> None:
    """Write the summary of a session that has ended anew, after one of its turns was changed or deleted."""
    store.execute("UPDATE sessions SET summary = ? WHERE id = ? AND summary NOT NULL", (summary_of(store, number), number))


def summary_of(store: "Store", number: int) -> str:
    """Say in a few lines what a session did, from its turns."""
    count, errors = store.one(
        f"SELECT total({TYPED}), (SELECT count(*) FROM observations WHERE session_id = ?1 AND type = 'error') FROM turns"
        " WHERE session_id = ?1",
        (number,),
    )
    last = store.one(
        "SELECT prompt, CASE WHEN tainted THEN '' ELSE response END FROM turns WHERE session_id = ? AND prompt || response <> ''"
        " ORDER BY seq DESC LIMIT 1",
        (number,),
    )
    said = f": {last[0][:120].strip()} -> {last[1][:SUMMARY_CHARACTERS].strip()}" if last else ""
    prompts_said, commands_said = "prompt" if count == 1 else "prompts", "failed command" if errors == 1 else "failed commands"
    return f"{count:.0f} {prompts_said}, {errors} {commands_said}{said}"


def changed(store: "Store", number: int) -> int:
    """Return how many files a session changed."""
    found = store.execute("SELECT files FROM turns WHERE session_id = ? AND files <> ''", (number,))
    return len({path for (files,) in found for path in files.splitlines()})


def end_crashed(store: "Store", at: int, beside: str) -> int:
    """End every session whose process is gone, but for the one named `beside`; returns how many there were."""
    ended = 0
    rows = store.execute(
        "SELECT id, client_pid, client_born FROM sessions WHERE ended_at IS NULL AND client_session <> ?", (beside,)
    ).fetchall()
    for number, pid, started in rows:
        last = int(store.one(LAST_EVENT, (number,))[0])
        if _is_over(pid, started, last, at):
            from ralph_mem.memory.rows import turns  # lazy: only for a session that crashed

            turns.close_abandoned(store, number, last)
            _end(store, number, last, "crash")
            ended += 1
    return ended


def _is_over(pid: "int | None", started: "int | None", last: int, at: int) -> bool:
    if not pid:
        return at - last > SILENT_MS
    there = (started or 0) >> TICK_BITS
    if there in (0, here()):
        return born(pid) != (started if started is None else started & TICKS)
    from ralph_mem.memory.rows import machines  # lazy: only for an open session of another machine or container

    return machines.is_over(there, here(), last, at)


def client(pid: int) -> "int | None":
    """Return what tells a process from every other one: when it was born, and a mark of where; as `born` where that is unknown."""
    ticks = born(pid)
    return ticks | here() << TICK_BITS if ticks else ticks


def here() -> int:
    """Return a mark of this kernel and, below it, of the processes that are counted together, as in a container: ten bits each."""
    try:
        together = posix.readlink("/proc/self/ns/pid")
    except OSError:
        together = ""
    kernel = paths.read("/proc/sys/kernel/random/boot_id", 36)
    return (zlib.crc32(kernel.encode()) % 1023 + 1) << 10 | (zlib.crc32(together.encode()) % 1023 + 1)


def elsewhere(store: "Store", beside: str) -> bool:
    """Say whether another kernel has a session open on this memory."""
    sql = "SELECT client_born >> ? FROM sessions WHERE ended_at IS NULL AND client_session <> ? AND client_born >> ? > 0"
    kernels = store.execute(sql, (TICK_BITS + 10, beside, TICK_BITS + 10)).fetchall()
    return bool(kernels) and any([kernel != here() >> 10 for (kernel,) in kernels])  # to ask for ours costs two looks at the disk


def born(pid: int) -> "int | None":
    """Return when a process started, in clock ticks since boot, 0 where only its being there is known, else None."""
    status = paths.read(f"/proc/{pid}/stat", 4096)
    if status:
        return int(status.rpartition(")")[2].split()[19])
    try:
        posix.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # or a number that no process has
        return None
    except OSError:
        return 0
    return 0


def seen_by(stores: "list[Store]", ids: "set[str]") -> "tuple[int, int]":
    """Return by which rules of redaction rows were seen, the lowest version and level of them; (0, 0) where one is not there."""
    asked = SEEN_BY.format(", ".join("?" * len(ids)))
    found = [values for each in stores for values in each.execute(asked, (*ids,)) if values[0]]
    if sum([number for number, *_ in found]) != len(ids):
        return 0, 0
    return min([version for _, version, _ in found]), min([level for *_, level in found])


# Of the sessions that began last the ones that did something last, newest first: the number of each, and the place in the order up
# to which it is not read. A session that went on after a later one had begun stands where it belongs.
BEGAN_LAST, LOOKED_AT, MOST_SESSIONS, WITH_COMMANDS = 20, 80, 8, 3
MOST_RAN = 60  # commands: to read the line of one takes a tenth of a millisecond
LAST_SESSIONS = f"""
SELECT id, coalesce((SELECT seq FROM observations WHERE session_id = s.id ORDER BY seq DESC LIMIT 1 OFFSET ?), 0)
FROM (SELECT id, (SELECT max(seq) FROM observations WHERE session_id = sessions.id) AS latest
    FROM sessions ORDER BY id DESC LIMIT {BEGAN_LAST}) AS s
WHERE latest NOT NULL ORDER BY latest DESC LIMIT {MOST_SESSIONS}"""
# How many commands a session ran and the place of the first that failed, and the commands of several, with a condition or none.
RAN = "session_id IN ({}) AND seq > ? AND tool_name = ? AND NOT tainted{}"
COUNTED = f"SELECT count(*), min(CASE type WHEN 'error' THEN seq END) FROM observations WHERE {RAN}"
RAN_LAST = f"SELECT type, title, lines, public_id, metadata FROM observations WHERE {RAN} ORDER BY seq DESC LIMIT {MOST_RAN}"
NOT_ON = " AND NOT EXISTS (SELECT 1 FROM turns AS t WHERE t.id = turn_id AND t.branch IN ({}))"


def ran(store: "Store", elsewhere: "Sequence[str]") -> "list[tuple[Any, ...]]":
    """Return what the last sessions ran since a command failed, the last one first, that did not work on one of the branches
    `elsewhere`; nothing where none failed.

    It goes back as far as all of it is known: where a session did more than is looked at, nothing is told of before.
    """
    here = NOT_ON.format(", ".join("?" * len(elsewhere))) if elsewhere else ""
    sessions, since, failed = [], 0, []
    for number, before in store.execute(LAST_SESSIONS, (LOOKED_AT,)).fetchall():
        count, first = store.one(COUNTED.format("?", here), (number, before, row.COMMAND, *elsewhere))
        sessions += [str(number)] if count else []
        failed += [first] if first else []
        since = max(since, before)
        if len(sessions) == WITH_COMMANDS:
            break
    if not failed:
        return []
    values = (max(since, min(failed) - 1), row.COMMAND, *elsewhere)
    return list(store.execute(RAN_LAST.format(", ".join(sessions), here), values).fetchall())
