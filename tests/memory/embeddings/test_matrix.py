"""The nearest memories, their neighbours counted in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="the extra `embeddings` is not installed")

from ralph_mem.memory.embeddings import backlog  # noqa: E402
from ralph_mem.memory.embeddings.vectors import SHARE, Matrix  # noqa: E402
from ralph_mem.memory.store import schema  # noqa: E402

MODEL = {"model": "tiny@1", "dims": 4}
NORTH, EAST, UP = np.eye(4)[:3]


class Rows:
    """Stands for a database with vectors: one row for each of (vector, session)."""

    def __init__(self, rows):
        self.rows = [(number, np.asarray(vector, "<f2").tobytes(), 1000 * number, session, number)
                     for number, (vector, session) in enumerate(rows, 1)]  # fmt: skip

    def one(self, sql, values=()):
        return (0,) if "max" not in sql else (len(self.rows), len(self.rows))

    def execute(self, sql, values=()):
        self.asked = sql
        return self

    def fetchall(self):
        return [] if "sqlite_master" in self.asked else sorted(self.rows, key=lambda row: (row[3], row[4]))


def matrix_of(*rows):
    return Matrix(Rows(rows), MODEL)


def test_the_nearest_come_first_with_their_cosines():
    found = matrix_of((NORTH, 1), (EAST, 2), (NORTH + EAST, 3)).near(NORTH)
    assert list(found) == [1, 3, 2]
    assert found[1] == pytest.approx(1) and found[2] == pytest.approx(0)


def test_a_memory_means_half_of_what_its_neighbours_say():
    found = matrix_of((UP, 1), (NORTH, 1), (UP, 1), (EAST, 2)).near(UP)
    assert found[2] == pytest.approx(1 / 2**0.5, abs=0.001)  # one north, two halves up


def test_neighbours_are_those_of_the_same_session():
    found = matrix_of((UP, 1), (NORTH, 2), (UP, 3)).near(UP)
    assert found[2] == pytest.approx(0)


def test_as_of_an_earlier_time_later_memories_are_unknown_as_neighbours_too():
    whole = matrix_of((NORTH, 1), (UP, 1))
    assert list(whole.near(UP, until=2000)) == [1]
    assert whole.near(UP, until=2000)[1] == pytest.approx(0)
    assert whole.near(UP)[1] > 0.4


def test_no_more_are_returned_than_asked_for():
    assert len(matrix_of(*[(NORTH, 1)] * 9).near(NORTH, most=3)) == 3


def test_without_vectors_nothing_is_near():
    assert matrix_of().near(NORTH) == {}


def test_a_vector_with_a_flipped_bit_is_left_out():
    assert list(matrix_of((NORTH, 1), (np.full(4, np.inf), 1), (EAST, 2)).near(NORTH)) == [1, 3]


def test_a_vector_of_another_size_or_model_is_left_out(a_session):
    for text in ("one", "two", "three"):
        a_session.notes(text)
    schema.make(a_session.store, "vectors")
    row = "INSERT INTO vectors VALUES (?, ?, 1, ?, NULL, 0, 0)"
    a_session.store.execute(row, (1, "tiny@1", NORTH.astype("<f2").tobytes()))
    a_session.store.execute(row, (2, "tiny@1", b"123"))
    a_session.store.execute(row, (3, "other@1", NORTH.astype("<f2").tobytes()))
    assert list(Matrix(a_session.store, MODEL).near(NORTH)) == [1]


def test_a_stamp_changes_with_every_vector_and_memory(a_session):
    store, stamps = a_session.store, []
    for act in (lambda: None, lambda: a_session.notes("one"), lambda: a_session.notes("two"), lambda: backlog.drop(store)):
        act()
        stamps.append(Matrix(store, MODEL).stamp)
    assert len(set(stamps)) == 4


component = st.integers(-9, 9)
a_vector = st.tuples(component, component, component, component).filter(any)


@given(st.lists(st.tuples(a_vector, st.integers(1, 3)), min_size=1, max_size=12), a_vector, st.integers(0, 13))
def test_the_quick_sum_is_the_cosine_with_the_vectors_added(rows, query, known):
    rows = [(np.array(vector) / np.linalg.norm(vector), session) for vector, session in rows]
    query = np.array(query) / np.linalg.norm(query)
    found = matrix_of(*rows).near(query.astype(np.float32), until=1000 * known + 1)
    assert sorted(found) == list(range(1, min(known, len(rows)) + 1))
    for number, cosine in found.items():
        mine = [n for n, (_, session) in enumerate(rows, 1) if session == rows[number - 1][1] and n <= known]
        at = mine.index(number)
        whole = rows[number - 1][0] + SHARE * sum(rows[n - 1][0] for n in mine[max(at - 1, 0) : at] + mine[at + 1 : at + 2])
        length = np.linalg.norm(whole)
        # what cancels out has no direction
        assert length < 0.1 or cosine == pytest.approx(float(query @ whole / length), abs=0.01)
