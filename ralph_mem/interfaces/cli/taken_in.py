"""Print what became of changes to files of rules, as `bench facts` measured it."""

from typing import Any

from ralph_mem.interfaces.cli import printing

DECIDED = {
    "precision": "replaced, and rightly", "recall": "updates seen", "wrong_target": "another one replaced",
    "false_update": "new ones that replaced",
}  # fmt: skip
FOUND = {"stale_in_5": "old in first five", "current_in_5": "new in first five", "current_before_stale": "new before old"}
HIDDEN = {
    "updates_hidden": "updates, the old line still there", "verbatim_hidden": "repeats in the same words",
    "wrapped_hidden": "repeats in other lines",
}  # fmt: skip
GOALS = {**DECIDED, **FOUND, "updates_hidden": "updates hidden behind the file", "repeats_hidden": "repeats hidden behind the file"}


def show(report: dict[str, Any]) -> None:
    """Print the report of one set."""
    printing.text(
        f"{report['name']}: {report['updates']} statements that replaced one and {report['adds']} new ones; "
        f"{report['restated']} more only restated one. With the 95 % interval over files"
    )
    _show(DECIDED, report["decision"])
    printing.text(f"\nfound by the words that an old and a new statement have in common, {report['queries']} queries")
    _show(FOUND, report["search"])
    printing.text("\nleft out, since CLAUDE.md says it already")
    printing.table(("", "hidden"), [(HIDDEN[name], _figure(report["instructions"][name])) for name in HIDDEN])
    printing.text("")
    rows = [(GOALS[name], f"{goal['wanted']:.3f}", _value(goal["reached"]), "yes" if goal["met"] else "no")
            for name, goal in report["goals"].items()]  # fmt: skip
    printing.table(("goal", "wanted", "reached", "met"), rows)


def _show(columns: dict[str, str], arms: dict[str, Any]) -> None:
    rows = [(arm, *[_figure(figures[name]) for name in columns]) for arm, figures in arms.items()]
    printing.table(("", *columns.values()), rows)


def _figure(found: dict[str, float] | None) -> str:
    return f"{found['value']:.3f} ({found['low']:.2f}-{found['high']:.2f})" if found else "-"


def _value(reached: float | None) -> str:
    return "-" if reached is None else f"{reached:.3f}"
