"""List every file of all worktrees that may hold what a memory holds, and clear those that are no databases."""

import json
import os
from collections import namedtuple

from ralph_mem.core import fast, git, paths, places, spool
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.maintenance.forget import verify
from ralph_mem.maintenance.recovery import backups
from ralph_mem.memory.rows import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ralph_mem.memory.store.connection import Store


def worktrees_of(project: "Project") -> "list[Project]":
    """Return a project as each of its worktrees sees it, the main one and this one first; without git it is one.

    Also those that were removed since a loop ran in them.
    """
    tops = [project.top, project.root, *_linked(project.common or f"{project.root}/.git")]
    if paths.names(f"{paths.data_home()}/{paths.LOOPS}"):
        from ralph_mem.ralph import runs  # lazy: only where there has been a loop

        tops += runs.trees_of(project.root)
    return [Project(project.root, project.git, project.common, top) for top in dict.fromkeys(tops) if top]


def _linked(common: str) -> "list[str]":
    """Return where git has linked worktrees; the path in `gitdir` may begin at the folder that it lies in."""
    folders = [f"{common}/worktrees/{name}" for name in paths.names(common + "/worktrees")]
    told = [(folder, paths.read(folder + "/gitdir", 4096).rstrip("\n")) for folder in folders]
    return [git.absolute(folder, path).rpartition("/")[0] for folder, path in told if path]


FORGOTTEN = "[forgotten]"
ANY_TIME = 1 << 62  # in milliseconds: all that waits is from before
# What a forget says of the tables beside the rows of memory, by their kinds.
WHOSE = {"loop_run": "loop tables", "iteration": "loop tables", "outbox": "team tables"}
ENCRYPTED = b"age-encryption.org/v1"  # as the format of age begins, which a skill does not load

Artefact = namedtuple("Artefact", "path kind")  # of the kinds that places.py has


def of(project: "Project", stores: "list[Store]") -> "list[Artefact]":
    """Return every file of both places: the memories' folders and the data home."""
    near = [_near(path, store) for store in stores for path in verify.inside(store.folder)]
    home = paths.data_home()
    keys = keys_of(project, stores)
    far = [_far(path, path[len(home) + 1 :], keys) for path in verify.inside(home)] if home else []
    return [*near, *[artefact for artefact in far if artefact]]


def keys_of(project: "Project", stores: "list[Store]") -> "list[str]":
    """Return the names by which files outside of a project are its own: made from its paths, and the ids of its memories.

    Also of those that lay in its place before: a backup of them can be brought back.
    """
    everywhere = [paths.key_of(store.folder) for store in stores if store.folder == paths.config_home()]
    ids = [str(store.property("project_id")) for store in stores if store.property("project_id")]
    tops = [paths.key_of(tree.top) for tree in worktrees_of(project)]
    return list(dict.fromkeys([paths.key_of(project.root), *tops, *everywhere, *ids, *backups.memories_of(project)]))


def _near(path: str, store: "Store") -> Artefact:
    place = places.of(path[len(store.folder) + 1 :], places.IN_MEMORY)
    return Artefact(path, place.on_forget if place else places.COPY if verify.is_database(path) else places.THEIRS)


def _far(path: str, name: str, keys: "list[str]") -> "Artefact | None":
    """Tell the kind of a file in the data home; None for what holds no text."""
    place = places.of(name, places.IN_DATA_HOME)
    own = any([key in part for part in name.split("/") for key in keys])
    if place and (own or place.whose == places.ALL):
        return Artefact(path, place.on_forget) if place.on_forget != places.NO_TEXT else None
    if "/" in name and not own:
        return Artefact(path, places.ELSEWHERE)
    return Artefact(path, places.COPY if verify.is_database(path) else places.CACHE)


def of_kind(found: "list[Artefact]", *kinds: str) -> "list[str]":
    """Return the paths of some kinds."""
    return [artefact.path for artefact in found if artefact.kind in kinds]


def holding(files: "list[str]", needles: "verify.Needles", typed: bool = False) -> "list[str]":
    """Return the files that hold one of the needles, as a separate process sees them; with `typed` a short query is one, too."""
    pieces = needles.pieces + needles.typed() * typed
    held = verify.holding(files, {verify.PIECES: pieces, verify.NAMES: needles.names})
    return [path for path in files if held.get(path)]


def shared_files(project: "Project", names: "list[str]") -> "list[str]":
    """Return the files by which rows of these ids were shared, below the top of the work tree."""
    top = f"{project.top}/{paths.TEAM_FILES}"
    found = [f"{paths.TEAM_FILES}/{kind}/{name}.md" for kind in paths.names(top) for name in names]
    return [each for each in found if paths.exists(f"{project.top}/{each}")]


def telling(project: "Project", needles: "verify.Needles", everything: bool) -> "list[str]":
    """Return which events that wait for a project, and which records of its loops, tell of it; with `everything` all that waits."""
    found = of(project, [])
    waiting, records = of_kind(found, places.WAITING), of_kind(found, places.LOOP)
    if everything:
        return waiting
    if not (needles.pieces or needles.typed()):
        return []
    told = [path for path in holding(waiting, needles, typed=True) if _kept(path, needles, ANY_TIME) is not None]
    return told + [path for path in holding(records, needles, typed=True) if _tells(path, needles)]


def _tells(path: str, needles: "verify.Needles") -> bool:
    with open(path, "rb") as file:
        return any([_redacted(line.rstrip(b"\r\n"), needles) != line.rstrip(b"\r\n") for line in file])


def clear_spool(files: "list[str]", needles: "verify.Needles | None", before: int) -> "list[str]":
    """Take the text out of what waits: records from before a time go, what cannot be understood goes as a whole.

    Without needles all of them go.
    """
    changed = []
    for path in holding(files, needles, typed=True) if needles else files:
        kept = _kept(path, needles, before) if path.endswith(".json") else []
        if kept is None:
            continue
        changed.append(path)
        if kept:
            paths.write(path, fast.dumps(kept))
        else:
            paths.remove(path)
    return changed


def _kept(path: str, needles: "verify.Needles | None", before: int) -> "list[Any] | None":
    """Return the records of a file that stay; None where all of them do."""
    try:
        records = fast.loads(spool.take(path))
        goes = needles.told_by if needles else bool
        kept = [each for each in records if each["at"] > before or not goes(json.dumps(each, ensure_ascii=False))]
    except (ValueError, TypeError, LookupError):
        return []
    return None if kept == records else kept


def clear_caches(files: "list[str]", needles: "verify.Needles") -> "list[str]":
    """Remove what is made again when it is needed."""
    found = holding(files, needles)
    for path in found:
        paths.remove(path)
    return found


def redact_records(files: "list[str]", needles: "verify.Needles") -> "list[str]":
    """Take the text out of records of loops: each value that holds it is replaced, and its bytes on the disk are overwritten.

    Raises RalphMemError where a record cannot be written.
    """
    return [path for path in holding(files, needles, typed=True) if _redact(path, needles)]


def _redact(path: str, needles: "verify.Needles") -> bool:
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            paths.lock(file, wait_s=paths.FOR_EVER)  # whoever adds a line waits, and finds the same file
            return _redact_lines(file, needles)
        finally:
            os.close(file)
    except OSError as error:
        raise RalphMemError(f"cannot write {path}: {error.strerror}", "is it yours, and is there room?") from error


def _redact_lines(file: int, needles: "verify.Needles") -> bool:
    """Overwrite each line that holds a needle in its place, so that a kill leaves whole lines: old ones or new ones."""
    at, changed = 0, False
    data = os.pread(file, os.fstat(file).st_size, 0)
    for line in data.splitlines(keepends=True):
        bare = line.rstrip(b"\r\n")
        redacted = _redacted(bare, needles)
        if redacted != bare:
            os.pwrite(file, redacted.ljust(len(bare)), at)
            changed = True
        at += len(line)
    os.fsync(file)
    return changed


def _redacted(line: bytes, needles: "verify.Needles") -> bytes:
    """Return a line without what a needle tells of; it is never longer than before."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return b"" if needles.told_by(line.decode("utf-8", "replace")) else line
    changed = _without(entry, needles)
    if changed == entry:
        return line
    ascii_only = line.isascii()
    written = json.dumps(changed, separators=(",", ":"), ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    return written if len(written) <= len(line) else b"{}"


def _without(value: "Any", needles: "verify.Needles") -> "Any":
    if isinstance(value, str):
        return FORGOTTEN[: len(value)] if needles.told_by(value) else value
    if isinstance(value, list):
        return [_without(each, needles) for each in value]
    if isinstance(value, dict):
        return {key: _without(each, needles) for key, each in value.items() if not needles.find_in(key)}
    return value


def redact_tables(store: "Store", needles: "verify.Needles") -> "dict[str, int]":
    """Take the text out of the tables beside the rows of memory; returns how many values of whom. In a transaction."""
    changed: dict[str, int] = {}
    for kind in kinds.beside(store):
        for number, *values in store.execute(f"SELECT rowid, {', '.join(kind.texts)} FROM {kind.table}").fetchall():
            for column, value in zip(kind.texts, values):
                text = _redacted_value(value, needles) if isinstance(value, str) and needles.told_by(value) else value
                if text != value:
                    store.execute(f"UPDATE {kind.table} SET {column} = ? WHERE rowid = ?", (text, number))
                    whose = WHOSE.get(kind.name, "tables")
                    changed[whose] = changed.get(whose, 0) + 1
    return changed


def _redacted_value(value: str, needles: "verify.Needles") -> str:
    """Return a text of a row without it: what is JSON stays JSON."""
    try:
        found = json.loads(value)
    except ValueError:
        return FORGOTTEN
    return json.dumps(_without(found, needles)) if isinstance(found, (dict, list)) else FORGOTTEN


def exports(needles: "verify.Needles") -> "list[str]":
    """Return the exports that we know of and that hold the text. They are the person's own: they are named and left alone."""
    inside = {path: verify.inside(path) if os.path.isdir(path) else [path] for path in listed_exports()}
    pieces = list(dict.fromkeys([text for piece in needles.long_pieces() for text in (piece, _as_html(piece))]))
    held = verify.holding(
        [file for files in inside.values() for file in files], {verify.PIECES: pieces, verify.NAMES: needles.names}
    )
    return [path for path, files in inside.items() if any([held.get(file) for file in files])]


def _as_html(text: str) -> str:
    """Return a text as a page has it."""
    for mark, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&#34;"), ("'", "&#39;")):
        text = text.replace(mark, escaped)
    return text


def encrypted_exports() -> "list[str]":
    """Return the exports that we know of and that a passphrase alone opens: nobody can tell what they hold."""
    return [path for path in listed_exports() if _begins_with(path, ENCRYPTED)]


def _begins_with(path: str, mark: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(mark)) == mark
    except OSError:
        return False


def listed_exports() -> "list[str]":
    """Return the exports that were written and are there still: the person's own files, and folders of pages."""
    home = paths.data_home()
    listed = paths.read(f"{home}/{paths.EXPORTS}", 16_777_216).splitlines() if home else []
    return list(dict.fromkeys([path for path in map(_path_of, listed) if path and (os.path.isfile(path) or os.path.isdir(path))]))


def _path_of(line: str) -> str:
    try:
        told = json.loads(line)
    except ValueError:
        return ""
    return str(told.get("path") or "") if isinstance(told, dict) else ""


def walk(found: "list[Artefact]") -> "Iterator[str]":
    """Yield what is to be verified: every file that a forget must leave clean. What was set aside is told of otherwise."""
    for artefact in found:
        if artefact.kind not in (places.THEIRS, places.ELSEWHERE, places.SNAPSHOT, places.ASIDE):
            yield artefact.path
