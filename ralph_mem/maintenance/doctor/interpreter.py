"""The interpreters: the one that runs the command line, and the one that the hooks start."""

import os
import shutil
import sqlite3
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.core.finding import Finding, ok, problem, warning
from ralph_mem.core.process import printed_by
from ralph_mem.core.project import Project

OLDEST = (3, 9)
SETUP = "`ralph-mem setup` has the hooks use the Python of this command"
# A line for each step that works, in words that any Python understands.
PROBE = """
import sys
print("%d.%d.%d" % sys.version_info[:3])
import sqlite3
print(sqlite3.sqlite_version)
sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE t USING fts5(a)")
print("fts5")
"""

# `python` and `sqlite` are versions, nothing where the step failed.
Abilities = namedtuple("Abilities", "python sqlite fts5")


def own(_: Project) -> Iterator[Finding]:
    """Look at the Python that runs this command."""
    able = Abilities(".".join(map(str, sys.version_info[:3])), sqlite3.sqlite_version, fts5=_has_fts5())
    seen = f"{_said(able)}, {sys.executable}"
    yield ok("python", seen) if able.fts5 else problem("python", seen, "install ralph-mem for a Python whose SQLite has FTS5")


def of_hooks(_: Project) -> Iterator[Finding]:
    """Look at the Python that the hooks start."""
    python, remembered = chosen()
    if not python:
        yield problem("python of hooks", "none: no python3 on PATH", f"install python3, 3.9 or newer, or: {SETUP}")
        return
    able = abilities(python)
    seen = f"{_said(able)}, {python} ({'remembered' if remembered else 'python3 on PATH'})"
    if fault(able):
        yield problem("python of hooks", f"{fault(able)}: {seen}", SETUP)
    elif remembered and is_virtual(python):
        yield warning("python of hooks", f"goes with its virtual environment: {seen}", SETUP)
    else:
        yield ok("python of hooks", seen)


def chosen() -> tuple[str, bool]:
    """Return the interpreter that `hooks/run` would start, or nothing, and whether it is the remembered one."""
    home = paths.data_home()
    # as `read` in a shell: a line without an end is none
    python, end, _ = paths.read(f"{home}/{paths.PYTHON}").partition("\n") if home else ("", "", "")
    if end and Path(python).is_file() and os.access(python, os.X_OK):
        return python, True
    return shutil.which("python3") or "", False


def abilities(python: str) -> Abilities:
    """Start an interpreter as a hook does, once, and return what it can."""
    told = [*printed_by([python, "-I", "-S", "-X", "utf8", "-c", PROBE]).split(), "", "", ""]
    return Abilities(told[0], told[1], fts5=told[2] == "fts5")


def fault(able: Abilities) -> str:
    """Say in a few words why hooks do not work under an interpreter, nothing where they do."""
    if not able.python:
        return "does not start"
    if tuple(map(int, able.python.split(".")[:2])) < OLDEST:
        return "older than 3.9"
    if not able.sqlite:
        return "built without SQLite"
    return "" if able.fts5 else "its SQLite has no FTS5"


def is_virtual(python: str) -> bool:
    """Say whether an interpreter belongs to a virtual environment, which starts more slowly and may be deleted any day."""
    return any((folder / "pyvenv.cfg").is_file() for folder in list(Path(python).parents)[:2])


def _said(able: Abilities) -> str:
    return f"{able.python or 'no answer'}, SQLite {able.sqlite or 'missing'} {'with' if able.fts5 else 'without'} FTS5"


def _has_fts5() -> bool:
    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
    except sqlite3.Error:
        return False
    finally:
        db.close()
    return True
