"""The command `/mem-status`, which says how much is remembered and whether all is well."""

from ralph_mem.maintenance import status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked


def answer(asked: "Asked") -> str:
    """Return the status of the project's memory in lines."""
    return "\n".join(status.lines(status.of(asked.project, asked.settings, asked.now)))
