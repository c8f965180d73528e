"""Name the system calls that change files, and write the filter by which the kernel tells of them.

Only those calls stop for a moment, opening a file just where it is to be written; what is asked of the kernel goes on as asked.
"""

import platform
import struct
from collections import namedtuple

Call = namedtuple("Call", "folder path kind")
Call.__doc__ = """Where in its arguments a call has its path, and the folder that this is seen from (NONE for the working folder,
and as a path for a call that names an open file there). Its kind is FILE, TREE where all below the path comes or goes with it, or
GONE where the path does."""

NONE = -1
FILE, TREE, GONE = "file", "tree", "gone"
# What an open has to say for a write: O_WRONLY, O_RDWR, O_CREAT, O_TRUNC.
WRITING = 0x243
IO_URING_SETUP = 425  # a way past all of these; programs do without where it is missing
OPENAT2 = 437

# Each call may change two paths, and then has two entries.
X86_64 = {
    85: [Call(NONE, 0, FILE)], 82: [Call(NONE, 0, TREE), Call(NONE, 1, TREE)], 264: [Call(0, 1, TREE), Call(2, 3, TREE)],
    316: [Call(0, 1, TREE), Call(2, 3, TREE)], 87: [Call(NONE, 0, GONE)], 263: [Call(0, 1, GONE)], 84: [Call(NONE, 0, GONE)],
    83: [Call(NONE, 0, FILE)], 258: [Call(0, 1, FILE)], 88: [Call(NONE, 1, FILE)], 266: [Call(1, 2, FILE)],
    86: [Call(NONE, 1, FILE), Call(NONE, 0, FILE)], 265: [Call(2, 3, FILE), Call(0, 1, FILE)], 90: [Call(NONE, 0, FILE)],
    91: [Call(0, NONE, FILE)], 268: [Call(0, 1, FILE)], 452: [Call(0, 1, FILE)], 76: [Call(NONE, 0, FILE)],
    77: [Call(0, NONE, FILE)], 133: [Call(NONE, 0, FILE)], 259: [Call(0, 1, FILE)], OPENAT2: [Call(0, 1, FILE)],
    280: [Call(0, 1, FILE)],
}  # fmt: skip
X86_64_OPENS = {2: (1, [Call(NONE, 0, FILE)]), 257: (2, [Call(0, 1, FILE)])}
AARCH64 = {
    38: [Call(0, 1, TREE), Call(2, 3, TREE)], 276: [Call(0, 1, TREE), Call(2, 3, TREE)], 35: [Call(0, 1, GONE)],
    34: [Call(0, 1, FILE)], 36: [Call(1, 2, FILE)], 37: [Call(2, 3, FILE), Call(0, 1, FILE)], 53: [Call(0, 1, FILE)],
    52: [Call(0, NONE, FILE)], 452: [Call(0, 1, FILE)], 45: [Call(NONE, 0, FILE)], 46: [Call(0, NONE, FILE)],
    33: [Call(0, 1, FILE)], OPENAT2: [Call(0, 1, FILE)], 88: [Call(0, 1, FILE)],
}  # fmt: skip
AARCH64_OPENS = {56: (2, [Call(0, 1, FILE)])}
# symlink and symlinkat, of both machines; on the second one 88 is utimensat, which does no harm here
LINKING = frozenset((88, 266, 36))
# As the kernel calls the machine, with the number of `seccomp` itself.
MACHINES = {"x86_64": (0xC000003E, 317, X86_64, X86_64_OPENS), "aarch64": (0xC00000B7, 277, AARCH64, AARCH64_OPENS)}

LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
TELL, ALLOW, REFUSE = 0x7FC00000, 0x7FFF0000, 0x00050000 | 38  # 38: there is no such call
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16  # where the kernel has them


def machine() -> "tuple[int, int, dict[int, list[Call]], dict[int, tuple[int, list[Call]]]] | None":
    """Return what is known of this machine, None for one of which the calls are not."""
    return MACHINES.get(platform.machine()) if platform.system() == "Linux" else None


def calls() -> "dict[int, list[Call]]":
    """Return the calls of this machine that change files, by their numbers."""
    known = machine()
    return {**known[2], **{number: told for number, (_, told) in known[3].items()}} if known else {}


def filter_of() -> bytes:
    """Return the filter as the kernel takes it; empty where there is none for this machine."""
    known = machine()
    if not known:
        return b""
    name, _, changing, opens = known
    body: list[tuple[int, int, str | int]] = [(EQUAL, number, "tell") for number in changing]
    body.append((EQUAL, IO_URING_SETUP, "refuse"))
    for number, (argument, _) in opens.items():
        body += [(EQUAL, number, argument)]
    return _assembled(name, body)


def _assembled(name: int, body: "list[tuple[int, int, str | int]]") -> bytes:
    """Return the steps: whose calls, which call, and for an open what it wants; then the four answers."""
    arguments = sorted({target for _, _, target in body if isinstance(target, int)})
    start = 4
    answers = start + len(body)  # allow comes first, so that what is none of these falls into it
    places: dict[object, int] = {"allow": answers, "tell": answers + 1, "refuse": answers + 2}
    places.update({argument: answers + 3 + 2 * at for at, argument in enumerate(arguments)})
    steps = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, name), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, NUMBER)]
    steps += [(code, places[target] - at - 1, 0, number) for at, (code, number, target) in enumerate(body, start)]
    steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, TELL), (RETURN, 0, 0, REFUSE)]
    for argument in arguments:
        steps += [(LOAD, 0, 0, ARGUMENTS + 8 * argument), (ANY_BIT, 0, 0, WRITING)]
    return _with_ends(steps, len(arguments))


def _with_ends(steps: "list[tuple[int, int, int, int]]", opens: int) -> bytes:
    """Let each look at an open end in the two answers behind the last of them."""
    end = len(steps)
    for number in range(opens):
        at = end - 2 * opens + 2 * number + 1
        code, _, _, value = steps[at]
        steps[at] = (code, end - at - 1, end + 1 - at - 1, value)
    steps += [(RETURN, 0, 0, TELL), (RETURN, 0, 0, ALLOW)]
    return b"".join([struct.pack("HBBI", *step) for step in steps])
