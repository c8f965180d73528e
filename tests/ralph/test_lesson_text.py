import os
import subprocess
import sys
from pathlib import Path

import pytest

from ralph_mem.ralph import lesson_text
from ralph_mem.ralph.criteria import evidence
from tests.ralph.made import a_change, a_run, an_iteration

TAX = {"tests/test_cart.py::test_tax": "KeyError: 'tax'"}
SUM = {"tests/test_cart.py::test_sum": "assert 3 == 4"}
BOTH = {**TAX, **SUM}
FIX = a_change("fix.py")
ROOT = Path(__file__).resolve().parents[2]


def key_of(failing):
    ((test, message),) = failing.items()
    return evidence.key_of(evidence.signature_of(test, message))


def test_a_lesson_says_what_failed_what_fixed_it_and_what_had_not_helped():
    tried = [an_iteration(1, TAX, [a_change("till.py", "x", "y")]), an_iteration(2, {}, [a_change()])]
    title, text, files = lesson_text.of(a_run(TAX, tried), "success")
    assert title == "Make the tests of the cart pass (ralph loop: reached after 2 iterations)"
    assert text.splitlines() == [
        "failed: KeyError: 'tax'", "  in: tests/test_cart.py::test_tax",
        "fixed by: shop/cart.py +1 -1", "  -    return a", "  +    return b",
        "did not help: till.py +1 -1", "  -x", "  +y",
    ]  # fmt: skip
    assert files == ["shop/cart.py"]


def test_each_failure_is_told_with_the_iteration_that_ended_it():
    tried = [an_iteration(1, SUM, [a_change("one.py")]), an_iteration(2, {}, [a_change("two.py")])]
    first, second = lesson_text.of(a_run(BOTH, tried), "success")[1].split("\n\n")
    assert "KeyError: 'tax'" in first and "fixed by: one.py" in first and "did not help" not in first
    assert "test_sum" in second and "fixed by: two.py" in second and "did not help: one.py" in second


def test_a_change_from_before_a_failure_is_none_that_did_not_help_against_it():
    other = {"test_cart": "ZeroDivisionError: no carts"}
    changed = {number: [a_change(f"{number}.py")] for number in (1, 2, 3, 4)}
    tried = [an_iteration(1, other, changed[1]), an_iteration(2, TAX, changed[2]), an_iteration(3, TAX, changed[3])]
    fixed_last = lesson_text.of(a_run(SUM, [*tried, an_iteration(4, {}, changed[4])]), "success")[1].split("\n\n")[-1]
    assert "KeyError" in fixed_last and "fixed by: 4.py" in fixed_last and "did not help: 3.py" in fixed_last
    assert "1.py" not in fixed_last and "2.py" not in fixed_last


def test_what_nobody_looked_at_is_not_called_a_change():
    text = lesson_text.of(a_run(TAX, [an_iteration(1, {}, tree="")]), "success")[1]
    assert text == "failed: KeyError: 'tax'\n  in: tests/test_cart.py::test_tax\ngone after iteration 1"


def test_a_change_that_did_not_help_is_told_once():
    tried = [an_iteration(1, BOTH, [a_change("one.py")]), an_iteration(2, SUM, [a_change("two.py")]), an_iteration(3, {}, [FIX])]
    assert lesson_text.of(a_run(BOTH, tried), "success")[1].count("did not help: one.py") == 1


def test_a_run_that_failed_says_what_still_fails_and_what_was_tried_in_vain():
    title, text, files = lesson_text.of(a_run(TAX, [an_iteration(1, TAX, [a_change()])]), "no_progress")
    assert title.endswith("(ralph loop: not reached, no_progress after 1 iteration)")
    assert text.startswith("still failing: KeyError: 'tax'\n  in: tests/test_cart.py::test_tax\ndid not help: shop/cart.py +1 -1\n")
    assert files == ["shop/cart.py"]


def test_a_failure_that_came_and_went_is_told_and_one_that_came_back_is_not_called_fixed():
    tried = [an_iteration(1, SUM, [a_change("one.py")]), an_iteration(2, TAX, [a_change("two.py")])]
    text = lesson_text.of(a_run(TAX, tried), "max_iterations")[1]
    fixed, left = text.split("\n\n")
    assert "test_sum" in fixed and "fixed by: two.py" in fixed and "KeyError" not in fixed
    assert left.startswith("still failing: KeyError: 'tax'")


def test_a_failure_of_which_the_file_fails_as_a_whole_since_is_not_called_fixed():
    broken = {"tests/test_cart.py": "ModuleNotFoundError: No module named 'cart'"}
    text = lesson_text.of(a_run(TAX, [an_iteration(1, broken, [a_change("cart.py")])]), "max_iterations")[1]
    assert text.startswith("still failing: ModuleNotFoundError") and "fixed by" not in text


def test_the_signatures_of_a_lesson_are_read_from_its_text():
    text = lesson_text.of(a_run(BOTH, [an_iteration(1, SUM, [a_change()])]), "no_progress")[1]
    assert lesson_text.keys_of(text) == {key_of(TAX), key_of(SUM)}
    assert lesson_text.keys_of("failed: something a person wrote\nand more") != set()
    assert lesson_text.keys_of("a note") == set()


def test_the_paragraph_of_the_failure_at_hand_comes_first():
    tried = [an_iteration(1, SUM, [a_change("one.py")]), an_iteration(2, {}, [a_change("two.py")])]
    text = lesson_text.of(a_run(BOTH, tried), "success")[1]
    assert "KeyError" in text.split("\n\n")[0]
    assert "test_sum" in lesson_text.met_again(text, {key_of(SUM)}).split("\n\n")[0]
    assert lesson_text.met_again(text, {key_of(TAX)}) == text


def test_a_lesson_stays_short_whatever_the_run_was_like():
    failing = {f"test_{number}": f"Error in part {chr(97 + number % 26)}{number} of the cart" for number in range(300)}
    tried = [an_iteration(n, failing, [a_change("x" * 200, "y" * 150, "z" * 150)] * 6) for n in range(1, 40)]
    title, text, _ = lesson_text.of(a_run(failing, tried, goal="word " * 500), "max_iterations")
    assert len(title) < 260 and 500 < len(text) <= lesson_text.MOST_TEXT


TOLD = """
from tests.ralph.made import a_change, a_run, an_iteration
from ralph_mem.ralph import lesson_text
failing = {f"tests/test_{name}.py::test_a": f"KeyError: '{name}'" for name in ("tax", "sum", "lamp", "gate")}
tried = [an_iteration(1, failing, [a_change("one.py"), a_change("two.py")]), an_iteration(2, {}, [a_change()])]
print(lesson_text.of(a_run(failing, tried), "success"))
"""


@pytest.mark.check
def test_the_same_run_makes_the_same_lesson_in_every_process():
    told = set()
    for seed in ("1", "2", "3"):  # in which the order of a set differs
        environment = {"PYTHONHASHSEED": seed, "PATH": os.environ["PATH"]}
        order = [sys.executable, "-c", TOLD]
        told.add(subprocess.run(order, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(told) == 1 and "KeyError: 'gate'" in told.pop()
