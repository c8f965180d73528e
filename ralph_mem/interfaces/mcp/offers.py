"""Declare what the server offers, and check what a call hands over against it."""

from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Given = dict[str, Any]

LOOKS: "dict[str, Any]" = {"readOnlyHint": True, "openWorldHint": False}
PROPOSES: "dict[str, Any]" = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
TEXT: "dict[str, Any]" = {"type": "string"}
MOST_IDS, MOST_HITS, MOST_AROUND = 5, 50, 20
PROPOSAL_CHARACTERS = 1_000  # of a proposal (memory/facts/proposed.py), which a listing need not load


def _tool(name: str, about: str, arguments: "dict[str, Any]", required: "list[str]", hints: "dict[str, Any]") -> "dict[str, Any]":
    schema = {"type": "object", "properties": arguments, **({"required": required} if required else {})}
    return {"name": name, "description": about, "inputSchema": schema, "annotations": hints}


def _number(least: int, most: int) -> "dict[str, Any]":
    return {"type": "integer", "minimum": least, "maximum": most}


# A client may hand all of it to the model at each request: short, and each word is one that chooses or fills in a call.
TOOLS = [
    _tool(
        "search", "Find what earlier sessions asked, did and found out: id, date, one line, tokens.",
        {
            "query": TEXT, "since": {**TEXT, "description": "2026-01-31, 7d, yesterday"}, "until": TEXT,
            "type": {**TEXT, "description": "turn, note, fact, error, success, tool_use, summary"}, "limit": _number(1, MOST_HITS),
        },
        ["query"], LOOKS,
    ),
    _tool(
        "timeline", "What happened around an id, in order.",
        {"id": TEXT, "limit": {**_number(1, MOST_AROUND), "description": "turns before and after"}}, ["id"], LOOKS,
    ),
    _tool(
        "show", "Whole texts by id, with origin and age.",
        {
            "ids": {"type": "array", "items": TEXT, "maxItems": MOST_IDS},
            "from": {**_number(0, 999_999_999), "description": "go on from this character"},
        },
        ["ids"], LOOKS,
    ),
    _tool("facts", "Facts that hold now, with sources and conflicts.", {"about": TEXT}, [], LOOKS),
    _tool(
        "remember", "Propose one statement worth keeping; a person confirms it.",
        {"text": {**TEXT, "maxLength": PROPOSAL_CHARACTERS}}, ["text"], PROPOSES,
    ),
]  # fmt: skip
SCHEMAS: "dict[str, dict[str, Any]]" = {tool["name"]: tool["inputSchema"] for tool in TOOLS}
BRIEFING = "ralph-mem://briefing"
RESOURCES = [
    {"uri": BRIEFING, "name": "briefing", "description": "What a new session is told of this project.", "mimeType": "text/plain"}
]
RECALL = "recall"
ABOUT = {"name": "query", "description": "a few words", "required": True}
PROMPTS = [{"name": RECALL, "description": "Recall what earlier sessions know about something.", "arguments": [ABOUT]}]
INSTRUCTIONS = "What earlier sessions of this project asked, did and found out. Search before you ask or repeat work."


def checked(name: str, given: object) -> "Given":
    """Return the arguments of a tool. Raises RalphMemError for one that it does not have, or that is not as it has to be."""
    schema = SCHEMAS[name]
    allowed: dict[str, Any] = schema["properties"]
    if not isinstance(given, dict):
        raise RalphMemError("the arguments are no object", _takes(name))
    for key in given:
        if key not in allowed:
            raise RalphMemError(f"{name} has no argument {key[:40]!a}", _takes(name))
    found = {key: _value(name, key, value, allowed[key]) for key, value in given.items() if value is not None}
    for key in schema.get("required", ()):
        if key not in found:
            raise RalphMemError(f"{name} needs {key}", _takes(name))
    return found


def _takes(name: str) -> str:
    """Return what a tool takes, as a hint."""
    required = SCHEMAS[name].get("required", ())
    return f"{name} takes " + ", ".join([key if key in required else key + "?" for key in SCHEMAS[name]["properties"]])


def _value(name: str, key: str, value: object, rule: "dict[str, Any]") -> "Any":
    if rule["type"] == "integer":
        if type(value) is int and rule["minimum"] <= value <= rule["maximum"]:
            return value
        raise RalphMemError(f"{key} is no whole number from {rule['minimum']} to {rule['maximum']}", _takes(name))
    if rule["type"] == "array":
        if isinstance(value, list) and 0 < len(value) <= rule["maxItems"] and all([isinstance(each, str) for each in value]):
            return [text_of(each) for each in value]
        raise RalphMemError(f"{key} is no list of 1 to {rule['maxItems']} ids", _takes(name))
    if not isinstance(value, str):
        raise RalphMemError(f"{key} is no text", _takes(name))
    return text_of(value)


def text_of(text: str) -> str:
    """Return a text that fits UTF-8, as SQLite wants it: without lone surrogates and NULs."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", " ")
