"""Read the numbers and ids in a criterion's output, or in the JUnit report of its tool. Nothing here raises for any input."""

import glob
import os
from xml.parsers import expat

from ralph_mem.core.outputs import compiled, javascript, python, report, ruby_and_php
from ralph_mem.core.outputs import report as diagnostics
from ralph_mem.core.outputs.report import Report

# Bytes. 100,000 tests that all pass take some 15 MB.
LARGEST = 64_000_000
# Characters of the text in a failure: what was raised is looked for in them.
LONGEST_TEXT = 20_000


class _Refused(Exception):
    pass


def read_junit(data: bytes) -> "Report | None":
    """Return what a report says, or nothing where it is none, is cut off, or is dangerous to read."""
    if len(data) > LARGEST:
        return None
    cases = _Cases()
    parser = expat.ParserCreate("UTF-8")  # whatever it says of itself: a name of an encoding would be looked up and loaded
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler, parser.EndElementHandler = cases.start, cases.end
    parser.CharacterDataHandler = cases.text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, _Refused):
        return None
    return Report(cases.total, cases.failing, report.skipped(cases.skipped, len(cases.skipped))) if cases.is_one else None


def _refuse(*_: object) -> None:
    raise _Refused


class _Cases:
    """What the parser calls, and what it has found so far."""

    def __init__(self) -> None:
        self.is_one = False
        self.total = 0
        self.failing: dict[str, str] = {}
        self.skipped: list[str] = []
        self._name = ""
        self._outcome = ""
        self._message = ""
        self._said: list[str] = []
        self._room = 0

    def start(self, tag: str, values: "dict[str, str]") -> None:
        if tag in ("testsuite", "testsuites"):
            self.is_one = True
        elif tag == "testcase":
            self._name, self._outcome = name_of(values), ""
        elif tag in ("failure", "error", "skipped") and self._name and self._outcome not in ("failure", "error"):
            self._outcome, self._message = tag, values.get("message", "")
            self._said, self._room = [], LONGEST_TEXT

    def text(self, data: str) -> None:
        if self._room > 0:
            self._said.append(data[: self._room])
            self._room -= len(data)

    def end(self, tag: str) -> None:
        if tag in ("failure", "error", "skipped"):
            self._room = 0
        elif tag == "testcase" and self._name:
            self._close()
            self._name = ""

    def _close(self) -> None:
        if self._outcome == "skipped":
            self.skipped.append(self._name)
            return
        self.total += self._message != "collection failure" or not self._outcome  # a file that cannot be collected is no test
        if self._outcome:
            self.failing[self._name] = _message(self._message, "".join(self._said))
        self._message = ""


def name_of(values: "dict[str, str]") -> str:
    """Return the id of a test case: pytest's own where the file is told, else class and name with a dot between them.

    >>> name_of({"classname": "tests.test_a.TestX", "name": "test_b", "file": "tests/test_a.py"})
    'tests/test_a.py::TestX::test_b'
    """
    place, name, file = values.get("classname", ""), values.get("name", ""), values.get("file", "")
    if not file.endswith(".py"):
        return f"{place}.{name}" if place else name or "?"
    module = file[:-3].replace("\\", "/").replace("/", ".")
    if place == "" and module.endswith(name):  # the whole file, which could not be collected
        return file
    inside = place[len(module) + 1 :] if place.startswith(module + ".") else ""
    return "::".join([file, *inside.split("."), name]) if inside else f"{file}::{name}"


def _message(message: str, text: str) -> str:
    """Return pytest's first line of what was raised, or the message itself."""
    raised = [line[1:] for line in text.split("\n") if line.startswith("E  ")]
    return report.one_line(raised[0] if raised else message.strip().split("\n")[0] or text.strip().split("\n")[0])


# The file in the scratch folder that `finding.with_details` asks a tool for.
REPORT = "report.xml"
GRADLE = "build/test-results/*/TEST-*.xml"
# Test suites of a build with many modules have thousands; whoever has more waits for the text alone.
MOST_FILES = 5_000

READERS = {
    "pytest": python.pytest,
    "unittest": python.unittest,
    "jest": javascript.jest,
    "vitest": javascript.vitest,
    "mocha": javascript.mocha,
    "bun": javascript.bun,
    "node": javascript.node_spec,
    "tap": javascript.tap,
    "cargo": compiled.cargo,
    "go": compiled.go,
    "mvn": compiled.maven,
    "gradle": compiled.gradle,
    "ctest": compiled.ctest,
    "meson": compiled.meson,
    "minitest": ruby_and_php.minitest,
    "test-unit": ruby_and_php.test_unit,
    "rspec": ruby_and_php.rspec,
    "phpunit": ruby_and_php.phpunit,
    "pest": ruby_and_php.pest,
}
# A tool that is started by its own name is read by its own reader alone: a test may print what another tool says.
NAMES = {name: name for name in READERS if name not in ("bun", "node", "tap", "minitest", "test-unit")}
NAMES.update({"py.test": "pytest", "mvnw": "mvn", "gradlew": "gradle"})
LINTERS = {"ruff", "flake8", "mypy", "pyright", "eslint", "tsc", "javac"}
# Words of a command line in which a tool is looked for: `poetry run python -m pytest` has it in the fifth.
FIRST_WORDS = 5


def parse(argv: "tuple[str, ...]", code: "int | None", output: str) -> Report:
    """Return what an output says; a report of nothing where it is no tool's that we know."""
    lines = diagnostics.plain_lines(output)
    tool = tool_of(argv)
    readers = [READERS[tool]] if tool in READERS else [] if tool in LINTERS else list(READERS.values())
    found = diagnostics.merged([report for report in [read(lines) for read in readers] if report])
    if found.total:  # a test may print what a linter says
        return found
    told = diagnostics.count(lines + compiled.unwrapped(lines))
    return found._replace(diagnostics=0 if told is None and code == 0 and tool in LINTERS else told)


def parse_files(scratch: str, argv: "tuple[str, ...]" = (), folder: str = "") -> "Report | None":
    """Return what the reports say that a tool wrote, or nothing where there are none: then the text has to do.

    Gradle tells no number of tests that pass; its reports below `folder` do. It deletes those of a task before it runs it.
    """
    if tool_of(argv) == "gradle" and folder:
        return _of_gradle(folder, _changed_at(scratch))
    return _read(os.path.join(scratch, REPORT))


def _of_gradle(folder: str, since: float) -> "Report | None":
    paths = [path for below in ("", "*", "*/*") for path in glob.glob(f"{glob.escape(folder)}/{below}/{GRADLE}")]
    reports = [(report, path) for report, path in [(_read(path), path) for path in paths[:MOST_FILES]] if report]
    # a task that is up to date keeps its reports, and was fine; older failures are of a run before this one
    fresh = [report for report, path in reports if not report.failing or _changed_at(path) >= since]
    return diagnostics.merged(fresh) if fresh else None


def _changed_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _read(path: str) -> "Report | None":
    try:
        with open(path, "rb") as file:
            return read_junit(file.read(LARGEST + 1))
    except OSError:
        return None


def tool_of(argv: "tuple[str, ...]") -> str:
    """Return the name of the tool that a command line starts by its own name, or nothing."""
    for word in argv[:FIRST_WORDS]:
        name = word.rpartition("/")[2]
        if name in NAMES or name in LINTERS:
            return NAMES.get(name, name)
    return ""
