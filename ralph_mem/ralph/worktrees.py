"""Trees: the worktrees of a repository. They share one memory, but each has snapshots and records of loops of its own.

Standard library only: the skill uses it.
"""

import os

from ralph_mem.core import git, paths
from ralph_mem.core.project import Project


def of(project: "Project") -> "list[Project]":
    """Return a project as each of its worktrees sees it, the main one and this one first; without git it is one."""
    tops = dict.fromkeys([project.top, project.root, *_linked(project.common or f"{project.root}/.git")])
    return [Project(project.root, project.git, project.common, top) for top in tops]


def _linked(common: str) -> "list[str]":
    """Return where git has linked worktrees; the path in `gitdir` may begin at the folder that it lies in."""
    try:
        folders = [f"{common}/worktrees/{name}" for name in sorted(os.listdir(common + "/worktrees"))]
    except OSError:
        return []
    told = [(folder, paths.read(folder + "/gitdir", 4096).rstrip("\n")) for folder in folders]
    return [git.absolute(folder, path).rpartition("/")[0] for folder, path in told if path]
