"""The machine: the packages of the command line and the optional ones, the clock."""

import contextlib
import re
import time
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
    yield problem("packages", seen, "pip install " + " ".join(missing)) if missing else ok("packages", seen + _extras())


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
        seen = f"the worker does not start under {found.get('python')}"
        yield warning("embeddings", seen, f"{installation('embeddings', str(found.get('python')))}; {AGAIN}")
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
    line = paths.read(f"{embeddings_client.home()}/{paths.TROUBLE}", 1024)
    if line:
        yield warning("worker", line, AGAIN)
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
