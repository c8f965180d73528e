"""A success is confirmed by the judges of the start: who changes them does not win, and who does honest work is not held up."""

import pytest

from ralph_mem.ralph import display, stop_reasons, stopping
from ralph_mem.ralph.attribution import listening
from tests.ralph.judges.shops import MEND, PYTEST, TEST

GUT = "sed -i 's/assert total.*/return/' tests/test_shop.py"


@pytest.mark.check
@pytest.mark.parametrize("here", [True, False])
def test_a_gutted_test_is_put_back_and_the_loop_goes_on_to_an_honest_success(shop, here):
    run = shop.start(GUT, MEND, criteria=(PYTEST,), here=here)
    assert (run.reason, len(run.iterations)) == ("success", 2)
    assert [entry["says"] for entry in shop.confirmations(run)] == ["tampered", "confirmed"]
    assert [*run.iterations[0].verdicts[0].failing] == ["tests/test_shop.py::test_total"] and shop.text(
        "tests/test_shop.py"
    ) == TEST
    assert "tests/test_shop.py" in shop.prompts()[1] and "That does not count" in shop.prompts()[1]
    assert stopping.replay(shop.entries(run)) == []
    assert "changed: 1 file: shop.py" in display.status_lines(run, run.last_seen)


@pytest.mark.check
def test_who_goes_on_tampering_is_stopped_with_a_reason_of_its_own(shop):
    run = shop.start(GUT, criteria=(PYTEST,), tampering=1)
    assert (run.status, run.reason, len(run.iterations)) == ("failed", "tampered", 2)
    assert stop_reasons.exit_code(run.reason) == 24 and "tests/test_shop.py (changed)" in run.why
    assert shop.text("tests/test_shop.py") == TEST and stopping.replay(shop.entries(run)) == []


@pytest.mark.skipif(not listening.is_possible(), reason="the calls of this machine are not known")
def test_a_judge_that_the_person_changes_meanwhile_stays_as_it_is_and_is_said_to(shop):
    theirs = TEST.replace("assert total", "return total")
    person = shop.meanwhile(lambda: shop.write("tests/test_shop.py", theirs))
    run = shop.start("sleep 2", criteria=(PYTEST,), here=True, limits={"iterations": 1})
    person.join()
    assert shop.text("tests/test_shop.py") == theirs and shop.confirmations(run)[0]["says"] == "tampered"
    assert run.iterations[0].tampered[0].startswith("left as you changed it, the checks pass only with it: changed tests/")
