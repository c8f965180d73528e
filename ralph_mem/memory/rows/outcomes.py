"""Write how a command ended into its observation, where its client tells that only at the end of the turn."""

from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

UNKNOWN = "tool_use"
SETTLED = ("type", "content", "lines", "metadata", "redactions", "redaction_version")
OF_EVENT = "SELECT id FROM observations WHERE event_id = ? AND type = ? AND edited_at IS NULL AND emptied_at IS NULL"


def settle(store: "Store", record: "dict[str, Any]") -> None:
    """Write type, output and exit code of an observation, unless they are known; one that is not stored stays so.

    The caller holds the transaction.
    """
    found = store.one(OF_EVENT, (record["event_id"], UNKNOWN)) if record["type"] != UNKNOWN else None
    if found:
        row.replace(store, row.OBSERVATION, found[0], {name: record[name] for name in SETTLED})
