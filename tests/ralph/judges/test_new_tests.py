"""A test that a person named before it was there counts as the agent wrote it; the rest of its file is that of the start."""

import pytest

from ralph_mem.ralph.judges import merging

START = "from shop import total\n\n\ndef test_old():\n    assert total([1]) == 1\n"


def ran(text):
    """Return what a text defines."""
    space = {}
    exec(text.replace("from shop import total", "total = sum"), space)
    return space


@pytest.mark.parametrize(
    ("more", "names", "there"),
    [
        ("def test_new():\n    return 7\n", ["test_new"], "test_new"),
        ("import os\n\n\ndef test_new():\n    return os and 7\n", ["test_new[a-1]"], "test_new"),
        ("class TestNew:\n    def test_a(self):\n        return 7\n", ["TestNew::test_a"], "TestNew"),
    ],
)
def test_a_named_test_is_added_to_the_file_of_the_start_and_old_ones_stay(more, names, there):
    now = START.replace("== 1", "== 0") + "\n\ntotal = len\n\n\n" + more + "\n\ndef test_other():\n    return 1\n"
    text = merging.with_new_tests(START, now, names)
    assert text.startswith(START.rstrip("\n")) and there in ran(text)
    assert "== 0" not in text and "test_other" not in text and "total = len" not in text


def test_a_method_is_added_to_its_class():
    start = "class TestOld:\n    def test_a(self):\n        return 1\n"
    now = "class TestOld:\n    def test_a(self):\n        return 2\n\n    def test_b(self):\n        return 3\n"
    found = ran(merging.with_new_tests(start, now, ["TestOld::test_b"]))["TestOld"]()
    assert (found.test_a(), found.test_b()) == (1, 3)


@pytest.mark.parametrize(
    ("now", "names"),
    [(START, ["test_old"]), (START, ["test_new"]), ("def test_new(:", ["test_new"]), (START.replace("1]", "2]"), ["test_old"])],
)
def test_without_a_new_test_there_is_nothing_to_add(now, names):
    assert merging.with_new_tests(START, now, names) is None
