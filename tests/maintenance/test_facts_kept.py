"""Facts in what a person does to a memory: scrub it, save what can be read of it, look whether it is sound."""

import pytest

from ralph_mem.core import fast
from ralph_mem.maintenance import scrub as scrubbing
from ralph_mem.maintenance.recovery import repair, salvage
from ralph_mem.memory import opening
from ralph_mem.memory.facts import taking
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


def test_what_is_saved_of_a_damaged_memory_holds_its_facts_as_they_were(a_past, tmp_path):
    before = stated(a_past.store)
    a_past.store.execute("DELETE FROM memories")  # which could not be read
    project = type(a_past.project)(str(tmp_path / "saved"))
    (tmp_path / "saved").mkdir()
    with_new = opening.open_ready(project)
    with_new.execute("PRAGMA foreign_keys = OFF")
    with_new.begin()
    with_new.execute("DELETE FROM sessions")
    rescue = salvage.Rescue(with_new, 60)
    rescue.bring_over(a_past.store.db)
    rescue.finish(project.root)
    with_new.commit()
    assert stated(with_new) == before
    in_order(with_new)


def test_a_memory_with_facts_is_sound(a_past):
    assert repair.altered_rows(a_past.store.db) == []
    in_order(a_past.store)


def test_what_a_fact_names_is_json_after_a_scrub_without_a_secret(a_past):
    a_past.store.execute("UPDATE facts SET anchors = ?", (fast.dumps([{"path": "src/lamp.py"}]),))
    before = stated(a_past.store)
    scrubbing.scrub(a_past.store, scrubbing.protector(a_past.project, a_past.settings))
    assert stated(a_past.store) == before
