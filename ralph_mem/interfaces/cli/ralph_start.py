"""The commands `ralph start`, `ralph plan` and `ralph resume`."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ralph_mem.core.errors import LoopError
from ralph_mem.core.format import count
from ralph_mem.core.project import Project as Place
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Live, Project
from ralph_mem.maintenance import registry as known
from ralph_mem.ralph import (
    detached,
    display,
    headless,
    options,
    planning,
    prospects,
    rolling_back,
    runs,
    starting,
    stop_reasons,
    telling,
)
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.loop import Loop
from ralph_mem.ralph.options import FLAG, LIST, Option, Wish
from ralph_mem.ralph.prospects import Prospect
from ralph_mem.ralph.record import Run
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.tasks import amending, drafting, to_json

commands = typer.Typer()

Headless = Annotated[bool, typer.Option("--headless", help="A fresh agent for each iteration: what this command does anyway.")]
InSession = Annotated[bool, typer.Option("--in-session", help="Only in Claude Code: type /ralph start there.")]
Accept = Annotated[str, typer.Option("--accept", metavar="DIGEST", help="Accept what was shown under these digits.")]
Anyway = Annotated[bool, typer.Option("--anyway", help="Begin even where every check passes already.")]
Detach = Annotated[bool, typer.Option("--detach", help="Work in the background.")]
GREEN = "Every check passes already, so nothing was begun: --anyway begins all the same."
TYPES = {FLAG: (bool, False), LIST: (list[str], [])}
IN_SESSION_HINT = 'type /ralph start "GOAL" in Claude Code; here a loop is headless'


def taking(verb: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator by which a command takes the options of `verb`; it gets them as `given`, as `options.meant` takes them."""
    chosen = {_parameter(each): each for each in options.of(verb)}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**typed: Any) -> None:
            given = {each.name: typed.pop(name) for name, each in chosen.items()}
            command(**typed, given=given)

        own = [each for each in inspect.signature(command, eval_str=True).parameters.values() if each.name != "given"]
        first = [each for each in own if each.default is inspect.Parameter.empty or _is_argument(each)]
        rest = [each for each in own if each not in first]
        every = [*first, *[_declared(name, each) for name, each in chosen.items()], *rest]
        run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined] # typer reads the one, and
        run.__annotations__ = {each.name: each.annotation for each in every}  # the other
        return run

    return decorate


def _is_argument(parameter: inspect.Parameter) -> bool:
    return any(isinstance(each, typer.models.ArgumentInfo) for each in getattr(parameter.annotation, "__metadata__", ()))


def _parameter(option: Option) -> str:
    return str(option.name.strip("-").replace("-", "_"))


def _declared(name: str, option: Option) -> inspect.Parameter:
    kind, default = TYPES.get(option.kind, (str, ""))
    typed = {"metavar": option.metavar} if option.metavar else {}
    annotation = Annotated[kind, typer.Option(option.name, **typed, help=option.help)]  # type: ignore[valid-type]
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


@commands.command()
@taking("start")
def start(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What is to be reached, in quotes.")],
    given: dict[str, Any],
    is_headless: Headless = False,  # noqa: ARG001 - said for whoever wants to say it
    in_session: InSession = False,
    accept: Accept = "",
    anyway: Anyway = False,
    detach: Detach = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Work at a goal until checks that are run here pass; exits with 0, or with the code of the reason why it stopped.

    Example: ralph-mem ralph start "make the tests pass" --max-iterations 5
    """
    if in_session:
        raise LoopError("a loop in a session is started in that session", IN_SESSION_HINT)
    place, values = _place(project)
    wished = planning.wish(values, goal, given)
    prospect = prospects.look(place, wished)
    starting.check(place, wished, prospect)
    _agent_is_there(wished)
    voice = Live(json)
    _settle(place, prospect, accept, voice)
    if detach:
        _tell_background(detached.start(place, values, wished, anyway), json)
        return
    run = _worked(place, values, wished, prospect, anyway, voice)
    if run is None:  # what was wanted is so: no failure, and nothing to tell by a code of its own
        printing.as_json({"id": None, "begun": False, "green": True}) if json else printing.text(GREEN)
        return
    _finish(place, values, run, json, voice)


def _place(project: str) -> tuple[Place, dict[str, Any]]:
    place = known.choose(project)
    return place, effective.load(place)


def _settle(place: Place, prospect: Prospect, accept: str, voice: Live) -> None:
    """See that a person has accepted what would be run: now, earlier, or by the digits that they were shown."""
    if prospects.accept(place, prospect, accept):
        return
    for line in display.to_accept(prospect):
        voice.stays(line)
    digits = prospects.short(prospect)
    if voice.ask("Run this in your project?"):
        prospects.accept(place, prospect, digits)
        return
    raise LoopError("nobody has accepted yet what would be run", f"if it is right, add --accept {digits}")


def _agent_is_there(wished: Wish) -> None:
    wrong = [line for agent in (wished.agent, *wished.others) for line in presets.missing(agent)]
    if wrong:
        raise LoopError(wrong[0], "or name another agent with --agent")


def _worked(place: Place, values: dict[str, Any], wished: Wish, prospect: Prospect, anyway: bool, voice: Live) -> Run | None:
    def is_wanted(_loop: Loop) -> bool:
        return anyway or voice.ask("Every check passes already. Begin all the same?")

    with voice:
        return headless.start(place, values, wished, prospect, is_wanted, told=voice)


def _tell_background(name: str, json: bool) -> None:
    if json:
        printing.as_json({"id": name, "detached": True})
    else:
        printing.text(f"{name} works in the background: `ralph-mem ralph status` shows it, `ralph-mem ralph stop` ends it.")


def _finish(place: Place, values: dict[str, Any], run: Run, json: bool, voice: Live) -> None:
    """Tell how it ended, and leave with the code of its reason."""
    lines = rolling_back.roll_back_if_wanted(place, values, run)
    if json:
        for line in lines:
            voice.stays(line)
        printing.as_json({**telling.facts(run, now_ms()), "rolled_back": bool(lines)})
    else:
        for line in [*runs.with_id(place, run, display.ended(run)), *lines]:
            printing.text(line)
    raise typer.Exit(stop_reasons.exit_code(run.reason))


@commands.command("plan")
@taking("plan")
def plan_it(
    given: dict[str, Any],
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What is to be reached.")] = "",
    draft: Annotated[str, typer.Option("--from", metavar="GOAL", help="Have the agent draft the plan file first.")] = "",
    accept: Accept = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Show what a loop would run, how that stands now, its limits, its agent and its way back; begins nothing.

    Example: ralph-mem ralph plan --criteria "custom=./check.sh"
    """
    place, values = _place(project)
    if draft:
        _draft(place, planning.wish(values, draft, given), accept, json)
        return
    wished = planning.wish(values, goal, given)
    prospects.accept(place, prospects.look(place, wished), accept)
    voice = Live(json)
    with voice:
        planned = planning.plan(place, values, wished, voice)
    printing.told("\n".join(planning.lines(planned)), planning.facts(planned), json)


def _draft(place: Place, wished: Wish, accept: str, json: bool) -> None:
    """Have the agent draft a plan; it is an agent as that of a loop is, so it is accepted as one."""
    drafting.check(place, wished)
    voice = Live(json)
    _settle(place, prospects.look(place, wished._replace(criteria=(), plan="", notify=())), accept, voice)
    _agent_is_there(wished)
    with voice:
        found = drafting.draft(place, wished, voice)
    if json:
        printing.as_json({"plan": found.name, "tasks": [to_json(task) for task in found.tasks]})
        return
    printing.text(
        f"{found.name} holds a draft of {count(len(found.tasks), 'task')}. Nothing of it was run: read it, and change it."
    )
    printing.text(f"next: `ralph-mem ralph plan --plan {found.name}` shows what it would run")


@commands.command()
@taking("resume")
def resume(
    given: dict[str, Any],
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run by its id; the last one without.")] = "",
    is_headless: Headless = False,  # noqa: ARG001 - as for start
    in_session: InSession = False,
    accept: Accept = "",
    detach: Detach = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Let a run go on that was interrupted, stopped or out of iterations, time or money.

    Example: ralph-mem ralph resume --max-iterations 20
    """
    if in_session:
        raise LoopError("a loop in a session goes on in a session", "type /ralph resume in Claude Code; here a loop is headless")
    place, values = _place(project)
    bounds = options.meant(given)
    plan = bounds.pop("plan", "")
    meant = runs.find(place, run)
    voice = Live(json)
    if bounds.get("allow") or plan:
        prospect = prospects.again(place, meant, bounds.get("allow", ()), plan)
        _settle(place, prospect, accept, voice)
        bounds["amended"] = amending.of(meant, prospect.plan, place, values)
    if detach:
        _tell_background(detached.resume(place, meant.id, **bounds), json)
        return
    with voice:
        ended = headless.resume(place, values, meant, told=voice, **bounds)
    _finish(place, values, ended, json, voice)
