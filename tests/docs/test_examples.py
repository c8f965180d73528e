import re

import pytest

from ralph_mem.interfaces import skills
from tests.docs import PAGES, ROOT, examples, picture, reference
from tests.docs.examples import DEMO, LEFT_OUT, STORIES, steady

TEXTS = {str(page.relative_to(ROOT)): page.read_text() for page in PAGES}


# README's story is for every few minutes; the others take seconds more.
MARKED = [pytest.param(story, id=story[0], marks=[pytest.mark.check] if number else []) for number, story in enumerate(STORIES)]


@pytest.mark.check
@pytest.mark.parametrize("story", MARKED)
def test_every_example_prints_what_its_page_shows(story, tmp_path):
    reader = examples.Reader(tmp_path)
    for name in story:
        for command, shown in examples.examples(TEXTS[name]):
            printed = reader.run(command)
            assert examples.agree(shown, printed), f"{name}: {command}"
            reader.recognise(shown, printed)


def test_the_demonstration_prints_what_the_pages_and_the_picture_show():
    printed = examples.demonstration()
    blocks = [block for text in TEXTS.values() for block in examples.BLOCK.findall(text) if block.startswith(DEMO)]
    assert [LEFT_OUT in block for block in blocks] == [True, False]  # README has the gist, a page all of it
    for block in blocks:
        assert not examples.parts_missing(steady(block), steady(DEMO + printed))
    assert picture.text_of(picture.FILE.read_text()) == picture.shown(examples.shown_demonstration())


class Printing(dict):
    """A reader for whom each command prints what is said here."""

    def run(self, command):
        return self[command]

    def recognise(self, shown, printed):
        self["learnt"] = (shown, printed)

    def as_shown(self, printed):
        return printed.upper()


def test_what_a_page_shows_is_replaced_only_where_it_says_something_else():
    reader = Printing({"$ one": "took 3 s\n", "> /two": "new\n"})
    page = "before\n```console\n$ one\ntook 2 s\n\n> /two\nold\n```\n"
    assert examples.rewritten(page, reader, "") == "before\n```console\n$ one\ntook 2 s\n\n> /two\nNEW\n```\n"
    assert reader["learnt"] == ("old\n", "new\n")


def test_the_demonstration_is_replaced_where_all_of_it_stands():
    whole, gist = f"```console\n{DEMO}old\n```\n", f"```console\n{DEMO}{LEFT_OUT}\nold\n```\n"
    assert examples.rewritten(whole + gist, Printing(), "new\n") == whole.replace("old", "new") + gist


def test_a_part_that_is_not_printed_is_missing():
    assert examples.parts_missing("a\n[...]\nc\n", "a\nb\nc\n") == []
    assert examples.parts_missing("a\n[...]\nb\n[...]\na\n", "a\nb\nc\n") == ["a\n"]


def test_every_page_with_examples_is_part_of_one_story():
    told = [name for story in STORIES for name in story]
    assert sorted(told) == sorted(name for name, text in TEXTS.items() if examples.examples(text))


def test_every_command_is_named_on_a_page():
    told = "".join(text for name, text in TEXTS.items() if "/reference/" not in name)
    names = [f"ralph-mem {name}" for name, _ in reference.commands()] + [f"/{name}" for name in skills.NAMES]
    assert not [name for name in names if name not in told]


def test_both_commands_of_readme_are_targets_of_the_makefile():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    assert all(f"```console\n$ make {name}\n" in TEXTS["README.md"] for name in ("demo", "test"))
