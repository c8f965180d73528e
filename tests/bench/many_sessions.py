"""`python -m tests.bench.many_sessions [SESSIONS]`: what years leave behind beside their rows, and whether a start stays as quick.

Each session is a start, a prompt, a page, a failing command, an answer that repeats the page or not, and its end; its clock says an
hour later than that of the one before. Every hundredth goes through the hooks' door, in forks, the others through the functions
behind it in this process. Nothing is learned, since that is a process of its own whose clock would be the machine's. Printed twenty
times, with the difference per 1,000 sessions at the end. Backups, of which there are few, hold the same rows again.
"""

import contextlib
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.core import project as projects
from ralph_mem.core.project import Activity
from ralph_mem.interfaces.hooks import answer
from ralph_mem.memory import opening
from tests.bench.memory_of import Words, at_home
from tests.faults.quick import QuickHook
from tests.hook import HANGS_S, INTERPRETER, NAMES, install
from tests.launcher import Launcher
from tests.sessions import Session

SESSIONS, MARKS = 20_000, 20
STEP_S = 3600
THROUGH_DOOR = 100  # the least number of sessions of which one goes that way
STARTS = 5  # of which the quickest counts: others may be at work
MUST_KB = 100  # per 1,000 sessions, beyond their rows
# A session, what was asked and done in it, what was told of it, and what finds it again.
ROWS = ("sessions", "turns", "observations", "memories", "receipts", "receipt_items", "memory_fts", "observations_fts")
# Each event is a fork of its own at its time, and all of a session are told to the launcher at once; prints what the last one took.
EVENTS = """
import door, os, resource, time
def enter(at, name, text):
    (out, into), nowhere = os.pipe(), os.open(os.devnull, os.O_WRONLY)
    os.write(into, text.encode())
    os.close(into)
    os.dup2(out, 0)
    os.dup2(nowhere, 1)
    time.time, time.time_ns = lambda: at, lambda: int(at * 1e9)
    door.enter(os.path.dirname(door.__file__), [name])
for event in given:
    child = os.fork()
    if not child:
        try:
            enter(*event)
        finally:
            os._exit(0)
    _, status, usage = os.wait4(child, 0)
    assert status == 0, event
os.write(1, str(usage.ru_utime + usage.ru_stime).encode())
"""
Mark = namedtuple("Mark", "sessions rows_kb other_kb files files_kb backups start_ms")


class Dated(QuickHook):
    """A session whose hooks see another clock."""

    now = 0.0
    waiting: "list[tuple[float, str, str]]"

    def send(self, name: str, data: bytes) -> "dict[str, str]":
        """Keep an event until all of its session are known."""
        self.now += 1
        self.waiting.append((self.now, NAMES[name], data.decode()))
        return {}

    def flush(self) -> float:
        """Let the events happen; returns how many seconds of the processor the last one took."""
        where = {"env": self.environment, "cwd": str(self.project)}
        ran = self.launcher.run(b"", HANGS_S, code=EVENTS, given=self.waiting, **where)
        assert (ran.code, ran.err) == (0, b""), ran
        self.waiting = []
        return float(ran.out)


def _later(first: Dated, now: float) -> Dated:
    session = first.another()
    session.now, session.waiting = now, []
    return session


def main() -> None:
    """Print what lies there after each twentieth of the sessions."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder:
        plugin = install(Path(folder, "plugin"))
        with contextlib.closing(Launcher(INTERPRETER, plugin)) as launcher:
            first = Dated(Path(folder, "person"), plugin, launcher)
            first.environment |= {"RALPH_MEM_MEMORY_LEARN": "off", "RALPH_MEM_MEMORY_WORKER": "off"}
            first.now = time.time() - (count + 24) * STEP_S  # files that are new are not older than they seem
            marks = list(_marks(first, count))
    one, last = marks[len(marks) // 4], marks[-1]
    thousands = (last.sessions - one.sessions) / 1000
    beyond = (last.other_kb + last.files_kb - one.other_kb - one.files_kb) / thousands
    print(f"beyond their rows, per 1,000 sessions of the last three quarters: {beyond:.1f} KB (must {MUST_KB})")
    print(f"a start at the end, to one after a quarter: {last.start_ms / one.start_ms:.2f}")


def _marks(first: Dated, count: int) -> "list[Mark]":
    words, drawn, found = Words(seed=11), random.Random(11), []
    print(f"{'sessions':>9} {'rows KB':>10} {'other KB':>9} {'files':>6} {'files KB':>9} {'backups':>7} {'start ms':>9}")
    _by_door(_later(first, first.now), words, drawn)  # which makes the memory
    with at_home(first.home):
        place = projects.find(str(first.project))
        with contextlib.closing(opening.open_ready(place)) as opened:
            for number in range(1, count + 1):
                session = _later(first, first.now + number * STEP_S)
                if number % THROUGH_DOOR:
                    _in_process(Session(opened, place, session.session, int(session.now * 1000)), words, drawn)
                else:
                    _by_door(session, words, drawn)
                _date(session)
                if number % max(count // MARKS, 1) == 0:
                    found.append(_mark(session, number))
                    _say(found[-1])
    return found


def _say(each: Mark) -> None:
    print(
        f"{each.sessions:>9,} {each.rows_kb:>10,.0f} {each.other_kb:>9,.0f} {each.files:>6} {each.files_kb:>9,.1f}"
        f" {each.backups:>7} {each.start_ms:>9.2f}",
        flush=True,
    )


def _said(words: Words, drawn: random.Random) -> "tuple[str, str, str, str]":
    """Return a prompt, a page, an error, and an answer that may repeat the page."""
    page = words.text(600)
    return words.text(90), page, "Exit code 2\nerror: " + words.text(700), words.text(200) + drawn.choice(["", page[:200]])


def _by_door(session: Dated, words: Words, drawn: random.Random) -> None:
    prompt, page, error, answer = _said(words, drawn)
    session.start()
    session.prompt(prompt)
    session.tool("WebFetch", {"url": f"https://wares.example/{drawn.random()}", "prompt": "?"}, {"result": page})
    session.bash_failed("make bulbs", error)
    session.stop(answer)
    session.end()
    session.flush()


def _in_process(session: Session, words: Words, drawn: random.Random) -> None:
    prompt, page, error, said = _said(words, drawn)
    session.starts()
    session.asks(prompt)
    session.uses("WebFetch", {"result": page}, url=f"https://wares.example/{drawn.random()}", prompt="?")
    session.runs("make bulbs", error=error)
    session.is_answered(said)
    answer.afterwards(session.store, Activity("answer", session=session.name, at=session.now), session.settings)
    session.sends("session-end", reason="other")


def _date(session: Dated) -> None:
    """Let the file with what this session heard be as old as its clock says; by that it is let go of."""
    file = session.memory / paths.HEARD / paths.key_of(session.session)
    if file.exists():
        os.utime(file, (session.now, session.now))


def _mark(session: Dated, number: int) -> Mark:
    with contextlib.closing(sqlite3.connect(session.database)) as opened:
        sizes = dict(opened.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        tables = dict(opened.execute("SELECT name, tbl_name FROM sqlite_master"))
    rows = sum(size for name, size in sizes.items() if tables.get(name, name).startswith(ROWS))
    around = [Path(place, name) for root in (session.memory, session.data) for place, _, names in os.walk(root) for name in names]
    backups = [path for path in around if path.is_relative_to(session.data / "backups")]
    others = [path for path in around if path not in backups and not path.name.startswith("memory.db")]
    starts = []
    for _ in range(STARTS):
        other = _later(session, session.now)
        other.start()
        starts.append(other.flush())
        other.end()
        other.flush()
    bytes_of = [path.stat().st_size for path in others if path.exists()]
    other_kb = (sum(sizes.values()) - rows) / 1024
    return Mark(number, rows / 1024, other_kb, len(others), sum(bytes_of) / 1024, len(backups), min(starts) * 1000)


if __name__ == "__main__":
    began = time.monotonic()
    main()
    print(f"{time.monotonic() - began:.0f} s")
