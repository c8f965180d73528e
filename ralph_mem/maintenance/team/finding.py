"""Look for words, and for what they mean, at a team's server."""

from typing import Any, NamedTuple

from ralph_mem.core.project import Project
from ralph_mem.core.redaction import whole
from ralph_mem.maintenance.team import exchange, item_files, kept_answers, meaning, seal, server
from ralph_mem.maintenance.team.seal import Seal
from ralph_mem.maintenance.team.shared_item import Shared

FOUND = """
SELECT i.id, i.body FROM ralph_mem.found(%s, %s, %s) AS f JOIN ralph_mem.item AS i ON i.team = %s AND i.id = f.id
ORDER BY f.rank DESC, i.id"""
QUERY_CHARACTERS = 1_000


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
    key, address = kept_answers.key_of(team, safe, limit), exchange.address_of(project, team)
    fresh = kept_answers.kept(project, key, now)
    if fresh:
        return Found(fresh[1], fresh[0], "")
    try:
        items = _asked(address, team, safe, limit, now, meaning.embedder())
    except server.ServerError as error:
        old = kept_answers.kept(project, key, now, kept_answers.KEPT_MS)
        if old is None:
            raise
        return Found(old[1], old[0], str(error))
    kept_answers.keep(project, key, now, items)
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
