"""Keep what a forget is about until its last step is done, and report what it did."""

import contextlib
import os
import time

from ralph_mem.core import fast, paths, places, spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count
from ralph_mem.maintenance.forget import verify
from ralph_mem.memory.rows import deletion, tombstones
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ralph_mem.core.project import Project

# A forget of a large memory takes a minute; who starts another one meanwhile is told after this.
WAIT_S = 5.0
MOST_BYTES = 67_108_864
# The spool reads so much of a file, and an id is nineteen bytes there.
IDS_IN_A_FILE = 5000
AUDIT = tombstones.FOLDER + "/audit.jsonl"
NOT_HIDDEN = f"its rows may still be found, and {deletion.NOT_DONE}"
BEGUN = f"the forget has begun: {deletion.NOT_DONE}"


class Job:
    """A forget: the ids of rows and sessions that go, of the project's memory and of that of all projects; what to look for
    afterwards; when it began; which steps are done; what they changed; the marks that stay for good.

    `snapshots` are the runs whose snapshots go, or True for those that hold it; `everything` is the scope of which all goes.
    """

    __slots__ = ("at", "changed", "done", "everything", "marks", "needles", "parts", "removed", "snapshots")

    def __init__(
        self, parts: "dict[str, list[str]]", needles: "verify.Needles", snapshots: "bool | list[str]" = False, everything: str = ""
    ) -> None:
        self.parts, self.needles, self.snapshots, self.everything = parts, needles, snapshots, everything
        self.at = time.time_ns() // 1_000_000
        self.done: list[str] = []
        self.changed: dict[str, list[str]] = {}
        self.marks: list[str] = []
        self.removed = len(parts["ids"]) + len(parts["shared"])

    def told(self) -> "dict[str, Any]":
        """Return the job as plain values."""
        own = {name: getattr(self, name) for name in self.__slots__ if name != "needles"}
        return {**own, "needles": {name: getattr(self.needles, name) for name in ("pieces", "words", "names", "query")}}


def place_of(project: "Project") -> str:
    """Return the file of a project's unfinished forget, there or not; nothing where there is no home."""
    home = paths.data_home()
    return f"{home}{tombstones.FOLDER}/{paths.key_of(project.root)}{places.JOB}" if home else ""


def waits(project: "Project") -> bool:
    """Say whether a forget was begun in a project and not finished."""
    place = place_of(project)
    return bool(place) and (paths.exists(place) or paths.exists(place + ".before"))


def unfinished(project: "Project", is_marked: bool) -> str:
    """Say what a forget that was cut off has left, nothing where there is none; `is_marked` is whether its memory says so.

    Where the disk was full from the beginning, only the file of the job tells of it.
    """
    return deletion.NOT_DONE if is_marked else NOT_HIDDEN if waits(project) else ""


@contextlib.contextmanager
def told_where_cut_off(project: "Project") -> "Iterator[None]":
    """Say of what ends a forget, Ctrl-C or a full disk, that it has begun, and how it is finished. Raises RalphMemError then."""
    try:
        yield
    except (KeyboardInterrupt, RalphMemError, OSError, connection.sqlite.Error) as error:
        if not waits(project):
            raise
        raise RalphMemError(f"{str(error)[:200] or 'interrupted'}: {BEGUN}", deletion.FINISH) from error


def keep(project: "Project", job: Job) -> None:
    """Write down how far a job is: as a draft until it has begun, which the first record in the spool says. Raises OSError."""
    place = place_of(project)
    if not place:
        return
    paths.make_folder(place.rpartition("/")[0])
    path = place if os.path.lexists(place) else place + deletion.DRAFT
    before = f"{path}.before"
    if os.path.lexists(path):
        os.replace(path, before)
    paths.write(path, fast.dumps(job.told()))
    _shred(before)


def read(project: "Project") -> "Job | None":
    """Return the job that waits, or None. One that cannot be understood is removed: its rows have gone by the spool."""
    place = place_of(project)
    text = paths.read(place, MOST_BYTES) if place else ""
    # killed while it was written anew: the former one says less of what is done, which is then done again
    text = text or (paths.read(place + ".before", MOST_BYTES) if place else "")
    if not text:
        discard(project)
        return None
    try:
        told = fast.loads(text)
        job = Job(told["parts"], verify.Needles(**told["needles"]), told["snapshots"], told["everything"])
        for name in ("at", "done", "changed", "marks", "removed"):
            setattr(job, name, told[name])
    except (ValueError, LookupError, TypeError):
        discard(project)
        return None
    return job


def discard(project: "Project") -> None:
    """Remove what is kept of a job: it holds what is to be forgotten, so its bytes are overwritten first.

    What a kill left of one that was just being written goes as well. The caller is the one forget of a person.
    """
    for path in all_of(project):
        _shred(path)


def all_of(project: "Project") -> "list[str]":
    """Return the files that are there of a project's unfinished forget: the job, its draft, what they were before."""
    folder, _, name = place_of(project).rpartition("/")
    return [f"{folder}/{each}" for each in paths.names(folder) if each.startswith(name)] if folder else []


def _shred(path: str) -> None:
    with contextlib.suppress(OSError):  # a full disk has room for what is there already; whatever else it is, the file goes
        file = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.pwrite(file, b" " * os.fstat(file).st_size, 0)
            os.fsync(file)
        finally:
            os.close(file)
    paths.remove(path)


class Intent:
    """Records in the spool that say what goes, as a context manager: from `write` until it has gone.

    Every event looks into the spool before it tells anything, so after a kill the next one does it.
    """

    def __init__(self, project: "Project", job: Job) -> None:
        self.project = project
        self.job = job
        self.files: list[str] = []

    def __enter__(self) -> "Intent":  # noqa: PYI034 - typing has no Self before 3.11
        return self

    def write(self) -> None:
        """Write them, unless they are there. Raises OSError where nothing can be written at all."""
        folder = "" if self.files else self._folder()
        for number, record in enumerate(_records(self.job) if folder else []):
            record["job"] = place_of(self.project)
            path = f"{folder}/{time.time_ns()}-{os.getpid()}-{number:04d}.json"
            paths.write(path, fast.dumps([record]))
            self.files.append(path)
        deletion.begin(place_of(self.project))

    def _folder(self) -> str:
        for folder in spool.places(self.project.root):
            try:
                paths.make_folder(folder)
            except OSError:
                continue
            if os.access(folder, os.W_OK):
                return folder
        raise OSError("nothing can be written where events wait")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            spool.remove(self.files)


def _records(job: Job) -> "list[dict[str, Any]]":
    """Return records of so many ids that the spool reads each as a whole; sessions go when all of their rows have gone."""
    ids, shared = job.parts["ids"], job.parts["shared"]
    count = max(len(ids), len(shared), 1)
    cut = [slice(at, at + IDS_IN_A_FILE) for at in range(0, count, IDS_IN_A_FILE)]
    found: list[dict[str, Any]] = [
        {"verb": deletion.VERB, "ids": ids[part], "sessions": [], "shared": shared[part], "shared_sessions": []} for part in cut
    ]
    found[-1].update(sessions=job.parts["sessions"], shared_sessions=job.parts["shared_sessions"])
    return found


class Lock:
    """The right to be the one forget of a person, as a context manager; it goes with the process.

    Raises RalphMemError where another one is at work and stays so.
    """

    def __init__(self, wait_s: float = WAIT_S) -> None:
        self.wait_s = wait_s
        self.file = -1

    def __enter__(self) -> None:
        """Take it, where there is a home to keep it in."""
        home = paths.data_home()
        if not home:
            return
        paths.make_folder(home + tombstones.FOLDER)
        self.file = paths.open_lock(home + tombstones.FOLDER)
        with contextlib.suppress(OSError):  # a file system without locks
            if not paths.lock(self.file, wait_s=self.wait_s):
                self.__exit__()
                raise RalphMemError("another forget is at work", "wait until it is done, then try again")

    def __exit__(self, *_: object) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def audit(line: "dict[str, Any]") -> None:
    """Add a line of counts to the list of what was done; it never says what was forgotten. Raises OSError."""
    home = paths.data_home()
    if not home:
        return
    file = os.open(home + AUDIT, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, fast.dumps(line).encode() + b"\n")
    finally:
        os.close(file)


MOST_NAMED = 5
# How a change of artefacts is told; one of them, then several.
CHANGED = {
    "spool": "An event that waited is rid of it: {}",
    "copies rewritten": "A backup is written anew without it: {}",
    "copies deleted": "A backup that held the text is deleted: {}",
    "loop records": "The record of a loop is rid of it: {}",
    "loop tables": "What loops had noted in the memory is rid of it: {}",
    "team tables": "What is kept for a team's server is rid of it: {}",
    "tables": "What the memory keeps of facts, relations and jobs is rid of it: {}",
    "caches": "A file that is made again when it is needed is deleted: {}",
    "snapshots": "The snapshots, copy of git and room of a finished run that held it are deleted: {}",
}
IN_SNAPSHOTS = "snapshots, copies of git and rooms of loops, which keep files of yours"
ALWAYS_OUT_OF_REACH = "snapshots and backups of the file system, cloud copies, and git's history if .ralph-mem was ever committed"


class Report:
    """What a forget did: how many rows went, what changed in which kind of artefact, what `residue` found, what is `pending`
    (what, and why), what is out of reach: transcripts of the client and the rest; whether snapshots hold any of it.
    """

    __slots__ = ("changed", "in_snapshots", "log_is_empty", "out_of_reach", "pending", "removed", "residue", "transcripts")

    def __init__(
        self, removed: int, log_is_empty: bool, left: "verify.Residue", transcripts: "list[str]", changed: "dict[str, list[str]]"
    ) -> None:
        self.removed, self.log_is_empty, self.residue = removed, log_is_empty, left
        self.transcripts, self.changed = transcripts, changed
        self.pending: list[tuple[str, str]] = []
        self.out_of_reach: list[str] = []
        self.in_snapshots = False

    def is_clean(self) -> bool:
        """Say whether no file of this project or of all projects holds it, but for rows that say it too, and nothing is left to do.

        What other projects' memories hold is not looked at.
        """
        left = self.residue
        return self.log_is_empty and not (left.files or left.unread or left.failed or self.pending)


def lines_of_report(report: Report) -> "list[str]":
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
    others = ["these"] * bool(report.residue.rows) + [IN_SNAPSHOTS] * report.in_snapshots
    kept = "kept for this project or for all projects holds"
    return f"but for {' and '.join(others)}, none {kept} it any more." if others else f"no file {kept} the text any more."


def facts_of_report(report: Report) -> "dict[str, Any]":
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
