"""What came of facts where they were used, counted from receipts."""

import random
import statistics

import pytest

from ralph_mem.core.settings import effective
from ralph_mem.memory import opening
from ralph_mem.memory.facts import outcomes, prepared, strength, taking
from ralph_mem.memory.rows import facts, receipts, records
from ralph_mem.ralph import experience, lessons
from tests.ralph.made import a_change, a_run, an_iteration
from tests.sessions import DAY, HOUR, NOON

DEFAULTS = dict(effective.DEFAULTS)
NONE, FEWER, SAME, MORE = 0, 1, 2, 3  # tests that fail after an iteration of which two failed before


class Told:
    """Facts of a project, and loops and sessions that are told them."""

    def __init__(self, project):
        self.project, self.number = project, 0
        self.store = opening.open_ready(project)

    def knows(self, text, kind=facts.RULE):
        """Store a fact of a person; returns its id."""
        self.store.begin()
        name = taking.take(self.store, taking.Statement(text, kind, facts.ADD, NOON), NOON).public_id
        self.store.commit()
        return name

    def loops(self, told, *passes):
        """Let a loop end of which each iteration is told these facts; passes are a file that it changes, and what fails then."""
        self.number += 1
        run = a_run(_failing(SAME), id=f"loop-{self.number}", started=NOON + self.number * DAY, reason="max_iterations")
        for at, (file, left) in enumerate(passes, 1):
            begun = run.started + at * HOUR
            self._keep(run, lessons.of_prompt, {"told": [(name, "full", 20) for name in told], "budget": 600}, begun)
            changed = [a_change(file, new="    return fresh(b)" if "new" in file else "    return round(b)")] if file else []
            run.iterations.append(an_iteration(at, _failing(left), changed, started=begun, ended=begun + HOUR // 2))
            run.begun = at
            self._keep(run, lessons.of_iteration, run.iterations[-1])
        run.ended = run.started + DAY // 2
        self._keep(run, lessons.of_end)
        self.store.properties.clear()  # a process of its own has written

    def _keep(self, run, *what):
        assert experience.keep(self.project, DEFAULTS, run, *what) == ""

    def fact(self, name):
        return facts.of_id(self.store, name)

    def counts(self, name):
        """Return how often a fact helped and harmed."""
        fact = self.fact(name)
        return fact.helpful, fact.harmful

    def change(self, what, *given):
        self.store.begin()
        done = what(self.store, *given)
        self.store.commit()
        return done


def _failing(number):
    return {f"tests/test_{each}.py::test": f"KeyError: 'part {each}'" for each in "abcdef"[:number]}


@pytest.fixture
def a_memory(a_tree):
    told = Told(a_tree)
    yield told
    told.store.close()


def test_a_fact_whose_file_was_changed_where_fewer_tests_failed_then_has_helped(a_memory):
    name = a_memory.knows("Prices are rounded in shop/cart.py.")
    a_memory.loops([name], ("shop/cart.py", FEWER))
    assert a_memory.counts(name) == (1, 0)
    assert a_memory.fact(name).touched_at > a_memory.fact(name).recorded_at


def test_one_whose_file_was_changed_where_more_failed_then_has_harmed(a_memory):
    name = a_memory.knows("Prices are rounded in shop/cart.py.")
    a_memory.loops([name], ("shop/cart.py", MORE))
    assert a_memory.counts(name) == (0, 1)


@pytest.mark.parametrize("file", ["shop/till.py", ""])
def test_to_be_told_where_tests_become_green_is_no_evidence_without_use(a_memory, file):
    name = a_memory.knows("Prices are rounded in shop/cart.py.")
    a_memory.loops([name], (file, FEWER))
    assert a_memory.counts(name) == (0, 0)


def test_a_session_counts_once_on_each_side(a_memory):
    name = a_memory.knows("Prices are rounded in shop/cart.py.")
    a_memory.loops([name], ("shop/cart.py", MORE), ("shop/cart.py", SAME), ("shop/cart.py", FEWER), ("shop/cart.py", FEWER + MORE))
    assert a_memory.counts(name) == (1, 1)


@pytest.mark.parametrize(("kind", "counts"), [("success", (1, 0)), ("error", (0, 1)), ("tool_use", (0, 0))])
def test_a_command_that_was_told_counts_by_how_it_ended_when_it_ran_then(a_memory, kind, counts):
    name = a_memory.knows("make check", facts.COMMAND)
    store = a_memory.store
    a_memory.change(records.apply, records.session("s1", a_memory.project.root, NOON, "startup"))
    (session,) = store.one("SELECT id FROM sessions WHERE client_session = 's1'")
    item = receipts.Item(name, "full", 0.0, 0, 9)
    a_memory.change(receipts.add, session, None, receipts.AT_START, NOON + 1, 600, [item])
    ran = records.observation("s1", NOON + 2, "ran", "cd shop && make check", "", type=kind, tool_name="Bash")
    a_memory.change(records.apply, ran)
    a_memory.change(outcomes.update, NOON + DAY)
    assert a_memory.counts(name) == counts


@pytest.mark.parametrize(("mark", "counts"), [("pinned", (2, 0)), ("misled", (0, 2))])
def test_what_a_person_says_outright_counts_twice(a_memory, mark, counts):
    name = a_memory.knows("Prices are rounded in shop/cart.py.")
    a_memory.store.execute(f"UPDATE observations SET {mark} = 1 WHERE public_id = ?", (name,))
    a_memory.change(outcomes.update, NOON + DAY)
    assert a_memory.counts(name) == counts


def test_a_correction_that_is_repeated_where_it_was_told_is_ignored_and_neither_helps_nor_harms(a_memory):
    name = a_memory.knows("Why did you edit the lock file by hand again?", facts.CORRECTION)
    a_memory.change(records.apply, records.session("s1", a_memory.project.root, NOON, "startup"))
    (session,) = a_memory.store.one("SELECT id FROM sessions WHERE client_session = 's1'")
    item = receipts.Item(name, "full", 0.0, 0, 9)
    a_memory.change(receipts.add, session, None, receipts.AT_START, NOON + 1, 600, [item])
    a_memory.change(records.apply, records.turn("s1", "t1", NOON + 2, "prompt", "why did you edit the lock file by hand again?"))
    (turn,) = a_memory.store.one("SELECT public_id FROM turns")
    a_memory.change(facts.sight, name, turn)
    a_memory.change(outcomes.update, NOON + DAY)
    assert (a_memory.counts(name), outcomes.ignored(a_memory.store)) == ((0, 0), {name: 1})


def test_to_count_anew_changes_nothing(a_memory):
    name = a_memory.knows("Prices are rounded in shop/cart.py.")
    a_memory.loops([name], ("shop/cart.py", MORE))
    before = a_memory.store.execute("SELECT * FROM facts").fetchall()
    assert a_memory.change(outcomes.update, NOON + 900 * DAY) == []
    assert a_memory.store.execute("SELECT * FROM facts").fetchall() == before


def test_the_access_clock_counts_what_is_told_and_not_what_is_looked_at(a_memory):
    name = a_memory.knows("Prices are rounded in shop/cart.py.")
    a_memory.loops([name], ("", SAME), ("", SAME))
    clocks = [(prepared.clock(a_memory.store, NOON).accesses, facts.of_id(a_memory.store, name).text) for _ in range(3)]
    assert [accesses for accesses, _ in clocks] == [2, 2, 2]


# Lessons


def lessons_of(a_memory, *statuses):
    return [fact for fact in facts.of_status(a_memory.store, *statuses) if fact.kind == facts.LESSON]


def test_a_lesson_whose_remedy_was_tried_again_and_took_nothing_away_has_harmed(a_memory):
    a_memory.loops([], ("shop/cart.py", NONE))
    (lesson,) = lessons_of(a_memory, facts.ACTIVE)
    a_memory.loops([lesson.public_id], ("shop/till.py", SAME))
    assert a_memory.counts(lesson.public_id) == (0, 1)


def test_a_lesson_whose_remedy_worked_again_has_helped(a_memory):
    a_memory.loops([], ("shop/cart.py", NONE))
    (lesson,) = lessons_of(a_memory, facts.ACTIVE)
    a_memory.loops([lesson.public_id], ("shop/till.py", NONE))
    assert a_memory.counts(lesson.public_id) == (1, 0)


def test_a_lesson_that_harmed_twice_is_told_to_nobody(a_memory):
    a_memory.loops([], ("shop/cart.py", NONE))
    for _ in range(2):
        (lesson,) = lessons_of(a_memory, facts.ACTIVE)
        a_memory.loops([lesson.public_id], ("shop/till.py", SAME))
    assert (lessons_of(a_memory, facts.ACTIVE), len(lessons_of(a_memory, facts.RETIRED))) == ([], 1)


def test_a_lesson_that_takes_the_place_of_another_has_its_outcomes_too(a_memory):
    a_memory.loops([], ("shop/cart.py", NONE))
    (lesson,) = lessons_of(a_memory, facts.ACTIVE)
    a_memory.loops([lesson.public_id], ("shop/till.py", SAME), ("shop/new.py", NONE))
    (other,) = lessons_of(a_memory, facts.ACTIVE)
    assert other.public_id != lesson.public_id and a_memory.counts(other.public_id) == (0, 1)
    assert a_memory.change(outcomes.update, NOON + 90 * DAY) == []


# The set that was made for it


@pytest.mark.check
@pytest.mark.parametrize(("effect", "sign"), [(MORE, -1), (FEWER, 1)])
def test_in_eighteen_of_twenty_projects_a_planted_fact_leaves_the_middle_within_three_uses(a_memory, effect, sign):
    dice, right = random.Random(effect), 0
    for project in range(20):
        names = [a_memory.knows(f"Part {project} {each} is made in p{project}/{each}.py.") for each in range(11)]
        planted, *neutrals = names
        for use in range(3):
            told = dice.sample(names, 11)
            noise = [(f"p{project}/{dice.randint(1, 10)}.py", SAME), (f"p{project}/{use + 1}.py", dice.choice((FEWER, MORE)))]
            a_memory.loops(told, (f"p{project}/0.py", effect), ("", SAME), *noise)
        clock = prepared.clock(a_memory.store, NOON + 100 * DAY)
        scores = {name: strength.score(a_memory.fact(name), clock) for name in names}
        middle = statistics.median([scores[name] for name in neutrals])
        right += (scores[planted] - middle) * sign > 0
        assert all(sum(a_memory.counts(name)) <= 1 for name in neutrals)
    assert right >= 18
