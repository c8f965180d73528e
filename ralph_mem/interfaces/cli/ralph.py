"""The commands of `ralph` that watch, stop, roll back and examine a loop."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ralph_mem.core.errors import LoopError
from ralph_mem.core.project import Project as Place
from ralph_mem.core.settings import effective, schema
from ralph_mem.interfaces.cli import printing, ralph_start
from ralph_mem.interfaces.cli.printing import Confirm, Json, Live, Project
from ralph_mem.maintenance import config_change, config_file
from ralph_mem.maintenance import registry as known
from ralph_mem.ralph import attempts, display, files, record, runs, stopping
from ralph_mem.ralph.record import Run

commands = typer.Typer()
group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Work at a goal until its checks pass: the Ralph loop.")
group.add_typer(ralph_start.commands)
commands.add_typer(group, name="ralph")

Name = Annotated[str, typer.Argument(metavar="RUN", help="A run by its id, or the beginning of it; the last one without.")]
Best = Annotated[bool, typer.Option("--best", help="To the iteration that came closest, not to the start.")]
To = Annotated[str, typer.Option("--to", metavar="N", help="To this iteration, not to the start.")]
Force = Annotated[bool, typer.Option("--force", help="Put back what you changed after the loop, too.")]
NOTHING = 'No loop has run here yet: `ralph-mem ralph start "GOAL"` starts one.'


def _now() -> int:
    return time.time_ns() // 1_000_000


@group.command()
def stop(
    rollback: Annotated[bool, typer.Option("--rollback", help="Roll the files back too, shown first.")] = False,
    best: Best = False,
    to: To = "",
    force: Force = False,
    confirm: Confirm = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Stop the loop that works here, wherever it runs; with --rollback the files go back, after they were shown.

    Example: ralph-mem ralph stop --rollback --best
    """
    place = known.choose(project)
    values, target = effective.load(place), _target(best, to)
    if (best or to or force or confirm) and not rollback:
        raise LoopError("--best, --to, --force and --confirm are about a rollback", "add --rollback")
    run = _stopped(place, values, rollback)
    if rollback:
        _roll_back(place, values, run, target, force, confirm, json)
    elif json:
        printing.as_json(display.facts(run, _now()))


def _stopped(place: Place, values: dict[str, Any], rollback: bool) -> Run:
    """Return the run as it is once it is stopped; for a rollback one that has ended before will do."""
    latest = runs.latest(place)
    if rollback and latest and not runs.live(place) and latest.ended:
        return latest
    run = stopping.stop(place, values)
    for line in display.ended(run) if run.reason else [f"{run.id} is switched off"]:
        Live(for_program=True).stays(line)
    return run


def _target(best: bool, to: str, undo: bool = False) -> str:
    """Return what a rollback leads to. Raises LoopError where that is not one thing."""
    wanted = [name for name, given in ((files.BEST, best), (to, bool(to)), (files.UNDO, undo)) if given]
    if len(wanted) > 1:
        raise LoopError("a rollback leads to one state", "one of --best, --to N, --undo; none of them for the start")
    if to and not to.isdecimal():
        raise LoopError(f"--to {to[:40]} is no iteration", "`ralph-mem ralph status --history` numbers them")
    return wanted[0] if wanted else files.START


def _roll_back(place: Place, values: dict[str, Any], run: Run, target: str, force: bool, confirm: bool, json: bool) -> None:
    """Show what a rollback would do, and do it where that is confirmed."""
    voice = Live(json)
    if not confirm:
        what, plan = files.preview_rollback(place, values, run, target, force)
        for line in display.rollback_preview(what, plan, files.was_killed(run)):
            voice.stays(line)
        if not plan.actions:
            return printing.as_json(display.plan_facts(what, plan)) if json else None
        if not voice.ask("Do this?"):
            told = f"Nothing is changed yet. To do it: {_command(run, target, force)}"
            return printing.as_json(display.plan_facts(what, plan)) if json else printing.text(told)
    with voice:
        what, report = files.roll_back(place, values, run, target, force, lambda step: voice(f"  {step}"))
    if json:
        return printing.as_json(display.report_facts(what, report))
    return printing.text("\n".join(display.rolled_back(what, report, run)))


def _command(run: Run, target: str, force: bool) -> str:
    to = {files.START: "", files.BEST: " --best", files.UNDO: " --undo"}.get(target, f" --to {target}")
    return f"ralph-mem ralph rollback {run.id}{to}{' --force' if force else ''} --confirm"


@group.command()
def rollback(
    run: Name = "",
    best: Best = False,
    to: To = "",
    undo: Annotated[bool, typer.Option("--undo", help="To what was there before the last rollback.")] = False,
    force: Force = False,
    confirm: Confirm = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Put the files back as they were at a run's start, at its best iteration or at any other; shown first.

    Example: ralph-mem ralph rollback --best --confirm
    """
    place = known.choose(project)
    _roll_back(place, effective.load(place), runs.find(place, run), _target(best, to, undo), force, confirm, json)


@group.command()
def status(
    run: Name = "",
    history: Annotated[bool, typer.Option("--history", help="Every iteration, and the other runs.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Say how a run stands or how it ended, what fails, what it took, and what can be done now.

    Example: ralph-mem ralph status --history
    """
    place = known.choose(project)
    found = runs.all(place)
    if not found and not run:
        return printing.as_json({"id": None, "runs": []}) if json else printing.text(NOTHING)
    shown = runs.find(place, run) if run or runs.latest(place) else found[-1]
    if json:
        return printing.as_json({**display.facts(shown, _now()), "runs": [each.id for each in found]})
    printing.text("\n".join([*display.status_lines(shown, _now()), *_process(place, shown)]))
    if history:
        printing.table(display.HISTORY_COLUMNS, display.history(shown))
        for line in display.others(found, shown.id):
            printing.text(line)
    return None


def _process(place: Place, run: Run) -> list[str]:
    live = runs.busy(place)
    return [f"its process: {live.pid}"] if live and live.run == run.id and live.pid else []


@group.command()
def bisect(
    test: Annotated[str, typer.Argument(metavar="TEST", help="A test or check, or a part of its name that only one has.")],
    run: Name = "",
    project: Project = "",
) -> None:
    """Say which iteration broke or fixed a test, from what was recorded; nothing is run again.

    Example: ralph-mem ralph bisect test_totals
    """
    place = known.choose(project)
    _, lines = attempts.bisect(runs.find(place, run), test)
    printing.text("\n".join(lines))


@group.command("replay")
def replay_it(
    run: Annotated[str, typer.Argument(metavar="RUN|FILE", help="A run by its id, or the file of a record.")] = "",
    project: Project = "",
) -> None:
    """Decide a recorded run once more, without an agent; exits with 1 where it would be decided otherwise.

    Example: ralph-mem ralph replay
    """
    place = known.choose(project)
    path = run if run and Path(run).is_file() else runs.path_of(place, runs.find(place, run).id)
    entries = record.read(path)
    found = stopping.replay(entries)
    told = display.replayed(len([entry for entry in entries if entry["what"] == "decision"]), found)
    printing.text("\n".join(told))
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
    key: Annotated[str, typer.Argument(metavar="KEY", help="Such as max_iterations; all of the loop's keys without.")] = "",
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What it is to be.")] = "",
    project: Project = "",
) -> None:
    """Show the loop's settings, or change one for this project.

    Example: ralph-mem ralph config max_iterations 5
    """
    place = known.choose(project)
    if not key:
        found = [each for each in config_file.load(place).values() if each.key.startswith(("ralph.", "snapshot."))]
        printing.table(
            ("key", "value", "from", "meaning"), [(e.key, config_change.written(e.value), e.origin, e.meaning) for e in found]
        )
        return
    name = key if key in schema.RULES else f"ralph.{key}"
    if not value:
        printing.text(config_change.written(config_file.find(place, name).value))
        return
    changed = config_file.change(place, name, value)
    printing.text(f"{name} is {config_change.written(changed.value)} in {changed.path}")
