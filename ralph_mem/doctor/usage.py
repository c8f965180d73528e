"""Usage: whether all projects together take more than the quota. Nothing is deleted because of it."""

from collections.abc import Iterator

from ralph_mem import quota
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, warning
from ralph_mem.doctor.in_force import values as settings_of


def of_all(project: Project) -> Iterator[Finding]:
    """Look at how much room memories, snapshots, loops and backups of all projects take."""
    usage, values = quota.measure(), settings_of(project)
    seen, do = quota.warning(usage, values)
    most = f" of {quota.amount(quota.allowed(values))}" if quota.allowed(values) else ""
    yield warning("all projects", seen, do) if seen else ok("all projects", f"{quota.amount(quota.taken(usage))}{most} taken")
