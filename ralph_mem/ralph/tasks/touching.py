"""Say which files the task at hand may not touch; the plan itself is never one that an agent may."""

from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph.tasks import boxes, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.record import Run

MOST_NAMED = 5


def is_beyond(run: "Run", path: str) -> bool:
    """Say whether a path, as seen from the top, is the plan, or none of the files that the task at hand may touch.

    Patterns are as in .gitignore, without `!`.
    """
    if path == boxes.name_of(run):
        return True
    task = standing.current(run)
    return bool(task and task["files"] and not any([path_rules.matches(path, pattern) for pattern in task["files"]]))


def noticed(run: "Run", paths: "list[str]", put_back: bool) -> "list[str]":
    """Return lines about such paths that were changed."""
    end = ", put back" if put_back else ""
    plan, task = boxes.name_of(run), standing.current(run)
    found = [f"changed {plan}, the plan, which counts as it was accepted{end}"] if plan in paths else []
    others = [path for path in paths if path != plan]
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    if others and task:
        found.append(f"not among the files of task {task['number']}{end}: {', '.join(others[:MOST_NAMED])}{more}")
    return found
