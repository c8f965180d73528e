"""/mem-status: how much is remembered, since when, what it costs, and whether all is well."""

from ralph_mem import status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.answers import Asked


def answer(asked: "Asked") -> str:
    """Return the status of the project's memory in lines."""
    return "\n".join(status.lines(status.of(asked.project, asked.settings, asked.now)))
