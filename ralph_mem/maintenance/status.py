"""Status: how much is remembered in a project, what was told of it, and whether all is well."""

import posix

from ralph_mem.core import paths, spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import amount, count, when
from ralph_mem.core.settings import effective
from ralph_mem.memory import access
from ralph_mem.memory.rows import counts
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

NONE_YET = "no session was heard here; the first prompt or command after `/reload-plugins`, or in a new session, begins the memory"
WEEK_MS = 7 * 86_400_000
# In one pass over the observations: each costs a millisecond for some ten thousand of them.
COUNTED = ("sessions", "turns", "observations", "errors", "notes", "pinned")
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
        numbers = [count(found[name], name.removesuffix("s")) if name[-1] == "s" else f"{found[name]} {name}" for name in COUNTED]
        told.append(", ".join(numbers))
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


def _injecting(found: "dict[str, Any]") -> str:
    if found["state"].startswith("not yet"):
        return ""
    return ", telling what it remembers" if found["injecting"] else ", telling nothing"
