"""The real model, prepared: it answers as it is known to, takes any text, and a damaged file is one clear line."""

import os
import shutil
import subprocess
import sys

import pytest

np = pytest.importorskip("numpy", reason="the extra `embeddings` is not installed")
pytest.importorskip("onnxruntime", reason="the extra `embeddings` is not installed")

from ralph_mem.core.errors import RalphMemError  # noqa: E402
from ralph_mem.memory.embeddings.vectors import Embedder, LocalSense, embed_missing  # noqa: E402
from ralph_mem.memory.recall import embeddings_client  # noqa: E402
from tests.hook import REPOSITORY  # noqa: E402
from tests.memory.embeddings.conftest import BELOW_HOME  # noqa: E402

pytestmark = pytest.mark.check  # the real model has to be prepared first


@pytest.fixture
def an_embedder(the_model):
    """Load the real model."""
    return Embedder(embeddings_client.described())


def test_setup_found_the_exported_model_like_the_original(prepared):
    assert 0.999 <= prepared[1]["likeness"] <= 1.001


def test_the_model_answers_as_its_authors_say(an_embedder):
    texts = ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    asked, *others = an_embedder.of_texts(texts)
    assert [float(asked @ other) for other in others] == pytest.approx([0.695, 0.943, 0.257], abs=0.001)


def test_a_text_has_the_same_vector_alone_and_among_others(an_embedder):
    texts = ["lamp", "a rather longer text about the invoice of last month", "def total(rows): return sum(rows)"]
    alone = [an_embedder.of_texts([text])[0] for text in texts]
    assert all(float(one @ other) > 0.9999 for one, other in zip(alone, an_embedder.of_texts(texts), strict=True))


def test_the_end_of_a_long_text_counts(an_embedder):
    filler = "the minutes of a meeting about nothing in particular, " * 60
    end = "the red lantern is broken "
    about_both, about_one, asked = an_embedder.of_texts([filler + end * 80, filler, end])
    assert float(about_both @ asked) > float(about_one @ asked) + 0.2


@pytest.mark.parametrize("text", ["", " ", "\ud800", "\x00", "\u6642\u9593\u5e2f" * 3000, "x" * 100_000, "\U0001f680"])
def test_any_text_has_a_vector_of_length_one_or_none(an_embedder, text):
    (vector,) = an_embedder.of_texts([text])
    assert vector is None or np.linalg.norm(vector) == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [None, b"", b"junk"])
def test_a_damaged_model_is_one_line_and_what_to_do(the_model, name, content):
    (the_model / name).unlink()
    if content is not None:
        (the_model / name).write_bytes(content)
    with pytest.raises(RalphMemError) as raised:
        Embedder(embeddings_client.described())
    assert "cannot be loaded" in str(raised.value) and "\n" not in str(raised.value) and "setup" in raised.value.hint


def test_without_a_model_there_is_no_local_sense(a_home):
    with pytest.raises(RalphMemError, match="no embeddings are set up"):
        LocalSense()


# What it finds

MEMORIES = (
    ("the automobile would not start this morning", "the battery was flat"),
    ("rename the column of the price list", "done, it is called amount now"),
    ("why do the nightly backups take so long?", "they copied the videos too"),
    ("add a dark theme to the settings page", "there is a switch for it now"),
)


@pytest.fixture
def an_embedded_memory(a_session, the_model):
    """Remember four unlike things, with their vectors; returns the sense that knows them."""
    for title, content in MEMORIES:
        a_session.notes(title, content)
    local = LocalSense()
    assert embed_missing(a_session.store, local.embedder) == len(MEMORIES)
    return local


def titles(session, numbers):
    rows = "SELECT title FROM observations JOIN memories AS m ON observation_id = observations.id WHERE m.id = ?"
    return [session.rows(rows, number)[0][0] for number in numbers]


def test_a_memory_is_found_by_what_it_means_without_a_word_in_common(a_session, an_embedded_memory):
    found = an_embedded_memory.near(a_session.store, "trouble with my car engine")
    assert titles(a_session, found)[0] == MEMORIES[0][0]


def test_the_small_table_prefers_it_too(a_session, an_embedded_memory):
    found = an_embedded_memory.alike(a_session.store, "my car engine is broken", [1, 2, 3, 4])
    assert max(found, key=found.get) == 1 and len(found) == 4


def test_new_memories_are_near_as_soon_as_they_are_embedded(a_session, an_embedded_memory):
    an_embedded_memory.near(a_session.store, "penguins")
    a_session.notes("a bird that swims but cannot fly")
    embed_missing(a_session.store, an_embedded_memory.embedder)
    assert next(iter(an_embedded_memory.near(a_session.store, "penguins"))) == 5


def test_a_query_without_a_word_is_near_to_nothing(a_session, an_embedded_memory):
    assert an_embedded_memory.near(a_session.store, "  ") == {}


def test_vectors_of_a_model_of_another_size_are_passed_over(a_session, an_embedded_memory):
    a_session.store.execute("UPDATE vectors SET vector = substr(vector, 1, 200) WHERE memory_id = 1")
    a_session.store.execute("UPDATE properties SET value = value + 1 WHERE key = 'vectors'")
    assert 1 not in an_embedded_memory.near(a_session.store, "trouble with my car engine")


ASKING = "from ralph_mem.memory.embeddings.vectors import LocalSense; LocalSense()._vector('the lamp')"


def test_no_package_of_the_extra_leaves_anything_in_the_home_or_tells_anybody(prepared, tmp_path):
    home, _ = prepared
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
    run = subprocess.run([sys.executable, "-c", ASKING], env=environment, cwd=tmp_path, capture_output=True, timeout=120)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    for place in (home, tmp_path):  # after setup, and after a question
        assert [file for file in place.rglob("*") if file.is_file() and not file.is_relative_to(place / BELOW_HOME)] == []
