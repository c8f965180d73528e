"""Read what an event of Claude Code brings along, such as a file, what a tool printed, or a paste."""

from ralph_mem.core import pastes
from ralph_mem.core.project import NOTIFICATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WEB = ("WebFetch", "WebSearch")
RESOURCE = "McpResource"  # in the names of the tools that read what MCP servers hold
TASKS = "/tasks/"  # in the path of the file into which a command that runs on prints
OF_CLIENT = "mcp__ide__"
# First in the name of a tool: it does something, and answers how that ended.
ACTING = frozenset(
    "create update edit delete remove add close reopen merge rename move assign unassign set transition archive upload post send"
    " reply insert replace write save approve".split()
)
DEEPEST = 50  # lists and mappings in a tool's response
PASTED = '<pasted_content id="'
FRAMES = ("system-reminder", "ide_selection", "ide_opened_file", "new-diagnostics")  # of what the client puts into a prompt

# What else the client begins a turn with that nobody typed: what other agents, servers and programs say, and its own summary.
NOTIFICATIONS += ["<teammate-message", "<cross-session-message", "<channel ", "<local-command-stdout>"]
NOTIFICATIONS += ["Another Claude session sent a message:", "This session is being continued from a previous conversation"]


def of_tool(tool: str, response: object, given: "dict[str, Any]") -> "tuple[str, dict[str, Any]]":
    """Return what a web or MCP tool brought in, or what else a tool printed, such as the one that reads what runs on."""
    values = [value for value in given.values() if isinstance(value, str)]
    is_of_server = tool.startswith("mcp__") and not tool.startswith(OF_CLIENT)
    if tool in WEB or is_of_server or RESOURCE in tool:
        acts = is_of_server and (_says_that_it_acts(tool) or _asks_this_machine(values))
        return "outside", {"asked": " ".join(values), "text": _flat(response), "acts": acts}
    task = given.get("task_id") or given.get("bash_id")
    return "output", {"task": task if isinstance(task, str) else "", "text": _flat(response)}


def _says_that_it_acts(tool: str) -> bool:
    """Say whether the name of a server's tool begins with such a verb, behind the server's name where it has that too."""
    _, server, name = [*tool.split("__", 2), "", ""][:3]
    words = "".join([f"_{char.lower()}" if char.isupper() else char for char in name]).replace("-", "_").strip("_").split("_")
    words = words[1:] if words[0] and words[0] in server.lower() else words
    return not ACTING.isdisjoint(words[:1])


def _asks_this_machine(values: "list[str]") -> bool:
    """Say whether a tool was given an address, and none of another machine."""
    urls = [value for value in values if "://" in value]
    if not urls:
        return False
    from ralph_mem.core.command_lines import fetching  # lazy: only for a tool that was given an address

    return all([" " not in url and fetching.is_local(url) for url in urls])


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


def with_our_marks(text: str, plan: str = "") -> str:
    """Put our own marks in the place of those that the client has around a long paste and what else nobody typed.

    `plan` is how a prompt begins that is a plan of the agent: all behind it is marked.
    """
    if plan and text.startswith(plan):
        return pastes.marked(plan, pastes.unmarked(text[len(plan) :]), "")
    before, mark, rest = text.partition(PASTED)
    name, _, inside = rest.partition('">\n')
    pasted, closing, after = inside.partition(f'\n</pasted_content id="{name}">')
    return pastes.marked(_framed(before), pasted, with_our_marks(after)) if mark and closing else _framed(text)


def _framed(text: str) -> str:
    """Put our marks around what the client has put into a prompt; what has no end goes on to the end."""
    opened = [(at, name) for name in FRAMES for at in [text.find(f"<{name}>")] if at >= 0]
    if not opened:
        return text
    at, name = min(opened)
    inside, _, after = text[at + len(name) + 2 :].partition(f"</{name}>")
    return pastes.marked(text[:at], inside, _framed(after))


def _flat(value: object, depth: int = 0) -> str:
    """Return the texts inside a response."""
    if isinstance(value, str):
        return value
    if depth > DEEPEST:
        return ""
    items = value if isinstance(value, list) else []
    if isinstance(value, dict):
        items = [*[key for key in value if " " in key], *value.values()]  # a key of several words is no name of a field
    return "\n".join([text for text in [_flat(item, depth + 1) for item in items] if text])
