"""What the reliability tests count, for the table of `make bench`: the same code as in the tests, with the same seed."""

import contextlib
import tempfile
from pathlib import Path

from ralph_mem.memory.store import schema
from tests.faults import test_kills, test_matrix, test_migrations, test_side_by_side, test_strange_events
from tests.faults.matrix import MATRIX
from tests.faults.quick import QuickHook
from tests.hook import INTERPRETER, install
from tests.launcher import Launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = test_kills.SEED
KILLS, STRANGE, SESSIONS, EVENTS = 100, 1000, 50, 2000


def rows() -> "list[tuple[str, str, str, bool]]":
    """Return (name, figure, must, met) of each."""
    with tempfile.TemporaryDirectory(prefix="ralph-mem-reliability-") as folder:
        plugin = install(Path(folder, "plugin"))
        launcher = Launcher(INTERPRETER, plugin)
        with contextlib.closing(launcher):
            people = (QuickHook(Path(folder, f"person-{number}"), plugin, launcher) for number in range(9))
            return [_proven(), _killed(next(people)), _migrated(people), _strange(next(people)), _side_by_side(next(people))]


def _proven() -> "tuple[str, str, str, bool]":
    proven = sum(not test_matrix.missing(row) for row in MATRIX)
    return "rows of the fault matrix with their tests", f"{proven} of {len(MATRIX)}", "44 of 44", proven == test_matrix.ROWS


def _killed(hook: QuickHook) -> "tuple[str, str, str, bool]":
    hook.start()
    test_kills.kill_writers(hook, KILLS)
    asked = test_kills.acknowledged(hook)
    hook.stop()
    lost = len(set(asked) - set(hook.values("SELECT event_id FROM observations")))
    figure = f"{lost} lost of {len(asked):,}, {len(hook.damage())} damages"
    return (
        f"acknowledged rows after {KILLS} kills of three writers, seed {SEED}",
        figure,
        "0 lost, 0 damages",
        not (lost or hook.damage()),
    )


def _migrated(people: "Iterator[QuickHook]") -> "tuple[str, str, str, bool]":
    kills, between = 0, 0
    for version in range(schema.VERSION):
        counted, wrong = test_migrations.kill_each_statement(next(people), version)
        kills, between = kills + counted, between + len(wrong)
    return f"migrations killed at each of {kills} statements", f"{between} in between", "0", not between


def _strange(hook: QuickHook) -> "tuple[str, str, str, bool]":
    hook.start()
    broke = len(test_strange_events.send_strange(hook, STRANGE, test_strange_events.SEED))
    return f"strange events, seed {test_strange_events.SEED}", f"{broke} of {STRANGE:,} broke", "0", not broke


def _side_by_side(hook: QuickHook) -> "tuple[str, str, str, bool]":
    hook.start()
    _, ran = test_side_by_side.side_by_side(hook, SESSIONS, EVENTS, QuickHook.run)
    hook.stop()
    lost, left = EVENTS - hook.values("SELECT count(*) FROM observations")[0], len(hook.left_behind())
    figure = f"{lost} lost, {left} processes left, {max(each.peak_mb for each in ran):.0f} MB"
    return f"{EVENTS:,} tool events of {SESSIONS} sessions at once", figure, "0 lost, 0 left, 64 MB", not (lost or left)
