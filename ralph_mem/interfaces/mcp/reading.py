"""Open what one call may read, write its answer as hooks write theirs, and note what it told."""

import posix

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.memory import access
from ralph_mem.memory.inject import block
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import facts, receipts, sessions
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.memory.rows.receipts import Item
    from ralph_mem.memory.store.connection import Store

# An answer may have 1,500 tokens. The fence, what stands at its beginning and the line below it take some 130; what is left over
# is what the estimate of tokens errs by.
MOST_TOKENS, BODY_TOKENS = 1_500, 1_250
# A reader waits for whoever puts another memory in the place of this one, a receipt hardly for anybody.
WAIT_MS, RECEIPT_WAIT_MS = 500, 50
EVENT = "MCP "  # stands before the name of a tool in a receipt
# The client's session that a call belongs to: the one it was started in, or where that has ended one that its process has open.
AT_WORK = """
SELECT id, fence FROM sessions WHERE client_session = ?1 OR (client_pid = ?2 AND ended_at IS NULL)
ORDER BY ended_at NOT NULL, id DESC LIMIT 1"""
NOTHING_YET = "Nothing is remembered here yet."


class Asked:
    """Where and by whom something was asked: the project, the client's name, its id of the session and its process, and when."""

    __slots__ = ("client", "now", "process", "project", "session", "settings")

    def __init__(self, project: "Project", client: str, session: str, process: int, now: int) -> None:
        self.project, self.settings = project, effective.load(project)
        self.client, self.session, self.process, self.now = client, session, process, now


class Told:
    """What is answered: lines, each with its item for the receipt or None, and what stands below the fence.

    `plain` is an answer in our own words alone, which needs no fence.
    """

    def __init__(self, lines: "Sequence[tuple[str, Item | None]]", below: str = "", plain: str = "") -> None:
        self.lines, self.below, self.plain = lines, below, plain

    def fitting(self) -> "tuple[str, list[Item]]":
        """Return as many lines as have room, and their items."""
        room, kept = BODY_TOKENS, []
        for text, item in self.lines:
            room -= layers.price(text) + 1
            if room < 0:
                break
            kept.append((text, item))
        left = len(self.lines) - len(kept)
        more = [f"({left} more do not fit; ask for less)"] if left else []
        return "\n".join([*[text for text, _ in kept], *more]), [item for _, item in kept if item]


class Reading:
    """The memories of a project, open for one call and for reading alone; a context manager."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.stores: list[Store] = []

    def __enter__(self) -> lookup.Reader:
        self.stores = access.to_look(self.asked.project, WAIT_MS)
        return lookup.Reader(self.stores, self.asked.project, self.asked.settings)

    def __exit__(self, *_: object) -> None:
        for opened in self.stores:
            opened.close()
        layers.TOLD.clear()  # what was read is held by nobody: it may be forgotten the next moment


def fenced(text: str, stores: "list[Store]", asked: Asked) -> str:
    """Return a text in the fence of the session that asks, redacted and escaped as a hook does it."""
    found = [opened.one(AT_WORK, (asked.session, asked.process)) for opened in stores]
    tag = next((each[1] for each in found if each), "") or posix.urandom(12).hex()
    return block.fence(text, tag, asked.project, asked.settings)


def note(asked: Asked, event: str, items: "list[Item]") -> None:
    """Write a receipt in a transaction of its own; where the memory is busy, cannot be written or is paused there is none."""
    if not effective.recording(asked.project, asked.settings, asked.session) or not connection.exists(asked.project.folder):
        return
    try:
        opened = connection.connect(asked.project.folder, RECEIPT_WAIT_MS)
    except RalphMemError:
        return
    try:
        with access.Change(opened, durable=False):
            found = opened.one(AT_WORK, (asked.session, asked.process))
            session = found[0] if found else sessions.own(opened, facts.SESSION, asked.now)
            receipts.add(opened, session, None, EVENT + event, asked.now, MOST_TOKENS, items)
    except connection.sqlite.Error:
        pass
    finally:
        opened.close()
