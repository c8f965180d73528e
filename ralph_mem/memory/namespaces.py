"""Say which memory holds a namespace."""

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.memory import access, opening
from ralph_mem.memory.rows import items as rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project
    from ralph_mem.memory.rows.items import Namespace
    from ralph_mem.memory.store.connection import Store

PROJECT, GLOBAL, SESSION = "project", "global", rows.SHORT_TERM


class Place:
    """Where a project's items lie: the project, its settings, and the id of its memory, which is in the first of its namespaces."""

    def __init__(self, project: "Project") -> None:
        self.project, self.settings = project, effective.load(project)
        self.is_noticed = False

    def of(self, namespace: "Namespace") -> "Project":
        """Return the place of the memory that holds a namespace. Raises RalphMemError where there is no home for a global one."""
        if namespace[:1] != (GLOBAL,):
            return self.project
        found = projects.everywhere()
        if found is None:
            raise RalphMemError("there is no home folder for what holds in all projects", "set HOME, or use another namespace")
        return found

    def read(self, namespace: "Namespace") -> "Store | None":
        """Open the memory that holds a namespace, or return None where there is none yet. Raises StoreError."""
        place = self.of(namespace)
        return self._checked(access.open_one(place), namespace) if access.is_there(place) else None

    def write(self, namespace: "Namespace") -> "Store":
        """Open the memory that holds a namespace, made where it is missing. Raises RalphMemError, also where recording is off."""
        effective.need_recording(self.project, self.settings)
        opened = self._checked(access.to_write(self.of(namespace)), namespace)
        if not (self.is_noticed or access.is_global(opened)):  # this may be the first that the machine hears of a project
            opening.notice(opened, self.project)
            self.is_noticed = True
        return opened

    def _checked(self, opened: "Store", namespace: "Namespace") -> "Store":
        own = opened.property("project_id")
        if namespace[:1] == (PROJECT,) and namespace[1:2] not in ((), (own,)):
            opened.close()
            raise RalphMemError(f"this is not the memory of {namespace[1]}, but of {own}", "open it by the path of that project")
        return opened


def scopes(prefix: "Namespace") -> "list[Namespace]":
    """Return namespaces of each memory that a prefix reaches: none at all reaches the project's and the one of all projects."""
    return [prefix] if prefix else [(), (GLOBAL,)] if projects.everywhere() else [()]
