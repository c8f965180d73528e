"""Print what telling was worth, as `bench injection` measured it."""

from typing import Any

from ralph_mem.bench import briefed
from ralph_mem.interfaces.cli import printing

GOALS = {
    "left_alone": "prompts that nothing answers, left alone",
    "relevant_items": "told items that were relevant",
    "fewer_tokens": "tokens saved against inject-all",
    "more_answered": "queries answered beyond inject-all",
}
COLUMNS = {
    "answered": "answered", "relevant_items": "items relevant", "items": "items", "tokens": "tokens",
    "tokens_unanswerable": "tokens for nothing", "left_alone": "left alone", "false_items": "false items in 100",
}  # fmt: skip


def show(report: dict[str, Any]) -> None:
    """Print the report of one set."""
    printing.text(
        f"{report['name']}, {report['mode']}: {report['queries']} queries, {report['unanswerable']} prompts that nothing answers"
    )
    rows = [(arm, *[_figure(figures[name]) for name in COLUMNS]) for arm, figures in report["arms"].items()]
    printing.table(("", *COLUMNS.values()), rows)
    _show_sorts(report)
    _show_curve(report)
    _show_start(report["start"])
    printing.text(f"\ntokens told twice: {report['told_twice']} at prompts, {report['start']['told_twice']} at starts")
    saved = ", ".join(f"{_figure(share)} of the tokens of {arm}" for arm, share in report["fewer_tokens"].items())
    printing.text(f"\nover all prompts the hook saves {saved}; tokens counted by: {report['counted_by']}\n")
    goals = report["goals"].items()
    rows = [
        (GOALS[name], _figure(goal["wanted"]), _figure(goal["reached"]), "yes" if goal["met"] else "no") for name, goal in goals
    ]
    printing.table(("goal", "wanted", "reached", "met"), rows)
    for note in report["notes"]:
        printing.text(f"note: {note}")


def _show_sorts(report: dict[str, Any]) -> None:
    printing.text("\nprompts that nothing answers, left alone by the hook, with the 95 % interval")
    rows = [
        (sort, each["prompts"], _figure(each["left_alone"]), _interval(each["left_alone"]), _figure(each["false_items"]))
        for sort, each in report["sorts"].items()
    ]
    printing.table(("", "prompts", "left alone", "from - to", "false items in 100"), rows)
    printing.text("")
    intervals = [(name, _interval(report["arms"]["hook"][name])) for name in ("answered", "relevant_items")]
    printing.table(("the hook's interval", "from - to"), intervals)


def _show_curve(report: dict[str, Any]) -> None:
    printing.text("\nat other thresholds, before the budget")
    sorts = [*report["sorts"]]
    rows = [
        (
            each["threshold"],
            *[_figure(each[name]) for name in ("answered", "relevant_items")],
            *[_figure(each["left_alone"][sort]) for sort in sorts],
        )
        for each in report["curve"]
    ]
    printing.table(("likely enough", "answered", "items relevant", *[f"alone: {sort}" for sort in sorts]), rows)
    printing.text("\nhow far a chance can be believed")
    tenths = [(each["cases"], _figure(each["said"]), _figure(each["relevant"])) for each in report["reliability"]]
    printing.table(("memories judged", "said", "relevant"), tenths)


def _show_start(start: dict[str, Any]) -> None:
    if start["sessions"]:
        told = ", ".join(f"{arm} {_figure(start[arm])} ({_interval(start[arm])})" for arm in briefed.ARMS)
        printing.text(f"\nat the start of {start['sessions']} sessions that edit a file again, the turn that matters named: {told}")


def _figure(value: Any) -> str:
    value = value["value"] if isinstance(value, dict) else value
    return "-" if value is None else f"{value:.3f}" if value <= 1 else f"{value:.1f}"


def _interval(value: dict[str, float] | None) -> str:
    return f"{value['low']:.3f} - {value['high']:.3f}" if value else "-"
