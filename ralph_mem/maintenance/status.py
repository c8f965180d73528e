"""Say how much a memory holds, and whether all is well."""

import posix

from ralph_mem.core import paths, spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import amount, count, when
from ralph_mem.core.release import VERSION
from ralph_mem.core.settings import effective
from ralph_mem.memory import access
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

NONE_YET = "no session was heard here; the first prompt or command after `/reload-plugins`, or in a new session, begins the memory"
LET_IN = "make it writable (chmod u+rwx), or have its owner let you write there"
FORGOTTEN = "what was recorded here is forgotten; the next prompt or command goes on"
UNTIL_THEN = "what is remembered is read, what happens waits in your data folder"
UNUSABLE = "the memory cannot be used"
LAST_GOOD = "the last good settings stay in force"
CI = "a run in CI that nobody attends"
RECORDING, NOT_YET, OFF, PAUSED = "recording since", "not yet", "off", "paused"
SESSION_PAUSED = "this session, until it ends or /mem resume"
WEEK_MS = 7 * 86_400_000
COUNTED = ("sessions", "turns", "prompts", "commands", "observations", "errors", "notes", "pinned")
# What a person counts are prompts: a turn is one of these, a slash command, which is told where there are any, or a loop's.
HIDDEN = {"turns": "", "commands": "slash command"}
# Sessions of a client; when the first of them began that was heard; when a turn last stopped here, or 0, as nothing forgotten takes
# along. One without a process was imported, unless its start was not heard, or its client does not tell of it; one from an archive
# has a birth of 0.
OF_SESSIONS = """
SELECT count(*), coalesce(min(CASE WHEN client_pid NOT NULL OR (source = 'unknown' AND client_born IS NULL) THEN started_at END),
    min(CASE WHEN client_born IS NULL{of_others} THEN started_at END), 0),
    coalesce((SELECT value FROM properties WHERE key = 'stopped_at'), 0)
FROM sessions WHERE agent <> 'ralph-mem'"""
NOT_IMPORTED = " AND client_session NOT IN (SELECT transcript FROM imports)"
HAS_IMPORTED = "SELECT 1 FROM sqlite_master WHERE name = 'imports'"
INJECTED = "SELECT count(*), coalesce(sum(tokens), 0) FROM receipts WHERE tokens > 0 AND created_at >= ?"

# Open until the process ends: to close the last connection writes, and costs four fsyncs.
HELD: "list[connection.Store]" = []


def of_sessions(db: "Any") -> "tuple[int, int, int]":
    """Return of an open database how many sessions of a client it has, since when it hears any, and when a turn last stopped."""
    others = NOT_IMPORTED if db.execute(HAS_IMPORTED).fetchone() else ""
    found: tuple[int, int, int] = db.execute(OF_SESSIONS.format(of_others=others)).fetchone()
    return found


def of(
    project: "Project", values: "dict[str, Any]", now: int, session: str = "", held: "list[connection.Store]" = HELD
) -> "dict[str, Any]":
    """Return the status of a project's memory by name; times in milliseconds. A memory that cannot be read is told as such.

    `session` is the client's id of the one in which it is asked. What is opened goes to `held`, which a caller that lives on
    closes.
    """
    found: dict[str, Any] = {
        "version": VERSION, "project": project.root, "database": f"{project.folder}/memory.db", "bytes": _bytes(project.folder),
        "recording": effective.recording(project, values, session),
        "injecting": effective.tells(values) and effective.recording(project, values, session),
        "waiting": len(spool.pending(project.root)), "embeddings": _embeddings(), "config": _config(project), "trouble": "",
    }  # fmt: skip
    try:
        if not access.is_there(project):
            return {**found, "state": state(project, values, not_begun(project), session=session)}
        opened = access.to_read(project)
        held += opened
        found["sessions"], since, stopped = of_sessions(opened[0])
        found["other_clients"] = _other_clients(opened[0])
        found["team"] = _team(opened[0])
        found |= zip((*COUNTED[1:], "emptied", "last_recorded"), map(int, opened[0].one(kinds.OF_STATUS)))
        found["injections"], found["injected_tokens"] = opened[0].one(INJECTED, (now - WEEK_MS,))
        found["global_notes"] = opened[1].one(kinds.NOTES)[0] if len(opened) > 1 else 0
        if len(opened) == 1 and connection.exists(paths.config_home()):
            found["trouble"] = "the memory of all projects cannot be read; `ralph-mem doctor` says more"
        hinders = hindered(project)
        found["trouble"] = _unfinished(project, opened[0]) or (f"{hinders}; {UNTIL_THEN}" if hinders else found["trouble"])
        found["last_recorded"] *= bool(found["turns"] or found["observations"])
        found["state"] = state(project, values, hinders or unheard(since, stopped), 0 if hinders else since, session)
    except (RalphMemError, connection.sqlite.Error) as error:
        found |= {"trouble": f"{UNUSABLE}: {_why(error)}", "recording": False, "injecting": False}
        found["state"] = state(project, values, UNUSABLE, session=session)
    return found


def _why(error: Exception) -> str:
    if isinstance(error, RalphMemError):
        return str(error)
    from ralph_mem.memory import inspect  # lazy: only for a memory that cannot be used

    return str(inspect.unusable(error))


def hindered(project: "Project") -> str:
    """Return why nothing comes into a memory that is there and can be read; nothing where it can be written."""
    closed = access.closed(project)
    return f"cannot write in {closed}" if closed else ""


def _unfinished(project: "Project", opened: "connection.Store") -> str:
    """Return what is to be said of a forget that was cut off: the memory is marked, or where nothing fitted on it a job waits."""
    is_marked = bool(opened.property(connection.UNFINISHED))
    names = paths.names(f"{paths.data_home()}/{paths.FORGOTTEN}")
    if not is_marked and not any([name.startswith(paths.key_of(project.root)) for name in names]):
        return ""
    from ralph_mem.maintenance.forget import pending  # lazy: only after a forget that was cut off
    from ralph_mem.memory.rows import deletion  # lazy: as above

    what = pending.unfinished(project, is_marked)
    return f"a forget is not finished: {what}; {deletion.FINISH}" if what else ""


def _other_clients(opened: "connection.Store") -> "dict[str, int]":
    """Return when the last session of each client but Claude Code began."""
    if not opened.property(connection.OTHER_HOSTS):
        return {}
    from ralph_mem.memory.rows import session_hosts, sessions  # lazy: only where another client was ever heard

    return {name: at for name, at in session_hosts.by_host(opened).items() if name != sessions.AGENT}


def _team(opened: "connection.Store") -> "dict[str, Any]":
    """Return how many items of others nobody has approved, and how it stands with each server, as far as it is known here."""
    waiting = opened.property(connection.TEAM_WAITING) or 0
    if not opened.property(connection.TEAM_SERVERS):
        return {"not_approved": waiting, "servers": []}
    from ralph_mem.memory.rows import outbox  # lazy: only where a server was joined

    return {"not_approved": waiting, "servers": outbox.standing(opened)}


def state(project: "Project", values: "dict[str, Any]", missing: str, since: int = 0, session: str = "") -> str:
    """Return whether anything is recorded here: since when, or why not yet, or what keeps it off, or where it is paused."""
    off = off_by(project, values, session)
    if off:
        return f"{PAUSED if off in (_pause(project), SESSION_PAUSED) else OFF}: {off}"
    return f"{NOT_YET}: {missing}" if missing else f"{RECORDING} {when(since)}"


def unheard(since: int, stopped: int) -> str:
    """Return why nothing is recorded yet in a memory that is there, nothing where something is."""
    return "" if since else FORGOTTEN if stopped else NONE_YET


def _pause(project: "Project") -> str:
    return f"{project.folder}/{paths.OFF}"


def off_by(project: "Project", values: "dict[str, Any]", session: str = "") -> str:
    """Return what keeps recording off here, nothing where it is on; in the order in which `settings.recording` asks."""
    if effective.recording(project, values, session):
        return ""
    if session and paths.exists(paths.pause_of(session)):
        return SESSION_PAUSED
    if paths.environment("RALPH_MEM_RECORDING").lower() in effective.OFF:
        return "RALPH_MEM_RECORDING in your environment"
    if paths.exists(_pause(project)):
        return _pause(project)
    return f"`recording: off` in {_switching(project)}" if values.get("recording") is False else CI


def still_off(was_paused: bool, off: str) -> str:
    """Say after a `resume` what keeps recording off all the same."""
    return f"{'No longer paused, but' if was_paused else 'Nothing was paused:'} {off} keeps recording off."


def _switching(project: "Project") -> str:
    """Return which config file switches recording off; of one that is broken now its last good word may count."""
    from ralph_mem.core.settings import schema  # lazy: only where a config file switches it off

    says = [path for path in reversed(effective.files(project)) if schema.values_of(path, {})[0].get("recording") is False]
    return says[0] if says else "a config file"


def not_begun(project: "Project") -> str:
    """Return why a project has no memory: none can be made or was begun, it was taken away, or what stands there is not used."""
    if access.closed(project):
        return f"cannot write in {access.closed(project)}; {LET_IN}"
    from ralph_mem.memory.ownership import check  # lazy: only where nothing is remembered yet

    refused = check.refusal(project)
    if refused or check.is_new(project):
        return refused or NONE_YET
    return "the memory was taken away; the next session start makes a new one"


def _embeddings() -> str:
    if not paths.exists(paths.data_home() + paths.MODEL):
        return "not set up"
    from ralph_mem.memory.recall import embeddings_client  # lazy: only where embeddings are set up

    found = embeddings_client.described()
    if not found:
        return "set up, but what was set up cannot be read"
    missing = [name for name in embeddings_client.FILES if not paths.exists(f"{found['folder']}/{name}")]
    if missing:
        return f"{found['model']}, but {', '.join(missing)} missing"
    trouble = embeddings_client.trouble()
    return f"{found['model']}" + (f", but no worker can do its work: {trouble}" if trouble else "")


def _config(project: "Project") -> str:
    """Return what is wrong with the config files that are there, nothing for most."""
    there = [path for path in effective.files(project) if paths.exists(path)]
    if not there:
        return ""
    from ralph_mem.core.settings import schema  # lazy: only where there is a config

    wrong = [(path, schema.values_of(path, {})[1]) for path in there]
    return "; ".join([f"{path}: {what}" for path, what in wrong if what])


def _bytes(folder: str) -> int:
    files = [f"{folder}/memory.db", f"{folder}/memory.db-wal"]
    return sum([posix.stat(path).st_size for path in files if paths.exists(path)])


def lines(found: "dict[str, Any]") -> "list[str]":
    """Return a status in lines for people."""
    told = [f"{found['project']}: {found['state']}" + _injecting(found)]
    if "turns" in found:
        told.append(", ".join([_counted(found, name) for name in COUNTED if name not in HIDDEN or (found[name] and HIDDEN[name])]))
        cut = "cut to title, files and error lines"
        told += [count(found["emptied"], "old tool output") + f" {cut}"] if found["emptied"] else []
        told += [count(found["global_notes"], "note") + " for all projects"] if found["global_notes"] else []
        told.append(f"last recorded {when(found['last_recorded'])}" if found["last_recorded"] else "nothing recorded yet")
        told += ["also from " + ", ".join([f"{name}, last {when(at)}" for name, at in found["other_clients"].items()])] * bool(
            found["other_clients"]
        )
        told += _told_of_team(found["team"])
        told.append(f"told in the last 7 days: {count(found['injections'], 'time')}, {count(found['injected_tokens'], 'token')}")
    told.append(f"{amount(found['bytes'])} in {found['database']}")
    told += [f"embeddings: {found['embeddings']}", f"ralph-mem {found['version']}"]
    stay = "" if found["config"].endswith(LAST_GOOD) else f"; {LAST_GOOD}"
    told += [f"config: {found['config']}{stay}"] if found["config"] else []
    waits = count(found["waiting"], "event") + (" waits" if found["waiting"] == 1 else " wait")
    told += [f"{waits} to be stored with the next one"] if found["waiting"] else []
    return [*told, f"trouble: {found['trouble']}"] if found["trouble"] else told


def _told_of_team(team: "dict[str, Any]") -> "list[str]":
    """Say in one line how it stands with what others share, nothing where nobody does."""
    parts = [f"{count(team['not_approved'], 'item')} not approved"] * bool(team["not_approved"])
    for each in team["servers"]:
        synced = f"last sync {when(each['last_sync'])}" if each["last_sync"] else "no sync yet"
        gone = f"its server is gone since {when(each['gone_since'])}, " if each["gone_since"] else ""
        parts.append(f"{each['team']}: {gone}{synced}" + (f", {each['to_send']} to be sent" if each["to_send"] else ""))
    return ["team: " + "; ".join(parts)] if parts else []


def _counted(found: "dict[str, Any]", name: str) -> str:
    word = HIDDEN.get(name) or name.removesuffix("s")
    return count(found[name], word) if name[-1] == "s" else f"{found[name]} {name}"


def _injecting(found: "dict[str, Any]") -> str:
    if found["state"].startswith(NOT_YET):
        return ""
    return ", telling what it remembers" if found["injecting"] else ", telling nothing"
