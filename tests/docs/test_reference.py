import pytest

from ralph_mem.core.settings import effective, schema
from tests.docs import reference

MADE = reference.pages()


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.name)
def test_the_reference_says_what_the_code_says(path):
    assert path.read_text() == MADE[path], "write it again with `python -m tests.docs.reference`"


def test_the_reference_has_every_command_and_every_setting_with_its_variable():
    text = "".join(MADE.values())
    assert all(f"\n## ralph-mem {name}\n" in text for name, _ in reference.commands())
    assert len(reference.commands()) > 30
    assert all(f"| `{key}` |" in text and f"`{effective.variable(key)}`" in text for key in schema.RULES)


def test_every_folder_of_the_reference_is_written_by_it():
    assert sorted(reference.FOLDER.iterdir()) == sorted(MADE)


def test_a_table_keeps_a_bar_inside_of_its_cell():
    assert reference.cell("one | two\nthree") == r"one \| two three"
