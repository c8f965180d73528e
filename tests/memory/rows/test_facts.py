"""Facts as they are stored."""

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.facts import taking
from ralph_mem.memory.rows import facts
from tests.sessions import DAY, NOON

KNOWN = {
    "valid_from": NOON - DAY, "valid_until": NOON + DAY, "recorded_at": NOON + 1, "retired_at": NOON + 2,
    "retired_why": "obs-aaaaaaaaaa", "expires_at": NOON + 3, "semantic": 0.25, "episodic": 0.5, "procedural": 1.0,
    "touched_clock": 7, "touched_at": NOON + 4, "helpful": 3, "harmful": 2,
    "anchors": [{"path": "shop/cart.py", "symbol": "total"}],
}  # fmt: skip


def take(store, **known):
    statement = taking.Statement("Totals come from the cart.", facts.FACT, facts.ADD, NOON, aliases="sums", **known)
    store.begin()
    taken = taking.take(store, statement, NOON)
    store.commit()
    return facts.of_id(store, taken.public_id)


def test_a_fact_comes_back_with_all_that_is_known_of_it(a_store):
    found = take(a_store, **KNOWN)
    assert (found.text, found.aliases, found.kind, found.status) == ("Totals come from the cart.", "sums", "fact", "active")
    assert {name: getattr(found, name) for name in KNOWN} == KNOWN


@pytest.mark.parametrize(("kind", "status"), [("gossip", "active"), ("fact", "believed")])
def test_an_unknown_kind_or_status_is_refused(a_store, kind, status):
    known = {"kind": kind, "status": status, "source": "add", "text_key": "key", "said_at": NOON}
    with pytest.raises(RalphMemError, match=f"no fact is a {kind} that is {status}"):
        facts.add(a_store, 1, known)
