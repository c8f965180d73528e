"""Name what git knows in a repository as items that change for themselves."""

from ralph_mem.ralph.git import state as states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.ralph.git.state import State

    # A kind and a name: of a ref, file or reflog, the id of a stash entry, else empty.
    Item = tuple[str, str]
    Items = dict[Item, Any]

HEAD, REF, STASHES, INDEX, FILE, LOG, OBJECTS, REPOSITORY = "head", "ref", "stash", "index", "file", "log", "objects", "repository"
POINTER = ""  # as the name of a file: the `.git` that is one


def of(state: "State") -> "Items":
    """Return what a repository knows, but for its stashes and reflogs, which only grow unless somebody cuts them."""
    found: Items = {(REPOSITORY, ""): state.there}
    if state.there:
        found[HEAD, ""] = state.head
        found[INDEX, ""] = state.staged or state.index
        found[FILE, POINTER] = state.pointer
    found.update(((REF, name), value) for name, value in state.refs.items())
    found.update(((FILE, name), value) for name, value in state.files.items())
    return found


def differing(one: "Items", other: "Items") -> "set[Item]":
    """Return the items that are not the same in both."""
    return {item for item in one.keys() | other.keys() if one.get(item) != other.get(item)}


def changed(former: "State", now: "State") -> "set[Item]":
    """Return what is not as it was, with each stash entry that came or went and each reflog that was cut."""
    stashes = {(STASHES, entry) for entry in {*former.stash} ^ {*now.stash}}
    logs = {(LOG, name) for name, told in former.logs.items() if states.is_cut(told, now.logs.get(name, []))}
    return differing(of(former), of(now)) | stashes | logs


def as_now(former: "State", now: "State", taken: "Iterable[Item]") -> "State":
    """Return an earlier state in which these items are as they are now."""
    named = {REF: ({**former.refs}, now.refs), FILE: ({**former.files}, now.files), LOG: ({**former.logs}, now.logs)}
    stash = [*former.stash]
    rest: dict[str, Any] = {}
    for kind, name in taken:
        if kind == STASHES:
            stash = [name, *stash] if name in now.stash else [entry for entry in stash if entry != name]
        elif kind in named and name != POINTER:
            _take(name, *named[kind])
        else:
            rest |= {field: getattr(now, field) for field in FIELDS[kind]}
    return former._replace(refs=named[REF][0], files=named[FILE][0], logs=named[LOG][0], stash=stash, **rest)


FIELDS = {HEAD: ("head",), INDEX: ("index", "staged"), FILE: ("pointer",), REPOSITORY: ("there",)}


def _take(name: str, to: "dict[str, Any]", source: "dict[str, Any]") -> None:
    if name in source:
        to[name] = source[name]
    else:
        to.pop(name, None)
