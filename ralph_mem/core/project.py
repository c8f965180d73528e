"""Find the project of a session by reading `.git`, without a process, and describe what happens in one."""

import posix

from ralph_mem.core import paths

# Each costs a look at the disk; nobody works five hundred folders below the root of a checkout.
DEEPEST = 500
FOLDER = 0o040000
# Neither reads the folder, nor waits where it is none.
LOOK = getattr(posix, "O_PATH", 0) | posix.O_DIRECTORY | posix.O_CLOEXEC
same_place = paths.same_place

NOTIFICATIONS: "list[str]" = []  # how a prompt begins that a client wrote itself: each host that is loaded adds its own
PASTE_MARKS: "list[str]" = []  # how a mark begins that a client leaves where something was pasted: likewise

PASTED, PASTE_ENDS = "[pasted]", "[/pasted]"  # around what was pasted into a prompt, as it is stored (pastes.py)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Project:
    """A project: its root, the folder of its memory, and where git keeps its HEAD and branches (or nothing).

    `top` is where its files lie: the root, or the linked worktree that the session works in. `tree` is the person's own, which
    the room of a loop stands for: loops and snapshots are kept by it. Everywhere else it is the top.
    """

    __slots__ = ("common", "folder", "git", "root", "top", "tree")

    def __init__(self, root: str, git: str = "", common: str = "", top: str = "", tree: str = "") -> None:
        self.root = root
        self.top = top or root
        self.tree = tree or self.top
        self.git = git
        self.common = common
        self.folder = f"{root.rstrip('/')}/{paths.STATE}"

    def in_room(self, top: str) -> "Project":
        """Return the project of a room at `top`: its files and git are its own, its root, memory and loops are the person's."""
        return Project(self.root, top + "/.git", top + "/.git", top, self.tree)

    def relative(self, path: str) -> str:
        """Return a path as seen from the top of the project; one outside of it stays as it is."""
        prefix = self.top.rstrip("/") + "/"
        return path.removeprefix(prefix)


def find(start: str) -> Project:
    """Return the project that a folder belongs to.

    All worktrees of a repository are one project at its main worktree, or at the common dir of a bare one. A
    submodule or nested repository is a project of its own. Without git it is the folder itself, and a repository
    in the home folder counts as none. In the room of a loop it is the project that the loop works for.
    """
    folder = start = real(start.rstrip("/") or "/")
    if paths.IN_ROOMS in start:
        from ralph_mem.core import rooms  # lazy: only in the room of a loop

        found = rooms.stands_for(start)
        if found:
            root, tree, top = found
            return Project(root, top=tree).in_room(top)
    for _ in range(DEEPEST):
        git = f"{folder.rstrip('/')}/.git"
        kind = _kind(git)
        if kind and not _is_home(folder):
            return Project(folder, git, git) if kind == FOLDER else _of_git_file(folder, git)
        above = folder.rpartition("/")[0] or "/"
        if above == folder:
            break
        folder = above
    return Project(start)


def real(path: str) -> str:
    """Return where a folder lies once all links are followed, as for git; as it is where the system does not tell."""
    try:
        file = posix.open(path, LOOK)
    except (OSError, ValueError):
        return path
    try:
        return posix.readlink(f"/proc/self/fd/{file}")
    except OSError:
        return path
    finally:
        posix.close(file)


def _kind(git: str) -> int:
    """Return what a `.git` is, 0 where it is nothing to git: sandboxes leave empty folders of that name."""
    kind = 0
    try:
        kind = posix.stat(git).st_mode & 0o170000
        if kind == FOLDER:
            posix.lstat(git + "/HEAD")
    except FileNotFoundError:
        return 0
    except (OSError, ValueError):  # one that is closed to us is a repository all the same
        pass
    return kind


def _of_git_file(folder: str, git: str) -> Project:
    from ralph_mem.core import git as git_files  # lazy: only where `.git` is a file: a worktree, a submodule

    private, common, root = git_files.follow(folder, git)
    # a worktree keeps its memory here where its main repository is the home folder
    return Project(root, private, common, folder) if root and not _is_home(root) else Project(folder, private, common)


def everywhere() -> "Project | None":
    """Return the place of what is remembered for all projects, the user's config home; nothing without a home."""
    home = paths.config_home()
    if not home:
        return None
    place = Project(home)
    place.folder = home
    return place


def head(project: Project) -> "tuple[str, str]":
    """Return the branch and commit that are checked out, empty where there is none (or no branch).

    Where git rebases or bisects it is the branch that this is about, in another detached worktree its name stands for it.
    """
    if not project.git:
        return "", ""
    current = paths.read(project.git + "/HEAD", 4096).strip()
    if not current.startswith("ref: "):
        from ralph_mem.core import git as git_files  # lazy: only where no branch is checked out

        return git_files.detached(project.git, project.common) if current else "", current[:64]
    ref = current[5:]
    commit = paths.read(f"{project.git}/{ref}", 256).strip() or paths.read(f"{project.common}/{ref}", 256).strip()
    return ref.replace("refs/heads/", "", 1), (commit or _packed(project.common, ref))[:64]


def elsewhere(project: Project) -> "list[str]":
    """Return the branches that are checked out in other worktrees of the repository."""
    if not (project.common and paths.exists(project.common + "/worktrees")):
        return []
    from ralph_mem.core import git as git_files  # lazy: only for a repository of several worktrees

    return git_files.branches_beside(project.git, project.common)


def _packed(common: str, ref: str) -> str:
    # a repository with 100,000 packed refs has a file of 6 MB; beyond one megabyte the commit stays unknown
    for line in paths.read(common + "/packed-refs", 1_048_576).splitlines():
        if line.endswith(" " + ref):
            return line.split(" ")[0]
    return ""


def _is_home(folder: str) -> bool:
    return paths.same_place(folder, paths.environment("HOME") or "/nowhere")


# The kinds of activities that are something said, and what tools did in the project; the rest came from elsewhere.
SAID, DONE = ("prompt", "answer", "compacting", "end"), ("read", "command", "edit")


class Activity:
    """One thing that happened in a session, in words that are the same for every client; a host makes it of what the client tells.

    `kind` is start, prompt, command, edit, read, errand (a subagent's), outside (a web or MCP tool), recalled (our own server's
    tool), output (of a tool that nobody knows, or of a command that runs on), answer, report (a subagent's answer), compacting,
    summary (of a compaction) or end. What the client did not tell is empty.
    """

    at = 0  # in milliseconds
    host = ""  # whose session it is; nothing stands for the client in whose words all others are put
    session = turn = ""  # the client's id of the session, and the event id of the turn: none means the last one
    folder = cwd = ""  # where the project is looked for, and where the agent is at work
    agent_id = agent_type = ""  # of a subagent
    branch = ""  # what a transcript says was checked out
    text = ""  # what was said, asked or printed
    # start
    source = model = transcript = ""
    pid = 0  # the client's process
    # start and prompt: files whose text the client gives the model anyway, as seen from the project's root, or absolute
    instructions: "tuple[str, ...]" = ()
    # tools: `tool` and `id` as they are stored
    tool = id = command = path = asked = ""
    diff = ""  # an edit's changed lines
    is_new = False  # of a new file `text` is all of it
    failure = ""  # what a tool said when it failed
    exit: "int | None" = None
    interrupted = False
    ended_well = False  # it is known that a command ended with 0
    runs_on = False  # in the background, while other tools are at work
    task = ""  # by which a command that runs on is known, or that whose output this is
    searched = False  # of what was read: a search through files
    acts = False  # of a web or MCP tool: it did something, or asked this machine, so that what it says is no page
    took_ms: "int | float" = 0
    late: "Sequence[Activity]" = ()  # answer: what is known only now of tools that the turn used
    # answer: something is under way in the background; the turn goes on at our word already
    waiting = again = False
    reason = ""  # end

    def __init__(self, kind: str, **known: "Any") -> None:
        self.kind = kind
        self.__dict__.update(known)
