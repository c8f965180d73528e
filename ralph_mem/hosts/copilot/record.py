"""Read what Copilot keeps of a session, of which some is written late (1.0.102)."""

from ralph_mem.core import fast, paths
from ralph_mem.hosts import tails

SAID = '"type":"assistant.message"'


def path_of(session: str) -> str:
    """Return the file of a session, nothing for a name that no file can have."""
    home = paths.environment("COPILOT_HOME") or paths.environment("HOME") + "/.copilot"
    return f"{home}/session-state/{session}/events.jsonl" if session.replace("-", "").isalnum() else ""


def said(session: str, since: str) -> str:
    """Return what the agent said last, after a time as the record writes it; nothing where that is not written yet."""
    path = path_of(session)
    for line in reversed(tails.of(path).split("\n") if path else []):
        if SAID not in line[:200]:
            continue
        try:
            entry = fast.loads(line)
            text, at = entry["data"]["content"], entry["timestamp"]
        except (ValueError, LookupError, TypeError):
            continue
        if isinstance(at, str) and at < since:
            return ""
        if isinstance(text, str) and text:
            return text
    return ""
