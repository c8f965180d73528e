"""Tell by what the memory's hooks recorded of a session's tools which changes are its agent's."""

import json
import os
import re

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.memory.rows import log
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.ralph.loop import Loop

NS_PER_MS = 1_000_000
# An event comes when its tool is done, and takes the time of starting a hook; the clock of a file may be a tick behind.
BEFORE_MS, AFTER_MS = 1_000, 100
LEAST_MS = 1_000  # a tool that took less is recorded without how long
FOR_EVER_MS = 366 * 86_400_000
# In a longer command a person saves a file too: what it wrote has to be named in it.
MOST_UNNAMED_MS = 3_000


class ToolEvents:
    """What the agent of a session did since its loop went on. `done_ns` is when the last checks were done, which left files too.

    After `over_ms`, where there is one, nothing is the agent's any more.
    """

    __slots__ = ("_commands", "_done_ns", "_edits", "_top")

    def __init__(
        self, used: "list[tuple[str, str, str | None, int]]", top: str, done_ns: int, over_ms: "int | None" = None
    ) -> None:
        self._top, self._done_ns = os.path.realpath(top).rstrip("/") + "/", done_ns
        self._edits: dict[str, int] = {}
        self._commands: list[tuple[int, int, str]] = []
        for title, files, metadata, at in used:
            for path in files.splitlines():
                self._edits[path] = (at + AFTER_MS) * NS_PER_MS
            if not files:
                self._commands.append(_window(title, metadata, at, at + FOR_EVER_MS if over_ms is None else over_ms))

    checks_are_heard = False

    def add(self, path: str, _kind: str, at: int) -> None:
        """Note a file that was written at a time in ns."""
        self._edits[path.replace(self._top, "", 1)] = at + AFTER_MS * NS_PER_MS

    def heard(self) -> bool:
        """Say whether anything can be told from this; `of_session` returns none where it cannot."""
        return True

    def explains(self, path: str, at: int, gone: bool, _state: int = 0) -> bool:
        """Say whether a change of that time is the agent's or the last checks'; of what is gone it is the time of its folder."""
        name = path.replace(self._top, "", 1)
        if at <= max(self._done_ns, self._edits.get(name, 0)):
            return not gone or at <= self._done_ns
        return any(start <= at <= end and _may_write(text, name, end - start) for start, end, text in self._commands)


def _window(title: str, metadata: "str | None", at: int, over_ms: int) -> "tuple[int, int, str]":
    try:
        told = json.loads(metadata or "{}")
        took, runs_on = told.get("ms", LEAST_MS), told.get("runs_on")
    except (ValueError, AttributeError):
        took, runs_on = LEAST_MS, False
    took = took if isinstance(took, (int, float)) else LEAST_MS
    end = (over_ms if runs_on else at) + AFTER_MS  # when one in the background ends nobody tells
    return int(at - took - BEFORE_MS) * NS_PER_MS, end * NS_PER_MS, title


def _may_write(command: str, name: str, span_ns: int) -> bool:
    most = (MOST_UNNAMED_MS + BEFORE_MS + AFTER_MS) * NS_PER_MS
    named = rf"(^|[\s/'\"=]){re.escape(name.rpartition('/')[2])}($|[\s'\";:|&>)])"
    return span_ns <= most or bool(re.search(named, command))


def of_session(loop: "Loop", done_ns: int) -> "ToolEvents | None":
    """Return what the agent of the session did since the last iteration began; None where its tools are not recorded."""
    return _told(loop, done_ns, False) if effective.recording(loop.project, loop.settings) else None


def of_cut_off(loop: "Loop", done_ns: int) -> "ToolEvents | None":
    """Return what the agent did in an iteration that was cut off, as far as it was recorded; None where there is no memory.

    What the person has the agent do afterwards, in the same session, is no more the loop's.
    """
    return _told(loop, done_ns, True)


def _told(loop: "Loop", done_ns: int, is_over: bool) -> "ToolEvents | None":
    since = loop.begun or loop.run.started
    try:
        opened = connection.connect(loop.project.folder, connection.TOOL_WAIT_MS)
    except RalphMemError:
        return None
    try:
        used: Any = log.tools_of(opened, loop.run.owner, since - BEFORE_MS)
        until = log.prompted(opened, loop.run.owner, since) if is_over else None
    finally:
        opened.close()
    used = [each for each in used if until is None or each[3] < until]
    return ToolEvents(used, loop.place.top, done_ns, max([each[3] for each in used], default=0) if is_over else None)
