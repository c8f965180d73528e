"""The table of weights: how it is fitted, and that the same cases make the same one."""

import random

import pytest

from ralph_mem.bench import asking, fitting, histories
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.recall import features
from tests.bench import train_injection
from tests.bench.conftest import a_memory, a_query, a_set

SIZE = len(features.NAMES)


def cases(count, seed=1, size=SIZE):
    """Return cases in which the first feature tells, and nothing else."""
    drawn = random.Random(seed)
    found = []
    for number in range(count):
        sort = ("", asking.EVERYDAY, asking.OTHERS)[number % 3]
        right = not sort and drawn.random() < 0.8
        values = [(drawn.gauss(3 if right else 0, 1), *[drawn.gauss(0, 1) for _ in range(size - 1)])]
        found.append(fitting.Case(sort, values, [right]))
    return found


@pytest.fixture
def table():
    return fitting.fit([fitting.Part("one", cases(600), 1.0)])


def test_what_tells_gets_the_weight(table):
    assert table.weights[0] > 5 * max(map(abs, table.weights[1:]))


def test_the_same_cases_make_the_same_table(table):
    again = fitting.fit([fitting.Part("one", cases(600), 1.0)])
    assert (again.bias, again.weights, again.levels) == (table.bias, table.weights, table.levels)


def test_a_chance_can_be_believed(table):
    judged = [(table.chance(case.values[0]), case.relevant[0]) for case in cases(3000, seed=2)]
    for low in (0.0, 0.5):
        half = [each for each in judged if low <= each[0] < low + 0.5]
        assert sum(chance for chance, _ in half) / len(half) == pytest.approx(sum(right for _, right in half) / len(half), abs=0.1)


def test_a_level_leaves_as_many_alone_as_it_says(table):
    others = [max(map(table.chance, case.values)) for case in cases(3000, seed=3) if case.sort]
    for level, share in fitting.LEFT_ALONE.items():
        assert sum(chance < table.levels[level] for chance in others) / len(others) == pytest.approx(share, abs=0.02)


def test_a_table_that_is_written_is_read_again(table, tmp_path):
    (tmp_path / "weights.txt").write_text(train_injection.HEAD + train_injection.lines(table))
    again, _ = features.read_tables(str(tmp_path / "weights.txt"))
    assert again.weights == pytest.approx(table.weights, abs=1e-4) and again.levels == pytest.approx(table.levels, abs=1e-4)


def test_a_table_for_cosines_is_written_beside_that_for_words(table, tmp_path):
    near = fitting.fit([fitting.Part("one", cases(600, size=SIZE + 1), 1.0)])
    text = train_injection.lines(table) + train_injection.lines(near, features.MEANING)
    (tmp_path / "weights.txt").write_text(text)
    words, meaning = features.read_tables(str(tmp_path / "weights.txt"))
    assert (len(words.weights), meaning.weights) == (SIZE, pytest.approx(near.weights, abs=1e-4))


def test_a_damaged_table_for_cosines_leaves_that_for_words(table, tmp_path):
    (tmp_path / "weights.txt").write_text(train_injection.lines(table) + "meaning.bias 0.1\n")
    words, meaning = features.read_tables(str(tmp_path / "weights.txt"))
    assert words and meaning is None


def test_sets_of_one_source_count_as_one():
    assert histories.source("curl-dev") == histories.source("curl-older-dev") != histories.source("libuv-dev")


def test_a_history_is_cut_into_beginnings_with_their_own_queries(read):
    memories = [a_memory(number % 28, f"stone {number}") | {"id": f"m{number}"} for number in range(90)]
    given = read(a_set(a_query("stone 5", "m5"), a_query("stone 85", "m85"), memories=memories))
    found = fitting.beginnings(given.projects[0])
    assert [(len(each.memories), [query.text for query in each.queries]) for each in found] == [
        (40, ["stone 5"]),
        (10, ["stone 85"]),
    ]


def test_a_set_that_is_not_there_cannot_be_left_out(read):
    with pytest.raises(RalphMemError, match="cannot be left out"):
        fitting.leave_out([read(a_set(a_query("heron", "m1")))], "moon")


def test_the_notes_of_the_fit_are_sound():
    given = histories.read(train_injection.NOTES)
    assert histories.source(given.name) == fitting.OWN and len(given.projects) == 2
