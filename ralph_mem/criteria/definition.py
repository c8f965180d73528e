"""Definitions: what a command that a person named stands for in the project, so that a change of it is seen."""

import hashlib
import os

from ralph_mem.criteria import makefile, node_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.criteria.place import Place

INTERPRETERS = {"sh", "bash", "zsh", "python", "python3", "node", "ruby", "perl"}
LARGEST_SCRIPT = 1_000_000


def of(place: "Place", argv: "tuple[str, ...]") -> str:
    """Return the script behind `npm test`, the rules behind `make check`, or the hash of the project's own `./check.sh`."""
    program = argv[0].rpartition("/")[2]
    if program == "make":
        return "\n".join(makefile.definition(place, word) for word in argv[1:])
    if program in {*node_project.MANAGERS.values()}:
        return "\n".join(filter(None, [node_project.definition(place, word) for word in argv[1:]]))
    words = argv[1:2] if program in INTERPRETERS else argv[:1]
    return "\n".join(filter(None, [_hash(place, word) for word in words]))


def _hash(place: "Place", word: str) -> str:
    path = os.path.realpath(os.path.join(place.folder, word))
    if not path.startswith(place.top + "/"):
        return ""  # a program of the machine, or no file at all
    try:
        with open(path, "rb") as file:
            return f"{word}: sha256 {hashlib.sha256(file.read(LARGEST_SCRIPT)).hexdigest()}"
    except OSError:
        return ""
