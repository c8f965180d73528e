"""Read what minitest, test-unit, RSpec, PHPUnit and Pest print about the tests they ran."""

import re

from ralph_mem.core.outputs import report
from ralph_mem.core.outputs.report import Report

# Minitest's own and that of Rails; minitest-reporters and old ones say `tests`.
MINITEST_SUM = re.compile(r"(\d{1,9}) (?:runs|tests), \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors, (\d{1,9}) skips$")
MINITEST_HEAD = re.compile(r"(?: *\d{1,9}\) )?(?:Failure|Error):$")
MINITEST_NAME = re.compile(r"(\S.*?)(?: \[(\S+:\d{1,9})\])?:$")
UNIT_SUM = re.compile(r"(\d{1,9}) tests,(?: \d{1,9} [a-z]+,){3} (\d{1,9}) pendings, (\d{1,9}) omissions, \d{1,9} notifications$")
UNIT_FAILED = re.compile(r"(?:Failure|Error): (\S.*)\(([\w:]+)\)(?:: *(.*))?$")
UNIT_SHOWN = re.compile(r" {2,}(?:=>)? *\d{1,9}: ")
RSPEC_SUM = re.compile(r"(\d{1,9}) examples?, \d{1,9} failures?(?:, (\d{1,9}) pending)?(?:, \d{1,9} errors? occurred outside .*)?$")
RSPEC_FAILED = re.compile(r"rspec '?(?:\./)?(\S+?)(:\d{1,9}|\[[\d:]+\])?'? # (.+)$")
RSPEC_NOT_LOADED = re.compile(r"An error occurred while loading (?:\./)?(\S+?)\.?$")
PHPUNIT_SUM = re.compile(r"Tests: (\d{1,9}), Assertions: \d{1,9}(.*)\.$")
PHPUNIT_FINE = re.compile(r"OK \((\d{1,9}) tests?, \d{1,9} assertions?\)$")
PHPUNIT_LEFT_OUT = re.compile(r", (?:Skipped|Incomplete): (\d{1,9})")
PHPUNIT_LIST = re.compile(r"There (?:was|were) \d{1,9} (?:(?:failure|error)s?(:)$)?")
PHPUNIT_NONE = "No tests executed!"
PEST_SUM = re.compile(r"  Tests: +(\d[^()]{0,300}?)(?: \(\d{1,9} assertions?\))?$")
PEST_FAILED = re.compile(r" +(?:FAILED|\u2022) +(\S.*? [>\u203a] .*?)(?: {2,}\S+)?$")
PEST_NONE = "INFO  No tests found."
PEST_LEFT_OUT = ("skipped", "todo", "todos", "incomplete", "pending")
PEST_WORDS = frozenset("passed failed risky warnings deprecated notice notices".split()).union(PEST_LEFT_OUT)
NUMBERED = re.compile(r" *\d{1,9}\) (\S.*)$")
# A line of a trace, or what runs one test of Rails again.
PLACE = re.compile(r" *(?:# |at |(?:bin/)?rails test )?(\S+\.(?:rb|php):\d{1,9})(?::in .*)?$")

BEHIND = ("====", "     Shared Example Group: ")


def minitest(lines: "list[str]") -> "Report | None":
    """Read minitest's sum, that of Rails too; an id is `TestClass#test_name`."""
    sums = [match for match in map(MINITEST_SUM.match, lines) if match]
    below = [at for at, line in enumerate(lines[:-1], 1) if MINITEST_HEAD.match(line)]
    named = [(at, MINITEST_NAME.match(lines[at])) for at in below]
    return _summed(sums, {match[1]: _said(lines, at + 1, match[2] or "") for at, match in named if match})


def test_unit(lines: "list[str]") -> "Report | None":
    """Read test-unit's sum; an id is `TestClass#test_name`. What is pending or omitted counts as skipped."""
    failing = {}
    for at, line in enumerate(lines):
        match = UNIT_FAILED.match(line)
        if match:
            place, below = PLACE.match(lines[at + 1]) if at + 1 < len(lines) else None, at + 1
            while below < len(lines) and (PLACE.match(lines[below]) or UNIT_SHOWN.match(lines[below])):
                below += 1  # a long message stands below the lines of the test
            said = [match[3]] if match[3] else lines[below:]
            failing[f"{match[2]}#{match[1]}"] = _said(said, 0, place[1] if place else "")
    return _summed([match for match in map(UNIT_SUM.match, lines) if match], failing)


def rspec(lines: "list[str]") -> "Report | None":
    """Read RSpec's sum and its list of failed examples; an id is `file > description`, the file alone where it was not loaded."""
    said: dict[str, str] = {}
    failing = {}
    for at, line in enumerate(lines):
        numbered, failed, broken = NUMBERED.match(line), RSPEC_FAILED.match(line), RSPEC_NOT_LOADED.match(line)
        if numbered:
            said[numbered[1]] = _below_code(lines, at)
        elif broken:
            failing[broken[1]] = _below_code(lines, at)
        elif failed:
            place = f" [{failed[1]}{failed[2]}]" if (failed[2] or "").startswith(":") else ""
            failing[f"{failed[1]} > {failed[3]}"] = report.one_line(said.get(failed[3], "") + place)
    return _summed([match for match in map(RSPEC_SUM.match, lines) if match], failing)


def _below_code(lines: "list[str]", at: int) -> str:
    """Return what is wrong: it stands below the line of the example itself and an empty one."""
    return _said(lines, next((below for below in range(at, min(at + 40, len(lines))) if not lines[below]), at + 1), None)


def phpunit(lines: "list[str]") -> "Report | None":
    """Read PHPUnit's sum; an id is `Class::method`. What is incomplete counts as skipped."""
    sums = [match for match in [PHPUNIT_SUM.match(line) or PHPUNIT_FINE.match(line) for line in lines] if match]
    if not sums:
        return Report(0) if PHPUNIT_NONE in lines else None
    failing, inside = {}, False
    for at, line in enumerate(lines):
        heading, numbered = PHPUNIT_LIST.match(line), NUMBERED.match(line)
        if heading:  # what is skipped, risky or deprecated is listed in the same way
            inside = bool(heading[1])
        elif inside and numbered:
            failing[numbered[1]] = _said(lines, at + 1)
    left_out = sum(int(number) for match in sums for number in PHPUNIT_LEFT_OUT.findall(match[0]))
    return Report(max(0, sum(int(match[1]) for match in sums) - left_out), failing, report.skipped([], left_out))


def pest(lines: "list[str]") -> "Report | None":
    """Read Pest's sum, that of `artisan test` too; an id is `Class > test`."""
    found = [report.counts(match[1]) for match in map(PEST_SUM.match, lines) if match]
    sums = [numbers for numbers in found if numbers and PEST_WORDS.issuperset(numbers)]
    if not sums:
        return Report(0) if any(line.strip() == PEST_NONE for line in lines) else None
    named = [(at, PEST_FAILED.match(line)) for at, line in enumerate(lines, 1)]
    failing = {match[1].replace(" \u203a ", " > "): _said(lines, at) for at, match in named if match}
    left_out = sum(numbers.get(word, 0) for numbers in sums for word in PEST_LEFT_OUT)
    return Report(sum(sum(numbers.values()) for numbers in sums) - left_out, failing, report.skipped([], left_out))


def _summed(sums: "list[re.Match[str]]", failing: "dict[str, str]") -> "Report | None":
    """Return the report of sums whose first number is of all tests, and whose others are of those that did not run."""
    if not sums:
        return None
    left_out = sum(int(number or 0) for match in sums for number in match.groups()[1:])
    return Report(max(0, sum(int(match[1]) for match in sums) - left_out), failing, report.skipped([], left_out))


def _said(lines: "list[str]", at: int, place: "str | None" = "") -> str:
    """Return what a failure says, up to an empty line or its trace, and where it happened; no place where it is to be None."""
    said: list[str] = []
    for line in lines[at : at + 40]:
        where = PLACE.match(line)
        if where or NUMBERED.match(line) or line.startswith(BEHIND):
            inside = where[1] if where else ""  # an absolute one differs from machine to machine
            place = place if place or place is None else inside.rpartition("/")[2] if inside.startswith("/") else inside
            break
        said.append(line.strip())
    text = "\n".join(said).strip().partition("\n\n")[0]
    return report.one_line(f"{text} [{place}]" if place else text)
