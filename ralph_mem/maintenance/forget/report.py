"""The erasure report: what a forget took from which artefact, how that was verified, what is pending and why, what is out of reach.

Standard library only: the skill uses it.
"""

from ralph_mem.core.format import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.maintenance.forget.verify import Residue

MOST_NAMED = 5
# How a change of artefacts is told; one of them, then several.
CHANGED = {
    "spool": "An event that waited is rid of it: {}",
    "copies rewritten": "A backup is written anew without it: {}",
    "copies deleted": "A backup that held the text is deleted: {}",
    "loop records": "The record of a loop is rid of it: {}",
    "loop tables": "What loops had noted in the memory is rid of it: {}",
    "caches": "A file that is made again when it is needed is deleted: {}",
    "snapshots": "The snapshots of a finished run that held it are deleted: {}",
}
ALWAYS_OUT_OF_REACH = "snapshots and backups of the file system, cloud copies, and git's history if .ralph-mem was ever committed"


class Report:
    """What a forget did: how many rows went, what changed in which kind of artefact, what `residue` found, what is `pending`
    (what, and why), what is out of reach: transcripts of the client and the rest; whether snapshots hold any of it.
    """

    __slots__ = ("changed", "in_snapshots", "log_is_empty", "out_of_reach", "pending", "removed", "residue", "transcripts")

    def __init__(
        self, removed: int, log_is_empty: bool, left: "Residue", transcripts: "list[str]", changed: "dict[str, list[str]]"
    ) -> None:
        self.removed = removed
        self.log_is_empty = log_is_empty
        self.residue = left
        self.transcripts = transcripts
        self.changed = changed
        self.pending: list[tuple[str, str]] = []
        self.out_of_reach: list[str] = []
        self.in_snapshots = False

    def is_clean(self) -> bool:
        """Say whether no file of ours holds the text any more, but for rows that say it too, and nothing is left to do."""
        left = self.residue
        return self.log_is_empty and not (left.files or left.unread or left.failed or self.pending)


def told(report: Report) -> "list[str]":
    """Return in lines what a forget did, and what it could not reach."""
    lines = [f"{count(report.removed, 'row')} deleted, with index entries and lines of receipts."]
    for kind, names in report.changed.items():
        lines += [CHANGED[kind].format(name) for name in names[:MOST_NAMED]]
        lines += [f"and {len(names) - MOST_NAMED} more of these"] if len(names) > MOST_NAMED else []
    lines += _verdict(report)
    lines += [f"Pending: {what}: {why}" for what, why in report.pending]
    lines += [f"Claude Code's own transcript is out of reach: {path}" for path in report.transcripts]
    lines += [f"Out of reach: {what}" for what in report.out_of_reach]
    return lines


def _verdict(report: Report) -> "list[str]":
    left, lines = report.residue, []
    if left.rows:
        named, more = left.rows[:MOST_NAMED], len(left.rows) - MOST_NAMED
        others = ", ".join(named) + (f" and {more} more" if more > 0 else "")
        lines.append(f"A line of it is said elsewhere too: {others}. Forget these as well if you mean it.")
    if not report.log_is_empty:
        lines.append("Another process reads the database: its log holds the text until that ends and the next session starts.")
    elif left.failed:
        lines.append(f"The raw files could not be read, so nothing is proven: {left.failed}")
    elif left.files:
        lines.append(f"Still in the raw bytes of: {', '.join(left.files)}")
    else:
        lines.append(f"Checked by reading the raw files: {_rest(report)}")
    return lines + [f"Could not be read: {path}" for path in left.unread]


def _rest(report: Report) -> str:
    others = ["these"] * bool(report.residue.rows) + ["snapshots of loops, which keep files of yours"] * report.in_snapshots
    return f"but for {' and '.join(others)}, none holds it any more." if others else "no file of ralph-mem holds the text any more."


def facts(report: Report) -> "dict[str, Any]":
    """Return the report for a program."""
    left = report.residue
    return {
        "deleted": report.removed, "clean": report.is_clean(), "log_is_empty": report.log_is_empty,
        "still_in": left.files, "said_by": left.rows, "in_snapshots": report.in_snapshots, "changed": report.changed,
        "backups_deleted": report.changed.get("copies deleted", []),
        "verified": {
            "files": len(left.looked), "bytes": left.bytes, "needles": left.needles, "unread": left.unread, "failed": left.failed,
        },
        "pending": [{"what": what, "why": why} for what, why in report.pending],
        "transcripts": report.transcripts,
        "out_of_reach": [*report.out_of_reach, ALWAYS_OUT_OF_REACH],
    }  # fmt: skip
