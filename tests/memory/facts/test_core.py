"""Facts under keys."""

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory import undoing
from ralph_mem.memory.facts import accepting, by_hand, core
from ralph_mem.memory.rows import facts
from tests.readers import note, person_of


class Keys:
    """The facts under keys of a project, as a person keeps them."""

    def __init__(self, session):
        self.session, self.project, self.settings = session, session.project, session.settings

    def put(self, key, value):
        return core.put(self.project, self.project, self.settings, key, value)

    def all(self):
        return {key: core.value_of(fact) for key, fact in core.all_of(self.session.store).items()}

    def start(self):
        """Return what a new session is told at its start."""
        return self.session.starts("clear")


@pytest.fixture
def keys(a_session):
    """Make a project in which a session is at work."""
    return Keys(a_session)


def test_a_fact_is_got_under_its_key_and_listed_by_keys(keys):
    keys.put("tracker", "issues are in Jira")
    keys.put("port", "8080")
    assert list(keys.all().items()) == [("port", "8080"), ("tracker", "issues are in Jira")]


def test_another_value_replaces_the_one_before_which_stays_in_the_history(keys):
    old, new = keys.put("port", "8080"), keys.put("port", "9090")
    assert keys.all() == {"port": "9090"}
    assert facts.of_id(keys.session.store, old.public_id).status == facts.SUPERSEDED
    assert [link[:3] for link in facts.links(keys.session.store, new.public_id)] == [(new.public_id, old.public_id, "supersedes")]


def test_a_value_that_is_accepted_again_replaces_the_one_that_stands_there(keys):
    old, new = keys.put("port", "8080"), keys.put("port", "9090")
    by_hand.change(person_of(keys.session), old.public_id, accepting.accept)
    assert keys.all() == {"port": "8080"}
    assert facts.of_id(keys.session.store, new.public_id).status == facts.SUPERSEDED


def test_the_same_value_again_changes_nothing(keys):
    assert keys.put("port", "8080").public_id == keys.put("port", "8080").public_id


@pytest.mark.parametrize("last", ["put", "delete"])
def test_an_undo_after_a_key_was_changed_takes_back_no_note_from_before(keys, last):
    keys.put("port", "8080")
    kept = note(keys.session, "The bank is in Bern.")
    keys.put("port", "9090") if last == "put" else core.delete(keys.project, "port")
    with pytest.raises(RalphMemError, match="nothing was done"):
        undoing.undo(person_of(keys.session))
    assert keys.session.rows("SELECT count(*) FROM observations WHERE public_id = ?", kept) == [(1,)]


def test_keys_that_say_alike_are_not_taken_for_one_another(keys):
    keys.put("port", "8080")
    keys.put("port of tests", "8081")
    assert keys.all() == {"port": "8080", "port of tests": "8081"}


def test_what_is_deleted_holds_no_longer(keys):
    keys.put("port", "8080")
    assert [core.delete(keys.project, "port"), core.delete(keys.project, "port")] == [True, False]
    assert keys.all() == {} and "8080" not in keys.start()


def test_every_start_is_told_each_of_them_once_however_large_they_are(keys):
    for number in range(core.MOST_KEYS):
        keys.put(f"key {number:02}", f"{number:02}" + "x" * (core.VALUE_CHARACTERS - 2))
    told = keys.start()
    assert [told.count(f"key {number:02}: {number:02}xxx") for number in range(core.MOST_KEYS)] == [1] * core.MOST_KEYS


def test_there_is_room_for_so_many_and_no_more(keys):
    for number in range(core.MOST_KEYS):
        keys.put(f"key {number}", "value")
    with pytest.raises(RalphMemError, match="told at every start"):
        keys.put("another key", "value")
    keys.put("key 0", "another value")


@pytest.mark.parametrize(
    ("key", "value"), [("", "a"), ("a:b", "a"), (" a", "a"), ("a\n", "a"), ("k" * 41, "a"), ("a", " "), ("a", "v" * 121)]
)
def test_what_is_no_key_or_too_long_a_value_is_refused(keys, key, value):
    with pytest.raises(RalphMemError):
        keys.put(key, value)


def test_a_secret_is_cut_out_by_the_name_that_it_bears(keys):
    assert keys.put("password", "hunter2hunter2").text == "password: [REDACTED:password]"
