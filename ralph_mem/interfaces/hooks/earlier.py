"""Offer a person once what the client kept of their project from before."""

from ralph_mem.hosts.claude_code import earlier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

OFFER = "{} earlier session{} of this project {} on this machine: /mem import"
HEARD = "SELECT client_session FROM sessions"


def offered(opened: "Store", transcript: str) -> str:
    """Return a line with the number of sessions of which the memory has not heard, nothing for none."""
    heard = {name for (name,) in opened.execute(HEARD)}
    number = len([name for name in earlier.sessions(transcript) if name not in heard])
    return OFFER.format(number, *(("", "is") if number == 1 else ("s", "are"))) if number else ""
