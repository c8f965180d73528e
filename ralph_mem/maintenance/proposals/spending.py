"""Keep what models have cost a person on each day, and let one process ask at a time."""

import contextlib
import os
import time

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NAME = "spent.json"
# Days that are kept, so that a clock that was set back finds what was spent on its day.
MOST_DAYS = 31
HINT = "memory.model_budget_cents of your config says how much a day it may be"


@contextlib.contextmanager
def purse(budget: int) -> "Iterator[Purse]":
    """Let this process alone spend what is left of a day's budget in cents. Raises RalphMemError where another one does."""
    if not paths.data_home():
        raise RalphMemError("there is no home folder to keep what a model costs", "set HOME")
    folder = f"{paths.data_home()}/{paths.MODEL_COSTS}"
    paths.make_folder(folder)
    file = paths.open_lock(folder)
    try:
        if not paths.lock(file):
            raise RalphMemError("another `ralph-mem learn --with` asks a model now", "try again once it has ended")
        yield Purse(budget, folder)
    finally:
        os.close(file)


class Purse:
    """What may be spent today, in cents."""

    def __init__(self, budget: int, folder: str) -> None:
        self.budget, self.folder = budget, folder

    def left(self) -> float:
        """Return what is left of today's budget, in cents."""
        return left(self.budget)

    def spend(self, cents: float) -> None:
        """Note what was spent, or with a negative amount that it was less than noted. Raises OSError."""
        days = _days()
        days[_today()] = max(0.0, round(days.get(_today(), 0.0) + cents, 4))
        paths.write(f"{self.folder}/{NAME}", fast.dumps(dict(sorted(days.items())[-MOST_DAYS:])))


def left(budget: int) -> float:
    """Return what is left today of a budget in cents."""
    return max(0.0, budget - _days().get(_today(), 0.0))


def _today() -> str:
    return time.strftime("%Y-%m-%d")


def _days() -> "dict[str, float]":
    """Return what was spent on which day; what cannot be read counts as nothing left for today."""
    path = f"{paths.data_home()}/{paths.MODEL_COSTS}/{NAME}"
    if not paths.exists(path):
        return {}
    try:
        found: Any = fast.loads(paths.read(path))
        return {str(day): float(cents) for day, cents in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {_today(): float("inf")}
