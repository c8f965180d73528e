"""Take a plan that a person has changed into a run that goes on. Nobody else amends what proves a task."""

import os

from ralph_mem.core.errors import LoopError
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph.snapshot import FILE, copying
from ralph_mem.ralph.tasks import boxes, reading, standing_of, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.record import Run


def of(run: "Run", plan: "reading.Plan", project: "Project", values: "dict[str, Any]") -> "dict[str, Any]":
    """Return what the record keeps of a plan that was accepted when a run was resumed, nothing without one.

    `plan` are its tasks, `proven` the keys of those whose checks are the same as before, which stay done if they were, and
    `options` what it changes of the run's.
    """
    if not plan.tasks:
        return {}
    titles = privacy.protect([task.title for task in plan.tasks], project, values)[0]
    tasks = [to_json(task._replace(title=title)) for task, title in zip(plan.tasks, titles)]
    before = {told["key"]: _proof(told) for told in run.plan}
    over = standing_of(run).done | standing_of(run).claimed
    proven = [told["key"] for told in tasks if told["key"] in over and before.get(told["key"]) == _proof(told)]
    return {"plan": tasks, "proven": proven, "options": {"plan": plan.name}}


def bring(top: str, room: str, name: str) -> None:
    """Have a room hold a plan file as the person has it, whose boxes are ticked there. Raises LoopError."""
    try:
        with open(boxes.path_of(top, name), "rb") as file:
            piece = copying.Piece(FILE, os.fstat(file.fileno()).st_mode & 0o777, file.read())
        copying.write_piece(os.fsencode(boxes.path_of(room, name)), piece)
    except OSError as error:
        raise LoopError(
            f"{name} does not come into the loop's room: {error.strerror}", "is it yours, and is there room?"
        ) from error


def _proof(told: "dict[str, Any]") -> "list[Any]":
    """Return what has to pass for a task to be done."""
    return [[list(each["criterion"]["argv"]), each["criterion"]["expected"], each["test"]] for each in told["checks"]]
