"""Relations: what few ways of saying make one, how much it is believed, and what a person does to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.memory.facts import relations
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts
from ralph_mem.memory.rows import relations as rows
from tests.folded import folded
from tests.sessions import DAY, NOON

MARIA = "Maria owns the payments service."


@pytest.fixture
def related(the_facts):
    """Write relations by their parts, each a day after the one before."""

    def write(*triples, at=None):
        names = []
        the_facts.store.begin()
        for day, (subject, predicate, other) in enumerate(triples):
            when = NOON + day * DAY if at is None else at
            names.append(rows.upsert(the_facts.store, (subject, rows.THING), predicate, (other, rows.THING), when))
        the_facts.store.commit()
        return names

    return write


def lines(store, *parts, now=NOON, **more):
    return [relations.line(each) for each in relations.listed(store, now, *parts, **more)]


@folded(("said", "line"), [
    (MARIA, "payments service --owned_by--> Maria"), ("The tax code lives in `src/tax.py`.", "tax code --lives_in--> src/tax.py"),
    ("npm was replaced by pnpm.", "npm --replaced_by--> pnpm"), ("Ana Lund owns billing", "billing --owned_by--> Ana Lund"),
])  # fmt: skip
def test_three_ways_of_saying_make_a_relation(said, line):
    (found,) = relations.of(said)
    assert f"{found[0][0]} --{found[1]}--> {found[2][0]}" == line


@folded("said", [
    "Nobody owns up to it.", "Who owns the payments service?", "The cat lives in the house.", "She owns it, and we ask her first.",
    "If npm is replaced by pnpm, tell me why and what else breaks, step by step please.", "",
])  # fmt: skip
def test_nothing_else_makes_one(said):
    assert list(relations.of(said)) == []


@given(some.text(max_size=400))
def test_any_statement_can_be_read(said):
    assert all(len(label) <= rows.LABEL_CHARACTERS for (one, _), _, (other, _) in relations.of(said) for label in (one, other))


def test_a_sentence_about_an_owner_is_a_fact_and_a_relation(the_facts):
    the_facts.say(MARIA)
    assert the_facts.change(relations.learn) == 1
    assert (lines(the_facts.store), the_facts.of(facts.ACTIVE)) == (["payments service --owned_by--> Maria"], [MARIA])


def test_a_candidate_makes_no_relation(the_facts):
    the_facts.say(MARIA, facts.PROMPT)
    assert the_facts.change(relations.learn) == 0


def test_a_relation_is_hidden_with_the_fact_that_says_it(the_facts):
    the_facts.say(MARIA)
    the_facts.change(relations.learn)
    fact = the_facts.called(MARIA)
    the_facts.change(lambda store: facts.change(store, fact.number, {"status": facts.RETIRED}))
    assert lines(the_facts.store) == []


def test_the_same_relation_again_is_one_row_confirmed_later_and_believed_more(related, the_facts):
    related(("api", "depends_on", "redis"), ("api", "depends_on", "redis"))
    (found,) = rows.query(the_facts.store)
    assert (found.confirmed_at, found.made_at) == (NOON + DAY, NOON)
    assert found.confidence == pytest.approx(0.7 + 0.3 * rows.TAKEN_OFF)


def test_the_same_evidence_counts_once(the_facts):
    the_facts.say(MARIA)
    for _ in range(3):
        the_facts.change(relations.learn)
    assert rows.query(the_facts.store)[0].confidence == rows.CONFIDENCE


def test_relations_are_asked_for_by_any_part_and_at_most_twenty_come(related, the_facts):
    related(*[(f"part {number}", "depends_on", "redis") for number in range(25)], ("api", "owned_by", "Maria"))
    store = the_facts.store
    assert lines(store, ("API", "", "")) == lines(store, ("", "owned_by", "")) == lines(store, ("", "", "Maria"))
    assert len(lines(store, ("", "", "redis"))) == 20


def test_a_relation_that_nobody_confirmed_is_hidden_after_750_days(related, the_facts):
    related(("api", "depends_on", "redis"))
    (found,) = rows.query(the_facts.store)
    assert relations.believed(found, NOON + 720 * DAY) == pytest.approx(0.204, abs=5e-4)
    assert lines(the_facts.store, now=NOON + 720 * DAY) == ["api --depends_on--> redis"]
    assert lines(the_facts.store, now=NOON + 750 * DAY) == []


def test_of_many_the_ten_most_believed_are_told_and_none_is_cut(related, the_facts):
    related(*[(f"part {number} " + "x" * 100, "depends_on", "redis") for number in range(20)])
    told = relations.told(the_facts.store, NOON + 30 * DAY)
    assert len(told) <= 800 and len(told.splitlines()) == 6
    assert told.startswith("part 19 ") and all(line.endswith("--> redis") for line in told.splitlines())


def test_at_most_ten_are_told(related, the_facts):
    related(*[(f"part {number}", "depends_on", "redis") for number in range(12)])
    assert len(relations.told(the_facts.store, NOON).splitlines()) == 10


@pytest.mark.parametrize(("label", "predicate"), [("x" * 129, "depends_on"), (" ", "depends_on"), ("api", "likes")])
def test_labels_are_short_and_predicates_are_known(related, label, predicate):
    with pytest.raises(RalphMemError):
        related((label, predicate, "redis"))


@pytest.fixture
def a_person(the_facts, a_project):
    return lookup.Reader([the_facts.store], a_project, dict(effective.DEFAULTS))


def test_a_person_corrects_a_relation_within_the_known_predicates(related, a_person, the_facts):
    (name,) = related(("api", "depends_on", "redis"))
    relations.edit(a_person, name, "", "replaced_by", "Team Till", 0.5)
    assert lines(the_facts.store) == ["api --replaced_by--> Team Till"]
    with pytest.raises(RalphMemError, match="no predicate"):
        relations.edit(a_person, name, "", "likes", "", None)
    assert rows.query(the_facts.store)[0].confidence == 0.5


def test_a_correction_that_another_relation_says_already_is_refused(related, a_person):
    name, _ = related(("api", "depends_on", "redis"), ("api", "depends_on", "valkey"))
    with pytest.raises(RalphMemError, match="says that already"):
        relations.edit(a_person, name, "", "", "valkey", None)


def test_who_removes_a_relation_is_told_which_fact_brings_it_back(the_facts, a_person):
    said = the_facts.say(MARIA).public_id
    the_facts.change(relations.learn)
    (found,) = relations.listed(the_facts.store, NOON)
    assert f"ralph-mem facts retire {said}" in relations.remove(a_person, found.public_id)


def test_a_relation_that_is_removed_is_gone_from_the_bytes_of_the_file(related, a_person, a_project, tmp_path):
    (name,) = related(("zirconium", "depends_on", "redis"))
    assert relations.remove(a_person, name) == f"{name} is gone."
    files = [file for file in (tmp_path / "shop").rglob("*") if file.is_file()]
    assert files and not [file for file in files if b"zirconium" in file.read_bytes()]
