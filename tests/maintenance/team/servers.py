"""Situations of people at one server: who runs it, members of each role, a stranger, each by their own login."""

from pathlib import Path
from tempfile import mkdtemp

import psycopg
import pytest

from ralph_mem.core.project import Project
from ralph_mem.maintenance.team import approvals, exchange, local_copy, pushing, setting_up, shared_item
from ralph_mem.memory import access, opening
from ralph_mem.memory.rows import outbox
from tests.maintenance.team import postgres
from tests.maintenance.team.situations import Team, an_item
from tests.sessions import Session

LOGINS = {"rita": "reader", "walt": "writer", "wanda": "writer", "vera": "reviewer"}
STRANGER, TEAM = "sven", "shop"
NUMBER = iter(range(1_000_000))


@pytest.fixture(scope="session")
def a_postgres():
    """Run a server for all tests of a process."""
    folder = Path(mkdtemp(prefix="ralph-pg-"))  # a socket's path is short
    with postgres.running(folder) as socket:
        with psycopg.connect(host=str(socket), user=postgres.ADMIN, dbname="postgres", autocommit=True) as admin:
            for login in (*LOGINS, STRANGER):
                admin.execute(f"CREATE ROLE {login} LOGIN")
        yield socket


class Server:
    """A database with a team, and ways to ask it as somebody."""

    def __init__(self, socket, name):
        self.socket, self.name = socket, name

    def address(self, login):
        return f"host={self.socket} dbname={self.name} user={login}"

    def asks(self, login, sql, *values):
        """Run a statement as a login; returns its rows, or how many it changed."""
        with psycopg.connect(self.address(login)) as connection:
            done = connection.execute(sql, values)
            return done.fetchall() if done.description else done.rowcount

    def is_refused(self, login, sql, *values):
        """Say whether a statement is refused, or changes and shows nothing."""
        try:
            return self.asks(login, sql, *values) in (0, [])
        except psycopg.errors.InsufficientPrivilege:
            return True

    def holds(self, login, *items):
        """Let items lie there as a login has proposed them."""
        for item in items:
            self.asks(
                login, "INSERT INTO ralph_mem.item (team, id, body) VALUES (%s, %s, %s)", TEAM, item.id, shared_item.text_of(item)
            )

    def accepts(self):
        return self.asks("vera", "UPDATE ralph_mem.item SET state = 'accepted' WHERE state = 'proposed'")


@pytest.fixture
def a_server(a_postgres):
    """Make a team in a database of its own."""
    name = f"team_{next(NUMBER)}"
    with psycopg.connect(host=str(a_postgres), user=postgres.ADMIN, dbname="postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        server = Server(a_postgres, name)
        setting_up.make(server.address(postgres.ADMIN), TEAM, LOGINS)
        yield server
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Member(Team):
    """A person with a memory of their own who has joined a team by their login."""

    def __init__(self, session, server, login):
        super().__init__(session)
        self.server, self.login = server, login
        with access.Change(self.opened):
            approvals.join(self.project, TEAM, server.address(login))

    def gives(self, *items):
        pushing.keep(self.opened, TEAM, list(items), exchange.now_ms())

    def pushes(self):
        return pushing.push(self.opened, self.project, self.session.settings, TEAM)

    def pulls(self, may_go=""):
        read = exchange.accepted(self.project, TEAM, exchange.now_ms(), self.session.settings["team.max_items"])
        taken = local_copy.take(self.opened, self.project, self.session.settings, TEAM, read.items, may_go, read.is_full)
        exchange.note_pull(self.project, TEAM)
        return taken._replace(refused=[*read.refused, *taken.refused])

    def waiting(self):
        return {each.id: (each.state, each.rev) for each in outbox.entries(self.opened)}


@pytest.fixture
def a_member(a_session, a_server):
    """Let a writer have joined."""
    return Member(a_session, a_server, "walt")


@pytest.fixture
def another_member(a_server, tmp_path):
    """Let another writer have joined, with another project."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    project = Project(str(folder))
    session = Session(opening.open_ready(project), project, "another")
    session.starts()
    return Member(session, a_server, "wanda")


__all__ = ["an_item"]
