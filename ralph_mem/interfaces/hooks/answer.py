"""Tidy the store at the end of a turn, when the agent has answered."""

import posix

from ralph_mem.core import paths
from ralph_mem.core.settings import effective
from ralph_mem.memory.rows import retention
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity

WAIT_MS = connection.PROMPT_WAIT_MS
# Prompts are learned from a few minutes later: a process takes a tenth of a second of a processor, and a session has many stops.
LEARNED_EVERY_MS = 300_000
# Two sessions may stop at once: the later one counts.
MARK = """
INSERT INTO properties (key, value) VALUES ('stopped_at', ?)
ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)"""


def afterwards(opened: "connection.Store", seen: "Activity", settings: "dict[str, Any]") -> None:
    """Leave the store so that the next turn is quick, and old output without its body."""
    retention.keep(opened, settings, seen.at)
    _mark(opened, seen.at)
    opened.tidy()
    if abs(seen.at - (opened.property("backed_up_at") or 0)) > retention.DAY_MS:
        from ralph_mem.maintenance.recovery import backups  # lazy: only once a day

        backups.keep(opened, seen.at)
    if paths.exists(paths.data_home() + paths.MODEL):
        from ralph_mem.memory.recall import embeddings_client  # lazy: only where embeddings are set up

        embeddings_client.wake(opened.folder)
    if is_to_be_learned(opened, seen, settings):
        from ralph_mem.interfaces.hooks import waking  # lazy: once in some minutes

        opened.set_property(connection.LEARNED_AT, seen.at)
        waking.wake(opened.folder, opened.tree)


def is_to_be_learned(opened: "connection.Store", seen: "Activity", settings: "dict[str, Any]") -> bool:
    """Say whether it is time to learn from prompts; where nobody sits, no process is left behind."""
    is_wanted = settings["memory.learn"] and settings["memory.worker"] and effective.attended()
    return bool(is_wanted and abs(seen.at - (opened.property(connection.LEARNED_AT) or 0)) > LEARNED_EVERY_MS)


def _mark(opened: "connection.Store", at: int) -> None:
    """Note in the memory and outside of it until when all is stored: a log that is lost shows by that."""
    opened.execute(MARK, (at,))
    try:
        posix.utime(
            f"{paths.data_home()}/{paths.PROJECTS}/{opened.property('project_id')}.json", ns=(at * 1_000_000, at * 1_000_000)
        )
    except OSError:  # a home without a registry
        pass
