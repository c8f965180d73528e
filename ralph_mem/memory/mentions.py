"""Find the files from outside and the resources of MCP servers that a prompt brings along by `@`."""

from ralph_mem.core import paths
from ralph_mem.core.redaction import path_rules
from ralph_mem.memory import hearing, own_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity, Project

    Records = list[dict[str, Any]]

MOST_BYTES, MOST_FILES = 262_144, 8  # of each file; the client cuts them at some 2,000 lines
SIGNS = ".,;:!?)\"'"  # what may stand behind a path


def _named(text: str) -> "list[str]":
    return [word[1:].strip("\"'").rstrip(SIGNS) for word in text.split() if word[0] == "@" and len(word) > 1]


def _is_resource(name: str) -> bool:
    return ":" in name.partition("://")[0] and "://" in name


def resource(text: str) -> str:
    """Return the first resource of an MCP server that a prompt names, as `@server:scheme://...`, nothing for none."""
    return next(("@" + name for name in _named(text) if _is_resource(name)), "")


def heard(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "Records":
    """Return the hashes of the files from outside that a prompt names: the client reads them, and no event tells of that."""
    files = own_files.Files(project, seen.cwd)
    names = [name for name in _named(seen.text) if not _is_resource(name)][:MOST_FILES]
    strange = {files.place(name) for name in names if not files.tracks(name)}
    return [record for place in sorted(strange) for record in _read(seen, project, settings, place)]


def _read(seen: "Activity", project: "Project", settings: "dict[str, Any]", place: str) -> "Records":
    if path_rules.touches(place, settings):
        return []
    path = place if place[:1] in ("/", "~") else f"{project.top}/{place}"
    text = paths.read(path.replace("~", paths.environment("HOME"), 1) if path[:1] == "~" else path, MOST_BYTES)
    return hearing.kept(seen, project, settings, text, place) if text else []
