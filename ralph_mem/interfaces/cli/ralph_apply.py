"""The command `ralph apply`, and what shows and does a rollback."""

from typing import Annotated, Any

import typer

from ralph_mem.core.errors import LoopError
from ralph_mem.core.project import Project as Place
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Confirm, Json, Live, Project
from ralph_mem.maintenance import registry as known
from ralph_mem.ralph import pending, rollback_lines, rolling_back, runs
from ralph_mem.ralph.record import Run
from ralph_mem.ralph.room import applying

commands = typer.Typer()


def roll_back(
    place: Place, values: dict[str, Any], run: Run, target: str, wide: tuple[bool, bool], confirm: bool, json: bool
) -> None:
    """Show what a rollback would do, and do it where that is confirmed; `wide` are --force and --all."""
    voice, (force, everything) = Live(json), wide
    for line in pending.settle(place, values, run):
        voice.stays(line)
    if not confirm:
        what, plan = rolling_back.preview_rollback(place, values, run, target, force, everything=everything)
        for line in rollback_lines.rollback_preview(what, plan, run):
            voice.stays(line)
        if not rolling_back.has_work(plan):
            return printing.as_json(rollback_lines.plan_facts(what, plan)) if json else None
        if not voice.ask("Do this?"):
            told = f"Nothing is changed yet. To do it: {_command(run, target, wide)}"
            return printing.as_json(rollback_lines.plan_facts(what, plan)) if json else printing.text(told)
    with voice:
        what, report = rolling_back.roll_back(
            place, values, run, target, force, lambda step: voice(f"  {step}"), git=True, everything=everything
        )
    if json:
        return printing.as_json(rollback_lines.report_facts(what, report))
    return printing.text("\n".join(rollback_lines.rolled_back(what, report, run)))


def _command(run: Run, target: str, wide: tuple[bool, bool]) -> str:
    words = [
        "ralph-mem ralph rollback",
        run.id,
        rolling_back.option_of(target),
        "--force" if wide[0] else "",
        "--all" if wide[1] else "",
    ]
    return " ".join([word for word in [*words, "--confirm"] if word])


@commands.command("apply")
def apply_it(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run by its id, or the beginning of it; the last one without.")] = "",
    best: Annotated[bool, typer.Option("--best", help="The iteration that came closest, not the last one.")] = False,
    to: Annotated[str, typer.Option("--to", metavar="N", help="This iteration, not the last one.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take out again what was brought last.")] = False,
    confirm: Confirm = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Bring what a loop did in its room into your files; shown first, and what you changed too is kept.

    Example: ralph-mem ralph apply --best --confirm
    """
    place = known.choose(project)
    values, meant = effective.load(place), runs.find(place, run)
    if best + bool(to) + undo > 1:
        raise LoopError("one state is brought, or one taken out", "one of --best, --to N, --undo; none for the last iteration")
    if undo:
        return roll_back(place, values, meant, rolling_back.START, (False, False), confirm, json)
    return _apply(place, values, meant, rolling_back.BEST if best else to, confirm, json)


def _apply(place: Place, values: dict[str, Any], run: Run, to: str, confirm: bool, json: bool) -> None:
    voice = Live(json)
    for line in pending.settle(place, values, run):
        voice.stays(line)
    if not confirm:
        what, plan, merged = applying.preview(place, values, run, to)
        for line in rollback_lines.apply_preview(what, plan, merged.mixed, run):
            voice.stays(line)
        if not plan.actions:
            return printing.as_json(rollback_lines.plan_facts(what, plan)) if json else None
        if not voice.ask("Do this?"):
            state = {"": "", rolling_back.BEST: " --best"}.get(to, f" --to {to}")
            told = f"Nothing is changed yet. To do it: ralph-mem ralph apply {run.id}{state} --confirm"
            return printing.as_json(rollback_lines.plan_facts(what, plan)) if json else printing.text(told)
    with voice:
        what, report, merged = applying.apply(place, values, run, to, lambda step: voice(f"  {step}"))
    if json:
        mixed = [path.decode("utf-8", "surrogateescape") for path in merged.mixed]
        return printing.as_json({**rollback_lines.report_facts(what, report), "merged": mixed})
    return printing.text("\n".join(rollback_lines.applied(what, report, len(merged.mixed), run)))
