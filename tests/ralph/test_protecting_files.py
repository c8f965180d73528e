"""Protected files: what an agent changes there is put back before the checks are run, and is said."""

import pytest

from tests.ralph.loops import STEPS, Loops, names
from tests.ralph.snapshot.conftest import tree_of


@pytest.fixture
def loops(tmp_path):
    loops = Loops(tmp_path)
    loops.write("tests/test_one.txt", "expected\n")
    loops.write("tests/data/two.txt", "expected\n").chmod(0o640)
    return loops


CHEAT = "printf '#!/bin/sh\\nexit 0\\n' >check.sh"


@pytest.mark.check
def test_a_check_that_the_agent_rewrote_is_put_back_and_judges_as_before(loops):
    run = loops.start(CHEAT, protect=("check.sh",), limits={"iterations": 1})
    assert run.reason == "max_iterations" and run.iterations[0].verdicts[0].status == "failed"
    assert run.iterations[0].tampered[0] == "protected, put back: check.sh"
    assert "grep -q right" in loops.text("check.sh") and (loops.top / "check.sh").stat().st_mode & 0o777 == 0o755


@pytest.mark.check
def test_without_protection_the_edit_is_said_all_the_same(loops):
    run = loops.start(CHEAT, limits={"iterations": 1})
    assert [line for line in run.iterations[0].tampered if "check.sh" in line] != []


DAMAGE = {
    "edited": "echo cheat >tests/test_one.txt; chmod 600 tests/data/two.txt",
    "deleted": "rm -r tests",
    "replaced": "rm -r tests/data; ln -s /etc tests/data; rm tests/test_one.txt; mkdir tests/test_one.txt",
    "added": "mkdir tests/more; echo cheat >tests/more/new.txt",
}


@pytest.mark.check
@pytest.mark.parametrize("step", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_protected_folder_is_as_it_was_and_the_rest_is_the_agents(loops, step):
    before = {path: told for path, told in tree_of(loops.top).items() if path.startswith(b"tests")}
    loops.start(f"{step}; {STEPS[0]}; echo kept >kept.txt", protect=("tests/",), limits={"iterations": 1})
    assert {path: told for path, told in tree_of(loops.top).items() if path.startswith(b"tests")} == before
    assert loops.text("one.txt") == "right\n" and loops.text("kept.txt") == "kept\n"


@pytest.mark.check
def test_the_next_agent_is_told_and_a_rollback_puts_the_rest_back(loops):
    before = tree_of(loops.top)
    run = loops.start(f"{CHEAT}; {STEPS[0]}", *STEPS[1:], protect=("check.sh",), memory=True)
    assert run.status == "success" and "noticed: protected, put back: check.sh" in loops.prompts()[1]
    assert names(loops.back().restored) == ["one.txt", "three.txt", "two.txt"] and tree_of(loops.top) == before
