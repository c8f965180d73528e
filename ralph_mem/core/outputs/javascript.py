"""Read test results of jest, vitest, mocha, bun and node, and TAP, which others print as well."""

import re

from ralph_mem.core.outputs import report
from ralph_mem.core.outputs.report import Report

NOTHING_TO_JEST = "No tests found, exiting with code"
NOTHING_TO_VITEST = "No test files found, exiting with code"
NOTHING_TO_MOCHA = "Error: No test files found"

JEST_TESTS = re.compile(r"Tests: +(\d.{0,200})$")
JEST_FILE = re.compile(r"(?:FAIL|PASS) +(?:\S+ +)?(\S+\.\w+)(?: \([\d.]+ m?s\))?$")
JEST_TEST = re.compile(r"  ● (.+)$")
# Signs that look like others, by their numbers: what jest parts names with, and what node begins a sum with.
PARTED, SUM = " \u203a ", "\u2139"
JEST_SUITE_FAILED = "Test suite failed to run"
VITEST_TESTS = re.compile(r" *Tests +(.{1,200}) \(\d{1,9}\)$| *Tests +no tests$")
VITEST_FAILED = re.compile(r" FAIL +(\S.*)$")
MOCHA_COUNT = re.compile(r" +(\d{1,9}) (passing|pending|failing)\b")
MOCHA_FAILED = re.compile(r"  \d{1,9}\) (\S.*)$")
BUN_RAN = re.compile(r"Ran (\d{1,9}) tests? across \d{1,9} files?")
BUN_COUNT = re.compile(r" *(\d{1,9}) (pass|fail|skip|todo)$")
BUN_FAILED = re.compile(r"\(fail\) (.+?)(?: \[[\d.]+m?s\])?$")
NODE_COUNT = re.compile(r"[\u2139#] (tests|pass|fail|cancelled|skipped|todo) (\d{1,9})$")
NODE_TEST = re.compile(r"( *)([▶✔✖﹣]) (.+?)(?: \([\d.]+ms\))?(?: # .*)?$")
NODE_FAILED_AGAIN = "✖ failing tests:"
TAP_POINT = re.compile(r"( *)(not ok|ok) +\d{1,9}(?: +-)?(?: +(.*))?$")
TAP_SUBTEST = re.compile(r"( *)# Subtest: (.+)$")
TAP_PLAN = re.compile(r"1\.\.\d{1,9}$|1\.\.0\b")
TAP_DIRECTIVE = re.compile(r"\s#\s*(skip|todo)\b", re.IGNORECASE)
TAP_ERROR = re.compile(r" *(?:error|message): (.+)$")
# node counts a file without a single test as one that passed, under its path.
NO_TEST_BUT_A_FILE = re.compile(r"/.*\.[cm]?[jt]sx?$")


def jest(lines: "list[str]") -> "Report | None":
    """Read jest's summary; an id is `file > describe > test`, and the file alone where it could not be loaded."""
    numbers = [report.counts(match[1]) for match in map(JEST_TESTS.match, lines) if match and " total" in match[1]]
    if not numbers:
        return Report(0) if any(line.startswith(NOTHING_TO_JEST) for line in lines) else None
    failing: dict[str, str] = {}
    file = ""
    for at, line in enumerate(lines):
        named, test = JEST_FILE.match(line), JEST_TEST.match(line)
        if named:
            file = named[1].removeprefix("./")
        elif test and test[1] == JEST_SUITE_FAILED:
            failing.setdefault(file or JEST_SUITE_FAILED, report.first_said(lines, at + 1))
        elif test and file and not test[1].startswith("Console"):
            failing.setdefault(f"{file} > {test[1].replace(PARTED, ' > ')}", _expected(lines, at + 1))
    return Report(_sum(numbers, "passed", "failed"), failing, report.skipped([], _sum(numbers, "skipped", "todo")))


def _expected(lines: "list[str]", at: int) -> str:
    """Return the first line of a failure, and what was expected and received where it tells that."""
    more = [line.strip() for line in lines[at : at + 12] if line.startswith(("    Expected", "    Received"))]
    return report.one_line(" ".join([report.first_said(lines, at), *more]))


def vitest(lines: "list[str]") -> "Report | None":
    """Read vitest's summary; an id is `file > describe > test`, and the file alone where it could not be loaded."""
    found = [match for match in map(VITEST_TESTS.match, lines) if match]
    if not found:
        return Report(0) if any(line.startswith(NOTHING_TO_VITEST) for line in lines) else None
    failing = {}
    for at, line in enumerate(lines):
        match = VITEST_FAILED.match(line)
        if match:
            failing[re.sub(r" \[ \S+ \]$", "", match[1])] = report.first_said(lines, at + 1)
    numbers = [report.counts(match[1] or "") for match in found]
    return Report(_sum(numbers, "passed", "failed"), failing, report.skipped([], _sum(numbers, "skipped", "todo")))


def mocha(lines: "list[str]") -> "Report | None":
    """Read the summary of mocha's `spec` reporter; an id is `describe > test`."""
    numbers = [{match[2]: int(match[1])} for match in map(MOCHA_COUNT.match, lines) if match]
    if not any("passing" in one for one in numbers):
        return Report(0) if any(line.startswith(NOTHING_TO_MOCHA) for line in lines) else None
    failing: dict[str, str] = {}
    if _sum(numbers, "failing"):
        start = next(at for at, line in enumerate(lines) if " failing" in line and MOCHA_COUNT.match(line))
        for at in range(start, len(lines)):
            match = MOCHA_FAILED.match(lines[at])
            if match:
                names, after = _mocha_name(match[1], lines, at + 1)
                failing[names] = report.first_said(lines, after)
    return Report(_sum(numbers, "passing", "failing"), failing, report.skipped([], _sum(numbers, "pending")))


def _mocha_name(first: str, lines: "list[str]", at: int) -> "tuple[str, int]":
    """Collect a name that goes over several lines, each further in; the last one ends with a colon."""
    names = [first]
    while not names[-1].endswith(":") and at < len(lines) and lines[at].startswith("    ") and len(names) < 20:
        names.append(lines[at].strip())
        at += 1
    return " > ".join(names).rstrip(":"), at


def bun(lines: "list[str]") -> "Report | None":
    """Read the summary of `bun test`; an id is `describe > test`."""
    if not any(BUN_RAN.match(line) for line in lines):
        return None
    numbers = [{match[2]: int(match[1])} for match in map(BUN_COUNT.match, lines) if match]
    failing = {match[1]: "" for match in map(BUN_FAILED.match, lines) if match}
    return Report(_sum(numbers, "pass", "fail"), failing, report.skipped([], _sum(numbers, "skip", "todo")))


def node_spec(lines: "list[str]") -> "Report | None":
    """Read what `node --test` prints for people; an id is `describe > test`."""
    numbers = {match[1]: int(match[2]) for match in map(NODE_COUNT.match, lines) if match and match[0][0] == SUM}
    if "tests" not in numbers:
        return None
    failing: dict[str, str] = {}
    above: list[str] = []
    files = 0
    for at, line in enumerate(lines):
        match = NODE_TEST.match(line)
        if line.startswith(NODE_FAILED_AGAIN):
            break
        if not match:
            continue
        depth, sign, name = len(match[1]) // 2, match[2], match[3]
        suite = len(above) > depth and above[depth] == name
        above = above[:depth] + ([name] if sign == "▶" else [])
        files += sign == "✔" and bool(NO_TEST_BUT_A_FILE.match(name))
        named = " > ".join([*above, name])
        if sign == "✖" and not (suite and any(known.startswith(named + " > ") for known in failing)):
            failing[named] = report.first_said(lines, at + 1)
    return Report(*_of_node(numbers, failing, files))


def _of_node(numbers: "dict[str, int]", failing: "dict[str, str]", files: int) -> "tuple[int, dict[str, str], tuple[str, ...]]":
    left_out = numbers.get("skipped", 0) + numbers.get("todo", 0)
    return max(0, numbers["tests"] - left_out - files), failing, report.skipped([], left_out)


def tap(lines: "list[str]") -> "Report | None":
    """Read TAP, subtests included; an id is `subtest > test`. What is to be done counts as skipped, not as failing."""
    plans = [line for line in lines if TAP_PLAN.match(line)]
    if not plans and not any(line.startswith("TAP version") for line in lines):
        return None
    points, bailed = _points(lines)
    if not points and not bailed and not any(line.startswith("1..0") for line in plans):
        return None
    ran = [point for point in points if not point.left_out]
    failing = {point.name: point.message for point in ran if not point.fine}
    files = sum(bool(point.fine and NO_TEST_BUT_A_FILE.match(point.name)) for point in ran)
    if bailed:
        failing["Bail out!"] = report.one_line(bailed)
    left_out = [point.name for point in points if point.left_out]
    return Report(len(ran) - files, failing, report.skipped(left_out, len(left_out)))


class _Point:
    __slots__ = ("depth", "fine", "left_out", "message", "name")

    def __init__(self, depth: int, fine: bool, left_out: bool, name: str) -> None:
        self.depth, self.fine, self.left_out, self.name, self.message = depth, fine, left_out, name, ""


def _points(lines: "list[str]") -> "tuple[list[_Point], str]":
    """Return the points that have no points below them, and why the run was given up."""
    points: list[_Point] = []
    above: list[str] = []
    last = None
    deepest = 0
    details = False
    for at, line in enumerate(lines):
        subtest, match = TAP_SUBTEST.match(line), TAP_POINT.match(line)
        if line.strip() in ("---", "..."):
            details = line.strip() == "---"
        elif details and last and not last.message and TAP_ERROR.match(line):
            last.message = _said(lines, at)
        elif details:
            continue
        elif line.startswith("Bail out!"):
            return points, line
        elif subtest:
            above = [*above[: len(subtest[1]) // 4], subtest[2]]
        elif match:
            last = _point(match, above)
            if deepest <= last.depth:  # else its subtests came before it
                points.append(last)
            deepest = last.depth
    return points, ""


def _point(match: "re.Match[str]", above: "list[str]") -> _Point:
    depth, rest = len(match[1]) // 4, match[3] or ""
    directive = TAP_DIRECTIVE.search(" " + rest)
    name = (" " + rest)[: directive.start()].strip() if directive else rest.strip()
    return _Point(depth, match[2] == "ok", bool(directive), " > ".join([*above[:depth], name or "a test without a name"]))


def _said(lines: "list[str]", at: int) -> str:
    """Return a value of the details, which may go over the lines below it."""
    value = TAP_ERROR.sub(r"\1", lines[at]).strip()
    return report.first_said(lines, at + 1) if value in ("|-", "|", ">-", ">") else report.one_line(value.strip("'\""))


def _sum(numbers: "list[dict[str, int]]", *words: str) -> int:
    return sum(one.get(word, 0) for one in numbers for word in words)
