"""Exact costs: counted where a vocabulary is on the machine, never fetched unasked, and said to be estimates otherwise."""

import base64
import hashlib
import sys

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces import worker
from ralph_mem.maintenance import count_tokens
from ralph_mem.maintenance.doctor import machine as doctor
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.extras import MissingExtra, installation
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import row
from tests.readers import last, note, person_of, reader_of

tiktoken = pytest.importorskip("tiktoken", reason="the extra `tokens` is not installed")

# A vocabulary of tiktoken's own form: every byte, and a few longer pieces.
PIECES = [bytes([number]) for number in range(256)] + [b"la", b"lan", b"lant", b"er", b"lanter", b"lantern"]
FILE = b"".join(base64.b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(PIECES))
PLACE = "https://vocabularies.example/lantern.tiktoken"
PLUGIN = f"""
from tiktoken.load import load_tiktoken_bpe

def lantern():
    ranks = load_tiktoken_bpe({PLACE!r}, expected_hash={hashlib.sha256(FILE).hexdigest()!r})
    return {{"name": "lantern", "pat_str": r"\\w+|\\s+|[^\\w\\s]+", "mergeable_ranks": ranks, "special_tokens": {{"<|end|>": 999}}}}

ENCODING_CONSTRUCTORS = {{"lantern": lantern}}
"""


@pytest.fixture(autouse=True)
def a_plugin(tmp_path, monkeypatch):
    """Have a plugin of tiktoken with a small vocabulary, an empty cache, and a network that counts who asks."""
    (tmp_path / "plugin" / "tiktoken_ext").mkdir(parents=True)
    (tmp_path / "plugin" / "tiktoken_ext" / "lantern_public.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path / "plugin")
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    monkeypatch.setattr(tiktoken.registry, "ENCODING_CONSTRUCTORS", None)
    tiktoken.registry._available_plugin_modules.cache_clear()
    yield
    tiktoken.registry._available_plugin_modules.cache_clear()
    sys.modules.pop("tiktoken_ext.lantern_public", None)


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """Return the file in tiktoken's cache in which the vocabulary belongs; it is not there yet."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    return folder / hashlib.sha1(PLACE.encode()).hexdigest()


@pytest.fixture
def network(monkeypatch):
    """Answer for the place of the vocabulary, and note who asked; nothing leaves this machine."""
    asked = []

    class Answer:
        content = FILE

        def raise_for_status(self):
            pass

    def get(address, **_):
        asked.append(address)
        return Answer()

    monkeypatch.setattr("requests.get", get)
    return asked


@pytest.fixture
def vocabulary(cached):
    cached.write_bytes(FILE)
    return count_tokens.find("lantern")


def counts(session, table="turns"):
    return session.rows(f"SELECT tokens, counted_by FROM {table} ORDER BY id")


# The vocabulary


def test_a_vocabulary_in_the_cache_is_found_without_a_network(cached, network):
    cached.write_bytes(FILE)
    assert count_tokens.count(count_tokens.find("lantern"), "lantern", "lanterns!", "") == 1 + 3
    assert network == []


@pytest.mark.parametrize("content", [None, b"", b"damaged", FILE[:-9]])
def test_what_is_missing_or_damaged_is_not_fetched_unasked(cached, network, content):
    if content is not None:
        cached.write_bytes(content)
    assert count_tokens.find("lantern") is None and network == []


def test_a_vocabulary_that_somebody_asks_for_is_fetched_once_and_kept(cached, network):
    count_tokens.fetch("lantern")
    tiktoken.registry.ENCODINGS.clear()
    assert count_tokens.fetch("lantern").name == count_tokens.find("lantern").name == "lantern"
    assert network == [PLACE] and cached.read_bytes() == FILE


def test_looking_leaves_tiktoken_as_it_was(cached):
    read = tiktoken.load.read_file
    count_tokens.find("lantern")
    assert tiktoken.load.read_file is read


def test_a_fetch_that_fails_says_so_in_a_line(cached, monkeypatch):
    def get(address, **_):
        raise OSError("no route to\nhost")

    monkeypatch.setattr("requests.get", get)
    with pytest.raises(RalphMemError, match=r"^the vocabulary lantern could not be fetched: no route to host$") as raised:
        count_tokens.fetch("lantern")
    assert "stay estimated" in raised.value.hint


def test_an_unknown_vocabulary_names_those_that_there_are():
    with pytest.raises(RalphMemError, match="tiktoken has no vocabulary tungsten") as raised:
        count_tokens.find("tungsten")
    assert "o200k_base" in raised.value.hint and "lantern" in raised.value.hint


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    for look in (count_tokens.find, count_tokens.fetch):
        with pytest.raises(MissingExtra) as raised:
            look()
        assert raised.value.hint == installation("tokens")


@pytest.mark.parametrize("is_here", [True, False])
def test_the_worker_counts_by_a_vocabulary_that_is_here_and_fetches_none(is_here, vocabulary, network, a_session, monkeypatch):
    monkeypatch.setattr(count_tokens, "find", lambda: vocabulary if is_here else None)
    a_session.has_a_turn("Where is the lantern?", "In the cellar.")
    while worker.tend(a_session.store):
        pass
    assert {counted_by for _, counted_by in counts(a_session)} == {"lantern" if is_here else None} and network == []


@pytest.mark.parametrize("is_here", [True, False])
def test_a_bench_counts_by_a_vocabulary_that_is_here_and_says_which(is_here, vocabulary, monkeypatch):
    monkeypatch.setattr(count_tokens, "find", lambda: vocabulary if is_here else None)
    name, price = count_tokens.pricing()
    assert (name, price("lantern")) == (("lantern", 1) if is_here else ("estimate", row.tokens("lantern")))


def test_text_that_looks_like_a_special_token_is_text(vocabulary):
    assert count_tokens.count(vocabulary, "<|end|>") == 7


# Counting


def test_every_row_gets_its_exact_cost_and_the_name_of_what_counted_it(a_session, vocabulary):
    a_session.asks("lantern lantern")
    a_session.runs("lantern", "lantern lantern")
    a_session.is_answered("lantern")
    assert count_tokens.missing(a_session.store, vocabulary) == 2
    assert count_tokens.count_rows(a_session.store, vocabulary) == 2
    assert counts(a_session, "observations") == [(1 + 3, "lantern")]
    # the prompt, the answer, and `ran: lantern`
    assert counts(a_session) == [(3 + 1 + 6, "lantern")] and a_session.turns("lines") == [("ran: lantern",)]


def test_a_reader_is_told_the_exact_cost(a_session, vocabulary):
    name = a_session.has_a_turn("lantern", "lantern")
    count_tokens.count_rows(a_session.store, vocabulary)
    assert layers.index(lookup.find(reader_of(a_session), name)).endswith("  [2 tokens]")


def test_what_is_counted_is_not_counted_again(a_session, vocabulary):
    a_session.has_a_turn("lantern", "lantern")
    assert count_tokens.count_rows(a_session.store, vocabulary) == 1
    a_session.has_a_turn("lantern?", "lantern.")
    assert count_tokens.missing(a_session.store, vocabulary) == count_tokens.count_rows(a_session.store, vocabulary) == 1


def test_progress_is_told_batch_by_batch(a_session, vocabulary, monkeypatch):
    monkeypatch.setattr(count_tokens, "BATCH", 2)
    for number in range(5):
        a_session.has_a_turn(f"lantern {number}", "lantern")
    heard = []
    assert count_tokens.count_rows(a_session.store, vocabulary, heard.append) == 5 and heard == [2, 2, 1]


def test_a_row_that_changes_afterwards_is_estimated_again(a_session, vocabulary):
    turn = a_session.has_a_turn("lantern", "lantern")
    own = note(a_session, "lantern")
    count_tokens.count_rows(a_session.store, vocabulary)
    reader = person_of(a_session)
    for name in (turn, own):
        notes_by_hand.edit(lookup.find(reader, name), a_session.project, a_session.settings, "The lantern is mended.")
    assert counts(a_session) == [(row.tokens("lantern", "The lantern is mended."), None)]
    assert counts(a_session, "observations") == [(row.tokens("The lantern is mended."), None)]


def test_a_turn_that_goes_on_afterwards_is_estimated_again(a_session, vocabulary):
    a_session.has_a_turn("lantern", "lantern")
    count_tokens.count_rows(a_session.store, vocabulary)
    a_session.is_answered("It is mended.")
    assert counts(a_session) == [(row.tokens("lantern", "It is mended."), None)]


def test_a_row_that_changes_while_it_is_counted_keeps_its_estimate(a_session, vocabulary):
    a_session.has_a_turn("lantern", "lantern")

    class Slow:
        name = "lantern"

        def encode_ordinary(self, text):
            a_session.store.execute("UPDATE turns SET checksum = checksum + 1")
            return vocabulary.encode_ordinary(text)

    before = counts(a_session)
    count_tokens.count_rows(a_session.store, Slow())
    assert counts(a_session) == before


# How good the estimate is


def test_the_error_of_the_estimate_is_measured_on_code_and_on_prose(a_session):
    a_session.asks("Why is the lantern dark, and where did we put the tungsten that was left over from the last one?")
    a_session.runs("./blow lantern", "glass is blown, and the tungsten wire is drawn through both of its ends, twice")
    a_session.is_answered("It is mended.")
    for table, share in (("observations", 2), ("turns", 4)):
        a_session.store.execute(f"UPDATE {table} SET tokens = tokens * {share}, counted_by = 'lantern'")
    found = count_tokens.of(a_session.store)
    assert found.vocabularies == {"lantern": 2}
    assert (found.code, found.prose) == (pytest.approx(1 / 2), pytest.approx(3 / 4))
    assert count_tokens.told(found) == "50 % on code, 75 % on prose"


def test_short_texts_and_estimates_say_nothing_about_the_error(a_session):
    a_session.runs("./blow lantern", "glass")
    a_session.has_a_turn("Why?", "Because the lantern has been without any tungsten since the last winter, and nobody bought more.")
    a_session.store.execute("UPDATE observations SET counted_by = 'lantern', tokens = 9")
    found = count_tokens.of(a_session.store)
    assert (found.code, found.prose, count_tokens.told(found)) == (None, None, "")
    assert found.vocabularies == {None: 1, "lantern": 1}


# The doctor's line


def seen(project):
    (finding,) = doctor.token_counts(project)
    assert (finding.state, finding.do) == ("ok", "")
    return finding.seen


def test_the_doctor_says_that_costs_are_estimated(a_session, another_project):
    a_session.has_a_turn("lantern", "lantern")
    for project in (a_session.project, another_project):
        assert seen(project).startswith("estimated: mean error 10 %") and seen(project).endswith("then `ralph-mem tokens`")


def test_the_doctor_says_what_counted_and_how_far_the_estimate_is_off(a_session, vocabulary):
    a_session.has_a_turn("Why is the lantern dark? " * 4, "It has no tungsten. " * 4)
    count_tokens.count_rows(a_session.store, vocabulary)
    a_session.has_a_turn("lantern", "lantern")
    error = count_tokens.of(a_session.store).prose
    assert seen(a_session.project) == (
        "counted exactly: 1 by lantern, 1 estimated (`ralph-mem tokens` counts these too);"
        f" the estimate is off by {error:.0%}".replace("%", " %")
        + " on prose"
    )


def test_the_doctor_leaves_a_broken_memory_to_others(a_session):
    a_session.store.close()
    with open(a_session.project.folder + "/memory.db", "r+b") as file:
        file.write(b"lantern" * 100)
    assert seen(a_session.project).startswith("estimated")


def test_the_last_row_of_a_session_is_counted_too(a_session, vocabulary):
    a_session.runs("./blow lantern", "lantern")
    count_tokens.count_rows(a_session.store, vocabulary)
    assert lookup.find(reader_of(a_session), last(a_session)).tokens == count_tokens.count(vocabulary, "./blow lantern", "lantern")
