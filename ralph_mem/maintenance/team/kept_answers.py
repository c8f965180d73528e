"""Keep for a while what a team's server found, by a hash of what was asked."""

from typing import Any

from ralph_mem.core import fast, hashing, paths
from ralph_mem.core.project import Project
from ralph_mem.maintenance.team import shared_item
from ralph_mem.maintenance.team.shared_item import Refused, Shared

FRESH_MS = 600_000  # as long as one looks into one thing
KEPT_MS = 86_400_000  # what is older is no answer any more, even where the server is gone
MOST_KEPT, MOST_BYTES = 50, 16_777_216


def path_of(project: Project) -> str:
    """Return where a project's answers lie."""
    return f"{paths.data_home()}/{paths.TEAM_FOUND}/{paths.key_of(project.root)}.json"


def key_of(team: str, query: str, limit: int) -> str:
    """Return what the answer to a question is kept under."""
    return hashing.of("found", team, query, str(limit))


def kept(project: Project, key: str, now: int, within_ms: int = FRESH_MS) -> tuple[int, list[Shared]] | None:
    """Return when a question was answered, in ms, and the answer; None where that was too long ago, or cannot be read."""
    try:
        at, texts = _read(project)[key]
        if not 0 <= now - at <= within_ms:
            return None
        return at, [shared_item.read(text, now) for text in texts]
    except (KeyError, TypeError, ValueError, Refused):
        return None


def keep(project: Project, key: str, now: int, items: list[Shared]) -> None:
    """Keep an answer for a while, of all at most fifty; where it cannot be written it is asked for again."""
    young = [each for each in _read(project).items() if each[0] != key and now - each[1][0] <= KEPT_MS]
    newest = sorted(young, key=lambda each: -each[1][0])[: MOST_KEPT - 1]
    path = path_of(project)
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, fast.dumps({**dict(newest), key: [now, [shared_item.text_of(item) for item in items]]}))
    except OSError:
        return


def drop(project: Project) -> None:
    """Let go of all answers."""
    paths.remove(path_of(project))


def _read(project: Project) -> dict[str, list[Any]]:
    try:
        found = fast.loads(paths.read(path_of(project), MOST_BYTES))
        return {key: each for key, each in found.items() if isinstance(each, list) and len(each) == 2 and isinstance(each[0], int)}
    except (OSError, ValueError, AttributeError):
        return {}
