"""Give a room a repository of its own at the person's commit, with the same index.

It borrows the person's objects, which git only reads from there; refs, index, stash and reflog are its own. Nothing under the
person's `.git` is written.
"""

import io
import os
import shutil
from collections import namedtuple

from ralph_mem.ralph.room import filling
from ralph_mem.ralph.snapshot.listing import GIT, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

Source = namedtuple("Source", "place private common")
Source.__doc__ = (
    """A repository of the person's: its work tree, where git keeps what is this tree's alone, and what all trees share."""
)

# What git notes of an operation that is not finished, such as a merge, and what says what is checked out how.
PRIVATE = (
    *("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD", "AUTO_MERGE"),
    *("SQUASH_MSG", "BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_NAMES", "BISECT_EXPECTED_REV"),
    *("rebase-merge", "rebase-apply", "sequencer", "index", "info/sparse-checkout"),
)
COMMON = ("shallow", "info/exclude", "info/attributes", "info/grafts")
# Settings that decide what `git status`, `git diff` and a commit do here. All others would lead out of the room (remotes,
# credentials, hooks, other settings' files) or mean another folder.
SETTINGS = ("user.", "author.", "committer.", "filter.", "diff.", "merge.", "i18n.", "index.", "status.", "format.")
OF_CORE = (
    *("filemode", "ignorecase", "precomposeunicode", "symlinks", "autocrlf", "eol", "safecrlf", "excludesfile", "attributesfile"),
    *("sparsecheckout", "sparsecheckoutcone", "checkstat", "trustctime", "quotepath", "whitespace", "abbrev", "commentchar"),
)
STASH = "refs/stash"
REFS = [*GIT, "for-each-ref", "--format=%(objectname) %(refname) %(symref)"]
A_LINK = b"120000"  # the mode of one in git's lists
STAGED, COMMITTED = [*GIT, "ls-files", "--stage", "-z"], [*GIT, "ls-tree", "-r", "-z", "HEAD"]
STAGE = [*GIT, "update-index", "-z", "--index-info"]
REFRESH = [*GIT, "update-index", "-q", "--refresh"]


def make(place: str, target: str, hidden: "Iterable[str]" = ()) -> bool:
    """Make the `.git` of a room at `target` from that of a work tree; False where git cannot read the person's.

    `hidden` are names below the target that git is to overlook. Raises OSError.
    """
    source = _find(place)
    if source is None:
        return False
    git = f"{target}/.git"
    for name in ("objects/info", "refs/heads", "refs/tags", "info"):
        os.makedirs(f"{git}/{name}", 0o700)
    _write(f"{git}/objects/info/alternates", f"{source.common}/objects\n")
    _write(f"{git}/HEAD", _head(place))
    _write(f"{git}/config", _config(place))
    _copy_refs(place, git)
    for folder, names in ((source.private, [*PRIVATE, *_shared_indexes(source.private)]), (source.common, COMMON)):
        for name in names:
            _copy(f"{folder}/{name}", f"{git}/{name}")
    _hide(f"{git}/info/exclude", hidden)
    run_git(REFRESH, target)
    return True


def redirect(top: str, source: str, room: str, below: str) -> None:
    """Have git read the links that a room has otherwise than the person as they are there, or it would write the person's back.

    `top` is that of the repository, `below` what stands before its paths as seen from the room. A text that would have to be read
    in two ways stays: by a whole path there is only one.
    """
    staged, committed = _links(STAGED, top), _links(COMMITTED, top)
    texts = _contents(top, {_id_of(each) for each in staged + committed})
    wanted: dict[bytes, set[bytes]] = {}
    ends = [os.fsencode(f"{each}/") for each in (source, room)]
    for each in staged + committed:
        link, path = _id_of(each), os.fsencode(below) + each.partition(b"\t")[2]
        if link in texts:
            wanted.setdefault(link, set()).add(filling.led(path, texts[link], *ends))
    others = {link: found.pop() for link, found in wanted.items() if len(found) == 1 and texts[link] not in found}
    if others:
        _replace(top, others)
        # anew, or git goes by the length that the person's link had
        run_git(STAGE, top, b"".join([each + b"\0" for each in staged if _id_of(each) in others]))
        run_git(REFRESH, top)


def _links(listing: "list[str]", top: str) -> "list[bytes]":
    """Return the lines about links in a list of git's."""
    return [line for line in run_git(listing, top)[1].split(b"\0") if line.startswith(A_LINK)]


def _id_of(line: bytes) -> bytes:
    return max(line.partition(b"\t")[0].split(), key=len)  # beside mode, kind and stage it is the longest


def _replace(top: str, texts: "dict[bytes, bytes]") -> None:
    """Have git read other texts in the place of objects."""
    order = b""
    for link, text in texts.items():
        code, made = run_git([*GIT, "hash-object", "-w", "--stdin"], top, text)
        order += b"" if code else b"update refs/replace/" + link + b" " + made
    run_git([*GIT, "update-ref", "--stdin"], top, order)


def _contents(top: str, ids: "set[bytes]") -> "dict[bytes, bytes]":
    """Return what objects hold, as far as they are there."""
    said = io.BytesIO(run_git([*GIT, "cat-file", "--batch"], top, b"".join([each + b"\n" for each in ids]))[1])
    found = {}
    for line in iter(said.readline, b""):
        words = line.split()
        if len(words) == 3:  # else it is missing
            found[words[0]] = said.read(int(words[2]) + 1)[:-1]
    return found


def _find(place: str) -> "Source | None":
    """Return where git keeps a work tree's repository, asked of git itself."""
    code, told = run_git([*GIT, "rev-parse", "--absolute-git-dir", "--git-common-dir"], place)
    lines = os.fsdecode(told).split("\n")
    if code or len(lines) < 2:
        return None
    return Source(place, lines[0], os.path.realpath(os.path.join(place, lines[1])))


def _head(place: str) -> str:
    """Return what is checked out: a branch, which may have no commit yet, or a commit."""
    code, told = run_git([*GIT, "symbolic-ref", "-q", "HEAD"], place)
    if not code:
        return f"ref: {os.fsdecode(told)}"
    return os.fsdecode(run_git([*GIT, "rev-parse", "-q", "--verify", "HEAD"], place)[1])


def _config(place: str) -> str:
    """Return the settings of the room's repository: those of the person's that are about files, no remotes, no hooks."""
    found = {name: value for name, value in _settings(place) if _is_kept(name)}
    new_format = {name: value for name, value in found.items() if name.startswith("extensions.")}
    fixed = {"core.repositoryformatversion": "1" if new_format else "0", "core.bare": "false", "core.hooksPath": os.devnull}
    # an automatic gc would copy nothing from the person's objects and still take minutes of an iteration
    return "".join([_setting(name, value) for name, value in {**found, **fixed, "gc.auto": "0"}.items()])


def _settings(place: str) -> "list[tuple[str, str]]":
    """Return the settings of a repository and of this work tree, not those of the person or the machine, which hold anyway."""
    listed = run_git([*GIT, "config", "--local", "-z", "--list"], place)[1]
    if b"extensions.worktreeconfig\ntrue" in listed.lower():
        listed += run_git([*GIT, "config", "--worktree", "-z", "--list"], place)[1]
    pairs = [entry.partition("\n") for entry in listed.decode("utf-8", "surrogateescape").split("\0") if entry]
    return [(name, value if separator else "true") for name, separator, value in pairs]


def _is_kept(name: str) -> bool:
    section, _, last = name.partition(".")
    return name.startswith(SETTINGS) or (section == "core" and last in OF_CORE) or name == "extensions.objectformat"


def _setting(name: str, value: str) -> str:
    section, _, rest = name.partition(".")
    below, _, last = rest.rpartition(".")
    head = f'[{section} "{_escaped(below)}"]' if below else f"[{section}]"
    return f'{head}\n\t{last} = "{_escaped(value)}"\n'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\b", "\\b")


def _copy_refs(place: str, git: str) -> None:
    """Write branches, tags and what was fetched as the room's own. The person's stash is theirs."""
    packed: list[tuple[str, str]] = []
    links: list[tuple[str, str]] = []
    for line in os.fsdecode(run_git(REFS, place)[1]).splitlines():
        commit, name, target = [*line.split(" "), ""][:3]
        if name != STASH:
            (links if target else packed).append((name, target or commit))
    _write(f"{git}/packed-refs", "".join([f"{commit} {name}\n" for name, commit in packed]))
    for name, target in links:
        os.makedirs(os.path.dirname(f"{git}/{name}"), 0o700, exist_ok=True)
        _write(f"{git}/{name}", f"ref: {target}\n")


def _shared_indexes(folder: str) -> "list[str]":
    """Return what holds the rest of an index that is split; git has it beside the index."""
    return [name for name in os.listdir(folder) if name.startswith("sharedindex.")]


def _copy(source: str, target: str) -> None:
    """Copy a file or a folder of git's, where it is there."""
    os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, target)
    else:
        filling.copy_file(source, target)


def _hide(path: str, names: "Iterable[str]") -> None:
    """Have git overlook what only a room has: a link in the place of a folder is not meant by a rule for folders."""
    lines = [f"/{_as_pattern(name)}\n" for name in names]
    if lines:
        with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\n" + "".join(lines))


def _as_pattern(name: str) -> str:
    return "".join([f"\\{char}" if char in "\\*?[ " else char for char in name])


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
