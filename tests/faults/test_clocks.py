"""Clocks (row 20): one that jumps, and a zone whose nights have an hour twice or not at all.

Order is that of the events, a jump of more than a day takes nothing away unasked, and what is shown is the time on the wall.
"""

import calendar
import re
import subprocess
import sys
import time

import pytest

from ralph_mem.memory.rows.retention import DAY_MS
from tests.faults.quick import QuickHook
from tests.hook import HANGS_S, NAMES, REPOSITORY

HOUR_MS, YEAR_MS = 3_600_000, 365 * DAY_MS
BERLIN = "Europe/Berlin"
NOON = 1_767_268_800_000  # 2026-01-01 12:00 UTC

# Before a hook, or a command, begins: it is another time, in another zone.
ANOTHER_TIME = """
import posix, time
at, zone = given[:2]
time.time_ns = lambda: at * 10**6  # it stands still, so that a slow machine changes nothing
posix.putenv(b"TZ", zone.encode())
time.tzset()
"""
ENTER = ANOTHER_TIME + "import door; door.enter(door.__file__.rpartition('/')[0], [given[2]])"
COMMAND = (
    "import sys; given = [int(sys.argv.pop(1)), sys.argv.pop(1)]"
    + ANOTHER_TIME
    + "from ralph_mem.interfaces.cli.__main__ import main; main()"
)
DUE = """
from ralph_mem.memory import opening
from ralph_mem.memory.rows import retention
from ralph_mem.core.settings import effective
from ralph_mem.core.project import Project
project = Project(given[0])
print(*retention.due(opening.open_ready(project), effective.load(project), given[1]), flush=True)
"""


class Clocked(QuickHook):
    """A session at another time: `at` is the clock of its next events in milliseconds, `zone` where they happen."""

    at, zone = NOON, "UTC"

    def run(self, name, data=b""):
        where = {"env": self.environment, "cwd": str(self.project), "given": [self.at, self.zone, NAMES.get(name, name)]}
        return self.launcher.run(data, HANGS_S, code=ENTER, **where)

    def command(self, *words):
        """Run a command of a person at that time and place; returns what it printed."""
        environment = {"HOME": str(self.home), "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY)}
        order = [sys.executable, "-c", COMMAND, str(self.at), self.zone, *words]
        ran = subprocess.run(order, env=environment, cwd=self.project, capture_output=True, text=True, timeout=60)
        assert (ran.returncode, ran.stderr) == (0, ""), ran
        return ran.stdout


@pytest.fixture
def a_clocked_session(tmp_path, plugin, a_launcher):
    """Make a person whose clock can be set."""
    return Clocked(tmp_path / "person", plugin, a_launcher)


def ms(text):
    """Return a time of UTC in milliseconds."""
    return calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M")) * 1000


def has_a_session(hook, word):
    """Have a session with one turn and one command, at the time that it is."""
    other = hook.another()
    other.start()
    other.prompt(f"Where is zeppelin {word}?")
    other.bash(f"make {word}", "made")
    other.stop(f"At mast {word}.")
    other.end()


def limit_to(hook, days, most):
    """Let an output be old after so many days, where there are more than so many."""
    hook.memory.joinpath("config.yaml").write_text(f"memory:\n  max_observations: {most}\n  retention_days: {days}\n")


def bodies(hook):
    return hook.values("SELECT count(*) FROM observations WHERE content <> ''")[0]


# A clock that jumps


@pytest.mark.check
@pytest.mark.parametrize(
    "jump", [-HOUR_MS, HOUR_MS, -10 * YEAR_MS, 10 * YEAR_MS], ids=["an hour back", "an hour on", "ten years back", "ten years on"]
)
def test_a_clock_that_jumps_changes_neither_the_order_nor_what_is_kept(a_clocked_session, jump):
    hook = a_clocked_session
    hook.start()
    hook.prompt("When is it?")
    for number in range(20):
        hook.at = NOON + jump * (number % 2)
        hook.bash(f"make part {number}", f"part {number} is made")
    for _ in range(2):
        hook.stop("It is late.")
    wanted = [(f"make part {number}", f"part {number} is made") for number in range(20)]
    assert hook.rows("SELECT title, content FROM observations ORDER BY seq") == wanted
    spread = hook.values("SELECT max(created_at) - min(created_at) FROM observations")[0]
    assert spread == abs(jump)  # the clock did jump
    assert hook.damage() == []


@pytest.mark.check
@pytest.mark.parametrize("days", [2, 40, 3650])
def test_after_a_jump_of_more_than_a_day_what_would_be_due_stays_until_a_person_confirms(a_clocked_session, days):
    hook = a_clocked_session
    hook.start()
    limit_to(hook, days=1, most=2)
    for number in range(6):
        hook.bash(f"./blow part-{number}", "blown")
    hook.stop("It is noon.")
    hook.at += days * DAY_MS
    given = {"given": [str(hook.project), hook.at], "env": hook.environment, "cwd": str(hook.project)}
    assert hook.launcher.run(b"", HANGS_S, code=DUE, **given).out == b"4 20\n"
    for _ in range(5):
        hook.stop("It is noon.")
        hook.at += 2 * HOUR_MS
    hook.another().start()
    assert bodies(hook) == 6
    assert "4" in hook.command("compress") and bodies(hook) == 6
    hook.command("compress", "--confirm")
    assert bodies(hook) == 2


def test_without_a_jump_the_same_is_left_out_when_it_is_due(a_clocked_session):
    hook = a_clocked_session
    hook.start()
    limit_to(hook, days=1, most=2)
    for number in range(6):
        hook.bash(f"./blow part-{number}", "blown")
    left = []
    for _ in range(3):
        hook.stop("It is noon.")
        left.append(bodies(hook))
        hook.at += DAY_MS + HOUR_MS
    assert left == [6, 3, 2]  # three a Stop


# A night with an hour twice, and one without it: in Berlin 03:00 is 02:00 again on October 25, and 02:00 is 03:00 on March 29

NIGHTS = {
    "an hour twice": {
        "2026-10-24 23:30": "2026-10-25 01:30",
        "2026-10-25 00:30": "2026-10-25 02:30",
        "2026-10-25 01:30": "2026-10-25 02:30",
        "2026-10-25 02:30": "2026-10-25 03:30",
    },
    "an hour missing": {
        "2026-03-29 00:30": "2026-03-29 01:30",
        "2026-03-29 00:59": "2026-03-29 01:59",
        "2026-03-29 01:00": "2026-03-29 03:00",
        "2026-03-29 01:30": "2026-03-29 03:30",
    },
}
WORDS = ("before", "early", "late", "after")


@pytest.mark.check
@pytest.mark.parametrize("night", NIGHTS)
def test_sessions_around_such_an_hour_stay_in_order_and_are_shown_by_the_clock_on_the_wall(a_clocked_session, night):
    hook = a_clocked_session
    hook.zone = BERLIN
    for utc, word in zip(NIGHTS[night], WORDS, strict=True):
        hook.at = ms(utc)
        has_a_session(hook, word)
    assert hook.values("SELECT title FROM observations ORDER BY seq") == [f"make {word}" for word in WORDS]
    kept = hook.values("SELECT created_at FROM turns ORDER BY seq")
    assert kept == [ms(utc) for utc in NIGHTS[night]]  # the length of the night is the real one
    ended = hook.values("SELECT ended_at - started_at FROM sessions ORDER BY id")
    assert ended == [0, 0, 0, 0]
    shown = dict(re.findall(r"(turn-\w+)  (\d{4}-\d\d-\d\d \d\d:\d\d)", hook.command("search", "zeppelin")))
    assert [shown[name] for name in hook.values("SELECT public_id FROM turns ORDER BY seq")] == list(NIGHTS[night].values())


# Day of Berlin -> moments of UTC just outside and inside of it: it has 25 hours, or 23.
DAYS = {
    ("2026-10-25", "2026-10-26"): ("2026-10-24 21:59", "2026-10-24 22:01", "2026-10-25 22:59", "2026-10-25 23:01"),
    ("2026-03-29", "2026-03-30"): ("2026-03-28 22:59", "2026-03-28 23:01", "2026-03-29 21:59", "2026-03-29 22:01"),
}


@pytest.mark.check
@pytest.mark.parametrize(("since", "until"), DAYS)
def test_a_day_of_25_hours_or_of_23_is_that_day(a_clocked_session, since, until):
    hook = a_clocked_session
    hook.zone = BERLIN
    for utc, word in zip(DAYS[since, until], WORDS, strict=True):
        hook.at = ms(utc)
        has_a_session(hook, word)
    said = hook.command("search", "zeppelin", "--since", since, "--until", until)
    assert [word for word in WORDS if f"zeppelin {word}" in said] == ["early", "late"]


def two_days_of_stops(hook, zone, first):
    """Have a Stop every hour from a time on; returns when outputs lost their body, and of which days there are backups."""
    hook.zone, hook.at = zone, first
    hook.start()
    limit_to(hook, days=1, most=1)
    for number in range(4):
        hook.bash(f"./blow part-{number}", "blown")
    for _ in range(52):
        hook.stop("It is an hour later.")
        hook.at += HOUR_MS
    when = hook.values("SELECT emptied_at FROM observations WHERE emptied_at NOT NULL")
    backups = sorted(path.name[-13:-3] for path in (hook.data / "backups").iterdir())
    return when, backups


@pytest.mark.check
@pytest.mark.parametrize(
    ("first", "gone", "days"),
    [
        ("2026-10-24 22:30", "2026-10-26 00:30", ["2026-10-25", "2026-10-27"]),
        ("2026-03-28 22:30", "2026-03-30 00:30", ["2026-03-29", "2026-03-31"]),
    ],
    ids=NIGHTS,
)
def test_such_an_hour_confuses_neither_what_is_old_nor_the_backups_of_the_day(
    tmp_path, plugin, a_launcher, monkeypatch, first, gone, days
):
    found = {
        zone: two_days_of_stops(Clocked(tmp_path / zone.replace("/", "-"), plugin, a_launcher), zone, ms(first))
        for zone in ("UTC", BERLIN)
    }
    assert found["UTC"] == found[BERLIN] == ([ms(gone)] * 3, days)


def test_the_zone_is_known_here(a_clocked_session):
    """Or the nights above would have no such hour, and prove nothing."""
    hook = a_clocked_session
    code = ANOTHER_TIME + "print(time.localtime(1792888200).tm_hour, time.localtime(1792891800).tm_hour, flush=True)"
    where = {"env": hook.environment, "cwd": str(hook.folder), "given": [NOON, BERLIN]}
    assert hook.launcher.run(b"", HANGS_S, code=code, **where).out == b"2 2\n"
