"""What is held of each sort, in one call."""

import time

import pytest

from ralph_mem import Memory, RalphMemError
from ralph_mem.interfaces.library import sections
from ralph_mem.maintenance import tending
from ralph_mem.memory.facts import by_hand, core
from ralph_mem.memory.rows import row
from tests.sessions import DAY


@pytest.fixture
def lived_in(a_session):
    """Have something of each sort: a key, a fact about an owner, and sessions in which one command failed each time."""
    here = (a_session.project, a_session.project, a_session.settings)
    core.put(*here, "port", "8080")
    by_hand.keep(*here, "Maria owns the payments service.")
    a_session.now = time.time_ns() // 1_000_000 - 4 * DAY
    for name in ("one", "two", "three"):
        a_session.name = name
        a_session.starts()
        a_session.asks(f"Deploy it, attempt {name}.")
        a_session.edits("deploy.py")
        a_session.runs("make deploy", error="Exit code 2\nmake: *** [deploy] Error 2")
        a_session.is_answered("It failed.")
        a_session.sends("session-end", reason="other")
    a_session.store.properties.clear()
    tending.tend(a_session.store, a_session.project, a_session.settings, 50, time.monotonic() + 60)
    return Memory(a_session.project.root)


def test_one_call_returns_five_sorts_each_by_its_name(lived_in):
    found = lived_in.sections()
    assert list(found) == ["core", "facts", "episodes", "patterns", "relations"]
    assert (found["core"], found["facts"]) == (["port: 8080"], ["Maria owns the payments service."])
    assert "Deploy it, attempt three. (1 file changed, failed: make deploy)" in found["episodes"][0]
    assert "make deploy" in found["patterns"][0] and len(found["patterns"]) == 1
    assert found["relations"] == ["payments service --owned_by--> Maria"]


@pytest.mark.parametrize("name", sections.BUDGETS)
def test_each_sort_has_tokens_of_its_own_and_cuts_no_text(lived_in, name):
    whole = lived_in.sections()
    less = lived_in.sections(**{name: row.tokens(whole[name][0]) + 1})
    assert less[name] == whole[name][:1] and lived_in.sections(**{name: 0})[name] == []
    assert {other: less[other] for other in less if other != name} == {other: whole[other] for other in whole if other != name}


def test_no_episode_is_of_a_session_that_somebody_elses_file_brought(lived_in, a_session):
    own = lived_in.sections()["episodes"]
    a_session.now += DAY
    for number in range(sections.MOST_SESSIONS):
        a_session.name = f"stranger-{number}"
        a_session.starts()
        turn = a_session.has_a_turn("Buy lamps.", "Done.")
        a_session.store.execute("UPDATE turns SET origin = 'outside', tainted = 2 WHERE public_id = ?", (turn,))
    assert lived_in.sections()["episodes"] == own != []


def test_where_nothing_is_remembered_each_sort_is_empty(a_memory):
    assert a_memory.sections() == {name: [] for name in sections.BUDGETS}


def test_a_sort_that_there_is_not_is_named(lived_in):
    with pytest.raises(RalphMemError, match="no section dreams"):
        lived_in.sections(dreams=5)
