"""Status: how much is remembered in a project, what was told of it, and whether all is well."""

import posix

from ralph_mem import access
from ralph_mem.core import paths, settings, spool, store
from ralph_mem.core.errors import RalphMemError
from ralph_mem.moments import when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

WEEK_MS = 7 * 86_400_000
# In one pass over the observations: each costs a millisecond for some ten thousand of them.
COUNTED = ("sessions", "turns", "observations", "errors", "notes", "pinned")
COUNTS = """
SELECT (SELECT count(*) FROM sessions WHERE agent <> 'ralph-mem'), (SELECT count(*) FROM turns),
    count(*), total(type = 'error'), total(type = 'note'),
    (SELECT count(*) FROM turns WHERE pinned) + (SELECT count(*) FROM observations WHERE pinned),
    total(emptied_at NOT NULL),
    max(coalesce((SELECT created_at FROM observations ORDER BY id DESC LIMIT 1), 0),
        coalesce((SELECT created_at FROM turns ORDER BY id DESC LIMIT 1), 0))
FROM observations"""
NOTES = "SELECT count(*) FROM observations WHERE type = 'note'"
INJECTED = "SELECT count(*), coalesce(sum(tokens), 0) FROM receipts WHERE tokens > 0 AND created_at >= ?"


def of(project: "Project", values: "dict[str, Any]", now: int) -> "dict[str, Any]":
    """Return the status of a project's memory by name; times in milliseconds. A memory that cannot be read is told as such."""
    found: dict[str, Any] = {
        "project": project.root, "database": f"{project.folder}/memory.db", "bytes": _bytes(project.folder),
        "recording": settings.recording(project, values), "injecting": _tells(project, values),
        "waiting": len(spool.pending(project.root)), "embeddings": "not set up", "trouble": "",
    }  # fmt: skip
    if not store.exists(project.folder):
        return {**found, "trouble": "nothing is remembered here yet"}
    try:
        opened = access.to_read(project)
        found |= zip((*COUNTED, "emptied", "last_recorded"), map(int, opened[0].one(COUNTS)))
        found["injections"], found["injected_tokens"] = opened[0].one(INJECTED, (now - WEEK_MS,))
        found["global_notes"] = opened[1].one(NOTES)[0] if len(opened) > 1 else 0
        if len(opened) == 1 and store.exists(paths.config_home()):
            found["trouble"] = "the memory of all projects cannot be read; `ralph-mem doctor` says more"
    except (RalphMemError, store.sqlite.Error) as error:
        found["trouble"] = f"the memory cannot be read: {error}"
    return found


def _tells(project: "Project", values: "dict[str, Any]") -> bool:
    return bool(values["memory.auto_inject"]) and settings.recording(project, values)


def _bytes(folder: str) -> int:
    size = 0
    for name in ("memory.db", "memory.db-wal"):
        if paths.exists(f"{folder}/{name}"):
            size += posix.stat(f"{folder}/{name}").st_size
    return size


def lines(found: "dict[str, Any]") -> "list[str]":
    """Return a status in lines for people."""
    told = [f"{found['project']}: {'recording' if found['recording'] else 'not recording'}, {_injecting(found)}"]
    if "turns" in found:
        told.append(", ".join([_counted(found[name], name) for name in COUNTED]))
        cut = "cut to title, files and error lines"
        told += [_counted(found["emptied"], "old tool outputs") + f" {cut}"] if found["emptied"] else []
        told += [_counted(found["global_notes"], "notes") + " for all projects"] if found["global_notes"] else []
        told.append(f"last recorded {when(found['last_recorded'])}" if found["last_recorded"] else "nothing recorded yet")
        told.append(f"told in the last 7 days: {found['injections']} times, {found['injected_tokens']} tokens")
    told.append(f"{found['bytes'] / 1_048_576:.1f} MB in {found['database']}")
    waits = _counted(found["waiting"], "events") + (" waits" if found["waiting"] == 1 else " wait")
    told += [f"{waits} to be stored with the next one"] if found["waiting"] else []
    return [*told, f"trouble: {found['trouble']}"] if found["trouble"] else told


def _counted(number: int, name: str) -> str:
    return f"{number} {name.removesuffix('s') if number == 1 else name}"


def _injecting(found: "dict[str, Any]") -> str:
    return "telling what it remembers" if found["injecting"] else "telling nothing"
