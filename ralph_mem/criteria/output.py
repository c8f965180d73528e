"""Output of a tool as plain lines, and the small parts that every reading of it needs."""

import re

from ralph_mem.core import terminal
from ralph_mem.criteria import Report

# Characters. Nothing that is looked for stands further to the right; a line of megabytes is data, and costs time.
LONGEST_LINE = 2_000
LONGEST_MESSAGE = 300
# A number of skipped tests stands for as many made-up ids; beyond this they are a slip of the tool, or a joke.
MOST_SKIPPED = 10_000

# A number as tools print it: nine digits, since Python itself refuses to read very long ones.
COUNT = re.compile(r"(\d{1,9}) ([a-z]+)")


def lines(text: str) -> "list[str]":
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
