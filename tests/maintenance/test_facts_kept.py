"""Facts in what a person does to a memory: scrub it, save what can be read of it, look whether it is sound."""

import pytest

from ralph_mem.core import fast
from ralph_mem.maintenance import scrub as scrubbing
from ralph_mem.maintenance.recovery import repair, salvage
from ralph_mem.memory import opening
from ralph_mem.memory.facts import commands, taking
from ralph_mem.memory.rows import facts
from tests.readers import files_of, holding, in_order
from tests.sessions import DAY, NOON

NPM, PNPM = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."
PATTERN = "ZX-7731"


@pytest.fixture
def a_past(a_session):
    """Have a fact that was replaced, the one that replaced it, and a candidate."""
    for day, (text, source) in enumerate([(NPM, facts.ADD), (PNPM, facts.ADD), ("Ask Maria about releases.", facts.PROMPT)]):
        a_session.store.begin()
        taking.take(a_session.store, taking.Statement(text, facts.RULE, source, NOON + day * DAY), NOON)
        a_session.store.commit()
    return a_session


def stated(store):
    """Return what is known of facts, with what is linked, and which are memories."""
    store.properties.clear()
    memories = [number for (number,) in store.execute("SELECT observation_id FROM memories WHERE observation_id NOT NULL")]
    known = [(fact.public_id, fact.text, fact.status, fact.said_at, fact.number in memories) for fact in facts.read(store)]
    return sorted(known), facts.links(store)


def test_a_scrub_takes_a_secret_out_of_a_fact_and_of_what_it_names(a_session):
    a_session.store.begin()
    said = taking.Statement(
        f"Tickets such as {PATTERN} come first.", facts.RULE, facts.ADD, NOON, anchors=[{"path": f"{PATTERN}.md"}]
    )
    taking.take(a_session.store, said, NOON)
    a_session.store.commit()
    a_session.settings["privacy.redact_patterns"] = [r"\bZX-\d{4}\b"]
    scrubbing.scrub(a_session.store, scrubbing.protector(a_session.project, a_session.settings))
    (fact,) = facts.read(a_session.store)
    assert (holding(files_of(a_session.project), PATTERN), len(fact.anchors)) == ([], 1)
    assert facts.of_status(a_session.store, facts.ACTIVE)


def saved(session, tmp_path):
    """Save what can be read of a memory into a new one; returns that, and how many facts were made of their statements alone."""
    project = type(session.project)(str(tmp_path / "saved"))
    (tmp_path / "saved").mkdir()
    with_new = opening.open_ready(project)
    with_new.execute("PRAGMA foreign_keys = OFF")
    with_new.begin()
    with_new.execute("DELETE FROM sessions")
    rescue = salvage.Rescue(with_new, 60)
    rescue.bring_over(session.store.db)
    rescue.finish(project.root)
    with_new.commit()
    return with_new, rescue.made_again


def test_what_is_saved_of_a_damaged_memory_holds_its_facts_as_they_were(a_past, tmp_path):
    before = stated(a_past.store)
    a_past.store.execute("DELETE FROM memories")  # which could not be read
    with_new, made_again = saved(a_past, tmp_path)
    assert (stated(with_new), made_again) == (before, 0)
    in_order(with_new)


@pytest.mark.parametrize("lost", ["DELETE FROM facts", "DELETE FROM facts WHERE status = 'active'", "DROP TABLE facts"])
def test_facts_of_which_only_the_statements_can_be_read_are_made_again(a_past, tmp_path, lost):
    before = stated(a_past.store)
    a_past.store.execute("PRAGMA foreign_keys = OFF")
    a_past.store.execute(lost)
    with_new, made_again = saved(a_past, tmp_path)
    assert stated(with_new) == before and made_again
    in_order(with_new)


def test_a_command_that_is_made_again_is_the_same_one_when_it_runs_once_more(a_session, tmp_path):
    a_session.asks("Is it green?")
    a_session.runs("cd lib && pytest -q", "3 passed")
    a_session.store.begin()
    commands.learn(a_session.store, NOON)
    a_session.store.commit()
    (before,) = facts.read(a_session.store)
    a_session.store.execute("DELETE FROM facts")
    (after,) = facts.read(saved(a_session, tmp_path)[0])
    assert (after.kind, after.source, after.status, after.text_key) == (before.kind, before.source, before.status, before.text_key)


@pytest.mark.parametrize("metadata", ["{", "[]", '{"purpose": "test"}', '{"purpose": 1, "command": 2}'])
def test_metadata_that_is_not_as_it_was_written_keeps_no_fact_from_being_made_again(a_past, tmp_path, metadata):
    a_past.store.execute("UPDATE observations SET metadata = ? WHERE type = 'fact'", (metadata,))
    a_past.store.execute("DELETE FROM facts")
    assert saved(a_past, tmp_path)[1] == 3


def test_a_memory_that_says_it_has_facts_and_has_no_table_of_them_is_damaged_until_it_is_repaired(a_past):
    before = stated(a_past.store)
    a_past.store.execute("DROP TABLE facts")
    a_past.store.close()
    why = repair.look(a_past.project)
    line = repair.mend(a_past.project, why).line()
    assert why == "schema 3 without facts" and "3 facts made again from the words alone" in line
    assert repair.look(a_past.project) == "" and stated(opening.open_ready(a_past.project)) == before


def test_a_memory_with_facts_is_sound(a_past):
    assert repair.altered_rows(a_past.store.db) == []
    in_order(a_past.store)


def test_what_a_fact_names_is_json_after_a_scrub_without_a_secret(a_past):
    a_past.store.execute("UPDATE facts SET anchors = ?", (fast.dumps([{"path": "src/lamp.py"}]),))
    before = stated(a_past.store)
    scrubbing.scrub(a_past.store, scrubbing.protector(a_past.project, a_past.settings))
    assert stated(a_past.store) == before
