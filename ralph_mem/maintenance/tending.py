"""Do for a memory what is due from time to time, and what a hook has no time for."""

import time

from ralph_mem.maintenance import scrub
from ralph_mem.memory import access
from ralph_mem.memory.facts import learning, log_learning, playbook, prepared
from ralph_mem.memory.rows import facts, items, learnt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.facts.learning import Learned, Tell
    from ralph_mem.memory.store.connection import Store


# A turn and its outputs take some milliseconds; what is left after an upgrade waits for the next time.
LOOK_MS = 2000
# What takes a second to write anew; a larger file waits for `maintain --confirm`.
MOST_REWRITTEN = 50_000_000


def tend(
    opened: "Store",
    project: "Project",
    settings: "dict[str, Any]",
    most_turns: int,
    end: float,
    tell: "Tell" = learning.unheard,
    is_over: bool = True,
) -> "list[Learned]":
    """Cut out the secrets that only all rules together find, where `is_over` says that no session is at work, learn from the
    prompts and the log that wait, count what came of facts, and prepare what hooks tell of them.

    At most so many turns are learned from, and nothing is begun when `end` on the monotonic clock has passed; where it is endless,
    what is counted once a day is counted at once. Returns what was found in prompts. Where `memory.learn` is off, nothing is
    learned. `tell` hears what is looked at, how much of it is done, and of how much. The caller holds no transaction.
    """
    if is_over:  # it holds the lock for some tenths of a second, which a hook would wait for
        _look_closely(opened)
    if not settings["memory.learn"]:
        return []
    found = learning.learn(opened, project, settings, most_turns, end, tell)
    tell("commands and files", 1, 1)
    log_learning.learn(opened, opened.tree, end, settings)
    _fold_lessons(opened)
    playbook.tend_daily(opened, _now())
    if items.due(opened) <= _now():
        _purge_items(opened)
    if facts.are_there(opened):
        with access.BackgroundChange(opened) as changed:
            prepared.write(changed, _now())
    return found


def _look_closely(opened: "Store") -> None:
    """Have all rules look at what was stored since the last time; the file is written anew where they found anything."""
    protect, end = scrub.protector_of(opened), time.monotonic() + LOOK_MS / 1000
    while scrub.scrub_some(opened, protect, LOOK_MS, MOST_REWRITTEN) and time.monotonic() < end:
        pass


def _purge_items(opened: "Store") -> None:
    """Delete what programs kept for a while, or for a session that ended a day ago."""
    from ralph_mem.memory import items as kept  # lazy: only for a memory in which a program keeps anything for a while

    with access.BackgroundChange(opened) as changed:
        kept.purge(changed, _now())


def _now() -> int:
    return time.time_ns() // 1_000_000


def _fold_lessons(opened: "Store") -> None:
    """Fold what an older release left of loops, a lesson for each run."""
    if learnt.unfolded(opened):
        from ralph_mem.ralph import folded_lessons  # lazy: only once in the life of a memory

        with access.BackgroundChange(opened):
            folded_lessons.fold_old(opened)
