"""Tracked: whether git has any of a memory in its index, from which a push would hand it to others."""

from collections.abc import Iterator

from ralph_mem import glance
from ralph_mem.core import paths, strangers
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, warning
from ralph_mem.doctor.program import printed_by

# fsmonitor and hooks are programs that a repository may name.
GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
# These a team may share: a config of others acts only once it was approved, and the other one says what git ignores.
SHARED = ("config.yaml", ".gitignore")


def of_memory(project: Project) -> Iterator[Finding]:
    """Look into the index of the repository that the memory lies in, and into that of the worktree in hand."""
    if not project.git:
        return
    found = {place: _names(place, git) for place, git in ((project.root, project.common), (project.top, project.git))}
    private = {place: names for place, names in found.items() if any(name not in SHARED for name in names)}
    if not private and strangers.is_tracked(project):  # where git is missing, or refuses to tell
        private = {project.root: ["memory.db"]}
    for place, names in private.items():
        told = next(name for name in names if name not in SHARED)
        seen = f"git tracks {glance.count(len(names), 'file')} in {place}/{paths.STATE}, such as {told}: a push would publish it"
        yield warning("git", seen, f"`git rm --cached -r {paths.STATE}` there, then commit; what was pushed stays in the history")
    if not private:
        yield ok("git", "tracks nothing of what is remembered")


def _names(place: str, git: str) -> list[str]:
    """Return what git tracks in a place's folder of ours, as seen from that; the environment of a git hook leads nowhere else."""
    order = [*GIT, "-C", place, f"--git-dir={git}", f"--work-tree={place}", "ls-files", "-z", "--", paths.STATE]
    told = printed_by(order, GIT_INDEX_FILE=f"{git}/index", GIT_OPTIONAL_LOCKS="0")
    return [name.partition("/")[2] or name for name in told.split("\0") if name]
