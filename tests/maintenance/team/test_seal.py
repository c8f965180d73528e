"""A team with a key: its server has texts that it cannot read, and nobody takes in what the key has not locked."""

import psycopg
import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.team import approvals, exchange, meaning, rotation, seal, server, shared_item
from ralph_mem.maintenance.transfer import home
from ralph_mem.memory import access
from tests.maintenance.team.servers import TEAM
from tests.maintenance.team.situations import BONN, CELLE, an_item
from tests.maintenance.team.test_exchange import asks, own
from tests.maintenance.team.test_meaning import AModel
from tests.maintenance.team.test_wire import recorded

pytest.importorskip("pyrage", reason="the extra `team` is not installed")


def locks(member, key):
    """Have a member join once more, with a key."""
    with access.Change(member.opened):
        approvals.join(member.project, TEAM, member.server.address(member.login), str(key))


@pytest.fixture
def a_key(tmp_path):
    path = tmp_path / "shop.key"
    seal.make(str(path))
    return path


@pytest.fixture
def locked(a_member, another_member, a_key):
    """Let both members have the key."""
    locks(a_member, a_key)
    locks(another_member, a_key)
    return a_member


def test_the_server_has_ciphertext_and_the_others_read_it(locked, another_member):
    item = own(locked)
    with recorded(locked) as seen:
        assert locked.pushes().sent == [item.id]
    ((body,),) = locked.server.asks("vera", "SELECT body FROM ralph_mem.item")
    assert body.startswith("-----BEGIN AGE ENCRYPTED FILE-----")
    assert b"Bonn" not in seen and b"Walt" not in seen and b"BEGIN AGE" in seen
    locked.server.accepts()
    assert another_member.pulls().new == [item.id]
    another_member.approves()
    assert "Bonn" in another_member.is_told()


def test_a_reviewer_with_the_key_sees_what_is_proposed(locked, another_member):
    item = own(locked)
    locked.pushes()
    found = exchange.proposals(another_member.project, TEAM, exchange.now_ms())
    assert [each.item for each in found] == [item]


def test_a_second_push_of_the_same_text_sends_nothing_twice(locked):
    item = own(locked)
    locked.pushes()
    locked.gives(item)
    assert locked.pushes().sent == [item.id]
    assert locked.server.asks("vera", "SELECT rev FROM ralph_mem.item") == [(1,)]


def test_no_vector_and_no_query_leaves(locked, monkeypatch):
    monkeypatch.setattr(meaning, "embedder", AModel)
    own(locked, "The lantern hangs low.")
    with recorded(locked) as seen:
        locked.pushes()
        with pytest.raises(server.ServerError, match="its server finds no words in them"):
            asks(locked, "zeppelin")
    assert b"item_vector" not in seen and b"zeppelin" not in seen


def test_who_joins_anew_without_naming_the_key_keeps_it(locked):
    locks(locked, "")
    assert seal.of(locked.project, TEAM).key


def test_the_index_of_the_server_holds_no_word_of_it(locked):
    own(locked)
    locked.pushes()
    assert locked.server.asks("vera", "SELECT coalesce(length(words), 0) FROM ralph_mem.item") == [(0,)]


def test_what_the_key_has_not_locked_is_refused(locked, another_member):
    locked.server.holds("walt", an_item(), an_item(CELLE))
    locked.server.asks("walt", "UPDATE ralph_mem.item SET body = %s WHERE id = %s", _locked_by_another(), CELLE)
    locked.server.accepts()
    taken = another_member.pulls()
    assert taken.new == []
    assert dict(taken.refused) == dict.fromkeys([BONN, CELLE], "it is not locked with the team's key")


def _locked_by_another():
    return seal.Seal(home.new_key()).closed(shared_item.text_of(an_item(CELLE)))


def test_who_has_no_key_is_told_how_to_give_it(locked, another_member):
    own(locked)
    locked.pushes()
    locked.server.accepts()
    with access.Change(another_member.opened):
        approvals.join(another_member.project, TEAM, "")
    locks(another_member, "")
    ((_, why),) = another_member.pulls().refused
    assert "--key FILE" in why


def test_a_key_in_the_project_is_refused_and_another_file_is_none(a_member, tmp_path):
    inside = f"{a_member.project.top}/shop.key"
    seal.make(inside)
    with pytest.raises(RalphMemError, match="would be committed"):
        seal.checked(a_member.project, inside)
    (tmp_path / "other").write_text("AGE-SECRET-KEY-1NONSENSE")
    with pytest.raises(RalphMemError, match="holds no key"):
        seal.checked(a_member.project, str(tmp_path / "other"))


def test_a_key_is_written_for_its_owner_alone_and_over_nothing(a_key):
    assert a_key.stat().st_mode & 0o777 == 0o600
    with pytest.raises(RalphMemError, match="cannot write"):
        seal.make(str(a_key))


@pytest.mark.parametrize("name", ["wares/shop.key", "linked/shop.key"])
def test_a_key_is_never_written_into_a_repository(tmp_path, name):
    (tmp_path / "wares" / ".git").mkdir(parents=True)
    (tmp_path / "wares" / ".git" / "HEAD").touch()
    (tmp_path / "linked").symlink_to(tmp_path / "wares")
    with pytest.raises(RalphMemError, match="lies in a repository"):
        seal.make(str(tmp_path / name))
    assert not (tmp_path / name).exists()


def test_an_item_that_would_be_too_long_when_locked_is_named(a_key):
    with pytest.raises(shared_item.Refused, match="more than 49,152 bytes"):
        seal.Seal(seal.key_in(str(a_key))).closed("x" * 40_000)


# A server that holds everybody to the key, and another key


def keyed(member, path):
    """Have a reviewer lock the team with a key, as `team rotate` does."""
    locks(member, path)
    old = seal.of(member.project, TEAM)
    return rotates(member, old, seal.Seal(seal.key_in(str(path))))


def rotates(member, old, new, tell=lambda at: None):
    return rotation.rotate(member.server.address("vera"), TEAM, old, new, tell)


@pytest.fixture
def a_new_key(tmp_path):
    path = tmp_path / "shop-2.key"
    seal.make(str(path))
    return path


PUT = "INSERT INTO ralph_mem.item (team, id, body, key) VALUES (%s, %s, %s, %s)"
ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----\n"


@pytest.mark.parametrize("login", ["walt", "vera"])
@pytest.mark.parametrize("body", ["Deploys go to Bonn.", ARMOR + "Deploys go to Bonn.", ""])
def test_a_team_with_a_key_takes_no_plain_text_from_anybody(locked, a_key, login, body):
    keyed(locked, a_key)
    id_ = seal.of(locked.project, TEAM).id
    for values in ((body, id_), (body, None), (seal.Seal(seal.key_in(str(a_key))).closed("x"), "0" * 16)):
        with pytest.raises(psycopg.errors.CheckViolation, match="takes what its key has locked"):
            locked.server.asks(login, PUT, TEAM, BONN, *values)


def test_what_a_team_has_is_not_made_plain_by_an_edit(locked, a_key):
    keyed(locked, a_key)
    own(locked)
    locked.pushes()
    with pytest.raises(psycopg.errors.CheckViolation):
        locked.server.asks("walt", "UPDATE ralph_mem.item SET body = 'Deploys go to Bonn.', state = 'proposed'")


def test_only_a_reviewer_names_a_key_and_nobody_takes_it_away(locked, a_key):
    with pytest.raises(RalphMemError, match="only a reviewer"):
        rotation.rotate(locked.server.address("walt"), TEAM, seal.Seal(), seal.of(locked.project, TEAM), lambda at: None)
    keyed(locked, a_key)
    assert locked.server.is_refused("vera", "UPDATE ralph_mem.team SET key = NULL")
    assert locked.server.is_refused("walt", "UPDATE ralph_mem.team SET key = %s", "0" * 16)


def test_a_reviewer_who_joins_an_empty_team_with_a_key_has_the_server_hold_all_to_it(a_member, a_key):
    new = seal.Seal(seal.key_in(str(a_key)))
    joins = lambda login, lock, role: rotation.joins(a_member.server.address(login), TEAM, lock, role)  # noqa: E731
    assert not joins("walt", new, "writer") and joins("vera", new, "reviewer") and joins("walt", new, "writer")
    with pytest.raises(RalphMemError, match="shop has a key"):
        joins("rita", seal.Seal(), "reader")
    with pytest.raises(RalphMemError, match="not the key of shop"):
        joins("rita", seal.Seal(home.new_key()), "reader")


def test_another_key_locks_all_anew_and_changes_no_revision_and_no_text(locked, another_member, a_key, a_new_key):
    keyed(locked, a_key)
    item = own(locked)
    locked.pushes()
    locked.server.accepts()
    another_member.pulls()
    another_member.approves()
    before = locked.server.asks("vera", "SELECT rev, state, author, edited_by, updated FROM ralph_mem.item")
    done = rotates(locked, seal.of(locked.project, TEAM), seal.Seal(seal.key_in(str(a_new_key))))
    assert done == (1, [])
    assert locked.server.asks("vera", "SELECT rev, state, author, edited_by, updated FROM ralph_mem.item") == before
    with pytest.raises(RalphMemError, match="another key") as caught:
        another_member.pulls()
    assert "--key FILE" in caught.value.hint and "Bonn" in another_member.is_told()
    locks(another_member, a_new_key)
    assert another_member.pulls().same == [item.id]


def test_who_has_the_old_key_sends_nothing_and_keeps_what_waits(locked, a_key, a_new_key):
    keyed(locked, a_key)
    item = own(locked)
    rotates(locked, seal.of(locked.project, TEAM), seal.Seal(seal.key_in(str(a_new_key))))
    with pytest.raises(RalphMemError, match="another key"):
        locked.pushes()
    locks(locked, a_new_key)
    assert locked.pushes().sent == [item.id]


def test_a_change_of_keys_that_was_cut_short_holds_everybody_up_and_is_finished(
    locked, another_member, a_key, a_new_key, monkeypatch
):
    items = [own(locked, f"The lantern number {number} hangs low.") for number in range(5)]
    locked.pushes()
    locked.server.accepts()
    keyed(locked, a_key)
    another_member.pulls()
    old, new = seal.of(locked.project, TEAM), seal.Seal(seal.key_in(str(a_new_key)))
    monkeypatch.setattr(rotation, "AT_ONCE", 2)
    with pytest.raises(KeyboardInterrupt):
        rotates(locked, old, new, lambda at: (_ for _ in ()).throw(KeyboardInterrupt))
    locks(another_member, a_new_key)
    with pytest.raises(RalphMemError, match="between two keys"):
        another_member.pulls()
    assert len(another_member.standing()) == 5
    assert rotates(locked, old, new).locked == 3
    assert sorted(another_member.pulls().same) == sorted(item.id for item in items)


def test_what_was_plain_before_the_first_key_is_locked_and_what_no_key_opens_is_rejected(a_member, another_member, a_key):
    own(a_member)
    a_member.pushes()
    strange = seal.Seal(home.new_key()).closed(shared_item.text_of(an_item(CELLE)))
    a_member.server.asks("walt", PUT, TEAM, CELLE, strange, None)
    a_member.server.accepts()
    locks(a_member, a_key)
    done = rotates(a_member, seal.of(a_member.project, TEAM), seal.of(a_member.project, TEAM))
    assert (done.locked, done.rejected) == (1, [CELLE])
    assert a_member.server.asks("vera", "SELECT count(*) FROM ralph_mem.item WHERE strpos(body, 'Bonn') > 0") == [(0,)]
    locks(another_member, a_key)
    assert len(another_member.pulls().new) == 1


def test_no_vector_is_taken_of_what_is_locked_and_earlier_ones_go(a_member, a_key, monkeypatch):
    if not a_member.server.asks("vera", "SELECT to_regclass('ralph_mem.item_vector') IS NOT NULL")[0][0]:
        pytest.skip("this PostgreSQL has no pgvector")
    monkeypatch.setattr(meaning, "embedder", AModel)
    own(a_member)
    a_member.pushes()
    vectors = "SELECT count(*) FROM ralph_mem.item_vector"
    assert a_member.server.asks("vera", vectors) == [(1,)]
    keyed(a_member, a_key)
    assert a_member.server.asks("vera", vectors) == [(0,)]
    rows = "SELECT team, id, 'm', rev, '[1,2]' FROM ralph_mem.item"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        a_member.server.asks("walt", f"INSERT INTO ralph_mem.item_vector (team, id, model, rev, embedding) {rows}")
