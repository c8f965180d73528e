"""A plan under the judges of the start: what a task names may be written by the agent, what judged before may not."""

import pytest

from tests.ralph.judges.shops import MEND, PYTEST

PLAN = "- [ ] Totals are right\n  test: tests/test_shop.py::test_total\n- [ ] So are pairs\n  test: tests/test_shop.py::test_pair\n"
NEW = "printf '\\n\\ndef test_pair():\\n    assert total([3, 4]) == 7\\n' >>tests/test_shop.py"
GUTS = "sed -i 's/== 3/== 1/; s/== 0/== 0/' tests/test_shop.py"


@pytest.fixture
def shop(shop):
    shop.write("plan.md", PLAN)
    return shop


@pytest.mark.check
def test_a_named_test_may_be_added_to_a_file_that_judges(shop):
    run = shop.start(f"{MEND}\n{NEW}", criteria=(PYTEST,), plan="plan.md", limits={"iterations": 3})
    assert (run.status, "test_pair" in shop.text("tests/test_shop.py")) == ("success", True), (run, run.iterations[-1:])
    assert shop.text("plan.md").count("[x]") == 2


@pytest.mark.check
def test_who_guts_an_old_test_beside_a_named_one_has_not_done_the_old_ones_task(shop):
    run = shop.start(f"{GUTS}; {NEW.replace('== 7', '== 3')}", criteria=(PYTEST,), plan="plan.md", limits={"iterations": 1})
    assert run.status == "failed" and "== 3" in shop.text("tests/test_shop.py").partition("test_none")[0]
    assert shop.text("plan.md").startswith("- [ ] Totals are right")


def test_the_script_of_a_task_is_a_judge_as_well(shop):
    shop.write("verify.sh", "#!/bin/sh\ngrep -q right one.txt\n").chmod(0o755)
    shop.write("plan.md", "- [ ] One is right\n  check: ./verify.sh\n")
    run = shop.start("printf '#!/bin/sh\\nexit 0\\n' >verify.sh", criteria=(), plan="plan.md", tampering=0)
    assert (run.reason, shop.text("plan.md").count("[x]")) == ("tampered", 0) and "verify.sh" in run.why
