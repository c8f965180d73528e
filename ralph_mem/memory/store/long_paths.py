"""Say that the path of a folder is longer than SQLite takes."""

from ralph_mem.core import paths

LONGEST_PATH = 504  # SQLite takes 512 bytes with what the name of a journal adds
SHORTER = "move the project to a folder with a shorter path"


def too_long(folder: str) -> str:
    """Say that the path of a folder is longer than SQLite takes, nothing where it is not; SQLite itself does not say why."""
    above = len(folder.removesuffix("/" + paths.STATE).encode("utf-8", "surrogateescape"))
    over = len((folder + "/memory.db").encode("utf-8", "surrogateescape")) - LONGEST_PATH
    return f"the path of the project is too long for a database ({above} bytes, {above - over} at most)" if over > 0 else ""
