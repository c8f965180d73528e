"""Tell what a run leaves for later ones about failures, what fixed them, and what did not help."""

from ralph_mem.core.format import count
from ralph_mem.memory.facts.remedies import FAILED, FIXED, GONE, IN_VAIN, OPEN, TEST, UNDONE
from ralph_mem.ralph import changes
from ralph_mem.ralph.criteria import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria import Verdict
    from ralph_mem.ralph.record import Iteration, Run

TOOL = "ralph"  # by which the observations of a run are known
LOOP = "(ralph loop: "  # in a title, before how the run ended
# A lesson is read whole, so it has to stay as short as a note that a person would write.
MOST_FAILURES, MOST_IN_VAIN, MOST_OPEN = 8, 4, 8
MOST_TITLE, MOST_TEXT = 160, 6_000


def of(run: "Run", reason: str) -> "tuple[str, str, list[str]]":
    """Return of a run that has ended the title of its lesson, its text, and the files that it is about, not yet redacted.

    The text has a paragraph for each change that made failures go away: these, the change, and those before it that had
    not helped; then what still fails, and what was tried for that in vain.
    """
    fixes, still = _fixes(run), evidence.failures(run.verdicts())
    told: set[int] = set()
    paragraphs, files = [], []
    for number, failures in list(_together(fixes).items())[:MOST_FAILURES]:
        iteration = next(each for each in run.iterations if each.number == number)
        files += [each[0] for each in iteration.changed]
        paragraphs.append(_fixed(run, iteration, failures, told))
    if still:
        paragraphs.append(_open(run, still, told))
        files += [each[0] for iteration in run.iterations for each in iteration.changed]
    return _title(run, reason), _joined(paragraphs), list(dict.fromkeys(files))


def _joined(paragraphs: "list[str]") -> str:
    """Return as many paragraphs as a lesson may have."""
    text = ""
    for paragraph in paragraphs:
        if len(text) + len(paragraph) <= MOST_TEXT:
            text += ("\n\n" if text else "") + paragraph
    return text or paragraphs[0][:MOST_TEXT] if paragraphs else ""


def _title(run: "Run", reason: str) -> str:
    goal = " ".join(run.goal.split())
    goal = goal if len(goal) <= MOST_TITLE else goal[:MOST_TITLE] + "..."
    passes = count(len(run.iterations), "iteration")
    last, standing = run.next_number() - 1, run.standing()
    if standing < last and any([run.is_taken_back(each) for each in run.iterations]):
        return f"{goal} {LOOP}rolled back to {f'iteration {standing}' if standing else 'the start'} after {passes})"
    return f"{goal} {LOOP}{'reached' if reason == 'success' else 'not reached, ' + reason} after {passes})"


def _fixes(run: "Run") -> "dict[str, tuple[tuple[str, str], int]]":
    """Return each failure that is gone at the end, with the iteration it went away in."""
    before, found = evidence.failures(run.baseline), {}
    for iteration in run.iterations:
        if not iteration.verdicts or (iteration.number < run.standing() and run.is_taken_back(iteration)):
            continue  # what went on after a rollback went on without it
        after = evidence.after(before, iteration.verdicts)
        found.update({label: (before[label], iteration.number) for label in before if label not in after})
        before = after
    return {label: fix for label, fix in found.items() if label not in before}


def _together(fixes: "dict[str, tuple[tuple[str, str], int]]") -> "dict[int, list[tuple[str, str]]]":
    """Return the failures by the iteration that ended them, the first one of each signature."""
    found: dict[int, dict[str, tuple[str, str]]] = {}
    for failure, number in fixes.values():
        found.setdefault(number, {}).setdefault(evidence.signature_of(*failure), failure)
    return {number: list(of_one.values()) for number, of_one in sorted(found.items())}


def _fixed(run: "Run", iteration: "Iteration", failures: "list[tuple[str, str]]", told: "set[int]") -> str:
    lines = [FAILED + _failure(*failure) for failure in failures[:MOST_FAILURES]]
    if iteration.changed:
        became = UNDONE if run.is_taken_back(iteration) else FIXED
        lines += [became + changes.told(iteration.changed, iteration.unnamed), *_quoted(iteration)]
    else:
        lines.append(f"{GONE}{iteration.number}{', which was rolled back' * run.is_taken_back(iteration)}")
    return "\n".join(lines + _in_vain(run, iteration.number, failures, told))


def _in_vain(run: "Run", until: int, failures: "list[tuple[str, str]]", told: "set[int]") -> "list[str]":
    """Return what was changed before an iteration while one of these tests failed on, each change in one paragraph only."""
    tests, before, tried = {test for test, _ in failures}, _tests(run.baseline), []
    for each in run.iterations:
        after = _tests(each.verdicts) if each.verdicts else before
        if each.number < until and each.number not in told and each.changed and tests & before & after:
            tried.append(each)
        before = after
    lines = []
    for each in tried[-MOST_IN_VAIN:]:
        told.add(each.number)
        lines += [IN_VAIN + changes.told(each.changed, each.unnamed), *_quoted(each)]
    return lines


def _tests(verdicts: "list[Verdict]") -> "set[str]":
    return {test for test, _ in evidence.failures(verdicts).values()}


def _open(run: "Run", still: "dict[str, tuple[str, str]]", told: "set[int]") -> str:
    failures = list({evidence.signature_of(*failure): failure for failure in still.values()}.values())
    lines = [OPEN + _failure(*failure) for failure in failures[:MOST_OPEN]]
    lines += [f"and {len(failures) - MOST_OPEN} more"] if len(failures) > MOST_OPEN else []
    return "\n".join(lines + _in_vain(run, run.next_number(), list(still.values()), told))


def _failure(test: str, message: str) -> str:
    said = evidence.headline(message)
    return f"{said}\n{TEST}{test}" if said and said != test else test


def _quoted(iteration: "Iteration") -> "list[str]":
    return ["  " + line for line in changes.lines_of(iteration.changed)]


def met_again(text: str, wanted: "set[str]") -> str:
    """Return the text of a lesson, its paragraphs that tell of one of these signatures first. They are given by their keys."""
    return "\n\n".join(sorted(text.split("\n\n"), key=lambda paragraph: not (keys_of(paragraph) & wanted)))


def keys_of(text: str) -> "set[str]":
    """Return the keys of the signatures that a lesson tells of: read from the text, since a person may have corrected it."""
    found, lines = set(), [*text.splitlines(), ""]
    for at, line in enumerate(lines):
        for word in (FAILED, OPEN):
            if line.startswith(word):
                said, below = line[len(word) :], lines[at + 1]
                test = below[len(TEST) :] if below.startswith(TEST) else said
                found.add(evidence.key_of(evidence.signature_of(test, said)))
    return found
