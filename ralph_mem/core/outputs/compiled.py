"""Read what cargo, go, Maven, Gradle, ctest and meson print about the tests they ran."""

import json
import re

from ralph_mem.core.outputs import report
from ralph_mem.core.outputs.report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CARGO_BINARY = re.compile(r" +Running .{1,1000}\((?:.*/)?([^/]+)\)$| +Doc-tests (\S+)$")
CARGO_HASH = re.compile(r"-[0-9a-f]{16}(?:\.exe)?$")
CARGO_BLOCK = re.compile(r"running \d{1,9} tests?$")
CARGO_RESULT = re.compile(r"test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;")
CARGO_IGNORED = re.compile(r"test (\S.*?) \.\.\. ignored")
CARGO_STDOUT = re.compile(r"---- (.+) stdout ----$")
GO_PLAIN = re.compile(r"(ok|FAIL|\?) *\t(\S+)\t?(.*)$")
GO_TEST = re.compile(r" *--- (PASS|FAIL|SKIP): (\S+) \(")
GO_LOG = re.compile(r"\s*\S+\.go:\d+: (.*)$")
MAVEN_SUM = re.compile(r"(?:\[\w+\] )?Tests run: (\d{1,9}),(?: \w+: \d{1,9},){2} Skipped: (\d{1,9})(?:, Flakes: \d{1,9})?$")
MAVEN_FAILED = re.compile(r"(?:\[ERROR\] )?(\S.{0,500}?)(?: --)? +Time elapsed: [\d.,]+ s(?:ec)? *<<< (?:FAILURE|ERROR)!")
MAVEN_OLD_NAME = re.compile(r"(\S+)\((\S+)\)$")
MAVEN_NOTHING = re.compile(r"(?:\[INFO\] )?(?:No tests to run\.|There are no tests to run\.)$")
GRADLE_SUM = re.compile(r"(\d{1,9}) tests? completed(?:, (\d{1,9}) failed)?(?:, (\d{1,9}) skipped)?$")
GRADLE_FAILED = re.compile(r"(\S.* > .+) FAILED$")
GRADLE_NOTHING = re.compile(r"> Task \S*:test\w* NO-SOURCE$")
CTEST = re.compile(r" *\d+/\d+ +Test +#\d+: (\S.*?) \.*(?: |\*\*\*)+([A-Z]\w*(?: Run(?: \(Disabled\))?)?).* \d+\.\d+ sec")
CTEST_STARTS = re.compile(r" {2,}Start +\d+: |$|\d+% tests passed")
CTEST_NONE = "No tests were found!!!"
MESON = re.compile(r" *\d+/\d+ (\S.*?) +(OK|FAIL|SKIP|TIMEOUT|ERROR|INTERRUPT|EXPECTEDFAIL|UNEXPECTEDPASS) +\d+\.\d+s *(.*)$")
MESON_NONE = "No tests defined."
PASSED, SKIPPED = {"Passed", "OK", "EXPECTEDFAIL"}, {"Skipped", "Not Run (Disabled)", "SKIP"}


def cargo(lines: "list[str]") -> "Report | None":
    """Read the results of all test binaries; an id is `crate > path::of::test`."""
    results = [match for match in map(CARGO_RESULT.match, lines) if match]
    if not results:
        return None
    found = [match for match in map(CARGO_BINARY.match, lines) if match]
    binaries = [CARGO_HASH.sub("", match[1]) if match[1] else f"{match[2]} (doc)" for match in found]
    failing: dict[str, str] = {}
    said: dict[str, str] = {}
    ignored, blocks, binary = [], 0, ""
    for at, line in enumerate(lines):
        out, left_out = CARGO_STDOUT.match(line), CARGO_IGNORED.match(line)
        if CARGO_BLOCK.match(line):  # the names of the binaries are on the other stream, in the same order
            binary, said = f"{binaries[min(blocks, len(binaries) - 1)]} > " if binaries else "", {}
            blocks += 1
        elif out:
            said[out[1]] = _panic(lines, at + 1)
        elif left_out:
            ignored.append(binary + left_out[1])
        elif line == "failures:":
            failing.update({binary + name: said.get(name, "") for name in _listed(lines, at + 1)})
    total = sum(int(match[1]) + int(match[2]) for match in results)
    return Report(total, failing, report.skipped(ignored, sum(int(match[3]) for match in results)))


def _listed(lines: "list[str]", at: int) -> "list[str]":
    names = []
    while at < len(lines) and lines[at].startswith("    "):
        names.append(lines[at].strip())
        at += 1
    return names


def _panic(lines: "list[str]", at: int) -> str:
    for number in range(at, min(at + 50, len(lines))):
        if " panicked at " in lines[number]:  # what it says is on the next line; before Rust 1.73 on the same
            return report.one_line(lines[number + 1]) if lines[number].endswith(":") and number + 1 < len(lines) else lines[number]
    return report.first_said(lines, at)


def go(lines: "list[str]") -> "Report | None":
    """Read `go test -json`, or else the plain text, which tells how many tests ran only with `-v`."""
    events = [event for event in map(_event, lines) if event]
    return _of_events(events) if events else _of_go_text(lines)


def unwrapped(lines: "list[str]") -> "list[str]":
    """Return what `go test -json` wraps into events, such as the lines of the compiler."""
    return [str(event["Output"]).rstrip() for event in map(_event, lines) if event and event.get("Output")]


def _event(line: str) -> "dict[str, Any] | None":
    if not line.startswith('{"'):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("Action"), str) else None


def _of_events(events: "list[dict[str, Any]]") -> "Report | None":
    ended: dict[tuple[str, str], str] = {}
    said: dict[tuple[str, str], list[str]] = {}
    for event in events:
        key = (str(event.get("Package") or event.get("ImportPath") or ""), str(event.get("Test") or ""))
        if event["Action"] in ("pass", "fail", "skip"):
            ended[key] = event["Action"]
        elif event["Action"] in ("output", "build-output"):
            said.setdefault((key[0].partition(" ")[0], key[1]), []).append(str(event.get("Output", "")).rstrip())
    tests = _leaves({key: how for key, how in ended.items() if key[1]})
    failing = {key: _logged(said.get(key, [])) for key, how in tests.items() if how == "fail"}
    with_failures = {package for package, _ in failing}
    for (package, test), how in ended.items():
        if how == "fail" and not test and package not in with_failures:  # it was not built, or ended in the middle
            failing[package, ""] = _logged(said.get((package, ""), []))
    left_out = [".".join(key) for key, how in tests.items() if how == "skip"]
    return Report(
        sum(how != "skip" for how in tests.values()),
        {".".join(filter(None, key)): message for key, message in failing.items()},
        report.skipped(left_out, len(left_out)),
    )


def _leaves(tests: "dict[tuple[str, str], str]") -> "dict[tuple[str, str], str]":
    """Leave out the tests that only hold others: they fail with them."""
    parents = {(package, test[:end]) for package, test in tests for end in range(len(test)) if test[end] == "/"}
    return {key: how for key, how in tests.items() if key not in parents}


def _logged(said: "list[str]") -> str:
    """Return what a test logged with its place, else the first line that is not the runner's own."""
    for line in said:
        if GO_LOG.match(line) and line.startswith(" "):
            return report.one_line(GO_LOG.sub(r"\1", line))
    own = [line for line in said if line.strip() and not line.lstrip().startswith(("===", "---", "FAIL", "# ", "PASS", "exit "))]
    return report.one_line(own[0]) if own else report.one_line(said[-1]) if said else ""


def _of_go_text(lines: "list[str]") -> "Report | None":
    packages = [match for match in map(GO_PLAIN.match, lines) if match]
    if not packages:
        return None
    tests: dict[tuple[str, str], str] = {}
    failing: dict[str, str] = {}
    since: list[tuple[str, str, str]] = []
    for at, line in enumerate(lines):
        test, package = GO_TEST.match(line), GO_PLAIN.match(line)
        if test:
            since.append((test[2], test[1], _logged(lines[at + 1 : at + 4])))
        elif package:
            found = _leaves({(package[2], name): how for name, how, _ in since})
            tests.update(found)
            failed = {f"{package[2]}.{name}": said for name, how, said in since if found.get((package[2], name)) == "FAIL"}
            failing.update(failed if failed or package[1] != "FAIL" else {package[2]: package[3].strip()})
            since = []
    return _go_total(packages, tests, failing)


def _go_total(packages: "list[re.Match[str]]", tests: "dict[tuple[str, str], str]", failing: "dict[str, str]") -> Report:
    verbose = "PASS" in tests.values()
    nothing = all(match[1] == "?" or "[no test" in match[3] for match in packages)
    left_out = [".".join(key) for key, how in tests.items() if how == "SKIP"]
    total = len(tests) - len(left_out) if verbose else 0 if nothing else None
    return Report(total, failing, report.skipped(left_out, len(left_out)))


def maven(lines: "list[str]") -> "Report | None":
    """Read Surefire's sums, one for each module; an id is `package.Class.method`."""
    sums = [match for match in map(MAVEN_SUM.match, lines) if match]
    if not sums:
        return Report(0) if any(MAVEN_NOTHING.match(line) for line in lines) else None
    failing = {}
    for at, line in enumerate(lines):
        match = MAVEN_FAILED.match(line)
        if match and not match[1].startswith("Tests run:"):
            failing[MAVEN_OLD_NAME.sub(r"\2.\1", match[1])] = report.first_said(lines, at + 1)
    left_out = sum(int(match[2]) for match in sums)
    return Report(max(0, sum(int(match[1]) for match in sums) - left_out), failing, report.skipped([], left_out))


def gradle(lines: "list[str]") -> "Report | None":
    """Read what Gradle says of failing tests; of those that pass it tells nothing, not even how many there are."""
    sums = [match for match in map(GRADLE_SUM.match, lines) if match]
    failing = {}
    for at, line in enumerate(lines):
        match = GRADLE_FAILED.match(line)
        if match and not line.startswith("> Task"):
            failing[match[1]] = report.first_said(lines, at + 1)
    if sums:
        left_out = sum(int(match[3] or 0) for match in sums)
        return Report(max(0, sum(int(match[1]) for match in sums) - left_out), failing, report.skipped([], left_out))
    return Report(0) if any(GRADLE_NOTHING.match(line) for line in lines) else None


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
