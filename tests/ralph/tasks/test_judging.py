"""What a task's checks come to: named tests that are there and pass, scripts that are still to be written, broken programs."""

import sys
from pathlib import Path

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import record, runs, stopping
from ralph_mem.ralph.criteria import TASK
from ralph_mem.ralph.tasks import named_paths, of_run, reading
from tests.ralph.loops import STEPS, Loops
from tests.ralph.tasks.test_loop import done

NAMED = "- [ ] It adds\n  test: tests/test_sum.py::test_adds\n"
PASSES = "import pytest\ndef test_adds(): assert 1 + 1 == 2\n"


@pytest.fixture
def loops(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    loops = Loops(tmp_path)
    loops.write("plan.md", NAMED)
    return loops


@pytest.mark.check
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not found|no test was run|no tests ran"),
        ("def test_other(): pass\n", "not found|no test was run"),
        ("import pytest\n@pytest.mark.skip\ndef test_adds(): pass\n", "no test was run|skipped"),
        ("def test_adds(): assert 1 + 1 == 3\n", "1 of 1 test fails"),
    ],
)
def test_a_named_test_that_is_not_there_is_skipped_or_fails_proves_nothing(loops, text, why):
    loops.write("new.py", text)
    run = loops.start("mkdir -p tests; cp new.py tests/test_sum.py", plan="plan.md", criteria=(), limits={"iterations": 1})
    (verdict, _) = run.iterations[0].verdicts
    assert (verdict.type, verdict.status != "passed", done(run)) == (TASK, True, [])
    assert any(part in f"{verdict.why} {verdict.excerpt}" for part in why.split("|"))


@pytest.mark.check
def test_a_named_test_that_the_agent_wrote_and_that_passes_is_enough(loops):
    loops.write("new.py", PASSES)
    run = loops.start("mkdir tests; cp new.py tests/test_sum.py", plan="plan.md", criteria=())
    assert (run.status, done(run), named_paths(of_run(run))) == ("success", [1], {"tests/test_sum.py"})


@pytest.mark.check
def test_a_named_test_of_unittest_is_run_by_unittest(loops):
    loops.write("tests/__init__.py", "")
    loops.write("tests/test_old.py", "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n")
    loops.write(
        "plan.md", "- [ ] It adds\n  test: tests/test_old.py::A::test_a\n- [ ] It does more\n  test: tests/test_old.py::A::test_b\n"
    )
    first, _ = reading.read(str(loops.top), "plan.md", 60).tasks
    assert first.checks[0].criterion.argv[-4:] == ("-m", "unittest", "-v", "tests.test_old.A.test_a")
    run = loops.start("true", plan="plan.md", criteria=(), limits={"iterations": 1})
    assert done(run) == [1]


def test_a_script_that_is_still_to_be_written_is_no_broken_check(loops):
    loops.write("plan.md", "- [ ] There is a check\n  check: ./verify.sh\n")
    run = loops.start("printf '#!/bin/sh\\nexit 0\\n' >verify.sh; chmod +x verify.sh", plan="plan.md", criteria=())
    assert run.baseline[0].why == "not there yet: verify.sh" and run.status == "success"


def test_a_program_that_is_not_here_is_named_before_anything_begins(loops):
    loops.write("plan.md", "- [ ] One\n  check: true\n- [ ] Two\n  check: no-such-program --all\n")
    with pytest.raises(LoopError, match="task 2 runs no-such-program, which is not there"):
        loops.start(*STEPS, plan="plan.md")


@pytest.mark.check
def test_thousands_of_tasks_that_pass_already_leave_a_short_record(loops):
    loops.write("plan.md", "".join(f"- [x] Part {number}\n  check: true\n" for number in range(60)) + NAMED)
    run = loops.start("true", plan="plan.md", criteria=(), limits={"iterations": 1})
    assert len(done(run)) == 60 and len(run.baseline) < 30
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


@pytest.mark.check
def test_a_box_that_a_person_ticked_too_early_is_said(loops):
    loops.write("plan.md", NAMED.replace("[ ]", "[x]"))
    loops.start("true", plan="plan.md", criteria=(), limits={"iterations": 1})
    assert "ticked in plan.md, but the checks do not pass: task 1" in loops.told
