"""Read what Copilot keeps of a session, a line of JSON for each thing that happened."""

from ralph_mem.core import fast
from ralph_mem.hosts import tails

SAID = '"type":"assistant.message"'


def last_said(path: str) -> str:
    """Return what the record of a session says that the agent said last."""
    for line in reversed(tails.of(path).split("\n")):
        if SAID in line[:200]:
            try:
                said = fast.loads(line)["data"]["content"]
            except (ValueError, LookupError, TypeError):
                continue
            if isinstance(said, str) and said:
                return said
    return ""
