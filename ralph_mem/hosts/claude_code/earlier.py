"""Offer a person once what the client kept of their project from before, without reading any of it."""

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

OFFER = "{} earlier session{} of this project {} on this machine: /mem import"
HEARD = "SELECT client_session FROM sessions"
SUFFIX = ".jsonl"
NAME_PARTS = [8, 4, 4, 4, 12]  # a session's name, in hexadecimal digits; the transcripts of subagents are named otherwise


def offered(opened: "Store", transcript: str) -> str:
    """Return a line with the number of sessions of which the memory has not heard, nothing for none."""
    heard = {name for (name,) in opened.execute(HEARD)}
    number = len([name for name in sessions(transcript) if name not in heard])
    return OFFER.format(number, *(("", "is") if number == 1 else ("s", "are"))) if number else ""


def sessions(transcript: str) -> "list[str]":
    """Return the client's ids of the sessions whose transcripts lie beside one; none where that folder cannot be listed."""
    folder = transcript.rpartition("/")[0]
    names = [name[: -len(SUFFIX)] for name in paths.names(folder) if name.endswith(SUFFIX)] if folder.startswith("/") else []
    return [name for name in names if _is_session(name)]


def _is_session(name: str) -> bool:
    parts = name.split("-")
    return [len(part) for part in parts] == NAME_PARTS and all([char in "0123456789abcdef" for char in "".join(parts)])
