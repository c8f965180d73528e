"""Places in a project's tree at which checks are looked for, and the checks that are found there."""

import os
from collections import namedtuple

Check = namedtuple("Check", "name argv folder source definition")
Check.__doc__ = """A criterion before its type and its time are known. `source` and `name` are as seen from the top."""


class Place:
    """A folder that is looked at, and the top of the tree that it belongs to."""

    __slots__ = ("folder", "names", "top")

    def __init__(self, folder: str, top: str) -> None:
        self.folder = folder
        self.top = top
        try:
            self.names = set(os.listdir(folder))
        except OSError:
            self.names = set()

    @property
    def is_top(self) -> bool:
        """Say whether it is the top itself."""
        return self.folder == self.top

    def has(self, *names: str) -> bool:
        """Say whether one of these files is in it."""
        return not self.names.isdisjoint(names)

    def check(self, name: str, argv: "tuple[str, ...]", source: str, definition: str = "") -> Check:
        """Return a check in this folder; one below the top is named after it."""
        below = "" if self.is_top else os.path.relpath(self.folder, self.top)
        return Check(f"{below}: {name}" if below else name, argv, self.folder, os.path.join(below, source), definition)
