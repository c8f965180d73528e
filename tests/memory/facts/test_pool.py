"""What is compared with a statement where there are very many facts."""

import pytest

from ralph_mem.bench.rule_files import Standing
from ralph_mem.memory.facts import pool, wording
from ralph_mem.memory.rows import facts
from tests.sessions import NOON, a_home

__all__ = ["a_home"]

NPM = "Install packages with npm 10 in every folder."


@pytest.fixture
def many(a_home):
    """Hold more facts than are compared, one of them in the middle about packages."""
    statements = [f"The lantern number {number} hangs in hall {number % 7}." for number in range(pool.MOST + 400)]
    statements[pool.MOST // 2] = NPM
    with Standing(statements) as standing:
        standing.hold(range(len(statements)))
        yield standing


def test_of_very_many_facts_a_part_is_compared(many):
    found = pool.of(many.store, "The lantern number 7 hangs in hall 3.", "", NOON)
    assert 0 < len(found) <= 2 * pool.MOST and len(found) < pool.MOST + 400


def test_among_very_many_facts_the_one_that_is_meant_is_replaced(many):
    with many.taken("Install packages with pnpm 9 in every folder.") as taken:
        assert (taken.verb, many.texts[taken.target]) == ("UPDATE", NPM)


def test_among_very_many_facts_a_repeated_one_is_known(many):
    with many.taken(NPM) as taken:
        assert taken.verb == "NOOP"


def test_few_facts_are_all_compared(many):
    many.hold(range(pool.MOST))
    assert len(pool.of(many.store, "the heron", "", NOON)) == pool.MOST


def test_among_very_many_facts_one_that_stands_in_the_file_of_rules_is_compared(many):
    many.store.begin()
    facts.change(many.store, many.numbers[wording.key(NPM)], {"status": facts.EXPORTED})
    many.store.commit()
    assert NPM in [fact.text for fact in pool.of(many.store, NPM, wording.key(NPM), NOON)]
