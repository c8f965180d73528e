"""Tell which files are a project's own, which are those that git tracks.

Without git it is all in its folder but what others wrote and a tool brought there.
"""

import posix

from ralph_mem.core import paths
from ralph_mem.core.project import real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project

# What others wrote, wherever it lies and whether or not git tracks it.
BROUGHT = frozenset(
    "node_modules bower_components site-packages dist-packages .venv venv virtualenvs .tox .nox .cargo .rustup .m2 .gem .npm .pnpm"
    " .yarn .gradle .nuget .pub-cache Pods".split()
)
SOCKETS = ("/dev/tcp/", "/dev/udp/")  # what a shell takes for a place in the net
MOST_LINES, MOST_FILES, MOST_DASHES = 2000, 100, 40  # of what a search printed, the last of a line
# An index of git, which tells without a process.
MOST_BYTES = 25_165_824  # of a quarter of a million paths; an event may take 64 MB
SHARED = "sharedindex."
COMPRESSED = b"\0\0\0\x04"  # a version in which paths are not written whole
MOST_LOOKS = 64


class Index:
    """What git tracks in a work tree, whose private git folder is `git`. Where that cannot be told, `is_known` is False."""

    __slots__ = ("data", "is_known")

    def __init__(self, git: str) -> None:
        self.data = _read(git + "/index")
        if b"link" in self.data[-1024:] or b"link" in self.data[:512]:  # it goes by a file beside it
            self.data += b"".join([_read(f"{git}/{name}") for name in paths.names(git) if name.startswith(SHARED)])
        self.is_known = self.data[:4] == b"DIRC" and self.data[4:8] != COMPRESSED and len(self.data) < MOST_BYTES

    def holds(self, path: str) -> bool:
        """Say whether git tracks a file, or anything in a folder, at a path as seen from the top of the work tree."""
        name = path.encode("utf-8", "surrogateescape")
        if not name:
            return True
        whole = bytes((min(len(name), 0xFFF) & 0xFF,)) + name + b"\0"  # the length of a path ends what stands before it
        return whole in self.data or self._holds_folder(name + b"/") or b"\0" + name + b"\0" in self.data

    def _holds_folder(self, name: bytes) -> bool:
        at = self.data.find(name)
        for _ in range(MOST_LOOKS):
            if at < 0:
                return False
            length = self.data.find(b"\0", at) - at
            if self.data[at - 1] in (min(length, 0xFFF) & 0xFF, 0):
                return True
            at = self.data.find(name, at + 1)
        return False


class Files:
    """The files of a project, as a command sees them that runs in a folder."""

    __slots__ = ("folder", "index", "is_elsewhere", "project", "variables")

    def __init__(self, project: "Project", folder: str) -> None:
        self.project, self.folder = project, folder or project.top
        self.is_elsewhere = False  # a command line has git look into another repository
        self.variables: dict[str, list[str]] = {}  # what those of a command line stand for
        self.index = Index(project.git) if project.git else None

    def goes_to(self, folder: str) -> None:
        """Have what follows run in another folder."""
        self.folder = self._whole(folder)

    def place(self, path: str) -> str:
        """Return a path as seen from the top of the project, nothing for the top; one outside of it stays absolute."""
        whole = _plain(self._whole(path))
        if whole[:1] == "/" and self.project.relative(whole) == whole != self.project.top:  # it may go by a link
            folder, _, name = whole.rpartition("/")
            whole = f"{real(folder or '/')}/{name}"
        return "" if whole == self.project.top else self.project.relative(whole)

    def _whole(self, path: str) -> str:
        return path if path[:1] in ("/", "~", "$") else f"{self.folder}/{path}"

    def holds(self, path: str) -> bool:
        """Say whether a place lies in the project, and in no folder of what others brought; git need not track it."""
        found = self.place(path)
        return found[:1] not in ("/", "~", "$") and BROUGHT.isdisjoint(found.split("/"))

    def tracks(self, path: str) -> bool:
        """Say whether a file, or anything in a folder, is the project's own. A pattern counts as the folder before it."""
        if path[:1] == "$":
            return self._tracks_all(path)
        cut = min([at for at in map(path.find, "*?[{") if at >= 0], default=len(path))
        path = path if cut == len(path) else path[:cut].rpartition("/")[0] or "."
        if path.startswith("/dev/"):
            return not path.startswith(SOCKETS)
        known = self.index and self.index.is_known
        return self.holds(path) and (not known or self.index.holds(self.place(path)))  # type: ignore[union-attr]

    def _tracks_all(self, word: str) -> bool:
        """Say whether all that a word with a variable stands for is the project's own; what a command prints is, but a path."""
        from ralph_mem.core.command_lines import variables  # lazy: only for a word that begins with a variable

        return all([("/" not in each) if each[:1] == "$" else self.tracks(each) for each in variables.meant(word, self.variables)])

    def is_at_home(self) -> bool:
        """Say whether the folder lies in the project, and in no repository inside of it."""
        if not self.holds("."):
            return False
        above, _, name = self.place(".").rpartition("/")
        while name:
            if paths.exists(f"{self.project.top}/{above}/{name}/.git"):
                return False
            above, _, name = above.rpartition("/")
        return True

    def lines_of_others(self, text: str) -> str:
        """Return of what a search printed the lines of files that are not the project's own."""
        known: dict[str, bool] = {}
        named = [(line, _files_before(line)) for line in text.splitlines()[:MOST_LINES]]
        for name in dict.fromkeys([name for _, names in named for name in names]):
            known[name] = len(known) > MOST_FILES or self.tracks(name)
        are_own = [any([known[name] for name in names]) for _, names in named]
        of_others = {names[0] + "-" for (_, names), is_own in zip(named, are_own) if names and not is_own}
        near = tuple(of_others)  # begins a line beside a match that has no number
        kept = [line for (line, names), is_own in zip(named, are_own) if (not is_own if names else line.startswith(near))]
        return "\n".join(kept)


def _read(path: str) -> bytes:
    try:
        file = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        return posix.read(file, MOST_BYTES)
    except OSError:
        return b""
    finally:
        posix.close(file)


def _files_before(line: str) -> "list[str]":
    """Return what may be the file at the beginning of a line that a search printed: before `:`, or before `-` and a number."""
    name, sign, _ = line.partition(":")
    found = [name] if sign and " " not in name else []
    pieces = line.partition(" ")[0].partition("\t")[0].split("-", MOST_DASHES)
    beginnings = ["-".join(pieces[:at]) for at, piece in enumerate(pieces) if at and piece.isdigit()]
    return [each for each in beginnings if "/" in each or "." in each] + found


class Brought:
    """Text from outside: `by` is the program that printed it, `place` the file that it stood in, as seen from the project.

    Of a search through the project's own folders only the lines of files from outside count, which `own` tells from the others.
    """

    __slots__ = ("by", "own", "place")

    def __init__(self, by: str, place: str = "", own: "Files | None" = None) -> None:
        self.by, self.place, self.own = by, place, own

    def of(self, text: str) -> str:
        """Return what of a text is from outside."""
        return text if self.own is None else self.own.lines_of_others(text)


def strange(by: str, words: "list[str]", files: Files) -> "Brought | None":
    """Return which of some files is not the project's own, None where all are."""
    found = [word for word in words if not files.tracks(word)]
    return Brought(by, files.place(found[0])) if found else None


def _plain(path: str) -> str:
    """Return a path without `.`, `..` and empty parts."""
    found: list[str] = []
    for part in path.split("/"):
        if part == ".." and found and found[-1]:
            found.pop()
        elif part not in (".", "") or not found:
            found.append(part)
    return "/".join(found) or "/"
