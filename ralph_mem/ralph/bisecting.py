"""Bisecting: which iteration broke or fixed a test, read from the verdicts that were recorded, nothing is run again."""

from ralph_mem.core.errors import LoopError
from ralph_mem.criteria import FAILED, PASSED
from ralph_mem.ralph.progress import ABOUT
from ralph_mem.ralph.watching import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.criteria import Verdict
    from ralph_mem.ralph.run import Iteration, Run

MOST_CANDIDATES = 5
MOST_FILES = 20


def bisect(run: "Run", test: str) -> "tuple[Iteration | None, list[str]]":
    """Return the iteration after which a test or criterion last changed its mind, with lines that say what the iteration changed.

    The name may be a part that only one of them holds. None where it never changed. Raises LoopError for a name that never
    failed in this run, for what always passed leaves no name, and for one that fits several.
    """
    what = _meant(run, test)
    before = _state(run.baseline, what)
    last, since, changed = 0, 0, None  # the iteration that last told, the one that told before the change, the change
    for iteration in run.iterations:
        now = _state(iteration.verdicts, what)
        if now is not None:
            if before not in (None, now):
                since, changed = last, iteration
            before, last = now, iteration.number
    if changed is None:
        always = "failed whenever it ran" if before else "never failed where it could be told"
        return None, [f"{shown(what)} {always}: no iteration changed that"]
    return changed, [_headline(what, changed, bool(before)), *_unsure(run, since, changed), *_changed(changed)]


def _meant(run: "Run", test: str) -> str:
    """Return the whole name of what is meant: exact before the test's own id before a part."""
    names = _names(run)
    for fits in (
        [name for name in names if name == test],
        [name for name in names if name.partition(ABOUT)[2] == test],
        [name for name in names if test in name],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            listed = ", ".join([shown(name) for name in fits[:MOST_CANDIDATES]])
            raise LoopError(f"{len(fits)} fit {shown(test)}: {listed}", "say more of the name")
    raise LoopError(f"nothing of the name {shown(test)} failed in this run", "`ralph-mem ralph status` lists what fails")


def _names(run: "Run") -> "list[str]":
    """Return every criterion, and every test that ever failed, once."""
    states = [run.baseline, *[each.verdicts for each in run.iterations]]
    verdicts = [verdict for state in states for verdict in state]
    tests = [f"{verdict.name}{ABOUT}{test}" for verdict in verdicts for test in [*verdict.failing, *verdict.flaky]]
    return list(dict.fromkeys([*tests, *[verdict.name for verdict in verdicts]]))


def _state(verdicts: "list[Verdict]", what: str) -> "bool | None":
    """Say whether it failed, None where that could not be told: not run, or flaky."""
    name, _, test = what.partition(ABOUT)
    verdict = next((verdict for verdict in verdicts if verdict.name == name), None)
    if verdict is None:
        return None
    if not test:
        return bool(verdict.status != PASSED)
    if test in verdict.flaky:
        return None
    ran = verdict.status == PASSED or (verdict.status == FAILED and verdict.total != 0)
    return True if test in verdict.failing else False if ran else None


def _headline(what: str, iteration: "Iteration", fails: bool) -> str:
    return f"{shown(what)} {'fails' if fails else 'passes'} since iteration {iteration.number}"


def _unsure(run: "Run", first: int, changed: "Iteration") -> "list[str]":
    """Say which iterations before the change could have made it as well, as nobody could tell then."""
    between = [str(each.number) for each in run.iterations if first < each.number < changed.number]
    return [f"or since iteration {', '.join(between)}: it did not run there, or was flaky"] if between else []


def _changed(iteration: "Iteration") -> "list[str]":
    if not iteration.changed:
        return ["that iteration changed no file"]
    lines = [f"  {what} {shown(path)}" for path, what, *_ in iteration.changed[:MOST_FILES]]
    lines += [f"  and {len(iteration.changed) - MOST_FILES} more"] if len(iteration.changed) > MOST_FILES else []
    return ["that iteration changed:", *lines, *[f"  look: {shown(text)}" for text in iteration.tampered]]
