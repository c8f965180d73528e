"""Trials: faults that are tried on this machine, on a throwaway memory with the real hooks, to see them met as expected."""

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections import namedtuple
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import ralph_mem
from ralph_mem.core.errors import RalphMemError
from ralph_mem.doctor.stage import Stage, Unmet

# `row` is the number of the fault in the project's list of faults.
Trial = namedtuple("Trial", "row fault expected act")
Result = namedtuple("Result", "row fault expected outcome")
MET, SKIPPED = "ok", "skipped"


def run(announce: Callable[[str, int], object] = lambda *_: None) -> list[Result]:
    """Try every fault in a place of its own; `announce` hears before each what it is, and how many are done."""
    hooks = Path(ralph_mem.__file__).parents[1] / "hooks"
    if not (hooks / "run").is_file():
        raise RalphMemError("the hooks are not beside this package", "run it from the folder of the plugin")
    results = []
    for number, trial in enumerate(TRIALS):
        announce(trial.fault, number)
        with tempfile.TemporaryDirectory(prefix="ralph-mem-trial-") as folder:
            results.append(Result(trial.row, trial.fault, trial.expected, _outcome(trial, Stage(Path(folder), hooks))))
    return results


def has_failed(result: Result) -> bool:
    """Say whether a fault was not met as expected."""
    return not result.outcome.startswith((MET, SKIPPED))


def _outcome(trial: Trial, stage: Stage) -> str:
    try:
        told = trial.act(stage)
    except Unmet as error:
        return f"failed: {error}"
    except (OSError, sqlite3.Error, subprocess.SubprocessError, ValueError, KeyError) as error:
        return f"failed: {type(error).__name__}: {error}"
    return f"{SKIPPED}: {told}" if told else MET


def locked(stage: Stage) -> None:
    """Let somebody else write for as long as a command of the agent takes."""
    stage.fire("SessionStart")
    with closing(stage.connect()) as db:
        db.execute("BEGIN IMMEDIATE")
        stage.tool("make mast")
        stage.expect(stage.waiting() == 1, "the event did not wait")
    stage.stop()
    stage.stop()
    stage.expect(stage.values("SELECT title FROM observations") == ["make mast"], "the event is not there once")


def disk_full(stage: Stage) -> None:
    """Allow no file to grow."""
    stage.remember()
    stage.limits = {resource.RLIMIT_FSIZE: 0}
    stage.tool("make mast")
    stage.stop()
    stage.limits = {}
    stage.still_remembers()


def read_only(stage: Stage) -> str:
    """Take the right to write from the memory."""
    if os.geteuid() == 0:
        return "root may write everywhere"
    stage.remember()
    stage.memory.chmod(0o500)
    try:
        told = json.dumps(stage.fire("SessionStart"))
    finally:
        stage.memory.chmod(0o700)
    stage.expect("zeppelin" in told, "what is remembered was not told")
    return ""


def no_permission(stage: Stage) -> str:
    """Close the memory even to its owner."""
    if os.geteuid() == 0:
        return "root may enter everywhere"
    stage.remember()
    stage.memory.chmod(0o000)
    try:
        stage.stop()
        stage.fire("SessionStart")
    finally:
        stage.memory.chmod(0o700)
    return ""


def damaged(harm: Callable[[Path], object]) -> Callable[[Stage], None]:
    """Return the trial of a damaged database: silence, and the next session start repairs it and tells."""

    def act(stage: Stage) -> None:
        stage.remember()
        stage.back_up()
        stage.settle()
        harm(stage.database)
        stage.stop("In the hall.")
        stage.tool("make mast")
        stage.told("was damaged")
        stage.still_remembers()
        stage.expect(any(stage.memory.glob("damaged/*/memory.db")), "the damaged file was not kept")

    return act


def no_header(file: Path) -> None:
    """Destroy the header."""
    _over(file, 0, os.urandom(100))


def no_page(file: Path) -> None:
    """Empty the first page of the turns."""
    with closing(sqlite3.connect(file)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'turns'").fetchone()
    for name in (f"{file}-wal", f"{file}-shm"):
        Path(name).unlink(missing_ok=True)
    _over(file, (root - 1) * 4096, bytes(4096))


def cut_short(file: Path) -> None:
    """Cut off the second half."""
    os.truncate(file, file.stat().st_size // 2)


def half_migrated(file: Path) -> None:
    """Take away a part of the schema."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("DROP TABLE jobs")
        db.execute("DROP INDEX turns_in_order")


def _over(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(data)


def cut_log(stage: Stage) -> None:
    """Cut the log in its middle: what was committed before that stays."""
    stage.remember()
    stage.settle()
    stage.remember("Where is the balloon?")
    log = stage.memory / "memory.db-wal"
    os.truncate(log, log.stat().st_size // 2)
    (stage.memory / "memory.db-shm").unlink(missing_ok=True)
    stage.fire("SessionStart")
    stage.still_remembers()
    stage.is_whole()


def no_shared_index(stage: Stage) -> None:
    """Overwrite the index of the log."""
    stage.remember()
    (stage.memory / "memory.db-shm").write_bytes(os.urandom(32768))
    stage.fire("SessionStart")
    stage.still_remembers()
    stage.is_whole()


def no_log(stage: Stage) -> None:
    """Delete the log: what stood in it is gone, and that is told."""
    stage.remember()
    stage.settle()
    stage.remember("Where is the balloon?")
    for name in ("memory.db-wal", "memory.db-shm"):
        (stage.memory / name).unlink(missing_ok=True)
    stage.told("is missing")
    stage.still_remembers()


def killed(stage: Stage) -> None:
    """Kill hooks at random moments: what was acknowledged is there."""
    stage.remember()
    for _ in range(8):
        with stage.begin("PostToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_response={}) as process:
            time.sleep(random.uniform(0.005, 0.06))  # noqa: S311 - a moment, not a secret
            process.send_signal(signal.SIGKILL)
    stage.still_remembers()
    stage.is_whole()


def newer(stage: Stage) -> None:
    """Let a later release have written the memory: it is left as it is."""
    stage.remember()
    stage.settle()
    with closing(stage.connect()) as db:
        db.execute("PRAGMA user_version = 99")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = stage.database.read_bytes()
    stage.stop()
    stage.told("schema 99")
    stage.expect(stage.database.read_bytes() == before, "it was rewritten")


def deleted(stage: Stage) -> None:
    """Delete the memory in the middle of a session: it stays deleted, and the next start offers its backup."""
    stage.remember()
    stage.back_up()
    shutil.rmtree(stage.memory)
    stage.tool("make mast")
    stage.stop()
    stage.expect(not stage.memory.exists(), "it came back by itself")
    stage.told("ralph-mem restore")


def no_project(stage: Stage) -> None:
    """Delete the folder of the project."""
    stage.remember()
    shutil.rmtree(stage.project)
    stage.stop()
    stage.expect(not stage.project.exists(), "the folder came back")


def no_home(stage: Stage) -> None:
    """Take away the home."""
    stage.environment = {name: value for name, value in stage.environment.items() if name != "HOME"}
    stage.remember()
    stage.still_remembers()


def bad_events(stage: Stage) -> None:
    """Send what is no event."""
    stage.remember()
    for data in (b"", b"{", b"[]", b"null", b'{"session_id": 7}', b'{"a": "\\ud800"}', b"[" * 100_000, os.urandom(1000)):
        stage.send("PostToolUse", data)
    stage.still_remembers()


def large_event(stage: Stage) -> None:
    """Send an event of 20 MB."""
    stage.fire("SessionStart")
    stage.tool("make mast", "x" * 20_000_000)
    stage.expect(stage.values("SELECT title FROM observations") == ["make mast"], "it was not stored")


SILENT = "silent"
TRIALS = (
    Trial(1, "database locked", "waits, then comes in once", locked),
    Trial(3, "disk full", "silent, nothing lost", disk_full),
    Trial(6, "read-only", "told all the same", read_only),
    Trial(7, "no permission", SILENT, no_permission),
    Trial(8, "header damaged", "repaired and told", damaged(no_header)),
    Trial(9, "page damaged", "repaired and told", damaged(no_page)),
    Trial(11, "cut short", "repaired and told", damaged(cut_short)),
    Trial(12, "log cut", "what came before it stays", cut_log),
    Trial(13, "index of the log damaged", "nothing lost", no_shared_index),
    Trial(14, "log deleted", "the gap is told", no_log),
    Trial(15, "hooks killed", "nothing lost", killed),
    Trial(21, "newer schema", "never rewritten, told", newer),
    Trial(22, "half a migration", "repaired and told", damaged(half_migrated)),
    Trial(25, "memory deleted", "stays deleted, backup offered", deleted),
    Trial(26, "project deleted", SILENT, no_project),
    Trial(27, "no home", "the project works", no_home),
    Trial(32, "events that are none", "silent, nothing stored", bad_events),
    Trial(33, "event of 20 MB", "stored in part", large_event),
)
