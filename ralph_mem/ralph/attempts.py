"""Tell the next iteration what earlier ones tried and why it did not do."""

import re

from ralph_mem.core.errors import LoopError
from ralph_mem.core.format import listed
from ralph_mem.ralph import changes
from ralph_mem.ralph.criteria import FAILED, PASSED, TASK, Verdict, evidence
from ralph_mem.ralph.display import rendered
from ralph_mem.ralph.progress import ABOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.record import Iteration, Run

MOST_TESTS = 5
MOST_SAID = 200
MOST_NOTICED = 2
ENDED = {
    "time": "was ended at its time limit", "cost": "was ended at its cost limit", "error": "ended with an error",
    "stopped": "was stopped", "rate_limited": "was ended by a rate limit", "permission_denied": "lacked a permission",
    "missing": "could not be started", "silent": "was ended since it said nothing", "locked_out": "was not let in by its API",
}  # fmt: skip


def told(run: "Run") -> "list[tuple[str, str]]":
    """Return each attempt as a text of a few lines and as a shorter one without the changed lines, the newest first."""
    found = []
    before, now = evidence.failures(run.baseline), evidence.failures(run.verdicts())
    known = {verdict.name for verdict in run.baseline}
    for iteration in run.iterations:
        after = evidence.after(before, iteration.verdicts) if iteration.verdicts else before
        fresh = evidence.failures([each for each in iteration.verdicts if each.type == TASK and each.name not in known])
        if iteration.kind != "rate_limited":  # of a task that is only begun nothing was broken
            found.append(_attempt(iteration, before, {label: said for label, said in after.items() if label not in fresh}, now))
        before, known = after, known | {verdict.name for verdict in iteration.verdicts}
    return found[::-1]


def _attempt(
    iteration: "Iteration", before: "dict[str, tuple[str, str]]", after: "dict[str, tuple[str, str]]",
    now: "dict[str, tuple[str, str]]",
) -> "tuple[str, str]":  # fmt: skip
    task = f" at task {iteration.tasks['now']}" if iteration.tasks.get("now") else ""
    head = f"Iteration {iteration.number}{task}{what(iteration)}: {len(before)} -> {len(after)} failing"
    lines = []
    if iteration.kind in ENDED:
        lines.append(f"  the agent {ENDED[iteration.kind]}" + (f": {_short(iteration.why)}" if iteration.why else ""))
    lines += ["  it said: " + _short(iteration.message)] if iteration.message else []
    lines += ["  noticed: " + _short(line) for line in iteration.tampered[:MOST_NOTICED]]
    quoted = ["  " + line for line in changes.lines_of(iteration.changed)]
    outcome = _outcome(before, after, now)
    return "\n".join([head, *quoted, *lines, *outcome]), "\n".join([head, *outcome])


def what(iteration: "Iteration") -> str:
    """Return what an iteration changed, after a blank; nothing where no snapshot tells."""
    if iteration.changed:
        return " changed " + changes.told(iteration.changed, iteration.unnamed)
    return " changed nothing" if iteration.tree else ""


def _outcome(
    before: "dict[str, tuple[str, str]]", after: "dict[str, tuple[str, str]]", now: "dict[str, tuple[str, str]]"
) -> "list[str]":
    """Return what became of the failures; of one that is there now the prompt says elsewhere what it fails with."""
    groups = (
        ("fixed", [label for label in before if label not in after]),
        ("did not fix", [label for label in after if label in before]),
        ("broke", [label for label in after if label not in before]),
    )
    lines = []
    for word, labels in groups:
        if len(labels) > MOST_TESTS and all([label in now for label in labels]):
            lines += [f"  {word}: {len(labels)} of those that fail now"] if len(labels) < len(now) else []
            continue
        said = {label: after[label] for label in labels if label not in now and word != "fixed"}
        lines += [f"  {word}: {listed([_test(label, said) for label in labels], MOST_TESTS)}"] if labels else []
    return lines


def _test(label: str, failing: "dict[str, tuple[str, str]]") -> str:
    """Return a test with the message that it fails with."""
    test, message = failing.get(label, (label.partition(" :: ")[2] or label, ""))
    return f"{test} ({_short(message, 100)})" if message and message != test else test


def _short(text: str, most: int = MOST_SAID) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most] + "..."


def circles(run: "Run") -> "list[str]":
    """Return a line for each iteration after which the files were as they had been before."""
    seen = {run.start_tree: "before the loop began"} if run.start_tree else {}
    lines = []
    for iteration in run.iterations:
        if iteration.tree in seen and iteration.changed:
            lines.append(f"After iteration {iteration.number} the files were the same as {seen[iteration.tree]}: do not go round.")
        if iteration.tree:
            seen.setdefault(iteration.tree, f"after iteration {iteration.number}")
    return lines


def best(run: "Run") -> "tuple[str, list[Verdict]]":
    """Return when the fewest things failed, in words, and the verdicts of that moment."""
    moments = [("before the loop began", run.baseline)] if run.baseline else []
    moments += [(f"after iteration {each.number}", each.verdicts) for each in run.iterations if each.verdicts]
    return min(moments, key=lambda moment: len(evidence.failures(moment[1]))) if moments else ("", [])


MOST_CANDIDATES = 5
OF_TASK = re.compile(r"task \d{1,5}")
MOST_FILES = 20


def bisect(run: "Run", test: str) -> "tuple[Iteration | None, list[str]]":
    """Return the iteration after which a test or criterion last changed its mind, with lines that say what the iteration changed.

    The name may be a part that only one of them holds. None where it never changed. Raises LoopError for a name that never
    failed in this run, for what always passed leaves no name, and for one that fits several.
    """
    if OF_TASK.fullmatch(test) and len(run.plan) >= int(test.split()[1]) > 0:
        return _since_when(run, int(test.split()[1]))
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
        return None, [f"{rendered(what)} {always}: no iteration changed that"]
    headline = f"{rendered(what)} {'fails' if before else 'passes'} since iteration {changed.number}"
    return changed, [headline, *_unsure(run, since, changed), *_changed(changed)]


def _since_when(run: "Run", number: int) -> "tuple[Iteration | None, list[str]]":
    """Return the iteration in which a task of a plan was done, or undone again."""
    key = run.plan[number - 1]["key"]
    found = [each for each in run.iterations if key in [*each.tasks.get("done", ()), *each.tasks.get("reopened", ())]]
    if not found:
        return None, [f"no iteration changed whether task {number} is done"]
    state = "done" if key in found[-1].tasks.get("done", ()) else "open again"
    return found[-1], [f"task {number} is {state} since iteration {found[-1].number}", *_changed(found[-1])]


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
            listed = ", ".join([rendered(name) for name in fits[:MOST_CANDIDATES]])
            raise LoopError(f"{len(fits)} fit {rendered(test)}: {listed}", "say more of the name")
    raise LoopError(f"nothing of the name {rendered(test)} failed in this run", "`ralph-mem ralph status` lists what fails")


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


def _unsure(run: "Run", first: int, changed: "Iteration") -> "list[str]":
    """Say which iterations before the change could have made it as well, as nobody could tell then."""
    between = [str(each.number) for each in run.iterations if first < each.number < changed.number]
    return [f"or since iteration {', '.join(between)}: it did not run there, or was flaky"] if between else []


def _changed(iteration: "Iteration") -> "list[str]":
    if not iteration.changed:
        return ["that iteration changed no file" if iteration.snapshot else "without a snapshot nobody can tell what it changed"]
    lines = [f"  {what} {rendered(path)}" for path, what, *_ in iteration.changed[:MOST_FILES]]
    more = max(0, len(iteration.changed) - MOST_FILES) + iteration.unnamed
    lines += [f"  and {more} more"] if more else []
    return ["that iteration changed:", *lines, *[f"  look: {rendered(text)}" for text in iteration.tampered]]
