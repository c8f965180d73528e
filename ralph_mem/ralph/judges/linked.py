"""Bring the packages of Node into a copy, where links into the tree lead into the copy."""

import os

from ralph_mem.core import paths
from ralph_mem.ralph.judges import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = ".bin"


def bring(source: str, target: str, top: str, copy: str) -> None:
    """Link to a folder of packages, or make one of links, where some packages are folders of the tree `top`. Raises OSError."""
    inside = dict(_of_the_tree(source, os.path.realpath(top)))
    if not inside:
        os.symlink(source, target)
        return
    for name in _names(source):
        os.makedirs(os.path.dirname(f"{target}/{name}"), exist_ok=True)
        os.symlink(f"{copy}/{inside[name]}" if name in inside else f"{source}/{name}", f"{target}/{name}")


def _names(folder: str) -> "Iterator[str]":
    """Yield the packages in a folder, those of a scope and the programs each by itself."""
    for name in paths.names(folder):
        is_of_many = (name.startswith("@") or name == PROGRAMS) and not os.path.islink(f"{folder}/{name}")
        yield from [f"{name}/{each}" for each in paths.names(f"{folder}/{name}")] if is_of_many else [name]


def _of_the_tree(folder: str, top: str) -> "Iterator[tuple[str, str]]":
    for name in _names(folder):
        if os.path.islink(f"{folder}/{name}"):
            path = os.path.relpath(os.path.realpath(f"{folder}/{name}"), top)
            if path != "." and not path.startswith("..") and kinds.INSTALLED.isdisjoint(path.split("/")):
                yield name, path
