"""Tell in a prompt what fails, the first ones whole and each of the others in a line."""

import re

from ralph_mem.core.format import listed
from ralph_mem.ralph import attempts, progress
from ralph_mem.ralph.criteria import PASSED, TASK, evidence, sections
from ralph_mem.ralph.token_budget import LINE_TOKENS, Budget, cost, cut, evenly, fitting, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ralph_mem.ralph.criteria import Verdict
    from ralph_mem.ralph.record import Run

    Failing = dict[str, tuple[str, str]]

HEADING = "Also failing"
OUTPUT_PART, MANY_PART, COMPARED_PART = 0.3, 0.56, 0.1  # of a prompt; the second of what there is for many failures
LEAST_LINE = 16  # tokens of a failing test's line: less holds no name
MOST_MESSAGE = 300
MOST_WHOLE = 5  # failing tests whose output is shown
MOST_ALIKE = 60  # characters of a message by which it is found again in an output: no line of a runner cuts it before
FEWEST_OUTPUT = 24  # a line or two: less of an output says nothing


def of(verdicts: "list[Verdict]") -> "Failing":
    """Return what fails, the most telling first; a test of which nothing is said has no message, not that of all tests together."""
    why = {verdict.why for verdict in verdicts if verdict.failing}
    found = {label: (test, "" if said in why else said) for label, (test, said) in evidence.failures(verdicts).items()}
    return evidence.telling_first(found)


def are_many(failing: "Failing") -> bool:
    """Say whether more fails than is shown whole: then what fails is what a prompt is about."""
    return len(failing) > MOST_WHOLE


def first(run: "Run", failing: "Failing", told: "Collection[str]" = ()) -> "list[str]":
    """Return how many things fail, and the first of them; by its name alone where it is told elsewhere."""
    if not failing:
        return ["Nothing is known to fail." if run.verdicts() else "No check has been run yet."]
    moment, verdicts = attempts.best(run)
    fewest = len(evidence.failures(verdicts))
    best = f"; the fewest were {fewest}, {moment}" if fewest < len(failing) else ""
    label = next(iter(failing))
    test, message = failing[label]
    line = _line(label, test, "" if label in told else message)
    head = f"Failing now: {len(failing)}{best}."
    if run.is_outdated():
        head = (
            f"Last checked {_last_checked(run)}: {len(failing)} failing{best}. Files may have changed since: run the checks first."
        )
    return [f"{head} The first:", cut(line, LINE_TOKENS)]


def _last_checked(run: "Run") -> str:
    return next((f"after iteration {each.number}" for each in run.iterations[::-1] if each.verdicts), "before the loop began")


def output(verdicts: "list[Verdict]", failing: "Failing", tag: str, left: "Budget") -> "tuple[list[str], set[str]]":
    """Return what the first check that did not pass printed, cut to size, and of which failures that tells."""
    for verdict in verdicts:
        if verdict.status == PASSED or not verdict.excerpt.strip():
            continue
        why = verdict.why.partition(": ")[0] if verdict.failing else verdict.why  # which ones, the lines below say
        heading = f"`{' '.join(verdict.name.split())[:MOST_MESSAGE]}` {' '.join(why.split())[:MOST_MESSAGE]}".rstrip()
        marks = (f"<output-{tag}>", f"</output-{tag}>")
        space = left.share(MANY_PART if are_many(failing) else OUTPUT_PART, "", heading, *marks)
        shown = _shown(verdict, tag, space) if space >= FEWEST_OUTPUT else []
        text = "\n".join([_named_once(each) for each in shown])
        return left.keep("", heading, marks[0], text, marks[1]) if text else [], _told(verdict, failing, heading, shown)
    return [], set()


def _shown(verdict: "Verdict", tag: str, space: int) -> "list[str]":
    """Return what a check printed: of tests that are told in sections the first five, evenly cut, else all of it as one part."""
    text = verdict.excerpt.replace(tag, "")
    found = _sections(verdict, text)[:MOST_WHOLE]
    if not found:
        return [trimmed(text, space)]
    most = evenly([cost(section) for section in found], space)
    kept = [_fitting(section, most) for section in found]
    return [section for section in kept if section]


def _fitting(section: str, most: int) -> str:
    price = cost(section)
    told = section if price <= most else sections.shortened(section, len(section) * most // price)
    return told if cost(told) <= most else "\n".join(fitting(told.splitlines(), most))


def _sections(verdict: "Verdict", text: str) -> "list[str]":
    """Return the sections of failing tests in a text; each begins with the name of its test, below an empty line."""
    names = {_heading(test) for test in verdict.failing} - {""}
    found: list[list[str]] = []
    before = ""
    for line in text.splitlines():
        if line in names and not before.strip():
            found.append([])
        if found and line.strip():
            found[-1].append(line)
        before = line
    return ["\n".join(lines) for lines in found]


def _heading(test: str) -> str:
    """Return the name under which pytest tells of a test."""
    return test.partition("::")[2].replace("::", ".")


def _named_once(section: str) -> str:
    """Return a section without the name that it begins with, where the code below says that."""
    name, *lines = section.splitlines() or [""]
    in_code = any([f"def {name.rpartition('.')[2]}(" in line for line in lines[:3]])
    return "\n".join(lines) if in_code else section


def _told(verdict: "Verdict", failing: "Failing", heading: str, shown: "list[str]") -> "set[str]":
    """Return the labels of the failures that an output tells of; a section tells of one."""
    own = {label: said for label, said in failing.items() if label.startswith(verdict.name)}
    if not _sections(verdict, verdict.excerpt):
        return {label for label, said in own.items() if _is_told(*said, "\n".join([heading, *shown]))}
    found: set[str] = set()
    for section in shown:
        name = section.partition("\n")[0]
        of_name = [label for label, (test, _) in own.items() if _heading(test) == name and label not in found]
        found.update([label for label in of_name if _is_quoted(own[label][1], section)][:1] or of_name[:1])
    return found


def _is_told(test: str, message: str, text: str) -> bool:
    """Say whether a text tells of a test and of what is wrong with it."""
    name = evidence.name_of(test)
    return bool(message) and _is_quoted(message, text) and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _is_quoted(message: str, text: str) -> bool:
    return " ".join(message.split())[:MOST_ALIKE] in " ".join(text.split())


def others(failing: "Failing", told: "Collection[str]", most: int) -> "list[str]":
    """Return in so many tokens a line for each failure but the first that is told nowhere else.

    Where there are many, the longest lines are cut before one is left out.
    """
    lines = [_line(_named(label, failing), *said) for label, said in [*failing.items()][1:] if label not in told]
    if are_many(failing):
        longest = max(LEAST_LINE, evenly([cost(line) for line in lines], most - cost("", HEADING)))
        lines = [cut(line, longest) for line in lines]
    return Budget(most).block((HEADING,), lines, 1.0, "- and {} more")


def _line(label: str, test: str, message: str) -> str:
    said = " ".join(message.split())[:MOST_MESSAGE].replace("AssertionError: assert ", "assert ", 1)
    return f"- {label}: {said}" if said and said != test else f"- {label}"


def _named(label: str, failing: "Failing") -> str:
    """Return a failure without the name of its check, where that is the only one which fails: the first failure has it."""
    checks = {each.partition(progress.ABOUT)[0] for each in failing}
    return label if len(checks) > 1 else label.partition(progress.ABOUT)[2] or label


def compared(run: "Run", failing: "Failing", left: "Budget") -> "list[str]":
    """Return what fails now and did not before: of the best moment, and of that before the loop. Nothing where now is unknown."""
    if run.is_outdated():
        return []
    moment, verdicts = attempts.best(run)
    at_best, at_first = evidence.failures(verdicts), evidence.failures(run.baseline)
    of_tasks = evidence.failures([verdict for verdict in run.verdicts() if verdict.type == TASK])
    failing = {label: said for label, said in failing.items() if label not in of_tasks}  # they are run from their turn on
    lines = []
    worse = [label for label in failing if label not in at_best]
    if worse and moment != "before the loop began":
        lines.append(f"Passed {moment} and fails now: {_names(worse)}")
    if run.iterations and at_first:
        new = [label for label in failing if label not in at_first]
        old = [label for label in failing if label in at_first]
        lines += [f"Failed before the loop began and still does: {_names(old)}"] if old and new else []
        lines += [f"Broken since the loop began: {_names(new)}"] if new else []
    return left.block((), lines, COMPARED_PART)


def _names(labels: "list[str]") -> str:
    return listed([" ".join(label.split())[:MOST_MESSAGE] for label in labels], attempts.MOST_TESTS)
