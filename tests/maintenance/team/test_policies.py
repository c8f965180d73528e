"""Who may do what at a team's server, each asked by their own login."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import psycopg
import pytest

from ralph_mem.maintenance.team import server, setting_up
from tests.folded import folded
from tests.maintenance.team import postgres
from tests.maintenance.team.servers import LOGINS, STRANGER, TEAM, Server
from tests.maintenance.team.situations import BONN, an_item

SELECT = "SELECT id FROM ralph_mem.item"
INSERT = "INSERT INTO ralph_mem.item (team, id, body) VALUES ('shop', 'obs-cccccccccc', 'x')"
EDIT = "UPDATE ralph_mem.item SET body = 'y', state = 'proposed'"
ACCEPT = "UPDATE ralph_mem.item SET state = 'accepted'"
DELETE = "DELETE FROM ralph_mem.item"
BURY = "INSERT INTO ralph_mem.tombstone (team, id) VALUES ('shop', 'obs-bbbbbbbbbb')"
VERBS = {"select": SELECT, "insert": INSERT, "edit": EDIT, "accept": ACCEPT, "delete": DELETE, "bury": BURY}
# Of an item that walt, a writer, has proposed.
MAY = {
    "rita": {"select"},
    "walt": {"select", "insert", "edit", "delete", "bury"},
    "wanda": {"select", "insert", "edit"},
    "vera": {"select", "insert", "edit", "accept", "delete", "bury"},
    STRANGER: set(),
}
CELLS = [(login, verb) for login in MAY for verb in VERBS]
# What nobody may, whatever their role.
NEVER = {
    "accepted at once": "INSERT INTO ralph_mem.item (team, id, body, state) VALUES ('shop', 'obs-cccccccccc', 'x', 'accepted')",
    "in another's name": "INSERT INTO ralph_mem.item (team, id, body, author) VALUES ('shop', 'obs-cccccccccc', 'x', 'rita')",
    "a new author": "UPDATE ralph_mem.item SET author = 'rita'",
    "a revision of their own": "UPDATE ralph_mem.item SET rev = 7",
    "another team": "UPDATE ralph_mem.item SET team = 'other'",
    "in a team of others": "INSERT INTO ralph_mem.item (team, id, body) VALUES ('other', 'obs-cccccccccc', 'x')",
    "a member": "INSERT INTO ralph_mem.member (team, login, role) VALUES ('shop', 'sven', 'reviewer')",
    "a better role": "UPDATE ralph_mem.member SET role = 'reviewer'",
    "fewer members": "DELETE FROM ralph_mem.member WHERE login <> current_user",
    "a new team": "INSERT INTO ralph_mem.team (name) VALUES ('mine')",
    "a tombstone of another": "INSERT INTO ralph_mem.tombstone (team, id, login) VALUES ('shop', 'obs-bbbbbbbbbb', 'rita')",
    "a tombstone of nothing": "INSERT INTO ralph_mem.tombstone (team, id) VALUES ('shop', 'obs-dddddddddd')",
    "a tombstone back": "DELETE FROM ralph_mem.tombstone",
    "another's pull": "UPDATE ralph_mem.pull SET at = now() WHERE login <> current_user",
    "a table of theirs": "CREATE TABLE ralph_mem.mine (x text)",
    "the owner's role": "SET ROLE ralph_mem_owner",
    "the policies": "ALTER TABLE ralph_mem.item DISABLE ROW LEVEL SECURITY",
    "all rows at once": "TRUNCATE ralph_mem.item",
    "another function": "CREATE OR REPLACE FUNCTION ralph_mem.revise() RETURNS trigger LANGUAGE sql AS ''",
}


@pytest.fixture
def an_old_server(a_postgres):
    """Make a server of a version, with an item; returns its address up to the login."""
    with psycopg.connect(host=str(a_postgres), user=postgres.ADMIN, dbname="postgres", autocommit=True) as admin:
        admin.execute("CREATE DATABASE old TEMPLATE template0")
        where = Server(a_postgres, "old")

        def made(version):
            setting_up.make(where.address(postgres.ADMIN), TEAM, LOGINS, version)
            where.holds("walt", an_item())
            return where.address("")

        yield made
        admin.execute("DROP DATABASE old WITH (FORCE)")


@pytest.fixture
def a_proposal(a_server):
    a_server.holds("walt", an_item())
    a_server.asks(postgres.ADMIN, "INSERT INTO ralph_mem.team (name) VALUES ('other')")
    return a_server


def tried(where, login, sql):
    """Run a statement as a login and take it back; says whether it did anything."""
    with psycopg.connect(where.address(login)) as connection:
        try:
            done = connection.execute(sql)
            return bool(done.fetchall() if done.description else done.rowcount > 0)
        except psycopg.errors.InsufficientPrivilege:
            return False
        finally:
            connection.rollback()


def test_each_role_may_do_exactly_what_it_is_for(a_proposal):
    assert len(CELLS) >= 12
    wrong = [(login, verb) for login, verb in CELLS if tried(a_proposal, login, VERBS[verb]) != (verb in MAY[login])]
    assert wrong == []


@folded("name", NEVER)
def test_nobody_may(a_proposal, name):
    assert [login for login in MAY if tried(a_proposal, login, NEVER[name])] == []


def test_what_a_writer_edits_is_proposed_again_and_names_who_did(a_proposal):
    a_proposal.accepts()
    assert tried(a_proposal, "wanda", "UPDATE ralph_mem.item SET body = 'y'") is False
    a_proposal.asks("wanda", EDIT)
    row = a_proposal.asks("wanda", "SELECT state, author::text, edited_by::text, rev FROM ralph_mem.item")
    assert row == [("proposed", "walt", "wanda", 2)]


def test_what_was_forgotten_is_brought_back_by_nobody(a_proposal):
    a_proposal.asks("walt", BURY)
    a_proposal.asks("walt", DELETE)
    put = "INSERT INTO ralph_mem.item (team, id, body) VALUES ('shop', 'obs-bbbbbbbbbb', 'x')"
    assert [login for login in LOGINS if tried(a_proposal, login, put)] == []


def test_a_stranger_finds_nothing_by_the_function_that_looks_for_words(a_proposal):
    a_proposal.accepts()
    ask = "SELECT id FROM ralph_mem.found('shop', 'deploys', 10)"
    assert [login for login in MAY if tried(a_proposal, login, ask)] == list(LOGINS)


def test_the_policies_hold_for_the_owner_too_and_only_one_function_has_anothers_rights(a_server):
    sql = "SELECT count(*) BETWEEN 5 AND 6, bool_and(relrowsecurity AND relforcerowsecurity) FROM pg_class"  # 6 with vectors
    of_ours = " WHERE relnamespace = 'ralph_mem'::regnamespace AND relkind = 'r' AND relname <> 'schema_version'"
    assert a_server.asks(postgres.ADMIN, sql + of_ours) == [(True, True)]
    sql = "SELECT proname, proconfig FROM pg_proc WHERE pronamespace = 'ralph_mem'::regnamespace AND prosecdef"
    assert a_server.asks(postgres.ADMIN, sql) == [("found", ["search_path=pg_catalog"])]
    assert a_server.asks(postgres.ADMIN, "SELECT rolcanlogin FROM pg_roles WHERE rolname = 'ralph_mem_owner'") == [(False,)]


def test_a_login_above_the_policies_is_refused(a_server):
    with pytest.raises(server.ServerError, match="superuser"), server.opened(a_server.address(postgres.ADMIN)):
        pass


@pytest.mark.parametrize("version", range(1, len(setting_up.migrations())))
def test_a_server_of_each_earlier_version_is_brought_up_to_date_with_readers_at_work(an_old_server, version):
    address = an_old_server(version)
    with psycopg.connect(address + "rita", autocommit=True) as reader, ThreadPoolExecutor(1) as threads:
        more, seen = Event(), []
        at_work = threads.submit(lambda: [seen.append(reader.execute(SELECT).fetchall()) for _ in iter(more.is_set, True)])
        try:
            reached = setting_up.make(address + postgres.ADMIN, TEAM, {})
        finally:
            more.set()
        at_work.result(timeout=20)
        assert reached == len(setting_up.migrations())
        assert seen and all(rows == [(BONN,)] for rows in seen)
    with psycopg.connect(address + "vera") as reviewer:
        reviewer.execute(ACCEPT)
        assert reviewer.execute("SELECT id FROM ralph_mem.found('shop', 'deploys', 9)").fetchall() == [(BONN,)]


def test_a_server_that_is_newer_than_this_release_is_left_alone(a_server):
    a_server.asks(postgres.ADMIN, "INSERT INTO ralph_mem.schema_version (version) VALUES (99)")
    with pytest.raises(server.ServerError, match="newer than this release"):
        setting_up.make(a_server.address(postgres.ADMIN), TEAM, {})
