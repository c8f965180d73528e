"""What a person may not want of the memory, each with a switch of its own, in every combination: `memory.learn` rules over two."""

import itertools
import time

import pytest

from ralph_mem.maintenance import tending
from ralph_mem.memory.facts import taking
from ralph_mem.memory.rows import facts, relations
from tests.sessions import DAY

SWITCHES = ("memory.learn", "memory.relations", "memory.mining", "memory.auto_inject")
OWNED = "Maria owns the payments service."
TAUGHT = "Always run `make check` before you push."


@pytest.fixture
def lived_in(a_session):
    """Have a fact about an owner, a command that fails in session after session, and a prompt to learn from."""
    a_session.now = time.time_ns() // 1_000_000 - 4 * DAY
    a_session.store.begin()
    taking.take(a_session.store, taking.Statement(OWNED, facts.FACT, facts.ADD, a_session.now), a_session.now)
    a_session.store.commit()
    for name in ("one", "two", "three"):
        a_session.name = name
        a_session.starts()
        a_session.asks(TAUGHT if name == "three" else "Have a look at the deployment.")
        a_session.runs("make deploy", error="Exit code 2\nmake: *** [deploy] Error 2")
        a_session.is_answered("It failed.")
        a_session.sends("session-end", reason="other")
    return a_session


@pytest.mark.check
@pytest.mark.parametrize("on", list(itertools.product([True, False], repeat=len(SWITCHES))))
def test_what_is_switched_off_does_not_happen_and_the_rest_does(lived_in, on):
    lived_in.settings.update(zip(SWITCHES, on, strict=True))
    tending.tend(lived_in.store, lived_in.project, lived_in.settings, 50, time.monotonic() + 60)
    found = {fact.kind for fact in facts.of_status(lived_in.store, facts.CANDIDATE)}
    lived_in.name = "another"
    told = lived_in.starts()
    happened = (facts.RULE in found, bool(relations.query(lived_in.store)), facts.PATTERN in found, OWNED in told)
    learns, relates, mines, tells = on
    assert happened == (learns, learns and relates, learns and mines, tells)
