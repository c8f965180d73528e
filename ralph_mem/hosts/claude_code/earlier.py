"""Name the sessions of a project that the client has kept, without reading any."""

from ralph_mem.core import paths

SUFFIX = ".jsonl"
NAME_PARTS = [8, 4, 4, 4, 12]  # a session's name, in hexadecimal digits; the transcripts of subagents are named otherwise


def sessions(transcript: str) -> "list[str]":
    """Return the client's ids of the sessions whose transcripts lie beside one; none where that folder cannot be listed."""
    folder = transcript.rpartition("/")[0]
    names = [name[: -len(SUFFIX)] for name in paths.names(folder) if name.endswith(SUFFIX)] if folder.startswith("/") else []
    return [name for name in names if _is_session(name)]


def _is_session(name: str) -> bool:
    parts = name.split("-")
    return [len(part) for part in parts] == NAME_PARTS and all([char in "0123456789abcdef" for char in "".join(parts)])
