"""Say how many sentences wait for a person's yes or no."""

from ralph_mem.memory.rows import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

WAITING = "{} to review: /mem learn"


def told(opened: "Store") -> str:
    """Return a line for the screen, nothing where none waits."""
    number = len(facts.of_status(opened, *facts.UNDECIDED))
    return WAITING.format(number) if number else ""
