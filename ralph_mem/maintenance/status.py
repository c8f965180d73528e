"""Say how much a memory holds, where that came from, and whether all is well."""

import posix

from ralph_mem.core import paths, spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import amount, count, when
from ralph_mem.core.redaction import gate
from ralph_mem.core.settings import effective
from ralph_mem.memory import access
from ralph_mem.memory.recall.lookup import Reader, Row, find
from ralph_mem.memory.rows import counts, kinds
from ralph_mem.memory.store import connection
from ralph_mem.memory.store.connection import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.core.project import Project

NONE_YET = "no session was heard here; the first prompt or command after `/reload-plugins`, or in a new session, begins the memory"
WEEK_MS = 7 * 86_400_000
# In one pass over the observations: each costs a millisecond for some ten thousand of them.
COUNTED = ("sessions", "turns", "prompts", "commands", "observations", "errors", "notes", "pinned")
# What a person counts are prompts: a turn is one of these, a slash command, which is told where there are any, or a loop's.
HIDDEN = {"turns": "", "commands": "slash command"}
# A session that was imported has no process; nor has one whose start was not heard, or of a client that does not tell.
BEGAN = """
SELECT coalesce(min(CASE WHEN client_pid NOT NULL OR source = 'unknown' THEN started_at END), min(started_at), 0)
FROM sessions WHERE agent <> 'ralph-mem'"""
INJECTED = "SELECT count(*), coalesce(sum(tokens), 0) FROM receipts WHERE tokens > 0 AND created_at >= ?"


def of(project: "Project", values: "dict[str, Any]", now: int) -> "dict[str, Any]":
    """Return the status of a project's memory by name; times in milliseconds. A memory that cannot be read is told as such."""
    found: dict[str, Any] = {
        "project": project.root, "database": f"{project.folder}/memory.db", "bytes": _bytes(project.folder),
        "recording": effective.recording(project, values), "injecting": _tells(project, values),
        "waiting": len(spool.pending(project.root)), "embeddings": _embeddings(), "config": _config(project), "trouble": "",
    }  # fmt: skip
    if not connection.exists(project.folder):
        return {**found, "state": _state(project, values, not_begun(project))}
    try:
        opened = access.to_read(project)
        found |= zip((*COUNTED, "emptied", "last_recorded"), map(int, opened[0].one(counts.OF_STATUS)))
        found["injections"], found["injected_tokens"] = opened[0].one(INJECTED, (now - WEEK_MS,))
        found["global_notes"] = opened[1].one(counts.NOTES)[0] if len(opened) > 1 else 0
        if len(opened) == 1 and connection.exists(paths.config_home()):
            found["trouble"] = "the memory of all projects cannot be read; `ralph-mem doctor` says more"
        (since,) = opened[0].one(BEGAN)
        found["state"] = _state(project, values, "" if since else NONE_YET, since)
    except (RalphMemError, connection.sqlite.Error) as error:
        found["trouble"] = f"the memory cannot be read: {error}"
        found["state"] = _state(project, values, "the memory cannot be read")
    return found


def _state(project: "Project", values: "dict[str, Any]", missing: str, since: int = 0) -> str:
    """Return whether anything is recorded here: since when, or why not yet, or what keeps it off."""
    off = off_by(project, values)
    if off:
        return f"off: {off}"
    return f"not yet: {missing}" if missing else f"recording since {when(since)}"


def off_by(project: "Project", values: "dict[str, Any]") -> str:
    """Return what keeps recording off here, nothing where it is on; in the order in which `settings.recording` asks."""
    if effective.recording(project, values):
        return ""
    if paths.environment("RALPH_MEM_RECORDING").lower() in effective.OFF:
        return "RALPH_MEM_RECORDING in your environment"
    if paths.exists(f"{project.folder}/{paths.OFF}"):
        return f"{project.folder}/{paths.OFF}"
    return "`recording: off` in a config file" if values.get("recording") is False else "CI"


def not_begun(project: "Project") -> str:
    """Return why a project has no memory: none was begun, or it was taken away."""
    from ralph_mem.memory.ownership import check  # lazy: only where nothing is remembered yet

    if check.is_new(project):
        return NONE_YET
    return "the memory was taken away; the next session start makes a new one"


def _embeddings() -> str:
    # lazy: with what a search by meaning needs, of which a status has only the name
    from ralph_mem.memory.recall import embeddings_client

    found = embeddings_client.described()
    if not found:
        broken = paths.exists(paths.data_home() + paths.MODEL)
        return "set up, but what was set up cannot be read" if broken else "not set up"
    missing = [name for name in embeddings_client.FILES if not paths.exists(f"{found['folder']}/{name}")]
    return f"{found['model']}" + (f", but {', '.join(missing)} missing" if missing else "")


def _config(project: "Project") -> str:
    """Return what is wrong with the config files that are there, nothing for most."""
    there = [path for path in effective.files(project) if paths.exists(path)]
    if not there:
        return ""
    from ralph_mem.core.settings import schema  # lazy: only where there is a config

    wrong = [(path, schema.values_of(path, {})[1]) for path in there]
    return "; ".join([f"{path}: {what}" for path, what in wrong if what])


def _tells(project: "Project", values: "dict[str, Any]") -> bool:
    return effective.tells(values) and effective.recording(project, values)


def _bytes(folder: str) -> int:
    size = 0
    for name in ("memory.db", "memory.db-wal"):
        if paths.exists(f"{folder}/{name}"):
            size += posix.stat(f"{folder}/{name}").st_size
    return size


def lines(found: "dict[str, Any]") -> "list[str]":
    """Return a status in lines for people."""
    told = [f"{found['project']}: {found['state']}" + _injecting(found)]
    if "turns" in found:
        told.append(", ".join([_counted(found, name) for name in COUNTED if name not in HIDDEN or (found[name] and HIDDEN[name])]))
        cut = "cut to title, files and error lines"
        told += [count(found["emptied"], "old tool output") + f" {cut}"] if found["emptied"] else []
        told += [count(found["global_notes"], "note") + " for all projects"] if found["global_notes"] else []
        told.append(f"last recorded {when(found['last_recorded'])}" if found["last_recorded"] else "nothing recorded yet")
        told.append(f"told in the last 7 days: {found['injections']} times, {found['injected_tokens']} tokens")
    told.append(f"{amount(found['bytes'])} in {found['database']}")
    told.append(f"embeddings: {found['embeddings']}")
    told += [f"config: {found['config']}; the last good settings stay in force"] if found["config"] else []
    waits = count(found["waiting"], "event") + (" waits" if found["waiting"] == 1 else " wait")
    told += [f"{waits} to be stored with the next one"] if found["waiting"] else []
    return [*told, f"trouble: {found['trouble']}"] if found["trouble"] else told


def _counted(found: "dict[str, Any]", name: str) -> str:
    word = HIDDEN.get(name) or name.removesuffix("s")
    return count(found[name], word) if name[-1] == "s" else f"{found[name]} {name}"


def _injecting(found: "dict[str, Any]") -> str:
    if found["state"].startswith("not yet"):
        return ""
    return ", telling what it remembers" if found["injecting"] else ", telling nothing"


ORIGINS = ("outside", "tool", "test", "agent", "user")  # from the most doubtful on
SESSION = "SELECT public_id FROM sessions WHERE id = ?"
ROWS = "SELECT public_id, origin, {tainted} AS tainted, created_at, {session} AS session_id FROM {table} AS t"
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
    """What is looked at: origins, a session, rows since a time in milliseconds. `outside` means what pages had a hand in, too."""

    __slots__ = ("origins", "session", "since")

    def __init__(self, origins: "Sequence[str]" = (), session: str = "", since: int = 0) -> None:
        for name in origins:
            if name not in ORIGINS:
                raise RalphMemError(f"there is no origin {name[:40]!a}", "one of " + ", ".join(ORIGINS))
        self.origins, self.since = list(origins), since
        self.session = session if session.isascii() else ascii(session)

    def values(self) -> "tuple[Any, ...]":
        """Return the values of a query's parameters."""
        return (self.since, f",{','.join(self.origins)}," if self.origins else "", self.session)


def ids(opened: Store, wanted: Wanted) -> list[str]:
    """Return the ids of rows in one memory, the most doubtful first, then the newest."""
    return [name for (name,) in opened.execute(LISTED.format(rows=_rows(opened)), wanted.values())]


def _rows(opened: Store) -> str:
    """Return the SQL for the rows that came from somewhere."""
    found = [kind for kind in kinds.of_memory(opened) if kind.has("origin")]
    parts = [(kind.table, kind.column("tainted", "0"), kind.column("session_id")) for kind in found]
    return " UNION ALL ".join(ROWS.format(table=table, tainted=tainted, session=session) for table, tainted, session in parts)


def counts_of_sessions(reader: Reader, wanted: Wanted) -> "list[dict[str, Any]]":
    """Return how many rows each session has of each origin, "tainted" among them, the newest session first."""
    found: dict[str, dict[str, Any]] = {}
    for opened in reader.stores:
        for session, at, origin, number, tainted in opened.execute(BY_ORIGIN.format(rows=_rows(opened)), wanted.values()):
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
