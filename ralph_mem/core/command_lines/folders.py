"""Follow a command line from folder to folder, and what it sets up in its shell. The top of the project is the empty path."""

from ralph_mem.core import project as projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project

ELSEWHERE = ".."  # a place outside of the project, or one that nobody knows
MOVING = frozenset("cd pushd popd".split())
TOPS = ("$(git rev-parse --show-toplevel)", "`git rev-parse --show-toplevel`")
FROM_ANYWHERE = ("/", "~", "$", "-", "`")  # how a path begins that leads to the same place from everywhere
UNKNOWN = ("$", "`", "*", "?")  # where the shell fills something in
# What changes the shell for the commands behind it; the last do with one of these words.
SETTING_UP = frozenset("export unset source . eval ulimit workon".split())
ENVIRONMENTS = frozenset("conda mamba micromamba nvm fnm sdk module pyenv rbenv nodenv jenv asdf".split())
ENTERING = frozenset("activate use load shell".split())
MOST_CHARACTERS = 100  # of it; with more the line that is told of commands would have room for nothing else
SAID_BESIDE = ("Exit code ", "Shell cwd was reset")  # how lines of a client begin, beside those of a command
NOT_TYPED = ("`", "\\", '"')  # in what cannot be typed again by its words


def joined(folder: str, path: str) -> str:
    """Return where a path leads from a folder, `ELSEWHERE` for what lies outside or is not known."""
    if path in TOPS and folder != ELSEWHERE:
        return ""
    if folder == ELSEWHERE or not path or path[0] in FROM_ANYWHERE or any([sign in path for sign in UNKNOWN]):
        return ELSEWHERE
    found = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            if not found:
                return ELSEWHERE
            found.pop()
        elif part not in ("", "."):
            found.append(part)
    return "/".join(found)


class Walk:
    """Where a stored line is at work while its commands are read in their order; what parentheses hold ends where it began.

    A path from the root of the disk into the project is stored as one from its top, so what a line goes down to from a folder is
    not known.
    """

    __slots__ = ("above", "before", "folder", "set_up")

    def __init__(self, folder: str = "") -> None:
        self.folder = self.before = folder
        self.above: list[tuple[str, list[tuple[str, str]]]] = []
        self.set_up: list[tuple[str, str]] = []

    def begins(self, sign: str) -> None:
        """Take in the sign before a command."""
        if sign == "(":
            self.above.append((self.folder, [*self.set_up]))

    def goes(self, words: "list[str]") -> bool:
        """Take in a command, without what only starts it; say whether it goes somewhere."""
        if words[:1] == [] or words[0] not in MOVING:
            return False
        path = _path(words[1:])
        if words[0] == "popd" or words[1:] == ["-"]:
            self.before, self.folder = self.folder, self.before
        else:
            is_known = not self.folder or path[:1] == "." or path in TOPS
            self.before, self.folder = self.folder, joined(self.folder, path) if is_known else ELSEWHERE
        return True

    def ends(self, sign: str) -> None:
        """Take in the sign behind a command."""
        if sign == ")" and self.above:
            self.folder, self.set_up = self.above.pop()

    def sets_up(self, words: "list[str]") -> bool:
        """Take in a command, without what only starts it; say whether it changes the shell for those behind it."""
        enters = words[0] in ENVIRONMENTS and not ENTERING.isdisjoint(words[1:2])
        if not (words[0] in SETTING_UP or enters or words in (["set", "-a"], ["set", "+a"])):
            return False
        from ralph_mem.core.redaction import blocks, spans  # lazy: only for a line that sets up its shell

        text = " ".join([_filled_in(word) for word in words])
        if words[1:] and not any([sign in word for sign in (*NOT_TYPED, spans.MARK, blocks.PRIVATE) for word in words]):
            self.set_up.append((self.folder, text + " && "))
        return True

    def way(self) -> str:
        """Return what is typed at the top before a command that is next, so that the shell stands where it does and is set up so.

        What was set up in a third folder is left out.
        """
        there = f"cd {quoted(self.folder)} && " if self.folder else ""
        first, then = ["".join([text for folder, text in self.set_up if folder == each]) for each in ("", self.folder or None)]
        return first + there + then if len(first + then) <= MOST_CHARACTERS else there


def stayed(command: str, output: str) -> bool:
    """Say of a line that failed whether it did at its first `cd`, of which alone the shell printed a line: nothing else ran."""
    printed = [line for line in output.splitlines() if line.strip() and not line.startswith(SAID_BESIDE)]
    if command.partition(" ")[0] not in MOVING or len(printed) != 1:
        return False
    from ralph_mem.core.command_lines import exit_codes  # lazy: only for a line that failed and goes somewhere

    words = exit_codes.tokens(command)
    name = _path(words[1:2]).rstrip("/").rpartition("/")[2]
    said = printed[0].replace(":", " : ").split()
    return words[2:3] == ["&&"] and words[0] in said[:-1] and said[said.index(words[0]) + 1] == ":" and name in printed[0]


def _filled_in(word: str) -> str:
    """Return a word as it is typed in which the shell may fill something in."""
    plain = word.replace("$", "")
    return quoted(word) if plain == word else word if quoted(plain) == plain else f'"{word}"'


def _path(words: "list[str]") -> str:
    return next((word for word in words if word[:1] != "-"), "")


def from_top(command: str, stored: str, cwd: str, project: "Project") -> str:
    """Return a line as it is typed at the top: what would be `stored` there, where the shell stands in `cwd` behind it."""
    place, there = projects.real(cwd), projects.find(cwd)
    top = there.top if there.root == project.root else project.top  # of another worktree
    return stored if place == top else typed(command, stored, place.removeprefix(top.rstrip("/") + "/"))


def typed(command: str, stored: str, folder: str) -> str:
    """Return a line as it is typed at the top, which ended in a folder further down, or failed there.

    A client tells where its shell stands behind a line: after `cd web && npm test` that is `web`. What only goes up stays as it
    is, since nobody knows whether the client has set its shell back.
    """
    if not any([word in command for word in MOVING]):
        return f"cd {quoted(folder)} && {command}"
    from ralph_mem.core.command_lines import exit_codes  # lazy: only for a line that may go somewhere

    words = exit_codes.tokens(command)
    moves = [at for at, word in enumerate(words) if word in MOVING]
    path = _path(words[moves[-1] + 1 :]) if moves else ""
    tail = path.rstrip("/")
    while tail[:3] == "../":
        tail = tail[3:]
    if moves != [0]:
        return stored if moves and tail == folder else f"cd {quoted(folder)} && {command}"
    begins = f"{words[0]} {path}"
    if path[:1] in FROM_ANYWHERE or tail in ("", "..") or not stored.startswith(begins):
        return stored
    place = folder if f"/{folder}".endswith(f"/{tail}") else joined(folder, path)
    return stored if place in ("", ELSEWHERE) else f"cd {quoted(place)}{stored[len(begins) :]}"


def quoted(word: str) -> str:
    """Return a word as it is typed."""
    plain = all([char.isalnum() or char in "-_./:=@%+,^~*{}[]" for char in word])
    return word if word and plain else "'" + word.replace("'", "'\\''") + "'"
