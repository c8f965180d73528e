"""Tick in a Markdown plan what our run has proved, and untick what it has not.

A box is one byte, and is written in its place: what a person writes into the file meanwhile is not lost.
"""

import os
from collections import namedtuple

from ralph_mem.core.format import listed
from ralph_mem.ralph.tasks import lists, reading, standing_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ralph_mem.ralph.record import Run

Box = namedtuple("Box", "key ticked at")
Box.__doc__ = """The box of a task in a file: whose it is, whether it is ticked, and where its one byte lies."""

OPEN, TICKED = b" ", b"x"
BOM = b"\xef\xbb\xbf"
MOST_NAMED = 3


def show(run: "Run", top: str, done: "Collection[str]") -> "tuple[int, str]":
    """Make the boxes of a run's plan say which tasks are done; returns how many were turned over, and why that failed, if it did.

    A box that a person ticked before the run, of a task without a check, stays theirs.
    """
    turned = 0
    theirs = {told["key"] for told in run.plan if told["ticked"] and not told["checks"]}
    name = name_of(run)
    if not _has_boxes(run):
        return 0, ""
    try:
        file = os.open(path_of(top, name), os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            for box in _boxes(os.pread(file, reading.MOST_BYTES, 0), run):
                if box.ticked != (box.key in done) and box.key not in theirs:
                    turned += _write(file, box)
        finally:
            os.close(file)
    except OSError as error:
        return turned, f"the boxes of {name} are not ticked: {error.strerror}"
    return turned, ""


def ticked_by_others(run: "Run", top: str) -> "list[str]":
    """Return a line where boxes are ticked that we have not ticked: they count for nothing."""
    if not _has_boxes(run):
        return []
    now, numbers = standing_of(run), {told["key"]: told["number"] for told in run.plan}
    theirs = {told["key"] for told in run.plan if told["ticked"] and not told["checks"]}
    try:
        file = os.open(path_of(top, name_of(run)), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            found = [box.key for box in _boxes(os.pread(file, reading.MOST_BYTES, 0), run) if box.ticked]
        finally:
            os.close(file)
    except OSError:
        return []
    wrong = sorted({numbers[key] for key in found if key not in now.done and key not in theirs})
    if not wrong:
        return []
    named = listed([str(number) for number in wrong], MOST_NAMED)
    return [f"ticked in {name_of(run)} by somebody else, which counts for nothing: task {named}"]


def name_of(run: "Run") -> str:
    """Return the plan file of a run as seen from the top, empty without one."""
    return os.path.normpath(run.options["plan"]) if run.plan and run.options.get("plan") else ""


def path_of(top: str, name: str) -> str:
    """Return the path of a plan file. Raises OSError where a link leads out of the tree."""
    path = os.path.realpath(os.path.join(top, name))
    if not path.startswith(os.path.realpath(top).rstrip("/") + "/"):
        raise PermissionError(1, "it lies outside of the tree")
    return path


def _has_boxes(run: "Run") -> bool:
    return bool(name_of(run)) and not name_of(run).endswith(reading.IN_YAML)


def _boxes(data: bytes, run: "Run") -> "list[Box]":
    """Return the boxes of a run's tasks; a line of which the title has changed is none of them."""
    keys = {told["key"] for told in run.plan}
    lines = data.removeprefix(BOM).decode("utf-8", "surrogateescape").split("\n")
    starts, at = [], len(BOM) if data.startswith(BOM) else 0
    for line in lines:
        starts.append(at)
        at += len(line.encode("utf-8", "surrogateescape")) + 1
    found = []
    for number, line in lists.outside_of_code("\n".join(lines)):
        box = lists.BOX.match(line)
        key = reading.key_of(" ".join(box[2].split())) if box else ""
        if box and key in keys:
            before = len(line[: box.start(1)].encode("utf-8", "surrogateescape"))
            found.append(Box(key, box[1] != " ", starts[number - 1] + before))
    return found


def _write(file: int, box: Box) -> int:
    """Turn a box over, if it is still where it was; returns how many bytes that took."""
    now = os.pread(file, 3, box.at - 1)
    if now in ((b"[x]", b"[X]") if box.ticked else (b"[ ]",)):
        return os.pwrite(file, OPEN if box.ticked else TICKED, box.at)
    return 0
