"""Tell where the rooms of a tree's loops lie, and which project a folder in one of them stands for."""

from ralph_mem.core import fast, paths

STANDS_FOR = "stands-for.json"  # beside the rooms of a tree; it stays when they go, for who asks afterwards


def folder_of(tree: str) -> str:
    """Return the folder of a tree's rooms, there or not; empty without a home."""
    home = paths.data_home()
    return f"{home}/{paths.ROOMS}/{paths.key_of(tree)}" if home else ""


def top_of(tree: str, run: str) -> str:
    """Return where the files of a run's room lie: a folder of the same name as the person's, which tools may go by."""
    return f"{folder_of(tree)}/{run}/{tree.rstrip('/').rpartition('/')[2] or 'room'}"


def note(root: str, tree: str) -> None:
    """Write down which project the rooms of a tree stand for. Raises OSError."""
    folder = folder_of(tree)
    paths.make_folder(folder)
    paths.write(f"{folder}/{STANDS_FOR}", fast.dumps({"root": root, "tree": tree}))


def stands_for(start: str) -> "tuple[str, str, str] | None":
    """Return the root, the tree and the room's top for a folder in a room; None elsewhere, or where nobody has noted it."""
    before, _, inside = start.partition(paths.IN_ROOMS)
    parts = inside.split("/")
    if len(parts) < 3 or not paths.same_place(before + "/ralph-mem", paths.data_home() or "/nowhere"):
        return None
    folder = f"{before}{paths.IN_ROOMS}{parts[0]}"
    try:
        told = fast.loads(paths.read(f"{folder}/{STANDS_FOR}"))
        root, tree = str(told["root"]), str(told["tree"])
    except (ValueError, LookupError, TypeError):
        return None
    return root, tree, "/".join([folder, *parts[1:3]])
