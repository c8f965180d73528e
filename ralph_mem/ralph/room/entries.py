"""Take in what the record of a run says of its room and of what was applied."""

from ralph_mem.ralph import record_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.ralph.record import Run


def room(run: "Run", entry: "dict[str, Any]") -> None:
    """Take in where the agent works from now on."""
    path = str(entry.get("path") or "")
    if run.runners and run.room not in ("", path):
        run.runners = record_lines.led(run.runners, run.room, path)
    run.room, run.roots = path, list(entry.get("roots") or [])
    run.linked = list(entry.get("linked") or [])
    run.base = run.base or int(entry.get("base") or 0)  # one that was made anew in between begins with what the loop had done


def applied(run: "Run", entry: "dict[str, Any]") -> None:
    """Take in a result that is in the person's files."""
    run.applied.append(entry)
    run.applying, run.taken_back = {}, []


def applying(run: "Run", entry: "dict[str, Any]") -> None:
    """Take in that a result is on its way, or that it is not."""
    run.applying = entry if entry.get("target") else {}


def rolling_back(run: "Run", entry: "dict[str, Any]") -> None:
    """Take in that a rollback is on its way, or that it is not."""
    run.rolling_back = entry if entry.get("safety") else {}


def rolled_back(run: "Run", entry: "dict[str, Any]") -> None:
    """Take in a rollback. Of a run in a room it takes out the result that was applied last, and an undo of that brings it again.

    A result of which something `remains`, since the person has changed it too, is both taken back and still applied.
    """
    entry = {**entry, "done": run.next_number() - 1}
    run.rolling_back = {}
    if not run.room:
        run.rolled_back.append(entry)
        run.task_log.append({"back_to": run.standing()})
        return
    brings = entry.get("to") == "undo" and bool(run.rolled_back and run.rolled_back[-1]["took_out"])
    if brings and run.rolled_back[-1].get("remains") and run.applied[-1:] and run.applied[-1].get("remains"):
        run.applied.pop()  # in its place comes the whole
    before, now = (run.taken_back, run.applied) if brings else (run.applied, run.taken_back)
    moved = [before.pop()] if before else []
    now += moved
    run.applied += [{**each, "remains": entry["remains"]} for each in moved] if entry.get("remains") and not brings else []
    run.rolled_back.append({**entry, "took_out": not brings})
