"""What CLAUDE.md already says is not said again."""

import pytest

from ralph_mem.core import instructions

SAID = ["The tungsten is in the cellar, behind the ladder", "Run make lint before every commit", "short"]


def known(*lines):
    return [words for words in map(instructions._words, lines) if len(words) >= instructions.FEWEST_WORDS]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Tungsten: behind the cellar ladder", ""),
        ("Behind the ladder in the cellar is tungsten. The fuse is blown", "The fuse is blown"),
        ("The fuse is blown. Behind the ladder in the cellar is tungsten", "The fuse is blown"),
        ("first line\nRun make lint before each commit\nlast line", "first line\nlast line"),
        ("The tungsten is dear", "The tungsten is dear"),
        ("short", "short"),
        ("", ""),
    ],
)
def test_covered_sentences_are_left_out(text, left):
    assert instructions.without(text, known(*SAID)) == left


def test_without_instructions_a_text_stays_as_it_is():
    assert instructions.without("a.  b\n\nc", []) == "a.  b\n\nc"


def test_the_instructions_of_project_and_user_are_read(a_project, a_home, tmp_path):
    (tmp_path / "shop" / "CLAUDE.md").write_text("Tungsten is dear, as are lamps\n")
    (a_home / ".claude").mkdir()
    (a_home / ".claude" / "CLAUDE.md").write_text("- polish lanterns every evening\n")
    assert instructions.read(a_project) == [{"tungsten", "dear", "lamps"}, {"polish", "lanterns", "evening"}]


def test_the_folder_of_the_clients_config_may_be_elsewhere(a_project, the_environment, tmp_path):
    (tmp_path / "CLAUDE.md").write_text("polish lanterns every evening\n")
    the_environment(CLAUDE_CONFIG_DIR=tmp_path)
    assert instructions.read(a_project) == [{"polish", "lanterns", "evening"}]
