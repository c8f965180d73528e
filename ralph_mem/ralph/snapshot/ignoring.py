"""Tell what git ignores in a tree by the rules that held when the run began.

Git itself judges by them, in an empty repository of the moment that has these rules and no files.
"""

import json
import os
import tempfile

from ralph_mem.ralph import leftovers
from ralph_mem.ralph.snapshot import FILE, Entry, listing
from ralph_mem.ralph.snapshot.store import ENTRY, HOLDS, Snapshots, entry_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Outside = dict[str, list[str]]

# In every snapshot, even where one of them ignores itself: what an agent hides behind them must not hide them too.
FILES = (b".gitignore", b".gitattributes")
MOST_BYTES = 1_048_576
WHERE_IT_LIES = ["git", "rev-parse", "--git-path", "info/exclude"]
SETTINGS = ["git", "config", "-z", "--get-regexp", r"^core\.(excludesfile|ignorecase)$"]
SAYS = ("{}.git/info/exclude", "core.excludesFile{}, or the file that it names", "core.ignoreCase{}")
# The properties that keep the rules outside of the tree: those of a run's start, and those that were told of last.
AT_START, TOLD, LOOK = "rules ", "rules told ", "rules looked at "
# Where settings of git lie that say which files ignore, below the home and below a repository; what these include is asked of git.
OF_PERSON = ("~/.gitconfig", "~/.config/git/config", "~/.config/git/ignore", "/etc/gitconfig")
OF_REPOSITORY = (".git", ".git/config", ".git/config.worktree", ".git/info/exclude")
BY_VARIABLE = (
    ("XDG_CONFIG_HOME", "/git/config"),
    ("XDG_CONFIG_HOME", "/git/ignore"),
    ("GIT_CONFIG_GLOBAL", ""),
    ("GIT_CONFIG_SYSTEM", ""),
)
IN_TREE = f"SELECT path, {ENTRY} FROM entries WHERE substr(path, -10) = CAST('.gitignore' AS BLOB) AND {HOLDS}"


def is_rule(path: bytes) -> bool:
    """Say whether a file says what git ignores, or what it does with files."""
    return path.rpartition(b"/")[2] in FILES


def keep(snapshots: "Snapshots", run: str, repositories: "Iterable[bytes]") -> None:
    """Keep the rules outside of the tree as they are now, at a run's start, as part of the transaction that runs."""
    told = json.dumps(_outside(snapshots.top, [os.fsdecode(prefix) for prefix in repositories]))
    for name in (AT_START, TOLD):
        snapshots.set_property(name + run, told)


def forget(snapshots: "Snapshots", run: str) -> None:
    """Delete the rules of a run along with its snapshots."""
    snapshots.query("DELETE FROM properties WHERE key IN (?, ?, ?)", (AT_START + run, TOLD + run, LOOK + run))


def changed(snapshots: "Snapshots", run: str) -> "list[str]":
    """Return a line for each rule outside of the tree that is not as it was when this was asked last."""
    before: Outside = json.loads(snapshots.property(TOLD + run) or "{}")
    looked = _look(snapshots.top, before)
    if looked and looked == snapshots.property(LOOK + run):
        return []
    now = _outside(snapshots.top, [*before])
    snapshots.set_property(LOOK + run, looked)
    snapshots.set_property(TOLD + run, json.dumps(now))
    pairs = [(prefix, at) for prefix in before for at in range(len(SAYS)) if before[prefix][at] != now[prefix][at]]
    return [
        f"changed {SAYS[at].format(f' of {prefix}' if prefix and at else prefix)}, which says what git ignores"
        for prefix, at in pairs
    ]


def _look(top: bytes, prefixes: "Iterable[str]") -> str:
    """Return what a look at the settings of git says without starting it; nothing where that does not say all.

    It does not where one includes other files or names its own, or where a repository has its settings elsewhere.
    """
    places = [os.path.join(os.fsdecode(top), prefix) for prefix in prefixes]
    own = [f"{place.rstrip('/')}/{name}" for place in places for name in OF_REPOSITORY]
    if not all(os.path.isdir(f"{place.rstrip('/')}/.git") for place in places):
        return ""
    named = [os.environ[name] + below for name, below in BY_VARIABLE if os.environ.get(name)]
    files = [*[os.path.expanduser(name) for name in OF_PERSON], *named, *own]
    texts = [_read(name).lower() for name in files if not name.endswith(("ignore", "exclude"))]
    if any("include" in text or "excludesfile" in text for text in texts):
        return ""
    return json.dumps([_stat_of(name) for name in files if not name.endswith("/.git")])


def _stat_of(path: str) -> "list[int]":
    try:
        st = os.stat(path)
    except OSError:
        return []
    return [st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino]


def _outside(top: bytes, prefixes: "list[str]") -> "Outside":
    """Return for each repository what its `info/exclude` says, what the person's own ignore file, and how it takes letters."""
    return {prefix: _of_repository(os.path.join(os.fsdecode(top), prefix)) for prefix in prefixes}


def _of_repository(place: str) -> "list[str]":
    settings = {"core.excludesfile": (os.environ.get("XDG_CONFIG_HOME") or "~/.config") + "/git/ignore", "core.ignorecase": ""}
    for entry in _asked(SETTINGS, place).split("\0"):
        name, _, value = entry.partition("\n")
        settings[name] = value
    exclude = _asked(WHERE_IT_LIES, place).rstrip("\n")
    files = (exclude, settings["core.excludesfile"])
    return [*[_read(os.path.join(place, os.path.expanduser(file))) if file else "" for file in files], settings["core.ignorecase"]]


def _asked(command: "list[str]", place: str) -> str:
    return listing.run_git(command, place)[1].decode("utf-8", "surrogateescape")


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""


def of_run(snapshots: "Snapshots", run: str) -> "Rules | None":
    """Return the rules that held when a run began; None for one of an earlier release, which did not keep them."""
    told = snapshots.property(AT_START + run)
    return None if told is None else Rules(snapshots, run, json.loads(told))


class Rules:
    """The rules of a run's start. Git is asked only where there is something to ask."""

    __slots__ = ("_outside", "_places", "_run", "_snapshots")

    def __init__(self, snapshots: "Snapshots", run: str, outside: "Outside") -> None:
        self._snapshots = snapshots
        self._run = run
        self._outside = {os.fsencode(prefix): told for prefix, told in outside.items()}
        self._places: dict[bytes, tempfile.TemporaryDirectory[str]] = {}

    def ignored(self, chosen: "dict[bytes, bool]") -> "set[bytes]":
        """Return which of some paths were ignored, as `listing.Listing.ignored` does."""
        cached = {path for path in chosen if listing.is_cached(path)}
        rest = {path: is_folder for path, is_folder in chosen.items() if path not in cached}
        made = {
            path
            for path, is_folder in rest.items()
            if is_folder and self._near(path) is None and listing.is_made_by_tools(path.rpartition(b"/")[2])
        }
        return cached | made | self.ignored_by_git(rest)

    def ignored_by_git(self, chosen: "dict[bytes, bool]") -> "set[bytes]":
        """Return which of some paths the rules of a repository mean."""
        asked: dict[bytes, dict[bytes, bytes]] = {}
        for path, is_folder in chosen.items():
            near = self._near(path)
            if near is not None:
                # a rule that ends in a slash means folders, and git cannot look here whether one is
                asked.setdefault(near, {})[b"./" + path[len(near) :] + (b"/" if is_folder else b"")] = path
        return {names[told] for near, names in asked.items() for told in self._judged(near, [*names]) if told in names}

    def close(self) -> None:
        """Leave nothing on the disk."""
        for place in self._places.values():
            place.cleanup()
        self._places = {}

    def _near(self, path: bytes) -> "bytes | None":
        return max([prefix for prefix in self._outside if path.startswith(prefix)], key=len, default=None)

    def _judged(self, prefix: bytes, names: "list[bytes]") -> "list[bytes]":
        place = self._place(prefix)
        case = self._outside[prefix][2]
        command = [
            *listing.GIT,
            "-c",
            f"core.excludesFile={place}/.git/excludes",
            *(["-c", f"core.ignoreCase={case}"] if case else []),
        ]
        return listing.told_ignored([*command, "check-ignore", "--no-index", "-z", "--stdin"], place, names)

    def _place(self, prefix: bytes) -> str:
        """Return a repository without files that has the rules of one, made where it is asked for first."""
        if prefix not in self._places:
            self._places[prefix] = tempfile.TemporaryDirectory(prefix=leftovers.prefix())
            self._make(self._places[prefix].name, prefix)
        return self._places[prefix].name

    def _make(self, place: str, prefix: bytes) -> None:
        exclude, excludes, _ = self._outside[prefix]
        for name in ("objects", "refs", "info"):
            os.makedirs(f"{place}/.git/{name}")
        files = {
            "HEAD": "ref: refs/heads/main\n",
            "config": "[core]\n\trepositoryformatversion = 0\n",
            "info/exclude": exclude,
            "excludes": excludes,
        }
        for name, text in files.items():
            _write(os.fsencode(f"{place}/.git/{name}"), text.encode("utf-8", "surrogateescape"))
        for path, entry in self._in_tree():
            if path.startswith(prefix):
                _write(os.path.join(os.fsencode(place), path[len(prefix) :]), self._snapshots.content(entry))

    def _in_tree(self) -> "list[tuple[bytes, Entry]]":
        first = self._snapshots.query("SELECT min(number) FROM snapshots WHERE run = ?", (self._run,))[0][0]
        found = [(row[0], entry_of(row[1:])) for row in self._snapshots.query(IN_TREE, {"at": first or 0})]
        return [(path, entry) for path, entry in found if is_rule(path) and entry.kind == FILE and entry.stored]


def _write(path: bytes, content: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
