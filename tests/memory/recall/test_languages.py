"""Recall in other languages and among identifiers: an inner word finds the row, mixed or not."""

from unicodedata import normalize

import pytest

from tests.readers import ids, search

SAID = {
    "korean": "한국어형태소분석기가 렉서에서 실패했다",
    "chinese": "数据库连接超时的原因是防火墙设置",
    "japanese": "電球の交換はfuseBox.pyで行う",
    "russian": "Ошибка в настройках лампочки исправлена",
    "german": "Die Überprüfung der Straßenbeleuchtung schlägt fehl",
    "turkish": "İstanbul'daki sunucu çöktü",
    "greek": "Το σφάλμα βρίσκεται στον διακομιστή",
    "snake": "renamed max_retry_count in the fetcher",
    "camel": "parseConfigFile ignores the XMLHttpRequest",
    "path": "moved it to src/power/fuse_box/wiring.cc",
    "code": "rustc stops with E0308 and clang with -Wmissing-braces",
    "version": "pinned torch to 2.13.0 since 2.14.1 is slow",
    "phrase": "the socket said connection reset by peer at noon",
}
ASKED = [
    ("형태소", "korean"),
    ("렉서", "korean"),
    ("连接超时", "chinese"),
    ("防火墙", "chinese"),
    ("電球", "japanese"),
    ("fuse box 交換", "japanese"),
    ("лампочка", "russian"),
    ("ошибки", "russian"),
    ("überprüfung", "german"),
    ("ueberpruefung straßenbeleuchtung", "german"),
    ("strassenbeleuchtung überprüfung", "german"),
    ("istanbul", "turkish"),
    ("σφάλματα", "greek"),
    ("max_retry_count", "snake"),
    ("retry count", "snake"),
    ("config file", "camel"),
    ("parseconfigfile", "camel"),
    ("http request", "camel"),
    ("fuse_box/wiring.cc", "path"),
    ("wiring", "path"),
    ("E0308", "code"),
    ("e0308", "code"),
    ("-Wmissing-braces", "code"),
    ("2.13.0", "version"),
    ('"connection reset by peer"', "phrase"),
]


@pytest.fixture
def a_polyglot(a_session):
    """Note a sentence in each language, with hours between; returns what was noted."""
    named = {}
    for language, text in SAID.items():
        a_session.now += 7_200_000
        named[a_session.notes(text)] = language
    return named


@pytest.mark.parametrize(("query", "language"), ASKED)
def test_an_inner_word_finds_its_row(a_reader, a_polyglot, query, language):
    assert a_polyglot[ids(search(a_reader, query))[0]] == language


@pytest.mark.parametrize("query", ["本日", "語形", "прошлое", "2.15.7", "E0309", "straß"])
def test_a_word_that_is_not_there_finds_nothing_or_little(a_reader, a_polyglot, query):
    assert search(a_reader, query) == []


@pytest.mark.parametrize(
    ("query", "said"),
    [("senal", "La señal no llega"), ("grosse", "Die Größe der Lampe"), ("größe", "Die Grösse der Lampe"), ("creme", "La crème")],
)
def test_a_word_is_the_same_with_and_without_its_accents(a_session, a_reader, query, said):
    turn = a_session.has_a_turn(said, "Bien.")
    for number in range(3):  # newer ones, which have the first as what came before them
        a_session.has_a_turn(f"And lamp {number}?", "Lit.")
    first, *others = search(a_reader, query)
    assert first.public_id == turn and all(first.score > 1 + other.score / 2 for other in others)


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_a_prompt_is_told_of_a_word_whether_its_marks_are_characters_of_their_own_or_not(a_session, another_session, stored, asked):
    a_session.asks(normalize(stored, "Die Gebührenberechnung für Künstler ist falsch"))
    a_session.edits(normalize(stored, "abrechnung/gebühren.py"))
    a_session.is_answered("Gerundet wird nun kaufmännisch.")
    for number in range(5):
        a_session.has_a_turn(f"Update readme part {number}", f"Readme part {number} updated.")
    assert "Gerundet wird" in another_session.asks(
        normalize(asked, "Ist die Gebührenberechnung für Künstler in abrechnung/gebühren.py falsch?")
    )
