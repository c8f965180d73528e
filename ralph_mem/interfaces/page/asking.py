"""Open what one request is about, for as long as it lasts."""

import re
import time
from typing import Any

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import moment_of
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.hosts import asker
from ralph_mem.maintenance import registry
from ralph_mem.memory import access
from ralph_mem.memory.recall import layers, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

HERE, GLOBAL = "here", "global"  # in the place of a project's id: where the page was started, and the memory of all projects
PROJECT_ID = re.compile(r"project-[a-z2-9]{1,20}")
MOST_CHARACTERS = 20_000  # of a field: a longer one is a file that somebody has pasted


class Asked:
    """One request: the project, the id behind the view, and the fields; a context manager that closes what it has opened."""

    def __init__(self, started_in: Project, where: str, public_id: str = "", fields: dict[str, list[str]] | None = None) -> None:
        self.started_in, self.where, self.public_id, self.fields = started_in, where, public_id, fields or {}
        self.project = _project(started_in, where)
        self.settings: dict[str, Any] = effective.load(self.project)
        self.now = time.time_ns() // 1_000_000
        self.opened: list[Store] = []

    def __enter__(self) -> "Asked":  # noqa: PYI034 - `Self` came with 3.11
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.opened:
            each.close()
        layers.TOLD.clear()  # what was read is held by nobody: it may be forgotten the next moment

    @property
    def is_global(self) -> bool:
        """Say whether it is about the memory of all projects alone."""
        return self.where == GLOBAL

    def reader(self, change: bool = False) -> lookup.Reader:
        """Open what may be read, as a command does; to `change` with the events stored that wait for it. Raises StoreError."""
        if self.is_global:
            found = [access.to_write(self.project) if change else access.open_one(self.project)]
        else:
            found = access.to_change(self.project) if change else access.to_read(self.project)
        self.opened += found
        outside = self.flag("outside")
        for_model = outside and not asker.is_a_person()
        return lookup.Reader(found, self.project, self.settings, outside, for_model)

    def text(self, name: str) -> str:
        """Return a field as it was typed, with the line ends of a text. Raises RalphMemError where it is too long or came twice."""
        given = self.fields.get(name, [""])
        if len(given) > 1 or len(given[0]) > MOST_CHARACTERS:
            raise RalphMemError(f"{name} is too much", f"once, and at most {MOST_CHARACTERS:,} characters")
        return given[0].replace("\r\n", "\n").replace("\0", "")

    def word(self, name: str) -> str:
        """Return a field in one line."""
        return " ".join(self.text(name).split())

    def flag(self, name: str) -> bool:
        """Say whether a box is ticked."""
        return self.fields.get(name) == ["yes"]

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """Return a whole number. Raises RalphMemError for what is none."""
        given = self.word(name)
        if given and not (given.isascii() and given.isdecimal() and len(given) <= 15):
            raise RalphMemError(f"{name} is no number", f"from {least} to {most:,}")
        return min(most, max(least, int(given))) if given else default

    def or_none(self, name: str) -> str | None:
        """Return a field in one line, None where the form has none of this name."""
        return self.word(name) if name in self.fields else None

    def moment(self, name: str, default: int = 0) -> int:
        """Return a time that was typed, in ms. Raises RalphMemError for what is none."""
        given = self.word(name)
        return moment_of(given, self.now) if given else default


def _project(started_in: Project, where: str) -> Project:
    """Return the project that an address names. Raises RalphMemError for one that is not registered here, or gone."""
    if where == HERE:
        return started_in
    if where == GLOBAL:
        everywhere = projects.everywhere()
        if everywhere is None or not access.is_there(everywhere):
            raise RalphMemError("nothing is remembered for all projects yet", "`ralph-mem inject --global TEXT` keeps a note")
        return everywhere
    if not PROJECT_ID.fullmatch(where):
        raise RalphMemError("there is no such project", "the list of projects has them all")
    return registry.of_id(where)
