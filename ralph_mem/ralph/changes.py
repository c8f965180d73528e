"""Describe what an iteration did to the files."""

import difflib

from ralph_mem.core.redaction import path_rules, privacy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.snapshot import Change

    Content = Callable[[Change], "bytes | None"]

# Lines of a diff that are kept of one file, and files of one iteration whose lines are kept: an iteration mostly touches one
# to three, and what it did must fit beside nine others into a prompt of 6,000 tokens.
MOST_LINES, MOST_LINE_CHARACTERS, MOST_QUOTED = 12, 160, 6
MOST_FILES = 50
# difflib takes a tenth of a second for files of this size, and ten for some of ten times that.
MOST_COMPARED = 200_000
EXCLUDED = "(excluded)"
NO_TEXT = ("", 0, 0)


def described(
    changes: "list[Change]", before: "Content", after: "Content", project: "Project", settings: "dict[str, Any]"
) -> "list[list[Any]]":
    """Return the first fifty changes, redacted, as `[path, what, lines added, lines removed, the lines]`.

    `before` and `after` return the bytes of a path or None. An excluded path has no name, a file of secrets no lines.
    """
    found = []
    for change in changes[:MOST_FILES]:
        path = change.path.decode("utf-8", "replace")
        if path_rules.is_excluded(path, settings):
            found.append([EXCLUDED, change.what, 0, 0, ""])
            continue
        quoted = len(found) < MOST_QUOTED and not path_rules.is_secret(path)
        lines, plus, minus = _compared(before(change), after(change))
        found.append([path, change.what, plus, minus, lines if quoted else ""])
    return _protected(found, project, settings)


def _compared(before: "bytes | None", after: "bytes | None") -> "tuple[str, int, int]":
    """Return the changed lines of a text, the first ones, and how many came and went."""
    old, new = _lines(before), _lines(after)
    if old is None or new is None:
        return NO_TEXT
    if len(before or b"") + len(after or b"") > MOST_COMPARED:
        return "", max(0, len(new) - len(old)), max(0, len(old) - len(new))
    changed = [line for line in list(difflib.unified_diff(old, new, lineterm="", n=0))[2:] if line[:1] in "+-"]
    plus = len([line for line in changed if line[0] == "+"])
    shown = [line[:MOST_LINE_CHARACTERS] for line in _both_sides(changed) if line[1:].strip()]
    return "\n".join(shown), plus, len(changed) - plus


def _both_sides(changed: "list[str]") -> "list[str]":
    """Return so many lines that what came is among them, however much went."""
    if len(changed) <= MOST_LINES:
        return changed
    gone = [line for line in changed if line[0] == "-"][: MOST_LINES // 3]
    return gone + [line for line in changed if line[0] == "+"][: MOST_LINES - len(gone)] + ["..."]


def _lines(content: "bytes | None") -> "list[str] | None":
    """Return the lines of a text; None for what is no text."""
    if content is None:
        return []
    return None if b"\0" in content[:8000] else content.decode("utf-8", "replace").splitlines()


def _protected(found: "list[list[Any]]", project: "Project", settings: "dict[str, Any]") -> "list[list[Any]]":
    safe = iter(privacy.protect([text for each in found for text in (each[0], each[4])], project, settings)[0])
    return [[next(safe), *each[1:4], next(safe)] for each in found]


def told(changed: "list[list[Any]]", unnamed: int = 0, most: int = 8) -> str:
    """Return changes in one line: `shop/cart.py +3 -1, shop/tax.py (deleted)`; also those that have no numbers."""
    parts = []
    for path, what, *numbers in [list(each) for each in changed[:most]]:
        plus, minus = [*numbers, 0, 0][:2]
        parts.append(f"{path} +{plus} -{minus}" if plus or minus else f"{path} ({what})")
    more = max(0, len(changed) - most) + unnamed
    return ", ".join([*parts, *([f"{more} more"] if more else [])])


def lines_of(changed: "list[list[Any]]") -> "list[str]":
    """Return the changed lines of an iteration, below the name of the file where there are several."""
    quoted = [each for each in changed if len(each) > 4 and each[4]]
    found = []
    for each in quoted:
        found += [each[0] + ":"] if len(quoted) > 1 else []
        found += each[4].splitlines()
    return found
