"""A run at work: its project, the settings in force, its record, and who hears what happens."""

import time

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import record, runs
from ralph_mem.ralph.criteria import Criterion
from ralph_mem.ralph.run import RUNNING, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project

    Told = Callable[[str], None]


# Begins a line that tells of what is going on just now, and is over with the next one: a terminal replaces it, a file has none.
MEANWHILE = "  "


def now_ms() -> int:
    """Return the time in milliseconds."""
    return time.time_ns() // 1_000_000


class Loop:
    """A run at work. `begun` and `facts` tell when its last iteration began, and what was in its prompt."""

    __slots__ = ("begun", "facts", "path", "project", "run", "settings", "told")

    def __init__(self, project: "Project", settings: "dict[str, Any]", run_id: str, told: "Told | None" = None) -> None:
        self.project = project
        self.settings = settings
        self.told: Told = told or (lambda _line: None)
        self.path = runs.path_of(project, run_id)
        entries = record.read(self.path)
        self.run = fold(entries)
        if not self.run.id:
            raise LoopError(f"there is no run {run_id} here", "`ralph-mem ralph status --history` lists them")
        begun: list[dict[str, Any]] = [{}, *[entry for entry in entries if entry["what"] == "begun"]]
        last = begun[-1]
        self.begun = int(last.get("at") or 0)
        self.facts: dict[str, Any] = last.get("prompt") or {}

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

    def criteria(self) -> "list[Criterion]":
        """Return the checks that were accepted when it began: whatever the agent has written since, these are run."""
        return [Criterion(**{**each, "argv": tuple(each["argv"])}) for each in self.run.criteria]

    def seconds_left(self) -> float:
        """Return how long it may still work, in seconds."""
        return max(0.0, float(self.run.limits.duration_ms - self.run.elapsed_ms(now_ms())) / 1000)
