""" "Remember that ...": one typed sentence is kept as a note at once, and both the person and the model are told."""

import pytest

from ralph_mem.memory.store import connection
from tests.hook import said_to_model

FACT = "releases go out with make ship, never by hand"


@pytest.fixture
def somebody(a_session):
    return a_session.attended()


def keeps(person, words):
    """Say a prompt and return the notes that there are then."""
    person.prompt(words)
    return person.values("SELECT title FROM observations WHERE type = 'note'")


@pytest.mark.parametrize("opening", ["Remember that ", "please remember that ", "Don't forget that ", "  REMEMBER THAT "])
def test_a_sentence_is_kept_in_the_persons_own_words(somebody, opening):
    answer = somebody.prompt(opening + FACT)
    ((name, *row),) = somebody.rows("SELECT public_id, title, origin, type FROM observations")
    assert row == [FACT, "user", "note"]
    assert answer["systemMessage"] == f"ralph-mem: kept as {name}; /mem undo takes it back"
    assert said_to_model(answer) == f"ralph-mem has kept that as the note {name}; nothing more needs to be stored."


@pytest.mark.parametrize(
    "words",
    [
        f"Do you remember that {FACT}?",
        f"remember that {FACT}?",
        f"Remember that {FACT}. Now mend the login.",
        f"Remember that {FACT}\nand more",
        "Remember that " + "x" * 300,
        f"note: {FACT}",
        "Remember that",
        "remember the milk",
        "Remember that <private>plan B</private>",
        f"/commit remember that {FACT}",
    ],
)
def test_anything_else_is_a_prompt_like_others(somebody, words):
    assert keeps(somebody, words) == []


def test_the_same_is_kept_once_and_undone_by_one_word(somebody):
    for _ in range(2):
        assert keeps(somebody, f"Remember that {FACT}") == [FACT]
    assert "Taken back" in somebody.typed("mem", "undo")["reason"]
    assert somebody.values("SELECT title FROM observations") == [] and somebody.damage() == []


def test_where_nobody_sits_nothing_is_kept_by_itself(a_session):
    assert keeps(a_session, f"Remember that {FACT}") == []


def test_other_words_are_a_setting_and_none_switches_it_off(somebody):
    config = somebody.home / ".config" / "ralph-mem" / "config.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("memory:\n  remember: ['merk dir, dass']\n")
    assert keeps(somebody, f"Remember that {FACT}") == []
    assert keeps(somebody, "Merk dir, dass wir nie von Hand ausliefern.") == ["wir nie von Hand ausliefern."]
    config.write_text("memory:\n  remember: []\n")
    assert len(keeps(somebody, "Merk dir, dass es regnet.")) == 1


OPENINGS = "memory:\n  remember: [remember that, merk dir, 记住, 覚えて, запомни, recuerda que]\n"


@pytest.fixture
def a_polyglot(somebody):
    """Give somebody whose openings are of other languages."""
    config = somebody.home / ".config" / "ralph-mem" / "config.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(OPENINGS, encoding="utf-8")
    return somebody


@pytest.mark.parametrize(("words", "kept"), [
    ("记住以后都用pnpm", "以后都用pnpm"), ("记住：提交用中文。", "提交用中文。"),
    ("覚えて、これからはpnpmを使う", "これからはpnpmを使う"),
    ("Merk dir, dass wir yarn nehmen", "dass wir yarn nehmen"), ("merk dir: wir nehmen bun", "wir nehmen bun"),
    ("Запомни мы пишем тесты", "мы пишем тесты"),
])  # fmt: skip
def test_an_opening_in_another_language_ends_as_one_writes_there(a_polyglot, words, kept):
    assert keeps(a_polyglot, words) == [kept]


@pytest.mark.parametrize("words", [
    "记住 我们用npm还是yarn？", "记住 提交用中文。现在修一下测试", "记住了，继续", "覚えてますか", "Merk dirs, wir nehmen bun",
    "Remember that, and mend the login",
])  # fmt: skip
def test_a_question_a_request_and_a_longer_word_are_no_notes_in_other_scripts_either(a_polyglot, words):
    assert keeps(a_polyglot, words) == []


def test_what_was_told_is_said_beside_it(somebody):
    keeps(somebody, f"Remember that {FACT}")
    later = somebody.another().prompt(f"Remember that {FACT} on Fridays")
    assert " told 1 (" in later["systemMessage"] and later["systemMessage"].endswith("; /mem undo takes it back")
    assert said_to_model(later).startswith("<ralph-mem-") and said_to_model(later).endswith("nothing more needs to be stored.")


def test_a_secret_in_it_is_cut_out(somebody):
    token = "ghp_" + "a1B2" * 9
    assert keeps(somebody, f"Remember that the token is {token}") == ["the token is [REDACTED:github-token]"]


def test_a_note_that_is_kept_comes_after_what_is_told(somebody):
    keeps(somebody, f"Remember that {FACT}")
    told = somebody.another().prompt("How do releases go out, with make ship?")
    assert FACT in said_to_model(told)


@pytest.mark.parametrize("order", ["Forget that we use npm.", "Vergiss das mit npm", "olvida lo de npm"])
def test_what_an_order_to_forget_means_is_looked_for_at_the_end_of_its_turn(somebody, order):
    somebody.prompt(FACT)
    with somebody.connect() as opened:
        opened.execute("INSERT INTO properties VALUES (?, 1)", (connection.LEARNED_AT,))
    somebody.prompt(order)
    assert somebody.values("SELECT value FROM properties WHERE key = ?", connection.LEARNED_AT) == []
