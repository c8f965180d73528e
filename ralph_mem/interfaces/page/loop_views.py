"""Read for the page what loops did, iteration by iteration."""

from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.page import rendering
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.ralph import display, progress, runs, telling
from ralph_mem.ralph.watching import overview, patch

MOST_RUNS, MOST_ITERATIONS, MOST_BARS = 60, 50, 92
MOST_PATCH = 80_000  # bytes of a diff on one page; the command shows the rest


def loops(asked: Asked) -> dict[str, Any]:
    """Return the last runs of a project, with what each took and reached."""
    found = runs.all(asked.project)
    told = overview.facts(found, asked.now)["runs"]
    return {"runs": told[:MOST_RUNS], "left_out": max(0, len(told) - MOST_RUNS),
            "total": overview.total(found) if told else overview.NOTHING}  # fmt: skip


def loop(asked: Asked) -> dict[str, Any]:
    """Return one run: how it stands, what failed by iteration, what each took, and on request what changed in between."""
    run = runs.find(asked.project, asked.public_id)
    told = telling.facts(run, asked.now)
    failing = [("start", float(len(progress.failing(run.baseline))))] if run.baseline else []
    failing += [(f"iteration {each.number}", float(len(progress.failing(each.verdicts)))) for each in run.iterations]
    cost = [(f"iteration {each.number}", float(each.cost or 0)) for each in run.iterations]
    span, rows = asked.word("diff"), overview.rows_of_run(run)
    lines = runs.with_id(asked.project, run, display.status_lines(run, asked.now))
    return {
        "run": told, "lines": lines, "columns": overview.COLUMNS_OF_RUN, "rows": rows[-MOST_ITERATIONS:],
        "left_out": max(0, len(rows) - MOST_ITERATIONS), "failing": failing[-MOST_BARS:], "cost": cost[-MOST_BARS:],
        "span": span, "wants_diff": "diff" in asked.fields,
        "changes": _parts(asked, run, span) if "diff" in asked.fields else [],
    }  # fmt: skip


def _parts(asked: Asked, run: Any, span: str) -> list[dict[str, Any]]:
    """Return what changed between two iterations, file by file, as much as one page holds; what is private is named alone."""
    left, found = MOST_PATCH, []
    try:
        with patch.opened(asked.project, run) as snapshots:
            for part in patch.parts(asked.project, asked.settings, snapshots, run, patch.span_of(run, span, snapshots)):
                told = patch.facts(part)
                left -= rendering.size(str(told["path"]) + str(told["patch"])) + 400  # of the frame around it
                found.append(told if left >= 0 else {**told, "patch": "", "note": "too long for this page"})
                if left < -MOST_PATCH // 4:  # names alone, and then not even these
                    found.append({**told, "path": "and more", "patch": "", "note": "`ralph-mem ralph diff` shows all"})
                    break
    except OSError as error:
        raise RalphMemError(f"the snapshots cannot be read: {error.strerror}", "`ralph-mem doctor` says more") from error
    return found
