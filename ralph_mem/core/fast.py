"""JSON and SQLite through their C modules alone. They cost a hook a fiftieth of the public ones, which are the fallback."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class _Plain:
    """What the C scanner asks of a decoder: no hooks, control characters allowed inside strings."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}


try:
    from _json import encode_basestring_ascii as quote
    from _json import make_scanner

    scan: "Any" = make_scanner(_Plain)  # type: ignore[arg-type]  # any object with these attributes will do
except ImportError:  # an interpreter without the accelerator: the public module does the same
    from json.decoder import JSONDecoder
    from json.encoder import encode_basestring_ascii as quote

    scan = JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]

# What the scanner raises on text that is not JSON. On 3.10 and 3.11 a cut-off string is a SystemError: the C code
# looks for `json.decoder` in sys.modules, where it is not, and returns without having set an exception.
UNREADABLE = (ValueError, StopIteration, SystemError, RecursionError, TypeError, IndexError)


# What is no number in JSON, as its readers know it all the same.
NO_NUMBERS = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def loads(text: str) -> "Any":
    """Read one JSON value. Raises ValueError for anything else, and for text after it."""
    start = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        value, end = scan(text, start)
    except UNREADABLE as error:
        raise ValueError("not JSON") from error
    if text[end:].strip(" \t\r\n"):
        raise ValueError("more than one JSON value")
    return value


def dumps(value: object) -> str:
    """Write a value made of dicts, lists, tuples, strings, numbers, booleans and None as ASCII JSON."""
    if isinstance(value, str):
        return str(quote(value))
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(quote(str(key)) + ": " + dumps(item) for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([dumps(item) for item in value]) + "]"
    return NO_NUMBERS.get(repr(value), repr(value))


def errors() -> "Any":
    """Return the module of our errors, which is loaded where there is one: to make its classes costs as much as three modules."""
    from ralph_mem.core import errors  # lazy: most events have none

    return errors


def load_sqlite() -> "ModuleType":
    """Return `_sqlite3`, or the public `sqlite3`. Raises ImportError where Python was built without SQLite."""
    loaded = sys.modules.get("_sqlite3")
    if loaded:
        return loaded
    if "functools" not in sys.modules:
        try:
            return _import_without_functools()
        except Exception:  # a private API that may change with any release: the public one costs 2 ms more
            sys.modules.pop("_sqlite3", None)
    import sqlite3  # lazy: an interpreter without the private module

    return sqlite3


def _import_without_functools() -> "ModuleType":
    """Import `_sqlite3` with a stand-in for the one thing that it takes from `functools`."""
    stand_in = type(sys)("functools")
    stand_in.lru_cache = _lru_cache  # type: ignore[attr-defined]
    sys.modules["functools"] = stand_in
    try:
        import _sqlite3  # lazy: needs a stand-in for functools while it loads
    finally:
        del sys.modules["functools"]
    return _sqlite3


def _lru_cache(maxsize: int) -> "Any":
    from _functools import _lru_cache_wrapper  # lazy: only together with the C module that asks for it

    return lambda function: _lru_cache_wrapper(function, maxsize, False, tuple)
