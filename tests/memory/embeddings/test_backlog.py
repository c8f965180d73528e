"""Which memories get a vector and when, with a stand-in for the model."""

import zlib

import pytest

np = pytest.importorskip("numpy", reason="the extra `embeddings` is not installed")

from ralph_mem.memory.embeddings import backlog, vectors  # noqa: E402
from ralph_mem.memory.embeddings.vectors import Matrix  # noqa: E402
from ralph_mem.memory.recall import lookup  # noqa: E402
from ralph_mem.memory.rows import rewrite, row  # noqa: E402
from ralph_mem.memory.store import schema  # noqa: E402
from tests.readers import files_of, forget, holding, reader_of  # noqa: E402
from tests.sessions import DAY  # noqa: E402

MINUTE = 60_000


class Standin:
    """Makes a vector of a text's checksum. What it is told to refuse breaks it, together with all that comes along."""

    def __init__(self, model, name="tiny@1", refuses=()):
        self.name, self.model, self.refuses, self.calls = name, {**model, "model": name}, refuses, []

    def of_texts(self, texts):
        self.calls.append(list(texts))
        if any(word in text for word in self.refuses for text in texts):
            raise RuntimeError("broken")
        return [self.vector(text) for text in texts]

    @staticmethod
    def vector(text):
        drawn = np.random.default_rng(zlib.crc32(text.encode())).normal(size=8)
        return (drawn / np.linalg.norm(drawn)).astype(np.float32)


@pytest.fixture
def a_standin(a_small_model):
    """Return a stand-in for the model."""
    return Standin(a_small_model)


def kept(session, columns="model, vector IS NOT NULL, attempts"):
    return session.rows(f"SELECT {columns} FROM vectors ORDER BY memory_id")


def test_all_that_is_remembered_gets_a_vector(a_session, a_standin):
    a_session.has_a_turn("why is the lamp dark?", "the fuse is blown")
    a_session.notes("the fuse box", "is in the cellar")
    assert vectors.embed_missing(a_session.store, a_standin) == 2
    assert kept(a_session) == [("tiny@1", 1, 0)] * 2
    assert a_standin.calls == [["why is the lamp dark?\nthe fuse is blown", "the fuse box\nis in the cellar"]]


def test_the_newest_memories_come_first(a_session, a_standin):
    for number in range(40):
        a_session.notes(f"note {number}")
    vectors.embed_missing(a_session.store, a_standin)
    assert "note 39\n" in [text + "\n" for text in a_standin.calls[0]] and "note 0" in a_standin.calls[1]


def test_what_has_a_vector_is_not_embedded_again(a_session, a_standin):
    a_session.notes("the fuse box")
    vectors.embed_missing(a_session.store, a_standin)
    assert vectors.embed_missing(a_session.store, a_standin) == 0
    assert len(a_standin.calls) == 1


def test_a_vector_is_stored_as_half_floats_of_length_one_with_the_tables_bytes_beside_it(a_session, a_standin):
    a_session.notes("lamp")
    vectors.embed_missing(a_session.store, a_standin)
    ((whole, static),) = kept(a_session, "vector, static")
    assert np.allclose(np.frombuffer(whole, "<f2"), Standin.vector("lamp"), atol=0.001)
    assert len(static) == 4 and np.frombuffer(static, "i1")[0] == 127


def test_a_memory_without_a_word_waits_for_nothing(a_session, a_standin):
    a_session.notes("", "")
    assert vectors.embed_missing(a_session.store, a_standin) == 0
    assert backlog.count(a_session.store, "tiny@1") == (0, 0, 0, 0)


def test_work_without_words_is_embedded_by_what_it_touched(a_session, a_standin):
    a_session.asks("")
    a_session.edits("lamp.py")
    a_session.is_answered("")
    vectors.embed_missing(a_session.store, a_standin)
    assert [text for call in a_standin.calls for text in call if "lamp.py" in text]


def test_what_was_redacted_leaves_no_mark_in_the_text(a_session, a_standin):
    a_session.notes("the key [REDACTED:github-token] opens it")
    vectors.embed_missing(a_session.store, a_standin)
    assert "REDACTED" not in a_standin.calls[0][0]


def test_many_texts_go_to_the_model_together(a_session, a_standin):
    for number in range(70):
        a_session.notes(f"note {number}")
    heard = []
    assert vectors.embed_missing(a_session.store, a_standin, lambda done, total: heard.append((done, total))) == 70
    assert [len(call) for call in a_standin.calls] == [32, 32, 6]
    assert heard == [(0, 70), (32, 70), (64, 70), (70, 70)]


# What fails


def test_a_text_that_breaks_the_model_takes_no_other_along(a_session, a_small_model):
    for text in ("good", "poison", "fine"):
        a_session.notes(text)
    assert vectors.embed_missing(a_session.store, Standin(a_small_model, refuses=["poison"])) == 2
    assert kept(a_session) == [("tiny@1", 1, 0), ("tiny@1", 0, 1), ("tiny@1", 1, 0)]


def test_what_failed_is_tried_again_after_pauses_that_double(a_session, a_small_model):
    a_session.notes("poison")
    broken, now = Standin(a_small_model, refuses=["poison"]), backlog._now()
    for attempt in range(1, 4):
        vectors.embed_missing(a_session.store, broken)
        assert kept(a_session) == [("tiny@1", 0, attempt)]
        assert backlog.waiting(a_session.store, "tiny@1", now) == []
        a_session.store.execute("UPDATE vectors SET tried_at = ?", (now - MINUTE * 2 ** (attempt - 1) + 5000,))
        assert backlog.waiting(a_session.store, "tiny@1", now) == []
        a_session.store.execute("UPDATE vectors SET tried_at = tried_at - 5000")
        assert backlog.waiting(a_session.store, "tiny@1", now) == [1]
    assert vectors.embed_missing(a_session.store, Standin(a_small_model)) == 1
    assert kept(a_session) == [("tiny@1", 1, 0)]


def test_a_pause_is_never_longer_than_two_days(a_session, a_small_model):
    a_session.notes("poison")
    vectors.embed_missing(a_session.store, Standin(a_small_model, refuses=["poison"]))
    a_session.store.execute("UPDATE vectors SET attempts = 1000")
    assert backlog.waiting(a_session.store, "tiny@1", backlog._now() + 2 * DAY) == [1]


@pytest.mark.parametrize("vector", [None, np.zeros(8), np.full(8, np.nan), np.full(8, np.inf)])
def test_a_vector_that_is_none_is_null_and_never_zeros(a_session, a_standin, vector, monkeypatch):
    monkeypatch.setattr(a_standin, "of_texts", lambda texts: [vector for _ in texts])
    a_session.notes("lamp")
    assert vectors.embed_missing(a_session.store, a_standin) == 0
    assert kept(a_session, "vector, attempts") == [(None, 1)]
    assert backlog.count(a_session.store, "tiny@1") == (1, 0, 1, 0)


# What changes


def test_another_model_makes_all_vectors_anew(a_session, a_small_model, a_standin):
    a_session.notes("lamp")
    vectors.embed_missing(a_session.store, a_standin)
    assert backlog.count(a_session.store, "other@1") == (1, 0, 0, 1)
    vectors.embed_missing(a_session.store, Standin(a_small_model, "other@1"))
    assert kept(a_session) == [("other@1", 1, 0)]


def test_a_memory_whose_text_has_changed_is_embedded_anew(a_session, a_standin):
    a_session.notes("lamp")
    vectors.embed_missing(a_session.store, a_standin)
    a_session.store.begin()
    rewrite.texts_of(a_session.store, row.OBSERVATION, 1, {"title": "invoice", "content": "", "lines": ""})
    a_session.store.commit()
    vectors.embed_missing(a_session.store, a_standin)
    assert np.allclose(np.frombuffer(kept(a_session, "vector")[0][0], "<f2"), Standin.vector("invoice"), atol=0.001)


def test_a_vector_of_what_changed_while_the_model_ran_is_not_kept(a_session, a_standin):
    a_session.notes("lamp")
    found = backlog.items(a_session.store, "tiny@1", [1])
    made = vectors.vectors_of(a_standin, vectors.embeddings_client.Table(a_standin.model), found)
    schema.make(a_session.store, "vectors")
    a_session.store.execute("UPDATE observations SET checksum = checksum + 1")
    assert backlog.keep(a_session.store, "tiny@1", found, *made) == 0
    assert kept(a_session) == []


def test_what_is_dropped_is_missing_again(a_session, a_standin):
    a_session.notes("lamp")
    vectors.embed_missing(a_session.store, a_standin)
    backlog.drop(a_session.store)
    assert backlog.count(a_session.store, "tiny@1") == (1, 0, 0, 1)


def test_forgetting_takes_the_vector_out_of_the_file(a_session, a_project, a_standin):
    turn = a_session.has_a_turn("why is the zeppelin dark?", "its fuse is blown")
    a_session.notes("invoice")
    vectors.embed_missing(a_session.store, a_standin)
    ((vector,),) = a_session.rows("SELECT vector FROM vectors JOIN memories ON id = memory_id WHERE turn_id NOT NULL")
    assert any(vector in data for data in files_of(a_project).values())
    assert forget(reader_of(a_session), turn).is_clean()
    assert [path for path, data in files_of(a_project).items() if vector in data] == []
    assert len(kept(a_session)) == 1 and holding(files_of(a_project), "zeppelin") == []


def test_a_memory_forgotten_is_in_no_matrix_that_is_read_afterwards(a_session, a_standin):
    name = a_session.notes("lamp")
    a_session.notes("invoice")
    vectors.embed_missing(a_session.store, a_standin)
    before = Matrix(a_session.store, a_standin.model)
    forget(reader_of(a_session), name)
    after = Matrix(a_session.store, a_standin.model)
    assert before.stamp[0] != after.stamp[0] and list(after.numbers) == [2]


def test_a_search_works_while_vectors_are_made(a_session, a_standin, monkeypatch):
    a_session.has_a_turn("why is the lamp dark?", "the fuse is blown")
    found = []
    reader = reader_of(a_session)
    of_texts = a_standin.of_texts

    def searching(texts):
        found.extend(lookup.search(reader, "lamp fuse", a_session.now, lookup.Wanted()))
        return of_texts(texts)

    monkeypatch.setattr(a_standin, "of_texts", searching)
    vectors.embed_missing(a_session.store, a_standin)
    assert [row.asked for row in found] == ["why is the lamp dark?"]
