"""Aside: memories that lie beside that of a project, set aside, be they of another home or of somebody else."""

from collections.abc import Iterator

from ralph_mem import glance
from ralph_mem.core import strangers
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, warning

HINT = "`ralph-mem trust` shows each; to share one memory with a container, give both homes the same XDG_DATA_HOME folder"


def memories(project: Project) -> Iterator[Finding]:
    """Look for databases that a session start set aside."""
    found = strangers.aside(project)
    if found:
        seen = f"{glance.count(len(found), 'database')} beside the memory, of another home such as a container's, or not yours"
        yield warning("aside", f"{seen}: the latest is {found[0]}", HINT)
