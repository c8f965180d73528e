"""Find the packages of Node that run tests, with what these need, and link packages into a copy."""

import os
import re
import shutil

from ralph_mem.core import paths
from ralph_mem.ralph.criteria import build_files
from ralph_mem.ralph.judges import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ralph_mem.ralph.criteria import Criterion

FOLDER, PROGRAMS = "node_modules", ".bin"
RUNNERS = re.compile(
    r"jest(-.*)?|vitest|mocha|ava|tap|tape|uvu|jasmine(-core)?|chai|expect|c8|nyc|karma|ts-node|tsx|ts-jest|babel-jest"
    r"|typescript|eslint|cypress|playwright(-core)?|@(jest|vitest|playwright|tapjs)/.*"
)
NEEDS = ("dependencies", "optionalDependencies", "peerDependencies")
DEEPEST = 3  # folders above the one that a check runs in
MOST = 1_000  # packages; jest, which needs most, has some 250


def watched(criteria: "Sequence[Criterion]", top: str) -> "Iterator[str]":
    """Yield the paths of the programs of packages, and of the packages that run tests or that one of those needs."""
    folders = _folders(criteria, top)
    for folder in folders:
        yield from [f"{folder}/{PROGRAMS}/{name}" for name in paths.names(f"{folder}/{PROGRAMS}")]
    runners = [f"{folder}/{name}" for folder in folders for name in _names(folder) if RUNNERS.fullmatch(name)]
    yield from _with_needs(runners)


def is_harmless(path: str, known: "Collection[str]", words: "Collection[str]", search: "str | None") -> bool:
    """Say whether what is new among packages takes the place of nothing.

    That is a program that no check names and that stands before no other on the path, or a package that no runner had known.
    """
    place, _, name = path.rpartition("/")
    if place.endswith(f"/{FOLDER}/{PROGRAMS}"):
        return name not in words and not shutil.which(name, path=search)
    package = path.rpartition(f"/{FOLDER}/")[2]
    is_one = f"/{FOLDER}/" in path and not RUNNERS.fullmatch(package)
    return is_one and not any([each.endswith(f"/{FOLDER}/{package}") for each in known])


def nearer(known: "Collection[str]", top: str) -> "Iterator[str]":
    """Yield the packages of a tree that are called like a known one, and that what lies in their folder takes before that."""
    held = [path.partition(f"/{FOLDER}/")[2] for path in known if path.startswith(f"{top}/{FOLDER}/")]
    for folder, below, _ in os.walk(top) if held else ():
        place = f"{folder}/{FOLDER}"
        if FOLDER in below and folder != top:
            yield from [f"{place}/{name}" for name in held if os.path.lexists(f"{place}/{name}") and f"{place}/{name}" not in known]
        below[:] = [name for name in below if name not in (FOLDER, ".git")]


def _folders(criteria: "Sequence[Criterion]", top: str) -> "list[str]":
    found = {f"{top}/{FOLDER}"}
    for criterion in criteria:
        folder = criterion.folder or top
        for _ in range(DEEPEST):
            found.add(f"{folder}/{FOLDER}")
            folder = os.path.dirname(folder)
    return sorted(folder for folder in found if os.path.isdir(folder))


def _names(folder: str) -> "Iterator[str]":
    for name in paths.names(folder):
        yield from [f"{name}/{each}" for each in paths.names(f"{folder}/{name}")] if name.startswith("@") else [name]


def _with_needs(packages: "list[str]") -> "list[str]":
    """Return packages with those that they need, each where Node would take it from; one that is a link is where it leads."""
    found: dict[str, None] = {}
    waiting = packages[::-1]
    while waiting and len(found) < MOST:
        path = waiting.pop()
        package = os.path.realpath(path) if os.path.islink(path) else path
        if package not in found and FOLDER in package.split("/"):
            found[package] = None
            said = build_files.of_json(f"{package}/package.json")
            needed = sorted({name for key in NEEDS for name in build_files.below(said, key)})
            waiting += [place for name in needed if (place := _resolved(package, name))]
    return list(found)


def _resolved(package: str, name: str) -> str:
    place = package
    while len(place) > 1:
        if os.path.isdir(f"{place}/{FOLDER}/{name}"):
            return f"{place}/{FOLDER}/{name}"
        place = os.path.dirname(place)
    return ""


def link_into(source: str, target: str, top: str, copy: str) -> None:
    """Link to a folder of packages, or make one of links, where some packages are folders of the tree `top`. Raises OSError."""
    inside = dict(_of_the_tree(source, os.path.realpath(top)))
    if not inside:
        os.symlink(source, target)
        return
    for name in _packages_in(source):
        os.makedirs(os.path.dirname(f"{target}/{name}"), exist_ok=True)
        os.symlink(f"{copy}/{inside[name]}" if name in inside else f"{source}/{name}", f"{target}/{name}")


def _packages_in(folder: str) -> "Iterator[str]":
    """Yield the packages in a folder, those of a scope and the programs each by itself."""
    for name in paths.names(folder):
        is_of_many = (name.startswith("@") or name == PROGRAMS) and not os.path.islink(f"{folder}/{name}")
        yield from [f"{name}/{each}" for each in paths.names(f"{folder}/{name}")] if is_of_many else [name]


def _of_the_tree(folder: str, top: str) -> "Iterator[tuple[str, str]]":
    for name in _packages_in(folder):
        if os.path.islink(f"{folder}/{name}"):
            path = os.path.relpath(os.path.realpath(f"{folder}/{name}"), top)
            if path != "." and not path.startswith("..") and kinds.INSTALLED.isdisjoint(path.split("/")):
                yield name, path
