"""Turn what SQLite raises beneath the methods of a class into an error of ours, which a program can catch."""

import functools
import types

from ralph_mem.memory import inspect
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Face = TypeVar("Face", bound=type)


def explained(face: "Face") -> "Face":
    """Have every public method of a class raise StoreError where SQLite cannot use a memory."""
    for name, method in list(vars(face).items()):
        if isinstance(method, types.FunctionType) and not name.startswith("_"):
            setattr(face, name, _explaining(method))
    return face


def _explaining(method: "Callable[..., Any]") -> "Callable[..., Any]":
    @functools.wraps(method)
    def call(*given: "Any", **named: "Any") -> "Any":
        try:
            return method(*given, **named)
        except connection.sqlite.Error as error:
            raise inspect.unusable(error) from error

    return call
