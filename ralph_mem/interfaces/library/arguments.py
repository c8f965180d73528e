"""Check what a program hands over, a function for each kind of argument, and say what to give instead."""

import json
import os

from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MOST_PARTS, MOST_CHARACTERS = 8, 200  # a namespace is read by people, too
MOST_DEPTH = 100  # of lists and dicts in each other: what goes through a value may call itself so often in any program
MOST_BYTES = 65_536  # of a value as JSON in UTF-8: what is larger belongs into a file
MOST_SECONDS = 10**12  # thirty thousand years; as milliseconds a database can keep them
MOST_ROWS = 10**9  # more than a memory ever has; what asks for more gets all of them, in a number that SQLite can keep
OF_A_NAME = f"1 to {MOST_CHARACTERS} characters that can be printed"
OF_JSON = "dicts, lists, texts, finite numbers, booleans and None are JSON"


def refused(given: object, what: str, hint: str) -> RalphMemError:
    """Return what to raise for an argument, which is shown as far as it fits in a line."""
    return RalphMemError(f"{_shown(given)} {what}", hint)


def _shown(given: object) -> str:
    try:
        return f"{given!a:.60}"
    except Exception:  # what an object of a program says of itself is its own code
        return f"a {type(given).__name__:.60}"


def text(given: "Any", hint: str) -> str:
    """Return a text. Raises RalphMemError."""
    if not isinstance(given, str):
        raise refused(given, "is no text", hint)
    return given


def whole_number(given: "Any", such_as: str) -> int:
    """Return how many there should be at most, from 0 on. Raises RalphMemError."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise refused(given, "is no whole number from 0 on", f"such as {such_as}")
    return min(given, MOST_ROWS)


def number(given: "Any", such_as: str) -> float:
    """Return a number, whole or not. Raises RalphMemError."""
    if not isinstance(given, (int, float)) or isinstance(given, bool) or given != given:  # noqa: PLR0124 - which NaN alone is
        raise refused(given, "is no number", f"such as {such_as}")
    return given


def milliseconds(given: "Any", such_as: str) -> int:
    """Return seconds as a memory keeps them. Raises RalphMemError for what is no number, or none that it can keep."""
    if not isinstance(given, (int, float)) or isinstance(given, bool) or not abs(given) <= MOST_SECONDS:
        raise refused(given, "is no number of seconds", f"give {such_as}")
    return int(given * 1000)


def one_of(known: "Iterable[str]", what: str, given: "Any") -> str:
    """Return one of the words that are known. Raises RalphMemError."""
    names = list(known)
    if not isinstance(given, str) or given not in names:
        told = given[:40] if isinstance(given, str) and given.isprintable() else _shown(given)
        raise RalphMemError(f"there is no {what} {told}", "one of " + ", ".join(names))
    return given


def path(given: "Any") -> str:
    """Return a path as text, an empty one for None. Raises RalphMemError."""
    try:
        found = "" if given is None else os.fsdecode(os.fsencode(given))
    except (TypeError, ValueError):
        found = "\0"
    if "\0" in found:
        raise refused(given, "is no path", "give a folder of the project, such as Memory('shop'), or nothing for the current one")
    return found


def session(given: "Any") -> str:
    """Return the id of a session, an empty one for None. Raises RalphMemError."""
    if given is None or (isinstance(given, str) and not given):
        return ""
    if not _is_name(given):
        raise refused(given, "is no id of a session", f"give a text of {OF_A_NAME}, or nothing")
    return str(given)


def namespace(given: "Any") -> "tuple[str, ...]":
    """Return a namespace as a tuple. Raises RalphMemError for anything but a few texts of some characters each."""
    if not isinstance(given, (tuple, list)) or len(given) > MOST_PARTS or not all([_is_name(part) for part in given]):
        hint = f"a namespace is a tuple of 1 to {MOST_PARTS} texts of {OF_A_NAME}, such as ('project', ID, 'skills')"
        raise refused(given, "is no namespace", hint)
    return tuple(given)


def key(given: "Any") -> str:
    """Return a key. Raises RalphMemError."""
    if not _is_name(given):
        raise refused(given, "is no key", f"a key is a text of {OF_A_NAME}")
    return str(given)


def _is_name(given: "Any") -> bool:
    return isinstance(given, str) and 0 < len(given) <= MOST_CHARACTERS and given.isprintable()


def index(given: "Any") -> "bool | list[str]":
    """Return by what a value is found: True, False, or names of fields. Raises RalphMemError, for the name of one field, too."""
    if isinstance(given, bool):
        return given
    if not isinstance(given, (list, tuple, set, frozenset)) or not all([isinstance(name, str) for name in given]):
        raise refused(given, "names no fields", "index is True, False, or a list of names, such as index=['note']")
    return list(given)


def value(given: "Any") -> "Any":
    """Return a value that JSON can hold. Raises RalphMemError for another one, and for one that is too deep or too large."""
    _look_through(given)
    try:
        size = len(json.dumps(given, allow_nan=False, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError) as error:
        raise RalphMemError(f"this value is no JSON: {error}", OF_JSON) from None
    if size > MOST_BYTES:
        raise _too_large(f"{size:,} bytes")
    return given


def _look_through(given: "Any") -> None:
    """Look at every part of a value without calling oneself, so that one that holds itself comes to an end as well."""
    waiting, seen = [(given, 0)], 0
    while waiting:
        each, depth = waiting.pop()
        seen += 1
        if isinstance(each, dict) and not all([isinstance(name, str) for name in each]):
            raise RalphMemError("this value is no JSON: a key of it is no text", "name each value by a text")
        if not isinstance(each, (dict, list, tuple)):
            continue
        inside = list(each.values() if isinstance(each, dict) else each)
        if depth == MOST_DEPTH:
            raise RalphMemError(f"this value is nested more than {MOST_DEPTH} deep", "keep it flatter, or as a text")
        if seen + len(waiting) + len(inside) > MOST_BYTES:  # each part takes a byte at least
            raise _too_large(f"more than {MOST_BYTES:,} parts")
        waiting += [(part, depth + 1) for part in inside]


def _too_large(size: str) -> RalphMemError:
    return RalphMemError(f"a value of {size} is too large", f"at most {MOST_BYTES:,} bytes of JSON; keep the gist")
