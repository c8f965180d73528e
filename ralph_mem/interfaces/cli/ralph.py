"""The commands of `ralph` that watch, stop, roll back and examine a loop."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ralph_mem.core.errors import LoopError
from ralph_mem.core.project import Project as Place
from ralph_mem.core.settings import effective, schema
from ralph_mem.interfaces.cli import printing, ralph_apply, ralph_seen, ralph_start, ralph_watch
from ralph_mem.interfaces.cli.config import facts_of, name_wrong, no_option
from ralph_mem.interfaces.cli.printing import Confirm, Json, Live, Project
from ralph_mem.maintenance import config_change, config_file
from ralph_mem.maintenance import registry as known
from ralph_mem.ralph import attempts, display, record, rolling_back, runs, stopping, telling
from ralph_mem.ralph.record import Run
from ralph_mem.ralph.watching import overview, transcript
from ralph_mem.ralph.watching.overview import COLUMNS_OF_RUN, rows_of_run

commands = typer.Typer()
group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Work at a goal until its checks pass: the Ralph loop.")
group.add_typer(ralph_start.commands)
group.add_typer(ralph_apply.commands)
group.add_typer(ralph_seen.commands)
group.add_typer(ralph_watch.commands)
commands.add_typer(group, name="ralph")

Name = Annotated[str, typer.Argument(metavar="RUN", help="A run by its id, or the beginning of it; the last one without.")]
Best = Annotated[bool, typer.Option("--best", help="To the iteration that came closest, not to the start.")]
To = Annotated[str, typer.Option("--to", metavar="N", help="To this iteration, not to the start.")]
Force = Annotated[bool, typer.Option("--force", help="Put back what you changed after the loop, too.")]
All = Annotated[bool, typer.Option("--all", help="Put back what changed before the run was over, whoever changed it.")]


@group.command()
def stop(
    rollback: Annotated[bool, typer.Option("--rollback", help="Roll the files back too, shown first.")] = False,
    best: Best = False,
    to: To = "",
    force: Force = False,
    everything: All = False,
    confirm: Confirm = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Stop the loop that works here, wherever it runs; with --rollback the files go back, after they were shown.

    Example: ralph-mem ralph stop --rollback --best
    """
    place = known.choose(project)
    values, target = effective.load(place), _target(best, to)
    if (best or to or force or everything or confirm) and not rollback:
        raise LoopError("--best, --to, --force, --all and --confirm are about a rollback", "add --rollback")
    run = _stopped(place, values, rollback)
    if rollback:
        ralph_apply.roll_back(place, values, run, target, (force, everything), confirm, json)
    elif json:
        printing.as_json(telling.facts(run, runs.now_ms()))


def _stopped(place: Place, values: dict[str, Any], rollback: bool) -> Run:
    """Return the run as it is once it is stopped; for a rollback one that has ended before will do."""
    latest = runs.latest(place)
    if rollback and latest and not runs.live(place) and latest.ended:
        return latest
    run = stopping.stop(place, values)
    for line in runs.with_id(place, run, display.ended(run)) if run.reason else [f"{run.id} is switched off"]:
        Live(for_program=True).stays(line)
    return run


def _target(best: bool, to: str, undo: bool = False, task: str = "") -> str:
    """Return what a rollback leads to. Raises LoopError where that is not one thing."""
    wanted = [
        name for name in (best and rolling_back.BEST, to, undo and rolling_back.UNDO, task and f"{rolling_back.TASK}{task}") if name
    ]
    if len(wanted) > 1:
        raise LoopError("a rollback leads to one state", "one of --best, --to N, --task N, --undo; none of them for the start")
    if to and not to.isdecimal():
        raise LoopError(f"--to {to[:40]} is no iteration", "`ralph-mem ralph status --history` numbers them")
    if task and not task.isdecimal():
        raise LoopError(f"--task {task[:40]} is no task", "`ralph-mem ralph status` numbers those of a plan")
    return wanted[0] if wanted else rolling_back.START


@group.command()
def rollback(
    run: Name = "",
    best: Best = False,
    to: To = "",
    task: Annotated[str, typer.Option("--task", metavar="N", help="To where this task of the plan was begun.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="To what was there before the last rollback.")] = False,
    force: Force = False,
    everything: All = False,
    confirm: Confirm = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Put the files back as they were at a run's start, at its best iteration or at any other; shown first.

    Example: ralph-mem ralph rollback --best --confirm
    """
    place = known.choose(project)
    meant = runs.find(place, run)
    ralph_apply.roll_back(place, effective.load(place), meant, _target(best, to, undo, task), (force, everything), confirm, json)


@group.command()
def status(
    run: Name = "",
    history: Annotated[bool, typer.Option("--history", help="Every iteration, with what it changed and took.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Say how a run stands or how it ended, what fails, what it took, and what can be done now.

    Example: ralph-mem ralph status --history
    """
    place = known.choose(project)
    found = runs.all(place)
    if not found and not run:
        return printing.as_json({"id": None, "runs": []}) if json else printing.text(overview.NOTHING)
    shown = runs.find(place, run) if run or runs.latest(place) else found[-1]
    if json:
        facts = telling.facts(shown, runs.now_ms())
        (step,) = runs.with_id(place, shown, [facts["next"]])
        return printing.as_json({**facts, "next": step, "runs": [each.id for each in found]})
    lines = runs.with_id(place, shown, display.status_lines(shown, runs.now_ms()))
    printing.text("\n".join([*lines, *_process(place, shown)]))
    if history:
        printing.table(COLUMNS_OF_RUN, rows_of_run(shown))
        for line in display.others(found):
            printing.text(line)
    return None


def _process(place: Place, run: Run) -> list[str]:
    live = runs.busy(place)
    if live is None or live.run != run.id:
        return []
    doing = [] if run.is_paused() else transcript.lines_now(place, effective.load(place), live, run.last_seen)[-1:]
    return [*[f"now: {line}" for line in doing], *([f"its process: {live.pid}"] if live.pid else [])]


@group.command()
def bisect(
    test: Annotated[str, typer.Argument(metavar="TEST", help="A test or check, or a part of its name that only one has.")],
    run: Name = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Say which iteration broke or fixed a test, from what was recorded; nothing is run again.

    Example: ralph-mem ralph bisect test_totals
    """
    place = known.choose(project)
    meant = runs.find(place, run)
    changed, lines = attempts.bisect(meant, test)
    printing.told("\n".join(lines), {"run": meant.id, "iteration": changed.number if changed else None, "told": lines}, json)


@group.command("replay")
def replay_it(
    run: Annotated[str, typer.Argument(metavar="RUN|FILE", help="A run by its id, or the file of a record.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Decide a recorded run once more, without an agent; exits with 1 where it would be decided otherwise.

    Example: ralph-mem ralph replay
    """
    place = known.choose(project)
    path = run if run and Path(run).is_file() else runs.path_of(place, runs.find(place, run).id)
    entries = record.read(path)
    found = stopping.replay(entries)
    decisions = len([entry for entry in entries if entry["what"] == "decision"])
    printing.told("\n".join(display.replayed(decisions, found)), {"decisions": decisions, "differences": found}, json)
    if found:
        raise typer.Exit(1)


@group.command()
def guard() -> None:
    """Only in Claude Code: run the checks at the end of each turn, and hand over what fails.

    Example: ralph-mem ralph guard
    """
    raise LoopError("a guard works in a session", "type /ralph guard in Claude Code")


@group.command("config", context_settings={"ignore_unknown_options": True})  # or -1 would be an option
def configure(
    key: Annotated[
        str, typer.Argument(metavar="KEY", callback=no_option, help="Such as max_iterations; all of the loop's keys without.")
    ] = "",
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What it is to be.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Show the loop's settings, or change one for this project.

    Example: ralph-mem ralph config max_iterations 5
    """
    place = known.choose(project)
    name = key if not key or "." in key or key in schema.RULES else f"ralph.{key}"
    if value:
        changed = config_file.change(place, name, value)
        told = f"{name} is {config_change.written(changed.value)} in {changed.path}"
        printing.as_json({"key": name, **changed._asdict()}) if json else printing.text(told)
        name_wrong(place)
        return
    every = [each for each in config_file.load(place).values() if each.key.startswith(("ralph.", "snapshot."))]
    found = [config_file.find(place, name)] if name else every
    name_wrong(place)
    if json:
        printing.as_json([facts_of(each) for each in found])
    elif name:
        printing.text(config_change.written(found[0].value))
    else:
        rows = [(each.key, config_change.written(each.value), each.origin, each.meaning) for each in found]
        printing.table(("key", "value", "from", "meaning"), rows)
