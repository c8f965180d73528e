"""What an event costs beside 50,000 items that a team shares: what it costs without them, in instructions."""

from contextlib import closing

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance.team import local_copy
from ralph_mem.memory import access, opening
from tests.bench import memory_of
from tests.bench.processes import has
from tests.bench.test_instructions import BUDGET, events, filled, least
from tests.maintenance.team.situations import an_item

ITEMS = 50_000
TEAM = "shop"
HOT = ("post-tool-use", "user-prompt-submit", "session-start")

pytestmark = [
    pytest.mark.nightly,  # to take 50,000 in takes minutes
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(not has("valgrind"), reason="valgrind is not installed, so no instructions can be counted"),
]


def pulled(folder):
    """Make the memory of the budgets with as many items of a team; returns what runs its hooks."""
    hooks = filled(folder)
    words = memory_of.Words(seed=13)
    names = ["obs-" + f"{number:010}".translate(str.maketrans("01", "ab")) for number in range(ITEMS)]
    items = [an_item(name, words.text(90), at=memory_of.NOW_MS - number) for number, name in enumerate(names)]
    with memory_of.at_home(folder / "home"):
        place = Project(hooks.root)
        opened = opening.open_ready(place)
        with closing(opened):
            taken = local_copy.take(opened, place, effective.load(place), TEAM, items)
            assert len(taken.new) == taken.waiting == ITEMS - len(taken.refused)
            assert len(taken.new) > 0.99 * ITEMS  # a few look like secrets
            access.rewrite(opened)
    return hooks


@pytest.fixture(scope="module")
def with_items(tmp_path_factory):
    return pulled(tmp_path_factory.mktemp("pulled"))


@pytest.fixture(scope="module")
def bare(with_items):
    return least(with_items, [with_items.python, "-I", "-S", "-c", "pass"], b"")


@pytest.mark.parametrize("event", HOT)
def test_an_event_beside_the_items_of_a_team_stays_within_the_budget_of_one_without(with_items, bare, event):
    count = least(with_items, with_items.direct(event), events(with_items)[event])
    print(f"{event}: {count / 1e6:.1f} million, {count / bare:.3f} times a bare interpreter; budget {BUDGET[event]}")
    assert count / bare <= BUDGET[event]
