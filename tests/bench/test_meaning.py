import sqlite3
from contextlib import closing

import pytest

from ralph_mem.bench import measures, retrieval
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.recall import embeddings_client
from tests.bench.conftest import a_memory, a_query, a_set


class AModel:
    """A stand-in for a prepared model, to which a memory is as near as it is old; it notes what it was shown."""

    def __init__(self):
        self.shown = []

    def of_mode(self, mode):
        return None

    def embed(self, throwaway, progress):
        self.shown.append(sorted(throwaway.names.values()))
        progress(1, 1)

    def nearest(self, throwaway, query):
        return sorted(throwaway.names.values())


@pytest.fixture
def a_model(monkeypatch):
    model = AModel()
    monkeypatch.setattr(retrieval, "Meaning", lambda: model)
    return model


@pytest.mark.check
def test_a_mode_is_shown_beside_those_that_need_less_and_the_model_alone(read, a_model):
    report = retrieval.run(read(a_set(a_query("heron", "m1"))), "full")
    assert (list(report["modes"]), list(report["baselines"])) == (["lexical", "static", "full"], ["fts5", "newest", "model"])
    assert report["against"].keys() == {"lexical", "static", "fts5", "newest", "model"}
    assert report["baselines"]["model"]["mrr"] == 0.5
    assert report["mode"] == "full" and report["modes"]["full"].keys() == set(measures.NAMES)
    assert list(retrieval.run(read(a_set(a_query("heron", "m1"))), "static")["modes"]) == ["lexical", "static"]


def test_the_model_sees_nothing_of_what_comes_later(read, a_model):
    retrieval.run(read(a_set(a_query("heron", "m1"), a_query("lantern", "m0", before="m1"))), "static")
    assert a_model.shown == [["m0"], ["m0", "m1", "m2", "m3"]]


def test_embedding_is_announced_and_counts_no_query(read, a_model):
    heard = []
    retrieval.run(read(a_set(a_query("heron", "m1"))), "static", lambda *told: heard.append(told))
    assert heard == [("pier: 1 of 1 embedded", 0, 1), ("pier", 1, 1)]


class ASense:
    def near(self, _store, _query):
        return {1: 0.9}

    def alike(self, _store, _query, numbers):
        return dict.fromkeys(numbers, 0.5)


def test_the_table_alone_knows_no_nearest_memories():
    table = retrieval.Table(ASense())
    assert (table.near(None, "x"), table.alike(None, "x", [1, 2])) == ({}, {1: 0.5, 2: 0.5})


WORDS = "heron lantern boat floats".split()


class Counting:
    """A model that reads four words: a text is where they stand in it."""

    def __init__(self, model):
        self.model, self.name, self.dims = model, model["model"], len(WORDS)

    def of_query(self, text):
        import numpy as np

        counts = np.array([text.count(word) for word in WORDS], np.float32)
        return counts / np.linalg.norm(counts) if counts.any() else None

    def of_texts(self, texts):
        return [self.of_query(text) for text in texts]


@pytest.fixture
def a_prepared_model(monkeypatch, tmp_path):
    pytest.importorskip("numpy", reason="numpy comes with the extra `embeddings`")
    pytest.importorskip("onnxruntime", reason="onnxruntime comes with the extra `embeddings`")
    from ralph_mem.memory.embeddings import vectors

    with closing(sqlite3.connect(tmp_path / "static.db")) as db, db:
        db.execute("CREATE TABLE tokens (token TEXT PRIMARY KEY, vector BLOB)")
        places = [(word, bytes(100 * (at == place) for at in range(len(WORDS)))) for place, word in enumerate(WORDS)]
        db.executemany("INSERT INTO tokens VALUES (?, ?)", places)
    model = {"model": "counting@1", "dims": len(WORDS), "static_dims": len(WORDS), "folder": str(tmp_path)}
    monkeypatch.setattr(embeddings_client, "described", lambda: model)
    monkeypatch.setattr(vectors, "Embedder", Counting)


@pytest.fixture
def embedded(read, a_prepared_model):
    """Write three memories of three sessions into a throwaway database and embed them."""
    turn = a_memory(1, "It floats.", "s2", title="mend the boat")
    memories = [a_memory(0, "a heron"), turn, a_memory(2, "boats", "s3")]
    whole = retrieval.Meaning()
    with retrieval.Throwaway() as throwaway:
        throwaway.remember(read(a_set(a_query("x", "m0"), memories=memories)).projects[0].memories)
        whole.embed(throwaway, lambda *_: None)
        yield whole, throwaway


def test_the_model_alone_names_what_is_near_the_nearest_first(embedded):
    whole, throwaway = embedded
    assert whole.nearest(throwaway, "boat boat floats") == ["m1", "m2", "m0"]
    assert whole.nearest(throwaway, "nothing of it") == []


def test_a_mode_has_the_sense_of_its_name(embedded):
    whole, throwaway = embedded
    small, full = whole.of_mode("static"), whole.of_mode("full")
    assert whole.of_mode("lexical") is None
    assert (small.near(throwaway.store, "heron"), full.near(throwaway.store, "heron").keys()) == ({}, {1, 2, 3})
    alike = small.alike(throwaway.store, "heron", [1, 2])
    assert alike == full.alike(throwaway.store, "heron", [1, 2]) and alike[1] > alike[2]


def test_without_a_prepared_model_it_is_told_what_to_do(monkeypatch):
    pytest.importorskip("onnxruntime", reason="onnxruntime comes with the extra `embeddings`")
    with pytest.raises(RalphMemError, match="no embeddings are set up") as told:
        retrieval.Meaning()
    assert "ralph-mem embeddings setup" in told.value.hint


def test_a_whole_run_asks_the_prepared_model(read, a_prepared_model):
    report = retrieval.run(read(a_set(a_query("heron", "m1"))), "full")
    assert list(report["modes"]) == ["lexical", "static", "full"]
    assert report["modes"]["full"]["mrr"] == 1.0
