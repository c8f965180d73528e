"""Print what `bench truth` measured."""

from typing import Any

from ralph_mem.interfaces.cli import printing

COLUMNS = tuple("group,runs,false successes,honest,lost,misattributed,refs,stash,objects,strays,restored,s".split(","))


def show(report: dict[str, Any]) -> None:
    """Print the report: a line for each group and way, what got through, and which promises hold."""
    printing.text(f"{report['runs']} runs of {report['kinds']} kinds of agents on {report['projects']} projects")
    printing.table(COLUMNS, [_row(name, each) for name, each in report["groups"].items()])
    if report["through"]:
        printing.text("\nwhat the loop calls a success and is none")
        printing.table(("kind", "projects"), [(name, ", ".join(where)) for name, where in report["through"].items()])
    printing.text("")
    rows = [(each["name"], each["wanted"], _measured(each["measured"]), _answer(each["holds"])) for each in report["promises"]]
    printing.table(("promise", "wanted", "measured", "holds"), rows)
    for name, missing in report["skipped"]:
        printing.text(f"not run: {name} ({missing} is not here)")
    for name in report["missed"]:
        printing.text(f"not counted: {name}, where the person did not come to edit while the loop worked")
    for note in report["notes"]:
        printing.text(f"note: {note}")


def _row(name: str, each: dict[str, Any]) -> tuple[object, ...]:
    honest = f"{each['honest']} of {each['honest_of']}" if each["honest_of"] else "-"
    return (
        name, each["runs"], f"{each['false']} {_measured(each['false_share'])}", honest, each["lost"], each["misattributed"],
        each["refs"], each["stash"], each["objects"], each["strays"], _measured(each["restored"]), f"{each['seconds']:.1f}",
    )  # fmt: skip


def _measured(found: dict[str, float] | int | None) -> str:
    if found is None:
        return "-"
    return str(found) if isinstance(found, int) else f"{found['value']:.3f} ({found['low']:.2f}-{found['high']:.2f})"


def _answer(holds: bool) -> str:
    return "yes" if holds else "NO"
