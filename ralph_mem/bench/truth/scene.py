"""Make a person's project with its history and uncommitted work, and edit it while a loop works."""

import threading
import time
from functools import partial
from pathlib import Path

from ralph_mem.bench.truth import projects, repository, trees

IGNORE = "build/\nnode_modules/\nvendor/\n__pycache__/\n.pytest_cache/\n*.log\nlocal.cfg\n"
TRACKED = {
    "README.md": b"# The project\n\nWhat it does, in a line.\n",
    "docs/guide.md": b"# Guide\n\nRead the tests.\n",
    "docs/logo.bin": bytes(range(256)) * 8,
    "notes/plan.md": b"first the tests, then the rest\n",
    "PLAN.md": b"- [ ] make the first function right\n- [ ] make the second function right\n",
    ".gitignore": IGNORE.encode(),
}
# What a person has beside it and has not committed.
UNCOMMITTED = {
    "README.md": b"# The project\n\nWhat it does, in a line.\n\nHalf a paragraph that I am still\n",
    "draft.txt": b"a draft that nobody else has\n" * 40,
    "sketch/idea.bin": b"\x00\xff\xfe idea \r\n" * 64,
    ".env": b"TOKEN=of-nobody\n",
    "with a blank \u00e9.txt": b"named oddly\n",
}
IGNORED = {"local.cfg": b"[mine]\ncolour = blue\n" * 20, "debug.log": b"a line of a log\n" * 30}
STAGED = "notes/staged.txt"
HOME = {
    ".config/ralph-mem/config.yaml": b"# mine\nralph:\n  max_iterations: 9\n",
    "other/letter.txt": b"Dear Bo,\n" * 20,
    ".profile": b"# nothing\n",
}


def is_ignored(name: str) -> bool:
    """Say whether git ignores a path of the scene."""
    return name in IGNORED or name.endswith(".log") or name.startswith(("node_modules/", "vendor/", "build/"))


def make(project: projects.Project, top: Path) -> None:
    """Write a project with its history: branches, a tag, a stash, a commit that only the reflog knows, and uncommitted work."""
    top.mkdir(parents=True)
    projects.write(project, top)
    check = project.check.partition("=")[2]
    _write(top, {**TRACKED, "TASKS.md": f"- [ ] {project.goal}\n  check: {check}\n".encode()})
    git = partial(repository.git, top)
    git("init", "-q", "-b", "main")
    for key, value in {"user.name": "Ada", "user.email": "ada@example.com", "gc.auto": "0"}.items():
        git("config", key, value)
    git("add", "-A")
    git("commit", "-q", "-m", "The project")
    git("tag", "v1")
    git("checkout", "-q", "-b", "topic")
    _commit(top, "docs/topic.md", b"an idea\n")
    git("checkout", "-q", "main")
    _commit(top, "notes/later.md", b"and then\n")
    git("commit", "-q", "--amend", "-m", "A note, said better")
    _write(top, {"notes/plan.md": b"set aside for tomorrow\n"})
    git("stash", "-q")
    _write(top, {STAGED: b"in the index alone, then changed\n"})
    git("add", STAGED)
    _write(top, {**UNCOMMITTED, **IGNORED, STAGED: b"changed after it was added\n"})
    (top / "latest").symlink_to("draft.txt")


def _commit(top: Path, name: str, text: bytes) -> None:
    _write(top, {name: text})
    repository.git(top, "add", name)
    repository.git(top, "commit", "-q", "-m", f"Add {name}")


def _write(top: Path, files: dict[str, bytes]) -> None:
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def make_home(home: Path) -> None:
    """Write the person's home."""
    _write(home, HOME)
    (home / "bin").mkdir(exist_ok=True)


class Person(threading.Thread):
    """Edits the tree once the agent is at work, and remembers what is theirs since.

    `files` maps paths to what they hold from then on, None where the person removed it; `lines` maps paths to a line that they
    added to a file that is not theirs alone. An edit that fails, since the file is gone, is made as a new file. `held` is what
    their repository holds since they did something with git. `came` says whether they edited at all before the loop was over.
    """

    def __init__(self, top: Path, bench: Path, what: str, sources: list[str]) -> None:
        super().__init__(daemon=True)
        self.top, self.bench, self.what, self.sources = top, bench, what, sources
        self.files: trees.Tree = {}
        self.lines: dict[str, bytes] = {}
        self.held: repository.Held | None = None
        self.given_up = threading.Event()
        self.came = False

    def run(self) -> None:
        """Wait for the agent, edit, and tell it."""
        while not (self.bench / "ready").exists():
            if self.given_up.is_set():
                return
            time.sleep(0.01)
        {"beside": self.beside, "same-file": self.same_file, "commits": self.commits}[self.what]()
        (self.bench / "edited").touch()
        self.came = True

    def beside(self) -> None:
        """Edit files that no agent needs: one tracked, one untracked, a new one."""
        self._add("README.md", b"\nand more of it, while the loop worked\n")
        self._add("draft.txt", b"one more line of the draft\n")
        self._add("docs/guide.md", b"\nA line of mine.\n")
        self._add("later.txt", b"begun meanwhile\n")

    def same_file(self) -> None:
        """Add a line to the end of each source, which the agent edits as well."""
        for name in self.sources:
            mark = b"// " if name.endswith((".js", ".c")) else b"# "
            self.lines[name] = mark + b"a remark of the person's\n"
            with (self.top / name).open("ab") as file:
                file.write(self.lines[name])

    def commits(self) -> None:
        """Commit, stash, and begin a branch."""
        self._add("notes/log.md", b"what was done\n")
        repository.git(self.top, "add", "notes/log.md")
        repository.git(self.top, "commit", "-q", "-m", "Done meanwhile", "--", "notes/log.md")
        repository.git(self.top, "branch", "meanwhile")
        _write(self.top, {"notes/other.md": b"for another day\n"})
        repository.git(self.top, "stash", "push", "-q", "-u", "--", "notes/other.md")
        self.held = repository.read(self.top)
        self._add("docs/guide.md", b"\nA line of mine.\n")

    def _add(self, name: str, text: bytes) -> None:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(text)
        self.files[name] = trees.File(oct(path.stat().st_mode & 0o7777), path.read_bytes())
