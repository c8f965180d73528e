"""Replay: a record decided once more without agent, criteria or clock, to see whether the same would come of it."""

from ralph_mem import criteria
from ralph_mem.ralph.decision import decide
from ralph_mem.ralph.run import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What ends a run between two decisions, or before the first.
WITHOUT_DECISION = {"snapshot_failed", "owner_lost", "user_stop", "agent_error", "rate_limited"}


def replay(entries: "list[dict[str, Any]]") -> "list[str]":
    """Return in lines where the record and today's `decide` differ, nothing for a record that they agree on."""
    run, told, differences = Run(), {}, []
    for entry in entries:
        what = entry.get("what")
        if what == "decision":
            told = entry
            differences += _decided_anew(run, entry)
        elif what == "resumed":
            told = {}
        elif what == "begun" and told and not told.get("go_on"):
            differences.append(f"iteration {entry.get('number')} was begun although the loop had decided to stop")
        elif what == "end":
            was_green = not run.iterations and criteria.passed(run.baseline) and entry.get("reason") == "success"
            differences += [] if was_green else _ended(entry, told)
        run.add(entry)
    return differences + [f"line {number} of the record is damaged" for number in run.damaged]


def _decided_anew(run: Run, entry: "dict[str, Any]") -> "list[str]":
    again = decide(run, int(entry.get("now") or 0))
    if again.go_on == entry.get("go_on") and again.reason == entry.get("reason", ""):
        return []
    then, now = _name(bool(entry.get("go_on")), str(entry.get("reason"))), _name(again.go_on, again.reason)
    return [f"after iteration {entry.get('number')}: recorded {then}, decided now {now}{f' ({again.why})' if again.why else ''}"]


def _name(go_on: bool, reason: str) -> str:
    return "go on" if go_on else f"stop for {reason}"


def _ended(entry: "dict[str, Any]", told: "dict[str, Any]") -> "list[str]":
    reason = entry.get("reason")
    if reason in WITHOUT_DECISION or (told and not told.get("go_on") and told.get("reason") == reason):
        return []
    last = _name(bool(told.get("go_on")), str(told.get("reason"))) if told else "none"
    return [f"the run ended for {reason}, but its last decision was: {last}"]
