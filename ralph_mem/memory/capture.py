"""Decide what is stored of an activity, and how much of it.

Of what changes or runs something it is the essence, of what only looks a path on the turn at most.
"""

import posix
import zlib

from ralph_mem.core import fast, paths
from ralph_mem.core import project as projects
from ralph_mem.core.project import NOTIFICATIONS, Activity
from ralph_mem.core.redaction import privacy
from ralph_mem.memory.rows import records as write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ralph_mem.core.project import Project

    Record = dict[str, Any]

TITLE_CHARACTERS = 300
OUTPUT_CHARACTERS = 1200
FAILURE_CHARACTERS = 2000
DIFF_CHARACTERS = 1500
LINES_CHARACTERS = 800
PROMPT_CHARACTERS = RESPONSE_CHARACTERS = 4000
SUMMARY_CHARACTERS = 6000
OUTLINE_LINES = 30
DEFINING = ("def ", "class ", "func ", "fn ", "function ", "struct ", "interface ", "type ", "export ", "const ", "# ", "## ")
MORE = ("|", ";", "&", "\n", "`", "$(", "<(", "! ")  # in a line that may go on after its check, or does not end with its exit code
LONG_MS = 1000  # what takes less says nothing by how long it took


def records(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return what is to be stored of an activity, redacted; nothing for one that is not worth it."""
    return OF_KIND[seen.kind](seen, project, settings)


# The conversation


def _prompt(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the turn; its prompt is kept only where it is the user's own words."""
    kind = kind_here(seen.text)
    head, commit = projects.head(project)
    (prompt, branch), redactions = privacy.protect([seen.text if kind == "prompt" else "", head], project, settings, seen.cwd)
    prompt, event = privacy.shorten(prompt, PROMPT_CHARACTERS), seen.turn or f"prompt:{seen.session}:{seen.at}"
    return [write.turn(seen.session, event, seen.at, kind, prompt, branch=branch, commit_id=commit, redactions=redactions)]


def kind_of(prompt: str) -> str:
    """Return the kind of turn that a prompt opens: the user's own words, a command of ours, a notification of the client."""
    text = prompt.lstrip()
    if text.startswith(tuple(NOTIFICATIONS)):
        return "notification"
    name = text[1:].split(None, 1)[0] if text[:1] == "/" and text[1:2].strip() else ""
    name = name.removeprefix("ralph-mem:")
    if name.startswith("mem-") or name == "mem":
        return "command"
    return "loop" if name == "ralph" or name.startswith("ralph-") else "prompt"


def kind_here(prompt: str) -> str:
    """Return the kind of the turn; a headless loop has put into its prompt what is remembered."""
    return "loop" if paths.LOOP in posix.environ else kind_of(prompt)


def _answer(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the end of the turn, which opens it as well where its prompt was never seen."""
    (response,), redactions = privacy.protect([seen.text], project, settings, seen.cwd)
    response = privacy.shorten(response, RESPONSE_CHARACTERS)
    return [write.close(seen.session, seen.turn, seen.at, response, origin="agent", redactions=redactions)]


def _report(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return what a subagent said last, under its parent's turn."""
    found = {"type": "response", "origin": "agent", "title": seen.text.partition("\n")[0], "content": seen.text}
    return [observation(seen, project, settings, **found)]


def _summary(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the client's own summary of the session, which came at no cost to us, as a memory of its own."""
    found = {"type": "summary", "origin": "agent", "title": "summary of a session", "content": seen.text}
    name = f"compact:{seen.session}:{zlib.crc32(seen.text.encode('utf-8', 'replace')):08x}"
    return [observation(seen, project, settings, **found, verb="memory", event_id=name, limit=SUMMARY_CHARACTERS)]


def _compacting(seen: Activity, _project: "Project", _settings: "dict[str, Any]") -> "list[Record]":
    """Make the open turn findable now: a full window may end the session without another event."""
    return [write.keep(seen.session, seen.at)]


def _end(seen: Activity, _project: "Project", _settings: "dict[str, Any]") -> "list[Record]":
    """Return the end of the session: a bonus. A kill leaves no time for it, so nothing depends on it."""
    return [write.end(seen.session, seen.at, seen.reason or "other")]


# Tools


def _read(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the record of files that were looked at, if they are named."""
    name = project.relative(seen.path)
    rules = _rules(name, settings)
    if not seen.path or seen.path == project.top or (rules and rules.is_excluded(name, settings)):
        return []
    (safe,), _ = privacy.protect([name], project, settings)
    return [_files(seen, _one_line(safe), read=True)]


def _files(seen: Activity, files: str, read: bool) -> "Record":
    return write.files(seen.session, seen.turn, files, read)


def _command(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    from ralph_mem.core.command_lines import commands  # lazy: only for a command

    command, output = seen.command, seen.failure or seen.text
    if not command.strip() or commands.is_ours(command) or (not seen.failure and commands.only_looks(command)):
        return []
    rules = _rules(command, settings)
    if rules and rules.touches(command, settings):
        output = ""
    here = project.top.rstrip("/") + "/"
    found = {"title": command.replace(here, ""), "content": output.replace(here, "")}
    if commands.fetches(command):
        found |= OUTSIDE
    else:
        checks = commands.checks(command)
        found |= {"origin": "test" if checks else "tool", "type": _outcome(seen, checks)}
    return [observation(seen, project, settings, **found)]


def _outcome(seen: Activity, checks: bool) -> str:
    """Return the type of a command's observation.

    Where the exit code of the line is not that of its check, the output decides.
    """
    if seen.failure:
        return "tool_use" if seen.interrupted else "error"
    if not checks or not seen.ended_well:
        return "tool_use"
    plain = seen.command.replace("&&", "").replace(">&", "").replace("&>", "").replace("\\\n", "").strip()
    if not any([sign in plain for sign in MORE]):
        return "success"
    from ralph_mem.core.command_lines import outcomes  # lazy: only for a check whose exit code its command line may hide

    return outcomes.of(seen.command, seen.text) or "success"


def _edit(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the changed lines or the outline of a new file, never a whole one; nothing of a path that the person excludes."""
    name = project.relative(seen.path)
    rules = _rules(name, settings)
    if not seen.path or (rules and rules.is_excluded(name, settings)):
        return []
    content = "" if rules and rules.is_secret(name) else seen.failure or (_outline(seen.text) if seen.is_new else seen.diff)
    kind, files = ("error", "") if seen.failure else ("tool_use", name)
    found = observation(seen, project, settings, title=name, content=content, files=files, type=kind, limit=DIFF_CHARACTERS)
    return [found, _files(seen, found["files"], read=False)] if found["files"] else [found]


def _rules(text: str, settings: "dict[str, Any]") -> "ModuleType | None":
    """Return the rules about paths, where one of them may hold for a path or a command."""
    if not (settings["privacy.exclude_paths"] or privacy.may_name_secrets(text)):
        return None
    from ralph_mem.core.redaction import path_rules  # lazy: for a file of secrets, or in a project that excludes paths

    return path_rules


def _outline(text: str) -> str:
    lines = text.splitlines()
    defined = [line.strip() for line in lines if line.lstrip().startswith(DEFINING)]
    return "\n".join([f"new file, {len(lines)} lines", *defined[:OUTLINE_LINES]])


def _errand(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    found = {"title": "subagent: " + seen.asked, "content": seen.text[:OUTPUT_CHARACTERS]}
    return [observation(seen, project, settings, **found)]


def _outside(seen: Activity, project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Keep what a web or MCP tool brought in, to be searched; it is never injected by itself."""
    rules = _rules(seen.asked, settings)
    content = "" if rules and rules.touches(seen.asked, settings) else seen.failure or seen.text
    return [observation(seen, project, settings, title=f"{seen.tool}: {seen.asked}", content=content, **OUTSIDE)]


OUTSIDE: "Record" = {"origin": "outside", "tainted": 1, "type": "tool_use"}
OF_KIND = {
    "prompt": _prompt, "answer": _answer, "report": _report, "summary": _summary, "compacting": _compacting, "end": _end,
    "read": _read, "command": _command, "edit": _edit, "errand": _errand, "outside": _outside,
}  # fmt: skip


def observation(seen: Activity, project: "Project", settings: "dict[str, Any]", **found: "Any") -> "Record":
    """Complete, redact and cap what was captured; `found` holds at least title and content."""
    failed = found.get("type") == "error"
    whole = found.pop("content")
    texts = [found.pop("title"), whole, found.pop("files", ""), seen.tool, seen.agent_type]
    (title, content, files, tool, agent), redactions = privacy.protect(texts, project, settings, seen.cwd)
    limit = found.pop("limit", FAILURE_CHARACTERS if failed else OUTPUT_CHARACTERS)
    lines = _failure_lines(content) if failed else ""
    if found.get("tainted"):
        found["shingles"] = _shingles(whole, content, project, settings, seen.cwd)
    build = write.memory if found.pop("verb", "") == "memory" else write.observation
    event = found.pop("event_id", seen.id or f"tool:{seen.session}:{seen.at}")
    return build(
        seen.session, seen.at, event, _one_line(title), privacy.shorten(content, limit), turn=seen.turn, files=_one_line(files),
        lines=lines, metadata=_metadata(seen), tool_name=tool or None, agent_id=seen.agent_id or None, agent_type=agent or None,
        redactions=redactions, **found,
    )  # fmt: skip


def _shingles(whole: str, safe: str, project: "Project", settings: "dict[str, Any]", cwd: str) -> str:
    """Return the hashes of all of a text from outside, of which `safe` may be the ends alone: without its secrets, too."""
    from ralph_mem.memory.rows import shingles  # lazy: only for what a web or MCP tool brought in

    if len(whole) > privacy.MOST_CHARACTERS:
        safe = "\n".join(privacy.protect(shingles.parts(whole, privacy.MOST_CHARACTERS), project, settings, cwd)[0])
    return shingles.of(safe)


def _metadata(seen: Activity) -> "str | None":
    facts: dict[str, Any] = {} if seen.exit is None else {"exit": seen.exit}
    if seen.interrupted:
        facts["interrupted"] = True
    if LONG_MS <= seen.took_ms < 1e12:
        facts["ms"] = seen.took_ms
    return fast.dumps(facts) if facts else None


def _failure_lines(content: str) -> str:
    """Return what a failure says about itself, or its last line where nothing looks like an error."""
    found = privacy.error_lines(content, LINES_CHARACTERS)
    return found or content.rstrip().rpartition("\n")[2][:LINES_CHARACTERS]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:TITLE_CHARACTERS]
