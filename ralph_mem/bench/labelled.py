"""Read a labelled set from a JSON file, and say in a line what is wrong with one."""

import json
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

from ralph_mem.core.errors import RalphMemError

HINT = "the format stands in docs/benchmarks.md"

Set = TypeVar("Set")


def read(path: str, what: str, build: Callable[[Any], Set]) -> Set:
    """Return what `build` makes of a file's JSON. Raises RalphMemError, by the name of `what`, where it cannot, and OSError."""
    file = Path(path)
    try:
        return build(json.loads(file.read_bytes()))
    except (ValueError, RecursionError, KeyError, TypeError, OverflowError) as error:
        raise RalphMemError(f"{file.name} is no set of {what}: {' '.join(str(error).split())[:120]}", HINT) from error


def need(path: str, is_there: bool, what: str) -> None:
    """Raise RalphMemError for a set that lacks what it is for."""
    if not is_there:
        raise RalphMemError(f"{Path(path).name} has {what}", HINT)


def text(value: Any) -> str:
    """Return a text without the halves of characters that JSON can spell and UTF-8 cannot. Raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"not text but {type(value).__name__}: {str(value)[:40]}")
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def moment(value: Any) -> int:
    """Return a time in ms since 1970 of ISO 8601, in UTC where it names no zone. Raises ValueError or TypeError."""
    at = datetime.fromisoformat(text(value).replace("Z", "+00:00"))
    return int((at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp() * 1000)
