"""A team with a key: its server has texts that it cannot read, and nobody takes in what the key has not locked."""

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.team import approvals, exchange, meaning, seal, server, shared_item
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
    from ralph_mem.maintenance.transfer import home

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


def test_an_item_that_would_be_too_long_when_locked_is_named(a_key):
    with pytest.raises(shared_item.Refused, match="more than 49,152 bytes"):
        seal.Seal(seal.key_in(str(a_key))).closed("x" * 40_000)
