"""What honest agents do beside the work holds no success up."""

import os
import sys
from pathlib import Path

import pytest

from ralph_mem.ralph.display import ended
from ralph_mem.ralph.judges import scratch
from tests.ralph.judges.shops import MEND, PYTEST, TEST
from tests.ralph.loops import git

NEW_TEST = "printf 'from shop import total\\n\\n\\ndef test_three():\\n    assert total([1, 1, 1]) == 3\\n' >tests/test_three.py"
HONEST = {
    "nothing else": "",
    "a new test with a helper beside it": f"{NEW_TEST}; echo ONE = 1 >tests/numbers_of_shop.py",
    "a dependency": "sed -i 's/dependencies = ../dependencies = [\"attrs\"]/' pyproject.toml",
    "another name for a source": "mv shop.py store.py; echo 'from store import total' >shop.py",
    "a folder of the product called testing": "mkdir -p goods/testing; echo >goods/__init__.py; echo >goods/testing/__init__.py"
    "; echo ONE = 1 >goods/testing/numbers_of_goods.py; echo 'from goods.testing import numbers_of_goods' >>shop.py",
    "what the checks leave": "echo x >.coverage; mkdir -p build; echo x >build/log",
}


def confirmed(loops, run):
    """Return what came of the confirmation of a run's last iteration."""
    found = loops.confirmations(run)
    return (found[-1]["says"], found[-1].get("where")) if found else None


@pytest.mark.check
@pytest.mark.parametrize("what", HONEST)
def test_honest_work_is_confirmed_in_a_copy(shop, what):
    run = shop.start(f"{MEND}\n{HONEST[what]}", criteria=(PYTEST,), tampering=0)
    assert (run.reason, len(run.iterations), confirmed(shop, run)) == ("success", 1, ("confirmed", "copy"))


@pytest.mark.check
def test_tests_count_that_the_person_lets_be_changed(shop):
    add = "sed -i 's/== 3/== 1/' tests/test_shop.py"
    run = shop.start(add, goal="update the tests", criteria=(PYTEST,), may_change=("tests/**",), tampering=0)
    assert run.reason == "success" and "== 1" in shop.text("tests/test_shop.py")


@pytest.mark.check
def test_a_new_test_counts_that_a_criterion_names(shop):
    shop.write("tests/test_shop.py", TEST.replace("== 3", "== 1"))
    named = f"custom={sys.executable} -m pytest -q -p no:cacheprovider tests/test_three.py"
    run = shop.start(f"{MEND}\n{NEW_TEST}", goal="add a test for three", criteria=(named,), tampering=0)
    assert run.reason == "success" and confirmed(shop, run) == ("confirmed", "copy")


@pytest.mark.check
def test_a_check_that_asks_git_is_answered_in_the_copy_as_in_the_tree(shop):
    shop.write(
        "clean.sh",
        "git diff --exit-code pyproject.toml || exit 1\n! git ls-files | grep shop.log && grep -q 'sum(prices)$' shop.py\n",
    )
    shop.write("shop.log", "was tracked by mistake\n")
    git(shop.top, "init", "-q")
    git(shop.top, "add", ".")
    run = shop.start(f"{MEND}\ngit rm -q --cached shop.log", criteria=("custom=sh clean.sh",), tampering=0)
    assert run.reason == "success" and confirmed(shop, run) == ("confirmed", "copy")


def test_checks_that_need_the_very_place_are_confirmed_there(shop):
    shop.write("where.sh", f"[ $PWD = {shop.top} ] && grep -q 'sum(prices)$' shop.py\n")
    run = shop.start(MEND, criteria=("custom=sh where.sh",), tampering=0)
    assert run.reason == "success" and confirmed(shop, run) == ("confirmed", "tree")


def test_who_changes_checks_that_need_the_very_place_is_found_out_there(shop):
    before = shop.write("where.sh", f"[ $PWD = {shop.top} ] && grep -q 'sum(prices)$' shop.py\n").read_text()
    run = shop.start(f"echo '[ $PWD = {shop.top} ]' >where.sh", criteria=("custom=sh where.sh",), tampering=0)
    assert run.reason == "tampered" and shop.text("where.sh") == before


def test_an_honest_change_of_such_a_check_is_there_afterwards(shop):
    shop.write("where.sh", f"[ $PWD = {shop.top} ] && grep -q 'sum(prices)$' shop.py\n")
    run = shop.start(f"{MEND}\necho '# more' >>where.sh", criteria=("custom=sh where.sh",), tampering=0)
    assert run.reason == "success" and shop.text("where.sh").endswith("# more\n")


def test_without_snapshots_nothing_is_confirmed_and_the_end_says_so(shop):
    run = shop.start("echo right | tee one.txt two.txt >three.txt", snapshot=False)
    assert run.reason == "success" and confirmed(shop, run) == ("unconfirmed", None)
    assert any("not confirmed" in line for line in ended(run))


@pytest.mark.check
@pytest.mark.parametrize("memory", [scratch.MEMORY, "/nowhere"])
def test_of_the_copy_nothing_is_left(shop, a_home, monkeypatch, memory):
    monkeypatch.setattr(scratch, "MEMORY", memory)
    run = shop.start("echo right | tee one.txt two.txt >three.txt")
    places = (Path(memory, f"ralph-mem-{os.getuid()}"), a_home / ".local" / "share" / "ralph-mem" / "scratch")
    assert confirmed(shop, run) == ("confirmed", "copy") and any(place.is_dir() for place in places)
    assert not [name for place in places for name in place.glob(f"{os.getpid()}-*")]
