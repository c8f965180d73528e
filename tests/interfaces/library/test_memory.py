"""What people and agents left, as a program reads it."""

import time

import pytest

from ralph_mem import Memory, RalphMemError
from ralph_mem.memory import access, notes_by_hand
from ralph_mem.memory.recall import lookup


def texts(facts):
    return [fact["text"] for fact in facts]


def moment():
    """Return now in seconds, with nothing before it in the same millisecond, and nothing behind it."""
    time.sleep(0.002)
    at = time.time()
    time.sleep(0.002)
    return at


def test_a_folder_without_a_memory_holds_nothing_and_gets_none(a_memory, a_project):
    assert (a_memory.list_namespaces(), a_memory.facts(), a_memory.turns()) == ([], [], [])
    assert not access.is_there(a_project)


def test_without_a_folder_the_current_one_is_meant(a_memory, a_project, monkeypatch):
    a_memory.put(("app",), "a", 1)
    monkeypatch.chdir(a_project.root)
    assert Memory().get(("app",), "a").value == 1 and Memory().path == a_project.root


def test_a_session_is_named_by_who_opens_the_memory(a_memory):
    with pytest.raises(RalphMemError, match="without a session"):
        a_memory.session  # noqa: B018 - to ask for it is the act


def test_what_is_remembered_is_a_fact_at_once(a_memory):
    name = a_memory.remember("Always install packages with pnpm.")
    assert [(fact["id"], fact["text"], fact["kind"], fact["status"]) for fact in a_memory.facts()] == [
        (name, "Always install packages with pnpm.", "rule", "active")
    ]


def test_turns_are_the_last_ones_or_those_that_answer_a_query(a_session, a_project):
    gate = a_session.has_a_turn("Where is the zirconium gate?", "In the cellar.")
    lamp = a_session.has_a_turn("Where is the lamp?", "On the roof.")
    memory = Memory(a_project.root)
    assert [turn["id"] for turn in memory.turns()] == [lamp, gate]
    assert [(turn["id"], turn["answer"]) for turn in memory.turns("zirconium", limit=1)] == [(gate, "In the cellar.")]


def test_what_was_known_at_a_time_is_known_again_as_of_then(a_memory):
    before = moment()
    a_memory.remember("Deploys go through the blue gate.")
    a_memory.put(("app",), "gate", "blue")
    then = moment()
    a_memory.put(("app",), "gate", "green")
    assert (a_memory.as_of(before).facts(), a_memory.as_of(before).get(("app",), "gate")) == ([], None)
    assert texts(a_memory.as_of(then).facts()) == ["Deploys go through the blue gate."]
    assert a_memory.as_of(then).get(("app",), "gate").value == "blue" and a_memory.get(("app",), "gate").value == "green"


NO_SECONDS = ["2026-11-01", "5", None, float("nan"), float("inf"), 1e300]


@pytest.mark.parametrize("at", NO_SECONDS)
def test_a_time_that_is_no_number_of_seconds_is_refused(a_memory, at):
    with pytest.raises(RalphMemError, match="is no number of seconds") as refused:
        a_memory.as_of(at)
    assert "time.time()" in refused.value.hint


def test_what_is_forgotten_is_gone_from_every_view(a_memory, a_project):
    a_memory.remember("Deploys go through the zirconium gate.")
    assert a_memory.forget(query="zirconium") == {"rows": 1, "clean": True, "pending": []}
    assert (a_memory.facts(), a_memory.as_of(moment()).facts()) == ([], [])


def test_a_note_typed_elsewhere_quotes_no_value_of_a_program(a_memory, a_project):
    a_memory.put(("app",), "gate", "zirconium")
    notes_by_hand.inject(a_project, a_project, a_memory._place.settings, "The lamp is on the roof.")
    stores = access.to_read(a_project)
    found = lookup.search(lookup.Reader(stores, a_project, a_memory._place.settings), "zirconium", 0, lookup.Wanted())
    assert [row.type for row in found] == ["item"]
