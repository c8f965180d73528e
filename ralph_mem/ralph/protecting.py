"""Protecting: which files of an iteration are put back before the criteria are run, since the agent is not to change them."""

from ralph_mem.core import path_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.snapshot import Change


def of(changes: "Sequence[Change]", patterns: "Sequence[str]") -> "list[Change]":
    """Return the changes of protected paths, in their order: what was added is to go, the rest to be as it was.

    Patterns are as in .gitignore, without `!`: `tests/**`, `*.lock`, `/Makefile`, `ci/`.
    """
    return [change for change in changes if is_protected(change.path, patterns)]


def is_protected(path: bytes, patterns: "Sequence[str]") -> bool:
    """Say whether a path, as seen from the top of the project, is protected."""
    name = path.decode("utf-8", "surrogateescape")
    return any([path_rules.matches(name, pattern) for pattern in patterns])
