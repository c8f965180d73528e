"""Give the copy of a tree a repository, for checks that ask git.

What judged and was tracked at the start is tracked there, whatever the agent has untracked.
"""

import os
import re

from ralph_mem.ralph.git import copies
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.room import repository
from ralph_mem.ralph.snapshot.listing import GIT, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ralph_mem.ralph.loop import Loop

ASKS = re.compile(r"""(?<![\w./-])git["']?[\s,]+["']?[a-z-]""")
LOST = "git does not track any more what it lists for the checks"
STAGED = [*GIT, "ls-files", "--stage", "-z"]
STAGE = [*GIT, "update-index", "-z", "--index-info"]


def is_asked(texts: "Iterable[str]") -> bool:
    """Say whether checks, as these texts have them, ask git for something."""
    return any([ASKS.search(said) for said in texts])


def bring(loop: "Loop", top: str, judges: "Collection[str]") -> "list[str]":
    """Make the repository of a copy; returns those of the judges that only the start's index has, which are tracked there."""
    place = next((each.top for each in (loop.place, loop.project) if os.path.lexists(f"{each.top}/.git")), "")
    if not place or not repository.make(place, top):
        return []
    known, now = _staged(top, {"GIT_INDEX_FILE": _index_of_start(loop)}), _staged(top)
    lost = {path: line for path, line in known.items() if path not in now and path in judges and os.path.lexists(f"{top}/{path}")}
    run_git(STAGE, top, b"".join([line + b"\0" for line in lost.values()]))
    return sorted(lost)


def _index_of_start(loop: "Loop") -> str:
    """Return where the index lies as it was before the first iteration; nothing may be there."""
    main = repositories.of(loop.place) or repositories.of(loop.project)
    below = f"{main.held}{repositories.own(main)}" if main else ""
    return f"{copies.folder_of(loop.project, loop.run.id)}/{copies.START}/files/{below}index"


def _staged(top: str, variables: "dict[str, str] | None" = None) -> "dict[str, bytes]":
    lines = run_git(STAGED, top, variables=variables)[1].split(b"\0")
    return {os.fsdecode(line.partition(b"\t")[2]): line for line in lines if line}
