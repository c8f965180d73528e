"""A success is confirmed by the judges of the start: who changes them does not win, and who does honest work is not held up."""

import pytest

from ralph_mem.ralph import stop_reasons, stopping
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


@pytest.mark.check
def test_who_goes_on_tampering_is_stopped_with_a_reason_of_its_own(shop):
    run = shop.start(GUT, criteria=(PYTEST,), tampering=1)
    assert (run.status, run.reason, len(run.iterations)) == ("failed", "tampered", 2)
    assert stop_reasons.exit_code(run.reason) == 24 and "tests/test_shop.py (changed)" in run.why
    assert shop.text("tests/test_shop.py") == TEST and stopping.replay(shop.entries(run)) == []
