"""Search a team's server by meaning, where it has pgvector and embeddings are set up here."""

from collections.abc import Sequence
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.team.server import Connection
from ralph_mem.memory.recall import embeddings_client

# Where the extension lies, if the table of vectors is there and has any of a model.
PLACE = """
SELECT quote_ident(n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
WHERE e.extname = 'vector' AND to_regclass('ralph_mem.item_vector') IS NOT NULL"""
PUT = """
INSERT INTO ralph_mem.item_vector (team, id, model, rev, embedding) VALUES (%s, %s, %s, %s, %s::{place}.vector)
ON CONFLICT (team, id, model) DO UPDATE SET rev = excluded.rev, embedding = excluded.embedding"""
HAS_ANY = "SELECT 1 FROM ralph_mem.item_vector WHERE team = %s AND model = %s LIMIT 1"
# How many an index looks at: 40 by itself, of which those that are not accepted, or of another team, would be missing. Where there
# is an index it is to be used: new rows that nothing was counted of yet lead to a look at each of them, a tenth of a second.
LOOKS_AT = "SET LOCAL hnsw.ef_search = 200; SET LOCAL enable_sort = off"
# A few more than wanted: some may be proposed, or of a text that was edited since.
MORE = 4
NEAREST = """
SELECT i.id, i.body FROM (
    SELECT v.id, v.rev, v.embedding::{place}.vector({dims}) OPERATOR({place}.<=>) %s::{place}.vector({dims}) AS far
    FROM ralph_mem.item_vector AS v WHERE v.model = %s AND v.team = %s ORDER BY far LIMIT %s
) AS v JOIN ralph_mem.item AS i ON i.team = %s AND i.id = v.id AND i.rev = v.rev
WHERE i.state = 'accepted' ORDER BY v.far LIMIT %s"""
LATER = 60  # of reciprocal ranks, as they were published: the first of one list stands before the seventh of both by little


def embedder() -> Any:
    """Return the model in use, loaded, or None where no embeddings are set up or their packages are missing."""
    described = embeddings_client.described()
    if not described:
        return None
    try:
        from ralph_mem.memory.embeddings import vectors  # lazy: only where embeddings are set up

        return vectors.Embedder(described)
    except (ImportError, RalphMemError):
        return None


def texts_of(model: Any, bodies: Sequence[str]) -> list[str]:
    """Return the vectors of texts as the server reads them, empty for one that has none."""
    return [_written(vector) for vector in model.of_texts(bodies)] if model and bodies else ["" for _ in bodies]


def _written(vector: Any) -> str:
    return "" if vector is None else "[" + ",".join([f"{value:.5g}" for value in vector.tolist()]) + "]"


def place(connection: Connection) -> str:
    """Return the schema of the extension at a server, empty where it keeps no vectors."""
    row = connection.execute(PLACE).fetchone()
    return str(row[0]) if row else ""


def put(connection: Connection, where: str, model: str, item: tuple[str, str, int], vector: str) -> None:
    """Let the server know what an item, its team, id and revision, means. In a transaction."""
    team, name, rev = item
    connection.execute(PUT.format(place=where), (team, name, model, rev, vector))


def nearest(
    connection: Connection, where: str, model: Any, team: str, query: str, limit: int
) -> list[tuple[str, str]]:  # fmt: skip
    """Return ids and texts of the accepted items that mean most nearly what a query says; none where there is no vector."""
    if connection.execute(HAS_ANY, (team, model.name)).fetchone() is None:
        return []
    vector = _written(model.of_query(query))
    if not vector:
        return []
    sql = NEAREST.format(place=where, dims=int(model.dims))
    try:
        with connection.transaction():
            connection.execute(LOOKS_AT)
            rows = connection.execute(sql, (vector, model.name, team, MORE * limit, team, limit)).fetchmany(limit)
    except connection.DataError:  # somebody wrote a vector of another length: words are left
        return []
    return [(str(name), str(body)) for name, body in rows]


def fused(lists: Sequence[Sequence[tuple[str, str]]], limit: int) -> list[tuple[str, str]]:
    """Return the best of several lists in one, by the sum of their reciprocal ranks."""
    ranks: dict[tuple[str, str], float] = {}
    for each in lists:
        for rank, row in enumerate(each):
            ranks[row] = ranks.get(row, 0.0) + 1 / (LATER + rank)
    return sorted(ranks, key=lambda row: -ranks[row])[:limit]
