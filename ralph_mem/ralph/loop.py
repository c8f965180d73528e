"""Hold a run at work with its record, and the tree in which its agent works."""

import os
import time

from ralph_mem.core import descendants
from ralph_mem.core.errors import LoopError
from ralph_mem.hosts.claude_code import event
from ralph_mem.ralph import leftovers, record, record_lines, runs
from ralph_mem.ralph.criteria import Criterion
from ralph_mem.ralph.record import RUNNING, fold
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.tasks import of_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.attribution.tool_events import ToolEvents
    from ralph_mem.ralph.attribution.writes import Writes
    from ralph_mem.ralph.room.ignored import Marks

    Told = Callable[[str], None]

# Begins a line that tells of what is going on just now, and is over with the next one: a terminal replaces it, a file has none.
MEANWHILE = "  "
# They name a repository, which would be the person's.
OF_GIT = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR"),
    *("GIT_NAMESPACE", "GIT_PREFIX", "GIT_QUARANTINE_PATH"),
)
# What is the person's and no part of their project stays, even where it lies in it.
OF_THE_PERSON = ("HOME", "XDG_", "TMPDIR", event.CONFIG_FOLDER, "RALPH_MEM_", "SSH_")
PYTHONPATH = "PYTHONPATH"


def criteria_of(run: "record.Run") -> "list[Criterion]":
    """Return the checks that were accepted when a run began: whatever the agent has written since, these are run."""
    return [Criterion(**{**each, "argv": tuple(each["argv"])}) for each in run.criteria]


class Loop:
    """A run at work. `begun` and `facts` tell when its last iteration began, and what was in its prompt.

    `project` is the person's: records, memory, trust and settings are there. `place` is the tree in which the agent works, whose
    files are snapshotted and judged. `is_beside` says that others work at its goal, so that its end is not that of the work.
    """

    __slots__ = ("begun", "facts", "is_beside", "marks", "path", "place", "project", "run", "settings", "told", "writes")

    def __init__(self, project: "Project", settings: "dict[str, Any]", run_id: str, told: "Told | None" = None) -> None:
        self.project = project
        self.writes: Writes | ToolEvents | None = None
        self.marks: Marks | None = None
        self.settings = settings
        self.told: Told = told or (lambda _line: None)
        self.path = runs.path_of(project, run_id)
        entries = record.read(self.path)
        self.run = fold(entries, project.tree)
        if not self.run.id:
            raise LoopError(f"there is no run {run_id} here", "`ralph-mem ralph runs` lists them")
        self.see_room()
        self.is_beside = bool(self.option("attempt_of")) and not any([entry["what"] == "resumed" for entry in entries])
        begun: list[dict[str, Any]] = [{}, *[entry for entry in entries if entry["what"] == "begun"]]
        last = begun[-1]
        self.begun = int(last.get("at") or 0)
        self.facts: dict[str, Any] = last.get("prompt") or {}

    def see_room(self) -> None:
        """Work from now on in the room that the record names, in the person's tree without one."""
        self.place = self.project.in_room(self.run.room) if self.run.room else self.project

    def hear(self) -> None:
        """Take in what the person has said to it meanwhile, from another process. Raises LoopError."""
        said = [entry for entry in record.read(self.path) if entry["what"] == "hint"]
        for entry in said[len(self.run.hints) :]:
            self.run.add(entry)

    def note(self, what: str, **facts: "Any") -> None:
        """Add to the record, on the disk before this returns. Raises LoopError."""
        entry = {"what": what, "at": now_ms(), **facts}
        record.append(self.path, entry)
        self.run.add(entry)

    def option(self, name: str) -> "Any":
        """Return what was asked for at the start."""
        return self.run.options.get(name)

    def is_running(self) -> bool:
        """Say whether it has not ended."""
        return bool(self.run.status == RUNNING)

    def wrote(self, path: str) -> None:
        """Note a file of its place, as seen from the top, that we have written ourselves: it is the loop's, and nobody else's."""
        if self.writes:
            self.writes.add(f"{os.path.realpath(self.place.top)}/{path}", "file", time.time_ns())

    def criteria(self) -> "list[Criterion]":
        """Return the checks that were accepted when it began, as they are run in its place: what the agent writes changes none."""
        return self.placed(criteria_of(self.run))

    def placed(self, criteria: "list[Criterion]") -> "list[Criterion]":
        """Return checks as they are run in its place."""
        return [each._replace(argv=self._here(each.argv), folder=self._here((each.folder,))[0]) for each in criteria]

    def _here(self, words: "tuple[str, ...]") -> "tuple[str, ...]":
        return tuple(record_lines.led(list(words), self.project.top, self.place.top))

    def environment(self) -> "dict[str, str]":
        """Return what the agent and the checks get of our environment."""
        around = mapped(dict(os.environ), self.project.top, self.place.top, self.run.roots)
        return descendants.marked({**around, leftovers.MARK: self.run.id}, leftovers.STARTED_HERE)

    def every_criterion(self) -> "list[Criterion]":
        """Return its criteria and the checks of all tasks of its plan."""
        return [*self.criteria(), *self.placed([check.criterion for task in of_run(self.run) for check in task.checks])]

    def is_asked_to_stop(self) -> bool:
        """Say whether somebody has asked it to stop; cheap enough to be asked ten times a second."""
        lead = self.option("attempt_of")  # an attempt ends with the run that it is beside
        gone = lead and (runs.is_asked(self.project, lead, runs.STOP) or not leftovers.is_held(runs.folder_of(self.project)))
        return bool(gone) or runs.is_asked(self.project, self.run.id, runs.STOP)

    def seconds_left(self) -> float:
        """Return how long it may still work, in seconds."""
        return max(0.0, float(self.run.limits.duration_ms - self.run.elapsed_ms(now_ms())) / 1000)


def mapped(given: "Mapping[str, str]", top: str, room: str, roots: "Iterable[str]" = ()) -> "dict[str, str]":
    """Return an environment whose paths into the person's tree lead to a room, as far as there is the same in it.

    `roots` are folders of the person's tree that an installed package leads to; Python looks into the room's first.
    """
    if top == room:
        return dict(given)
    found = {name: value if name.startswith(OF_THE_PERSON) else _mapped(value, top, room) for name, value in given.items()}
    found = {name: value for name, value in found.items() if name not in OF_GIT}
    first = record_lines.led(list(roots), top, room)
    if first:
        found[PYTHONPATH] = os.pathsep.join([*first, *filter(None, [found.get(PYTHONPATH, "")])])
    return found


def _mapped(value: str, top: str, room: str) -> str:
    if top not in value:
        return value
    return os.pathsep.join([_part(part, top, room) for part in value.split(os.pathsep)])


def _part(part: str, top: str, room: str) -> str:
    there = room + part[len(top) :]
    return there if (part == top or part.startswith(top + "/")) and os.path.lexists(there) else part
