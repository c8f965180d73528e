"""`/ralph start`, `resume` and `guard`, which bind a loop to a session or detach it."""

import gc

from ralph_mem.core.errors import LoopError
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event
from ralph_mem.ralph import (
    detached,
    display,
    files,
    in_session,
    leftovers,
    options,
    passing,
    planning,
    prompt,
    prospects,
    runs,
    starting,
    stop_reasons,
    stopping,
    telling,
)
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.git import guarding
from ralph_mem.ralph.in_session import stop as stop_guard
from ralph_mem.ralph.lock import Lock
from ralph_mem.ralph.loop import Loop
from ralph_mem.ralph.record import GUARD, IN_SESSION
from ralph_mem.ralph.tasks import amending
from ralph_mem.ralph.watching import steering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.interfaces.skills import Asked
    from ralph_mem.interfaces.skills.typed_words import Order
    from ralph_mem.ralph.options import Wish
    from ralph_mem.ralph.prospects import Prospect
    from ralph_mem.ralph.record import Run

    Show = Callable[..., str]

RESUMED = (*options.names("resume", options.VALUE, options.LIST), "--accept")
RESUMED_FLAGS = ("--headless", "--in-session")
OF_HEADLESS = tuple([each.name for each in options.OPTIONS if each.where == "headless"])
VALUED = (*options.names("start", options.VALUE, options.LIST), "--accept")
GUARDED = (*options.names("guard", options.VALUE, options.LIST), "--accept")
FLAGS = (*options.names("start", options.FLAG), "--headless", "--in-session", "--anyway")
# The client cuts what a hook says at 10,000 characters: the prompt and the lines above it have to fit; a token is about four.
MOST_PROMPT = 8_400
PROMPT_TOKENS = MOST_PROMPT // 4
MOST_REPEATED = 400
NOT_BEGUN = "Nothing is begun yet. Whoever has read the lines above, and wants them to be run, types:"
HONEST = (
    "The checks are run from outside each time you end your turn, and you are told what fails. The client itself ends a turn after"
    " eight rounds in a row without a tool; Esc, or a prompt of the person's own, takes over; /ralph stop ends the loop."
)


def wished(asked: "Asked", order: "Order") -> "Wish":
    """Return what is wished for. Raises LoopError for a value that cannot be."""
    return planning.wish(asked.settings, order.rest, _given(order))


def _given(order: "Order", verb: str = "start") -> "dict[str, Any]":
    """Return by an option's name what was typed behind it."""
    return {
        each.name: order.options.get(each.name) if each.kind == options.LIST else order.last(each.name) for each in options.of(verb)
    }


def start(asked: "Asked", order: "Order", show: "Show") -> str:
    """Begin a loop in this session, or with `--headless` in the background; what would be run has to be accepted first."""
    gc.enable()  # the door switches it off for processes that are gone at once
    wish = wished(asked, order)
    headless = order.has("--headless")
    if not headless:
        wish = _in_session(asked, order, wish)
    prospect = prospects.look(asked.project, wish)
    starting.check(asked.project, wish, prospect)
    if not headless:
        prompt.check(wish.goal, PROMPT_TOKENS)
    if not prospects.accept(asked.project, prospect, order.last("--accept") or ""):
        return _to_accept(asked, prospect, show)
    return _detached(asked, order, wish) if headless else _begun(asked, order, wish, prospect)


def _to_accept(asked: "Asked", prospect: "Prospect", show: "Show", mode: str = IN_SESSION) -> str:
    text = show(asked, display.to_accept(prospect, mode), whole=True)  # what is not shown whole gets no code
    return f"{text}\n{_how_to_accept(asked, prospect)}"


def _how_to_accept(asked: "Asked", prospect: "Prospect") -> str:
    """Return the command that accepts what was shown: by its code, or what was typed with the digits that stand for it."""
    code = prospects.keep_shown(asked.project, asked.settings, asked.text.strip(), prospect.digest, asked.now)
    if code:
        return f"{NOT_BEGUN}\n/ralph yes {code}"
    verb, rest = [*asked.text.split(None, 1), ""][:2]
    again = rest if len(rest) <= MOST_REPEATED and "\n" not in rest else "... (the rest as before)"
    return f"{NOT_BEGUN}\n/ralph {verb} --accept {prospects.short(prospect)} {again}".rstrip()


def _in_session(asked: "Asked", order: "Order", wish: "Wish") -> "Wish":
    """Return the wish as a session can fulfil it. Raises LoopError where it cannot."""
    _check_session(asked)
    _only_headless(order, *OF_HEADLESS)
    return wish._replace(agent=(), others=(), allow=(), limits=wish.limits._replace(cost=None))


def _only_headless(order: "Order", *names: str) -> None:
    unfit = [name for name in names if order.has(name) and not order.has("--headless")]
    if unfit:
        raise LoopError(
            f"{unfit[0]} is for a loop in the background: in a session nobody hears of it", "add --headless, or leave it out"
        )


def _check_session(asked: "Asked", what: str = "a loop", instead: str = "add --headless, or ") -> None:
    if not asked.session:
        raise LoopError("the client does not say which session this is", f"{instead}`ralph-mem ralph start` in a terminal")
    if not effective.recording(asked.project, asked.settings, asked.session):
        hint = f"{instead}switch recording on: `ralph-mem status` says what keeps it off"
        raise LoopError(f"recording is off here, and {what} in a session needs its hooks", hint)


def _detached(asked: "Asked", order: "Order", wish: "Wish") -> str:
    wrong = [line for agent in (wish.agent, *wish.others) for line in presets.missing(agent)]
    if wrong:
        raise LoopError(wrong[0], "or name another agent with --agent")
    return _in_background(
        detached.start(asked.project, asked.settings, wish, order.has("--anyway")), wish.here or not wish.snapshot
    )


def _in_background(name: str, here: bool) -> str:
    where = "on the same files" if here else "in a room of its own; your files stay as they are until it has succeeded"
    return f"{name} works in the background, {where}. /ralph status shows it, /ralph stop ends it."


def _begun(asked: "Asked", order: "Order", wish: "Wish", prospect: "Prospect") -> str:
    with Lock(asked.project):
        found = starting.start(asked.project, asked.settings, wish, prospect, IN_SESSION, asked.session)
        if found.green and not order.has("--anyway"):
            starting.discard(found.loop)
            return "Every check passes already, so nothing was begun: /ralph start --anyway begins all the same."
        if not found.loop.is_running():
            raise LoopError(found.loop.run.why, stop_reasons.next_step(found.loop.run.reason, found.loop.run))
        text = _bound(asked, found.loop)
    run = found.loop.run
    missing = [f"not found, so not judged by: {line}" for line in prospect.missing]
    way_back = f"/ralph rollback {run.id} shows the way back." if run.start_snapshot else "There are no snapshots, and no way back."
    head = f"{run.id} begins in this session: at most {run.limits.iterations} iterations. {HONEST} {way_back}"
    return "\n".join([head, *missing, text])


def _bound(asked: "Asked", loop: "Loop") -> str:
    """Bind a run to this session and return its next prompt; a run that cannot begin is ended."""
    state = telling.state_in_words(loop.run)
    in_session.take_over(asked.project, loop.run.id, IN_SESSION, asked.session, asked.turn, _client(), state)
    asked.for_model = True  # to work at it
    try:
        return passing.begin(loop, MOST_PROMPT)
    except LoopError as error:
        passing.end(loop, "agent_error", str(error))
        runs.clear_live(asked.project, loop.run.id)
        raise


def _client() -> "tuple[int, int]":
    """Return the process of the client and when it began, zeros where it does not tell: the loop is gone when that is."""
    pid = event.pid()
    return pid, leftovers.born(pid) if pid else 0


def resume(asked: "Asked", order: "Order", show: "Show") -> str:
    """Let a run go on in this session, or with `--headless` in the background; what it may do besides has to be accepted."""
    gc.enable()
    run, bounds = runs.find(asked.project, order.rest), options.meant(_given(order, "resume"))
    headless, plan = order.has("--headless"), bounds.pop("plan", "")
    if not headless:
        _check_session(asked)
        _only_headless(order, "--allow")
        if _is_ours(asked, run):
            return _handed_back(asked, order, run)
        stopping.check(asked.project, run, bounds, IN_SESSION)
    if plan or "allow" in bounds:
        prospect = prospects.again(asked.project, run, bounds.get("allow", ()), plan)
        if not prospects.accept(asked.project, prospect, order.last("--accept") or ""):
            return _to_accept(asked, prospect, show)
        bounds["amended"] = amending.of(run, prospect.plan, asked.project, asked.settings)
    if headless:
        return _in_background(detached.resume(asked.project, run.id, **bounds), run.options.get("here") is not False)
    return _gone_on(asked, run, bounds)


def _gone_on(asked: "Asked", run: "Run", bounds: "dict[str, Any]") -> str:
    last_beat = stopping.last_beat(asked.project, run)
    with Lock(asked.project):
        loop = stopping.resume(asked.project, asked.settings, run, IN_SESSION, last_beat, asked.session, **bounds)
        text = _bound(asked, loop)
    return f"{run.id} goes on in this session, with iteration {loop.run.next_number()}. {HONEST}\n{text}"


def _is_ours(asked: "Asked", run: "Run") -> bool:
    """Say whether a run is at work in this session, where the person had taken over with words of their own."""
    live = runs.live(asked.project)
    return bool(live and live.run == run.id and live.mode == IN_SESSION and live.owner == asked.session)


def _handed_back(asked: "Asked", order: "Order", run: "Run") -> str:
    """Let a run go on that is at work in this session. Raises LoopError for options, which would change it meanwhile."""
    if order.options:
        again = " ".join(asked.text.split())
        raise LoopError(f"{run.id} is at work in this session, as it was begun", f"/ralph stop ends it, then /ralph {again}")
    return _back(asked, run)


def _back(asked: "Asked", run: "Run") -> str:
    files.settle_cut_off(asked.project, asked.settings, run)
    loop = Loop(asked.project, asked.settings, run.id)
    steering.end_pause(loop)
    return f"{run.id} goes on in this session, with iteration {loop.run.next_number()}. {HONEST}\n{_bound(asked, loop)}"


def go_on(asked: "Asked") -> str:
    """Let a loop go on that pauses: here where it is this session's, else where it is at work."""
    live = runs.live(asked.project)
    run = runs.find(asked.project, live.run) if live else None
    if run and run.is_paused() and _is_ours(asked, run):
        return _back(asked, run)
    return f"{steering.go_on(asked.project).id} goes on."


def guard(asked: "Asked", order: "Order", show: "Show") -> str:
    """Have the checks run at the end of each turn of this session, or with `off` no more."""
    if order.rest == "off":
        gone = stop_guard(asked.project, asked.session)
        return (
            "The guard is off."
            if gone
            else "There is no guard in this session; one ends with its session, also where that is resumed."
        )
    if order.rest:
        raise LoopError(
            f"/ralph guard takes no words such as {order.rest[:40]}", "/ralph guard [--criteria T], or /ralph guard off"
        )
    _check_session(asked, "a guard", "")
    wish = wished(asked, order)._replace(goal="guard", agent=(), others=(), allow=(), notify=(), snapshot=False, memory=False)
    prospect = prospects.look(asked.project, wish)
    starting.check(asked.project, wish, prospect)
    if not prospects.accept(asked.project, prospect, order.last("--accept") or ""):
        return _to_accept(asked, prospect, show, GUARD)
    with Lock(asked.project):
        name = starting.note(asked.project, asked.settings, wish, prospect, GUARD, asked.session)
        guarding.begin(Loop(asked.project, asked.settings, name))
        in_session.take_over(asked.project, name, GUARD, asked.session, asked.turn, _client())
    return (
        "From now on the checks are run once at the end of each turn of this session, and what fails is told to the model; whoever"
        " decides whether to go on, decides by that. Nothing is put back, no turn is held up twice. /ralph guard off ends it."
    )
