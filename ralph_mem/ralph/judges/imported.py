"""Find the modules that the script of a check imports, and judges by."""

import os
import re

from ralph_mem.ralph.judges import kinds, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.judges.named import Text

OF_PYTHON = re.compile(r"^[ \t]*(?:from[ \t]+\.*([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)|import[ \t]+([\w., \t]+))", re.MULTILINE)
OF_NODE = re.compile(r"\.[cm]?[jt]sx?$")


def by(script: str, text: "Text") -> "set[str]":
    """Return the modules that lie in the folder of a script, or below it, and that it imports.

    A script at the top, or in a folder of the product, imports the product from there.
    """
    folder = os.path.dirname(script)
    if not folder or folder.partition("/")[0] in kinds.PRODUCT:
        return set()
    said = text(script) or ""
    tried = _of_node(said) if OF_NODE.search(script) else _of_python(said) if script.endswith(".py") else []
    places = [os.path.normpath(os.path.join(folder, each)) for each in tried]
    return {place for place in places if place.startswith(f"{folder}/") and text(place) is not None}


def _of_python(said: str) -> "list[str]":
    found = []
    for package, names, modules in OF_PYTHON.findall(said):
        each_name = [name.split()[0] for name in names.split(",") if name.split()]
        dotted = [module.split()[0] for module in modules.split(",") if module.split()]
        dotted += [package, *[f"{package}.{name}".lstrip(".") for name in each_name]]
        found += [name.replace(".", "/") + end for name in dotted if name for end in (".py", "/__init__.py")]
    return found


def _of_node(said: str) -> "list[str]":
    return [word + end for word in loaded.IMPORTED.findall(said) for end in loaded.ENDS]
