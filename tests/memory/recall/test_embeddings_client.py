"""Meaning on the hot path: a table of tokens and a line to a worker, either of which may be missing, broken or slow."""

import json
import os
import socket
import sqlite3
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.memory.recall import embeddings_client
from ralph_mem.memory.store import schema
from tests import clock

# What each token means alone, in four made-up directions.
TOKENS = {
    "lamp": (90, 0, 0, 5),
    "lantern": (80, 10, 0, 0),
    "invoice": (0, 0, 100, 0),
    "total": (0, 0, 90, 20),
    "##shade": (60, 30, 0, 0),
    "shade": (0, 90, 0, 0),
    "cafe": (0, 0, 0, 100),
    "##s": (0, 0, 1, 1),
}
MODEL = {"model": "tiny@1", "folder": "tiny", "dims": 8, "static_dims": 4, "lower": True, "strip": True}
PATIENCE_S = 5


def write_model(home, **changes):
    folder = home / ".local/share/ralph-mem/embeddings"
    (folder / "tiny").mkdir(parents=True, exist_ok=True)
    (folder / "model.json").write_text(json.dumps({**MODEL, **changes}))
    return folder


def signed(values):
    return bytes(value & 255 for value in values)


@pytest.fixture
def a_model(a_home):
    """Set a model up that knows eight tokens."""
    folder = write_model(a_home)
    db = sqlite3.connect(folder / "tiny" / "static.db")
    db.execute("CREATE TABLE tokens (token TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")
    db.executemany("INSERT INTO tokens VALUES (?, ?)", [(token, signed(vector)) for token, vector in TOKENS.items()])
    db.commit()
    db.close()
    return folder


@pytest.fixture
def two_memories(a_session, a_model):
    """Have a memory about a lantern and one about an invoice, embedded by the table."""
    lantern, invoice = [a_session.rows("SELECT id FROM memories WHERE id = ?", n)[0][0] for n in notes(a_session)]
    embedded(a_session, lantern, (127, 10, 0, 0))
    embedded(a_session, invoice, (0, 0, 127, 0))
    return lantern, invoice


def notes(session):
    for text in ("the lantern", "the invoice"):
        session.notes(text)
        yield session.rows("SELECT max(id) FROM memories")[0][0]


def embedded(session, number, static, model="tiny@1"):
    static = None if static is None else signed(static)
    schema.make(session.store, "vectors")
    session.store.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?, 1, NULL, ?, 0, 0)", (number, model, static))


# What is set up


def test_without_embeddings_there_is_no_sense(a_home):
    assert embeddings_client.open_sense() is None


def test_without_a_home_there_is_no_sense(the_environment):
    the_environment(HOME="/")
    assert embeddings_client.open_sense() is None


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', "null", "{}", '{"dims": "8"}', '{"dims": 8, "static_dims": 0}', "\x00\xff"])
def test_a_description_that_makes_no_sense_is_none(a_home, text):
    (write_model(a_home) / "model.json").write_text(text)
    assert embeddings_client.open_sense() is None


def test_a_description_leads_to_no_other_folder(a_home):
    write_model(a_home, folder="../../../../etc")
    assert embeddings_client.open_sense() is None


# The table


def test_a_memory_about_the_same_is_more_alike_than_another(a_session, two_memories):
    lantern, invoice = two_memories
    found = embeddings_client.open_sense().alike(a_session.store, "Which LAMP was it?", [lantern, invoice])
    assert found[lantern] == pytest.approx(0.5, abs=0.01) and abs(found[invoice]) < 0.01  # a component ends at a half


def test_only_memories_that_are_asked_for_are_compared(a_session, two_memories):
    assert embeddings_client.open_sense().alike(a_session.store, "lamp", [two_memories[0], 999]).keys() == {two_memories[0]}


@pytest.mark.parametrize("query", ["", "  ?! ", "zzz qqq", "\ud800", "[REDACTED:github-token]"])
def test_a_query_of_which_no_word_is_known_is_like_nothing(a_session, two_memories, query):
    assert embeddings_client.open_sense().alike(a_session.store, query, list(two_memories)) == {}


def test_a_word_that_the_table_has_not_is_made_of_its_parts(a_model):
    table = embeddings_client.Table(embeddings_client.described())
    assert table.sum_of(["lampshades"]) == [
        sum(parts) for parts in zip(TOKENS["lamp"], TOKENS["##shade"], TOKENS["##s"], strict=True)
    ]
    assert table.sum_of(["xxshade"]) == list(TOKENS["##shade"])


def test_accents_count_as_the_model_counts_them(a_home, a_model):
    assert embeddings_client.Table(embeddings_client.described()).sum_of(["Café"]) == list(TOKENS["cafe"])
    write_model(a_home, strip=False)
    assert embeddings_client.Table(embeddings_client.described()).sum_of(["café"]) == [0, 0, 0, 0]


def test_names_in_code_are_read_as_the_words_they_consist_of():
    assert embeddings_client.words_of("def lampShade(self): return HTTPServer2, old_total") == [
        *("def", "lamp", "Shade", "self", "return", "HTTPServer2", "old", "total")
    ]


def test_of_a_pasted_file_the_beginning_and_the_end_are_looked_up():
    words = embeddings_client.query_words("lamp " + "filler " * 5000 + "invoice")
    assert (words[0], words[-1]) == ("lamp", "invoice") and len(words) == embeddings_client.MOST_WORDS


@given(st.text(max_size=200))
def test_whatever_is_asked_has_words_and_no_error(query):
    assert all(word and all(map(str.isalnum, word)) for word in embeddings_client.query_words(query))


def test_a_vector_of_another_model_or_size_or_none_counts_for_nothing(a_session, two_memories):
    lantern, invoice = two_memories
    embedded(a_session, lantern, (1, 2, 3, 4), model="other@1")
    embedded(a_session, invoice, (1, 2, 3))
    assert embeddings_client.open_sense().alike(a_session.store, "lamp", [lantern, invoice]) == {}
    embedded(a_session, lantern, None)
    assert embeddings_client.open_sense().alike(a_session.store, "lamp", [lantern, invoice]) == {}


@pytest.mark.parametrize("content", [None, b"", b"junk" * 3000])
def test_a_damaged_table_brings_nothing(a_session, two_memories, a_model, content):
    (a_model / "tiny" / "static.db").unlink()
    if content is not None:
        (a_model / "tiny" / "static.db").write_bytes(content)
    assert embeddings_client.open_sense().alike(a_session.store, "lamp", list(two_memories)) == {}


def test_a_memory_from_before_there_were_vectors_brings_nothing(a_session, a_model):
    assert a_session.rows("SELECT 1 FROM sqlite_schema WHERE name = 'vectors'") == []
    assert embeddings_client.open_sense().alike(a_session.store, "lamp", list(notes(a_session))) == {}


# The worker


class Worker(threading.Thread):
    """Somebody at the other end of the line, who answers each question with these bytes and may hang up or not."""

    def __init__(self, place, answer, hang_up=True):
        super().__init__(daemon=True)
        place.mkdir(exist_ok=True)
        self.answer, self.hang_up, self.heard, self.kept = answer, hang_up, [], []
        self.listener = socket.socket(socket.AF_UNIX)
        embeddings_client.with_address(str(place), self.listener.bind)
        self.listener.listen()
        self.start()

    def run(self):
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            self.kept.append(line)
            self.heard.append(line.recv(65_536))
            line.sendall(self.answer)
            if self.hang_up:
                line.close()

    def leave(self):
        if self.listener.fileno() >= 0:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
        self.join(PATIENCE_S)
        for line in self.kept:
            line.close()


@pytest.fixture
def with_patience(monkeypatch):
    """Wait longer for an answer than a hook does: this machine may be busy."""
    monkeypatch.setattr(embeddings_client, "DEADLINE_S", PATIENCE_S)


@pytest.fixture
def a_worker(a_model, request):
    """Let a worker listen that answers as it is told to; one that hangs up is waited for with patience."""
    workers = []

    def start(answer, **options):
        if options.get("hang_up", True):
            request.getfixturevalue("with_patience")
        line = answer if isinstance(answer, bytes) else json.dumps(answer).encode() + b"\n"
        workers.append(Worker(a_model / "worker", line, **options))
        return workers[-1]

    yield start
    for worker in workers:
        worker.leave()


def test_the_worker_is_asked_for_the_memory_and_the_query(a_store, a_worker):
    worker = a_worker({"model": "tiny@1", "near": {"7": 0.5, "3": 0.25}})
    assert embeddings_client.open_sense().near(a_store, "which lamp?") == {7: 0.5, 3: 0.25}
    assert json.loads(worker.heard[0]) == {"folder": a_store.folder, "query": "which lamp?"}


def test_where_no_worker_runs_nothing_is_near(a_store, a_model):
    assert embeddings_client.open_sense().near(a_store, "lamp") == {}


def test_a_worker_that_has_died_is_like_none(a_store, a_worker):
    a_worker({}).leave()
    assert embeddings_client.open_sense().near(a_store, "lamp") == {}


RUBBISH = [
    *(b"", b"\n", b"{\n", b"[]\n", b"null\n", b"\xff\xfe\n", b'{"model": "tiny@1"}\n', b'{"model": "tiny@1", "near": [1]}\n'),
    *(b'{"model": "tiny@1", "near": {"x": 0.5}}\n', b'{"model": "tiny@1", "near": {"1": "x"}}\n', b'{"near": {"1": 0.5}}\n'),
    *(b'{"model": "tiny@1", "near": {"1": 0.5', b"x" * 70_000 + b"\n", b'{"model": "other@1", "near": {"1": 0.5}}\n'),
    *(b'{"model": "tiny@1", "near": {"1": NaN, "2": 17}}\n', b"[" * 50_000 + b"\n"),
]


@pytest.mark.parametrize("answer", RUBBISH, ids=lambda answer: answer[:24])
def test_a_worker_that_answers_rubbish_or_half_brings_nothing(a_store, a_worker, answer):
    a_worker(answer)
    assert embeddings_client.open_sense().near(a_store, "lamp") == {}


@pytest.mark.parametrize("answer", [b"", b'{"model": "tiny@1", '])
def test_a_worker_that_hangs_is_not_waited_for(a_store, a_worker, answer):
    a_worker(answer, hang_up=False)
    watch = clock.Watch()
    assert embeddings_client.open_sense().near(a_store, "lamp") == {}
    assert watch.free() < PATIENCE_S  # without a limit it would be for ever


def test_a_worker_that_hangs_is_waited_for_once_however_many_memories_there_are(a_store, a_worker):
    worker, one_sense = a_worker(b"", hang_up=False), embeddings_client.open_sense()
    assert [one_sense.near(a_store, "lamp") for _ in range(3)] == [{}] * 3
    clock.wait_for(lambda: worker.heard, PATIENCE_S)
    worker.leave()
    assert len(worker.heard) == 1


def test_a_home_whose_path_is_too_long_for_a_socket_has_one(a_home, the_environment, a_store, with_patience):
    deep = a_home / ("d" * 90) / ("e" * 90)
    deep.mkdir(parents=True)
    the_environment(HOME=deep)
    worker = Worker(write_model(deep) / "worker", b'{"model": "tiny@1", "near": {"1": 0.5}}\n')
    assert embeddings_client.open_sense().near(a_store, "lamp") == {1: 0.5}
    worker.leave()


def test_what_a_hook_may_not_say_is_not_sent(a_store, a_worker):
    worker = a_worker({"model": "tiny@1", "near": {}})
    embeddings_client.open_sense().near(a_store, "the key [REDACTED:github-token] again " + "x" * 90_000)
    assert b"REDACTED" not in worker.heard[0] and len(worker.heard[0]) < 3 * embeddings_client.QUERY_CHARACTERS


def test_the_line_is_closed_after_the_answer(a_store, a_worker):
    a_worker({"model": "tiny@1", "near": {}})
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        embeddings_client.open_sense().near(a_store, "lamp")
    time.sleep(0.05)
    assert len(os.listdir("/proc/self/fd")) <= before
