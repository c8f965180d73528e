"""Tell from the client's record of a session what its agent did lately.

There is a line for each call of a tool, and for each thing that it said.
"""

import os

from ralph_mem.hosts.claude_code import archive, transcripts
from ralph_mem.hosts.claude_code.launch import stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

TAIL_BYTES = 262_144  # what one call writes is a hundredth of it, a whole file in a result aside


def of_session(session: str, since: int, most_bytes: int = TAIL_BYTES) -> "list[str]":
    """Return what was done from a moment on (in ms), as far as the end of the record tells; nothing where there is none."""
    found = sorted(archive.place().glob(f"*/{session}.jsonl")) if transcripts_name(session) else []
    try:
        return [line for path in found[:1] for line in _told(str(path), since, most_bytes)]
    except OSError:  # it is the client's, which may take it away
        return []


def transcripts_name(session: str) -> bool:
    """Say whether a session has a name that a file can have."""
    return bool(archive.NAMED.fullmatch(session))


def _told(path: str, since: int, most_bytes: int) -> "Iterator[str]":
    with open(path, "rb") as file:
        start = max(0, os.fstat(file.fileno()).st_size - most_bytes)
        for line in transcripts.lines(file, start):
            entry = transcripts.entry_of(line) if b'"assistant"' in line.head else None
            if entry and entry.get("type") == "assistant" and transcripts.moment(entry) >= since and not entry.get("isSidechain"):
                yield from _lines(entry)


def _lines(entry: "dict[str, Any]") -> "Iterator[str]":
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else []:
        told = stream.told_of(block) if isinstance(block, dict) else ""
        if told:
            yield told
