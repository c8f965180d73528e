"""Read what an event of Claude Code brings along, such as a file, what a tool printed, or a paste."""

from ralph_mem.core import pastes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WEB = ("WebFetch", "WebSearch")
RESOURCE = "McpResource"  # in the names of the tools that read what MCP servers hold
TASKS = "/tasks/"  # in the path of the file into which a command that runs on prints
OF_CLIENT = "mcp__ide__"
DEEPEST = 50  # lists and mappings in a tool's response
PASTED = '<pasted_content id="'


def of_tool(tool: str, response: object, given: "dict[str, Any]") -> "tuple[str, dict[str, str]]":
    """Return what a web or MCP tool brought in, or what else a tool printed, such as the one that reads what runs on."""
    values = [value for value in given.values() if isinstance(value, str)]
    if tool in WEB or (tool.startswith("mcp__") and not tool.startswith(OF_CLIENT)) or RESOURCE in tool:
        return "outside", {"asked": " ".join(values), "text": _flat(response)}
    task = given.get("task_id") or given.get("bash_id")
    return "output", {"task": task if isinstance(task, str) else "", "text": _flat(response)}


def of_read(response: "dict[str, Any]", path: str) -> "dict[str, str]":
    """Return the text of a file that was read, or what a search found, of a notebook what its programs printed; and whose task."""
    file = response.get("file")
    shown = file if isinstance(file, dict) else response
    content, cells = shown.get("content"), shown.get("cells")
    text = content if isinstance(content, str) else ""
    if not text and isinstance(cells, list):
        text = _flat([cell.get("outputs") for cell in cells if isinstance(cell, dict)])
    task = path.rpartition("/")[2].removesuffix(".output") if TASKS in path and path.endswith(".output") else ""
    return {"text": text, "task": task}


def with_our_marks(text: str) -> str:
    """Put our own marks in the place of those that the client has around a long paste."""
    before, mark, rest = text.partition(PASTED)
    name, _, inside = rest.partition('">\n')
    pasted, closing, after = inside.partition(f'\n</pasted_content id="{name}">')
    return pastes.marked(before, pasted, with_our_marks(after)) if mark and closing else text


def _flat(value: object, depth: int = 0) -> str:
    """Return the texts inside a response."""
    if isinstance(value, str):
        return value
    if depth > DEEPEST:
        return ""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return "\n".join([text for text in [_flat(item, depth + 1) for item in items] if text])
