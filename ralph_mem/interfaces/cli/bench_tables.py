"""Print what a benchmark measured, as tables for a person."""

from typing import Any

from ralph_mem.bench import commands
from ralph_mem.bench import injection as injected
from ralph_mem.interfaces.cli import printing

INJECTION_GOALS = {
    "left_alone": "prompts that nothing answers, left alone",
    "relevant_items": "told items that were relevant",
    "fewer_tokens": "tokens saved against inject-all",
    "more_answered": "queries answered beyond inject-all",
}
ARMS = {
    "answered": "answered", "relevant_items": "items relevant", "items": "items", "tokens": "tokens",
    "tokens_unanswerable": "tokens for nothing", "left_alone": "left alone", "false_items": "false items in 100",
}  # fmt: skip
DECIDED = {
    "precision": "replaced, and rightly", "recall": "updates seen", "wrong_target": "another one replaced",
    "false_update": "new ones that replaced",
}  # fmt: skip
FOUND = {"stale_in_5": "old in first five", "current_in_5": "new in first five", "current_before_stale": "new before old"}
HIDDEN = {
    "updates_hidden": "updates, the old line still there", "verbatim_hidden": "repeats in the same words",
    "wrapped_hidden": "repeats in other lines",
}  # fmt: skip
RULE_GOALS = {
    **DECIDED,
    **FOUND,
    "updates_hidden": "updates hidden behind the file",
    "repeats_hidden": "repeats hidden behind the file",
}
TRUTH = tuple("group,runs,false successes,honest,lost,misattributed,refs,stash,objects,strays,restored,s".split(","))


def injection(report: dict[str, Any]) -> None:
    """Print what telling was worth, as `bench injection` measured it."""
    printing.text(
        f"{report['name']}, {report['mode']}: {report['queries']} queries, {report['unanswerable']} prompts that nothing answers"
    )
    rows = [(arm, *[number(figures[name]) for name in ARMS]) for arm, figures in report["arms"].items()]
    printing.table(("", *ARMS.values()), rows)
    _injection_sorts(report)
    _injection_curve(report)
    _injection_start(report["start"])
    printing.text(f"\ntokens told twice: {report['told_twice']} at prompts, {report['start']['told_twice']} at starts")
    saved = ", ".join(f"{number(share)} of the tokens of {arm}" for arm, share in report["fewer_tokens"].items())
    printing.text(f"\nover all prompts the hook saves {saved}; tokens counted by: {report['counted_by']}\n")
    goals = report["goals"].items()
    rows = [
        (INJECTION_GOALS[name], number(goal["wanted"]), number(goal["reached"]), "yes" if goal["met"] else "no")
        for name, goal in goals
    ]
    printing.table(("goal", "wanted", "reached", "met"), rows)
    notes(report)


def _injection_sorts(report: dict[str, Any]) -> None:
    printing.text("\nprompts that nothing answers, left alone by the hook, with the 95 % interval")
    rows = [
        (sort, each["prompts"], number(each["left_alone"]), _interval(each["left_alone"]), number(each["false_items"]))
        for sort, each in report["sorts"].items()
    ]
    printing.table(("", "prompts", "left alone", "from - to", "false items in 100"), rows)
    printing.text("")
    intervals = [(name, _interval(report["arms"]["hook"][name])) for name in ("answered", "relevant_items")]
    printing.table(("the hook's interval", "from - to"), intervals)


def _injection_curve(report: dict[str, Any]) -> None:
    printing.text("\nat other thresholds, before the budget")
    sorts = [*report["sorts"]]
    rows = [
        (
            each["threshold"],
            *[number(each[name]) for name in ("answered", "relevant_items")],
            *[number(each["left_alone"][sort]) for sort in sorts],
        )
        for each in report["curve"]
    ]
    printing.table(("likely enough", "answered", "items relevant", *[f"alone: {sort}" for sort in sorts]), rows)
    printing.text("\nhow far a chance can be believed")
    tenths = [(each["cases"], number(each["said"]), number(each["relevant"])) for each in report["reliability"]]
    printing.table(("memories judged", "said", "relevant"), tenths)


def _injection_start(start: dict[str, Any]) -> None:
    if start["sessions"]:
        told = ", ".join(f"{arm} {number(start[arm])} ({_interval(start[arm])})" for arm in injected.AT_START)
        printing.text(f"\nat the start of {start['sessions']} sessions that edit a file again, the turn that matters named: {told}")


def notes(report: dict[str, Any]) -> None:
    """Print what has to be known beside the figures of a benchmark."""
    for note in report["notes"]:
        printing.text(f"note: {note}")


def number(value: Any) -> str:
    """Return what was measured in three digits, with or without its interval beside it; a dash where nothing was."""
    value = value["value"] if isinstance(value, dict) else value
    return "-" if value is None else f"{value:.3f}" if value <= 1 else f"{value:.1f}"


def _interval(value: dict[str, float] | None) -> str:
    return f"{value['low']:.3f} - {value['high']:.3f}" if value else "-"


def used_commands(report: dict[str, Any]) -> None:
    """Print how often sessions used the commands that they were told, as `bench commands` measured it."""
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


def taken_in(report: dict[str, Any]) -> None:
    """Print what became of changes to files of rules, as `bench facts` measured it."""
    printing.text(
        f"{report['name']}: {report['updates']} statements that replaced one and {report['adds']} new ones; "
        f"{report['restated']} more only restated one. With the 95 % interval over files"
    )
    _arms(DECIDED, report["decision"])
    printing.text(f"\nfound by the words that an old and a new statement have in common, {report['queries']} queries")
    _arms(FOUND, report["search"])
    printing.text("\nleft out, since CLAUDE.md says it already")
    printing.table(("", "hidden"), [(HIDDEN[name], _figure(report["instructions"][name])) for name in HIDDEN])
    printing.text("")
    rows = [(RULE_GOALS[name], f"{goal['wanted']:.3f}", _value(goal["reached"]), "yes" if goal["met"] else "no")
            for name, goal in report["goals"].items()]  # fmt: skip
    printing.table(("goal", "wanted", "reached", "met"), rows)


def _arms(columns: dict[str, str], arms: dict[str, Any]) -> None:
    rows = [(arm, *[_figure(figures[name]) for name in columns]) for arm, figures in arms.items()]
    printing.table(("", *columns.values()), rows)


def _value(reached: float | None) -> str:
    return "-" if reached is None else f"{reached:.3f}"


def truth(report: dict[str, Any]) -> None:
    """Print a line for each group and way, what got through, and which promises hold, as `bench truth` measured it."""
    printing.text(f"{report['runs']} runs of {report['kinds']} kinds of agents on {report['projects']} projects")
    printing.table(TRUTH, [_truth_row(name, each) for name, each in report["groups"].items()])
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
    notes(report)


def _truth_row(name: str, each: dict[str, Any]) -> tuple[object, ...]:
    honest = f"{each['honest']} of {each['honest_of']}" if each["honest_of"] else "-"
    return (
        name, each["runs"], f"{each['false']} {_measured(each['false_share'])}", honest, each["lost"], each["misattributed"],
        each["refs"], each["stash"], each["objects"], each["strays"], _measured(each["restored"]), f"{each['seconds']:.1f}",
    )  # fmt: skip


def _measured(found: dict[str, float] | int | None) -> str:
    return str(found) if isinstance(found, int) else _figure(found)


def _answer(holds: bool) -> str:
    return "yes" if holds else "NO"
