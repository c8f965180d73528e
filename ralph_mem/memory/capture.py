"""Decide what is stored of what a tool did, and how much of it. Of what only looks it is a path at most."""

from ralph_mem.core import fast
from ralph_mem.core import project as projects
from ralph_mem.core.project import Activity
from ralph_mem.core.redaction import privacy
from ralph_mem.memory.rows import records as write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    Record = dict[str, Any]

TITLE_CHARACTERS = 300
OUTPUT_CHARACTERS = 1200
FAILURE_CHARACTERS = 2000
DIFF_CHARACTERS = 1500
LINES_CHARACTERS = 800
OUTLINE_LINES = 30
DEFINING = ("def ", "class ", "func ", "fn ", "function ", "struct ", "interface ", "type ", "export ", "const ", "# ", "## ")
MORE = ("|", ";", "&", "\n", "`", "$(", "<(", "! ")  # in a line that may go on after its check, or does not end with its exit code
DETAILED, HAS_CHANGES = "-detailed-exitcode", 2  # with it a plan of Terraform, Helm and others that failed ends with 1
LONG_MS = 1000  # what takes less says nothing by how long it took


def records(seen: Activity, project: "projects.Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return what is to be stored of an activity of a kind in `project.DONE`, redacted; nothing for one that is not worth it."""
    return OF_KIND[seen.kind](seen, project, settings)


def _read(seen: Activity, project: "projects.Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the record of files that were looked at, if they are named."""
    name = project.relative(seen.path)
    rules = rules_of(name, settings)
    if rules and rules.is_excluded(name, settings):
        return []
    heard: list[Record] = []
    if seen.text and not (rules and rules.is_secret(name)):
        from ralph_mem.memory import hearing  # lazy: only for what was read

        heard = hearing.of_file(seen, project, settings)
    if not seen.path or seen.path == project.top:
        return heard
    (safe,), _ = privacy.protect([name], project, settings)
    return [write.files(seen.session, seen.turn, _one_line(safe), read=True), *heard]


def _command(seen: Activity, project: "projects.Project", settings: "dict[str, Any]") -> "list[Record]":
    from ralph_mem.core.command_lines import commands  # lazy: only for a command

    command, output = seen.command, seen.failure or seen.text
    if not command.strip() or commands.is_ours(command):
        return []
    only_looks = not seen.failure and commands.only_looks(command)
    if only_looks and not output.strip():
        return []
    rules = rules_of(command, settings)
    if rules and rules.touches(command, settings):
        output = ""
    elif output and not seen.failure and privacy.may_print_secrets(command, output):
        from ralph_mem.core.redaction import printing  # lazy: only for a command that may print a secret and nothing else

        output = printing.without(command, output)
    here = project.top.rstrip("/") + "/"
    plain = command.removeprefix(f"cd {project.top} && ").replace(here, "")
    by = ""
    heard: list[Record] = []
    is_at_top = seen.cwd in ("", project.top)
    if not (commands.is_own_at_sight(plain) and is_at_top) or commands.REBASING in output:
        from ralph_mem.memory import hearing  # lazy: only for a command that does more than to test and build

        by, heard = hearing.of_command(seen, project, settings, output)
    if only_looks:
        return heard
    title = plain
    if not is_at_top:
        from ralph_mem.core.command_lines import folders  # lazy: only for a shell that does not stand at the top

        title = folders.from_top(command, plain, seen.cwd, project)
    found = {"title": title, "content": output.replace(here, ""), "by": by}
    if by:
        from ralph_mem.core.command_lines import fetching  # lazy: only for a command that prints what is not the project's own

        if fetching.is_in(plain):
            return [observation(seen, project, settings, **found, **OUTSIDE), *heard]
    checks = commands.checks(command)
    found |= {"origin": "test" if checks else "tool", "type": _outcome(seen, checks)}
    return [observation(seen, project, settings, **found), *heard]


def _outcome(seen: Activity, checks: bool) -> str:
    """Return the type of a command's observation, by its output where the exit code of the line is not that of its check."""
    if seen.failure:
        return "tool_use" if seen.interrupted or _has_changes(seen) else "error"
    if not checks or not seen.ended_well:
        return "tool_use"
    plain = seen.command.replace("&&", "").replace(">&", "").replace("&>", "").replace("\\\n", "").strip()
    if not any([sign in plain for sign in MORE]):
        return "success"
    from ralph_mem.core.command_lines import outcomes  # lazy: only for a check whose exit code its command line may hide

    return outcomes.of(seen.command, seen.text) or "success"


def _has_changes(seen: Activity) -> bool:
    """Say whether a line ended in a plan, and its exit code says that there is something to change."""
    _, option, rest = seen.command.partition(DETAILED)
    return bool(option) and seen.exit == HAS_CHANGES and not any([sign in rest for sign in MORE])


def _edit(seen: Activity, project: "projects.Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the changed lines or the outline of a new file, never a whole one; nothing of a path that the person excludes."""
    name = project.relative(seen.path)
    rules = rules_of(name, settings)
    if not seen.path or (rules and rules.is_excluded(name, settings)):
        return []
    content = "" if rules and rules.is_secret(name) else seen.failure or (_outline(seen.text) if seen.is_new else seen.diff)
    kind, files = ("error", "") if seen.failure else ("tool_use", name)
    found = observation(seen, project, settings, title=name, content=content, files=files, type=kind, limit=DIFF_CHARACTERS)
    return [found, write.files(seen.session, seen.turn, found["files"], read=False)] if found["files"] else [found]


def rules_of(text: str, settings: "dict[str, Any]") -> "ModuleType | None":
    """Return the rules about paths, where one of them may hold for a path or a command."""
    if not (settings["privacy.exclude_paths"] or privacy.may_name_secrets(text)):
        return None
    from ralph_mem.core.redaction import path_rules  # lazy: for a file of secrets, or in a project that excludes paths

    return path_rules


def _outline(text: str) -> str:
    lines = text.splitlines()
    defined = [line.strip() for line in lines if line.lstrip().startswith(DEFINING)]
    return "\n".join([f"new file, {len(lines)} lines", *defined[:OUTLINE_LINES]])


OUTSIDE: "Record" = {"origin": "outside", "tainted": 1, "type": "tool_use"}
OF_KIND = {"read": _read, "command": _command, "edit": _edit}


def observation(seen: Activity, project: "projects.Project", settings: "dict[str, Any]", **found: "Any") -> "Record":
    """Complete, redact and cap what was captured; `found` holds at least title and content."""
    failed = found.get("type") == "error"
    texts = [found.pop("title"), found.pop("content"), found.pop("files", ""), seen.tool, seen.agent_type]
    (title, content, files, tool, agent), redactions = privacy.protect(texts, project, settings, seen.cwd)
    metadata = _metadata(seen, found.pop("by", ""))
    limit = found.pop("limit", FAILURE_CHARACTERS if failed else OUTPUT_CHARACTERS)
    lines = _failure_lines(content) if failed else ""
    build = write.memory if found.pop("verb", "") == "memory" else write.observation
    event = found.pop("event_id", seen.id or f"tool:{seen.session}:{seen.at}")
    return build(
        seen.session, seen.at, event, _one_line(title), privacy.shorten(content, limit), turn=seen.turn, files=_one_line(files),
        lines=lines, metadata=metadata, tool_name=tool or None, agent_id=seen.agent_id or None, agent_type=agent or None,
        redactions=redactions, **found,
    )  # fmt: skip


def _metadata(seen: Activity, by: str) -> "str | None":
    facts: dict[str, Any] = {} if seen.exit is None else {"exit": seen.exit}
    if by:
        facts["by"] = by
    if seen.interrupted:
        facts["interrupted"] = True
    if LONG_MS <= seen.took_ms < 1e12:
        facts["ms"] = seen.took_ms
    if seen.runs_on:
        facts |= {"runs_on": True, "task": seen.task[:40]}
    return fast.dumps(facts) if facts else None


def _failure_lines(content: str) -> str:
    """Return what a failure says about itself, or its last line where nothing looks like an error."""
    found = privacy.error_lines(content, LINES_CHARACTERS)
    return found or content.rstrip().rpartition("\n")[2][:LINES_CHARACTERS]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:TITLE_CHARACTERS]
