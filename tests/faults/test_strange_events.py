"""A thousand strange events: none breaks or delays a session, and the memory takes the next one as if nothing had been."""

from dataclasses import dataclass

import pytest

from tests.faults.strange_events import EVENTS, Strange
from tests.hook import PATIENCE, Hook, answer_of

SEED = 1729
RUNS = [pytest.param(1000, id="1,000 runs"), pytest.param(10_000, id="10,000 runs", marks=pytest.mark.nightly)]
# One in so many goes through the manifest's command line and an interpreter of its own.
REAL = 20
PATIENCE_S = min(PATIENCE.values())


@dataclass
class Broken:
    """An event that was not taken as it should be."""

    run: int
    name: str
    data: bytes
    why: object


def breach(hook, name, ran):
    """Say what is wrong with what a hook did, if anything."""
    if (ran.code, ran.err) != (0, b"") or ran.seconds > PATIENCE_S:
        return ran
    try:
        answer_of(name, ran.out)
    except (AssertionError, ValueError) as error:
        return error
    return None


def send_strange(hook, runs, seed):
    """Send so many strange events; returns those that broke something."""
    strange, broken = Strange(hook, seed), []
    for run in range(runs):
        name, data = strange.event()
        ran = Hook.run(hook, name, data) if run % REAL == 0 else hook.run(name, data)
        why = breach(hook, name, ran)
        broken += [Broken(run, name, data, why)] if why else []
    return broken


@pytest.mark.check
@pytest.mark.parametrize("runs", RUNS)
def test_no_strange_event_breaks_or_delays_a_session(a_quick_session, runs):
    hook = a_quick_session
    before = hook._elsewhere()
    assert send_strange(hook, runs, SEED) == []
    assert hook._elsewhere() == before
    assert hook.nothing_left()
    assert [path.name for path in hook.data.glob("spool/*/*")] == []
    hook.bash("make mast", "made")
    assert hook.values("SELECT title FROM observations ORDER BY id DESC LIMIT 1") == ["make mast"]
    assert hook.damage() == []
    print(f"{runs} strange events of {len(EVENTS)} kinds, {runs // REAL} through processes of their own, seed {SEED}: 0 broke")


@pytest.mark.check
def test_strange_events_are_strange_and_yet_often_stored(a_quick_session):
    """If none of them got as far as the tables, or all did, there would be little to learn from them."""
    strange = Strange(a_quick_session, SEED)
    events = [strange.event() for _ in range(300)]
    assert len(set(events)) > 250
    for name, data in events:
        a_quick_session.run(name, data)
    stored = (
        a_quick_session.values("SELECT count(*) FROM observations")[0] + a_quick_session.values("SELECT count(*) FROM turns")[0]
    )
    assert 60 < stored < 240
