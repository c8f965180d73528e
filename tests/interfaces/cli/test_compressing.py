"""compress, tokens: what a person types to have old output cut at once, and costs counted exactly."""

import base64
import hashlib
import os
import re

import pytest

from tests.hook import REPOSITORY
from tests.interfaces.cli.situations import held

BODY = "glass is blown, and the tungsten wire is drawn"
DEFAULT = "older than 30 days and beyond the newest 1,000"


@pytest.fixture
def a_past(a_person):
    """Let a person have fifteen outputs of long ago, of which ten stay whole."""
    a_person.prompt("Blow the lanterns")
    for number in range(15):
        a_person.bash(f"./blow lantern-{number}", f"lantern {number}\n{BODY}\n" + "wire " * 150)
    a_person.reads("config", "set", "memory.max_observations", "10")
    with a_person.connect() as db:
        db.execute("UPDATE observations SET created_at = created_at - 40 * 86400000")
    return a_person


def whole(person):
    return person.values("SELECT title FROM observations WHERE instr(content, ?) ORDER BY id", BODY)


# compress


@pytest.mark.check
def test_without_a_confirmation_it_only_says_what_would_be_cut(a_past):
    before = a_past.raw()
    line = a_past.reads("compress")
    assert line.startswith("Would compress ") and "older than 30 days and beyond the newest 10. Nothing is changed yet." in line
    assert a_past.raw() == before


@pytest.mark.check
def test_old_outputs_are_cut_and_their_text_leaves_the_files(a_past):
    line = a_past.reads("compress", "--confirm")
    assert line.startswith("Compressed ") and " tool outputs, " in line and " and have " in line
    assert whole(a_past) == [f"./blow lantern-{number}" for number in range(5, 15)]
    assert a_past.files_that_hold(f"lantern 4\n{BODY}") == [] and a_past.damage() == []
    assert a_past.reads("compress") == "Nothing to compress: no tool output is older than 30 days and beyond the newest 10.\n"


@pytest.mark.check
def test_a_program_is_told_how_much_it_was(a_past):
    shown = a_past.json("compress")
    done = a_past.json("compress", "--confirm")
    assert shown.keys() == done.keys() == {"rows", "characters", "confirmed", "bytes_before", "bytes"}
    assert (shown["confirmed"], done["confirmed"]) == (False, True)
    assert done["rows"] == shown["rows"] >= 5 and done["characters"] > 5 * len(BODY)
    assert done["bytes"] < done["bytes_before"]


@pytest.mark.check
def test_what_was_cut_says_so_when_it_is_shown(a_past):
    a_past.reads("compress", "--confirm")
    name = a_past.observation_that_says("./blow lantern-0")
    assert "\n[...] its output was left out by age on 20" in a_past.reads("show", name)
    assert a_past.json("show", name)["emptied_at"] > 0
    assert "old tool outputs cut to title, files and error lines" in a_past.reads("status")


def test_a_young_memory_has_nothing_to_compress(a_person):
    before = a_person.raw()
    assert a_person.reads("compress", "--confirm") == f"Nothing to compress: no tool output is {DEFAULT}.\n"
    assert a_person.raw() == before


@pytest.mark.check
def test_a_memory_that_is_held_by_another_is_left_as_it_is(a_past):
    with held(a_past):
        assert "locked" in a_past.fails("compress", "--confirm")
    assert len(whole(a_past)) == 15


def test_where_nothing_is_remembered_it_says_so(a_newcomer):
    for command in ("compress", "tokens"):
        assert "ralph-mem: " in a_newcomer.fails(command)


# timeline


@pytest.mark.check
def test_a_timeline_fills_a_budget_and_counts_the_rest(a_past):
    turn = a_past.turn_that_says("Blow the lanterns")
    text = a_past.reads("timeline", turn, "--budget", "200")
    told = re.findall(r"^[> ] (?:turn|obs)-", text, re.MULTILINE)
    assert text.endswith(f"\n  ({len(a_past.json('timeline', turn)) - len(told)} more)\n")
    assert f"> {turn}  " in text and len(text) < 1200 < len(a_past.reads("timeline", turn, "--budget", "2000"))


# tokens

PIECES = [bytes([number]) for number in range(256)]
FILE = b"".join(base64.b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(PIECES))
PLACE = "https://vocabularies.example/bytes.tiktoken"
PLUGIN = f"""
from tiktoken.load import load_tiktoken_bpe

def encoding():
    ranks = load_tiktoken_bpe({PLACE!r}, expected_hash={hashlib.sha256(FILE).hexdigest()!r})
    return {{"name": "bytes", "pat_str": r"\\S+|\\s+", "mergeable_ranks": ranks, "special_tokens": {{}}}}

ENCODING_CONSTRUCTORS = {{"bytes": encoding}}
"""


@pytest.fixture
def a_vocabulary(tmp_path):
    """Have a vocabulary in tiktoken's cache by which a byte is a token; returns the environment that leads to it."""
    pytest.importorskip("tiktoken", reason="the extra `tokens` is not installed")
    for folder, name, content in (
        ("plugin/tiktoken_ext", "bytes_public.py", PLUGIN.encode()),
        ("cache", hashlib.sha1(PLACE.encode()).hexdigest(), FILE),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_bytes(content)
    return {"PYTHONPATH": f"{REPOSITORY}{os.pathsep}{tmp_path / 'plugin'}", "TIKTOKEN_CACHE_DIR": str(tmp_path / "cache")}


def test_costs_are_counted_by_a_vocabulary_and_the_estimate_is_judged(a_person, a_vocabulary):
    text = a_person.reads("tokens", "--vocabulary", "bytes", **a_vocabulary)
    assert text.startswith("Counted 13 rows by bytes. The estimate is off by ") and text.endswith(" % on prose.\n")
    exact = "SELECT tokens, length(CAST(title || content || files || lines AS BLOB)), counted_by FROM observations"
    assert all(tokens == size and name == "bytes" for tokens, size, name in a_person.rows(exact))
    assert "counted exactly: 13 by bytes" in a_person.cli("doctor").out


def test_a_program_is_told_the_count_and_the_errors(a_person, a_vocabulary):
    said = a_person.reads("tokens", "--vocabulary", "bytes", "--json", **a_vocabulary)
    assert '"counted": 13' in said and '"error_on_code": 0.' in said and '"error_on_prose": 0.' in said


def test_a_vocabulary_that_is_not_here_is_not_fetched_unasked(a_person, tmp_path):
    before, cache = a_person.raw(), tmp_path / "cache"
    said = a_person.cli("tokens", TIKTOKEN_CACHE_DIR=str(cache), HTTPS_PROXY="http://127.0.0.1:9")
    assert said.code == 1 and said.err.splitlines()[0] == "ralph-mem: the vocabulary o200k_base is not on this machine"
    assert "--fetch" in said.err and a_person.raw() == before and not cache.exists()


def test_a_fetch_without_a_network_is_a_line_and_a_hint(a_person, tmp_path):
    line = a_person.fails("tokens", "--fetch", TIKTOKEN_CACHE_DIR=str(tmp_path / "cache"), HTTPS_PROXY="http://127.0.0.1:9")
    assert line.startswith("ralph-mem: the vocabulary o200k_base could not be fetched: ")
