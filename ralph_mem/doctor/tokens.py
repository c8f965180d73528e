"""Tokens: whether costs are counted or estimated, and how good the estimate is."""

import contextlib
from collections.abc import Iterator

from ralph_mem import estimate, glance
from ralph_mem.core import store
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok

# As `core/row.py` has it from when the estimate was fitted.
FITTED = "mean error 10 % on code, diffs, logs, chats and manuals together, when it was fitted"
HOW = "for exact counts: pip install 'ralph-mem[tokens]', then `ralph-mem tokens`"


def counts(project: Project) -> Iterator[Finding]:
    """Look by what the costs of memories were counted; that hooks estimate is no fault."""
    found = _estimate(project.folder)
    exact = {name: rows for name, rows in found.vocabularies.items() if name} if found else {}
    if found is None or not exact:
        yield ok("tokens", f"estimated: {FITTED}; {HOW}")
        return
    counted = ", ".join(f"{rows:,} by {name}" for name, rows in exact.items())
    rest = found.vocabularies.get(None, 0)
    estimated = f", {rest:,} estimated (`ralph-mem tokens` counts these too)" if rest else ""
    errors = estimate.told(found)
    yield ok("tokens", f"counted exactly: {counted}{estimated}; the estimate is off by {errors or 'too little to say'}")


def _estimate(folder: str) -> estimate.Estimate | None:
    """Return what is known; nothing where there is no memory of this release that can be read, which others tell."""
    if glance.is_gone(folder + "/memory.db"):
        return None
    try:
        with contextlib.closing(glance.connect(folder)) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            return estimate.of(db) if version == store.SCHEMA_VERSION else None
    except glance.FAILURES:
        return None
