"""Read what ctest and meson print about the tests they ran."""

import re

from ralph_mem.core.outputs.report import Report

CTEST = re.compile(r" *\d+/\d+ +Test +#\d+: (\S.*?) \.*(?: |\*\*\*)+([A-Z]\w*(?: Run(?: \(Disabled\))?)?).* \d+\.\d+ sec")
CTEST_STARTS = re.compile(r" {2,}Start +\d+: |$|\d+% tests passed")
CTEST_NONE = "No tests were found!!!"
MESON = re.compile(r" *\d+/\d+ (\S.*?) +(OK|FAIL|SKIP|TIMEOUT|ERROR|INTERRUPT|EXPECTEDFAIL|UNEXPECTEDPASS) +\d+\.\d+s *(.*)$")
MESON_NONE = "No tests defined."
PASSED, SKIPPED = {"Passed", "OK", "EXPECTEDFAIL"}, {"Skipped", "Not Run (Disabled)", "SKIP"}


def ctest(lines: "list[str]") -> "Report | None":
    """Read the result of each test; what one printed stands below it where it failed."""
    found = {}
    for at, line in enumerate(lines):
        match = CTEST.match(line)
        if match:
            below = lines[at + 1] if at + 1 < len(lines) and not CTEST_STARTS.match(lines[at + 1]) else ""
            found[match[1]] = match[2], below.strip()
    return _told(found, CTEST_NONE in lines)


def meson(lines: "list[str]") -> "Report | None":
    """Read the result of each test; the summary tells those that failed once more."""
    matches = [match for match in map(MESON.match, lines) if match]
    return _told({match[1]: (match[2], match[3].strip()) for match in matches}, MESON_NONE in lines)


def _told(found: "dict[str, tuple[str, str]]", is_none: bool) -> "Report | None":
    if not found and not is_none:
        return None
    skipped = tuple([name for name, (state, _) in found.items() if state in SKIPPED])
    failing = {name: told for name, (state, told) in found.items() if state not in PASSED | SKIPPED}
    return Report(len(found) - len(skipped), failing, skipped)
