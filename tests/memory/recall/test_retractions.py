"""What a person took back is told with that: who asks for the one hears of the other."""

import pytest

from ralph_mem.memory.recall import reasons, retractions, search
from ralph_mem.memory.rows import reading
from tests.sessions import DAY, Session, receipts_of

USED, ASKED = "let's use zustand for state", "what state library do we use?"
SCRAPPED = "scrap zustand, go back to context"


@pytest.fixture
def later_sessions(a_session):
    """Have prompts behind it, each answered in a session of its own; returns the session that asks next."""

    def after(*prompts):
        for number, prompt in enumerate(prompts, 1):
            session = Session(a_session.store, a_session.project, f"later-{number}", a_session.now + number * DAY)
            session.starts("resume")
            session.has_a_turn(prompt, "It is as you want it now.")
        asking = Session(a_session.store, a_session.project, "asking", session.now + DAY)
        asking.starts("resume")
        return asking

    return after


def with_what_takes_back(session, *prompts):
    """Return the prompts that are told where those of some turns are to be."""
    rows = [session.store.one(f"{reading.TURN} WHERE t.prompt = ?", (prompt,)) for prompt in prompts]
    hits = [search.Hit(row, 1.0, 0.5, (), True) for row in rows]
    session.store.properties.clear()  # each prompt is a process of its own
    return [hit.values[6] for hit in retractions.with_retractions(session.store, hits, (session.number, 0))]


def told(text):
    """Return the prompts of the turns that are told, in order."""
    return [line.partition("] user: ")[2] for line in text.splitlines() if line.startswith("- [")]


def test_who_asks_for_what_was_taken_back_hears_that_first(later_sessions):
    asking = later_sessions(USED, SCRAPPED)
    assert told(asking.asks(ASKED)) == [SCRAPPED, USED]
    first = receipts_of(asking.store, asking.number)[0]
    assert (first[5], reasons.words(first[7])) == ("full", "it takes back what is told beside it")


@pytest.mark.parametrize(
    ("said", "taken_back"),
    [
        (USED, SCRAPPED),
        (USED, "Too much of a hassle. Let's drop zustand again."),
        (USED, "we no longer use zustand"),
        (USED, "remove zustand and keep the state in a context"),
        ("switch the loader to polars", "scrap the polars thing, pandas stays"),
        ("let's have docker-compose and celery for the jobs", "Hm - can you ditch celery in favour of cron"),
        ("wir nutzen zustand im Warenkorb", "wir nutzen zustand nicht mehr"),
    ],
)
def test_a_turn_has_before_it_what_took_back_a_thing_that_it_names(later_sessions, said, taken_back):
    asking = later_sessions(said, "run the tests", taken_back, f"write down why that is better than {said.split()[-1]}")
    assert with_what_takes_back(asking, said) == [taken_back, said]


@pytest.mark.parametrize(
    "other",
    [
        "scrap redux, go back to context",  # another thing
        "remove zustand from the cart page",  # a part of it
        "if the tests are slow, drop zustand",  # a case that may come
        "should we drop zustand?",
        "scrap the zustand devtools",  # a thing of which nobody spoke
        "drop the state",  # a word that everybody uses
        "forget it",
    ],
)
def test_a_turn_stays_alone_where_something_else_or_nothing_was_taken_back(later_sessions, other):
    assert with_what_takes_back(later_sessions(USED, other), USED) == [USED]


def test_a_turn_stays_alone_where_its_thing_is_wanted_again_or_was_taken_back_before(later_sessions):
    asking = later_sessions(SCRAPPED, USED, "drop zustand", "bring zustand back")
    assert with_what_takes_back(asking, USED) == [USED]
    assert with_what_takes_back(asking, "bring zustand back") == ["bring zustand back"]


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ("let's not add zustand anywhere", [SCRAPPED, USED]),
        ("don't use zustand in new code", [SCRAPPED, USED]),
        ("drop context, use zustand again", [USED]),
    ],
)
def test_what_is_wanted_again_is_told_from_what_is_not_to_be(later_sessions, after, told):
    assert with_what_takes_back(later_sessions(USED, SCRAPPED, after), USED) == told


def test_ordinary_prompts_crowd_out_none_that_takes_back(later_sessions):
    asking = later_sessions(USED, SCRAPPED, *[f"make the dropdown of page {n} a bit wider, it is longer now" for n in range(70)])
    assert with_what_takes_back(asking, USED) == [SCRAPPED, USED]


def test_a_turn_stays_alone_where_its_thing_is_what_many_memories_are_about(later_sessions):
    many = [f"mend the zustand store of lantern {number}" for number in range(retractions.FEW_ROWS)]
    assert with_what_takes_back(later_sessions(USED, *many, SCRAPPED), USED) == [USED]


def test_two_turns_have_what_took_back_the_thing_of_both_once_and_before_them(later_sessions):
    mended = "mend the zustand store"
    asking = later_sessions(USED, mended, SCRAPPED)
    assert with_what_takes_back(asking, mended, USED) == [SCRAPPED, mended, USED]
    assert with_what_takes_back(asking, mended, USED, SCRAPPED) == [SCRAPPED, mended, USED]
