"""Find what would have a check in a room import the person's own files."""

import glob
import os
import re
import shutil
from collections import namedtuple

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ralph_mem.ralph.criteria import Criterion

Outside = namedtuple("Outside", "roots refused")
Outside.__doc__ = """Folders of the person's tree that installed packages import from, and that `PYTHONPATH` can replace by the
room's; and a line for each install of which that is not so."""

SITES = ("lib/python*/site-packages", "lib/python*/dist-packages", "local/lib/python*/dist-packages")
ENVIRONMENTS = ("VIRTUAL_ENV", "CONDA_PREFIX")
PROGRAMS = ("python3", "python")
MAPPED = re.compile(r"""['"]([\w.]+)['"]\s*:\s*['"]([^'"\n]+)['"]""")  # a module and its place, in what setuptools writes
MOST_BYTES = 262_144
# An interpreter with one of these does not look at PYTHONPATH.
DEAF = re.compile(r"-[a-zA-Z]*[EI][a-zA-Z]*$")
HINT = "install it otherwise than editable, or work in your own files: --here"


def look(top: str, criteria: "Iterable[Criterion]", environment: "Mapping[str, str]", copied: "Iterable[str]" = ()) -> Outside:
    """Return what leads out of a room. `copied` are folders of the tree that the room has its own copy of."""
    roots: list[str] = []
    refused: list[str] = []
    chosen, own = list(criteria), [f"{top}/{path}/" for path in copied]
    for site in _sites(chosen, environment):
        if not any([f"{site}/".startswith(prefix) for prefix in own]):
            for found in _of_site(site, top):
                (refused if found.startswith("!") else roots).append(found.lstrip("!"))
    deaf = [each for each in chosen if roots and any([DEAF.match(word) for word in each.argv[1:3]])]
    refused += [f"{each.name} does not look at PYTHONPATH, and {roots[0]} is installed as editable" for each in deaf]
    return Outside(list(dict.fromkeys(roots)), list(dict.fromkeys(refused)))


def _sites(criteria: "list[Criterion]", environment: "Mapping[str, str]") -> "list[str]":
    """Return the folders of installed packages that a check may import from."""
    path = environment.get("PATH", os.defpath)
    programs = [shutil.which(name, path=path) for name in [*[each.argv[0] for each in criteria if each.argv], *PROGRAMS]]
    prefixes = [environment.get(name, "") for name in ENVIRONMENTS]
    for program in [each for each in programs if each]:
        places = [each for each in (program, os.path.realpath(program), _interpreter(program)) if each]
        prefixes += [os.path.dirname(os.path.dirname(each)) for each in places]
    prefixes += [environment.get("HOME", "") + "/.local", "/usr/local"]
    found = [site for prefix in prefixes if prefix for pattern in SITES for site in glob.glob(f"{glob.escape(prefix)}/{pattern}")]
    return list(dict.fromkeys(found))


def _interpreter(program: str) -> str:
    """Return the interpreter that the first line of a script names."""
    line = paths.read(program, 256).partition("\n")[0]
    return line[2:].split()[0] if line.startswith("#!/") else ""


def _of_site(site: str, top: str) -> "list[str]":
    """Return the folders of the tree that a folder of packages leads to, with `!` in front of what cannot be redirected."""
    found = []
    for name in paths.names(site):
        path = f"{site}/{name}"
        if name.endswith(".pth"):
            found += [line for line in paths.read(path, MOST_BYTES).splitlines() if _is_inside(line.strip(), top)]
        elif name.endswith(".py") and "editable" in name and f"{top}/" in (text := paths.read(path, MOST_BYTES)):
            found += _of_finder(name, text, top, site)
        elif os.path.islink(path) and _is_inside(os.path.realpath(path), top):
            found += _root_of(name, os.path.realpath(path)) or [f"!{name} in {site} is a link into this project"]
    return [line.strip() for line in found]


def _of_finder(name: str, text: str, top: str, site: str) -> "list[str]":
    """Return the folders behind a finder that setuptools wrote; any other has its own way to find modules."""
    pairs = [pair for pair in MAPPED.findall(text) if _is_inside(pair[1], top)]
    found = [root for module, path in pairs for root in _root_of(module, path)]
    is_understood = name.startswith("__editable__") and pairs and len(found) == len(pairs)
    return found if is_understood else [f"!{name} in {site} imports this project from {top}"]


def _root_of(module: str, path: str) -> "list[str]":
    """Return the folder from which a module is imported by its name, where its place ends in that."""
    tail = "/" + module.replace(".", "/")
    return [path[: -len(end)] for end in (tail, tail + ".py") if path.endswith(end)]


def _is_inside(path: str, top: str) -> bool:
    return path == top or path.startswith(top + "/")


MOST_LINKS = 2_000


def linked_modules(top: str, folder: str) -> "list[str]":
    """Return the packages in a folder of node's that are links into the tree: from a linked folder they lead to the person's."""
    found: list[str] = []
    for scope in ["", *[f"{name}/" for name in paths.names(folder) if name.startswith("@")]]:
        links = [f"{folder}/{scope}{name}" for name in paths.names(f"{folder}/{scope}")]
        found += [path for path in links[:MOST_LINKS] if os.path.islink(path) and _is_inside(os.path.realpath(path), top)]
    return [path[len(folder) + 1 :] for path in found if not os.path.realpath(path).startswith(folder + "/")]
