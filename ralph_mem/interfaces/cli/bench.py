"""The command `bench`, which measures on labelled histories and leaves the user's memory alone."""

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Annotated, Any, TypeVar

import typer

from ralph_mem.bench import (
    beliefs,
    facts,
    fitting,
    histories,
    injection,
    loop,
    measures,
    precision,
    retrieval,
    rule_files,
    taught,
)
from ralph_mem.bench import commands as used
from ralph_mem.bench.truth import figures
from ralph_mem.bench.truth import running as truth
from ralph_mem.interfaces.cli import bench_tables, printing
from ralph_mem.interfaces.cli.bench_tables import number
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
WithFacts = Annotated[bool, typer.Option("--with-facts", help="What may hold is learned as facts, which compete with the turns.")]
Trace = Annotated[bool, typer.Option("--trace-only", help="Hide titles and texts: only files and lines are left.")]


@inner.command("retrieval")
def measure_retrieval(
    file: File,
    mode: Annotated[Mode, typer.Option("--mode", help="What may rank: words, a small table, a model.")] = Mode.lexical,
    trace_only: Trace = False,
    per_category: Annotated[bool, typer.Option("--per-category", help="Show the figures of each category too.")] = False,
    with_facts: WithFacts = False,
    json: Json = False,
) -> None:
    """Ask every query as of its time, and print how well recall and the baselines answer it.

    Example: ralph-mem bench retrieval set.json --per-category
    """
    given = _read(file, trace_only)
    report = _watched("Asking", lambda announce: retrieval.run(given, mode.value, announce, with_facts))
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
    with_facts: WithFacts = False,
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
        measured = fitting.leave_out(given, leave_out, mode.value)
    reports = [
        _watched("Asking", partial(injection.run, each, given, more, mode.value, with_facts=with_facts)) for each in measured
    ]
    if json:
        printing.as_json(reports[0] if len(reports) == 1 else {"sets": reports})
        return
    for report in reports:
        bench_tables.injection(report)


@inner.command("commands")
def measure_commands(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sessions with their commands, as JSON.")],
    json: Json = False,
) -> None:
    """Tell each session the commands that passed last, and print how often it then used them.

    Example: ralph-mem bench commands sessions.json
    """
    given = used.read(file)
    report = _watched("Telling", lambda announce: used.run(given, announce))
    _show(report, bench_tables.used_commands, json)


@inner.command("facts")
def measure_facts(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Labelled changes to files of rules, as JSON.")],
    json: Json = False,
) -> None:
    """Take in every change that people made to a file of rules, and print whether the right statement was replaced.

    Example: ralph-mem bench facts rules.json
    """
    given = rule_files.read(file)
    report = _watched("Taking in", lambda announce: facts.run(given, announce))
    _show(report, bench_tables.taken_in, json)


@inner.command("taught")
def measure_taught(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="What users said and had to say again, as JSON; `-` for the set that comes along.")
    ],
    json: Json = False,
) -> None:
    """Play sessions in their order, and print how often what a user teaches again had been told at that session's start.

    Example: ralph-mem bench taught sessions.json
    """
    given = taught.read(str(taught.OWN) if file == "-" else file)
    report = _watched("Playing", lambda announce: taught.run(given, announce))
    _show(report, _print_taught, json)


@inner.command("precision")
def measure_precision(
    folder: Annotated[str, typer.Argument(metavar="DIRECTORY", help="The fixtures of PrecisionMemBench, as a folder.")],
    json: Json = False,
) -> None:
    """Take beliefs in as facts, ask queries that want some of them, and print whether those were told, and no others.

    Example: ralph-mem bench precision fixtures
    """
    given = beliefs.read(folder)
    report = _watched("Asking", lambda announce: precision.run(given, announce))
    _show(report, _print_precision, json)


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
    _show(report, _print_loop, json)


class Where(str, Enum):
    """Where the runs of `bench truth` work; the names of `case.WHERE`."""

    room = "room"
    here = "here"
    both = "both"


@inner.command("truth")
def measure_truth(
    only: Annotated[str, typer.Option("--only", metavar="KINDS", help="Kinds or groups of agents, commas between.")] = "",
    project: Annotated[str, typer.Option("--project", metavar="NAME", help="One project of the corpus; all without.")] = "",
    where: Annotated[Where, typer.Option("--where", help="In rooms, in the shared tree, or in both.")] = Where.both,
    sample: Annotated[int, typer.Option("--sample", metavar="N", min=0, help="So many runs, from every group and language.")] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Which runs a sample draws.")] = 0,
    json: Json = False,
) -> None:
    """Let scripted agents cheat, break things, crash and be honest, and print what the loop called a success and what was lost.

    Exits with 1 where a promise does not hold. All of it takes an hour or more.

    Example: ralph-mem bench truth --only cheat --project words
    """
    way = "" if where is Where.both else where.value
    report = _watched("Looping", lambda announce: truth.run(only, project, way, sample, seed, announce))
    _show(report, bench_tables.truth, json)
    if not figures.holds(report):
        raise typer.Exit(1)


def _read(file: str, trace_only: bool) -> histories.Histories:
    given = histories.read(file)
    return histories.hidden(given) if trace_only else given


def _watched(what: str, act: Callable[[retrieval.Announce], Result]) -> Result:
    """Do what takes a while; on a terminal a bar shows how far it is."""
    with printing.steps(what) as tell:
        return act(tell)


def _show(report: Result, show: Callable[[Result], None], json: bool) -> None:
    printing.as_json(report) if json else show(report)


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
    shares = ", ".join(f"{number(missed[name]['value'])} {name}" for name in retrieval.NAMED if missed[name])
    printing.text(f"\n{missed['missed']} not among the first ten; the query names of them: {shares or 'nothing'}")
    bench_tables.notes(report)


def _print_figures(part: dict[str, Any]) -> None:
    every = {**part["modes"], **part["baselines"]}
    rows = [(name, *[number(figures.get(each)) for each in measures.NAMES]) for name, figures in every.items()]
    printing.table(("", *measures.NAMES), rows)


def _print_loop(report: dict[str, Any]) -> None:
    printing.text(f"{report['runs']} runs of small broken repositories, with memory and without, from the same seeds")
    columns = ("runs", "iterations", "success", "tokens")
    rows = [
        (group, arm, *[number(figures[name]) for name in columns])
        for group, arms in report["groups"].items()
        for arm, figures in arms.items()
    ]
    printing.table(("tasks", "memory", "runs", "iterations", "success", "tokens of prompts"), rows)
    printing.text("\nwith memory against without, difference with its 95 % interval, exact p of a permutation test")
    rows = [(group, name, *_compared(found)) for group, each in report["against"].items() for name, found in each.items()]
    printing.table(("tasks", "measure", "difference", "from", "to", "p"), rows)
    bench_tables.notes(report)


def _print_taught(report: dict[str, Any]) -> None:
    printing.text(
        f"{report['name']}: {report['repeats']} times taught again, {report['sessions']} sessions of {report['users']} users"
    )
    rows = [
        (
            name,
            *[number(found[each]["value"] if found[each] else None) for each in ("learned", "turns-alone", "useless")],
        )
        for name, found in [*report["by_user"].items(), ("all", report)]
    ]
    printing.table(("user", "had been told", "by turns alone", "useless lines"), rows)
    printing.text(f"{report['lines']} standing lines were told; tokens told twice: {report['told_twice']}")


def _print_precision(report: dict[str, Any]) -> None:
    printing.text(f"{report['beliefs']} beliefs, {report['cases']} queries: what a prompt is told, and what a search finds")
    parts = {"all": report, **report["categories"]}
    rows = [
        (name, way, found["cases"], found["passed"], number(found["precision"]), number(found["recall"]), found["superseded"])
        for name, part in parts.items() for way, found in [(way, part[way]) for way in precision.WAYS]
    ]  # fmt: skip
    printing.table(("", "", "queries", "passed", "precision", "recall", "superseded told"), rows)


def _compared(found: dict[str, float]) -> tuple[str, ...]:
    p = f"{found['p']:.3f}" if found["p"] >= 0.001 else "< .001"
    return (*[f"{found[each]:+.3f}" for each in ("difference", "low", "high")], p)
