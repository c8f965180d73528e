"""Hold what the output of a tool says, in numbers and ids."""

import re
from collections import namedtuple

from ralph_mem.core.redaction import terminal

Report = namedtuple("Report", "total failing skipped diagnostics", defaults=(None, {}, (), None))
Report.__doc__ = """What a tool's output says.

`total` is how many tests ran (skipped ones not counted), None where the output is no test runner's; `failing` maps the id of
each failing test to its message in one line; `skipped` holds the ids of skipped tests, or `skipped-1`, `skipped-2` where only
their number is told; `diagnostics` counts the findings of a linter, type checker or compiler, None where there are none of these.
"""


# Sums that a tool prints itself; the number of the last group that matched counts.
SUMS = {
    "ruff": re.compile(r"Found (\d{1,9}) errors?(?: \(\d{1,9} fixed, (\d{1,9}) remaining\))?\.$|(All checks passed!)$"),
    "mypy": re.compile(r"Found (\d{1,9}) errors? in \d{1,9} files? \(|(Success: no issues found)"),
    "eslint": re.compile(r"✖ (\d{1,9}) problems? \(\d"),
}
PYRIGHT = re.compile(r"(\d{1,9}) errors?, (\d{1,9}) warnings?, \d{1,9} (?:informations?|notes?)")
# Findings of tools that print no sum, or more than one.
TSC = re.compile(r"\S.{0,1000}(?:\(\d+,\d+\): | - )error TS\d+: |error TS\d+: ")
MAVEN = re.compile(r"\[ERROR\] (\S.{0,1000}\.(?:java|kt|scala|groovy):\[\d+,\d+\] .*)$")
GO = re.compile(r"(?:vet: )?\S+\.go:\d+:\d+: ")
RUSTC = re.compile(r"error(?:\[E\d+\])?: (?!could not compile|aborting due to|test failed|\d+ targets? failed|build failed)")
RUSTC_PLACE = re.compile(r" *--> \S")
FLAKE8 = re.compile(r"\S.{0,1000}:\d+:\d+: [A-Z]{1,3}\d{3,4} ")
OTHER = re.compile(r"\S.{0,1000}:\d+:(?:\d+:)? (?:fatal )?error: ")


def count(lines: "list[str]") -> "int | None":
    """Return how many findings an output tells of, those of several tools added up; None where it is no such tool's."""
    found: dict[str, int] = {}
    for name, pattern in SUMS.items():
        for match in filter(None, map(pattern.match, lines)):
            last = match[match.lastindex or 0]
            found[name] = found.get(name, 0) + (int(last) if last.isdigit() else 0)
    for match in filter(None, map(PYRIGHT.match, lines)):
        found["pyright"] = int(match[1]) + int(match[2])
    found.update(_compilers(lines, found))
    return sum(found.values()) if found else None


def _compilers(lines: "list[str]", sums: "dict[str, int]") -> "dict[str, int]":
    """Count lines; what a tool counts by itself is not counted again."""
    found = {
        "tsc": sum(bool(TSC.match(line)) for line in lines),
        "maven": len({match[1] for match in map(MAVEN.match, lines) if match}),  # it prints them twice
        "go": sum(bool(GO.match(line)) for line in lines),
        "rustc": sum(bool(RUSTC.match(line)) for line in lines) if any(RUSTC_PLACE.match(line) for line in lines) else 0,
        "flake8": sum(bool(FLAKE8.match(line)) for line in lines) if "ruff" not in sums else 0,
        # gcc, clang, javac, kotlinc and whoever prints as they do
        "others": sum(bool(OTHER.match(line)) for line in lines) if "mypy" not in sums else 0,
    }
    return {name: number for name, number in found.items() if number}


# Characters. Nothing that is looked for stands further to the right; a line of megabytes is data, and costs time.
LONGEST_LINE = 2_000
LONGEST_MESSAGE = 300
# A number of skipped tests stands for as many made-up ids; beyond this they are a slip of the tool, or a joke.
MOST_SKIPPED = 10_000

# A number as tools print it: nine digits, since Python itself refuses to read very long ones.
COUNT = re.compile(r"(\d{1,9}) ([a-z]+)")


def plain_lines(text: str) -> "list[str]":
    """Return the lines of an output without colours and invisible characters, each at most 2,000 characters."""
    return [line[:LONGEST_LINE].rstrip() for line in terminal.plain(text).split("\n")]


def one_line(text: str) -> str:
    """Return a message in one line of at most 300 characters."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 3] + "..."


def counts(text: str) -> "dict[str, int]":
    """Read `2 failed, 1 skipped, 3 passed` as numbers by their words."""
    return {word: int(number) for number, word in COUNT.findall(text)}


def first_said(found: "list[str]", start: int) -> str:
    """Return the first line from `start` on that says something, as a message."""
    for line in found[start : start + 20]:
        if line.strip():
            return one_line(line)
    return ""


def skipped(ids: "list[str]", number: int) -> "tuple[str, ...]":
    """Return ids for a number of skipped tests of which some are known by name."""
    known = sorted(set(ids))
    return (*known, *[f"skipped-{count}" for count in range(1, min(number, MOST_SKIPPED) - len(known) + 1)])


def merged(reports: "list[Report]") -> Report:
    """Return what several tools said in one output as one report."""
    totals = [report.total for report in reports if report.total is not None]
    found = [report.diagnostics for report in reports if report.diagnostics is not None]
    named = [name for report in reports for name in report.skipped if not name.startswith("skipped-")]
    unnamed = sum(name.startswith("skipped-") for report in reports for name in report.skipped)
    return Report(
        sum(totals) if totals else None,
        {name: message for report in reports for name, message in report.failing.items()},
        skipped(named, len(set(named)) + unnamed),
        sum(found) if found else None,
    )
