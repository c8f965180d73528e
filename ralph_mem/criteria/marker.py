"""The marker: the line by which an agent says that it is done, which counts for nothing anywhere but at the very end."""

import re

# What opens a block of code; a line with more of its backticks is none.
FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")


def line(promise: str, nonce: str) -> str:
    """Return the line that an agent has to end with. The nonce is new in each run: an earlier run's line is nobody's."""
    return " ".join(f"{promise} {nonce}".split())


def is_given(message: str, promise: str, nonce: str) -> bool:
    """Say whether the last line of an agent's last message is the marker, whitespace aside.

    In prose, as a quotation, in an open block of code, or with text after it, it is talk about the marker.
    """
    if not promise.split() or not nonce.split():
        return False
    lines = [" ".join(text.split()) for text in message.splitlines()]
    lines = [text for text in lines if text]
    return bool(lines) and lines[-1] == line(promise, nonce) and not _in_a_fence(lines[:-1])


def _in_a_fence(lines: "list[str]") -> bool:
    """Say whether a block of code is still open: only as many of its own marks close it, and nothing beside them."""
    fence = ""
    for text in lines:
        found = FENCE.match(text)
        if not fence:
            fence = found[0] if found else ""
        elif text.startswith(fence) and not text.strip(fence[0]):
            fence = ""
    return bool(fence)
