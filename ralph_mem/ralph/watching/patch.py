"""Tell as a patch what changed between two states of a run.

What a patch cannot tell, or must not show, is named in comments.
"""

from collections import namedtuple
from contextlib import contextmanager

from ralph_mem.core.errors import LoopError, SnapshotError
from ralph_mem.core.format import amount, count
from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.ralph import changes, display, progress, stop_reasons
from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK, others, store
from ralph_mem.ralph.watching import file_patch, overview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.snapshot import Change, Entry

    Parts = Iterator["Part"]

Span = namedtuple("Span", "older newer says own", defaults=(False,))
Span.__doc__ = """Two snapshots of a run by their numbers, in words what lies between them, and whether it is what an agent did."""

Part = namedtuple("Part", "path what added removed patch note")
Part.__doc__ = """What became of one path: `added`, `changed` or `deleted`, how many lines came and went, its patch, empty where
none is told, and why it is not."""

Wanted = namedtuple("Wanted", "binary raw", defaults=(False, False))
Wanted.__doc__ = """Whether binary files are told too, and whether texts with secrets are told as they are."""

AS_SAFE = Wanted()
START, BEST, LAST = overview.NAMES
# A person reads a thousandth of this, a program applies it in seconds. Files behind it are named.
MOST_BYTES = 16_777_216
WIDEST_BAR = 40
COMMENT = b"# "  # `git apply` passes over such lines between the files


@contextmanager
def opened(project: "Project", run: "Run") -> "Iterator[store.Snapshots]":
    """Open the snapshots of a run to read. Raises LoopError where it has none."""
    snapshots = store.open_to_read(project) if run.start_snapshot else None
    if snapshots is None:
        named = "`ralph-mem ralph status --history` names what it changed" if run.start_snapshot else stop_reasons.LOG
        raise LoopError(f"{run.id} has no snapshots to compare", named)
    with snapshots:
        yield snapshots


def span_of(run: "Run", told: str, snapshots: "store.Snapshots") -> Span:
    """Return what is meant by `3` (what iteration 3 did), by `1..3`, or by nothing, which is all of the run. Raises LoopError."""
    older, dots, newer = told.partition("..")
    if told and not dots:
        number = _number(run, told)
        return Span(_before(run, number, snapshots), _snapshot(run, number), f"iteration {number}" if number else "the start", True)
    ends = [_number(run, older or START), _number(run, newer or LAST)]
    if ends[0] > ends[1]:
        raise LoopError(f"{told[:40]} goes backwards", f"{ends[1]}..{ends[0]} tells what was done")
    return Span(_snapshot(run, ends[0]), _snapshot(run, ends[1]), f"from {_says(ends[0])} to {_says(ends[1])}")


def _says(number: int) -> str:
    return f"iteration {number}" if number else "the start"


def _number(run: "Run", word: str) -> int:
    """Return the iteration that a word means, 0 for the start. Raises LoopError for none."""
    kept = [each.number for each in run.iterations if each.snapshot]
    best = progress.best(run)
    known = {START: 0, LAST: kept[-1] if kept else 0, BEST: best.number if best else 0}
    if word in known:
        return known[word]
    number = int(word) if word.isascii() and word.isdecimal() and len(word) < 9 else -1
    if number and number not in kept:
        there = f"it has {kept[0]} to {kept[-1]}" if kept else "no iteration is done yet"
        raise LoopError(f"{run.id} has no iteration {display.rendered(word, 40)} to compare: {there}", overview.HINT)
    return number


def _snapshot(run: "Run", number: int) -> int:
    start = int(run.base or run.start_snapshot)  # a room may lack what the person's tree has
    return next((int(each.snapshot) for each in run.iterations if each.number == number), start)


def _before(run: "Run", number: int, snapshots: "store.Snapshots") -> int:
    """Return the snapshot that an iteration began with: what the checks before it left is not its own."""
    earlier = [each.number for each in run.iterations if each.snapshot and each.number < number]
    last = earlier[-1] if earlier else 0
    left = [each.id for each in snapshots.taken(run.id) if each.label == f"checks {last}"]
    end = _snapshot(run, number)
    return int(max([_snapshot(run, last), *[each for each in left if each < end]]))


def changes_of(run: "Run", span: Span, snapshots: "store.Snapshots") -> "list[Change]":
    """Return what changed: of one iteration what its agent did, else all."""
    without = others.between(snapshots, run.id, *span[:2]) if span.own else ()
    return [change for change in snapshots.differences(*span[:2]) if change.path not in without]


def parts(
    project: "Project", values: "dict[str, Any]", snapshots: "store.Snapshots", run: "Run", span: Span, wanted: Wanted = AS_SAFE
) -> "Iterator[Part]":  # fmt: skip
    """Yield what changed, a path at a time. Raises SnapshotError for snapshots that are gone."""
    for number in span[:2]:
        snapshots.find_of(run.id, number)
    left = MOST_BYTES
    for change in changes_of(run, span, snapshots):
        if _is_folder(change.before) and _is_folder(change.after):
            continue
        part = _part(change, project, values, snapshots, wanted)
        left -= len(part.patch)
        yield part if left >= 0 else part._replace(patch=b"", note="left out, since the patch is too large; name an iteration")


def _is_folder(entry: "Entry | None") -> bool:
    return entry is None or entry.kind == FOLDER


def _part(change: "Change", project: "Project", values: "dict[str, Any]", snapshots: "store.Snapshots", wanted: Wanted) -> Part:
    """Return what is told of one path by the rules of privacy."""
    name = change.path.decode("utf-8", "replace")
    nothing = Part(change.path, change.what, 0, 0, b"", "")
    if path_rules.is_excluded(name, values):
        return nothing._replace(path=changes.EXCLUDED.encode())
    if path_rules.is_secret(name) and not wanted.raw:
        return nothing._replace(note="holds secrets by its name, not shown; --raw shows it")
    try:
        sides = [_content(snapshots, each) for each in (change.before, change.after)]
    except SnapshotError as error:
        return nothing._replace(note=str(error))
    return _compared(nothing, change, sides, wanted, project, values)


def _content(snapshots: "store.Snapshots", entry: "Entry | None") -> "tuple[Entry, bytes] | None":
    """Return an entry with its bytes, None for what is no file or link. Raises SnapshotError for bytes that are not kept."""
    if entry is None or entry.kind not in (FILE, LINK):
        return None
    if not entry.stored:
        raise SnapshotError(f"{amount(entry.size)}, kept in no snapshot")
    return entry, snapshots.content(entry)


def _compared(
    part: Part, change: "Change", sides: "list[tuple[Entry, bytes] | None]", wanted: Wanted, project: "Project",
    values: "dict[str, Any]",
) -> Part:  # fmt: skip
    before, after = sides
    old, new = [each[1] if each else b"" for each in sides]
    if old != new and (file_patch.is_binary(old) or file_patch.is_binary(new)) and not wanted.binary:
        return part._replace(note=f"binary, {amount(len(old))} before, {amount(len(new))} now; --binary tells it too")
    patch = file_patch.write(change.path, before, after)
    if not patch:
        return part._replace(note=_beyond_git(change))
    codes = [] if file_patch.is_binary(old + new) else file_patch.opcodes(file_patch.lines_of(old), file_patch.lines_of(new))
    changed = [code for code in codes if code[0] != "equal"]
    plus, minus = sum([code[4] - code[3] for code in changed]), sum([code[2] - code[1] for code in changed])
    part = part._replace(added=plus, removed=minus, patch=patch)
    if wanted.raw or not privacy.redacted(_told_lines(patch), project, values)[1]:
        return part
    return part._replace(patch=b"", note="holds what looks like a secret, not shown; --raw shows it")


def _told_lines(patch: bytes) -> str:
    """Return what a patch shows of a file without the signs before its lines, which would hide the beginning of a secret."""
    return "\n".join([line[1:] for line in patch.decode("utf-8", "surrogateescape").split("\n")])


def _beyond_git(change: "Change") -> str:
    """Say what changed of a path that git sees no difference in."""
    kinds = [each.kind if each else "nothing" for each in (change.before, change.after)]
    if kinds[0] != kinds[1]:
        return f"{kinds[0]} before, {kinds[1]} now, which no patch tells"
    modes = [each.mode for each in (change.before, change.after)]
    return f"mode {modes[0]:o} before, {modes[1]:o} now, which no patch tells" if modes[0] != modes[1] else ""


def written(found: "Iterable[Part]") -> "Iterator[bytes]":
    """Yield the patch in pieces: that of each path, or comments in its place."""
    for part in found:
        says = "; ".join([part.what, *([part.note] if part.note else [])])
        yield part.patch or COMMENT + file_patch.quoted(part.path) + f": {says}\n".encode()


def stat_lines(found: "list[Part]") -> "list[str]":
    """Return a line for each path with how many lines came and went, and their sums, as `git diff --stat` does."""
    names = [display.name_of(part.path) for part in found]
    wide, most = max(map(len, names), default=0), max([part.added + part.removed for part in found], default=0)
    lines = [f" {name:<{wide}} | {_bar(part, most)}" for name, part in zip(names, found)]
    sums = [sum([part[at] for part in found]) for at in (2, 3)]
    return [*lines, f" {count(len(found), 'file')} changed, {sums[0]} lines added, {sums[1]} removed"]


def _bar(part: Part, most: int) -> str:
    if not part.added + part.removed:
        return display.rendered(f"{part.what}, {part.note}", 120)
    plus, minus = [-(-number * min(most, WIDEST_BAR) // most) for number in (part.added, part.removed)]
    return f"{part.added + part.removed:>5} {'+' * plus}{'-' * minus}"


def facts(part: Part, whole: bool = True) -> "dict[str, Any]":
    """Return what became of a path as plain JSON values, with its patch where the whole of it is wanted."""
    name = part.path.decode("utf-8", "backslashreplace")
    told = {"patch": part.patch.decode("utf-8", "backslashreplace")} if whole else {}
    return {"path": name, "what": part.what, "added": part.added, "removed": part.removed, "note": part.note, **told}
