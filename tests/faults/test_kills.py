"""Three writers at once, killed without warning again and again: what was acknowledged is there, and the memory is whole."""

import itertools
import json
import random
import threading

import pytest

pytestmark = pytest.mark.check  # hundreds of kills

SEED = 1729
WRITERS = 3
KILLS = [
    pytest.param(100, id="100 kills"),
    pytest.param(10_000, id="10,000 kills", marks=[pytest.mark.nightly, pytest.mark.timeout(3600)]),
]

# What an event takes at first, and at most, of the time that a writer has until it is killed.
FIRST_PACE_S, SLOWEST_PACE_S, EVENTS_OF_A_LIFE = 0.003, 0.2, 16

# Runs in a fork of the launcher until it is killed: events like those of hooks, each with a connection of its own that is never
# closed, while its lock goes, as with the process of a hook: or nobody could ever empty the log, and each life would begin by
# reading all of it. An id goes to the file of acknowledgements once its event is committed, or waits in the spool.
WRITE = """
import posix
from ralph_mem.memory.rows import draining, records
from ralph_mem.core.redaction import gate
from ralph_mem.core import spool
from ralph_mem.core.errors import StoreError
from ralph_mem.memory.store import connection

project, session, acknowledged, writer = given
file = posix.open(acknowledged, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT, 0o600)
row = {"verb": "observation", "session": session, "turn": "", "type": "tool_use", "origin": "tool", "tool_name": "Bash",
       "files": "", "lines": "", "metadata": None, "agent_id": None, "agent_type": None, "tainted": 0, "redactions": None,
       "redaction_version": gate.RULES_VERSION}
number, kept = 0, []
while True:
    name = f"{writer}:{number}"
    row.update(event_id=name, at=number, title=f"make part {name}", content=f"part {name} is made\\n" * 40)
    try:
        opened = connection.connect(project + "/.ralph-mem", connection.TOOL_WAIT_MS)
        kept.append(opened)
        opened.begin(durable=number % 7 == 0)
        drained = draining.drain(opened, project)
        records.apply(opened, row)
        opened.commit()
        spool.remove(drained)
        stored = True
    except (StoreError, connection.sqlite.Error):
        stored = spool.put(project, [row])
    if stored:
        posix.write(file, name.encode() + b"\\n")
    if kept and kept[-1].lock >= 0:
        try:
            if number % 11 == 10:
                kept[-1].tidy()
        except connection.sqlite.Error:
            pass
        posix.close(kept[-1].lock)
        kept[-1].lock = -1
    number += 1
"""


def kill_writers(hook, wanted):
    """Let three writers work and be killed at random moments, so many times in all; returns the kills that were."""
    numbers, killed, lives = itertools.count(), [], threading.Semaphore(wanted)

    def keep_killing(writer):
        dice, pace = random.Random(SEED + writer), FIRST_PACE_S
        while lives.acquire(blocking=False):
            name, after = f"{writer}-{next(numbers)}", pace * dice.uniform(0, EVENTS_OF_A_LIFE)
            file = hook.home / f"acknowledged-{name}"
            given = [str(hook.project), hook.session, str(file), name]
            where = {"env": hook.environment, "cwd": str(hook.project)}
            killed.append(hook.launcher.run(code=WRITE, given=given, kill_after=after, **where))
            done = file.read_bytes().count(b"\n") if file.exists() else 0
            # a machine that does other things as well gives each life more time
            pace = min(max((pace + after / done) / 2 if done else pace * 1.5, FIRST_PACE_S), SLOWEST_PACE_S)

    threads = [threading.Thread(target=keep_killing, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return killed


def acknowledged(hook):
    """Return the ids in the files of acknowledgements; a last line without its end was none."""
    files = [path.read_text() for path in hook.home.glob("acknowledged-*")]
    return [line for text in files for line in text[: text.rfind("\n") + 1].splitlines()]


def waiting(hook):
    return [record["event_id"] for path in hook.spooled() for record in json.loads(path.read_text())]


@pytest.mark.parametrize("kills", KILLS)
def test_a_kill_at_any_moment_loses_nothing_acknowledged_and_leaves_memory_and_index_whole(a_quick_session, kills):
    hook = a_quick_session
    killed = kill_writers(hook, kills)
    assert [ran for ran in killed if (ran.code, ran.err) != (-9, b"")] == [] and len(killed) == kills
    asked = acknowledged(hook)
    assert len(asked) > kills, "most were killed before they had done anything"
    there = set(hook.values("SELECT event_id FROM observations")) | set(waiting(hook))
    assert [name for name in asked if name not in there] == []
    hook.stop()
    stored = hook.values("SELECT event_id FROM observations")
    assert set(stored) == there and len(stored) == len(there)
    assert hook.spooled() == []
    assert hook.damage() == []
    assert hook.left_behind() == []
    print(
        f"{kills} kills, {WRITERS} writers, seed {SEED}: {len(asked)} acknowledged, 0 lost, {len(stored) - len(asked)} more stored"
    )
