"""What an event costs beside 50,000 items of a team that wait or are approved, in instructions."""

from contextlib import closing

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance.team import approvals, local_copy, shared_item
from ralph_mem.memory import access, opening
from tests.bench import memory_of
from tests.bench.processes import has
from tests.bench.test_instructions import BUDGET, events, filled, least
from tests.maintenance.team.situations import an_item

ITEMS = 50_000
TEAM = "shop"
DIGITS = str.maketrans("0123456789", "abcdefghij")
# What a prompt costs where items are approved, which are looked up and judged beside one's own: 1.861 to 1.876 as measured.
APPROVED = {**BUDGET, "user-prompt-submit": 1.88}
HOT = ("post-tool-use", "user-prompt-submit", "session-start")

pytestmark = [
    pytest.mark.nightly,  # to take 50,000 in takes minutes
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(not has("valgrind"), reason="valgrind is not installed, so no instructions can be counted"),
]


def pulled(folder, are_approved):
    """Make the memory of the budgets with as many items of a team, which wait or are approved; returns what runs its hooks."""
    hooks = filled(folder)
    words = memory_of.Words(seed=13)
    names = ["obs-" + f"{number:010}".translate(DIGITS) for number in range(ITEMS)]
    items = [an_item(name, words.text(90).strip(), at=memory_of.NOW_MS - number) for number, name in enumerate(names)]
    with memory_of.at_home(folder / "home"):
        place = Project(hooks.root)
        opened = opening.open_ready(place)
        with closing(opened):
            if are_approved:
                with access.Change(opened):
                    approvals.change(place, {shared_item.digest(TEAM, item): item.id for item in items})
            taken = local_copy.take(opened, place, effective.load(place), TEAM, items)
            assert len(taken.new) == ITEMS - len(taken.refused)
            assert taken.waiting == (0 if are_approved else len(taken.new))
            assert len(taken.new) > 0.99 * ITEMS  # a few look like secrets
            access.rewrite(opened)
    return hooks


@pytest.fixture(scope="module", params=["waiting", "approved"])
def with_items(request, tmp_path_factory):
    hooks = pulled(tmp_path_factory.mktemp("pulled"), request.param == "approved")
    hooks.budget = APPROVED if request.param == "approved" else BUDGET
    return hooks


@pytest.fixture(scope="module")
def bare(with_items):
    return least(with_items, [with_items.python, "-I", "-S", "-c", "pass"], b"")


@pytest.mark.parametrize("event", HOT)
def test_an_event_beside_the_items_of_a_team_stays_within_its_budget(with_items, bare, event):
    count = least(with_items, with_items.direct(event), events(with_items)[event])
    print(f"{event}: {count / 1e6:.1f} million, {count / bare:.3f} times a bare interpreter; budget {with_items.budget[event]}")
    assert count / bare <= with_items.budget[event]
