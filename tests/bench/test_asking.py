"""What is asked of a history, and when."""

from collections import Counter

from ralph_mem.bench import asking
from tests.bench.conftest import a_memory, a_query, a_set

MEMORIES = [a_memory(number, f"stone {number}", f"s{number // 2}") for number in range(6)]
EARLY, LATE = a_query("where is stone 0?", "m0", before="m2"), a_query("where is stone 3?", "m3", before="m5")


def planned(read, *queries, others=(), given=(), unit="observation"):
    histories = read(a_set(*queries, memories=MEMORIES, unit=unit))
    return asking.plan(histories.unit, histories.projects[0], others, given)


def of_sort(prompts, sort):
    return [(prompt.text, prompt.known) for prompt in prompts if prompt.sort == sort]


def test_prompts_come_in_time(read):
    known = [prompt.known for prompt in planned(read, LATE, EARLY, others=["a moon"])]
    assert known == sorted(known)


def test_every_everyday_prompt_is_asked_and_as_many_at_each_place(read):
    asked = of_sort(planned(read, LATE, EARLY), asking.EVERYDAY)
    assert {text for text, _ in asked} == {text for _, text in asking.everyday_prompts()}
    assert Counter(known for _, known in asked) == {2: len(asked) / 2, 5: len(asked) / 2}


def test_at_each_place_somebody_else_s_query_is_asked(read):
    assert of_sort(planned(read, LATE, EARLY, others=["a moon"]), asking.OTHERS) == [("a moon", 2), ("a moon", 5)]


def test_a_query_is_asked_where_its_evidence_is_yet_to_come(read):
    asked = of_sort(planned(read, LATE, EARLY), asking.BEFORE)
    assert asked[0] == (LATE["text"], 2)
    assert all(known <= {EARLY["text"]: 0, LATE["text"]: 3}[text] for text, known in asked)


def test_where_nothing_is_yet_to_come_a_query_is_asked_earlier(read):
    ((text, known),) = of_sort(planned(read, a_query("where is stone 3?", "m3")), asking.BEFORE)
    assert text == "where is stone 3?" and 1 <= known < 3


def test_all_memories_of_a_relevant_session_are_relevant(read):
    (query,) = [prompt for prompt in planned(read, a_query("stone", "s1"), unit="session") if not prompt.sort]
    assert query.relevant == {"m2", "m3"}


def test_adversarial_queries_are_not_asked(read):
    asked = planned(read, EARLY, a_query("who?", "m0", category="adversarial"))
    assert [prompt.text for prompt in asked if not prompt.sort] == [EARLY["text"]]


def test_given_prompts_are_asked_once_each(read):
    assert of_sort(planned(read, EARLY, given=["one", "two"]), asking.GIVEN) == [("two", 2), ("one", 2)]


def test_the_same_history_is_asked_the_same(read):
    assert planned(read, LATE, EARLY, others=["a", "b"]) == planned(read, LATE, EARLY, others=["a", "b"])


def test_a_prompt_that_stands_in_its_session_is_asked_behind_the_turns_before_it(read):
    memories = [a_memory(number, "Done.", f"s{number // 3}", title=f"polish stone {number}") for number in range(6)]
    query = a_query("polish stone 5", "s0", before_session="s1")
    histories = read(a_set(query, memories=memories, unit="session"))
    prompts = asking.plan(histories.unit, histories.projects[0], others=["a moon"])
    assert {(prompt.known, prompt.here) for prompt in prompts if prompt.sort != asking.BEFORE} == {(3, 5)}
