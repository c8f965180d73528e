"""`/ralph start`, `resume` and `guard`, which bind a loop to a session or detach it."""

import gc

from ralph_mem.core.errors import LoopError
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event, launch
from ralph_mem.ralph import (
    detached,
    display,
    in_session,
    leftovers,
    passing,
    planning,
    prompt,
    runs,
    starting,
    stop_reasons,
    stopping,
)
from ralph_mem.ralph.in_session import stop as stop_guard
from ralph_mem.ralph.record import GUARD, IN_SESSION
from ralph_mem.ralph.runs import Loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.interfaces.skills import Asked
    from ralph_mem.interfaces.skills.typed_words import Order
    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.starting import Prospect, Wish

    Show = Callable[..., str]

BOUNDS = ("--max-iterations", "--max-duration", "--max-cost", "--cooldown", "--no-progress")
OF_HEADLESS = ("--agent", "--allow", "--max-cost", "--no-wait")
VALUED = (*BOUNDS, "--criteria", "--plan", "--promise", "--agent", "--allow", "--notify", "--protect", "--timeout", "--accept")
FLAGS = ("--no-snapshot", "--no-memory", "--no-wait", "--headless", "--in-session", "--anyway")
# The client cuts what a hook says at 10,000 characters: the prompt and the lines above it have to fit; a token is about four.
MOST_PROMPT = 8_400
PROMPT_TOKENS = MOST_PROMPT // 4
MOST_REPEATED = 400
HONEST = (
    "The checks are run from outside each time you end your turn, and you are told what fails. The client itself ends a turn after"
    " eight rounds in a row without a tool; Esc, or a prompt of the person's own, takes over; /ralph stop ends the loop."
)


def wished(asked: "Asked", order: "Order") -> "Wish":
    """Return what is wished for. Raises LoopError for a value that cannot be."""
    last = order.last
    given = {
        "criteria": order.options.get("--criteria"), "allow": order.options.get("--allow"),
        "protect": order.options.get("--protect"), "plan": last("--plan"), "promise": last("--promise"),
        "agent": last("--agent"), "notify": last("--notify"), "timeout_s": last("--timeout"),
        **{name: False for name in ("snapshot", "memory", "wait") if order.has(f"--no-{name}")},
    }  # fmt: skip
    return planning.wish(asked.settings, order.rest, given, _bounds(order))


def _bounds(order: "Order") -> "dict[str, Any]":
    return planning.bounds(*[order.last(name) for name in BOUNDS])


def start(asked: "Asked", order: "Order", show: "Show") -> str:
    """Begin a loop in this session, or with `--headless` in the background; what would be run has to be accepted first."""
    gc.enable()  # the door switches it off for processes that are gone at once
    wish = wished(asked, order)
    headless = order.has("--headless")
    if not headless:
        wish = _in_session(asked, order, wish)
    prospect = starting.look(asked.project, wish)
    starting.check(asked.project, wish, prospect)
    if not headless:
        prompt.check(wish.goal, PROMPT_TOKENS)
    if not starting.accept(asked.project, prospect, order.last("--accept") or ""):
        return show(asked, display.to_accept(prospect), _how_to_accept(asked, prospect), whole=True)
    return _detached(asked, order, wish) if headless else _begun(asked, order, wish, prospect)


def _how_to_accept(asked: "Asked", prospect: "Prospect") -> str:
    """Return the command that accepts what was shown: what was typed, with the digits that stand for it."""
    verb, rest = [*asked.text.split(None, 1), ""][:2]
    again = rest if len(rest) <= MOST_REPEATED and "\n" not in rest else "... (the rest as before)"
    return (
        "Nothing is begun yet. Whoever has read the lines above, and wants them to be run, types:\n"
        f"/ralph {verb} --accept {starting.short(prospect)} {again}".rstrip()
    )


def _in_session(asked: "Asked", order: "Order", wish: "Wish") -> "Wish":
    """Return the wish as a session can fulfil it. Raises LoopError where it cannot."""
    _check_session(asked)
    unfit = [name for name in OF_HEADLESS if order.has(name)]
    if unfit:
        raise LoopError(
            f"{unfit[0]} is for a loop in the background: in a session nobody hears of it", "add --headless, or leave it out"
        )
    return wish._replace(agent=(), allow=(), limits=wish.limits._replace(cost=None))


def _check_session(asked: "Asked") -> None:
    if not asked.session:
        raise LoopError("the client does not say which session this is", "add --headless, or `ralph-mem ralph start` in a terminal")
    if not effective.recording(asked.project, asked.settings):
        raise LoopError("recording is off here, and a loop in a session needs its hooks", "add --headless, or switch recording on")


def _detached(asked: "Asked", order: "Order", wish: "Wish") -> str:
    wrong = [] if wish.agent else launch.preflight()
    if wrong:
        raise LoopError(wrong[0], "or name another agent with --agent")
    return _in_background(detached.start(asked.project, asked.settings, wish, order.has("--anyway")))


def _in_background(name: str) -> str:
    return f"{name} works in the background, on the same files. /ralph status shows it, /ralph stop ends it."


def _begun(asked: "Asked", order: "Order", wish: "Wish", prospect: "Prospect") -> str:
    with runs.Lock(asked.project):
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
    in_session.take_over(asked.project, loop.run.id, IN_SESSION, asked.session, asked.turn, _client())
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


def resume(asked: "Asked", order: "Order") -> str:
    """Let a run go on in this session, or with `--headless` in the background."""
    gc.enable()
    run, bounds = runs.find(asked.project, order.rest), _bounds(order)
    if order.has("--headless"):
        return _in_background(detached.resume(asked.project, run.id, **bounds))
    _check_session(asked)
    if _is_ours(asked, run):
        return _handed_back(asked, run)
    stopping.check(asked.project, run, bounds)
    last_beat = stopping.last_beat(asked.project, run)
    with runs.Lock(asked.project):
        loop = stopping.resume(asked.project, asked.settings, run, IN_SESSION, last_beat, asked.session, **bounds)
        text = _bound(asked, loop)
    return f"{run.id} goes on in this session, with iteration {loop.run.next_number()}. {HONEST}\n{text}"


def _is_ours(asked: "Asked", run: "Run") -> bool:
    """Say whether a run is at work in this session, where the person had taken over with words of their own."""
    live = runs.live(asked.project)
    return bool(live and live.run == run.id and live.mode == IN_SESSION and live.owner == asked.session)


def _handed_back(asked: "Asked", run: "Run") -> str:
    loop = Loop(asked.project, asked.settings, run.id)
    return f"{run.id} goes on in this session, with iteration {loop.run.next_number()}. {HONEST}\n{_bound(asked, loop)}"


def guard(asked: "Asked", order: "Order", show: "Show") -> str:
    """Have the checks run at the end of each turn of this session, or with `off` no more."""
    if order.rest == "off":
        gone = stop_guard(asked.project, asked.session)
        return "The guard is off." if gone else "There was no guard in this session."
    if order.rest:
        raise LoopError(
            f"/ralph guard takes no words such as {order.rest[:40]}", "/ralph guard [--criteria T], or /ralph guard off"
        )
    _check_session(asked)
    wish = wished(asked, order)._replace(goal="guard", agent=(), allow=(), notify=(), snapshot=False, memory=False)
    prospect = starting.look(asked.project, wish)
    starting.check(asked.project, wish, prospect)
    if not starting.accept(asked.project, prospect, order.last("--accept") or ""):
        return show(asked, display.to_accept(prospect), _how_to_accept(asked, prospect), whole=True)
    with runs.Lock(asked.project):
        name = starting.note(asked.project, asked.settings, wish, prospect, GUARD, asked.session)
        in_session.take_over(asked.project, name, GUARD, asked.session, asked.turn, _client())
    return (
        "From now on the checks are run once at the end of each turn of this session, and what fails is told to the model; whoever"
        " decides whether to go on, decides by that. Nothing is put back, no turn is held up twice. /ralph guard off ends it."
    )
