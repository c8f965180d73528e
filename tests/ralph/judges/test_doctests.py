"""Of a source with examples in it the examples are those of the start, and the rest is the agent's."""

import pytest

from ralph_mem.ralph.judges import doctests
from tests.folded import folded

EXAMPLE = '"""Add.\n\n    >>> total([1, 2])\n    3\n    """'
START = f"def total(prices):\n    {EXAMPLE}\n    return sum(prices[:-1])\n\n\ndef other():\n    return 1\n"
MENDED = START.replace("[:-1]", "")
KEPT = (
    (MENDED.replace("    3\n", "    1\n"), MENDED),
    (MENDED.replace(f"    {EXAMPLE}\n", ""), MENDED),
    (MENDED.replace("3\n", "1\n").replace("Add.", "Añadir."), MENDED),
    (MENDED.replace("Add.", "Adds all prices."), MENDED.replace("Add.", "Adds all prices.")),
    (
        MENDED + "\n\ndef more():\n    '''\n    >>> more()\n    '''\n",
        MENDED + "\n\ndef more():\n    '''\n    >>> more()\n    '''\n",
    ),
    ("def total(prices): return sum(prices)\n", f"def total(prices): {EXAMPLE}; return sum(prices)\n"),
)


@folded(("now", "merged"), KEPT)
def test_the_examples_are_those_of_the_start_and_the_code_is_the_agent_s(now, merged):
    assert doctests.merged(START, now) == merged


def test_an_example_of_what_is_gone_is_run_all_the_same():
    found = doctests.merged(START, "def other():\n    return 1\n")
    assert found.startswith("def other()") and EXAMPLE in found
    compile(found, "shop.py", "exec")


def test_examples_of_a_module_and_of_methods_are_found_again():
    method = 'class Cart:\n    def add(self):\n        """\n        >>> 2\n        2\n        """\n'
    start = f'"""Shop.\n\n>>> 1\n1\n"""\nX = 1\n\n\n{method}'
    now = "X = 1\n\n\nclass Cart:\n    def add(self):\n        if X:\n            return 1\n"
    merged = doctests.merged(start, now)
    assert merged.count(">>>") == 2 and "return 1" in merged
    compile(merged, "shop.py", "exec")


@pytest.mark.parametrize("now", ["def total(:\n", "\0"])
def test_what_is_no_python_is_told(now):
    with pytest.raises((SyntaxError, ValueError)):
        doctests.merged(START, now)
