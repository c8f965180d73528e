"""The command `bench`, which measures on labelled histories and leaves the user's memory alone."""

import sys
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Annotated, Any, TypeVar

import typer

from ralph_mem.bench import fitting, histories, injection, loop, measures, misses, retrieval
from ralph_mem.interfaces.cli import injected, printing
from ralph_mem.interfaces.cli.printing import Json

commands = typer.Typer()
inner = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Measure what is recalled, on labelled histories.")
commands.add_typer(inner, name="bench")

Result = TypeVar("Result")


class Mode(str, Enum):
    """What may rank, each with what the ones before it have; the names of `meaning.MODES`."""

    lexical = "lexical"
    static = "static"
    full = "full"


File = Annotated[str, typer.Argument(metavar="FILE", help="Labelled histories, as JSON.")]
Trace = Annotated[bool, typer.Option("--trace-only", help="Hide titles and texts: only files and lines are left.")]


@inner.command("retrieval")
def measure_retrieval(
    file: File,
    mode: Annotated[Mode, typer.Option("--mode", help="What may rank: words, a small table, a model.")] = Mode.lexical,
    trace_only: Trace = False,
    per_category: Annotated[bool, typer.Option("--per-category", help="Show the figures of each category too.")] = False,
    json: Json = False,
) -> None:
    """Ask every query as of its time, and print how well recall and the baselines answer it.

    Example: ralph-mem bench retrieval set.json --per-category
    """
    given = _read(file, trace_only)
    report = _watched("Asking", lambda announce: retrieval.run(given, mode.value, announce))
    if json:
        printing.as_json({**report, "trace_only": trace_only})
    else:
        _print_retrieval(report, per_category)


@inner.command("injection")
def measure_injection(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Labelled histories, as JSON; each is measured.")],
    mode: Annotated[Mode, typer.Option("--mode", help="What may rank: words, a small table, a model.")] = Mode.lexical,
    leave_out: Annotated[
        str, typer.Option("--leave-out", metavar="NAME", help="Fit the weights on the other files, and measure this one.")
    ] = "",
    unanswerable: Annotated[str, typer.Option("--unanswerable", metavar="FILE", help="Its queries have no answer here.")] = "",
    json: Json = False,
) -> None:
    """Ask at every query, and at prompts that nothing answers, what the hook would tell, and print whether it was right.

    The prompts of one file are such prompts for the others.

    Example: ralph-mem bench injection set.json other.json
    """
    given = [histories.read(file) for file in files]
    more = histories.queries(histories.read(unanswerable)) if unanswerable else []
    measured = given
    if leave_out:
        measured = fitting.leave_out(given, leave_out)
    reports = [_watched("Asking", partial(injection.run, each, given, more, mode.value)) for each in measured]
    if json:
        printing.as_json(reports[0] if len(reports) == 1 else {"sets": reports})
        return
    for report in reports:
        injected.show(report)


@inner.command("loop")
def measure_loop(
    seeds: Annotated[int, typer.Option("--seeds", min=1, max=100, help="How often each pair of tasks is worked at.")] = loop.SEEDS,
    json: Json = False,
) -> None:
    """Let a stub agent mend small broken repositories with the loop, with memory and without, and print what it took.

    It takes about two minutes with five seeds.

    Example: ralph-mem bench loop --seeds 2
    """
    report = _watched("Looping", lambda announce: loop.run(seeds=seeds, announce=announce))
    if json:
        printing.as_json(report)
    else:
        _print_loop(report)


def _read(file: str, trace_only: bool) -> histories.Histories:
    given = histories.read(file)
    return histories.hidden(given) if trace_only else given


def _watched(what: str, act: Callable[[retrieval.Announce], Result]) -> Result:
    """Do what takes a while; on a terminal a bar shows how far it is."""
    if not sys.stderr.isatty():
        return act(retrieval.silent)
    with printing.progress(what) as bar:
        task = bar.add_task("")
        return act(lambda name, done, total: bar.update(task, description=name, completed=done, total=total))


def _print_retrieval(report: dict[str, Any], per_category: bool) -> None:
    printing.text(f"{report['name']}: {report['queries']} queries, unit {report['unit']}, mode {report['mode']}")
    _print_figures(report)
    for name, part in [*report["categories"].items()] if per_category else []:
        printing.text(f"\n{name}: {part['queries']} queries")
        _print_figures(part)
    if report["adversarial"]["queries"]:
        printing.text(f"\nadversarial, not counted above: {report['adversarial']['queries']} queries")
        _print_figures(report["adversarial"])
    printing.text(f"\n{report['mode']} against the others, difference with its 95 % interval, {report['draws']:,} draws")
    rows = [(other, name, *_compared(found)) for other, each in report["against"].items() for name, found in each.items()]
    printing.table(("", "measure", "difference", "from", "to", "p"), rows)
    missed = report["misses"]
    shares = ", ".join(f"{_figure(missed[name]['value'])} {name}" for name in misses.NAMES if missed[name])
    printing.text(f"\n{missed['missed']} not among the first ten; the query names of them: {shares or 'nothing'}")
    _print_notes(report)


def _print_figures(part: dict[str, Any]) -> None:
    every = {**part["modes"], **part["baselines"]}
    rows = [(name, *[_figure(figures.get(each)) for each in measures.NAMES]) for name, figures in every.items()]
    printing.table(("", *measures.NAMES), rows)


def _print_loop(report: dict[str, Any]) -> None:
    printing.text(f"{report['runs']} runs of small broken repositories, with memory and without, from the same seeds")
    columns = ("runs", "iterations", "success", "tokens")
    rows = [
        (group, arm, *[_figure(figures[name]) for name in columns])
        for group, arms in report["groups"].items()
        for arm, figures in arms.items()
    ]
    printing.table(("tasks", "memory", "runs", "iterations", "success", "tokens of prompts"), rows)
    printing.text("\nwith memory against without, difference with its 95 % interval, exact p of a permutation test")
    rows = [(group, name, *_compared(found)) for group, each in report["against"].items() for name, found in each.items()]
    printing.table(("tasks", "measure", "difference", "from", "to", "p"), rows)
    _print_notes(report)


def _print_notes(report: dict[str, Any]) -> None:
    for note in report["notes"]:
        printing.text(f"note: {note}")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}" if value <= 1 else f"{value:.1f}"


def _compared(found: dict[str, float]) -> tuple[str, ...]:
    p = f"{found['p']:.3f}" if found["p"] >= 0.001 else "< .001"
    return (*[f"{found[each]:+.3f}" for each in ("difference", "low", "high")], p)
