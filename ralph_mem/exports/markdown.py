"""Markdown: an export for a person to read. Every text stands in a block that it cannot leave, every name is escaped."""

from typing import Any

from ralph_mem.core import terminal
from ralph_mem.moments import when
from ralph_mem.recall import STRANGE, WITHHELD

PUNCTUATION = "\\`*_{}[]<>()#+-.!|~&:@\"'/"


def written(project: str, records: list[dict[str, Any]], *, outside: bool = False) -> str:
    """Return rows as Markdown, by session and turn; what web and MCP tools brought in only where `outside` asks for it."""
    sessions = [record for record in records if record["row"] == "session"]
    lines = [f"# What is remembered of {name(project)}"]
    for session in sessions:
        rows = sorted([each for each in records if each.get("session") == session["client_session"]], key=lambda each: each["seq"])
        where = f", branch {name(session['branch'])}" if session["branch"] else ""
        lines += ["", f"## {when(session['started_at'])}, {name(session['public_id'])}{where}"]
        for row in rows:
            lines += ["", *(_turn(row, outside=outside) if row["row"] == "turn" else _observation(row, outside=outside))]
    return "\n".join([*lines, ""])


def _turn(row: dict[str, Any], *, outside: bool) -> list[str]:
    asked, said, lines = row["prompt"], row["response"], row["lines"]
    if row["tainted"] and not outside:
        said = WITHHELD if said else ""
    if row["tainted"] > 1 and not outside:
        asked, said, lines = STRANGE, "", ""
    parts = [f"### {when(row['created_at'])}, {row['public_id']}, {_source(row)}"]
    for heading, text in (("Asked", asked), ("Answered", said), ("Changed", row["files"]), ("Ran", lines)):
        parts += ["", f"{heading}:", "", *block(text)] if text.strip() else []
    return parts


def _observation(row: dict[str, Any], *, outside: bool) -> list[str]:
    title, said = row["title"], row["content"]
    if row["tainted"] and not outside:
        said = WITHHELD if said else ""
        title = STRANGE if row["tainted"] > 1 else title
    parts = [f"#### {when(row['created_at'])}, {row['public_id']}, {row['type']}, {_source(row)}", "", *block(title)]
    return parts + (["", *block(said)] if said.strip() else [])


def _source(row: dict[str, Any]) -> str:
    tool = f" {name(row['tool_name'])}" if row.get("tool_name") else ""
    return f"from {row['origin']}{tool}" + (", not to be trusted" if row["tainted"] else "")


def block(text: str) -> list[str]:
    """Return a text as lines of code, inside a fence that is longer than any in it."""
    lines = terminal.plain(text).rstrip("\n").split("\n")
    longest = max([len(run) for line in lines for run in _runs(line)], default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + "text", *lines, fence]


def _runs(line: str) -> list[str]:
    return "".join([char if char == "`" else " " for char in line]).split()


def name(text: str) -> str:
    """Return a name in one line in which no sign means anything."""
    return "".join(["\\" + char if char in PUNCTUATION else char for char in " ".join(terminal.plain(text).split())])
