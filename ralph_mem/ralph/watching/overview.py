"""List the runs of a project and the iterations of one, and tell which of them a person means."""

from ralph_mem.core.errors import LoopError
from ralph_mem.core.format import count, duration, when
from ralph_mem.ralph import progress, stop_reasons
from ralph_mem.ralph.display import MOST_FILES, files_of, in_words, money, rendered, sparkline
from ralph_mem.ralph.record import GUARD, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.ralph.record import Iteration, Run

COLUMNS = ("run", "begun", "iterations", "time", "cost", "tokens", "left to do", "ended", "goal")
NOTHING = 'No loop has run here yet: `ralph-mem ralph start "GOAL"` starts one.'
MOST_BARS, MOST_GOAL = 20, 60  # the last ones, and what fits beside the rest into a wide terminal
COLUMNS_OF_RUN = ("#", "agent", "left", "criteria", "files", "cost", "tokens", "time", "snapshot", "notes")
NAMES = "start", "best", "last"
SHORTEST_RUN = 5  # letters that name a run: fewer digits are the number of an iteration
HINT = "a number, N..M with N before M, or one of start, best, last; `ralph-mem ralph status --history` numbers them"


def rows(found: "list[Run]", now: int) -> "list[tuple[str, ...]]":
    """Return a row of COLUMNS for each run, the newest first; a guard, which is no run, has none."""
    return [_row(run, now) for run in found[::-1] if run.mode != GUARD]


def _row(run: "Run", now: int) -> "tuple[str, ...]":
    numbers = progress.numbers(run) if run.baseline or run.iterations else []
    bars = f"{sparkline(numbers[-MOST_BARS:])} {numbers[-1]}" if numbers else ""
    return (
        run.id, when(run.started), str(run.used()), duration(_elapsed(run, now)), money(run.cost()) if run.cost() else "",
        f"{run.tokens():,}" if run.tokens() else "", bars, run.reason or run.status, rendered(run.goal, MOST_GOAL),
    )  # fmt: skip


def _elapsed(run: "Run", now: int) -> int:
    return int(run.elapsed_ms(now if run.status == RUNNING else run.last_seen))


def total(found: "list[Run]") -> str:
    """Return what all runs took together, in a line."""
    chosen = [run for run in found if run.mode != GUARD]
    done = len([run for run in chosen if run.status == stop_reasons.SUCCESS])
    sums = [sum([run.used() for run in chosen]), sum([run.tokens() for run in chosen])]
    cost = money(sum([run.cost() for run in chosen]))
    return f"{count(len(chosen), 'run')}, {done} with success, {count(sums[0], 'iteration')}, {sums[1]:,} tokens, {cost} in all"


def facts(found: "list[Run]", now: int) -> "dict[str, Any]":
    """Return all runs as plain JSON values, the newest first, with what they cost together."""
    chosen = [run for run in found[::-1] if run.mode != GUARD]
    return {"runs": [_facts(run, now) for run in chosen], "cost": sum([run.cost() for run in chosen]),
            "tokens": sum([run.tokens() for run in chosen])}  # fmt: skip


def _facts(run: "Run", now: int) -> "dict[str, Any]":
    return {
        "id": run.id, "goal": run.goal, "mode": run.mode, "started": run.started, "ended": run.ended or None,
        "status": run.status, "reason": run.reason, "iterations": run.used(), "elapsed_ms": _elapsed(run, now),
        "cost": run.cost(), "tokens": run.tokens(), "badness": progress.numbers(run),
    }  # fmt: skip


def rows_of_run(run: "Run") -> "list[tuple[object, ...]]":
    """Return a row of COLUMNS_OF_RUN for the start and for each iteration, what is best marked with a star."""
    found, top = progress.numbers(run), progress.best(run)
    rows: list[tuple[object, ...]] = [("start", "", found[0], in_words(run.baseline), "", "", "", "", run.start_snapshot or "", "")]
    numbers = iter(found[1:])
    for each in run.iterations:
        notes = [*each.tampered, *([each.why] if each.why and each.kind != "done" else []), *_besides(run, each.number)]
        left = next(numbers) if each in run.tried() else ""
        rows.append((
            each.number, _who(run, each), f"{left}{' *' if each is top else ''}", in_words(each.verdicts),
            _files(each), money(each.cost) if each.cost is not None else "", each.tokens or "",
            duration(max(0, each.ended - each.started)), each.snapshot or "", "; ".join([rendered(text) for text in notes]),
        ))  # fmt: skip
    return rows


def _files(iteration: "Iteration") -> str:
    return files_of(iteration.changed, MOST_FILES, iteration.unnamed) if iteration.snapshot else "not known"


def _who(run: "Run", iteration: "Iteration") -> str:
    """Return how an agent ended, after its name where several were at work."""
    return f"{rendered(iteration.agent)}: {iteration.kind}" if run.options.get("others") else str(iteration.kind)


def _besides(run: "Run", number: int) -> "list[str]":
    """Return what the person said before an iteration, and the commit of it."""
    said = [f"you: {text}" for _, text, told in run.hints if told == number]
    return [*said, *[f"commit {name[:10]}" for of, name in run.commits if of == number]]


def meant(words: "list[str]") -> "tuple[str, str]":
    """Return the words for a run and for its iterations, of which either may be missing. Raises LoopError for more of them."""
    if len(words) > 2:
        raise LoopError(f"{len(words)} words, where a run and its iterations are two", HINT)
    first, *more = [*words, ""]
    is_number = first.isdecimal() and len(first) < SHORTEST_RUN
    if len(words) == 1 and (is_number or ".." in first or first in NAMES):
        return "", first
    return first, more[0] if more else ""


def meant_one(words: "list[str]") -> "tuple[str, int]":
    """Return the word for a run, and the number of one iteration, 0 for the last. Raises LoopError for what is no number."""
    run, told = meant(words)
    if told in ("", NAMES[-1]):
        return run, 0
    if not (told.isascii() and told.isdecimal() and int(told[:9]) > 0):
        raise LoopError(f"{told[:40]} is no iteration", "`ralph-mem ralph status --history` numbers them")
    return run, int(told[:9])
