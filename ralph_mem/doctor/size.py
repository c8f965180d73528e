"""Size: whether a memory has become so large that it is worth a thought. Nothing is deleted because of it."""

from collections.abc import Iterator
from pathlib import Path

from ralph_mem import glance
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, warning

# Some 300,000 tool outputs, of which one with 60,000 has 96 MB.
QUOTA = 500_000_000
WHAT = "`ralph-mem compress` shows what could be cut; a smaller memory.max_observations cuts more, `ralph-mem forget` deletes"


def quota(project: Project) -> Iterator[Finding]:
    """Look at how much room a project's memory takes."""
    if not glance.is_gone(project.folder):
        taken = sum(file.stat().st_size for file in Path(project.folder).glob("memory.db*"))
        seen = f"{glance.amount(taken)} in {project.folder}"
        yield warning("size", f"{seen}, more than {glance.amount(QUOTA)}", WHAT) if taken > QUOTA else ok("size", seen)
