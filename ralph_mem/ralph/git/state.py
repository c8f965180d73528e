"""Read what git knows in a repository from its files, as items that change for themselves.

No process is started but for an index that has other bytes than before: what is staged may be the same.
"""

import os
from collections import namedtuple
from hashlib import blake2b

from ralph_mem.ralph.git import repository as repositories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ralph_mem.ralph.git.repository import Repository

    # A kind and a name: of a ref, file or reflog, the id of a stash entry, else empty.
    Item = tuple[str, str]
    Items = dict[Item, Any]

State = namedtuple("State", "there head refs stash index staged files logs pointer worktrees")
State.__doc__ = """What git knows.

`head` is the text of HEAD, `refs` maps names to ids (or `ref: NAME`), `stash` lists ids, the newest first, `index` tells the
bytes of the index and `staged` what is in it. `files` maps paths below the common folder to digests of what says how git works
there, and of a merge or rebase that is under way; `logs` maps reflogs to their length and a digest of their beginning,
`worktrees` the HEADs of the other worktrees, by their paths below the common folder, to their texts.
"""

NOTHING = State(False, "", {}, [], "", "", {}, {}, "", {})
STASH = "refs/stash"
# What says how git works, by paths below the common folder, or below the private one.
SETTINGS = ("config", "shallow", "info/exclude", "info/attributes", "info/grafts", "objects/info/alternates")
OWN_SETTINGS = ("config.worktree", "info/sparse-checkout")
# A merge, rebase or the like that is under way.
UNDER_WAY = (
    "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD",
    "BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_NAMES",
)  # fmt: skip
UNDER_WAY_FOLDERS = ("rebase-merge", "rebase-apply", "sequencer")
HOOKS, SAMPLE = "hooks", ".sample"
REFTABLE = "reftable"
WORKTREES = "worktrees/"
MOST_BYTES = 8_388_608  # of one of these files; what says how git works has a few lines
HEAD_BYTES = 256  # of a reflog: it grows at its end, so that another beginning means that it was cut
TRAILER = 32  # bytes at the end of an index that tell it from another
HEAD, REF, STASHES, INDEX, FILE, LOG, OBJECTS, REPOSITORY = "head", "ref", "stash", "index", "file", "log", "objects", "repository"
WORKTREE = "worktree"  # the HEAD of another one
POINTER = ""  # as the name of a file: the `.git` that is one


def read(repository: "Repository", former: "State | None" = None) -> State:
    """Return what git knows now. `former` is an earlier look at it, which says what is staged where the index has not changed."""
    if not repositories.is_there(repository):
        return NOTHING
    index = index_of(f"{repository.private}/index")
    staged = former.staged if former and former.index == index else staged_of(repository)
    refs = refs_of(repository)
    refs.pop(STASH, None)
    head, stashes = text_of(f"{repository.private}/HEAD"), stashes_in(f"{repository.common}/logs/{STASH}")
    files, logs = _files(repository), _logs(repository)
    return State(True, head, refs, stashes, index, staged, files, logs, _pointer(repository), _worktrees(repository))


def _worktrees(repository: "Repository") -> "dict[str, str]":
    folder = f"{repository.common}/{WORKTREES}"
    names = [f"{WORKTREES}{name}/HEAD" for name in (sorted(os.listdir(folder)) if os.path.isdir(folder) else ())]
    names += ["HEAD"] if os.path.basename(repository.common) == ".git" else []  # a bare one has no files
    found = {name: text_of(f"{repository.common}/{name}") for name in names if name != f"{repositories.own(repository)}HEAD"}
    return {name: text for name, text in found.items() if text}


def _pointer(repository: "Repository") -> str:
    path = f"{repository.top}/.git"
    return "" if os.path.isdir(path) else text_of(path)


def refs_of(repository: "Repository") -> "dict[str, str]":
    """Return every ref with its id; one that has a file of its own counts before the packed one."""
    common = repository.common
    if os.path.isdir(f"{common}/{REFTABLE}"):
        said = repositories.ask(repository, "for-each-ref", "--format=%(refname) %(objectname)")[1].decode(
            "utf-8", "surrogateescape"
        )
        return dict([line.split(" ", 1) for line in said.splitlines()])
    found: dict[str, str] = {}
    found.update(packed_in(f"{common}/packed-refs"))
    for path in _below(f"{common}/refs"):
        value = text_of(path)
        if value and not path.endswith(".lock"):
            found[path[len(common) + 1 :]] = value
    return found


def packed_in(path: str) -> "dict[str, str]":
    """Return the refs in a file of packed ones."""
    pairs = [line.partition(" ") for line in text_of(path, None).splitlines()]
    return {name: value for value, _, name in pairs if name and value[0] not in "#^"}


def stashes_in(path: str) -> "list[str]":
    """Return the ids in the reflog of the stash, the newest first."""
    lines = log_lines(text_of(path, None))
    return [line.split(" ", 2)[1] for line in reversed(lines)]


def log_lines(text: str) -> "list[str]":
    """Return the whole lines of a reflog, the oldest first."""
    return [line for line in text.split("\n") if line.count(" ") > 1]


def index_of(path: str) -> str:
    """Return what tells an index from one with other bytes; empty where there is none."""
    try:
        with open(path, "rb") as file:
            st = os.fstat(file.fileno())
            file.seek(max(0, st.st_size - TRAILER))
            return f"{st.st_size} {file.read().hex()}"
    except OSError:
        return ""


def staged_of(repository: "Repository", index: str = "") -> str:
    """Return a digest of what an index has staged, by default that of the repository; empty where git cannot tell."""
    path = index or f"{repository.private}/index"
    code, said = repositories.ask(repository, "ls-files", "--stage", "-z", "--full-name", GIT_INDEX_FILE=path)
    return _digest(said) if not code else ""


def _files(repository: "Repository") -> "dict[str, str]":
    own = repositories.own(repository)
    named = [*SETTINGS, *[own + name for name in (*OWN_SETTINGS, *UNDER_WAY)]]
    common = repository.common
    paths = [f"{common}/{name}" for name in named]
    paths += [path for path in _below(f"{common}/{HOOKS}") if not path.endswith(SAMPLE)]
    paths += [path for name in UNDER_WAY_FOLDERS for path in _below(f"{common}/{own}{name}")]
    found = {path[len(common) + 1 :]: digest_of(path) for path in paths}
    return {name: digest for name, digest in found.items() if digest}


def digest_of(path: str) -> str:
    """Return a digest of a file and of whether it may be run, of a link its target; empty where there is neither."""
    try:
        if os.path.islink(path):
            return _digest(os.fsencode(os.readlink(path)))
        with open(path, "rb") as file:
            return _digest(file.read(MOST_BYTES) + bytes([os.fstat(file.fileno()).st_mode & 0o100]))
    except OSError:
        return ""


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _logs(repository: "Repository") -> "dict[str, list[Any]]":
    common, own = repository.common, repositories.own(repository)
    paths = [f"{common}/{own}logs/HEAD", *_below(f"{common}/logs/refs")]
    found = {path[len(common) + 1 :]: log_of(path) for path in paths}
    return {name: told for name, told in found.items() if told}


def log_of(path: str) -> "list[Any]":
    """Return the length of a reflog and a digest of its beginning, nothing where it has none."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return [size, _digest(file.read(HEAD_BYTES).partition(b"\n")[0])] if size else []
    except OSError:
        return []


def is_cut(before: "list[Any]", now: "list[Any]") -> bool:
    """Say whether a reflog has lost what it held."""
    return bool(before) and (not now or now[0] < before[0] or now[1] != before[1])


def _below(folder: str) -> "Iterator[str]":
    for here, folders, names in os.walk(folder):
        folders.sort()
        yield from [f"{here}/{name}" for name in sorted(names)]


def text_of(path: str, most: "int | None" = 4096) -> str:
    """Return the text of one of git's small files, empty where there is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(-1 if most is None else most).strip()
    except OSError:
        return ""


def commit_of(state: State) -> str:
    """Return the commit that is checked out, empty where there is none yet."""
    name = state.head.partition("ref: ")[2]
    return str(state.refs.get(name, "")) if name else state.head


def to_json(state: State) -> "dict[str, Any]":
    """Return a state as plain values."""
    return dict(state._asdict())


def from_json(told: "dict[str, Any]") -> State:
    """Return what `to_json` told of; what an older release did not know is as in a repository without it."""
    return NOTHING._replace(**{name: told[name] for name in State._fields if name in told})


def items_of(state: "State") -> "Items":
    """Return what a repository knows, but for its stashes and reflogs, which only grow unless somebody cuts them."""
    found: Items = {(REPOSITORY, ""): state.there}
    if state.there:
        found[HEAD, ""] = state.head
        found[INDEX, ""] = state.staged or state.index
        found[FILE, POINTER] = state.pointer
    found.update(((REF, name), value) for name, value in state.refs.items())
    found.update(((FILE, name), value) for name, value in state.files.items())
    found.update(((WORKTREE, name), value) for name, value in state.worktrees.items())
    return found


def differing_items(one: "Items", other: "Items") -> "set[Item]":
    """Return the items that are not the same in both."""
    return {item for item in one.keys() | other.keys() if one.get(item) != other.get(item)}


def changed_items(former: "State", now: "State") -> "set[Item]":
    """Return what is not as it was, with each stash entry that came or went and each reflog that was cut."""
    stashes = {(STASHES, entry) for entry in {*former.stash} ^ {*now.stash}}
    logs = {(LOG, name) for name, told in former.logs.items() if is_cut(told, now.logs.get(name, []))}
    return differing_items(items_of(former), items_of(now)) | stashes | logs


def with_items_of(former: "State", now: "State", taken: "Iterable[Item]") -> "State":
    """Return an earlier state in which these items are as they are now."""
    named = {kind: ({**getattr(former, field)}, getattr(now, field)) for kind, field in NAMED.items()}
    stash = [*former.stash]
    rest: dict[str, Any] = {}
    for kind, name in taken:
        if kind == STASHES:
            stash = [name, *stash] if name in now.stash else [entry for entry in stash if entry != name]
        elif kind in named and name != POINTER:
            _take(name, *named[kind])
        else:
            rest |= {field: getattr(now, field) for field in FIELDS[kind]}
    rest.update({field: named[kind][0] for kind, field in NAMED.items()})
    return former._replace(stash=stash, **rest)


NAMED = {REF: "refs", FILE: "files", LOG: "logs", WORKTREE: "worktrees"}
FIELDS = {HEAD: ("head",), INDEX: ("index", "staged"), FILE: ("pointer",), REPOSITORY: ("there",)}


def _take(name: str, to: "dict[str, Any]", source: "dict[str, Any]") -> None:
    if name in source:
        to[name] = source[name]
    else:
        to.pop(name, None)
