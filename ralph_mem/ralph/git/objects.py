"""Find the object files that a copy has and a repository lacks, unless others hold the same objects."""

import os

from ralph_mem.ralph.git import copies
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.snapshot import listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project
    from ralph_mem.ralph.git.repository import Repository

PACK, INDEX = ".pack", ".idx"


def missing(project: "Project", run: str, repository: "Repository") -> "list[str]":
    """Return the object files to be copied back, by their paths in the copy: all that are gone where git cannot be asked.

    A pack that git has made another one of is not among them.
    """
    inside, below = f"{repository.held}objects/", len(repository.held)
    fixed = [path for path in copies.read(project, run).get("fixed") or [] if path.startswith(inside)]
    gone = [path for path in fixed if not os.path.lexists(f"{repository.common}/{path[below:]}")]
    loose = {path: "".join(path.split("/")[-2:]) for path in gone if "/pack/" not in path}
    found = _lacking(repository, loose)
    store = f"{copies.folder_of(project)}/objects"
    for pack in [path for path in gone if path.endswith(INDEX)]:
        if _lacking(repository, dict.fromkeys(_ids_of(repository, f"{store}/{pack}"), pack), by_id=True):
            found += [path for path in gone if path.startswith(pack[: -len(INDEX)] + ".")]
    return sorted(set(found) | {path for path in gone if path.endswith(PACK) and path[: -len(PACK)] + INDEX not in gone})


def _ids_of(repository: "Repository", index: str) -> "list[str]":
    """Return the ids in a pack."""
    try:
        with open(index, "rb") as file:
            said = repositories.ask(repository, "show-index", given=file.read())[1]
    except OSError:
        return []
    return [line.split()[1].decode() for line in said.splitlines() if len(line.split()) > 1]


def _lacking(repository: "Repository", wanted: "dict[str, str]", by_id: bool = False) -> "list[str]":
    """Return the paths of those objects that git does not find."""
    ids = wanted if by_id else {name: path for path, name in wanted.items()}
    if not ids:
        return []
    given = "".join([f"{name}\n" for name in ids]).encode()
    code, said = repositories.ask(repository, "cat-file", "--batch-check", "--buffer", given=given)
    if code == listing.COULD_NOT_RUN or code:
        return list(dict.fromkeys(ids.values()))
    lost = [line.split()[0].decode() for line in said.splitlines() if line.endswith(b" missing")]
    return list(dict.fromkeys([ids[name] for name in lost if name in ids]))
