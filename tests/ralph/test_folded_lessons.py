"""One lesson for each failure, made of what all runs say about it."""

import random
import sqlite3

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance.forget import erase, select
from ralph_mem.memory import opening
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts, learnt, records
from ralph_mem.ralph import experience, lesson_text, lessons, prompt
from tests.ralph.made import a_change, a_run, an_iteration
from tests.sessions import DAY, NOON, check

DEFAULTS = dict(effective.DEFAULTS)
TAX = {"tests/test_cart.py::test_tax": "KeyError: 'tax'"}
SUM = {"tests/test_cart.py::test_cart": "ZeroDivisionError: float division by zero"}
GET = a_change("shop/cart.py", "    return prices['tax']", "    return prices.get('tax', 0)")
READ = a_change("shop/cart.py", "    return prices['tax']", "    return prices[TAX]")


class Runs:
    """The runs of a project, each a day after the one before."""

    def __init__(self, project):
        self.project, self.number = project, 0

    def ends(self, failing, tried, again=False):
        """Let a run end, or the last one once more; `tried` are changes, of which the last one helps unless it is None."""
        self.number += not again
        changed = [each for each in tried if each]
        passes = [an_iteration(at, failing, [each]) for at, each in enumerate(changed, 1)]
        if tried[-1]:
            passes[-1] = an_iteration(len(changed), {}, [changed[-1]])
        reason = "success" if tried[-1] else "max_iterations"
        at = NOON + self.number * DAY
        run = a_run(failing, passes, id=f"loop-{self.number}", reason=reason, started=at, ended=at + 1)
        assert [experience.keep(self.project, DEFAULTS, run, lessons.of_end)] == [""]

    def asked(self, sql):
        """Return rows of the memory."""
        with sqlite3.connect(self.project.folder + "/memory.db") as db:
            found = db.execute(sql).fetchall()
        db.close()
        return found

    def lessons(self, status="active"):
        """Return the titles and the texts of the lessons, oldest first."""
        sql = f"SELECT o.title, o.content FROM facts AS f JOIN observations AS o ON o.id = f.id WHERE status = '{status}'"
        return self.asked(sql + " ORDER BY o.created_at, o.id")

    def told(self, failing):
        """Return what a new run is told of a failure."""
        run = a_run(failing, id="loop-new", started=NOON + 400 * DAY)
        return experience.know(self.project, DEFAULTS, run, NOON + 400 * DAY).lessons

    def open(self):
        return opening.open_ready(self.project)


@pytest.fixture
def the_runs(a_tree):
    return Runs(a_tree)


def test_the_same_failure_again_is_one_lesson_that_says_how_often_and_when(the_runs):
    for _ in range(4):
        the_runs.ends(TAX, [GET])
    ((title, text),) = the_runs.lessons()
    assert "(ralph loop: 4 times, last on 2026-01-05; reached" in title
    assert text.count("failed: ") == 1 and "fixed by: shop/cart.py +1 -1 (4 times, last on 2026-01-05)" in text


def test_a_lesson_is_told_once_however_often_it_was_learnt(the_runs):
    for _ in range(4):
        the_runs.ends(TAX, [GET])
    ((_, text, _),) = the_runs.told(TAX)
    assert text.count("prices.get('tax', 0)") == 1


def test_of_lessons_with_nearly_the_same_words_one_is_told(the_runs):
    long = a_change("shop/cart.py", "    return prices['tax']", "".join(f"    step_{number}(prices)\n+" for number in range(30)))
    failing = {"test_a": "KeyError: 'till'", "test_b": "KeyError: 'lamp'"}
    for test, message in failing.items():
        the_runs.ends({test: message}, [long])
    _, kept = prompt.build(a_run(failing), 1, experience.Known(the_runs.told(failing), (), ""))
    assert len(the_runs.lessons()) == 2 and len(kept["memories"]) == 1


def test_the_same_run_makes_the_same_lessons(the_runs, tmp_path):
    tmp_path.joinpath("other").mkdir()
    other = Runs(Project(str(tmp_path / "other")))
    for runs in (the_runs, other):
        runs.ends({**TAX, **SUM}, [READ, GET])
        runs.ends(TAX, [GET, None])
    assert the_runs.lessons() == other.lessons() != []


def test_what_did_not_help_in_any_run_is_told(the_runs):
    the_runs.ends(TAX, [a_change("one.py", "1", "one"), GET])
    the_runs.ends(TAX, [a_change("two.py", "2", "two"), GET])
    ((_, text),) = the_runs.lessons()
    assert "did not help: one.py" in text and "did not help: two.py" in text


def test_another_remedy_that_worked_takes_the_place_of_the_one_before_by_a_link(the_runs):
    the_runs.ends(TAX, [GET])
    the_runs.ends(TAX, [GET, READ])
    ((_, text),) = the_runs.lessons()
    assert "fixed by: shop/cart.py +1 -1\n" in text and "prices[TAX]" in text.split("did not help: ")[0]
    assert "did not help: shop/cart.py +1 -1 (it had helped on 2026-01-02)" in text
    assert len(the_runs.lessons("superseded")) == 1
    assert the_runs.asked("SELECT kind FROM fact_links") == [("supersedes",)]


def test_a_remedy_that_worked_before_another_one_is_still_told_where_it_has_not_failed(the_runs):
    the_runs.ends(TAX, [GET])
    the_runs.ends(TAX, [READ])
    assert "fixed earlier by: shop/cart.py +1 -1 (on 2026-01-02)" in the_runs.lessons()[0][1]


def test_failures_that_one_change_ended_are_one_lesson_and_each_has_one_alone(the_runs):
    the_runs.ends({**TAX, **SUM}, [GET])
    the_runs.ends(SUM, [GET])
    the_runs.ends(TAX, [GET])
    ((_, text),) = the_runs.lessons()
    assert lesson_text.keys_of(text) == lesson_text.keys_of(
        "failed: KeyError: 'tax'\n\nfailed: ZeroDivisionError: float division by zero"
    )


def test_a_failure_that_is_new_beside_a_known_one_has_a_lesson_of_its_own(the_runs):
    the_runs.ends(TAX, [GET])
    the_runs.ends({**TAX, **SUM}, [READ])
    assert [text.count("failed: ") for _, text in the_runs.lessons()] == [1, 1]


def test_failures_of_one_lesson_part_where_another_change_ends_one_of_them(the_runs):
    the_runs.ends({**TAX, **SUM}, [GET])
    the_runs.ends(TAX, [READ])
    texts = {text.split("'")[1] if "'" in text.splitlines()[0] else "sum": text for _, text in the_runs.lessons()}
    assert "prices.get" in texts["sum"] and "TAX]" not in texts["sum"] and "KeyError" not in texts["sum"]
    assert (
        "prices[TAX]" in texts["tax"].split("fixed earlier by: ")[0] and "prices.get" in texts["tax"].split("fixed earlier by: ")[1]
    )


def test_a_run_that_ends_again_counts_once(the_runs):
    the_runs.ends(TAX, [READ, None])
    the_runs.ends(TAX, [READ, GET], again=True)
    ((title, text),) = the_runs.lessons()
    assert "times" not in title and "still failing" not in text and "fixed by: shop/cart.py" in text


@pytest.mark.check
def test_fifty_runs_leave_at_most_as_many_lessons_as_there_are_failures(the_runs):
    dice, met = random.Random(7), set()
    words = ("lamp", "till", "cart", "tax", "bill", "price", "order", "sum", "user", "token", "color", "font")
    for _ in range(50):
        chosen = dice.sample(words, dice.choice((1, 1, 2, 3)))
        met.update(chosen)
        failing = {f"tests/test_{word}.py::test_{word}": f"KeyError: '{word}'" for word in chosen}
        the_runs.ends(failing, [dice.choice((GET, READ)), dice.choice((GET, READ, None))])
    assert 0 < len(the_runs.lessons()) <= 1.05 * len(met)
    opened = the_runs.open()
    check(opened)
    opened.close()


def test_a_lesson_that_a_person_corrected_keeps_its_words_and_counts_on(the_runs):
    the_runs.ends(TAX, [GET])
    opened = the_runs.open()
    opened.execute("UPDATE observations SET edited_at = 1 WHERE event_id LIKE 'learnt:%'")
    opened.close()
    before = the_runs.lessons()
    the_runs.ends(TAX, [READ])
    assert the_runs.lessons() == before
    assert the_runs.asked("SELECT count(*) FROM derived_from") == [(2,)]


def an_old_lesson(the_runs, number, **marks):
    """Store a lesson as an older release left it: a memory for each run."""
    opened = the_runs.open()
    opened.begin()
    record = records.memory(
        f"loop-{number}", NOON + number * DAY, f"lesson:loop-{number}", "Mend (ralph loop: reached after 1 iteration)",
        "failed: KeyError: 'tax'\nfixed by: shop/cart.py +1 -1\n  +    return prices.get('tax', 0)", tool_name="ralph", type="note",
        origin="test",
    )  # fmt: skip
    records.apply(opened, record)
    for mark in marks:
        opened.execute(f"UPDATE observations SET {mark} = 1 WHERE event_id = ?", (record["event_id"],))
    opened.commit()
    opened.close()


def test_what_an_older_release_left_is_folded_when_it_is_read(the_runs):
    for number in range(1, 5):
        an_old_lesson(the_runs, number)
    ((_, text, _),) = the_runs.told(TAX)
    assert "4 times, last on 2026-01-05" in text
    assert the_runs.asked("SELECT count(*) FROM memories") == [(1,)]


def test_of_what_an_older_release_left_the_one_that_a_person_pinned_stays_and_the_others_count_for_it(the_runs):
    an_old_lesson(the_runs, 1)
    an_old_lesson(the_runs, 2, pinned=1)
    assert len(the_runs.told(TAX)) == 1
    assert the_runs.asked("SELECT event_id FROM observations AS o JOIN memories AS m ON m.observation_id = o.id") == [
        ("lesson:loop-2",)
    ]
    assert the_runs.asked("SELECT count(*) FROM derived_from") == [(1,)]


def test_an_account_is_told_to_nobody(the_runs):
    the_runs.ends(TAX, [GET])
    opened = the_runs.open()
    assert [each.event.split(":")[0] for each in learnt.lessons(opened)] == ["learnt"]
    assert len(facts.of_status(opened, facts.ACTIVE)) == 1
    opened.close()
    sql = "SELECT count(*) FROM observations AS o JOIN memories AS m ON m.observation_id = o.id WHERE event_id LIKE 'lesson:%'"
    assert the_runs.asked(sql) == [(0,)]


@pytest.mark.check
def test_a_lesson_that_is_forgotten_is_gone_with_what_the_runs_said_of_it_alone(the_runs):
    the_runs.ends(TAX, [a_change("shop/cart.py", "    pass", "    return zeppelin(prices)")])
    the_runs.ends(SUM, [GET])
    opened = the_runs.open()
    (name,) = [each.public_id for each in learnt.lessons(opened) if "zeppelin" in each.content]
    reader = lookup.Reader([opened], the_runs.project, DEFAULTS)
    choice = select.choose(reader, select.Selection([name]), select.PROJECT)
    assert erase.forget(reader, choice.plans, lambda _what: None, choice.runs()).is_clean()
    opened.close()
    assert "zeppelin" not in "".join(
        text for (text,) in the_runs.asked("SELECT content FROM observations WHERE event_id LIKE 'lesson:%'")
    )
    assert len(the_runs.lessons()) == 1
