"""Make a team at a server and say who is in it, as the one who runs the server."""

import re
from importlib import resources
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.team import server

ROLES = ("reader", "writer", "reviewer")
NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
LOCK = 7_221_972  # of ours among the advisory locks of a database
SECONDS = 60  # a migration of a large table takes longer than an answer
BEGIN = """
SELECT pg_advisory_xact_lock({lock});
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ralph_mem_owner') THEN
        CREATE ROLE ralph_mem_owner NOLOGIN;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ralph_mem_member') THEN
        CREATE ROLE ralph_mem_member NOLOGIN;
    END IF;
    IF NOT pg_has_role(current_user, 'ralph_mem_owner', 'member') THEN
        EXECUTE format('GRANT ralph_mem_owner TO %I', current_user);
    END IF;
END $$;
CREATE SCHEMA IF NOT EXISTS ralph_mem AUTHORIZATION ralph_mem_owner;
SET LOCAL ROLE ralph_mem_owner;
SET LOCAL statement_timeout = 55000;
SET LOCAL lock_timeout = 20000;
CREATE TABLE IF NOT EXISTS ralph_mem.schema_version (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
"""
INDEX_SECONDS = 1_200
SLOWLY = """
SELECT pg_advisory_xact_lock({lock}); SET LOCAL statement_timeout = 0; SET LOCAL maintenance_work_mem = '512MB'"""
HAS_VECTOR = """
SELECT quote_ident(n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"""
# Only a superuser may bring it in; where somebody else runs this, the server does without.
MAY_HAVE_VECTOR = """
SELECT 1 FROM pg_available_extensions, pg_roles WHERE name = 'vector' AND rolname = current_user AND rolsuper"""
INDEXES = """
SELECT format(
    'CREATE INDEX IF NOT EXISTS %I ON ralph_mem.item_vector USING hnsw ((embedding::{place}.vector(%s)) {place}.vector_cosine_ops)'
    ' WHERE model = %L', 'nearest_' || left(md5(v.model || ' ' || v.dims), 12), v.dims, v.model)
FROM (SELECT DISTINCT model, {place}.vector_dims(embedding) AS dims FROM ralph_mem.item_vector) AS v
WHERE v.dims <= 2000"""
MEMBER = """
INSERT INTO ralph_mem.member (team, login, role) VALUES (%s, %s, %s) ON CONFLICT (team, login) DO UPDATE SET role = excluded.role"""


def migrations() -> list[str]:
    """Return the migrations of a server in their order."""
    folder = resources.files("ralph_mem.maintenance.team").joinpath("migrations")
    return [each.read_text() for each in sorted(folder.iterdir(), key=lambda each: each.name) if each.name.endswith(".sql")]


def checked_name(name: str) -> str:
    """Return the name of a team. Raises RalphMemError for what is none."""
    if not NAME.fullmatch(name) or name == "repository":
        raise RalphMemError(
            f"{name[:40]!a} is no name of a team", "small letters, digits and dashes, at most 40; `repository` is for files"
        )
    return name


def make(address: str, name: str, members: dict[str, str], last: int = 0) -> int:
    """Bring a server up to date and let a team have these members by their logins; returns the version of its tables.

    A role that is empty takes a member out. All of it in one transaction; `last` stops at a version, for tests. Raises ServerError,
    and RalphMemError for a role that there is not.
    """
    wrong = [role for role in members.values() if role and role not in ROLES]
    if wrong:
        raise RalphMemError(f"there is no role {wrong[0][:40]}", f"one of {', '.join(ROLES)}, or none to take a member out")
    with server.opened(address, SECONDS, as_owner=True) as connection:
        connection.execute(BEGIN.format(lock=LOCK))
        version = _migrated(connection, last)
        connection.execute("INSERT INTO ralph_mem.team (name) VALUES (%s) ON CONFLICT DO NOTHING", (checked_name(name),))
        for login, role in members.items():
            _change(connection, name, login, role)
    if not last:
        _make_vectors(address)
    return version


def _make_vectors(address: str) -> None:
    """Let a server keep vectors where it has pgvector or may have it, with an index for each model of which it has any.

    In a transaction of its own: an index of many takes minutes.
    """
    with server.opened(address, INDEX_SECONDS, as_owner=True) as connection:
        connection.execute(SLOWLY.format(lock=LOCK))
        if not connection.execute(HAS_VECTOR).fetchone():
            if not connection.execute(MAY_HAVE_VECTOR).fetchone():
                return
            connection.execute("CREATE EXTENSION vector SCHEMA ralph_mem")
        (place,) = connection.execute(HAS_VECTOR).fetchone()
        sql = resources.files("ralph_mem.maintenance.team").joinpath("vectors.sql").read_text()
        connection.execute("SET LOCAL ROLE ralph_mem_owner")
        connection.execute(sql.replace("{place}", place))
        for (index,) in connection.execute(INDEXES.replace("{place}", place)).fetchall():
            connection.execute(index)


def _migrated(connection: Any, last: int) -> int:
    (version,) = connection.execute("SELECT coalesce(max(version), 0) FROM ralph_mem.schema_version").fetchone()
    known = migrations()
    if version > len(known):
        raise server.ServerError(f"the server has version {version}, which is newer than this release", "update ralph-mem")
    for number, sql in enumerate(known[: last or None], 1):
        if number > version:
            connection.execute(sql)
            connection.execute("INSERT INTO ralph_mem.schema_version (version) VALUES (%s)", (number,))
            version = number
    return int(version)


def _change(connection: Any, team: str, login: str, role: str) -> None:
    if not role:
        connection.execute("DELETE FROM ralph_mem.member WHERE team = %s AND login = %s", (team, login))
        return
    connection.execute(MEMBER, (team, login, role))
    connection.execute("INSERT INTO ralph_mem.pull (team, login) VALUES (%s, %s) ON CONFLICT DO NOTHING", (team, login))
    connection.execute("RESET ROLE")
    (grant,) = connection.execute("SELECT format('GRANT ralph_mem_member TO %%I', %s::text)", (login,)).fetchone()
    connection.execute(grant)
    connection.execute("SET LOCAL ROLE ralph_mem_owner")
