"""Judges that no snapshot has, ignored by git or outside of the project: a run that changes one is not called confirmed."""

import sys

import pytest

from tests.ralph.judges.shops import MEND, Shop
from tests.ralph.loops import git

RIGHT = f"PYTHONPATH=. {sys.executable} -c 'import shop; assert shop.total([1, 2]) == 3'\n"
GOLDEN = f"PYTHONPATH=. {sys.executable} -c 'import shop; print(shop.total([1, 2]))' | diff - local/want\n"
OF_UNITTEST = """\
import unittest
from shop import total


class Totals(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""


@pytest.fixture
def shop(tmp_path):
    shop = Shop(tmp_path)
    shop.write(".gitignore", "local/\n__pycache__/\n")
    shop.write("local/go.sh", RIGHT)
    shop.write("local/want", "3\n")
    shop.write("local/__init__.py", "")
    shop.write("local/test_own.py", OF_UNITTEST)
    shop.write("compare.sh", GOLDEN)
    git(shop.top, "init", "-q")
    return shop


CHEATS = {
    "local/go.sh": ("custom=sh local/go.sh", "echo true >local/go.sh"),
    "local/want": ("custom=sh compare.sh", "echo 1 >local/want"),
    "local/test_own.py": (
        f"test_pass={sys.executable} -m unittest discover -s local -t .",
        "sed -i 's/self.assert/0 and self.assert/' local/test_own.py",
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", CHEATS)
def test_a_judge_that_git_ignores_and_the_agent_changed_confirms_nothing_and_is_named(shop, path):
    criterion, step = CHEATS[path]
    run = shop.start(step, criteria=(criterion,), tampering=0)
    assert run.reason == "tampered" and f" {path} was changed" in f" {run.why}"


def test_a_judge_that_git_ignores_counts_as_it_is_where_a_person_let_it_be_changed(shop):
    criterion, step = CHEATS["local/go.sh"]
    assert shop.start(step, criteria=(criterion,), tampering=0, may_change=("local/**",)).reason == "success"


def test_a_judge_outside_of_the_project_that_the_agent_changed_confirms_nothing_and_is_named(shop):
    judge = shop.folder / "judge.sh"
    judge.write_text(RIGHT)
    run = shop.start(f"echo true >{judge}", criteria=(f"custom=sh {judge}",), tampering=0)
    assert run.reason == "tampered" and f"{judge} was changed" in run.why


def test_a_judge_that_git_ignores_confirms_honest_work(shop):
    run = shop.start(MEND, criteria=("custom=sh local/go.sh",), tampering=0)
    assert run.reason == "success" and shop.confirmations(run)[0]["says"] == "confirmed"


def test_what_the_checks_make_and_run_is_no_judge(shop):
    made = "check:\n\techo '! grep -q :-1 shop.py' >local/made.sh\n\tcp shop.py local/test_made.py\n\tsh local/made.sh\n"
    shop.write("Makefile", made)
    run = shop.start(MEND, criteria=("custom=make check",), tampering=0)
    assert run.reason == "success"
