"""Carry out what a rollback does to git.

Its settings come first, since nothing works under broken ones, and the index last.
"""

import os
from contextlib import suppress

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.git import copies, journal
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.git import state as states
from ralph_mem.ralph.git.journal import Action
from ralph_mem.ralph.git.state import FILE, HEAD, INDEX, LOG, OBJECTS, POINTER, REF, REPOSITORY, STASHES
from ralph_mem.ralph.snapshot import listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.git.repository import Repository

ORDER = (REPOSITORY, FILE, OBJECTS, REF, HEAD, STASHES, LOG, INDEX)
WHY = "ralph-mem: rollback"


def carry_out(project: "Project", run: str, actions: "Sequence[Action]", most_bytes: int) -> "tuple[list[str], list[str]]":
    """Do what a plan says, after a copy of what is there now; returns in lines what came back and what could not.

    Raises SnapshotError, and then nothing has been changed.
    """
    if not actions:
        return [], []
    there = {each.name: each for each in journal.guarded(project, run)}
    label = journal.label_of(project, run)
    top = copies.read(project, run)["repositories"]["top"]
    copies.keep(project, list(there.values()), run, most_bytes, top, label)
    try:
        journal.write(project, run, journal.Rollback(label, list(actions)))
    except OSError as error:
        raise SnapshotError(
            f"what git would be put back to cannot be written down: {error.strerror}", "make room on the disk"
        ) from error
    done, failed = [], []
    for action in sorted(actions, key=lambda each: ORDER.index(each.kind)):
        why = _try(_Place(project, run, there[action.name], action))
        done += [] if why else [action.says]
        failed += [f"{action.says}: {why}"] if why else []
    return done, failed


class _Place:
    """Where one action is done, and where its copy lies."""

    def __init__(self, project: "Project", run: str, repository: "Repository", action: Action) -> None:
        self.project, self.repository, self.action = project, repository, action
        self.store = copies.folder_of(project)
        self.held = copies.read(project, run, action.label)
        self.folder = f"{self.store}/{run}/{action.label}"

    def copied(self, path: str) -> str:
        """Return where the copy of a file lies that is named as seen from its common folder."""
        return f"{self.folder}/files/{self.repository.held}{path}"


def _try(place: _Place) -> str:
    """Do an action; returns why it could not be done."""
    try:
        return DOES[place.action.kind](place)
    except OSError as error:
        return f"{error.strerror or error}"


def _put_repository(place: _Place) -> str:
    """Make a repository again of its copy; what is still there of it stays, but for what it was told apart by."""
    repository, copy = place.repository, place.copied("").rstrip("/")
    for link in repositories.links_instead(repository):
        paths.remove(link)
    if not repositories.has_head(repository):
        paths.remove(f"{repository.private}/HEAD")
    for here, folders, names in os.walk(copy):
        if here == copy and not repository.held:
            folders[:] = [name for name in folders if f"{name}/" != repositories.NESTED]
        for name in names:
            target = f"{repository.common}{here[len(copy) :]}/{name}"
            if not os.path.lexists(target):
                copies.copy(f"{here}/{name}", target, shared=True)
    for path in ("objects", "refs"):
        os.makedirs(f"{repository.common}/{path}", exist_ok=True)
    copies.put_back(place.store, repository, [path for path in place.held["fixed"] if _is_in(path, repository.held)])
    _put_pointer(repository, repository.pointer)
    return _unpack(place)


def _is_in(path: str, held: str) -> bool:
    return path.startswith(held) if held else not path.startswith(repositories.NESTED)


def _unpack(place: _Place) -> str:
    pack = f"{place.folder}/{place.repository.held}{copies.PACK}"
    if not os.path.exists(pack):
        return ""
    with open(pack, "rb") as file:
        code, _ = repositories.ask(place.repository, "index-pack", "--stdin", "--fix-thin", given=file.read())
    return "git cannot unpack what no remote has" if code else ""


def _put_pointer(repository: "Repository", text: str) -> None:
    path = f"{repository.top}/.git"
    if text and not os.path.isdir(path):
        os.makedirs(repository.top, exist_ok=True)
        paths.write(path, text)
        os.chmod(path, 0o644)


def _put_file(place: _Place) -> str:
    action = place.action
    if action.item == POINTER:
        _put_pointer(place.repository, action.value)
        return ""
    path = repositories.under(place.repository, action.item)
    if action.value is None:
        paths.remove(path)
        _remove_empty(os.path.dirname(path), place.repository.common)
    elif not os.path.lexists(place.copied(action.item)):
        return "there is no copy of it"
    else:
        copies.copy(place.copied(action.item), path, shared=True)
    return ""


def _remove_empty(folder: str, top: str) -> None:
    """Remove folders of a rebase or the like that hold nothing any more: for git it is under way while one is there."""
    with suppress(OSError):  # there is something in it
        while any(part in states.UNDER_WAY_FOLDERS for part in folder[len(top) :].split("/")):
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def _put_objects(place: _Place) -> str:
    copies.put_back(place.store, place.repository, place.action.value)
    return ""


def _put_ref(place: _Place) -> str:
    name, value, was = place.action.item, place.action.value, place.action.was or ""
    if value and value.startswith("ref: "):
        return _said(place, "symbolic-ref", "-m", WHY, name, value[len("ref: ") :])
    order = f"update {name} {value} {was if was[:5] != 'ref: ' else ''}" if value else f"delete {name} {was}"
    return _said(
        place, "update-ref", "-m", WHY, "--no-deref", "--stdin", given=f"{order.strip()}\n".encode("utf-8", "surrogateescape")
    )


def _put_head(place: _Place) -> str:
    value = place.action.value
    if value.startswith("ref: "):
        return _said(place, "symbolic-ref", "-m", WHY, "HEAD", value[len("ref: ") :])
    return _said(place, "update-ref", "-m", WHY, "--no-deref", "HEAD", value)


def _said(place: _Place, *words: str, given: bytes = b"") -> str:
    code, _ = repositories.ask(place.repository, *words, given=given)
    if code == listing.COULD_NOT_RUN:
        return "git is not installed"
    return "git refuses to do it; was it changed just now?" if code else ""


def _put_stashes(place: _Place) -> str:
    """Write the stash entries anew: git has no command that puts one between two others."""
    wanted, log = place.action.value, repositories.under(place.repository, f"logs/{states.STASH}")
    known: dict[str, str] = {}
    for path in (place.copied(f"logs/{states.STASH}"), log):
        known.update({line.split(" ", 2)[1]: line for line in states.log_lines(_text(path))})
    if not wanted:
        return _said(place, "update-ref", "-d", states.STASH)
    why = _said(place, "update-ref", states.STASH, wanted[0])
    if why:
        return why
    former, lines = "0" * len(wanted[0]), []
    for entry in reversed([each for each in wanted if each in known]):
        lines.append(" ".join([former, *known[entry].split(" ")[1:]]))
        former = entry
    _write(log, "".join([f"{line}\n" for line in lines]))
    return ""


def _put_log(place: _Place) -> str:
    """Put what a reflog has lost before what it has now."""
    path = repositories.under(place.repository, place.action.item)
    lost, now = [states.log_lines(_text(each)) for each in (place.copied(place.action.item), path)]
    if not lost:
        return "there is no copy of it"
    _write(path, "".join([f"{line}\n" for line in [*lost, *[line for line in now if line not in lost]]]))
    return ""


def _put_index(place: _Place) -> str:
    """Put the index back under git's own lock."""
    own = repositories.own(place.repository)
    index, source = f"{place.repository.private}/index", place.copied(f"{own}index")
    lock = f"{index}.lock"
    try:
        os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))
    except FileExistsError:
        return "git is at work on the index"
    try:
        _put_shared(place, own)
        if os.path.lexists(source):
            copies.copy(source, index, shared=True)
        else:  # nothing was staged, and no commit was there
            paths.remove(index)
    finally:
        paths.remove(lock)
    return ""


def _put_shared(place: _Place, own: str) -> None:
    """Put back what a split index builds on."""
    folder = os.path.dirname(place.copied(f"{own}index"))
    with suppress(FileNotFoundError):
        for name in [name for name in os.listdir(folder) if name.startswith("sharedindex.")]:
            if not os.path.lexists(f"{place.repository.private}/{name}"):
                copies.copy(f"{folder}/{name}", f"{place.repository.private}/{name}", shared=True)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
    paths.write(path, text)
    os.chmod(path, mode)


DOES: "dict[str, Callable[[_Place], str]]" = {
    REPOSITORY: _put_repository, FILE: _put_file, OBJECTS: _put_objects, REF: _put_ref, HEAD: _put_head, STASHES: _put_stashes,
    LOG: _put_log, INDEX: _put_index,
}  # fmt: skip
