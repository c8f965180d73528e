"""A person's own fact holds no longer while an approved item replaces it, and again as soon as none does."""

import pytest

from ralph_mem.maintenance.team import local_copy
from ralph_mem.memory.facts import accepting, by_hand
from ralph_mem.memory.rows import facts
from tests.maintenance.team.situations import CELLE, DEPLOYS, DIRK, a_fact, an_item
from tests.readers import forget, reader_of
from tests.sessions import DAY, NOON


@pytest.fixture
def a_replaced(a_team, a_session):
    """A fact of a person's own that an item replaces which they approved: its id, the item, and how it stands."""

    class Replaced:
        id = a_team.shares(a_fact(a_session)).id

        def successor(self, name=CELLE, town="Celle"):
            return an_item(name, f"Deploys of the lantern service go to {town}.", supersedes=(self.id,), at=NOON + DAY)

        def status(self):
            return facts.of_id(a_session.store, self.id).status

    own = Replaced()
    a_team.has(own.successor())
    a_team.pulls()
    assert own.status() == facts.ACTIVE
    a_team.approves(CELLE)
    assert own.status() == facts.RETIRED and "Bonn" not in a_team.is_told()
    return own


def test_an_approval_that_is_taken_back_lets_it_hold_again(a_team, a_replaced):
    a_team.approves(CELLE, take_back=True)
    assert a_replaced.status() == facts.ACTIVE


def test_an_item_that_is_gone_lets_it_hold_again_until_that_comes_back(a_team, a_replaced):
    a_team.file(a_replaced.successor()).unlink()
    a_team.pulls()
    assert a_replaced.status() == facts.ACTIVE and "Bonn" in a_team.is_told()
    a_team.has(a_replaced.successor())
    a_team.pulls()
    assert a_replaced.status() == facts.RETIRED


def test_an_item_that_is_edited_and_waits_lets_it_hold_again_until_that_is_approved(a_team, a_replaced):
    a_team.has(a_replaced.successor(town="Dessau"))
    a_team.pulls()
    assert a_replaced.status() == facts.ACTIVE
    a_team.approves(CELLE)
    assert a_replaced.status() == facts.RETIRED


def test_an_item_that_replaces_it_no_longer_lets_it_hold_again(a_team, a_replaced):
    a_team.has(a_replaced.successor()._replace(supersedes=()))
    a_team.pulls()
    a_team.approves(CELLE, take_back=True)
    assert a_replaced.status() == facts.ACTIVE


def test_of_two_items_the_last_to_go_lets_it_hold_again(a_team, a_replaced):
    a_team.has(a_replaced.successor(DIRK, "Dessau"))
    a_team.pulls()
    a_team.approves(DIRK)
    a_team.approves(CELLE, take_back=True)
    assert a_replaced.status() == facts.RETIRED
    a_team.approves(DIRK, take_back=True)
    assert a_replaced.status() == facts.ACTIVE


def test_a_team_that_is_left_lets_it_hold_again(a_team, a_replaced, a_session):
    local_copy.drop(a_session.store, a_session.project, local_copy.FILES)
    assert a_replaced.status() == facts.ACTIVE


def test_an_item_that_is_forgotten_here_lets_it_hold_again(a_replaced, a_session):
    forget(reader_of(a_session), CELLE)
    assert a_replaced.status() == facts.ACTIVE


def test_what_a_person_lets_hold_beside_the_item_is_not_taken_away_again(a_team, a_replaced, a_session):
    by_hand.change(reader_of(a_session), a_replaced.id, accepting.accept)
    a_team.pulls()
    assert a_replaced.status() == facts.ACTIVE


def test_what_was_said_again_meanwhile_is_not_told_twice(a_team, a_replaced, a_session):
    again = a_fact(a_session, DEPLOYS)
    a_team.approves(CELLE, take_back=True)
    assert facts.of_id(a_session.store, again).status == facts.ACTIVE
    assert a_replaced.status() == facts.RETIRED
