"""The briefing: where the work stands, told when a context window is empty: at start, after /clear, after compaction."""

from ralph_mem.core import context, index_text, instructions, memories, receipts, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store

MOST_TURNS = 10
LOOKED_AT = 14
MOST_NOTES = 5
MOST_FAILURES = 3
LINE = context.LINE_CHARACTERS

# What misled, and what came in with somebody else's file (tainted is 2 then), is not told unasked.
RECENT = memories.TURN + " WHERE t.index_version > 0 AND NOT t.misled AND t.tainted < 2 ORDER BY t.id DESC LIMIT ?"
NOTES = memories.OBSERVATION + (
    " WHERE m.observation_id NOT NULL AND o.type = 'note' AND NOT o.misled AND o.tainted < 2 ORDER BY m.observation_id DESC LIMIT ?"
)
PINNED = (
    f"{memories.OBSERVATION} WHERE o.pinned AND NOT o.misled UNION ALL"
    f" {memories.TURN} WHERE t.pinned AND NOT t.misled ORDER BY 5 DESC LIMIT ?"
)
# What the last session ran last, newest first.
RAN = """
SELECT type, title, lines FROM observations
WHERE session_id = (SELECT session_id FROM observations WHERE tool_name = 'Bash' ORDER BY id DESC LIMIT 1)
    AND tool_name = 'Bash' AND NOT tainted
ORDER BY seq DESC LIMIT 30"""


def build(stores: "list[Store]", project: "Project", settings: "dict[str, Any]", session: int) -> "tuple[str, list[receipts.Item]]":
    """Return the briefing and the items of its receipt; both empty where there is nothing to tell.

    Pinned memories come first, then notes, then the last turns. The first store is the project's; of a second one, that of
    all projects, pinned memories and notes are told.
    """
    store = stores[0]
    known = instructions.read(project)
    told = receipts.told(store, session)
    rows = [values for each in stores if each.property(memories.WAS_PINNED) for values in each.execute(PINNED, (MOST_NOTES,))]
    rows += [values for each in stores for values in each.execute(NOTES, (MOST_NOTES,))]
    rows += store.execute(RECENT, (LOOKED_AT,)).fetchall()
    recent = list({values[1]: context.Memory(values, known, settings) for values in rows}.values())
    worth = [memory for memory in recent if memory.public_id not in told and _is_worth(memory)]
    failing = _still_failing(store, settings) if worth else []
    room = settings["memory.inject_tokens_start"] - row.tokens(context.OPENING, *failing) - context.FENCE_TOKENS
    lines, items = _fill(worth[:MOST_TURNS], room)
    return ("\n".join(lines + failing), items) if lines else ("", [])


def _still_failing(store: "Store", settings: "dict[str, Any]") -> "list[str]":
    """Tell which commands failed at the end of the last session and were not seen to pass after that."""
    seen: set[str] = set()
    failing = []
    for kind, title, lines in store.execute(RAN):
        if kind == "error" and title not in seen and _may_be_told(title, settings):
            failing.append(context.escaped(f"- still failing: {title[:LINE]}: {lines.rstrip().rpartition(chr(10))[2][:LINE]}"))
        seen.add(title)
    return failing[:MOST_FAILURES]


def _may_be_told(command: str, settings: "dict[str, Any]") -> bool:
    if not settings["privacy.exclude_paths"]:
        return True
    # only who excludes any needs their rules
    from ralph_mem.core import path_rules

    return not path_rules.names_excluded(command, settings)


def _is_worth(memory: context.Memory) -> bool:
    """Say whether a turn changed or ran something, or was about something; "yes" and "thanks" are not worth a line."""
    return memory.says_something() and bool(memory.pinned or memory.files or memory.lines or index_text.terms(memory.asked))


def _fill(worth: "list[context.Memory]", budget: int) -> "tuple[list[str], list[receipts.Item]]":
    lines: list[str] = []
    items: list[receipts.Item] = []
    for memory in worth:
        line = memory.line()
        cost = row.tokens(line)
        budget -= cost
        if budget < 0:
            break
        lines.append(line)
        items.append(receipts.Item(memory.public_id, "line", 0.0, 0, cost))
    return lines, items
