"""List why a loop can stop, with the exit code and the reader's next step for each."""

from collections import namedtuple

from ralph_mem.core import paths, process
from ralph_mem.ralph import progress
from ralph_mem.ralph.agents import denials
from ralph_mem.ralph.snapshot import NO_WAY_BACK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.ralph.record import Run

NOEXEC = "rooms lie on a disk that is mounted noexec: start again with `--here`, or with XDG_DATA_HOME on another disk"
Limits = namedtuple("Limits", "iterations duration_ms cooldown_ms cost no_progress iteration_ms silence_ms")
Limits.__doc__ = """How far a run may go.

`iterations` and `duration_ms` are for the whole run, `cooldown_ms` is the pause between two iterations, `cost` is in US
dollars or None for none, and `no_progress` is how many iterations without a new best end it. `iteration_ms` is for the agent of
one iteration, and `silence_ms` is for how long that may say nothing.
"""

# What the config holds by default; half an hour is what people leave a terminal alone for, and an agent that hangs is not to take
# more than half of it. A command that claude runs may take ten minutes, in which it says nothing.
DEFAULT = Limits(10, 1_800_000, 1000, None, 3, 900_000, 720_000)


def from_json(given: "Any", base: Limits = DEFAULT) -> Limits:
    """Return limits as a record holds them (an object, or a list in their order); what is not given is as in `base`."""
    if isinstance(given, dict):
        return base._replace(**{name: given[name] for name in Limits._fields if name in given})
    if isinstance(given, (list, tuple)):
        return Limits(*[*given[: len(Limits._fields)], *base[len(given) :]])
    return base


StopReason = namedtuple("StopReason", "code status says next_step")
StopReason.__doc__ = """A reason: its exit code, which never changes, the status that it gives a run, what it says, what to do."""

SUCCESS, FAILED, STOPPED = "success", "failed", "stopped"
RESUME = "`ralph-mem ralph resume`"
DIFF, LOG = "`ralph-mem ralph diff`", "`ralph-mem ralph log` tells what the agent did"
ROLL_BACK = "`ralph-mem ralph rollback`"
BEST = "`ralph-mem ralph rollback --best`"
APPLY, APPLY_BEST = "`ralph-mem ralph apply`", "`ralph-mem ralph apply --best` brings the best iteration into your files"
ALL_BACK, NOT_ALL_BACK = "takes it all back", "takes it back, but for what was not stored"
TO_START, LAST_BACK = "returns to the start", "takes out the result that was applied last"
REST_BACK = "`ralph-mem ralph rollback --force` takes out the rest, with what you changed there"

LEADS_OUT = " ../"  # what a path begins with that leads out of the folder of a check
FROM_A_ROOM = (
    "the loop works in a room, and from there `../` leads elsewhere than from your project: name the whole path in `--criteria`,"
    " or work in your own files with `--here`"
)
NOTHING_LEFT = '`ralph-mem ralph start "GOAL"` begins another run: nothing is left to go on from, or to go back to'

# 1 to 9 mean what they mean for every command: 1 refused, 2 wrong usage, 3 crashed.
REASONS = {
    "success": StopReason(
        0, SUCCESS, "every criterion passed",
        f"look at what changed with {DIFF}; {ROLL_BACK} {ALL_BACK}",
    ),
    "max_iterations": StopReason(
        10, FAILED, "all iterations are used up",
        f"`ralph-mem ralph resume --max-iterations {{iterations}}` goes on; {BEST} returns to the best iteration",
    ),
    "max_duration": StopReason(
        11, FAILED, "the time is used up",
        f"`ralph-mem ralph resume --max-duration {{minutes}}m` goes on; {BEST} returns to the best iteration",
    ),
    "max_cost": StopReason(
        12, FAILED, "the next iteration cannot be paid for",
        f"`ralph-mem ralph resume --max-cost {{cost}}` goes on; {BEST} returns to the best iteration",
    ),
    "no_progress": StopReason(
        13, FAILED, "several iterations in a row reached nothing better",
        "see what was tried with `ralph-mem ralph status --history`, say more in the goal, start again; "
        f"{BEST} returns to the best iteration",
    ),
    "oscillation": StopReason(
        14, FAILED, "the files are back where they had been before",
        f"tell in the goal which of the attempts to avoid and start again; {BEST} returns to the best iteration",
    ),
    "regression": StopReason(
        15, FAILED, "everything it tried is worse than the start",
        f"{ROLL_BACK} returns to the start; `ralph-mem ralph bisect TEST` says which iteration broke a test",
    ),
    "permission_denied": StopReason(
        16, FAILED, "the agent was refused what it may not do, and found no other way",
        f"`ralph-mem ralph resume {{allow}}` allows it and goes on; {BEST} returns to the best iteration",
    ),
    "rate_limited": StopReason(
        17, FAILED, "the rate limit lasts longer than the loop may",
        f"{RESUME} once the limit is over",
    ),
    "agent_error": StopReason(
        18, FAILED, "the agent could not do its work",
        f"start the agent by hand once to see what it says, then {RESUME}",
    ),
    "user_stop": StopReason(
        19, STOPPED, "it was stopped",
        f"{RESUME} goes on; {ROLL_BACK} returns to the start",
    ),
    "vacuous_criteria": StopReason(
        20, FAILED, "the criteria exit with 0 and check nothing, or less than before",
        "see what they run with `ralph-mem ralph plan`, correct `--criteria`, start again; " + ROLL_BACK + " returns to the start",
    ),
    "snapshot_failed": StopReason(
        21, FAILED, "a snapshot could not be taken, so the files would not be safe",
        f"remove the cause that is named above, then {RESUME}; `--no-snapshot` goes without, and without a way back",
    ),
    "broken_criteria": StopReason(
        23, FAILED, "a check cannot be run here",
        "install what is named above, or name another check with `--criteria`, and start again; `ralph-mem ralph plan` tries them",
    ),
    "repository_lost": StopReason(
        25, FAILED, "the git repository is gone",
        f"{ROLL_BACK} shows how it comes back, with its branches and stashes; then {RESUME}",
    ),
    "linked_written": StopReason(
        27, FAILED, "the agent, a check or you wrote to what the room has as links to your own files",
        f"look at what is named above; install bubblewrap, or raise ralph.room_copy_mb and start again; {RESUME} goes on as it is",
    ),
    "tampered": StopReason(
        24, FAILED, "the checks passed only with what the agent had changed of them, time and again",
        "the files that are named above are as they were at the start: say more in the goal and start again, or let them be changed"
        f" with `--may-change PATTERN`; {ROLL_BACK} returns to the start",
    ),
    "silent": StopReason(
        26, FAILED, "the agent said nothing for too long, several times in a row",
        "start the agent by hand once to see where it waits; `ralph-mem ralph resume --silence {silence}m` leaves it more time",
    ),
    "owner_lost": StopReason(
        22, STOPPED, "the session that owned the loop has ended",
        f"{RESUME} in a new session, or `ralph-mem ralph resume --headless`",
    ),
}  # fmt: skip


def exit_code(reason: str) -> int:
    """Return the exit code of a command that ended for this reason."""
    return int(REASONS[reason].code)


def status_of(reason: str) -> str:
    """Return the status of a run that ended for this reason: success, failed or stopped."""
    return str(REASONS[reason].status)


def next_step(reason: str, run: "Run") -> str:
    """Say what the reader can do now, with the commands as they are to be typed.

    Of a limit that was reached it names twice what it was, or what was used where that is more.

    A run without a snapshot is told of no way back, nor one in a room of which nothing is in the person's files, and one that
    reached nothing better than its start of no best iteration. Where its snapshots are gone there is no way on either.
    """
    if run.snapshots_gone:
        return NOTHING_LEFT
    limits = run.limits
    minutes, silence = [max(1, -(-2 * ms // 60_000)) for ms in (max(limits.duration_ms, run.spent_ms), limits.silence_ms)]
    iterations = 2 * max(1, limits.iterations, run.used())
    cost = f"{2 * max(limits.cost or 0, round(run.cost(), 2)) or 1:g}"
    steps = str(REASONS[reason].next_step).split("; ")
    if reason == "broken_criteria" and run.room and process.is_noexec(paths.data_home()):
        steps = [NOEXEC]
    elif reason == "broken_criteria" and run.room and LEADS_OUT in f" {run.why}":
        steps = [FROM_A_ROOM]
    if not run.start_snapshot:
        steps = [LOG if DIFF in step else step for step in steps]
    if any([line.startswith(NO_WAY_BACK) for each in run.iterations for line in each.tampered]):
        steps = [step.replace(ALL_BACK, NOT_ALL_BACK) for step in steps]
    if not progress.best(run):
        steps = [step if not step.startswith(BEST) else f"{ROLL_BACK} {TO_START}" for step in steps]
    elif run.room:
        steps = [APPLY_BEST if step.startswith(BEST) else step for step in steps]
    if run.applied[1:]:
        steps = [step.replace(ALL_BACK, LAST_BACK).replace(TO_START, LAST_BACK) for step in steps]
    if run.applied and run.applied[-1].get("remains"):
        steps = [*[step for step in steps if ROLL_BACK not in step], REST_BACK]
    has_way_back = run.has_brought() if run.room else bool(run.start_snapshot)
    open_ones = [step for step in steps if has_way_back or "ralph rollback" not in step]
    if reason == "success" and run.room and all([each.get("remains") for each in run.applied]):
        open_ones.append(f"{APPLY} brings its result into your files")
    return "; ".join(open_ones).format(
        iterations=iterations, minutes=minutes, cost=cost, silence=silence, allow=denials.options(run)
    )
