"""A memory and a loop for a coding agent."""

from ralph_mem.core.release import VERSION as __version__  # noqa: N811 - as packages are asked for it

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.errors import RalphMemError
    from ralph_mem.interfaces.library.item import Item
    from ralph_mem.interfaces.library.memory import Memory

__all__ = ["Item", "Memory", "RalphMemError", "__version__"]
# The names for programs, each with its module, which is loaded when the name is asked for: a hook asks for none.
FACES = {
    "Item": "ralph_mem.interfaces.library.item",
    "Memory": "ralph_mem.interfaces.library.memory",
    "RalphMemError": "ralph_mem.core.errors",
}


def __getattr__(name: str) -> object:
    if name not in FACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # lazy: only for a program that asks for a face

    return getattr(import_module(FACES[name]), name)  # lazy: as above
