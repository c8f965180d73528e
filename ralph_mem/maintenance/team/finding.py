"""Look for words, and for what they mean, at a team's server, and keep for a while what it found."""

from typing import Any, NamedTuple

from ralph_mem.core import fast, hashing, paths
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import whole
from ralph_mem.maintenance.team import exchange, item_files, meaning, seal, server, shared_item
from ralph_mem.maintenance.team.seal import Seal
from ralph_mem.maintenance.team.shared_item import Refused, Shared

FOUND = """
SELECT i.id, i.body FROM ralph_mem.found(%s, %s, %s) AS f JOIN ralph_mem.item AS i ON i.team = %s AND i.id = f.id
ORDER BY f.rank DESC, i.id"""
QUERY_CHARACTERS = 1_000
FRESH_MS = 600_000  # as long as one looks into one thing
KEPT_MS = 86_400_000  # what is older is no answer any more, even where the server is gone
MOST_KEPT, MOST_BYTES = 50, 16_777_216


class Found(NamedTuple):
    """What a server found: the items, when it said so in ms since 1970, and why it was not asked now, empty where it was."""

    items: list[Shared]
    at: int
    gone: str


def search(project: Project, settings: dict[str, Any], team: str, query: str, limit: int, now: int) -> Found:
    """Return what a team's server finds for a query, the best first. The query leaves as the rules of redaction leave it.

    The same question is answered anew after ten minutes, and where the server is gone by what it said within a day. Raises
    ServerError where there is no answer.
    """
    if seal.of(project, team).key:
        raise server.ServerError(f"the texts of {team} are locked: its server finds no words in them", "ralph-mem team pull")
    safe = whole.protector(project, settings)(query[:QUERY_CHARACTERS])[0]
    key, address = _key_of(team, safe, limit), exchange.address_of(project, team)
    fresh = _kept(project, key, now)
    if fresh:
        return Found(fresh[1], fresh[0], "")
    try:
        items = _asked(address, team, safe, limit, now, meaning.embedder())
    except server.ServerError as error:
        old = _kept(project, key, now, KEPT_MS)
        if old is None:
            raise
        return Found(old[1], old[0], str(error))
    _keep(project, key, now, items)
    return Found(items, now, "")


def _asked(address: str, team: str, safe: str, limit: int, now: int, model: Any) -> list[Shared]:
    """Ask a server by words and, where there is a model, by meaning."""
    read, lock = item_files.Read([], []), Seal()
    with server.opened(address) as connection:
        lists = [connection.execute(FOUND, (team, safe, limit, team)).fetchmany(limit)]
        where = meaning.place(connection) if model else ""
        lists += [meaning.nearest(connection, where, model, team, safe, limit)] if where else []
        for name, body in meaning.fused(lists, limit):
            exchange.add(read, lock, (str(name), str(body)), now)
    return read.items


def path_of_answers(project: Project) -> str:
    """Return where a project's answers lie."""
    return f"{paths.data_home()}/{paths.TEAM_FOUND}/{paths.key_of(project.root)}.json"


def _key_of(team: str, query: str, limit: int) -> str:
    """Return what the answer to a question is kept under."""
    return hashing.of("found", team, query, str(limit))


def _kept(project: Project, key: str, now: int, within_ms: int = FRESH_MS) -> tuple[int, list[Shared]] | None:
    """Return when a question was answered, in ms, and the answer; None where that was too long ago, or cannot be read."""
    try:
        at, texts = _read(project)[key]
        if not 0 <= now - at <= within_ms:
            return None
        return at, [shared_item.read(text, now) for text in texts]
    except (KeyError, TypeError, ValueError, Refused):
        return None


def _keep(project: Project, key: str, now: int, items: list[Shared]) -> None:
    """Keep an answer for a while, of all at most fifty; where it cannot be written it is asked for again."""
    young = [each for each in _read(project).items() if each[0] != key and now - each[1][0] <= KEPT_MS]
    newest = sorted(young, key=lambda each: -each[1][0])[: MOST_KEPT - 1]
    path = path_of_answers(project)
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, fast.dumps({**dict(newest), key: [now, [shared_item.text_of(item) for item in items]]}))
    except OSError:
        return


def drop_answers(project: Project) -> None:
    """Let go of all answers."""
    paths.remove(path_of_answers(project))


def _read(project: Project) -> dict[str, list[Any]]:
    try:
        found = fast.loads(paths.read(path_of_answers(project), MOST_BYTES))
        return {key: each for key, each in found.items() if isinstance(each, list) and len(each) == 2 and isinstance(each[0], int)}
    except (OSError, ValueError, AttributeError):
        return {}
