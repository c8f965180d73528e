"""Read what pytest and unittest print about the tests they ran."""

import re

from ralph_mem.core.outputs import report
from ralph_mem.core.outputs.report import Report

SUMMARY_HEAD = re.compile(r"=+ short test summary info =+$")
# `=== 2 failed, 1 passed in 0.48s ===`, and `-q` leaves the frame away; minutes are repeated in brackets.
SUMMARY = re.compile(r"(\d[^=]{0,300}|no tests ran) in \d{1,9}(?:\.\d+)?s(?: \([\d:, days]{1,40}\))?$")
OUTCOME = re.compile(r"(?:FAILED|ERROR|SUBFAILED\S{0,200}) (\S.*)$")
WORDS = frozenset("passed failed error errors skipped xfailed xpassed deselected warning warnings rerun reruns".split())
NO_CONFTEST = re.compile(r"ImportError while loading conftest '(.{1,1000})'\.$")

RAN = re.compile(r"Ran (\d{1,9}) tests? in \d")
ENDED = re.compile(r"(?:OK|FAILED|NO TESTS RAN)(?: \((.{1,300})\))?$")
HEADING = re.compile(r"(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S.*)$")
# `test_b (tests.test_a.TestA.test_b) (n=0)`; before Python 3.11 the name was not repeated in the brackets.
CASE = re.compile(r"(\S+) \(([\w.]+)\)(.*)$")
PART = re.compile(r"([a-z ]+)=(\d{1,9})")
# What unittest makes of a file that cannot be imported: no test of anybody's.
LOADER = "unittest.loader."


def pytest(lines: "list[str]") -> "Report | None":
    """Read pytest's summary. Runs one after the other are added up; a test that is expected to fail counts as skipped."""
    runs = [numbers for numbers in map(_summary, lines) if numbers is not None]
    failing = _failing(lines)
    if not runs:
        return Report(None, failing) if failing else None
    total, left_out = 0, 0
    for numbers in runs:
        total += sum(numbers.get(word, 0) for word in ("passed", "failed", "xpassed"))
        left_out += numbers.get("skipped", 0) + numbers.get("xfailed", 0)
    failed = sum(numbers.get("failed", 0) for numbers in runs)
    in_tests = sum("::" in name for name in failing)
    # a test whose fixture fails is an error and no failure; a file that cannot be collected is no test
    return Report(total + max(0, in_tests - failed), failing, report.skipped([], left_out))


def _summary(line: str) -> "dict[str, int] | None":
    match = SUMMARY.match(line.strip("= "))
    if not match:
        return None
    if match[1] == "no tests ran":
        return {}
    numbers = report.counts(match[1])
    return numbers if numbers and all(part.split(" ")[-1] in WORDS for part in match[1].split(", ")) else None


def _failing(lines: "list[str]") -> "dict[str, str]":
    failing: dict[str, str] = {}
    inside = False
    for at, line in enumerate(lines):
        if SUMMARY_HEAD.match(line):
            inside = True
        elif inside and OUTCOME.match(line):
            name, _, message = _named(OUTCOME.match(line)[1])  # type: ignore[index]  # it matched in the line above
            failing[name] = report.one_line(message)
        elif NO_CONFTEST.match(line):
            said = [one for one in lines[at : at + 200] if one.startswith("E  ")]
            failing[NO_CONFTEST.match(line)[1]] = report.one_line(said[0][1:] if said else line)  # type: ignore[index]
        elif _summary(line) is not None:
            inside = False
    return failing


def _named(text: str) -> "tuple[str, str, str]":
    """Part a node id from its message; the parameters of a test may hold what parts them."""
    bracket, dash = text.find("["), text.find(" - ")
    if 0 <= bracket < dash and "] - " in text:
        end = text.index("] - ") + 1
        return text[:end], "", text[end + 3 :]
    if 0 <= bracket < dash and text.endswith("]"):
        return text, "", ""
    return text.partition(" - ")


def unittest(lines: "list[str]") -> "Report | None":
    """Read unittest's summary, Django's too. A test that is expected to fail counts as skipped."""
    ran = [int(match[1]) for match in map(RAN.match, lines) if match]
    if not ran:
        return None
    parts = [PART.findall(match[1] or "") for match in map(ENDED.match, lines) if match]
    left_out = sum(int(number) for found in parts for word, number in found if word.strip() in ("skipped", "expected failures"))
    failing = _failing_cases(lines)
    not_imported = sum(name.startswith(LOADER) for name in failing)
    failing = {name.rpartition(".")[2] if name.startswith(LOADER) else name: said for name, said in failing.items()}
    return Report(max(0, sum(ran) - left_out - not_imported), failing, report.skipped([], left_out))


def _failing_cases(lines: "list[str]") -> "dict[str, str]":
    failing = {}
    for at, line in enumerate(lines):
        match = HEADING.match(line)
        if match and at and set(lines[at - 1]) == {"="}:
            case = CASE.match(match[1])
            failing[_dotted(case) if case else match[1]] = _raised(lines, at + 1)
    return failing


def _dotted(case: "re.Match[str]") -> str:
    method, place, rest = case.groups()
    return (place if place.endswith("." + method) else f"{place}.{method}") + rest


def _raised(lines: "list[str]", start: int) -> str:
    """Return what was raised: the first line after the innermost frame of the last traceback."""
    said = ""
    waiting = False
    for line in lines[start : start + 2_000]:
        if (len(line) > 60 and set(line) == {"="}) or RAN.match(line):
            break
        if line.startswith("  File "):
            waiting = True
        elif waiting and line and not line.startswith(" "):
            said, waiting = line, False
    return report.one_line(said)
