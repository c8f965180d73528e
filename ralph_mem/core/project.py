"""Which project a session belongs to, found by reading `.git`; no process is started."""

import posix

from ralph_mem.core import paths

# A checkout deeper than this below its root is a loop of links.
DEEPEST = 64


class Project:
    """A project: its root, the folder of its memory, and where git keeps its HEAD and branches (or nothing).

    `top` is where its files lie: the root, or the linked worktree that the session works in.
    """

    __slots__ = ("common", "folder", "git", "root", "top")

    def __init__(self, root: str, git: str = "", common: str = "", top: str = "") -> None:
        self.root = root
        self.top = top or root
        self.git = git
        self.common = common
        self.folder = f"{root.rstrip('/')}/{paths.STATE}"

    def relative(self, path: str) -> str:
        """Return a path as seen from the top of the project; one outside of it stays as it is."""
        prefix = self.top.rstrip("/") + "/"
        return path.removeprefix(prefix)


def find(start: str) -> Project:
    """Return the project that a folder belongs to.

    All worktrees of a repository are one project at its main worktree, or at the common dir of a bare one. A
    submodule or nested repository is a project of its own. Without git it is the folder itself, and a repository
    in the home folder counts as none.
    """
    folder = start.rstrip("/") or "/"
    for _ in range(DEEPEST):
        git = f"{folder.rstrip('/')}/.git"
        if paths.exists(git) and not _is_home(folder):
            return _of_repository(folder, git)
        above = folder.rpartition("/")[0] or "/"
        if above == folder:
            break
        folder = above
    return Project(start.rstrip("/") or "/")


def everywhere() -> "Project | None":
    """Return the place of what is remembered for all projects, the user's config home; nothing without a home."""
    home = paths.config_home()
    if not home:
        return None
    place = Project(home)
    place.folder = home
    return place


def _of_repository(folder: str, git: str) -> Project:
    pointer = paths.read(git, 4096)
    if not pointer.startswith("gitdir:"):
        return Project(folder, git, git)
    private = _absolute(folder, pointer[7:].strip())
    shared = paths.read(private + "/commondir", 4096).strip()
    if not shared:  # a submodule: its own project, with its git folder elsewhere
        return Project(folder, private, private)
    common = _absolute(private, shared)
    if "/.git/" in common:  # a worktree of a submodule: not into the git folder of the repository around it
        return Project(folder, private, common)
    root = common.rpartition("/")[0] if common.endswith("/.git") else common
    # a worktree keeps its memory here where its main repository is gone, or is the home folder
    return (
        Project(root, private, common, folder) if paths.exists(root) and not _is_home(root) else Project(folder, private, private)
    )


def _absolute(folder: str, path: str) -> str:
    """Resolve `.` and `..` by name; links are left alone."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def head(project: Project) -> "tuple[str, str]":
    """Return the branch and commit that are checked out, empty where there is none (or no branch)."""
    if not project.git:
        return "", ""
    current = paths.read(project.git + "/HEAD", 4096).strip()
    if not current.startswith("ref: "):
        return "", current[:64]
    ref = current[5:]
    commit = paths.read(f"{project.git}/{ref}", 256).strip() or paths.read(f"{project.common}/{ref}", 256).strip()
    return ref.replace("refs/heads/", "", 1), (commit or _packed(project.common, ref))[:64]


def _packed(common: str, ref: str) -> str:
    # a repository with 100,000 packed refs has a file of 6 MB; beyond one megabyte the commit stays unknown
    for line in paths.read(common + "/packed-refs", 1_048_576).splitlines():
        if line.endswith(" " + ref):
            return line.split(" ")[0]
    return ""


def _is_home(folder: str) -> bool:
    return same_place(folder, paths.environment("HOME") or "/nowhere")


def same_place(one: str, other: str) -> bool:
    """Say whether two paths lead to the same folder."""
    try:
        a, b = posix.stat(one), posix.stat(other)
    except OSError:
        return False
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
