"""Tell a new module that the checks would import in place of another one of its name."""

import os
import re
import shutil
import sys

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ralph_mem.ralph.criteria import Criterion

# What runs tests, and what their names would be in a folder that Python imports from first.
RUNNERS = frozenset(
    "pytest _pytest py pluggy iniconfig unittest nose nose2 coverage hypothesis xdist mock doctest tox nox ward behave robot"
    " pytest_cov pytest_asyncio pytest_mock pytest_timeout django setuptools pip".split()
)
RUN_BY = re.compile(r"(?:^|\s)-m\s*(\w+)")
ENDS = (".py", ".pyc", ".so", ".pyd")
SETS_PATH, WORDS = re.compile(r"\bPATH\b"), re.compile(r"[\w.+-]+")


def names(sites: "Iterable[str]" = ()) -> "frozenset[str]":
    """Return the names of modules that nobody replaces in good faith: of the library, of runners, of what is installed."""
    library = getattr(sys, "stdlib_module_names", None) or {_module(name) for name in paths.names(os.path.dirname(os.__file__))}
    installed = {
        _module(name) for site in sites for name in paths.names(site) if not name.endswith((".dist-info", ".egg-info", ".pth"))
    }
    return frozenset(set(library) | RUNNERS | installed) - {"__pycache__", ""}


def roots(criteria: "Iterable[Criterion]", top: str, tests: "Iterable[str]") -> "set[str]":
    """Return the folders from which the checks import, as seen from the top: where they run, `src`, and beside tests."""
    found = {os.path.relpath(os.path.realpath(each.folder), os.path.realpath(top)) for each in criteria if each.folder}
    found |= {os.path.dirname(path) for path in tests if path.endswith(".py")}
    found |= {os.path.join(root, "src") for root in [*found, ""]}
    return {"" if root == "." else root.removeprefix("./") for root in found if not root.startswith("..")} | {""}


def is_one(path: str, added: "Collection[str]", where: "Collection[str]", known: "Collection[str]") -> bool:
    """Say whether a new file is, or belongs to, a module that would be imported in place of a known one."""
    for root in where:
        inside = path[len(root) + 1 :] if root and path.startswith(root + "/") else "" if root else path
        first, slash, _ = inside.partition("/")
        if slash and first in known and os.path.join(root, first, "__init__.py") in added:
            return True
        if not slash and inside.endswith(ENDS) and _module(inside) in known:
            return True
    return False


def run_by(texts: "Iterable[str]") -> "frozenset[str]":
    """Return the names of the modules that command lines run by `-m`."""
    return frozenset([name for text in texts for name in RUN_BY.findall(text)])


def is_run(path: str, run: "Collection[str]") -> bool:
    """Say whether a new file is, or belongs to, a module that the checks run by its name: any folder may come first."""
    folder, _, name = path.rpartition("/")
    return (name.endswith(ENDS) and _module(name) in run) or not set(run).isdisjoint(folder.split("/"))


def programs(texts: "Iterable[str]") -> "frozenset[str]":
    """Return the names of the programs that command lines may look for in a folder of the tree; none where they set no path."""
    said = "\n".join(texts)
    return frozenset([word for word in set(WORDS.findall(said)) if shutil.which(word)] if SETS_PATH.search(said) else ())


def _module(name: str) -> str:
    return name.partition(".")[0]
