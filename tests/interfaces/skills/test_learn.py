"""`/mem learn`: five candidates with short numbers, and the person's own typed line decides."""

import pytest

TAUGHT = (
    "Always run `make check` before you push.", "Never edit `dist/` by hand.", "We decided to stay with REST.",
    "Our package manager is uv.", "Please keep answers short.", "From now on sign every commit.",
)  # fmt: skip
STATUS = "SELECT o.title, f.status FROM facts AS f JOIN observations AS o ON o.id = f.id"


@pytest.fixture
def a_teacher(a_person):
    """Somebody who said six things in passing, which were found."""
    for said in TAUGHT:
        a_person.prompt(said)
        a_person.stop()
    a_person.reads("learn")
    return a_person


def statuses(person):
    return dict(person.rows(STATUS))


def shown(text):
    """Return the sentences that an answer shows by their numbers."""
    lines = [line.partition('. "') for line in text.splitlines()]
    return {int(number): said.removesuffix('"') for number, _, said in lines if number.isdecimal() and said}


def test_five_are_shown_with_numbers_and_how_many_more_there_are(a_teacher):
    text = a_teacher.types("mem", "learn")
    assert list(shown(text)) == [1, 2, 3, 4, 5] and "and 1 more" in text
    assert set(shown(text).values()) < set(TAUGHT)
    assert set(statuses(a_teacher).values()) == {"candidate"}


def test_what_is_named_by_its_number_is_decided_and_the_rest_waits(a_teacher):
    was = shown(a_teacher.types("mem", "learn"))
    text = a_teacher.types("mem", "learn yes 1 3 no 2")
    now = statuses(a_teacher)
    assert [now[was[number]] for number in (1, 2, 3, 4, 5)] == ["active", "rejected", "active", "candidate", "candidate"]
    assert len(shown(text)) == 3


def test_the_example_names_numbers_that_are_there(a_teacher):
    assert "learn yes 1 3, or /mem learn no 2;" in a_teacher.types("mem", "learn")
    assert "learn yes 1, or /mem learn no 1;" in a_teacher.types("mem", "learn yes 1 2 3 4 5")


@pytest.mark.check
def test_a_number_means_what_stood_on_the_screen(a_teacher):
    was = shown(a_teacher.types("mem", "learn"))
    a_teacher.prompt("Never mock the database in `tests/`.")
    a_teacher.stop()
    a_teacher.reads("learn")
    a_teacher.types("mem", "learn yes 1")
    assert [said for said, status in statuses(a_teacher).items() if status == "active"] == [was[1]]


@pytest.mark.check
@pytest.mark.parametrize(
    "words", ["1", "yes", "yes 9", "yes 1 7", "yes 0", "yes one", "maybe 1", "yes -1", "no \u0663", "yes 1 no 1", "no 2 yes 1 2"]
)
def test_any_other_word_changes_nothing(a_teacher, words):
    a_teacher.types("mem", "learn")
    assert "nothing was changed" in a_teacher.types("mem", f"learn {words}")
    assert set(statuses(a_teacher).values()) == {"candidate"}


def test_a_number_that_is_named_twice_is_answered_once(a_teacher):
    was = shown(a_teacher.types("mem", "learn"))
    assert a_teacher.types("mem", "learn yes 1 1").count("Holds from now on") == 1
    assert statuses(a_teacher)[was[1]] == "active"


@pytest.mark.check
def test_what_an_earlier_answer_of_the_line_replaced_is_not_said_to_hold(a_person):
    npm, pnpm = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."
    for said in (npm, pnpm):
        a_person.reads("facts", "add", said)
    with a_person.connect() as opened:  # as where an agent proposes the second one
        opened.execute("UPDATE facts SET status = 'candidate'")
        opened.execute("UPDATE fact_links SET kind = 'conflicts'")
    assert shown(a_person.types("mem", "learn")) == {1: pnpm, 2: npm}
    text = a_person.types("mem", "learn yes 1 2")
    assert f'"{npm}": it was decided meanwhile and is superseded, nothing was done' in text
    assert text.count("Holds from now on") == 1


def test_the_model_can_neither_look_nor_answer(a_teacher):
    a_teacher.types("mem", "learn")
    for words in ("learn", "learn yes 1"):
        assert "only a person can type /mem learn" in a_teacher.model_runs("mem", words)
    assert set(statuses(a_teacher).values()) == {"candidate"}


def test_it_goes_to_the_screen_alone(a_teacher):
    assert a_teacher.is_shown_alone("mem", "learn") and a_teacher.is_shown_alone("mem", "learn yes 1")


def test_where_nothing_waits_it_says_so(a_person):
    assert a_person.types("mem", "learn").startswith("Nothing waits for a yes or no.")
