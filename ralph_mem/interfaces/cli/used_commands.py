"""Print how often sessions used the commands that they were told, as `bench commands` measured it."""

from typing import Any

from ralph_mem.bench import commands
from ralph_mem.interfaces.cli import printing


def show(report: dict[str, Any]) -> None:
    """Print the report of one set."""
    printing.text(f"{report['name']}: {report['sessions']} sessions; the told command is one that the session then uses")
    rows = [
        (purpose, arm, each["told"], each["untold"], *[_figure(figures[way]) for way in commands.WAYS])
        for purpose, each in report["purposes"].items()
        for arm, figures in each["arms"].items()
    ]
    printing.table(("", "told", "sessions", "told nothing", *commands.WAYS), rows)
    printing.text("")
    goals = [
        (
            purpose,
            f"{goal['wanted']:.2f}",
            "-" if goal["reached"] is None else f"{goal['reached']:.3f}",
            "yes" if goal["met"] else "no",
        )
        for purpose, goal in report["goals"].items()
    ]
    printing.table(("goal, by the same command", "wanted", "reached", "met"), goals)


def _figure(found: dict[str, float] | None) -> str:
    return f"{found['value']:.3f} ({found['low']:.2f}-{found['high']:.2f})" if found else "-"
