"""Run one agent on one project by the real loop, and judge what came of it."""

import json
import os
import re
import shlex
import signal
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path
from typing import Any

from ralph_mem.bench.truth import command_line, kinds, projects, repository, scene, trees
from ralph_mem.bench.truth.agents import program
from ralph_mem.bench.truth.kinds import Kind
from ralph_mem.bench.truth.projects import Project

MISSED = "the person did not come to edit while the loop worked"
LAST_S = 5
ROOM, HERE = WHERE = ("room", "here")
# Minutes are for projects of real size; these take a second.
LIMITS = ("--cooldown", "0", "--max-duration", "60s")

Outcome = namedtuple(
    "Outcome",
    "kind group project where claimed reached expected reason iterations lost ignored misattributed outside git strays restored"
    " changed seconds notes",
)
Outcome.__doc__ = """What came of a run.

`claimed` says that the loop called it a success, `reached` that the hidden checks agree, `expected` that the agent was honest.
`lost`, `ignored`, `misattributed` and `outside` are bytes of the person's by path: gone after the rollback, gone of what git
ignores, called the loop's, gone outside of the project. `git` counts what the repository lost; `strays` are processes that were
left; of `changed` paths the rollback put `restored` back.
"""


def work(kind: Kind, project: Project, where: str) -> Outcome:
    """Run a kind of agent on a project, in a room of its own or in the person's tree."""
    with tempfile.TemporaryDirectory(prefix="ralph-mem-truth-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        try:
            return _Case(folder, kind, project, where).judged()
        finally:
            _end(processes(folder))
            _make_removable(folder)


class _Case:
    """A run of one agent in a folder that holds the person's home, their project, and what the agent is told."""

    def __init__(self, folder: Path, kind: Kind, project: Project, where: str) -> None:
        self.folder, self.kind, self.project, self.where = folder, kind, project, where
        self.top, self.home, self.bench = folder / "project", folder / "home", folder / "bench"
        for path in (self.bench, folder / "tmp"):
            path.mkdir()
        scene.make_home(self.home)
        scene.make(project, self.top)
        self.before, self.held = trees.read(self.top), repository.read(self.top)
        self.person = scene.Person(self.top, self.bench, kind.person, sorted(project.sources["right"]))
        (self.bench / "spec.json").write_text(json.dumps(self._spec()), encoding="utf-8")

    def _spec(self) -> dict[str, Any]:
        told = self.project._asdict()
        turns = [list(turn) for turn in self.kind.turns]
        return {**told, "hidden": None, "turns": turns, "home": str(self.home), "person": str(self.top)}

    def _words(self) -> list[str]:
        agent = [sys.executable, "-I", "-S", "-B", str(program.__file__), str(self.bench / "spec.json")]
        given = [word for word in self.kind.options if word not in kinds.MEANT]
        words = [self.project.goal, "--agent", shlex.join(agent), "--max-iterations", str(self.kind.iterations), *LIMITS, *given]
        if kinds.NO_CRITERIA not in self.kind.options:
            words += ["--criteria", self.project.check]
        if kinds.MAY_CHANGE_TESTS in self.kind.options:
            words += self._tests_asked_for()
        if self.where == HERE and command_line.knows("start", "--here"):
            words.append("--here")
        return [*words, "--json"]

    def _tests_asked_for(self) -> list[str]:
        """Return a check that only a new test passes, and the leave to add it."""
        name = min(name for name in self.project.files if re.search(r"test[\w.]*\.(py|js)$", name))
        asked = ["--criteria", f"custom=grep -q of.mine {name}"]
        return [*asked, "--may-change", name] if command_line.knows("start", "--may-change") else asked

    def judged(self) -> Outcome:
        """Run the loop, then look at what it claims, what is true, what is left, and what a rollback brings back."""
        said, seconds = self._worked()
        run = command_line.told(said)
        strays = self._left_running(LAST_S if said.code == -signal.SIGKILL else 0)
        after, reached = trees.read(self.top), self._reached()
        _end(processes(self.folder))
        would = command_line.told(command_line.call(self.folder, "rollback", "--json")) if self.kind.person else {}
        command_line.call(self.folder, "rollback", "--confirm", "--json")
        back = trees.read(self.top)
        wanted = self._wanted()
        own = {*self.person.lines}
        changed = {name for name in trees.differing(wanted, after) - own if not scene.is_ignored(name)}
        restored = len(changed - trees.differing(wanted, back))
        gone = self._gone(wanted)
        self._finally_back()
        last = self._gone(wanted)  # what the person did meanwhile goes by `--all`, at their word
        gone = {path: count for path, count in gone.items() if path in last}
        ignored = {*scene.IGNORED, *self.project.ignored}
        git = repository.lost(self.top, self.person.held or self.held)
        return Outcome(
            self.kind.name, self.kind.group, self.project.name, self.where, said.code == 0, reached,
            is_expected(self.kind, self.where), run.get("reason") or f"exit {said.code}", len(run.get("iterations") or ()),
            {path: count for path, count in gone.items() if path not in ignored},
            {path: count for path, count in gone.items() if path in ignored},
            self._misattributed(run, would), trees.lost(*self._homes()), git, strays,
            restored, len(changed), round(seconds, 2), self._notes(said, run),
        )  # fmt: skip

    def _left_running(self, seconds: float) -> int:
        """Return how many processes are left; an agent that has killed its loop has a moment to end."""
        until = time.monotonic() + seconds
        while processes(self.folder) and time.monotonic() < until:
            time.sleep(0.1)
        return len(processes(self.folder))

    def _reached(self) -> bool:
        """Say whether the goal is reached in the person's tree, or, where they edited the same lines, in the room that is kept."""
        if projects.reached(self.project, self.top):
            return True
        if self.kind.person != "same-file":
            return False
        name = min(self.project.sources["right"])
        kept = [Path(str(path)[: -len(name)]) for path in (self.home / ".local").rglob(Path(name).name) if str(path).endswith(name)]
        return any(projects.reached(self.project, each) for each in kept)

    def _worked(self) -> tuple[command_line.Said, float]:
        if self.kind.person:
            self.person.start()
        started = time.monotonic()
        said = command_line.start(self.folder, *self._words())
        seconds = time.monotonic() - started
        self.person.given_up.set()
        if self.kind.person:
            self.person.join()
        return said, seconds

    def _wanted(self) -> trees.Tree:
        """Return the tree as the person left it, with what they did meanwhile."""
        return {name: file for name, file in {**self.before, **self.person.files}.items() if name not in self.person.lines}

    def _finally_back(self) -> None:
        """Take every way back that is offered for what a plain rollback left."""
        if command_line.knows("rollback", "--all"):
            command_line.call(self.folder, "rollback", "--all", "--confirm")

    def _gone(self, wanted: trees.Tree) -> dict[str, int]:
        now = trees.read(self.top)
        found = trees.lost(wanted, now)
        for name, line in self.person.lines.items():
            file = now.get(name)
            if file is None or line not in (file.text or b""):
                found[name] = len(line)
        return found

    def _misattributed(self, run: dict[str, Any], would: dict[str, Any]) -> dict[str, int]:
        """Return what the person did meanwhile and the loop calls its own: in its record, or in what a rollback would do."""
        named = {str(each.get("path")) for each in would.get("would") or () if isinstance(each, dict)}
        for each in run.get("iterations") or () if self.where == HERE else ():  # what it changed in a room is its own
            named |= {str(entry[0]) for entry in each.get("changed") or () if entry}
        found = {
            name: len(file.text or b"") for name, file in self.person.files.items() if name in named and not self._is_agents(name)
        }
        return {**found, **{line: len(line) for line in self._damage(run, would)}}

    def _is_agents(self, name: str) -> bool:
        """Say whether the agent wrote or removed a path too."""
        told = [step.split() for turn in self.kind.turns for step in turn]
        words = [word for step in told if step[0] in ("note", "without") for word in step[1:]]
        return any(name == word or name.startswith(f"{word}/") for word in words)

    def _damage(self, run: dict[str, Any], would: dict[str, Any]) -> list[str]:
        """Return what is told or would be taken back of git, where the person alone was at work on it."""
        if not self.person.held or any("commit" in turn for turn in self.kind.turns):
            return []
        told = [line for each in run.get("iterations") or () for line in each.get("tampered") or () if line.startswith("git: ")]
        return told + [line for verb, line in would.get("git") or () if verb == "git"]

    def _homes(self) -> tuple[trees.Tree, trees.Tree]:
        wanted = {name: trees.File("0o644", text) for name, text in scene.HOME.items()}
        now = {name: trees.File("0o644", path.read_bytes()) for name in scene.HOME if (path := self.home / name).is_file()}
        return wanted, now

    def _notes(self, said: command_line.Said, run: dict[str, Any]) -> list[str]:
        missed = [MISSED] if self.kind.person and not self.person.came else []
        return missed + ([] if run else [line for line in said.err.splitlines() if line.strip()][-3:])


def processes(folder: Path) -> set[int]:
    """Return the processes of which the command line, the environment or the place names a folder, but for our own."""
    word, found = os.fsencode(folder), set()
    for path in Path("/proc").glob("[0-9]*"):
        if int(path.name) != os.getpid() and _names(path, word):
            found.add(int(path.name))
    return found


def _names(path: Path, word: bytes) -> bool:
    for name in ("cmdline", "environ"):
        try:
            if word in (path / name).read_bytes():
                return True
        except OSError:
            pass
    try:
        return os.fsencode((path / "cwd").readlink()).startswith(word)
    except OSError:
        return False


def _end(found: set[int]) -> None:
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def _make_removable(folder: Path) -> None:
    for path in [folder / "project", *(folder / "project").rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def is_expected(kind: Kind, where: str) -> bool:
    """Say whether a kind has to succeed: where it reaches the goal, and leaves the person's repository there."""
    lost = where == HERE and any(kinds.WITHOUT_GIT in turn for turn in kind.turns)
    return bool(kind.fixes and not lost)


def applies(kind: Kind, every: list[Project]) -> list[Project]:
    """Return the projects on which a kind is run: those that carry a tag of it, and at most as many as it says."""
    fitting = [each for each in every if _fits(kind, each)]
    if not kind.most or kind.most >= len(fitting):
        return fitting
    first = sum(kind.name.encode()) % len(fitting)
    return sorted((fitting[first:] + fitting[:first])[: kind.most])


def _fits(kind: Kind, project: Project) -> bool:
    tags = {*project.tags, project.name}
    if kind.on and not tags & {*kind.on}:
        return False
    wanted = {step.split()[1] for turn in kind.turns for step in turn if step.startswith("sources ")}
    return wanted <= {*project.sources} and ("bend golden" not in kind.turns[-1] or bool(project.golden))
