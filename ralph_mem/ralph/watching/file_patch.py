"""Tell what became of one file, as a patch of git, and what of it is only the loop's."""

import base64
import difflib
import zlib
from collections import namedtuple

from ralph_mem.ralph.room import merging
from ralph_mem.ralph.snapshot import FILE, LINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ralph_mem.ralph.snapshot import Change, Entry
    from ralph_mem.ralph.snapshot.store import Snapshots

    Lines = Sequence[bytes]

MODE_OF_LINK = b"120000"
CONTEXT = 3
LOOKED_AT = 8000  # git takes a file for binary where a zero lies among so many bytes
# difflib takes a tenth of a second for so many lines, and ten for ten times that; what lies between is told as one change.
MOST_COMPARED = 4_000
NO_FILE = b"/dev/null"
NO_LINE_END = b"\n\\ No newline at end of file\n"
ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}
MOST_OF_A_LINE = 52  # bytes that a line of a binary patch stands for
Side = namedtuple("Side", "mode data")
Side.__doc__ = """A file or link as a commit has it: its mode in git's digits, and its bytes."""

MIXED = Side(b"", b"")  # nobody can tell both changes apart


def quoted(name: bytes) -> bytes:
    """Return a name as git writes it: in quotes with escapes where it holds more than printable ASCII."""
    escaped = b"".join([ESCAPES.get(code) or (bytes((code,)) if 31 < code < 127 else b"\\%03o" % code) for code in name])
    return name if escaped == name else b'"' + escaped + b'"'


def is_binary(content: bytes) -> bool:
    """Say whether git would not compare it line by line."""
    return b"\0" in content[:LOOKED_AT]


def mode_of(entry: "Entry") -> bytes:
    """Return the mode that git knows of a path: a link, a program, or any other file."""
    return MODE_OF_LINK if entry.kind == LINK else b"100755" if entry.mode & 0o100 else b"100644"


def write(path: bytes, before: "tuple[Entry, bytes] | None", after: "tuple[Entry, bytes] | None") -> bytes:
    """Return the patch of a path from its entry and content before to those after; empty where git sees no difference."""
    if before and after and (before[0].kind == LINK) != (after[0].kind == LINK):
        return write(path, before, None) + write(path, None, after)
    old, new = [each[1] if each else b"" for each in (before, after)]
    modes = [mode_of(each[0]) if each else b"" for each in (before, after)]
    if old == new and modes[0] == modes[1]:
        return b""
    head = b"diff --git %s %s\n%s" % (quoted(b"a/" + path), quoted(b"b/" + path), _modes(*modes))
    if old == new:
        return head
    if is_binary(old) or is_binary(new):
        return head + _index(old, new) + b"GIT binary patch\n" + _literal(new) + _literal(old)
    names = [_named(side + path) if each else NO_FILE for side, each in ((b"a/", before), (b"b/", after))]
    return head + b"--- %s\n+++ %s\n" % (names[0], names[1]) + b"".join(_hunks(lines_of(old), lines_of(new)))


def _named(name: bytes) -> bytes:
    """Return a name as it stands behind the dashes: one with a space has its end marked."""
    return quoted(name) + (b"\t" if b" " in name else b"")


def _modes(before: bytes, after: bytes) -> bytes:
    if not before:
        return b"new file mode %s\n" % after
    if not after:
        return b"deleted file mode %s\n" % before
    return b"old mode %s\nnew mode %s\n" % (before, after) if before != after else b""


def lines_of(content: bytes) -> "list[bytes]":
    """Return the lines of a text with their ends, which for git are line feeds alone."""
    *whole, rest = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def opcodes(old: "Lines", new: "Lines") -> "list[tuple[str, int, int, int, int]]":
    """Return as difflib does how one list of lines becomes the other; what is alike at both ends is told apart first."""
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    ends = len(old) - tail, len(new) - tail
    middle = _compared(old[head : ends[0]], new[head : ends[1]])
    found = [("equal", 0, head, 0, head)] if head else []
    found += [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in middle]
    return found + ([("equal", ends[0], len(old), ends[1], len(new))] if tail else [])


def _alike(one: "Lines", other: "Lines") -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def _compared(old: "Lines", new: "Lines") -> "list[tuple[str, int, int, int, int]]":
    if not old and not new:
        return []
    if len(old) + len(new) > MOST_COMPARED:
        return [("replace", 0, len(old), 0, len(new))]
    return [*difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()]


def _hunks(old: "Lines", new: "Lines") -> "Iterator[bytes]":
    for group in _grouped(opcodes(old, new)):
        first, last = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_range(first[1], last[2]), _range(first[3], last[4]))
        for tag, a, b, c, d in group:
            yield b"".join([_line(b" ", line) for line in old[a:b]] if tag == "equal" else [])
            yield b"".join([_line(b"-", line) for line in old[a:b]] if tag != "equal" else [])
            yield b"".join([_line(b"+", line) for line in new[c:d]] if tag != "equal" else [])


def _grouped(codes: "list[tuple[str, int, int, int, int]]") -> "Iterator[list[tuple[str, int, int, int, int]]]":
    """Yield the changes with some lines around each; those that lie near each other together."""
    group: list[tuple[str, int, int, int, int]] = []
    for number, (tag, a, b, c, d) in enumerate(codes):
        if tag != "equal":
            group.append((tag, a, b, c, d))
            continue
        is_last = number == len(codes) - 1
        if group and (b - a > 2 * CONTEXT or is_last):
            yield [*group, (tag, a, min(b, a + CONTEXT), c, min(d, c + CONTEXT))]
            group = []
        if not is_last:
            keep = 0 if group else max(0, b - a - CONTEXT)
            group.append((tag, a + keep, b, c + keep, d))
    if group:
        yield group


def _range(start: int, end: int) -> bytes:
    """Return where a hunk begins and how many lines it has; the line before it where it has none."""
    return b"%d" % end if end - start == 1 else b"%d,%d" % (start + 1 if end > start else start, end - start)


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + (line if line.endswith(b"\n") else line + NO_LINE_END)


def _index(old: bytes, new: bytes) -> bytes:
    """Return the line without which git takes no binary patch: it has to name both contents in full."""
    return b"index %s..%s\n" % (_object_name(old), _object_name(new))


def _object_name(content: bytes) -> bytes:
    import hashlib  # lazy: only for a binary file

    name = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    return name.encode() if content else b"0" * 40


def _literal(content: bytes) -> bytes:
    """Return a content as git's own base 85, in lines that begin with how many bytes they stand for."""
    packed = zlib.compress(content, 9)
    lines = [packed[at : at + MOST_OF_A_LINE] for at in range(0, len(packed), MOST_OF_A_LINE)]
    return b"literal %d\n" % len(content) + b"".join([_encoded(line) for line in lines]) + b"\n"


def _encoded(line: bytes) -> bytes:
    length = len(line)
    return bytes((length + 64 if length <= 26 else length + 70,)) + base64.b85encode(line, pad=True) + b"\n"


def own_part(committed: "Side | None", steps: "Iterable[Change]", snapshots: "Snapshots") -> "Side | None":
    """Return what is committed of a path with the changes of a loop, the oldest first; None where that deletes it.

    MIXED where they are in the same lines as what the person had changed, or side by side with it, or in a file that is only
    the person's, or where no snapshot keeps what was there. Raises SnapshotError for a content that is damaged.
    """
    now = committed
    for change in steps:
        if not all([entry.stored for entry in (change.before, change.after) if entry and entry.kind == FILE]):
            return MIXED
        now = _with_own_part(side_of(change.before, snapshots), now, side_of(change.after, snapshots))
        if now is MIXED:
            break
    return now


def side_of(entry: "Entry | None", snapshots: "Snapshots") -> "Side | None":
    """Return an entry as a commit has it, None for what no commit has."""
    if entry is None or entry.kind not in (FILE, LINK):
        return None
    return Side(mode_of(entry), snapshots.content(entry))


def _with_own_part(before: "Side | None", now: "Side | None", after: "Side | None") -> "Side | None":
    if after is None or now in (before, after):
        return after
    if before is None or now is None or MODE_OF_LINK in (before.mode, now.mode, after.mode):
        return MIXED
    text = now.data if before.data == after.data else merging.merged_lines(before.data, now.data, after.data)
    return MIXED if text is None else Side(after.mode if after.mode != before.mode else now.mode, text)
