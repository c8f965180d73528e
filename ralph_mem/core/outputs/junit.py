"""Read JUnit's XML reports; a document type or a huge file is refused."""

from xml.parsers import expat

from ralph_mem.core.outputs import report
from ralph_mem.core.outputs.report import Report

# Bytes. 100,000 tests that all pass take some 15 MB.
LARGEST = 64_000_000
# Characters of the text in a failure: what was raised is looked for in them.
LONGEST_TEXT = 20_000


class _Refused(Exception):
    pass


def read(data: bytes) -> "Report | None":
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
