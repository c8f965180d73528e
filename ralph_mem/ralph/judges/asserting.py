"""Tell a program that judges others from one that is to be mended.

It asserts something of what it imports or runs.
"""

import os
import re

from ralph_mem.ralph.judges import loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.judges.named import Text

ASSERTS = re.compile(
    r"^\s*assert\b|\bassert(\.\w+)?\(|[\"'](?:node:)?assert(?:/strict)?[\"']|\bself\.assert|\bexpect\(|\bAssertionError\b"
    r"|\b(?:sys\.|process\.)?exit\(\s*(?:[01] if\b|int\(|bool\(|len\(|not\b|\w*(?:fail|wrong|error|bad)\w*)",
    re.MULTILINE,
)
RUNS = re.compile(r"\bsubprocess\b|\bos\.(?:system|popen)\b|\bchild_process\b")
OF_PYTHON = re.compile(r"^[ \t]*(?:from[ \t]+\.*([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)|import[ \t]+([\w., \t]+))", re.MULTILINE)
OF_NODE = re.compile(r"\.[cm]?[jt]sx?$")


def judges(path: str, text: "Text") -> bool:
    """Say whether a program, as it was at the start, asserts something of other files."""
    said = text(path) or ""
    return bool(ASSERTS.search(said)) and (bool(RUNS.search(said)) or _imports(path, said, text))


def _imports(path: str, said: str, text: "Text") -> bool:
    places = dict.fromkeys([os.path.dirname(path), "", "src"])
    return any([text(os.path.normpath(os.path.join(place, name))) is not None for name in imported(path, said) for place in places])


def imported(path: str, said: str) -> "list[str]":
    """Return the files that a program may import, as seen from its folder; nothing of other languages than Python and Node's."""
    if OF_NODE.search(path):
        return [word + end for word in loaded.IMPORTED.findall(said) for end in loaded.ENDS]
    return _by_python(said) if path.endswith(".py") else []


def _by_python(said: str) -> "list[str]":
    found = []
    for package, names, modules in OF_PYTHON.findall(said):
        each_name = [name.split()[0] for name in names.split(",") if name.split()]
        dotted = [module.split()[0] for module in modules.split(",") if module.split()]
        dotted += [package, *[f"{package}.{name}".lstrip(".") for name in each_name]]
        found += [name.replace(".", "/") + end for name in dotted if name for end in (".py", "/__init__.py")]
    return found
