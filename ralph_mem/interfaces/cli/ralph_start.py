"""The commands `ralph start`, `ralph plan` and `ralph resume`."""

from typing import Annotated, Any

import typer

from ralph_mem.core.errors import LoopError
from ralph_mem.core.project import Project as Place
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import launch
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Live, Project
from ralph_mem.maintenance import registry as known
from ralph_mem.ralph import detached, display, files, headless, planning, runs, starting, stop_reasons
from ralph_mem.ralph.record import Run
from ralph_mem.ralph.runs import Loop, now_ms
from ralph_mem.ralph.starting import Prospect, Wish

commands = typer.Typer()

Criteria = Annotated[
    list[str], typer.Option("--criteria", metavar="T", help="A check: test_pass, build_success, or custom=./check.sh; repeatable.")
]
Iterations = Annotated[str, typer.Option("--max-iterations", metavar="N", help="Give up after so many iterations.")]
Duration = Annotated[str, typer.Option("--max-duration", metavar="D", help="Give up after this: 90s, 30m, 2h.")]
Cost = Annotated[str, typer.Option("--max-cost", metavar="USD", help="Give up before more is spent.")]
Cooldown = Annotated[str, typer.Option("--cooldown", metavar="MS", help="Milliseconds between two iterations.")]
NoProgress = Annotated[str, typer.Option("--no-progress", metavar="N", help="Give up after so many without a new best.")]
Plan = Annotated[str, typer.Option("--plan", metavar="FILE", help="A list of tasks, `- [ ] ...`, that has to be ticked off too.")]
Promise = Annotated[str, typer.Option("--promise", metavar="TEXT", help="The agent's last line has to say this too.")]
NoSnapshot = Annotated[bool, typer.Option("--no-snapshot", help="No snapshots, and no way back.")]
NoMemory = Annotated[bool, typer.Option("--no-memory", help="Tell the agent nothing of earlier work, and keep nothing.")]
NoWait = Annotated[bool, typer.Option("--no-wait", help="End at a rate limit instead of waiting.")]
Headless = Annotated[bool, typer.Option("--headless", help="A fresh agent for each iteration: what this command does anyway.")]
InSession = Annotated[bool, typer.Option("--in-session", help="Only in Claude Code: type /ralph start there.")]
Agent = Annotated[str, typer.Option("--agent", metavar="CMD", help="Another agent; {prompt} or stdin is what it is told.")]
Allow = Annotated[list[str], typer.Option("--allow", metavar="RULE", help="What claude may do, as Bash(make:*); repeatable.")]
Notify = Annotated[str, typer.Option("--notify", metavar="CMD", help="Gets JSON on stdin when it ends.")]
Protect = Annotated[list[str], typer.Option("--protect", metavar="PATTERN", help="Put back before the checks run; repeatable.")]
Timeout = Annotated[str, typer.Option("--timeout", metavar="S", help="Seconds after which a check is ended.")]
Accept = Annotated[str, typer.Option("--accept", metavar="DIGEST", help="Accept what was shown under these digits.")]
Anyway = Annotated[bool, typer.Option("--anyway", help="Begin even where every check passes already.")]
Detach = Annotated[bool, typer.Option("--detach", help="Work in the background.")]
IN_SESSION_HINT = 'type /ralph start "GOAL" in Claude Code; here a loop is headless'


@commands.command()
def start(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What is to be reached, in quotes.")],
    criteria: Criteria = [],  # noqa: B006
    max_iterations: Iterations = "", max_duration: Duration = "", max_cost: Cost = "", cooldown: Cooldown = "",
    no_progress: NoProgress = "", plan: Plan = "", promise: Promise = "", no_snapshot: NoSnapshot = False,
    no_memory: NoMemory = False, no_wait: NoWait = False,
    is_headless: Headless = False,  # noqa: ARG001 - said for whoever wants to say it
    in_session: InSession = False,
    agent: Agent = "", allow: Allow = [], notify: Notify = "", protect: Protect = [], timeout: Timeout = "",  # noqa: B006
    accept: Accept = "", anyway: Anyway = False, detach: Detach = False, project: Project = "", json: Json = False,
) -> None:  # fmt: skip
    """Work at a goal until checks that are run here pass; exits with 0, or with the code of the reason why it stopped.

    Example: ralph-mem ralph start "make the tests pass" --max-iterations 5
    """
    if in_session:
        raise LoopError("a loop in a session is started in that session", IN_SESSION_HINT)
    place, values = _place(project)
    given = _given(criteria, plan, promise, no_snapshot, no_memory, no_wait, agent, allow, notify, protect, timeout)
    wished = planning.wish(values, goal, given, _bounds(max_iterations, max_duration, max_cost, cooldown, no_progress))
    prospect = starting.look(place, wished)
    starting.check(place, wished, prospect)
    voice = Live(json)
    _settle(place, prospect, accept, voice)
    _agent_is_there(wished)
    if detach:
        _tell_background(detached.start(place, values, wished, anyway), json)
        return
    run = _worked(place, values, wished, prospect, anyway, voice)
    _finish(place, values, run, json, voice)


def _place(project: str) -> tuple[Place, dict[str, Any]]:
    place = known.choose(project)
    return place, effective.load(place)


def _given(
    criteria: list[str], plan: str, promise: str, no_snapshot: bool, no_memory: bool, no_wait: bool, agent: str, allow: list[str],
    notify: str, protect: list[str], timeout: str,
) -> dict[str, Any]:  # fmt: skip
    off = {name: False for name, is_off in {"snapshot": no_snapshot, "memory": no_memory, "wait": no_wait}.items() if is_off}
    texts = {"plan": plan, "promise": promise, "agent": agent, "notify": notify, "timeout_s": timeout}
    return {**off, **{name: text or None for name, text in texts.items()}, "criteria": criteria, "allow": allow, "protect": protect}


def _bounds(max_iterations: str, max_duration: str, max_cost: str, cooldown: str, no_progress: str) -> dict[str, Any]:
    return planning.bounds(max_iterations or None, max_duration or None, max_cost or None, cooldown or None, no_progress or None)


def _settle(place: Place, prospect: Prospect, accept: str, voice: Live) -> None:
    """See that a person has accepted what would be run: now, earlier, or by the digits that they were shown."""
    if starting.accept(place, prospect, accept):
        return
    for line in display.to_accept(prospect):
        voice.stays(line)
    digits = starting.short(prospect)
    if voice.ask("Run this in your project?"):
        starting.accept(place, prospect, digits)
        return
    raise LoopError("nobody has accepted yet what would be run", f"if it is right, add --accept {digits}")


def _agent_is_there(wished: Wish) -> None:
    wrong = [] if wished.agent else launch.preflight()
    if wrong:
        raise LoopError(wrong[0], "or name another agent with --agent")


def _worked(place: Place, values: dict[str, Any], wished: Wish, prospect: Prospect, anyway: bool, voice: Live) -> Run:
    def is_wanted(_loop: Loop) -> bool:
        return anyway or voice.ask("Every check passes already. Begin all the same?")

    with voice:
        run = headless.start(place, values, wished, prospect, is_wanted, told=voice)
    if run is None:
        raise LoopError("every check passes already, so nothing was begun", "--anyway begins all the same")
    return run


def _tell_background(name: str, json: bool) -> None:
    if json:
        printing.as_json({"id": name, "detached": True})
    else:
        printing.text(f"{name} works in the background: `ralph-mem ralph status` shows it, `ralph-mem ralph stop` ends it.")


def _finish(place: Place, values: dict[str, Any], run: Run, json: bool, voice: Live) -> None:
    """Tell how it ended, and leave with the code of its reason."""
    lines = files.roll_back_if_wanted(place, values, run)
    if json:
        for line in lines:
            voice.stays(line)
        printing.as_json({**display.facts(run, now_ms()), "rolled_back": bool(lines)})
    else:
        for line in [*display.ended(run), *lines]:
            printing.text(line)
    raise typer.Exit(stop_reasons.exit_code(run.reason))


@commands.command("plan")
def plan_it(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What is to be reached.")] = "",
    criteria: Criteria = [],  # noqa: B006
    max_iterations: Iterations = "", max_duration: Duration = "", max_cost: Cost = "", cooldown: Cooldown = "",
    no_progress: NoProgress = "", plan: Plan = "", promise: Promise = "", no_snapshot: NoSnapshot = False,
    no_memory: NoMemory = False, no_wait: NoWait = False,
    agent: Agent = "", allow: Allow = [], notify: Notify = "", protect: Protect = [], timeout: Timeout = "",  # noqa: B006
    accept: Accept = "", project: Project = "", json: Json = False,
) -> None:  # fmt: skip
    """Show what a loop would run, how that stands now, its limits, its agent and its way back; begins nothing.

    Example: ralph-mem ralph plan --criteria "custom=./check.sh"
    """
    place, values = _place(project)
    given = _given(criteria, plan, promise, no_snapshot, no_memory, no_wait, agent, allow, notify, protect, timeout)
    wished = planning.wish(values, goal, given, _bounds(max_iterations, max_duration, max_cost, cooldown, no_progress))
    starting.accept(place, starting.look(place, wished), accept)
    voice = Live(json)
    with voice:
        planned = planning.plan(place, values, wished, voice)
    if json:
        printing.as_json(planning.facts(planned))
    else:
        printing.text("\n".join(planning.lines(planned)))


@commands.command()
def resume(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run by its id; the last one without.")] = "",
    max_iterations: Iterations = "", max_duration: Duration = "", max_cost: Cost = "", cooldown: Cooldown = "",
    no_progress: NoProgress = "",
    is_headless: Headless = False,  # noqa: ARG001 - as for start
    in_session: InSession = False, detach: Detach = False, project: Project = "", json: Json = False,
) -> None:  # fmt: skip
    """Let a run go on that was interrupted, stopped or out of iterations, time or money.

    Example: ralph-mem ralph resume --max-iterations 20
    """
    if in_session:
        raise LoopError("a loop in a session goes on in a session", "type /ralph resume in Claude Code; here a loop is headless")
    place, values = _place(project)
    bounds = _bounds(max_iterations, max_duration, max_cost, cooldown, no_progress)
    meant = runs.find(place, run)
    if detach:
        _tell_background(detached.resume(place, meant.id, **bounds), json)
        return
    voice = Live(json)
    with voice:
        ended = headless.resume(place, values, meant, told=voice, **bounds)
    _finish(place, values, ended, json, voice)
