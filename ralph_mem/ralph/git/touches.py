"""Tell what a loop's programs changed in a repository from what somebody else did there meanwhile.

Of each write it keeps what that found and what it left: where the next one finds something else, another hand was at work.
"""

import os
from collections import namedtuple

from ralph_mem.ralph.git import state as states
from ralph_mem.ralph.git.state import FILE, HEAD, INDEX, LOG, REF, REPOSITORY, STASHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.attribution.writes import Writes
    from ralph_mem.ralph.git.repository import Repository
    from ralph_mem.ralph.git.state import Item, State

Hands = namedtuple("Hands", "theirs both", defaults=(frozenset(), frozenset()))
Hands.__doc__ = "The items of a repository that somebody else alone changed, and those that the loop's programs changed as well."
NOBODY = Hands()

ANYTHING = None  # what a write left that may write whatever it likes until it is done
LOCK, PACKED, STASH_LOG = ".lock", "packed-refs", f"logs/{states.STASH}"
UNREAD = ("objects/", "logs/", "lfs/", "annex/")  # below these no content is an item
READ = (STASH_LOG, "objects/info/alternates")  # but for these


class _Place:
    """A repository with the beginnings of the paths that are its own."""

    def __init__(self, repository: "Repository") -> None:
        self.repository = repository
        self.common, self.private = os.path.realpath(repository.common), os.path.realpath(repository.private)
        self.pointer = f"{os.path.realpath(repository.top)}/.git"

    def path_of(self, item: "Item") -> str:
        """Return the file that holds an item."""
        kind, name = item
        if kind == FILE and name == states.POINTER:
            return self.pointer
        named = {HEAD: f"{self.private}/HEAD", INDEX: f"{self.private}/index"}
        return named.get(kind) or f"{self.common}/{STASH_LOG if kind == STASHES else name}"

    def packed(self, path: str = "") -> "dict[str, str]":
        """Return the packed refs."""
        return states.packed_in(path or f"{self.common}/{PACKED}")

    def value(self, path: str, source: str = "") -> "str | None":
        """Return what a file holds that is an item, as the states have it; `source` is the file that has its content."""
        name, source = path[len(self.common) + 1 :], source or path
        if path == f"{self.private}/index":
            return states.staged_of(self.repository, source) if os.path.exists(source) else ""
        if name.startswith("refs/"):
            return states.text_of(source) or (self.packed().get(name, "") if source == path else "")
        is_text = name == "HEAD" or name.startswith(states.WORKTREES) or path in (f"{self.private}/HEAD", self.pointer)
        return states.text_of(source) if is_text else states.digest_of(source)


class Touches:
    """What programs wrote in some repositories; `moved`, `gone` and `opened` are told of each call before it is carried out."""

    def __init__(self, there: "list[Repository]") -> None:
        # an inner repository may lie in the folder of an outer one
        self._places = sorted([_Place(each) for each in there], key=lambda place: -len(place.common))
        self._beginnings = tuple({f"{path}/" for place in self._places for path in (place.common, place.private)})
        self._pointers = {place.pointer: place for place in self._places}
        self._written: dict[str, tuple[str | None, str | None, bool]] = {}  # found at first, left at last, another hand between
        self._folders: set[str] = set()  # all below them is as whoever wrote wanted it
        self._made: set[str] = set()  # entries of the stash
        self._dropped: set[str] = set()

    def moved(self, source: str, target: str) -> None:
        """Note that a file or folder takes the place of another."""
        is_folder = os.path.isdir(source) and not os.path.islink(source)
        for path, comes in ((target, source), (source, "")):
            place = self._place(path)
            if place and is_folder:
                self._folders.add(path)
            elif place:
                self._note(place, path, comes)

    def gone(self, path: str) -> None:
        """Note that a file goes; a folder that does is empty."""
        place = self._place(path)
        if place and not (os.path.isdir(path) and not os.path.islink(path)):
            self._note(place, path, "")

    def opened(self, path: str) -> None:
        """Note that a file is written to, nobody knows what."""
        place = self._place(path)
        if place:
            self._note(place, path, ANYTHING)

    def _place(self, path: str) -> "_Place | None":
        if path in self._pointers:
            return self._pointers[path]
        if not path.startswith(self._beginnings) or path.endswith(LOCK):
            return None
        return next((each for each in self._places if path.startswith((f"{each.common}/", f"{each.private}/"))), None)

    def _note(self, place: _Place, path: str, source: "str | None") -> None:
        """Note a write; `source` is the file that takes the place of this one, empty where none does."""
        name = path[len(place.common) + 1 :]
        if name == PACKED:
            self._note_packed(place, source)
        elif name == STASH_LOG:
            self._dropped |= {*states.stashes_in(path)} - {*states.stashes_in(source or "")}
        elif name.startswith("reftable/"):
            self._folders.add(f"{place.common}/refs")
        elif name.startswith(UNREAD) and name not in READ:
            self._written[path] = ("", ANYTHING, False)
        else:
            left = ANYTHING if source is None else place.value(path, source) if source else place.packed().get(name, "")
            self._add(path, place.value(path), left)
            self._made |= {left} if name == states.STASH and left else set()

    def _note_packed(self, place: _Place, source: "str | None") -> None:
        """Note what a new file of packed refs makes of those that have no file of their own."""
        before, after = place.packed(), place.packed(source) if source else {}
        if source is None:
            self._folders.add(f"{place.common}/refs")
        for name in [each for each in before.keys() | after.keys() if before.get(each) != after.get(each)]:
            if not os.path.lexists(f"{place.common}/{name}"):
                self._add(f"{place.common}/{name}", before.get(name, ""), after.get(name, ""))

    def _add(self, path: str, found: "str | None", left: "str | None") -> None:
        if found == left:
            return
        first, last, another = self._written.get(path, (found, found, False))
        self._written[path] = (first, left, another or last not in (found, ANYTHING))

    def hands(self, repository: "Repository", former: "State", now: "State") -> Hands:
        """Return what somebody else changed between two looks, in the time from which on this has been told.

        Of a repository that is gone nothing can be told.
        """
        place = next((each for each in self._places if each.repository.common == repository.common), None)
        if not (place and former.there and now.there):
            return NOBODY
        before, after = _values(former), _values(now)
        theirs: set[Item] = set()
        both: set[Item] = set()
        for item in states.changed_items(former, now):
            known = self._made if item[1] in now.stash else self._dropped
            whose = self._whose(place, item, before.get(item, ""), after.get(item, ""), known)
            if whose is not None:
                (both if whose else theirs).add(item)
        return Hands(frozenset(theirs), frozenset(both))

    def _whose(self, place: _Place, item: "Item", former: str, now: str, stashes: "set[str]") -> "bool | None":
        """Return None for an item that the loop alone changed, else whether it did so too."""
        path = place.path_of(item)
        if item[0] == REPOSITORY or any([path.startswith(f"{folder}/") for folder in list(self._folders)]):
            return None
        if item[0] == STASHES:
            return None if item[1] in stashes else False
        if path not in self._written:
            return False
        first, last, another = self._written[path]
        if item[0] == LOG or (first == former and not another and last in (ANYTHING, now)):
            return None
        return True


def _values(state: "State") -> "dict[Item, str]":
    """Return what the items hold, as it is read off their files."""
    return {**states.items_of(state), (INDEX, ""): state.staged if state.index else ""}


def left_in(written: "Writes", repository: "Repository", former: "State", now: "State") -> Hands:
    """Return the same by what a loop that was killed had written, file by file: of each the last time alone is known.

    What somebody else wrote to after that both changed. Of a repository that is gone nothing can be told.
    """
    if not (former.there and now.there):
        return NOBODY
    place = _Place(repository)
    whose = {item: _by_whom(place, item, now, written) for item in states.changed_items(former, now)}
    return Hands(
        frozenset([item for item, other in whose.items() if other is False]),
        frozenset([item for item, other in whose.items() if other is True]),
    )


def _by_whom(place: _Place, item: "Item", now: "State", written: "Writes") -> "bool | None":
    """Return as `_whose`. A stash that is there was made by who wrote to their list last."""
    path = place.path_of(item)
    if item[0] == REF and not os.path.lexists(path) and not written.took(path):
        path = f"{place.common}/{PACKED}"
    try:
        is_ours = written.explains(path, os.lstat(path).st_ctime_ns, False)
    except OSError:
        is_ours = written.took(path)
    is_made = item[0] == STASHES and item[1] in now.stash
    return None if is_ours else bool(written.last(path)) and not is_made
