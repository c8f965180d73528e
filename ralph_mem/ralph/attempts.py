"""Attempts: what the iterations of a run tried and why it did not do, for the one that comes next."""

from ralph_mem.ralph import changes, signatures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.criteria import Verdict
    from ralph_mem.ralph.run import Iteration, Run

MOST_TESTS = 5
MOST_SAID = 200
MOST_NOTICED = 2
ENDED = {
    "time": "was ended at its time limit", "cost": "was ended at its cost limit", "error": "ended with an error",
    "stopped": "was stopped", "rate_limited": "was ended by a rate limit", "permission_denied": "lacked a permission",
    "missing": "could not be started",
}  # fmt: skip


def told(run: "Run") -> "list[tuple[str, str]]":
    """Return each attempt as a text of a few lines and as a shorter one without the changed lines, the newest first."""
    found = []
    before = signatures.failures(run.baseline)
    for iteration in run.iterations:
        after = signatures.failures(iteration.verdicts) if iteration.verdicts else before
        if iteration.kind != "rate_limited":
            found.append(_attempt(iteration, before, after))
        before = after
    return found[::-1]


def _attempt(
    iteration: "Iteration", before: "dict[str, tuple[str, str]]", after: "dict[str, tuple[str, str]]"
) -> "tuple[str, str]":
    head = f"Iteration {iteration.number}{what(iteration)}: {len(before)} -> {len(after)} failing"
    lines = []
    if iteration.kind in ENDED:
        lines.append(f"  the agent {ENDED[iteration.kind]}" + (f": {_short(iteration.why)}" if iteration.why else ""))
    lines += ["  it said: " + _short(iteration.message)] if iteration.message else []
    lines += ["  noticed: " + _short(line) for line in iteration.tampered[:MOST_NOTICED]]
    quoted = ["  " + line for line in changes.lines_of(iteration.changed)]
    outcome = _outcome(before, after)
    return "\n".join([head, *quoted, *lines, *outcome]), "\n".join([head, *outcome])


def what(iteration: "Iteration") -> str:
    """Return what an iteration changed, after a blank; nothing where no snapshot tells."""
    if iteration.changed:
        return " changed " + changes.told(iteration.changed)
    return " changed nothing" if iteration.tree else ""


def _outcome(before: "dict[str, tuple[str, str]]", after: "dict[str, tuple[str, str]]") -> "list[str]":
    groups = (
        ("fixed", [label for label in before if label not in after]),
        ("did not fix", [label for label in after if label in before]),
        ("broke", [label for label in after if label not in before]),
    )
    lines = []
    for word, labels in groups:
        names = [_test(label, after if word != "fixed" else {}) for label in labels[:MOST_TESTS]]
        more = f" and {len(labels) - MOST_TESTS} more" if len(labels) > MOST_TESTS else ""
        lines += [f"  {word}: {', '.join(names)}{more}"] if labels else []
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
    return min(moments, key=lambda moment: len(signatures.failures(moment[1]))) if moments else ("", [])
