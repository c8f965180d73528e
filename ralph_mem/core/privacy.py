"""What may be stored of a text: cut to size without cutting a secret in half, without what we injected ourselves,
redacted; and which paths are none of our business.
"""

import posix

from ralph_mem.core import paths, quick, redact, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

INJECTED = "<ralph-mem-"
PASTED = '<pasted_content id="'
# Most of what is kept is less than a tenth of this; the rest is room for error lines.
MOST_CHARACTERS = 16_384
HEAD_CHARACTERS = 4_096
TAIL_CHARACTERS = 8_192
SEPARATOR = "\n\x1e\n"
ERROR_WORDS = (
    "error", "fail", "exception", "panic", "fatal", "undefined", "not found", "cannot", "denied", "refused",
    "expected", "assert", "warning: unre", "no such", "segmentation", "timed out",
)  # fmt: skip
RULERS = ("==", "__", "--", "**", "##")  # of a test runner's report: a heading, no news
# Names of files that hold secrets by trade: their name may be kept, never what is in them.
SECRET_FILES = (
    ".env", ".env.*", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "id_rsa*", "id_dsa*", "id_ecdsa*",
    "id_ed25519*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", "credentials", "credentials.json",
    "secrets.*", "*.kdbx", ".ssh/**", ".aws/**", ".gnupg/**", ".docker/config.json", ".kube/config",
)  # fmt: skip


def protect(texts: "list[str]", project: "Project", settings: "dict[str, Any]", cwd: str = "") -> "tuple[list[str], str | None]":
    """Return texts as they may be stored, and as JSON how many secrets of which kind were cut out (None for none)."""
    counts: dict[str, int] = {}
    ready = [_prepare(text, counts) for text in texts]
    folders = list(dict.fromkeys([project.root, project.top, cwd or project.root, paths.environment("HOME") or project.root]))
    known = redact.known_values(posix.environ, folders)
    patterns = settings["privacy.redact_patterns"]
    if patterns:  # which may match across any separator
        safe = [_redact(text, known, patterns, counts) for text in ready]
    else:
        safe = _redact(SEPARATOR.join(ready), known, [], counts).split(SEPARATOR)
    return safe, quick.dumps(counts) if counts else None


def _redact(text: str, known: "list[str]", patterns: "list[str]", counts: "dict[str, int]") -> str:
    text, kinds = redact.redact(text, known, patterns)
    for kind, number in kinds.items():
        counts[kind] = counts.get(kind, 0) + number
    return text


def _prepare(text: str, counts: "dict[str, int]") -> str:
    text, kinds = redact.drop_blocks(without_injected(redact.clean(text)))
    for kind, number in kinds.items():
        counts[kind] = counts.get(kind, 0) + number
    return select(text) if len(text) > MOST_CHARACTERS else text


def without_injected(text: str) -> str:
    """Cut out what this plugin put into the context: it must not come back as something that was said."""
    while INJECTED in text:
        before, rest = text.split(INJECTED, 1)
        tag, _, inside = rest.partition(">")
        text = before + inside.partition(f"</ralph-mem-{tag}")[2].partition(">")[2]
    return text


def without_paste_marks(text: str) -> str:
    """Take away the marks that the client puts around a long paste, and leave what was pasted."""
    before, _, rest = text.partition(PASTED)
    name, _, inside = rest.partition('">\n')
    pasted, closing, after = inside.partition(f'\n</pasted_content id="{name}">')
    return before + pasted + without_paste_marks(after) if closing else text


def select(text: str) -> str:
    """Return head, error lines and tail of a long text, cut between words so that no half secret stays."""
    head = _whole_words(text[:HEAD_CHARACTERS])
    tail = _whole_words(text[: -TAIL_CHARACTERS - 1 : -1])[::-1]
    room = MOST_CHARACTERS - len(head) - len(tail) - 64
    middle = error_lines(_whole_words(text[len(head) : -len(tail) or None][: 4 * MOST_CHARACTERS]), room)
    return f"{head}\n[...]\n{middle}\n[...]\n{tail}"


def _whole_words(text: str) -> str:
    """Drop the piece of a word at the end, or all of one that has no end."""
    end = max(text.rfind("\n"), text.rfind(" "))
    return text[:end] if end >= 0 else ""


def error_lines(text: str, room: int) -> str:
    """Return the lines that speak of a failure, as many as there is room for."""
    kept = []
    for line in text.splitlines():
        low = line.lower()
        speaks = any([word in low for word in ERROR_WORDS]) and not line.startswith(RULERS)
        if speaks and len(line) < room:
            room -= len(line) + 1
            kept.append(line.rstrip())
    return "\n".join(kept)


def shorten(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters: its beginning and, mostly, its end."""
    text = text.strip()
    if len(text) <= limit:
        return text
    head = limit // 3
    return text[:head].rstrip() + "\n[...]\n" + text[head + 7 - limit :].lstrip()


def is_secret(path: str) -> bool:
    """Say whether a file holds secrets by its name."""
    return _matches_any(path, SECRET_FILES)


def is_excluded(path: str, settings: "dict[str, Any]") -> bool:
    """Say whether the user wants nothing at all kept about a path, given as seen from the project's root."""
    return _matches_any(path, settings["privacy.exclude_paths"])


def touches(command: str, settings: "dict[str, Any]") -> bool:
    """Say whether a command names a file whose content must not be kept."""
    return any([is_secret(word) for word in _names(command)]) or names_excluded(command, settings)


def names_excluded(command: str, settings: "dict[str, Any]") -> bool:
    """Say whether a command names a path that the user excludes."""
    return any([is_excluded(word.removeprefix("./"), settings) for word in _names(command)])


def allowed(files: str, lines: str, settings: "dict[str, Any]") -> "tuple[str, str]":
    """Return of the files and the commands of a turn those about no excluded path, a command with its error lines."""
    if not settings["privacy.exclude_paths"]:
        return files, lines
    kept, keep = [], True
    for line in lines.splitlines():
        if line.startswith(row.OUTCOMES):
            keep = not names_excluded(line, settings)
        kept += [line] if keep else []
    return "\n".join([path for path in files.splitlines() if not is_excluded(path, settings)]), "\n".join(kept)


def _names(command: str) -> "list[str]":
    return "".join([" " if char in "\"'<>|;&=()`" else char for char in command]).split()


def _matches_any(path: str, patterns: "tuple[str, ...] | list[str]") -> bool:
    return any([matches(path, str(pattern)) for pattern in patterns])


def matches(path: str, pattern: str) -> bool:
    """Match a path against a pattern as in .gitignore: `*` within a name, `**` across folders, a name anywhere."""
    parts = [part for part in path.split("/") if part]
    wanted = [part for part in pattern.split("/") if part]
    if pattern.endswith("/"):
        wanted.append("**")
    if pattern.startswith("/"):
        return _parts_match(parts, wanted)
    return any([_parts_match(parts[start:], wanted) for start in range(len(parts))])


def _parts_match(parts: "list[str]", wanted: "list[str]") -> bool:
    if not wanted:
        # a folder's pattern covers what lies below it
        return True
    if wanted[0] == "**":
        return any([_parts_match(parts[start:], wanted[1:]) for start in range(len(parts) + 1)])
    return bool(parts) and _name_matches(parts[0], wanted[0]) and _parts_match(parts[1:], wanted[1:])


def _name_matches(name: str, pattern: str) -> bool:
    """Match one name, each piece between stars at its first place: no pattern takes longer than the name is long."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    if not name.startswith(first):
        return False
    at = len(first)
    for piece in rest[:-1]:
        at = name.find(piece, at) + len(piece)
        if at < len(piece):
            return False
    return name.endswith(rest[-1]) and len(name) - len(rest[-1]) >= at
