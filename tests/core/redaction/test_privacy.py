"""What may be stored of a text, and which paths are none of our business."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.core.project import Project
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings.effective import DEFAULTS
from tests.folded import folded

SHOP = Project("/shop")
WORDS = st.text(alphabet="abcdefghij-_0123456789", min_size=1, max_size=60)
ERRORS = st.sampled_from(["error: no fuse", "FAILED lamp", "Traceback: exception", "cannot open"])
LINES = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
# A hundred lines, over and over: hypothesis alone makes no text that is long enough to be cut.
LONG = st.tuples(st.lists(LINES | ERRORS, min_size=20, max_size=100), st.integers(3, 400)).map(
    lambda drawn: "\n".join(drawn[0] * drawn[1])
)


def protected(*texts, settings=DEFAULTS):
    return privacy.protect(list(texts), SHOP, settings)


# Cut to size


@given(LONG)
def test_a_long_text_is_cut_to_its_limit_and_never_inside_a_word(text):
    cut = privacy.select(text) if len(text) > privacy.MOST_CHARACTERS else text
    assert len(cut) <= privacy.MOST_CHARACTERS
    assert set(cut.split()) <= {*text.split(), "[...]"}


@pytest.mark.parametrize("sign", [" ", "\n", "\t", ": "])
@pytest.mark.parametrize("length", [4096, 8192, 65_536, 4096 + 65_536, 4095 + 65_536, 100_000])
def test_a_word_that_lies_across_a_cut_is_dropped_or_kept_whole(length, sign):
    word = "hunter" * 20
    for shift in (-119, -60, -1):
        text = ("fill " * 40_000)[: length + shift] + f"\nerror:{sign}" + word + "\n" + "fill " * 20_000
        assert {part for part in privacy.select(text).split() if "hunter" in part} <= {word}


@pytest.mark.parametrize("at", [0, 4_090, 5_000, 30_000, 60_000, 199_000])
def test_an_error_line_stays_wherever_it_stands(at):
    text = ("all is well\n" * 20_000)[:at] + "\nerror: the fuse is blown\n" + ("all is well\n" * 20_000)[: 200_000 - at]
    assert "error: the fuse is blown\n" in privacy.select(text)


@pytest.mark.parametrize("text", ["x" * 50_000, "\n" * 50_000, " " * 50_000, "x" * 20_000 + " " + "y" * 20_000, "é" * 50_000])
def test_a_text_without_words_or_of_one_word_is_survived(text):
    cut = privacy.select(text)
    assert len(cut) <= privacy.MOST_CHARACTERS
    assert set(cut.split()) <= {*text.split(), "[...]"}


@pytest.mark.parametrize(
    ("text", "room", "kept"),
    [
        ("fine\nerror: a\nfine\nAssertionError\n", 100, "error: a\nAssertionError"),
        ("error: a\nerror: b\nerror: c", 20, "error: a\nerror: b"),
        ("all is well", 100, ""),
        ("", 100, ""),
        ("error: " + "x" * 99 + "\nerror: b", 20, "error: b"),
    ],
)
def test_error_lines_are_kept_as_far_as_there_is_room(text, room, kept):
    assert privacy.error_lines(text, room) == kept


@pytest.mark.parametrize("limit", [20, 100, 1000])
@pytest.mark.parametrize("text", ["", "short", "word " * 500, "x" * 5000, " \n" * 3000, "a" + "\n" * 5000 + "b"])
def test_a_shortened_text_is_no_longer_than_its_limit(text, limit):
    short = privacy.shorten(text, limit)
    assert len(short) <= limit
    assert short == text.strip() or "[...]" in short


# What we said ourselves


@folded(
    ("text", "left"),
    [
        ("before <ralph-mem-a1>ours</ralph-mem-a1> after", "before  after"),
        ("<ralph-mem-a1>ours</ralph-mem-a1>x<ralph-mem-b2>ours</ralph-mem-b2>", "x"),
        ("<ralph-mem-a1>ours\n<ralph-mem-b2>ours</ralph-mem-b2>\nours</ralph-mem-a1> after", " after"),
        ("<ralph-mem-a1>ours <ralph-mem-a1>ours</ralph-mem-a1> after", " after"),
        ("before <ralph-mem-a1>ours, cut o", "before "),
        ("before <ralph-mem-", "before "),
        ("<ralph-mem-a1>ours</ralph-mem-a1", ""),
        ("<ralph-mem-<ralph-mem-a1>ours</ralph-mem-a1>", ""),
        ("no tag at all </b> <ralph>", "no tag at all </b> <ralph>"),
    ],
)
def test_what_we_injected_is_cut_out(text, left):
    assert privacy.without_injected(text) == left


@given(
    st.text(),
    st.lists(
        st.sampled_from(["<ralph-mem-", "<ralph-mem-a1>", "</ralph-mem-a1>", "</ralph-mem-", ">", "x", "ours", "\n"]), max_size=9
    ),
)
def test_no_opening_of_ours_is_left_in_any_text(text, parts):
    assert privacy.INJECTED not in privacy.without_injected(text + "".join(parts))


@pytest.mark.parametrize("sign", ["\u200b", "\x00", "\x1b[0m", "\u202e", "\U000e0041"])
def test_what_we_injected_is_cut_out_though_it_hides_behind_invisible_signs(sign):
    (text,), _ = protected(f"before <ralph{sign}-mem-a1>ours</ralph-mem-a1> after")
    assert text == "before  after"


# Redacted


def test_texts_stay_apart_and_in_order():
    texts, redactions = protected("", "one", "", "two\n\x1e\nthree", "")
    assert (texts, redactions) == (["", "one", "", "two\n\nthree", ""], None)


@pytest.mark.parametrize("pattern", ["(?s)lamp.*", "[^x]+", r"\s+", "\x1e", "", "(", "lamp"])
def test_a_pattern_of_the_user_is_applied_to_each_text_alone(pattern):
    settings = {**DEFAULTS, "privacy.redact_patterns": [pattern]}
    texts, _ = protected("a lamp is on", "fuses", "lamp", settings=settings)
    assert len(texts) == 3
    assert ("lamp" in "".join(texts)) == (pattern in (r"\s+", "\x1e", "", "("))


def test_a_secret_at_the_end_of_one_text_does_not_reach_into_the_next():
    texts, _ = protected("deploy --password=", "Tr0ub4dor&3xyz is on", "token: ", "lamps")
    assert len(texts) == 4


def test_a_value_of_the_environment_is_cut_out(the_environment):
    the_environment(SHOP_API_TOKEN="kumquat-7781-zebra-4410")
    texts, redactions = protected("with kumquat-7781-zebra-4410", "and again kumquat-7781-zebra-4410")
    assert "kumquat" not in "".join(texts)
    assert redactions == '{"known-value": 2}'


def test_a_value_of_an_env_file_is_cut_out_wherever_the_shell_stands(tmp_path, a_project):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".env").write_text("DB_PASSWORD=kumquat-7781-zebra\n")
    for cwd, cut in ((str(tmp_path / "elsewhere"), True), ("", False)):
        (text,), _ = privacy.protect(["kumquat-7781-zebra"], a_project, DEFAULTS, cwd)
        assert ("kumquat" not in text) is cut


def test_a_private_passage_is_cut_out_before_a_long_text_is_cut():
    text = "fill " * 1000 + "<private>" + "hunter " * 5000 + "</private>" + " fill" * 2000
    (kept,), redactions = protected(text)
    assert "hunter" not in kept
    assert redactions == '{"private": 1}'


# Paths
