"""Put the turns first that changed something in the folder at work."""

from ralph_mem.memory.rows import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

    Rows = list[tuple[Any, ...]]

# Of the last so many memories: who works in one folder of many needs more than the newest of all, and a start must not read all.
LOOKED_BACK = 300
OF_FOLDER = reading.TURN + (
    " WHERE m.id > ? AND instr(char(10) || t.files, ?) > 0 AND t.index_version > 0 AND NOT t.misled AND t.tainted < 2"
    " ORDER BY t.id DESC LIMIT ?"
)


def first(store: "Store", newest: "Rows", folder: str, most: int) -> "tuple[Rows, str]":
    """Return the turns that changed something in a folder, newest first, and behind them the newest of the others; then the folder.

    It is nothing where no turn changed anything there.
    """
    own = store.execute(OF_FOLDER, (newest[0][0] - LOOKED_BACK, f"\n{folder}/", most)).fetchall()
    names = {values[1] for values in own}
    return [*own, *[values for values in newest if values[1] not in names]][:most], folder if own else ""
