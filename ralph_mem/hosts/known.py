"""Name the clients that we know, and tell by its shape whose an event is."""

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# As sessions name them. All but the first have their words put into those of the first, which the rest of the house understands.
FIRST = "claude-code"
OTHERS = ("codex", "copilot", "gemini", "opencode", "qwen")
# Known by their documents, and not seen: their events are understood, and nothing else of ours speaks of them.
BY_DOCUMENTS = ("cursor", "goose")
# Two install the plugin as it is, whose lines name no host. Who else runs them has lines of its own, and would be told twice.
UNNAMED = ("codex", "copilot")
ANSWERED_LATE = ("copilot",)  # who tells no hook what was answered, and writes it down later
ENVELOPE = "opencode"  # the field into which our plugin of OpenCode puts which of its hooks was called


def whose(fields: "dict[str, Any]") -> str:
    """Return the host whose shape an event has, nothing for one that may be anybody's."""
    if ENVELOPE in fields:
        return "opencode"
    if "sessionId" in fields:
        return "copilot"
    if "conversation_id" in fields or ("event" in fields and "hook_event_name" not in fields):
        return "cursor" if "conversation_id" in fields else "goose"  # both read the hooks of others too
    path = fields.get("transcript_path")
    folder, _, name = path.rpartition("/") if isinstance(path, str) else ("", "", "")
    if "timestamp" in fields:
        if not name or name == "events.jsonl":
            return "copilot"
        return "" if not folder.endswith("/chats") else "gemini" if name.startswith("session-") else "qwen"
    return "codex" if "turn_id" in fields or name.startswith("rollout-") else FIRST


def setup_of(host: str) -> "ModuleType":
    """Return the module that says how another client is set up and started; `host` is one of `OTHERS`."""
    return __import__(f"ralph_mem.hosts.{host}.setup", None, None, ("TITLE",))  # lazy: one host at a time


def folder_of(setup: "ModuleType") -> str:
    """Return the folder of a host's own files."""
    named = paths.environment(setup.FOLDER_NAMED_BY)
    return named + setup.BELOW if named else f"{paths.environment('HOME') or '/nowhere'}/{setup.FOLDER}"
