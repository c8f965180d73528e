"""Read for the page what loops did, iteration by iteration."""

from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.ralph import display, history, progress, run_facts, runs
from ralph_mem.ralph.watching import overview, patch

MOST_RUNS = 100
MOST_PATCH = 60_000  # characters of a diff on one page; the command shows the rest


def loops(asked: Asked) -> dict[str, Any]:
    """Return all runs of a project, with what each took and reached."""
    found = runs.all(asked.project)
    told = overview.facts(found, asked.now)
    return {"runs": told["runs"][:MOST_RUNS], "total": overview.total(found) if told["runs"] else overview.NOTHING}


def loop(asked: Asked) -> dict[str, Any]:
    """Return one run: how it stands, what failed by iteration, what each took, and on request what changed in between."""
    run = runs.find(asked.project, asked.public_id)
    told = run_facts.of(run, asked.now)
    failing = [("start", float(len(progress.failing(run.baseline))))] if run.baseline else []
    failing += [(f"iteration {each.number}", float(len(progress.failing(each.verdicts)))) for each in run.iterations]
    span = asked.word("diff")
    return {
        "run": told, "lines": display.status_lines(run, asked.now), "columns": history.COLUMNS, "rows": history.rows(run),
        "failing": failing, "span": span, "changes": _parts(asked, run, span) if "diff" in asked.fields else [],
    }  # fmt: skip


def _parts(asked: Asked, run: Any, span: str) -> list[dict[str, Any]]:
    """Return what changed between two iterations, file by file, as much as one page holds; what is private is named alone."""
    left, found = MOST_PATCH, []
    try:
        with patch.opened(asked.project, run) as snapshots:
            for part in patch.parts(asked.project, asked.settings, snapshots, run, patch.span_of(run, span, snapshots)):
                told = patch.facts(part)
                left -= len(told["patch"])
                found.append(told if left >= 0 else {**told, "patch": "", "note": "too long for this page"})
    except OSError as error:
        raise RalphMemError(f"the snapshots cannot be read: {error.strerror}", "`ralph-mem doctor` says more") from error
    return found
