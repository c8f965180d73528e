"""What a program hands over that is no such argument is refused as an error of ours, in a line, with what to give."""

import pytest

from ralph_mem import Memory, RalphMemError

APP = ("app",)


def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


def holding_itself():
    value = []
    value += [value, value]
    return value


WRONG = {
    "a path that is none": (lambda _: Memory(5), "such as Memory('shop')"),
    "a path that no disk has": (lambda _: Memory("\0"), "such as Memory('shop')"),
    "a session": (lambda memory: Memory(memory.path, session=5), "a text of 1 to 200 characters"),
    "a key to get": (lambda memory: memory.get(APP, 5), "a key is a text"),
    "a key to delete": (lambda memory: memory.delete(APP, None), "a key is a text"),
    "a key of half a character": (lambda memory: memory.history(APP, "\ud800"), "a key is a text"),
    "a key of the past": (lambda memory: memory.as_of(1).get(APP, 5), "a key is a text"),
    "a namespace that nests itself": (lambda memory: memory.get(nested(2000), "a"), "such as ('project', ID, 'skills')"),
    "the beginning of keys": (lambda memory: memory.list(APP, None), "how the keys begin"),
    "a query": (lambda memory: memory.search(APP, None), "the words to look for"),
    "how many items": (lambda memory: memory.search(APP, "gate", limit="5"), "such as limit=5"),
    "a least score": (lambda memory: memory.search(APP, "gate", min_score=None), "such as min_score=0.5"),
    "no number of turns": (lambda memory: memory.turns(limit=None), "such as limit=20"),
    "fewer turns than none": (lambda memory: memory.turns(limit=-1), "such as limit=20"),
    "an id": (lambda memory: memory.forget(5), "memory.forget(item.id)"),
    "ids in a list": (lambda memory: memory.forget(["obs-1"]), "ids one by one"),
    "a text to forget": (lambda memory: memory.forget(query=5), "the text"),
    "a status": (lambda memory: memory.facts("gone"), "one of candidate, active"),
    "a task": (lambda memory: memory.context(5), "in words"),
    "a prompt": (lambda memory: memory.with_context(None), "in words"),
    "a prompt beside a task": (lambda memory: memory.with_context(5, task="gate"), "in words"),
    "a format": (lambda memory: memory.context("gate", format=5), "one of markdown, xml, json"),
    "a limit that there is not": (lambda memory: memory.context("gate", most=5), "one of format, max_skills"),
    "the value of a limit": (lambda memory: memory.context("gate", max_skills="5"), "such as max_skills=5"),
    "tokens of a section": (lambda memory: memory.sections(facts=None), "such as facts=200"),
    "the name of one field": (lambda memory: memory.put(APP, "a", {"note": "blue"}, index="note"), "index=['note']"),
    "fields that are no names": (lambda memory: memory.put(APP, "a", {"note": "blue"}, index=[5]), "index=['note']"),
    "a value that is too deep": (lambda memory: memory.put(APP, "a", nested(101)), "flatter"),
    "a value that holds itself": (lambda memory: memory.put(APP, "a", holding_itself()), "flatter"),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_no_such_argument_is_refused_in_a_line_that_says_what_to_give(a_memory, words):
    act, hint = WRONG[words]
    with pytest.raises(RalphMemError) as refused:
        act(a_memory)
    assert hint in refused.value.hint and len(f"{refused.value} {refused.value.hint}".splitlines()) == 1
    assert a_memory.list_namespaces() == []


def test_who_asks_for_more_than_there_ever_is_gets_all(a_session, a_project):
    turn = a_session.has_a_turn("Where is the zirconium gate?", "In the cellar.")
    assert [each["id"] for each in Memory(a_project.root).turns(limit=10**20)] == [turn]


def test_who_says_nothing_of_what_to_forget_is_told_in_the_words_of_the_library(a_memory):
    a_memory.put(APP, "a", 1)
    with pytest.raises(RalphMemError, match="what should be forgotten") as refused:
        a_memory.forget()
    assert "query=TEXT" in refused.value.hint and "--" not in refused.value.hint
