"""Check the interpreters, the packages, the optional parts and the clock of this machine."""

import contextlib
import os
import re
import shutil
import sqlite3
import sys
import time
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.core.finding import Finding, ok, problem, warning
from ralph_mem.core.format import amount, count, when
from ralph_mem.core.process import printed_by
from ralph_mem.core.project import Project
from ralph_mem.maintenance import count_tokens
from ralph_mem.memory import inspect
from ralph_mem.memory.extras import installation
from ralph_mem.memory.recall import embeddings_client
from ralph_mem.memory.store import connection

OLDEST = (3, 9)
SETUP = "`ralph-mem setup` has the hooks use the Python of this command"
# A line for each step that works, in words that any Python understands.
ABILITIES_PROBE = """
import sys
print("%d.%d.%d" % sys.version_info[:3])
import sqlite3
print(sqlite3.sqlite_version)
sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE t USING fts5(a)")
print("fts5")
"""

# `python` and `sqlite` are versions, nothing where the step failed.
Abilities = namedtuple("Abilities", "python sqlite fts5")


def own_interpreter(_: Project) -> Iterator[Finding]:
    """Look at the Python that runs this command."""
    able = Abilities(".".join(map(str, sys.version_info[:3])), sqlite3.sqlite_version, fts5=_has_fts5())
    seen = f"{_said(able)}, {sys.executable}"
    yield ok("python", seen) if able.fts5 else problem("python", seen, "install ralph-mem for a Python whose SQLite has FTS5")


def interpreter_of_hooks(_: Project) -> Iterator[Finding]:
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
    told = [*printed_by([python, "-I", "-S", "-X", "utf8", "-c", ABILITIES_PROBE]).split(), "", "", ""]
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
    with contextlib.closing(sqlite3.connect(":memory:")) as db, contextlib.suppress(sqlite3.Error):
        db.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
        return True
    return False


NEEDED = ("typer", "rich", "pyyaml")
REQUIREMENT = re.compile(r"""([\w.-]+).*extra == ["']([\w-]+)["']""")
FOR_WORK_ON_IT = ("dev",)
LONG_AGO = 1_735_689_600  # 2025-01-01, before the first release
# What the worker loads, in the isolated mode in which it is started.
PROBE = "import numpy, onnxruntime, tokenizers, ralph_mem.memory.embeddings.serving; print('ready')"
AGAIN = "`ralph-mem embeddings setup` prepares it again; without, memories are found by their words"
MADE = "SELECT 1 FROM sqlite_schema WHERE name = 'vectors'"
FAILED = "SELECT count(*) FROM vectors WHERE vector IS NULL"
# As `core/row.py` has it from when the estimate was fitted.
FITTED = "mean error 10 % on code, diffs, logs, chats and manuals together, when it was fitted"


def packages(_: Project) -> Iterator[Finding]:
    """Look at the packages that the command line is made of, and at those that would add to it."""
    versions = {name: _version(name) for name in NEEDED}
    missing = [name for name, version in versions.items() if not version]
    seen = ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
    yield problem("packages", seen, installation()) if missing else ok("packages", seen + _extras())


def _version(name: str) -> str:
    from importlib import metadata  # lazy: its metadata brings `email`; every other command does without

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _extras() -> str:
    """Say which optional packages are missing, by the extra that brings them; they are no fault."""
    from importlib import metadata  # lazy: its metadata brings `email`; every other command does without

    try:
        required = metadata.requires("ralph-mem") or []
    except metadata.PackageNotFoundError:  # run from a checkout
        return ""
    found = [match.groups() for match in map(REQUIREMENT.match, required) if match]
    missing = {extra for name, extra in found if extra not in FOR_WORK_ON_IT and not _version(name)}
    return "".join(f"; without the extra {extra} ({installation(extra)})" for extra in sorted(missing))


def clock(_: Project, now: float | None = None) -> Iterator[Finding]:
    """Look at the clock, by which memories are dated and put in order."""
    now = time.time() if now is None else now
    today = when(int(now * 1000))
    yield ok("clock", today) if now >= LONG_AGO else problem("clock", today, "set the clock: memories are dated by it")


def model(_: Project) -> Iterator[Finding]:
    """Look at the files of the model, and at the interpreter of the worker."""
    found = embeddings_client.described()
    if not found:
        file = paths.data_home() + paths.MODEL
        broken = paths.exists(file)
        yield warning("embeddings", f"{file} cannot be read", AGAIN) if broken else ok("embeddings", "not set up")
        return
    missing = [name for name in embeddings_client.FILES if not _size(Path(found["folder"], name))]
    if missing:
        yield warning("embeddings", f"{found['model']}: {', '.join(missing)} missing in {found['folder']}", AGAIN)
    elif printed_by([str(found.get("python")), "-I", "-c", PROBE]).strip() != "ready":
        python = str(found.get("python"))
        way = f"{installation('embeddings', python)}; {AGAIN}" if os.access(python, os.X_OK) else AGAIN
        yield warning("embeddings", f"the worker does not start under {python}", way)
    else:
        yield ok(
            "embeddings", f"{found['model']}, {amount(sum(_size(Path(found['folder'], name)) for name in embeddings_client.FILES))}"
        )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def vectors(project: Project) -> Iterator[Finding]:
    """Look whether the worker met trouble, and for memories that could not be embedded."""
    if not embeddings_client.described():
        return
    line = embeddings_client.trouble()
    if line:
        closed = "make it writable (chmod u+rwx); without, memories are found by their words"
        yield warning("worker", line, closed if line.startswith(embeddings_client.CLOSED) else AGAIN)
    if not inspect.is_gone(project.folder + "/memory.db"):
        with contextlib.closing(inspect.connect(project.folder)) as db:
            failed = db.execute(FAILED).fetchone()[0] if db.execute(MADE).fetchone() else 0
        if failed:
            yield warning("vectors", f"{count(failed, 'text')} could not be embedded", "nothing: it is tried again by itself")


def token_counts(project: Project) -> Iterator[Finding]:
    """Look by what the costs of memories were counted; that hooks estimate is no fault."""
    found = _estimate(project.folder)
    exact = {name: rows for name, rows in found.vocabularies.items() if name} if found else {}
    if found is None or not exact:
        yield ok("tokens", f"estimated: {FITTED}; for exact counts: {installation('tokens')}, then `ralph-mem tokens`")
        return
    counted = ", ".join(f"{rows:,} by {name}" for name, rows in exact.items())
    rest = found.vocabularies.get(None, 0)
    estimated = f", {rest:,} estimated (`ralph-mem tokens` counts these too)" if rest else ""
    errors = count_tokens.told(found)
    yield ok("tokens", f"counted exactly: {counted}{estimated}; the estimate is off by {errors or 'too little to say'}")


def _estimate(folder: str) -> count_tokens.Estimate | None:
    """Return what is known; nothing where there is no memory of this release that can be read, which others tell."""
    if inspect.is_gone(folder + "/memory.db"):
        return None
    try:
        with contextlib.closing(inspect.connect(folder)) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            return count_tokens.of(db) if version == connection.SCHEMA_VERSION else None
    except inspect.FAILURES:
        return None
