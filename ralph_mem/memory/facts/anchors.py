"""Tie a fact to the files and symbols that it names, and say whether they are still there."""

import posix

from ralph_mem.core import fast, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Anchor = dict[str, Any]

# A look at the disk each, of which a prompt may have a few; a file of which no more is read is not said to lack anything.
MOST, MOST_BYTES = 5, 65_536
SUFFIXES = frozenset(
    "c cc cfg conf cpp cs css csv dart ex exs go gradle h hpp html ini java js json jsx kt lock lua md mjs php proto ps1 py rb rs"
    " rst scala sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig".split()
)
# What a build makes comes and goes, and says nothing of what holds.
MADE = frozenset("build coverage dist node_modules out target tmp venv .venv __pycache__ .git".split())
BORDERS = "`'\"()[]{}<>,;:!?"
NOT_IN_PATHS = ("://", "..", "*", "$", "<", ">", "|", "\\", "\0", "~")


def of(text: str, root: str) -> "list[Anchor]":
    """Return the paths that a statement names and that are there now, below a folder, each with the symbol behind a `#`."""
    found: dict[tuple[str, str], None] = {}
    for word in text.split():
        named, _, symbol = _bare(word).partition("#")
        path = named.removeprefix(root.rstrip("/") + "/").removeprefix("./").rstrip("/")
        if not ("/" in named or path.rpartition(".")[2] in SUFFIXES) or not _is_below(path) or not paths.exists(f"{root}/{path}"):
            continue
        is_there = symbol.isidentifier() and has(f"{root}/{path}", symbol)
        found[path, symbol if is_there else ""] = None
    return [{"path": path, "symbol": symbol} if symbol else {"path": path} for path, symbol in list(found)[:MOST]]


def noted(text: str, root: str, metadata: "str | None" = None) -> "str | None":
    """Return the metadata of a note with the paths that it is tied to now: it becomes a fact later, when they may be gone."""
    found = of(text, root)
    return fast.dumps({**fast.loads(metadata or "{}"), "anchors": found}) if found else metadata


def still_named(found: "Any", text: str) -> "list[Anchor]":
    """Return of what was noted of a note the anchors that its text names still; what somebody else's file says may be anything."""
    there = found if isinstance(found, list) else []
    return [each for each in there if isinstance(each, dict) and isinstance(each.get("path"), str) and each["path"] in text]


def named(text: str, root: str) -> "list[str]":
    """Return the paths that a statement names below a folder, there or not, each once."""
    found = []
    for word in text.split():
        path = _bare(word).partition("#")[0].removeprefix(root.rstrip("/") + "/").removeprefix("./").rstrip("/")
        if ("/" in path or path.rpartition(".")[2] in SUFFIXES) and _is_below(path):
            found.append(path)
    return list(dict.fromkeys(found))


def _bare(word: str) -> str:
    """Return a word without what stands around it, such as the marks at the end of a sentence."""
    return word.lstrip(BORDERS).rstrip(BORDERS + ".")


def _is_below(path: str) -> bool:
    """Say whether a word can be a path below the project, of something that nobody makes anew with each build."""
    parts = path.split("/")
    return all(parts) and MADE.isdisjoint(parts) and not any([sign in path for sign in NOT_IN_PATHS])


def has(file: str, symbol: str) -> bool:
    """Say whether a file has a word, as far as that is known: what is too long or cannot be read lacks nothing."""
    try:
        number = posix.open(file, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return True
    try:
        data = posix.read(number, MOST_BYTES + 1)
    except OSError:
        return True
    finally:
        posix.close(number)
    return len(data) > MOST_BYTES or _has_word(data, symbol.encode())


def _has_word(data: bytes, word: bytes) -> bool:
    at = data.find(word)
    while at >= 0:
        before, behind = data[at - 1 : at] if at else b"", data[at + len(word) : at + len(word) + 1]
        if not _goes_on(before) and not _goes_on(behind):
            return True
        at = data.find(word, at + 1)
    return False


def _goes_on(char: bytes) -> bool:
    return char == b"_" or char.isalnum() or char >= b"\x80"


def gone(anchors: "list[Anchor]", root: str) -> "list[str]":
    """Return the paths of a fact's anchors that are no longer there; none where the project itself is out of sight."""
    if not anchors or not paths.exists(root):
        return []
    return [each["path"] for each in anchors[:MOST] if not there(each, root)]


def there(anchor: "Anchor", root: str) -> str:
    """Return where the file of an anchor is: at its path or, on a branch without that move, where it was; else nothing."""
    return next((path for path in (anchor["path"], anchor.get("was")) if path and paths.exists(f"{root}/{path}")), "")


def told(anchors: "list[Anchor]", root: str) -> "str | None":
    """Return what is to be said behind a fact that is told unasked: mostly nothing, and None where it is not to be told.

    That is so where a path is gone that it names. A symbol that its file has no more, and a file that has moved, are said.
    """
    if gone(anchors, root):
        return None
    said = []
    for each in anchors[:MOST]:
        path = there(each, root) or each["path"]
        if each.get("was", path) != path:
            said.append(f"`{each['was']}` is now `{path}`")
        if each.get("symbol") and not has(f"{root}/{path}", each["symbol"]):
            said.append(f"check: `{each['symbol']}` is no longer in `{path}`")
    return f"({'; '.join(said)})" if said else ""


def shown(anchors: "list[Anchor]", root: str) -> str:
    """Return what is to be said behind a fact that somebody asked for."""
    missing = gone(anchors, root)
    return f"(path gone: {', '.join(missing)})" if missing else told(anchors, root) or ""
