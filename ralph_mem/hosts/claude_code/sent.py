"""Events as Claude Code sends them to the hooks, for a session that is only played."""

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS = {"start": ("session-start", "SessionStart"), "prompt": ("user-prompt-submit", "UserPromptSubmit")}


def environment(project: str) -> "dict[str, str]":
    """Return the variables that the client sets for a hook."""
    return {"CLAUDE_PROJECT_DIR": project}


def start(session: str) -> "tuple[str, dict[str, object]]":
    """Return the hook's name and the event of a session that starts."""
    return _event("start", session, source="startup")


def prompt(session: str, turn: str, text: str) -> "tuple[str, dict[str, object]]":
    """Return the hook's name and the event of something that the person says."""
    return _event("prompt", session, prompt_id=turn, prompt=text)


def _event(kind: str, session: str, **fields: object) -> "tuple[str, dict[str, object]]":
    hook, name = EVENTS[kind]
    return hook, {"session_id": session, "hook_event_name": name, **fields}


def name_and_gist(fields: "Mapping[str, object]") -> "tuple[str, str]":
    """Return the client's name of an event, and what it is about."""
    given = fields.get("tool_input")
    said = fields.get("prompt") or fields.get("last_assistant_message") or ""
    if isinstance(given, dict):
        said = given.get("command") or str(given.get("file_path"))
    return str(fields["hook_event_name"]), str(said)


def context(printed: str) -> str:
    """Return what a hook's answer adds to the model's context, or what it shows to the person in place of that."""
    answer = json.loads(printed) if printed else {}
    if "reason" in answer:
        return str(answer["reason"])
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
