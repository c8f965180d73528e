"""Let facts follow the files that they name when git has moved these."""

from ralph_mem.core import paths, process
from ralph_mem.memory.facts import anchors
from ralph_mem.memory.rows import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

# Commits that are looked through for moves: some months of a busy project, and a fraction of a second.
MOST_COMMITS = 500
MOST_MOVES = 20  # of one file, after which it is left where it is


def follow(store: "Store", root: str) -> int:
    """Move the anchors of facts whose files git has renamed below a folder; returns how many facts that were.

    In the caller's transaction. Nothing is started where every file is in its place.
    """
    lost = [fact for fact in facts.of_status(store, facts.ACTIVE, facts.CANDIDATE) if anchors.gone(fact.anchors, root)]
    moves = moved(root) if lost else {}
    followed = 0
    for fact in lost:
        changed = [_moved(anchor, moves, root) for anchor in fact.anchors]
        if changed != fact.anchors:
            facts.change(store, fact.number, {"anchors": changed})
            followed += 1
    return followed


def moved(root: str) -> "dict[str, str]":
    """Return where git has moved files lately, by where they were; paths as seen from a folder."""
    order = ["git", "-C", root, "-c", "core.fsmonitor=false", "log", f"-n{MOST_COMMITS}", "-M", "--diff-filter=R", "--name-status"]
    said = process.printed_by([*order, "--relative", "--format=", "-z"], GIT_OPTIONAL_LOCKS="0").split("\0")
    moves: dict[str, str] = {}
    for at, word in enumerate(said[:-2]):
        if word.lstrip("\n")[:1] == "R" and word.lstrip("\n")[1:].isdigit():
            moves.setdefault(said[at + 1], said[at + 2])  # the newest move comes first
    return moves


def _moved(anchor: "anchors.Anchor", moves: "dict[str, str]", root: str) -> "anchors.Anchor":
    """Return an anchor as it is after all moves of its file, unless that ends at nothing."""
    path = anchor["path"]
    for _ in range(MOST_MOVES):
        if paths.exists(f"{root}/{path}") or path not in moves:
            break
        path = moves[path]
    if path == anchor["path"] or not paths.exists(f"{root}/{path}"):
        return anchor
    return {**anchor, "path": path, "was": anchor.get("was", anchor["path"])}
