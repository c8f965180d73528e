"""Read the numbers and ids in a criterion's output, or in the report that its tool wrote.

Never raises for any input.
"""

import glob
import os

from ralph_mem.core.outputs import compiled, javascript, junit, python
from ralph_mem.core.outputs import report as diagnostics
from ralph_mem.core.outputs.report import Report

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
}
# A tool that is started by its own name is read by its own reader alone: a test may print what another tool says.
NAMES = {name: name for name in READERS if name not in ("bun", "node", "tap")}
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
            return junit.read(file.read(junit.LARGEST + 1))
    except OSError:
        return None


def tool_of(argv: "tuple[str, ...]") -> str:
    """Return the name of the tool that a command line starts by its own name, or nothing."""
    for word in argv[:FIRST_WORDS]:
        name = word.rpartition("/")[2]
        if name in NAMES or name in LINTERS:
            return NAMES.get(name, name)
    return ""
