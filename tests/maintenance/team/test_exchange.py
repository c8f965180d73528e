"""What goes to a team's server and comes back: once, never over somebody else's words, and gone where it was forgotten."""

import itertools
import os
import posix
import signal
import time
from pathlib import Path

import psycopg
import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.team import approvals, exchange, finding, local_copy, pushing, server, shared_item
from ralph_mem.memory import access
from ralph_mem.memory.rows import outbox
from tests.maintenance.team import postgres
from tests.maintenance.team.servers import TEAM
from tests.maintenance.team.situations import BONN, CELLE, DEPLOYS, DIRK, a_fact, an_item
from tests.readers import forget, in_order, reader_of
from tests.sessions import NOON

IDS = ["obs-" + "".join(letters) for letters in itertools.product("abcde", repeat=10)][:1000]


def own(member, text=DEPLOYS):
    """Share a fact of a member's own with the team; returns the item."""
    item = an_item(a_fact(member.session, text), text, author="Walt")
    member.gives(item)
    return item


def test_what_is_shared_waits_is_sent_and_is_proposed_there(a_member):
    item = own(a_member)
    assert a_member.waiting() == {item.id: ("waiting", 0)}
    assert a_member.pushes().sent == [item.id]
    assert a_member.waiting() == {item.id: ("sent", 1)}
    rows = a_member.server.asks("vera", "SELECT id, state, author::text FROM ralph_mem.item")
    assert rows == [(item.id, "proposed", "walt")]


def test_what_a_reviewer_accepts_comes_to_the_others_unapproved(a_member, another_member):
    item = own(a_member)
    a_member.pushes()
    assert another_member.pulls().new == []
    found = exchange.proposals(another_member.project, TEAM, exchange.now_ms())
    assert [each.item for each in found] == [item]
    with pytest.raises(server.ServerError, match="row-level security"):
        exchange.decide(another_member.project, TEAM, found, "accepted")
    approvals.join(a_member.project, TEAM, a_member.server.address("vera"))
    assert exchange.decide(a_member.project, TEAM, found, "accepted") == []
    assert exchange.decide(a_member.project, TEAM, [found[0]._replace(rev=7)], "rejected") == [item.id]
    assert another_member.pulls().new == [item.id]
    assert another_member.standing() == {item.id: "waiting"} and "Bonn" not in another_member.is_told()
    another_member.approves()
    assert "Walt (claimed, team shop)" in another_member.is_told()


def test_a_second_push_sends_nothing_twice(a_member):
    item = own(a_member)
    a_member.pushes()
    a_member.gives(item)
    assert a_member.pushes().sent == [item.id]
    assert a_member.server.asks("vera", "SELECT rev FROM ralph_mem.item") == [(1,)]


def test_what_a_person_shares_anew_is_a_new_revision_to_be_accepted_again(a_member):
    item = own(a_member)
    a_member.pushes()
    a_member.server.accepts()
    pushing.keep(a_member.opened, TEAM, [item._replace(body="Deploys go to Celle.")], NOON)
    a_member.pushes()
    rows = a_member.server.asks("vera", "SELECT strpos(body, 'Celle') > 0, state FROM ralph_mem.item")
    assert rows == [(True, "proposed")]


@pytest.mark.check
def test_of_two_writers_no_edit_is_lost_without_a_word(a_member, another_member):
    items = [an_item(name, f"Version 0 of {name}.") for name in IDS[:4]]
    a_member.server.holds("walt", *items)
    kept, told = {}, 0
    for number in range(200):
        for member in (a_member, another_member):
            item = items[number % 4]
            item = item._replace(body=f"{member.login} says {number} of {item.id}.")
            seen = kept.get((member.login, item.id), 1)
            done = _edits(member, item, seen)
            told += done is None
            kept[member.login, item.id] = done or _rev(member, item)
    history = a_member.server.asks("vera", "SELECT sum(rev - 1) FROM ralph_mem.item")[0][0]
    assert told > 0 and history + told == 400


def _edits(member, item, seen):
    """Send an edit that is based on a revision; returns the new one, None where the member was told of a conflict."""
    with psycopg.connect(member.server.address(member.login)) as connection:
        row = connection.execute(pushing.EDIT, (shared_item.text_of(item), None, TEAM, item.id, seen)).fetchone()
        return row and row[0]


def _rev(member, item):
    return member.server.asks(member.login, "SELECT rev FROM ralph_mem.item WHERE id = %s", item.id)[0][0]


def test_an_edit_of_what_somebody_else_has_changed_is_a_conflict_and_changes_nothing(a_member):
    item = own(a_member)
    a_member.pushes()
    a_member.server.asks("wanda", "UPDATE ralph_mem.item SET body = body || 'Wanda was here.', state = 'proposed'")
    a_member.gives(item._replace(body="Deploys go to Celle."))
    assert a_member.pushes().conflicts == [item.id]
    assert "Wanda was here" in a_member.server.asks("vera", "SELECT body FROM ralph_mem.item")[0][0]


def test_what_was_forgotten_here_is_forgotten_there_and_says_who_has_not_pulled_since(a_member, another_member):
    item = own(a_member)
    a_member.pushes()
    a_member.server.accepts()
    another_member.pulls()
    another_member.approves()
    report = forget(reader_of(a_member.session), item.id)
    assert "the server of shop has it, and who pulled it: ralph-mem team push takes it from there" in report.out_of_reach
    done = a_member.pushes()
    assert done.forgotten == [item.id] and "wanda" in done.behind
    assert a_member.server.asks("vera", "SELECT count(*) FROM ralph_mem.item") == [(0,)]
    assert another_member.pulls().gone == [item.id] and "Bonn" not in another_member.is_told()
    assert a_member.waiting() == {}


def test_who_forgot_an_item_does_not_hold_it_whether_they_pulled_since_or_not(a_member, another_member):
    item = own(a_member)
    a_member.pushes()
    forget(reader_of(a_member.session), item.id)
    a_member.pushes()
    behind = exchange.who_is_behind(a_member.server.address("vera"), TEAM)
    assert another_member.login in behind and a_member.login not in behind


def test_who_leaves_and_joins_again_may_take_away_what_they_shared(a_member):
    item = own(a_member)
    a_member.pushes()
    with access.Change(a_member.opened) as opened:
        assert outbox.leave(opened, TEAM) == 1
    a_member.server.accepts()
    assert a_member.pulls().own == [item.id]
    forget(reader_of(a_member.session), item.id)
    assert a_member.pushes().forgotten == [item.id]


def test_what_was_never_sent_goes_with_who_leaves(a_member):
    own(a_member)
    with access.Change(a_member.opened) as opened:
        assert outbox.leave(opened, TEAM) == 0
    assert a_member.waiting() == {}


def test_nobody_is_behind_where_nothing_was_forgotten(a_member):
    own(a_member)
    a_member.pushes()
    assert exchange.who_is_behind(a_member.server.address("walt"), TEAM) == []


def test_a_tombstone_takes_copies_and_nothing_of_a_persons_own(a_member):
    item = own(a_member)
    a_member.pushes()
    a_member.server.accepts()
    a_member.pulls()
    for sql in ("INSERT INTO ralph_mem.tombstone (team, id) SELECT team, id FROM ralph_mem.item", "DELETE FROM ralph_mem.item"):
        a_member.server.asks("vera", sql)
    a_member.pulls()
    assert a_member.session.rows("SELECT title FROM observations WHERE public_id = ?", item.id) == [(DEPLOYS,)]


def test_many_that_are_gone_at_once_go_only_at_a_persons_word(a_member):
    a_member.server.holds("walt", *[an_item(name, f"The lantern {name} is lit.") for name in IDS[:30]])
    a_member.server.accepts()
    assert len(a_member.pulls().new) == 30
    a_member.server.asks("vera", "DELETE FROM ralph_mem.item")
    with pytest.raises(local_copy.ManyGo) as caught:
        a_member.pulls()
    assert len(a_member.standing()) == 30
    assert len(a_member.pulls(caught.value.hint.rpartition(" ")[2]).gone) == 30


def test_a_thousand_items_are_pulled_within_what_a_person_waits(a_member):
    items = [an_item(name, f"The lantern {name} is lit.") for name in IDS]
    with psycopg.connect(a_member.server.address("walt")) as connection, connection.cursor() as cursor:
        rows = [(TEAM, item.id, shared_item.text_of(item)) for item in items]
        cursor.executemany("INSERT INTO ralph_mem.item (team, id, body) VALUES (%s, %s, %s)", rows)
    a_member.server.accepts()
    began = time.process_time()
    assert len(a_member.pulls().new) == 1000
    assert time.process_time() - began < 5
    in_order(a_member.opened)


def test_more_than_a_thousand_wait_for_no_server(a_member, monkeypatch):
    monkeypatch.setattr(outbox, "MOST_WAITING", 2)
    with pytest.raises(RalphMemError, match="wait for their server already"):
        a_member.gives(*[an_item(name) for name in IDS[:3]])
    assert a_member.waiting() == {}


def test_words_are_looked_for_at_the_server_among_what_was_accepted(a_member):
    a_member.server.holds("walt", an_item(), an_item(CELLE, "The cellar is dry."))
    a_member.server.accepts()
    a_member.server.holds("wanda", an_item(DIRK, "Deploys of strangers."))
    assert [each.id for each in asks(a_member).items] == [BONN]
    assert local_copy.teams(a_member.opened) == []


def asks(member, words="deploys", later=0):
    """Look for words at the server, as if so many milliseconds later."""
    return finding.search(member.project, member.session.settings, TEAM, words, 5, exchange.now_ms() + later)


def test_the_same_question_goes_out_once_in_ten_minutes_and_its_answer_stays_a_day_where_the_server_is_gone(a_member):
    a_member.server.holds("walt", an_item())
    a_member.server.accepts()
    assert asks(a_member, "lantern").items == [an_item()]
    a_member.server.asks("vera", "DELETE FROM ralph_mem.item")
    assert (asks(a_member, "lantern").items, asks(a_member, "deploys").items) == ([an_item()], [])
    assert asks(a_member, "lantern", finding.FRESH_MS + 1).items == []
    approvals.join(a_member.project, TEAM, "host=/nowhere dbname=team")
    late = asks(a_member, "lantern", finding.FRESH_MS * 3)
    assert late.items == [] and "server" in late.gone
    with pytest.raises(server.ServerError):
        asks(a_member, "lantern", finding.KEPT_MS * 2)


def test_what_a_server_found_goes_with_a_forget(a_member):
    a_member.server.holds("walt", an_item())
    a_member.server.accepts()
    a_member.pulls()
    asks(a_member)
    kept = Path(finding.path_of_answers(a_member.project))
    assert "Bonn" in kept.read_text()
    forget(reader_of(a_member.session), BONN)
    assert not kept.exists() or "Bonn" not in kept.read_text()


def test_a_copy_that_is_full_holds_what_was_accepted_last_and_the_rest_is_found_at_the_server(a_member):
    for name, where in ((IDS[2], "attic"), (IDS[0], "cellar"), (IDS[1], "tower")):
        a_member.server.holds("walt", an_item(name, f"The lantern of the {where} is lit."))
        a_member.server.accepts()
    most = {**a_member.session.settings, "team.max_items": 2}
    read = exchange.accepted(a_member.project, TEAM, exchange.now_ms(), most["team.max_items"])
    assert ([each.id for each in read.items], read.is_full) == (IDS[:2], True)
    assert [each.id for each in asks(a_member, "attic").items] == [IDS[2]]


def test_what_newer_items_push_out_of_a_full_copy_goes_unasked(a_member):
    lit = lambda names: [an_item(name, f"The lantern {name} is lit.") for name in names]  # noqa: E731
    take = lambda items, is_full: local_copy.take(  # noqa: E731
        a_member.opened, a_member.project, a_member.session.settings, TEAM, items, is_full=is_full
    )
    take(lit(IDS[:60]), True)
    assert len(take(lit(IDS[30:90]), True).gone) == 30
    with pytest.raises(local_copy.ManyGo):
        take(lit(IDS[30:60]), True)


# Killed, and gone


@pytest.mark.check
def test_a_sync_that_is_killed_at_any_point_is_finished_by_the_next(a_member, monkeypatch):
    """Kill a sync after each of its first steps at the server and in the memory; what comes after finds nothing twice or lost."""
    shared = [own(a_member, f"The lantern number {number} of the service hangs low.") for number in range(12)]
    a_member.server.holds("wanda", *[an_item(name, f"The cellar {name} is dry.") for name in IDS[:12]])
    a_member.server.accepts()
    died = 0
    for point in range(1, 51):
        child = os.fork()
        if not child:
            _dies_at(a_member, point)
        died += os.waitpid(child, 0)[1] == signal.SIGKILL
    a_member.opened.properties.clear()
    a_member.pushes()
    a_member.pulls()
    there = dict(a_member.server.asks("vera", "SELECT id, rev FROM ralph_mem.item WHERE author = 'walt'"))
    assert died == 50
    assert there == dict.fromkeys([item.id for item in shared], 1)
    assert a_member.waiting() == dict.fromkeys(there, ("sent", 1))
    assert sorted(a_member.standing()) == IDS[:12]
    in_order(a_member.opened)


def _dies_at(member, point):
    """Sync in this process, which is killed at its n-th statement: from the middle of the work on, whichever side that is."""
    from ralph_mem.memory import access
    from ralph_mem.memory.store import connection

    count = itertools.count(1)

    def step():
        if next(count) == point:
            os.kill(os.getpid(), signal.SIGKILL)

    ask, write = psycopg.Connection.execute, connection.Store.execute
    psycopg.Connection.execute = lambda *given, **more: (step(), ask(*given, **more))[1]
    connection.Store.execute = lambda *given: (step(), write(*given))[1]
    try:
        member.opened = access.open_one(member.project)
        member.pushes()
        member.pulls()
    finally:
        os._exit(1)


@pytest.mark.parametrize("verb", ["pushes", "pulls"])
def test_a_server_that_is_gone_harms_nothing(a_member, verb):
    own(a_member)
    approvals.join(a_member.project, TEAM, "host=/nowhere/at/all dbname=team")
    with pytest.raises(server.ServerError):
        getattr(a_member, verb)()
    assert len(a_member.waiting()) == 1 and "Bonn" in a_member.is_told()


# Where it is


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("host=db.example.org dbname=team sslmode=prefer", "does not check whom it talks to"),
        ("host=db.example.org dbname=team sslmode=require", "does not check whom it talks to"),
        ("host=db.example.org dbname=team hostaddr=127.0.0.1", "has hostaddr not"),
        ("host=/run,db.example.org dbname=team", "one host"),
        ("dbname=team", "one host"),
        ("host=/run", "one host"),
        ("service=team host=/run dbname=team", "has service not"),
        ("host=/run dbname=team options=-csession_replication_role=replica", "has options not"),
        ("nonsense", "no address"),
    ],
)
def test_an_address_that_would_send_in_the_open_or_says_too_little_is_refused(address, why):
    with pytest.raises(RalphMemError, match=why):
        server.checked(address)


def test_a_host_is_asked_by_tls_that_checks_its_name():
    assert server.checked("host=db.example.org dbname=team")["sslmode"] == "verify-full"


def test_an_address_is_shown_without_its_password():
    assert "geheim" not in server.shown("host=/run dbname=team password=geheim user=ada")


def test_variables_of_the_environment_count_for_nothing(a_member, monkeypatch):
    for name, value in {"PGHOST": "/nowhere", "PGUSER": postgres.ADMIN, "PGOPTIONS": "-c role=vera", "PGDATABASE": "x"}.items():
        monkeypatch.setenv(name, value)
    posix.environ.update({b"PGSERVICE": b"x"})
    assert exchange.role_of(exchange.address_of(a_member.project, TEAM), TEAM) == "writer"


def test_the_address_lies_in_the_data_folder_alone(a_member):
    folder = os.path.realpath(a_member.project.root)
    found = [path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()]
    assert found and not any(b"dbname=" in data for data in found)
