"""Keep of what came in from outside its hashes, so that an answer that repeats it is known."""

from ralph_mem.core import paths
from ralph_mem.core.redaction import privacy
from ralph_mem.memory import own_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity, Project

    Records = list[dict[str, Any]]

NOTEBOOK = ".ipynb"  # of which only what its programs printed is given
MOST_JUDGED = 200  # lines of a failure; what comes behind them is nobody's message


def of_command(seen: "Activity", project: "Project", settings: "dict[str, Any]", output: str) -> "tuple[str, Records]":
    """Return which program printed what is not the project's own, nothing for none, and the hashes of that."""
    from ralph_mem.core.command_lines import commands  # lazy: what was read needs no command line
    from ralph_mem.memory import origins  # lazy: as above

    found = origins.of_command(seen.command, seen.cwd, project)
    if found is None and commands.REBASING in output and "git status" in seen.command:
        found = own_files.Brought("git status")
    if found is None:
        return "", []
    from ralph_mem.memory.rows import shingles  # lazy: only for what came in from outside

    text = shingles.without_stock(found.of(output))
    return found.by, kept(seen, project, settings, _without_diagnostics(text) if seen.failure else text, found.place)


def of_file(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "Records":
    """Return the hashes of a file that was read, or of what a search found, as far as it is not the project's own."""
    files = own_files.Files(project, seen.cwd)
    if not files.tracks(seen.path or ".") or seen.path.endswith(NOTEBOOK):
        return kept(seen, project, settings, seen.text, files.place(seen.path))
    return kept(seen, project, settings, files.lines_of_others(seen.text)) if seen.searched else []


def kept(
    seen: "Activity", project: "Project", settings: "dict[str, Any]", text: str, place: str = "", is_page: bool = False
) -> "Records":
    """Return the hashes of all of a text from outside, without its secrets; `place` is the file that it stood in."""
    from ralph_mem.memory.rows import records, shingles  # lazy: only for what came in from outside

    pieces = shingles.parts(text, privacy.MOST_CHARACTERS)
    if not pieces:
        return []
    hashes = shingles.of("\n".join(privacy.protect(pieces, project, settings, seen.cwd)[0]), is_page)
    place = f"task:{seen.task}" if seen.task else place
    event = shingles.mark(seen.id or f"tool:{seen.session}:{seen.at}")
    return [records.heard(seen.session, seen.at, event, hashes, shingles.mark(place) if place else "")] if any(hashes) else []


def _without_diagnostics(text: str) -> str:
    """Return of a failure what would not be told of it unasked: an agent may say what went wrong."""
    from ralph_mem.memory.inject import failure_words  # lazy: only for a failure of a program that is not known

    lines = text.splitlines()
    return "\n".join([line for line in lines[:MOST_JUDGED] if not failure_words.is_told(line)] + lines[MOST_JUDGED:])


# What a prompt brings along by `@`

MOST_BYTES, MOST_FILES = 262_144, 8  # of each file; the client cuts them at some 2,000 lines
SIGNS = ".,;:!?)\"'"  # what may stand behind a path


def _named(text: str) -> "list[str]":
    return [word[1:].strip("\"'").rstrip(SIGNS) for word in text.split() if word[0] == "@" and len(word) > 1]


def _is_resource(name: str) -> bool:
    return ":" in name.partition("://")[0] and "://" in name


def mentioned_resource(text: str) -> str:
    """Return the first resource of an MCP server that a prompt names, as `@server:scheme://...`, nothing for none."""
    return next(("@" + name for name in _named(text) if _is_resource(name)), "")


def of_mentions(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "Records":
    """Return the hashes of the files from outside that a prompt names: the client reads them, and no event tells of that."""
    files = own_files.Files(project, seen.cwd)
    names = [name for name in _named(seen.text) if not _is_resource(name)][:MOST_FILES]
    strange = {files.place(name) for name in names if not files.tracks(name)}
    return [record for place in sorted(strange) for record in _mentioned(seen, project, settings, place)]


def _mentioned(seen: "Activity", project: "Project", settings: "dict[str, Any]", place: str) -> "Records":
    from ralph_mem.core.redaction import path_rules  # lazy: only for a prompt that names a file

    if path_rules.touches(place, settings):
        return []
    path = place if place[:1] in ("/", "~") else f"{project.top}/{place}"
    text = paths.read(path.replace("~", paths.environment("HOME"), 1) if path[:1] == "~" else path, MOST_BYTES)
    return kept(seen, project, settings, text, place) if text else []
